/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the status that fashion_create gives for each weights file in turn,
   then those of wrong arguments. Usage: statuses GOOD-WEIGHTS WEIGHTS... */
#include "fashion.h"

#include <stdio.h>
#include <stdlib.h>

static uint8_t pixels[fashion_HEIGHT * fashion_WIDTH * 4];
static float tensor[2 * fashion_HEIGHT * fashion_WIDTH];
static float logits[2 * fashion_LOGITS_ELEMENTS];
static _Alignas(64) unsigned char workspace[fashion_WORKSPACE_BYTES + 64];

static void print(const char *what, fashion_status status) {
  printf("%s %d\n", what, (int)status);
}

static void create(const char *what, const char *weights,
                   const fashion_options *options) {
  fashion_context *context = (fashion_context *)
      workspace; /* not NULL, to see that a failure sets it */
  fashion_status status = fashion_create(weights, options, &context);
  if ((status == fashion_OK) != (context != NULL) ||
      !fashion_status_text(status)[0])
    abort();
  print(what, status);
  if (status == fashion_OK)
    fashion_destroy(context);
}

int main(int argc, char **argv) {
  fashion_options options = {0};
  fashion_context *context;
  fashion_image image = {pixels,         fashion_WIDTH,
                         fashion_HEIGHT, fashion_PIXELS_GREY,
                         fashion_WIDTH,  {0, 0, 0, 0}};
  fashion_image bad;
  int i;
  if (argc < 2)
    return 2;
  for (i = 1; i < argc; ++i)
    create(argv[i], argv[i], NULL);
  create("no-weights", NULL, NULL);

  options.workspace = workspace;
  options.workspace_bytes = fashion_WORKSPACE_BYTES - 1;
  create("small-workspace", argv[1], &options);
  options.workspace = workspace + 4;
  options.workspace_bytes = fashion_WORKSPACE_BYTES;
  create("crooked-workspace", argv[1], &options);
  options.workspace = workspace;
  create("good-workspace", argv[1], &options);
  options.workspace = NULL;
  options.workspace_bytes = 0;
  options.threads = -1;
  create("negative-threads", argv[1], &options);
  print("no-context", fashion_create(argv[1], NULL, NULL));

  if (fashion_create(argv[1], NULL, &context) != fashion_OK)
    return 1;
  print("good-image", fashion_run(context, &image, 1, logits));
  print("no-images", fashion_run(context, NULL, 1, logits));
  print("no-output", fashion_run(context, &image, 1, NULL));
  print("no-tensor", fashion_run_tensor(context, NULL, 1, logits));
  bad = image;
  bad.pixels = NULL;
  print("no-pixels", fashion_run(context, &bad, 1, logits));
  bad = image;
  bad.width = 0;
  print("no-width", fashion_run(context, &bad, 1, logits));
  bad = image;
  bad.height = -3;
  print("negative-height", fashion_run(context, &bad, 1, logits));
  bad = image;
  bad.format = 99;
  print("unknown-format", fashion_run(context, &bad, 1, logits));
  bad = image;
  bad.crop.width = fashion_WIDTH + 1;
  bad.crop.height = fashion_HEIGHT;
  print("wide-crop", fashion_run(context, &bad, 1, logits));
  print("no-count", fashion_run(context, &image, 0, logits));
  print("negative-count", fashion_run_tensor(context, tensor, -1, logits));
  print("large-count",
        fashion_run_tensor(context, tensor, fashion_BATCH + 1, logits));
  bad = image;
  bad.stride = 1;
  print("short-stride", fashion_run(context, &bad, 1, logits));
  bad = image;
  bad.width = fashion_WIDTH - 1; /* this model's processor does not resize */
  print("other-size", fashion_run(context, &bad, 1, logits));
  print("good-image-again", fashion_run(context, &image, 1, logits));
  fashion_destroy(context);
  return 0;
}
