// Written as bytes: worth saying, but the file format decides.
#include <stdio.h>
#include <stdlib.h>

// expect: mem-struct-padding high "sample"
struct sample {
  int channel;
  double time;
  int quality;
  double value;
};

int store(FILE *file, const double *values, int count) {
  struct sample *samples = malloc((size_t)count * sizeof(struct sample));
  if (samples == NULL)
    return -1;
  for (int n = 0; n < count; n++) {
    samples[n].channel = n % 4;
    samples[n].time = 0.001 * n;
    samples[n].quality = 1;
    samples[n].value = values[n];
  }
  const size_t written = fwrite(samples, sizeof(struct sample), (size_t)count, file);
  free(samples);
  return written == (size_t)count ? 0 : -1;
}
