/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A product in C99: runs `fashion` on one raw image and prints the logits,
   exactly. Usage: product WEIGHTS PIXELS WIDTH HEIGHT CHANNELS; WEIGHTS is -
   when they are inside the library. */
#include "fashion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t pixels[1 << 20];
static float logits[fashion_LOGITS_ELEMENTS];

int main(int argc, char **argv) {
  fashion_context *context;
  fashion_image image;
  fashion_status status;
  FILE *file;
  size_t size;
  int i;
  if (argc != 6)
    return 2;
  memset(&image, 0, sizeof image);
  image.pixels = pixels;
  image.width = atoi(argv[3]);
  image.height = atoi(argv[4]);
  image.format =
      strcmp(argv[5], "1") ? fashion_PIXELS_RGB : fashion_PIXELS_GREY;
  image.stride = (ptrdiff_t)image.width * atoi(argv[5]);
  size = (size_t)image.stride * (size_t)image.height;
  file = fopen(argv[2], "rb");
  if (!file || size > sizeof pixels || fread(pixels, 1, size, file) != size)
    return 2;
  fclose(file);

  status =
      fashion_create(strcmp(argv[1], "-") ? argv[1] : NULL, NULL, &context);
  if (status == fashion_OK)
    status = fashion_run(context, &image, 1, logits);
  if (status != fashion_OK) {
    fprintf(stderr, "%s\n", fashion_status_text(status));
    return 1;
  }
  fashion_destroy(context);
  for (i = 0; i < fashion_LOGITS_ELEMENTS; ++i)
    printf("%a\n", logits[i]);
  return 0;
}
