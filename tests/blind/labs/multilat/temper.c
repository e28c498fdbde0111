#include "lattice.h"
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* Energies of the ladder are collected on rank 0, which draws the swaps and
 * hands the new order of the temperatures on. */
static void collect(replica *r, int n, int me, int np, double *e)
{
    for (int k = 0; k < n; k++)
        e[r[k].slot] = r[k].energy;
    double *t = malloc(2 * n * sizeof *t);
    for (int k = 0; k < n; k++) {
        t[2 * k] = r[k].slot;
        t[2 * k + 1] = r[k].energy;
    }
    if (me)
        MPI_Send(t, 2 * n, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
    for (int p = 1; me == 0 && p < np; p++) {
        MPI_Recv(t, 2 * n, MPI_DOUBLE, p, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < n; k++)
            e[(int)t[2 * k]] = t[2 * k + 1];
    }
    free(t);
}

static void hand_on(int *perm, int total, int me, int np)
{
    if (me > 0)
        MPI_Recv(perm, total, MPI_INT, me - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me < np - 1)
        MPI_Send(perm, total, MPI_INT, me + 1, 6, MPI_COMM_WORLD);
}

/* the coldest replica shows its field to the next rank, which keeps the mean */
static void share_field(replica *r, int me, int np, double *slice)
{
    MPI_Request q[2];
    const int to = (me + 1) % np, from = (me + np - 1) % np;
    MPI_Irecv(r->tmp, (int)V, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(r->phi, (int)V, MPI_DOUBLE, to, 7, MPI_COMM_WORLD, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    timeslices(r, slice);
#pragma omp parallel for schedule(static)
    for (long s = 0; s < V; s++)
        r->sm[s] = 0.5 * (r->sm[s] + r->tmp[s]);
}

void swap_replicas(replica *r, int n, int step, int me, int np)
{
    const int total = n * np;
    double *e = malloc(total * sizeof *e), *slice = malloc(L * sizeof *slice);
    int *perm = malloc(total * sizeof *perm);
    collect(r, n, me, np, e);
    for (int i = 0; i < total; i++)
        perm[i] = i;
    if (me == 0)
        for (int i = step & 1; i + 1 < total; i += 2) {
            double db = (par.bmax - par.bmin) / (total > 1 ? total - 1 : 1);
            if (uran() < exp(db * (e[i + 1] - e[i]))) {
                perm[i] = i + 1;
                perm[i + 1] = i;
            }
        }
    hand_on(perm, total, me, np);
    for (int k = 0; k < n; k++) {
        r[k].slot = perm[r[k].slot];
        r[k].beta = par.bmin + (par.bmax - par.bmin) * r[k].slot / (total > 1 ? total - 1 : 1);
    }
    share_field(&r[n - 1], me, np, slice);
    free(e);
    free(slice);
    free(perm);
}

/* operator can stop the run with a file; give the file system a moment */
void check_stop(int me, int *stop)
{
    struct stat st;
    struct timespec nap = {0, 2000000};
    if (me == 0) {
        nanosleep(&nap, NULL);
        *stop = stat("STOP", &st) == 0;
    }
    MPI_Bcast(stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
