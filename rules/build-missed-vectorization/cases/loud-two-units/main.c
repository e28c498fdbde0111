// A descent whose step lengths come from products that another unit computes.
#include "sums.h"
#include <stdio.h>

enum { COUNT = 4000 };

static float place[COUNT], slope[COUNT];

static double step_length(int count) { return 1.0 / (1.0 + squares(slope, count)); }

int main(void) {
  for (int i = 0; i < COUNT; i++)
    place[i] = 1.0f + i % 3;
  for (int step = 0; step < 50; step++) {
    for (int i = 0; i < COUNT; i++)
      slope[i] = place[i] - 1.5f;
    const float by = (float)step_length(COUNT);
    for (int i = 0; i < COUNT; i++)
      place[i] -= by * slope[i];
  }
  printf("%.6f\n", total(place, COUNT));
  return 0;
}
