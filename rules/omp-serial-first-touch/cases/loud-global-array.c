// flags: -fopenmp
#include <stdio.h>

#define COUNT 1048576

static float signal[COUNT];
static float filtered[COUNT];

static void filter(int first, int last) {
#pragma omp parallel for schedule(static)
  for (int i = first; i < last; i++)
    filtered[i] = 0.5f * signal[i] + 0.25f * (signal[i - 1] + signal[i + 1]);
}

int main(void) {
  // expect: omp-serial-first-touch high "'signal'" "line 11"
  for (int i = 0; i < COUNT; i++)
    signal[i] = (float)(i % 100);
  filter(1, COUNT - 1);
  double sum = 0.0;
  for (int i = 0; i < COUNT; i++)
    sum += filtered[i];
  printf("%.3f\n", sum);
  return 0;
}
