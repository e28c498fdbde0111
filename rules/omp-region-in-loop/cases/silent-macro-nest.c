// flags: -fopenmp
// Loops that one macro writes stand at one place: the region is around all of them.
#define BOX_BEGIN(ni, nj, nk)                                                                                          \
  _Pragma("omp parallel for")                                                                                          \
  for (int kk = 0; kk < nk; kk++)                                                                                      \
    for (int jj = 0; jj < nk; jj++)                                                                                    \
      for (int ii = 0; ii < ni; ii++) {
#define BOX_END }

void relax(int ni, int nj, int nk, double *x, const double *b) {
  BOX_BEGIN(ni, nj, nk)
  x[(kk * nj + jj) * ni + ii] += b[(kk * nj + jj) * ni + ii];
  BOX_END
}
