// flags: -fopenmp
// Two barriers side by side that the program passes once, and barriers that something needs.
static double a[100000], b[100000], total;

static void prepare(int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      a[i] = i;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
      b[i] = a[n - 1 - i];
  }
}

void steps(int n, int rounds) {
  for (int r = 0; r < rounds; r++) {
#pragma omp parallel
    {
#pragma omp for nowait
      for (int i = 0; i < n; i++)
        a[i] += 1;
#pragma omp barrier
#pragma omp single nowait
      total += a[n / 2];
#pragma omp for
      for (int i = 0; i < n; i++)
        b[i] = a[n - 1 - i];
    }
  }
}

// A front runs through the grid, one diagonal after the other: each needs those before it.
static double grid[400 * 400];
static void fronts(int n) {
#pragma omp parallel
  for (int round = 0; round < n; round++)
    for (int i = 2; i <= 2 * n - 2; i++) {
#pragma omp for
      for (int j = 2; j <= n; j++)
        grid[(i + 1) * n - 1 + j * (1 - n)] = grid[i * n - 1 + j * (1 - n)] + grid[(i + 1) * n - 2 + j * (1 - n)];
    }
}

int main(int argc, char **argv) {
  prepare(100000);
  steps(100000, argc);
  fronts(200);
  return b[5] > total;
}
