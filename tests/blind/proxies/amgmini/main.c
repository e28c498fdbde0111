#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "amg.h"

int main(int argc, char **argv)
{
    int nx = 48, ny = 48, nz = 32, lev = 4, rep = 2, prov, nthr = 1;
    double eps = 1.0, res;
    amg_t *m = calloc(1, sizeof *m);

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    for (int a = 1; a + 1 < argc; a += 2) {
        if (!strcmp(argv[a], "-nx")) nx = ny = atoi(argv[a+1]);
        if (!strcmp(argv[a], "-nz")) nz = atoi(argv[a+1]);
        if (!strcmp(argv[a], "-l")) lev = atoi(argv[a+1]);
        if (!strcmp(argv[a], "-eps")) eps = atof(argv[a+1]);
        if (!strcmp(argv[a], "-rep")) rep = atoi(argv[a+1]);
    }
    m->comm = MPI_COMM_WORLD;
    MPI_Comm_rank(m->comm, &m->rank);
    MPI_Comm_size(m->comm, &m->size);
    m->lo = m->rank > 0 ? m->rank - 1 : MPI_PROC_NULL;
    m->hi = m->rank < m->size - 1 ? m->rank + 1 : MPI_PROC_NULL;
    #pragma omp parallel
    {
        #pragma omp master
        nthr = omp_get_num_threads();
    }

    double t0 = MPI_Wtime();
    amg_setup(m, nx, ny, nz, lev, eps);
    double ts = MPI_Wtime() - t0, q = tv_check(m, 6);

    int n = m->L[0].n;
    double *b = malloc(n*sizeof(double)), *x = malloc(n*sizeof(double));
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        b[i] = sin(0.01*(i + m->rank*n)) + 0.1;
        x[i] = 0.0;
    }
    double xn = 0.0, err = 0.0, tsol = 0.0;
    int it = 0;
    for (int k = 0; k < rep; k++) {
        MPI_Barrier(m->comm);
        t0 = MPI_Wtime();
        it = amg_pcg(m, b, x, 1e-8, 100, &res);
        tsol += MPI_Wtime() - t0;

        /* independent check of the answer */
        double *ax = m->L[0].t;
        par_mv(m, &m->L[0], x, ax);
        err = 0.0;
        #pragma omp parallel for
        for (int i = 0; i < n; i++) {
            double e = fabs(b[i] - ax[i]);
            #pragma omp critical
            if (e > err) err = e;
        }
        xn = vec_maxabs(x, n);
    }
    double loc[2] = { err, xn }, glob[2];
    MPI_Reduce(loc, glob, 2, MPI_DOUBLE, MPI_MAX, 0, m->comm);
    if (m->rank == 0)
        printf("ranks %d threads %d: it %d rel.res %.2e maxerr %.2e |x| %.4e  quality %.4f setup %.3f s solve %.3f s wait %.3f s\n",
               m->size, nthr, it, res, glob[0], glob[1], q, ts, tsol/rep, m->wait_time);
    free(b); free(x);
    amg_free(m);
    free(m);
    MPI_Finalize();
    return 0;
}
