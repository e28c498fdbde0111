// flags: -fopenmp
// One iteration, or one thread, alone comes to the update; the tasks have copies of their own.
int ask(void);
int search(int *keys, int n, int key) {
  int found = 0, first = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (keys[i] == key)
      found++;
    if (i == 0)
      first += 1;
  }
#pragma omp parallel
  {
    int mine, threads = 4;
    mine = ask();
    if (mine) {
      keys[mine] = 0;
    } else {
      found = 0;
      for (int t = 0; t < threads; t++)
        found += t;
    }
  }
#pragma omp parallel num_threads(1)
  first++;
  // Whether the first one to come has been there.
#pragma omp parallel
  if (!keys[0])
    found += 2;
#pragma omp parallel sections
  {
#pragma omp section
    found += 1;
#pragma omp section
    first += 1;
  }
  return found + first;
}
