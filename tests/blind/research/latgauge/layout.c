#include "lattice.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nx, ny, nz, nt, ntl, slab, volume, this_node, num_nodes, node_up, node_dn;
site *lattice;
su3_matrix *links[4];
int *nbr_up[4], *nbr_dn[4], *sweep;
hop_t *hops;

#define WRAP(a, n) (((a) + (n)) % (n))

static void make_hops(void)
{
    int i; site *s;
    FORALLSITES(i, s) {
        const int eta[4] = {1, s->x & 1 ? -1 : 1, (s->x + s->y) & 1 ? -1 : 1, (s->x + s->y + s->z) & 1 ? -1 : 1};
        FORALLDIR(mu) {
            hop_t *f = &hops[8 * i + 2 * mu], *b = f + 1;
            f->dag = 0; b->dag = 1;
            f->mu = b->mu = mu;
            f->phase = 0.5 * eta[mu]; b->phase = -0.5 * eta[mu];
            f->from = nbr_up[mu][i + slab]; b->from = nbr_dn[mu][i + slab];
            f->bc = mu == TUP && s->t == nt - 1 ? -1.0 : 1.0;
            b->bc = mu == TUP && s->t == 0 ? -1.0 : 1.0;
        }
    }
}

void setup_layout(int lx, int ly, int lz, int lt)
{
    nx = lx; ny = ly; nz = lz; nt = lt;
    MPI_Comm_size(MPI_COMM_WORLD, &num_nodes);
    MPI_Comm_rank(MPI_COMM_WORLD, &this_node);
    ntl = nt / num_nodes; slab = nx * ny * nz; volume = slab * ntl;
    node_up = (this_node + 1) % num_nodes;
    node_dn = (this_node + num_nodes - 1) % num_nodes;
    if (nt % num_nodes || volume > PLANE) {
        NODE0 fprintf(stderr, "bad lattice size\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const int ext = volume + 2 * slab;
    lattice = calloc(volume, sizeof(site));
    sweep = malloc(volume * sizeof(int));
    hops = malloc(8 * (size_t)volume * sizeof(hop_t));
    FORALLDIR(mu) {
        links[mu] = calloc(ext, sizeof(su3_matrix));
        nbr_up[mu] = malloc(ext * sizeof(int));
        nbr_dn[mu] = malloc(ext * sizeof(int));
    }
    for (int e = 0; e < ext; e++) {
        const int t = e / slab, r = e % slab, z = r / (nx * ny), y = r / nx % ny, x = r % nx, o = e - r;
        nbr_up[XUP][e] = o + SITE(WRAP(x + 1, nx), y, z, 0); nbr_dn[XUP][e] = o + SITE(WRAP(x - 1, nx), y, z, 0);
        nbr_up[YUP][e] = o + SITE(x, WRAP(y + 1, ny), z, 0); nbr_dn[YUP][e] = o + SITE(x, WRAP(y - 1, ny), z, 0);
        nbr_up[ZUP][e] = o + SITE(x, y, WRAP(z + 1, nz), 0); nbr_dn[ZUP][e] = o + SITE(x, y, WRAP(z - 1, nz), 0);
        nbr_up[TUP][e] = t <= ntl ? e + slab : -1; nbr_dn[TUP][e] = t > 0 ? e - slab : -1;
    }
    int n = 0;
    for (int x = 0; x < nx; x++)
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < nz; z++)
                for (int t = 0; t < ntl; t++) {
                    const int i = SITE(x, y, z, t);
                    site *s = &lattice[i];
                    s->x = x; s->y = y; s->z = z; s->t = t + this_node * ntl;
                    s->parity = (x + y + z + s->t) & 1 ? ODD : EVEN;
                    s->index = i;
                    s->seed = 88172645463325252ULL + 7919ULL * (i + (unsigned long long)this_node * volume);
                    sweep[n++] = i;
                }
    make_hops();
}

double site_random(site *s)
{
    s->seed ^= s->seed << 13; s->seed ^= s->seed >> 7; s->seed ^= s->seed << 17;
    return (double)(s->seed >> 11) / 9007199254740992.0;
}

/* random links near one, Gram-Schmidt on the rows */
void hot_start(double eps)
{
    int i; site *s;
    FORALLSITES(i, s) FORALLDIR(mu) {
        su3_matrix *u = &G(mu, i);
        for (int r = 0; r < 2; r++) {
            double n = 0;
            for (int c = 0; c < 3; c++) {
                u->e[r][c].real = (r == c) + eps * (site_random(s) - 0.5);
                u->e[r][c].imag = eps * (site_random(s) - 0.5);
            }
            if (r == 1) {
                cplx_t d = {0, 0};
                for (int c = 0; c < 3; c++) CMULJADD(d, u->e[0][c], u->e[1][c]);
                d.real = -d.real; d.imag = -d.imag;
                for (int c = 0; c < 3; c++) CMULADD(u->e[1][c], d, u->e[0][c]);
            }
            for (int c = 0; c < 3; c++) n += u->e[r][c].real * u->e[r][c].real + u->e[r][c].imag * u->e[r][c].imag;
            n = 1.0 / sqrt(n);
            for (int c = 0; c < 3; c++) { u->e[r][c].real *= n; u->e[r][c].imag *= n; }
        }
        for (int c = 0; c < 3; c++) {
            const cplx_t *a = u->e[0], *b = u->e[1];
            const int p = (c + 1) % 3, q = (c + 2) % 3;
            u->e[2][c].real = a[p].real * b[q].real - a[p].imag * b[q].imag - a[q].real * b[p].real + a[q].imag * b[p].imag;
            u->e[2][c].imag = -(a[p].real * b[q].imag + a[p].imag * b[q].real - a[q].real * b[p].imag - a[q].imag * b[p].real);
        }
    }
}
