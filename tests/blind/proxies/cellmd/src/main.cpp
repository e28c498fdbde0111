#include "analysis.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv)
{
    int prov;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    md::Params p;
    for (int a = 1; a + 1 < argc; a += 2) {
        if (!std::strcmp(argv[a], "--cells")) p.cells = std::atoi(argv[a+1]);
        else if (!std::strcmp(argv[a], "--steps")) p.steps = std::atoi(argv[a+1]);
        else if (!std::strcmp(argv[a], "--every")) p.every = std::atoi(argv[a+1]);
    }
    {
        md::System s(MPI_COMM_WORLD, p);
        s.create();
        s.borders();
        s.build_list();
        s.force();
        Analysis an(s, 200, 64);
        std::vector<double> pz;
        double t0 = MPI_Wtime(), peak = 0, cov = 0;
        for (int it = 0; it < p.steps; ++it) {
            s.step(it);
            if (it % 2 == 0) { an.remember(s); cov = an.covariance(s, 400); }
            if (it % p.every == 0) {
                an.rdf(s);
                an.density(s);
                an.blur(3);
                peak = an.profile(pz);
                // profiles of all slabs for the log
                if (s.rank == 0) {
                    std::vector<double> all(pz.size()*s.size);
                    std::copy(pz.begin(), pz.end(), all.begin());
                    for (int r = 1; r < s.size; ++r)
                        MPI_Recv(&all[r*pz.size()], int(pz.size()), MPI_DOUBLE, r, 99, s.comm, MPI_STATUS_IGNORE);
                    double m = 0;
                    for (double v : all) m += v;
                    std::printf("step %4d  pe %.4f ke %.4f vir %.3f ksp %.4f  mass %.0f peak %.1f builds %d\n",
                                it, s.sum.pe/s.natoms, s.sum.ke/s.natoms, s.sum.vir/s.natoms, s.sum.ekspace, m, peak, s.nbuild);
                } else
                    MPI_Send(pz.data(), int(pz.size()), MPI_DOUBLE, 0, 99, s.comm);
            }
        }
        MPI_Barrier(s.comm);
        double t = MPI_Wtime() - t0;
        auto c = an.vacf();
        std::vector<double> g;
        an.collect(s, g);
        if (s.rank == 0)
            std::printf("%ld atoms, %d steps, %.3f s, vacf %.4f -> %.4f, g[100] %.0f, cov %.3e\n", s.natoms, p.steps, t, c.empty() ? 0.0 : c.front(), c.empty() ? 0.0 : c.back(), g[100], cov);
    }
    MPI_Finalize();
    return 0;
}
