// flags: -fopenmp
// One thread, or one iteration, alone gets past the way out, or into the other arm.
#include <omp.h>

static long total, first, last;
static bool done;

static thread_local int lane = 0;
void choose(int i, int &mine);

static void byNumber(int thread) {
  if (thread != 0)
    return;
  total++;
}

static void byQuestion() {
  if (omp_get_thread_num() != 0)
    return;
  total++;
}

static void byVariable() {
  const int thread = omp_get_thread_num();
  if (thread)
    return;
  total++;
}

static void onceOnly() {
  if (done)
    return;
  total++;
}

void others(double *x, const double *y, int n) {
  double larger = 0;
  int number;
#pragma omp parallel private(number)
  {
    number = omp_get_thread_num();
    if (number < 1)
      first++;
    if (lane < 1)
      first++;
    int mine = 0;
    choose(3, mine);
    if (mine < 1)
      last++;
    switch (number) {
    case 0:
      last++;
    }
  }
#pragma omp parallel for lastprivate(larger)
  for (int i = 0; i < n; i++) {
    larger = x[i] > y[i] ? x[i] : y[i];
    x[i] = larger;
  }
}

void work(double *x, int n) {
#pragma omp parallel
  {
    byNumber(omp_get_thread_num());
    byQuestion();
    byVariable();
    onceOnly();
    const int thread = omp_get_thread_num();
    if (thread != 0)
      x[thread] = 1;
    else
      first++;
    for (int k = 0; k < n; k++) {
      if (thread != 0)
        continue;
      last++;
    }
    thread != 0 || first++;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i != 0)
      x[i] = 1;
    else
      first += 1;
    if (i != n - 1)
      continue;
    last++;
  }
}
