// Five numbers of each cell side by side, and a pass over all cells for each of them: every pass fetches all lines.
#define VARIABLES 5

void update(double *u, double *r, const double *step, int cells) {
  for (int v = 0; v < VARIABLES; v++)
    // expect: mem-strided-inner-loop "steps 40 bytes through memory; over 'v' the step is 8 bytes"
    for (int c = 0; c < cells; c++) {
      u[c * VARIABLES + v] += step[c] * r[c * VARIABLES + v];
      r[c * VARIABLES + v] = 0;
    }
}

void scale(float (*position)[3], const float *length, long atoms) {
  for (int d = 0; d < 3; d++)
    // expect: mem-strided-inner-loop "steps 12 bytes"
    for (long i = 0; i < atoms; i++)
      position[i][d] *= length[d];
}
