// 2-d turbulence in a periodic box, pseudo-spectral
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include "flow.h"

struct Settings {
  char scheme;
  int n;
  bool restart;
  real nu;
  char dummy;
  int steps;
};

// ranks write their profile in turn
static void writeProfile(const std::vector<real> &p, const char *file) {
  Par *P = Par::instance();
  for (int r = 0; r < P->np; ++r) {
    if (r == P->me) {
      std::FILE *f = std::fopen(file, r == 0 ? "w" : "a");
      if (f) {
        for (size_t k = 0; k < p.size(); ++k) std::fprintf(f, "%g\n", p[k]);
        std::fclose(f);
      }
    }
    P->sync();
  }
}

// wait for a debugger
static void attach() {
  volatile int go = std::getenv("TURB_WAIT") ? 0 : 1;
  while (!go) sleep(1);
}

static void sweepToken(real &amp) {
  // phase relation runs through the ranks once
  Par *P = Par::instance();
  if (P->me > 0)
    MPI_Recv(&amp, 1, MPI_DOUBLE, P->me - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  amp *= 1.01;
  if (P->me < P->np - 1)
    MPI_Send(&amp, 1, MPI_DOUBLE, P->me + 1, 8, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  Par::start(&argc, &argv);
  attach();
  Settings s = {'e', 256, false, 1e-3, 0, 8};
  if (argc > 1) s.n = std::atoi(argv[1]);
  if (argc > 2) s.steps = std::atoi(argv[2]);
  Par *P = Par::instance();
  Flow f(s.n, s.nu);
  f.init();
  real amp = 1.0;
  sweepToken(amp);
  Fft fft(s.n);
  Array2<cplx> probe(s.n, 256), turned(256, s.n);
  std::vector<real> spec(s.n / 3), prof;
  std::vector<Shell> sh(s.n / 3);
  std::vector<int> cnt;
  P->sync();
  const double t0 = MPI_Wtime();
  for (int n = 0; n < s.steps; ++n) {
    const real umax = f.cfl();
    const real dt = std::min(1e-3, 0.5 / (s.n * umax + 1e-30));
    f.step(dt);
    for (int k = 0; k < 256; ++k) probe(n % s.n, k) = umax * std::cos(0.1 * k * amp);
    fft.columns(probe, n % 2 ? 1 : -1);
    fft.tile(probe, turned);
    const real e = f.energy(), z = f.enstrophy();
    f.spectrum(spec);
    f.shells(sh);
    f.meanProfile(prof);
    f.modesPerThread(cnt);
    for (size_t k = 0; k < sh.size(); ++k) {
      sh[k].e = P->sum(sh[k].e);
    }
    if (P->me == 0)
      std::printf("%3d dt %.3e E %.6e Z %.6e s3 %.3e %.3e\n", n, dt, e, z, spec[3], sh[3].e);
  }
  if (P->me == 0) std::printf("%.3f s\n", MPI_Wtime() - t0);
  writeProfile(prof, "/dev/null");
  Par::stop();
  return 0;
}
