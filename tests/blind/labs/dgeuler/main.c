#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "dgeuler.h"

static const double rka[3] = {0.0, -5.0 / 9.0, -153.0 / 128.0};
static const double rkb[3] = {1.0 / 3.0, 15.0 / 16.0, 8.0 / 15.0};

/* one step of Williamson's low storage RK3 */
static void step(double dt, MPI_Request *req)
{
    double ca = 0.0, cb = 0.0;
    for (int s = 0; s < 3; s++) {
        traces_pack();
        int nr = traces_post(req);
        MPI_Waitall(nr, req, MPI_STATUSES_IGNORE);
#pragma omp parallel
        {
            for (int m = 0; m < nblk; m++) rhs_block(blk + m);
#pragma omp barrier
#pragma omp single
            {
                ca = rka[s];
                cb = rkb[s];
            }
            for (int m = 0; m < nblk; m++) {
                block_t *b = blk + m;
#pragma omp for
                for (int en = 0; en < b->ne * NN; en++)
                    for (int v = 0; v < NV; v++) {
                        const size_t o = (size_t)v * b->ne * NN + en;
                        b->res[o] = ca * b->res[o] + dt * b->rhs[o];
                        b->q[o] += cb * b->res[o];
                    }
            }
        }
        averages();
        limiter();
        positivity();
    }
}

int main(int argc, char **argv)
{
    int nex = 64, ney = 64, nb = 2, nstep = 200, prov;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nrank);
    if (argc > 1) nex = ney = atoi(argv[1]);
    if (argc > 2) nstep = atoi(argv[2]);
    if (nb * nex * N > IMGW) MPI_Abort(MPI_COMM_WORLD, 2);
    basis_init();
    blocks_init(nb, nex, ney);
    probes_init();
    averages();
    exchange_bar();
    MPI_Request *req = malloc(4 * NV * ney * sizeof *req);
    double *prof = calloc(IMGW, sizeof *prof), t = 0.0, lam = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    double t0 = MPI_Wtime();
    for (int k = 0; k < nstep; k++) {
        double s = max_speed(), smax;
        MPI_Allreduce(&s, &smax, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        double dt = 0.5 * blk[0].dx / (smax * (2 * N - 1));
        step(dt, req);
        t += dt;
        vorticity();
        raster();
        raster_smooth(0);
        raster_smooth(1);
        raster_products(prof);
        pod_add();
        if (k % 4 == 3) pod_gram(&lam);
        probes_flush(t);
        s = entropy();
        if (k % 20 == 0) {
            double tot;
            MPI_Reduce(&s, &tot, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
            if (rank == 0) printf("%5d t %.5f dt %.3e entropy %.8f lam %.4f prof %.5f trouble %d\n", k, t, dt, tot, lam, prof[0], blk[0].ntrouble);
        }
    }
    if (rank == 0) printf("time %.3f\n", MPI_Wtime() - t0);
    free(req);
    free(prof);
    MPI_Finalize();
    return 0;
}
