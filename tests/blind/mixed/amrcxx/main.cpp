#include "amr.hpp"
#include <cstdio>
#include <cstdlib>
#include <omp.h>

using namespace amr;

static void run(Communicator& comm, int steps) {
  Level coarse(0, comm), fine(1, comm);
  coarse.build(4, 32);
  fine.build(2, 32);
  std::vector<Tracer> tr(40000);
  for (size_t n = 0; n < tr.size(); ++n) {
    tr[n].alive = 1;
    tr[n].x = 0.001 * (n % 1000);
    tr[n].y = 0.01 * (n % 100);
    tr[n].z = 0;
  }
  std::vector<Work> work(omp_get_max_threads());
  std::vector<Tag> tags;
  std::vector<double> img(64 * 64), profile(64), params(8, 0.1);
  comm.broadcast(params);
  double t = 0;
  for (int s = 0; s < steps; ++s) {
    coarse.exchange();
    double w = 0;
    for (Patch& p : coarse.patches()) w = std::max(w, waveSpeed(p));
    w = comm.max(w);
    const double dt = 0.2 / w;
    coarse.exchange();
    for (Patch& p : coarse.patches()) {
      sweepX(p, dt);
      sweepY(p, dt);
      sweepZ(p, dt);
      diagnose(p);
    }
    for (Patch& p : coarse.patches()) {
      apply(p);
      cool(p, dt);
    }
    gravity(coarse.patches(), 1e-3 * dt);

    coarse.exchangeBegin();
    coarse.exchangeEnd();
    for (size_t q = 0; q < fine.patches().size(); ++q) {
      Patch& f = fine.patches()[q];
      coarse.prolong(coarse.patches()[q], f);
      sweepX(f, 0.5 * dt);
      sweepY(f, 0.5 * dt);
      diagnose(f);
      apply(f);
    }
    fine.exchangeBegin();
    const int nt = coarse.tagZones(0.05, tags);
    moveTracers(tr, dt);
    fine.exchangeEnd();
    for (size_t q = 0; q < fine.patches().size(); ++q) fine.restrictTo(fine.patches()[q], coarse.patches()[q]);

    const std::vector<int> counts = comm.allCounts(nt);
    const double m0 = comm.sum(coarse.mass());
    const double m1 = comm.sum(fine.mass());
    const long ntr = comm.sum((long)tr.size());
    double mom[3] = {m0, m1, dt};
    comm.sum(mom, 3);
    coarse.loads(work);
    for (size_t k = 0; k < profile.size(); ++k) profile[k] = m0 * k;
    comm.accumulateUp(profile.data(), (int)profile.size());
    t += dt;
    if (s % 4 == 3) {
      double peak = 0;
      for (const Patch& p : coarse.patches()) peak = std::max(peak, project(p, img, 64));
      comm.sum(img.data(), (int)img.size());
      if (comm.rank() == 0) std::printf("%d t=%.4f m=%.4f %.4f tags=%d peak=%.3f n=%ld\n", s, t, m0, m1, counts.back(), peak, ntr);
      comm.barrier();
    }
  }
}

int main(int argc, char** argv) {
  int prov;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
  {
    Communicator comm(MPI_COMM_WORLD);
    const double t0 = MPI_Wtime();
    run(comm, argc > 1 ? std::atoi(argv[1]) : 8);
    comm.barrier();
    if (comm.rank() == 0) std::printf("time %.3f\n", MPI_Wtime() - t0);
  }
  MPI_Finalize();
  return 0;
}
