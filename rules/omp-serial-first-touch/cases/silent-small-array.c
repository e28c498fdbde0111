// flags: -fopenmp
// 32 KiB: a few pages, that stay in the caches.
#define COUNT 4096

static double profile[COUNT];

void build(double scale) {
  for (int i = 0; i < COUNT; i++)
    profile[i] = scale * i;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < COUNT; i++)
    profile[i] = profile[i] * profile[i];
}

double value(int i) { return profile[i]; }
