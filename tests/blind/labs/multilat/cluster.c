#include "lattice.h"
#include <math.h>
#include <stdlib.h>
#include <omp.h>

static bond *bd;
static clus *cl;
static char *flip;

static int find(int s)
{
    while (cl[s].root != s) {
        cl[s].root = cl[cl[s].root].root;
        s = cl[s].root;
    }
    return s;
}

/* embedded Ising clusters: bonds in parallel, merging in one pass */
void cluster_move(replica *r)
{
    if (!bd) {
        bd = malloc(3 * V * sizeof *bd);
        cl = calloc(V, sizeof *cl);
        flip = malloc(V);
    }
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
#pragma omp for schedule(static) nowait
        for (long s = 0; s < V; s++)
            for (int d = 0; d < 3; d++) {
                bond *b = bd + 3 * s + d;
                double p = 2.0 * r->beta * r->J[d][s] * r->phi[s] * r->phi[up[d][s]];
                b->site = up[d][s];
                b->dir = (char)d;
                b->sign = p > 0.0;
                b->w = p > 0.0 ? 1.0 - exp(-p) : 0.0;
                b->active = uran_t(me) < b->w;
            }
#pragma omp for schedule(static)
        for (long s = 0; s < V; s++) {
            cl[s].root = (int)s;
            cl[s].size = 1;
        }
    }
    for (long s = 0; s < V; s++)
        for (int d = 0; d < 3; d++)
            if (bd[3 * s + d].active) {
                int a = find((int)s), b = find(bd[3 * s + d].site);
                if (a != b) {
                    cl[b].root = a;
                    cl[a].size += cl[b].size;
                }
            }
    for (long s = 0; s < V; s++)
        if (cl[s].root == s)
            flip[s] = uran() < 0.5;
    for (long s = 0; s < V; s++)
        cl[s].root = find((int)s);
#pragma omp parallel for schedule(static)
    for (long s = 0; s < V; s++)
        if (flip[cl[s].root])
            r->phi[s] = -r->phi[s];
}
