// flags: -fopenmp
// A written barrier behind data that each thread has of its own, and one behind data of all.
void count(unsigned *total, const unsigned *keys, int n, int bins) {
#pragma omp parallel
  {
    unsigned own[bins];
    for (int i = 0; i < bins; i++)
      own[i] = 0;
    // expect: omp-barrier-in-loop medium
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
      own[keys[i] % bins]++;
    for (int i = 0; i < bins; i++) {
#pragma omp atomic
      total[i] += own[i];
    }
  }
}

void count_in_table(unsigned *total, const unsigned *keys, int n, int bins) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < bins; i++)
      total[i] = 0;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      total[keys[i] % bins]++;
    }
  }
}

// Met once.
int main(int arguments, char **names) {
  static unsigned table[100];
#pragma omp parallel
  {
    int own = arguments;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 100; i++)
      table[i] += own;
  }
  return table[3] != (unsigned)arguments || !names[0];
}
