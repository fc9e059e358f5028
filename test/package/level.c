/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the level whose kernels `fashion` runs on this CPU, through the table
   that tools use. Usage: level WEIGHTS */
#include "vitc/runtime/model.h"

#include <stdio.h>

const vitc_model_v2 *fashion_model(void);

int main(int argc, char **argv) {
  const vitc_model_v2 *model = fashion_model();
  void *context = NULL;
  vitc_status status = model->create(argc > 1 ? argv[1] : NULL, NULL, &context);
  if (status != VITC_OK) {
    fprintf(stderr, "%s\n", model->status_text(status));
    return 1;
  }
  puts(model->level(context));
  model->destroy(context);
  return 0;
}
