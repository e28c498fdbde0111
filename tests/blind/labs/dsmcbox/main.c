#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dsmc.h"

static int opt(int argc, char **argv, const char *key, int def)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], key))
            return atoi(argv[i + 1]);
    return def;
}

static void wait_for_go(const char *file)
{
    for (int t = 0; t < 20 && access(file, R_OK); t++)
        sleep(1);
}

int main(int argc, char **argv)
{
    static box b;
    double sum[NMOM], t0, tp[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.np);
    int steps = opt(argc, argv, "-steps", 500), sweeps = opt(argc, argv, "-sweeps", 3), ppc = opt(argc, argv, "-ppc", 20);
    if (opt(argc, argv, "-wait", 0))
        wait_for_go("go");
    b.nx = opt(argc, argv, "-nx", 120) / b.np;
    b.ny = opt(argc, argv, "-ny", 80);
    b.nz = opt(argc, argv, "-nz", 80);
    b.h = 1e-3;
    b.lx = b.h * b.nx;
    b.ly = b.h * b.ny;
    b.lz = b.h * b.nz;
    b.x0 = b.lx * b.rank;
    b.dt = 5e-7;
    b.fnum = 1e10;
    b.left = b.rank ? b.rank - 1 : MPI_PROC_NULL;
    b.right = b.rank < b.np - 1 ? b.rank + 1 : MPI_PROC_NULL;
    init_box(&b, ppc);
    index_particles(&b);
    sort_particles(&b);

    MPI_Barrier(MPI_COMM_WORLD);
    t0 = MPI_Wtime();
    for (int it = 1; it <= steps; it++) {
        double t = MPI_Wtime();
        fly_field(&b);
        move_all(&b);
        tp[0] += MPI_Wtime() - t;
        migrate(&b);
        index_particles(&b);
        sort_particles(&b);
        t = MPI_Wtime();
        collide_all(&b);
        tp[1] += MPI_Wtime() - t;
        sample_cells(&b);
        average_cells(&b, 1.0 / (it < 100 ? it : 100));
        smooth_density(&b, sweeps);
        update_vrmax(&b);
        velocity_plane(&b);
        wall_decay(&b, 0.999);
        conserve(&b, sum);
        report_load(&b, it);
        if (it % 50 == 0 || it == steps)
            if (b.rank == 0)
                printf("%6d n %.0f px %.5e E %.6e coll %ld cand %ld\n", it, sum[0], sum[1], sum[4], b.ncoll, b.ncand);
    }
    double w[2] = {MPI_Wtime() - t0, tp[1]}, wmax[2];
    MPI_Reduce(w, wmax, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (b.rank == 0)
        printf("wall %.3f s, collisions %.3f s, %d threads\n", wmax[0], wmax[1], omp_get_max_threads());
    dump_slice(&b, "density.bin");
    MPI_Finalize();
    return 0;
}
