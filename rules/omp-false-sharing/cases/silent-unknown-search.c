// flags: -fopenmp
// The search for the bin may take long: it walks along the table.
#include <omp.h>

void angles(const float *dots, int count, int bins, const float *border, long *block) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) {
      const float dot = dots[i] * dots[j];
      int low = 0, high = bins;
      while (high > low + 1) {
        const int next = low + 1;
        if (dot >= border[next])
          high = next;
        else
          low = next;
      }
      block[omp_get_thread_num() * (bins + 2) + low] += 1;
    }
}
