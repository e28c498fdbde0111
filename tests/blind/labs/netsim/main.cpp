#include "network.hpp"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <thread>

using namespace netsim;

static void usage() { std::printf("netsim [-n neurons per rank] [-s steps] [-k degree] [-q]\n"); }

int main(int argc, char** argv) {
    int prov = 0, rank = 0, size = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Config cfg;
    for (int a = 1; a < argc; ++a) {
        if (!std::strcmp(argv[a], "-n") && a + 1 < argc) cfg.nLocal = std::atoi(argv[++a]);
        else if (!std::strcmp(argv[a], "-s") && a + 1 < argc) cfg.nSteps = std::atoi(argv[++a]);
        else if (!std::strcmp(argv[a], "-k") && a + 1 < argc) cfg.degree = std::atoi(argv[++a]);
        else if (!std::strcmp(argv[a], "-q")) cfg.quiet = true;
        else { usage(); MPI_Finalize(); return 1; }
    }
    Network net(cfg, rank, size);
    net.build();
    Plasticity plast(net, 2000, 1500);
    Recorder rec(net, 1200, 60, 120);
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = MPI_Wtime();
    double lfp = 0, dev = 0, spread = 0, mode = 0;
    for (long s = 0; s < cfg.nSteps; ++s) {
        net.poisson(s);
        net.update(s);
        net.exchange();
        net.deliver(s);
        net.decayTraces();
        plast.stdp();
        plast.gap();
        plast.diffuse();
        if (s % 5 == 0) plast.homeostasis(0.3);
        rec.sample(s);
        rec.covariance();
        lfp = rec.lfp();
        dev = rec.windowMean();
        spread = rec.rateSpread();
        rec.turn();
        mode = plast.columnNorm();
        rec.appendOrdered(s, rank, size);
        rec.report(s, rank);
    }
    double loc[4] = {lfp, dev, spread, mode}, glo[4];
    MPI_Reduce(loc, glo, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("spikes here %ld  lfp %.3f dev %.3f spread %.4f mode %.3f  %.3f s\n", net.nspikes, glo[0], glo[1], glo[2], glo[3],
                    MPI_Wtime() - t0);
    MPI_Finalize();
    return 0;
}
