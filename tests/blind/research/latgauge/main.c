#include "lattice.h"
#include <stdio.h>
#include <stdlib.h>

/* point source at the origin */
static void point_source(void)
{
    int i; site *s;
    FORALLSITES(i, s) {
        for (int c = 0; c < 3; c++) s->phi.c[c].real = s->phi.c[c].imag = s->xxx.c[c].real = s->xxx.c[c].imag = 0.0;
        if (s->x == 0 && s->y == 0 && s->z == 0 && s->t == 0) s->phi.c[0].real = 1.0;
    }
}

int main(int argc, char **argv)
{
    double ss, st, fin, e, peak, ov, mass = 0.2;
    double complex pl;
    MPI_Init(&argc, &argv);
    const int ls = argc > 1 ? atoi(argv[1]) : 6, lt = argc > 2 ? atoi(argv[2]) : 8, nstep = argc > 3 ? atoi(argv[3]) : 4;
    setup_layout(ls, ls, ls, lt);
    hot_start(0.8);
    exchange_links();
    double *corr = malloc(nt * sizeof *corr);
    double *dens = calloc(volume + 2 * slab, sizeof *dens);
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = MPI_Wtime();

    for (int step = 0; step < nstep; step++) {
        plaquette(&ss, &st);
        flow_step(0.05);
        e = energy_density(dens);
        peak = smear_density(dens, 3);
        exchange_links();
        ploop(&pl);
        point_source();
        const int it = ks_congrad(mass, 300, 1e-6, &fin);
        spectrum(corr);
        ov = noise_block();
        NODE0 printf("%3d plaq %.6f %.6f E %.5f peak %.3f ploop %8.5f %8.5f cg %d %.1e overlap %.3f corr %.4e %.4e\n",
                     step, ss, st, e, peak, creal(pl), cimag(pl), it, fin, ov, corr[1], corr[nt / 2]);
    }
    NODE0 {
        printf("time %.3f s on %d nodes\n", MPI_Wtime() - t0, num_nodes);
        for (int r = 0; r < 3; r++, printf("\n"))
            for (int c = 0; c < 3; c++) printf(" (%8.5f,%8.5f)", G(XUP, 0).e[r][c].real, G(XUP, 0).e[r][c].imag);
    }
    if (argc > 4) save_lattice(argv[4]);
    MPI_Finalize();
    return 0;
}
