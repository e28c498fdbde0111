// flags: -fopenmp
// What is counted also says where things are put: a sum of each thread's own would give all of them the same slots.

int gather(const double *a, int n, int *list) {
  int found = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 0) {
      list[found] = i;
      // expect: omp-shared-counter medium "update the same 'found'" "atomic capture"
      found++;
    }
  return found;
}

int at_once(const double *a, int n, int *list) {
  int found = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 0)
      // expect: omp-shared-counter medium "update the same 'found'" "atomic capture"
      list[found++] = i;
  return found;
}

int longest(const int *lengths, int n, int limit) {
  int sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-shared-counter high "update the same 'sum'" "add reduction(+:sum) to the directive"
    sum += lengths[i];
  }
  return sum > limit ? sum : limit;
}

int put(int slot, int i);

int in_a_region_of_its_own(int n) {
  int next = 10;
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < n; i++)
    // expect: omp-shared-counter high "update the same 'next'" "atomic capture"
    put(next++, i);
  return next;
}
