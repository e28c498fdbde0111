#include <omp.h>
#include <algorithm>
#include <cmath>
#include "flow.h"

// shell sums of the energy
void Flow::spectrum(std::vector<real> &e) {
  const int nb = (int)e.size();
  std::fill(e.begin(), e.end(), 0.0);
#pragma omp parallel for
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < n_; ++j) {
      const real k2 = waveLocal(i) * waveLocal(i) + wave(j) * wave(j);
      const int b = (int)(std::sqrt(k2) + 0.5);
      if (b < 1 || b >= nb) continue;
      const real c = 0.5 * std::norm(w_(i, j)) / k2;
#pragma omp critical
      e[b] += c;
    }
  Par::instance()->sumVector(&e[0], nb);
}

void Flow::shells(std::vector<Shell> &s) {
  const int nb = (int)s.size();
  const Shell none = {0, 0, 0};
  std::fill(s.begin(), s.end(), none);
#pragma omp parallel
  {
    std::vector<Shell> my(nb, none);
#pragma omp for nowait
    for (int i = 0; i < nl_; ++i)
      for (int j = 0; j < n_; ++j) {
        const real k2 = waveLocal(i) * waveLocal(i) + wave(j) * wave(j);
        const int b = (int)(std::sqrt(k2) + 0.5);
        if (b < 1 || b >= nb) continue;
        my[b].n++;
        my[b].z += std::norm(w_(i, j));
        my[b].e += std::norm(w_(i, j)) / k2;
      }
#pragma omp critical(shells)
    for (int b = 0; b < nb; ++b) {
      s[b].n += my[b].n;
      s[b].e += my[b].e;
      s[b].z += my[b].z;
    }
  }
}

// mean of u over x for each local y
void Flow::meanProfile(std::vector<real> &p) {
  p.assign(nl_, 0.0);
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < nl_; ++i)
      p[i] += u_(i, j).real();
  for (int i = 0; i < nl_; ++i) p[i] /= n_;
}

void Flow::modesPerThread(std::vector<int> &cnt) {
  cnt.assign(omp_get_max_threads(), 0);
#pragma omp parallel
  {
    int c = 0;
#pragma omp for nowait
    for (int i = 0; i < nl_; ++i)
      for (int j = 0; j < n_; ++j)
        if (std::norm(w_(i, j)) > 1e-12) ++c;
    cnt[omp_get_thread_num()] = c;
  }
}
