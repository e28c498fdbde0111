// Back substitution: what an iteration makes final is read by all later ones, so that nothing can be split off behind.
void back(double *hh, double *rs, int dim, int i) {
  for (int k = i - 2; k >= 0; k--) {
    double t = 0.0;
    // expect: mem-strided-inner-loop medium "a sweep by columns" no-fix
    for (int j = k + 1; j < i; j++)
      t -= hh[j * dim + k] * rs[j];
    t += rs[k];
    rs[k] = t / hh[k * dim + k];
  }
}
