#include "star.hpp"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int main(int argc, char** argv) {
    int prov;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    star::Params par;
    if (argc > 1) par.n = std::atoi(argv[1]);
    if (argc > 2) par.nsteps = std::atoi(argv[2]);
    if (argc > 3) par.useTable = std::atoi(argv[3]) != 0;
    star::Domain dom(par.n, par.box);
    if (par.n % dom.size) {
        if (dom.rank == 0) std::fprintf(stderr, "n must be a multiple of the number of ranks\n");
        MPI_Finalize();
        return 1;
    }
    for (int tries = 0; tries < 5 && access("starhydro.lock", F_OK) == 0; ++tries) sleep(1);
    star::Hydro hydro(par, dom);
    star::Multigrid grav(dom);
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = MPI_Wtime();
    double time = 0.0, below = 0.0;
    for (int s = 0; s < par.nsteps; ++s) {
        const int cycles = grav.solve(hydro.u[0], par.gconst, 1e-5);
        const double dt = hydro.timestep();
        hydro.step(dt, grav.phi());
        hydro.moveTracers(dt);
        time += dt;
        const star::Totals t = star::totals(hydro, grav.phi(), dom);
        below = dom.enclosedBelow(t.mass / dom.size);
        star::radialProfile(hydro, dom, s);
        if (dom.rank == dom.size - 1 && par.verbose && s % 10 == 0)
            std::printf("%5d t %.4e dt %.2e mg %d mass %.6f etot %.5f epot %.5f enuc %.3e below %.3f\n", s, time, dt, cycles, t.mass,
                        t.etot, t.epot, t.enuc, below);
    }
    if (dom.rank == 0) std::printf("elapsed %.3f s\n", MPI_Wtime() - t0);
    MPI_Finalize();
    return 0;
}
