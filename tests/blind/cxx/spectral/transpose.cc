#include <algorithm>
#include <vector>
#include "par.h"

Transposer::Transposer(int n) : n_(n), nl_(n / Par::instance()->np) {
  s_.resize((size_t)n_ * nl_);
  r_.resize((size_t)n_ * nl_);
}

// a: my rows.  b: my columns, each as a row of b.
void Transposer::rows2cols(const Array2<cplx> &a, Array2<cplx> &b) {
  Par *P = Par::instance();
  P->sync();
  const int nl = nl_, blk = nl * nl;
#pragma omp parallel for schedule(static)
  for (int p = 0; p < P->np; ++p) {
    cplx *s = &s_[(size_t)p * blk];
    for (int j = 0; j < nl; ++j)
      for (int i = 0; i < nl; ++i)
        s[j * nl + i] = a(i, p * nl + j);
  }
  MPI_Alltoall(&s_[0], 2 * blk, MPI_DOUBLE, &r_[0], 2 * blk, MPI_DOUBLE, MPI_COMM_WORLD);
#pragma omp parallel for schedule(static)
  for (int j = 0; j < nl; ++j)
    for (int p = 0; p < P->np; ++p) {
      const cplx *r = &r_[(size_t)p * blk + (size_t)j * nl];
      std::copy(r, r + nl, &b(j, p * nl));
    }
}

// back again
void Transposer::cols2rows(const Array2<cplx> &b, Array2<cplx> &a) {
  Par *P = Par::instance();
  const int nl = nl_, np = P->np, me = P->me;
  for (int step = 0; step < np; ++step) {
    const int to = (me + step) % np, from = (me - step + np) % np;
    std::vector<cplx> buf(nl);
    // a row at a time
    for (int j = 0; j < nl; ++j) {
      MPI_Sendrecv((void *)&b(j, to * nl), 2 * nl, MPI_DOUBLE, to, j, &buf[0], 2 * nl, MPI_DOUBLE,
                   from, j, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < nl; ++i) a(i, from * nl + j) = buf[i];
    }
  }
}
