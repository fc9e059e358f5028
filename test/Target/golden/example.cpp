// Runs golden_net on a grey test image and prints the first numbers. Usage: example WEIGHTS
#include "golden_net.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  static unsigned char pixels[3072];
  memset(pixels, 128, sizeof pixels);
  static float logits[golden_net_LOGITS_ELEMENTS];
  golden_net_image images[golden_net_BATCH];
  for (int i = 0; i < golden_net_BATCH; ++i)
    images[i] = {pixels, golden_net_WIDTH, golden_net_HEIGHT, golden_net_PIXELS_NATIVE, golden_net_WIDTH * golden_net_CHANNELS, {0, 0, 0, 0}};

  golden_net_net net(argc > 1 ? argv[1] : nullptr);
  golden_net_status status = net.status();
  if (status == golden_net_OK)
    status = net.run(images, golden_net_BATCH, logits);
  if (status != golden_net_OK) {
    fprintf(stderr, "%s\n", golden_net_status_text(status));
    return 1;
  }
  for (int i = 0; i < 5 && i < golden_net_LOGITS_ELEMENTS; ++i)
    printf("logits[%d] = %g\n", i, double(logits[i]));
}
