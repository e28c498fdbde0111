// 256 lines of one array fit their 16 sets of the second level; those of two arrays that a sweep walks side by side do not.
#define ROWS 256
#define COLUMNS 512
#define AT(i, j) ((i)*COLUMNS + (j))

void sweep(const double *rho, const double *potential, double *sum) {
  for (int j = 0; j < COLUMNS; j++) {
    double all = 0.0;
    // expect: mem-power-of-two-stride medium "the 512 lines of 'rho' and 'potential'" "level-2"
    // expect: mem-strided-inner-loop
    for (int i = 0; i < ROWS; i++)
      all = 0.5 * all + rho[AT(i, j)] * potential[AT(i, j)];
    sum[j] = all;
  }
}
