/* setup.c: lattice layout, gather tables, start configuration */
#include "lattice.h"

int node_index(int x, int y, int z, int tl)
{
  int i = x + nx*(y + ny*(z + nz*tl));
  int par = (x + y + z + tl + ntl*this_node) & 1;
  return par ? (i + sites_on_node)/2 : i/2;
}

double myrand(site *s)
{
  s->seed = s->seed*1664525u + 1013904223u;
  return (s->seed >> 8)/16777216.0;
}

double gaussr(site *s)
{
  double r = sqrt(-2.0*log(myrand(s) + 1e-9));
  return r*cos(6.283185307179586*myrand(s));
}

static void make_lattice(void)
{
  int x, y, z, t, i, d, a;
  lattice = (site *) malloc(sites_on_node*sizeof(site));
  for (t = 0; t < ntl; t++) for (z = 0; z < nz; z++) for (y = 0; y < ny; y++) for (x = 0; x < nx; x++) {
    site *s = &lattice[i = node_index(x, y, z, t)];
    s->x = x; s->y = y; s->z = z; s->t = t + ntl*this_node;
    s->parity = (s->x + s->y + s->z + s->t) & 1 ? ODD : EVEN;
    s->index = i;
    s->seed = 7777u + 69069u*(x + nx*(y + ny*(z + nz*s->t)));
    s->phase[XUP] = 1.0;
    s->phase[YUP] = x & 1 ? -1.0 : 1.0;
    s->phase[ZUP] = (x + y) & 1 ? -1.0 : 1.0;
    s->phase[TUP] = ((x + y + z) & 1 ? -1.0 : 1.0)*(s->t == nt-1 ? -1.0 : 1.0);
    for (d = 0; d < 4; d++) {
      memset(&s->link[d], 0, sizeof(su3_matrix));
      for (a = 0; a < 3; a++) s->link[d].e[a][a].real = 1.0;
      s->link[d].e[0][1].real = 0.1*(myrand(s) - 0.5);
      s->link[d].e[1][2].imag = 0.1*(myrand(s) - 0.5);
      reunit_su3(&s->link[d]);
    }
  }
  for (d = 0; d < 8; d++) {
    tmpv[d] = (su3_vector *) malloc(sites_on_node*sizeof(su3_vector));
    FORALLSITES_OMP(i, schedule(static))
      memset(&tmpv[d][i], 0, sizeof(su3_vector));
  }
}

/* nbr >= 0: local site; otherwise -1-k with k the place in the boundary */
static void make_gather(void)
{
  int d, x, y, z, t, i, k, c[4], ext[4];
  ext[0] = nx; ext[1] = ny; ext[2] = nz; ext[3] = ntl;
  for (d = 0; d < 8; d++) {
    nbr[d] = (int *) malloc(sites_on_node*sizeof(int));
    gen_pt[d] = (char **) malloc(sites_on_node*sizeof(char *));
    for (x = 0; x < nx; x++) for (y = 0; y < ny; y++) for (z = 0; z < nz; z++)
      for (t = 0; t < ntl; t++) {
        int dd = d < 4 ? d : OPP_DIR(d);
        c[0] = x; c[1] = y; c[2] = z; c[3] = t;
        c[dd] += d < 4 ? 1 : -1;
        i = node_index(x, y, z, t);
        if (dd == TUP && (c[3] < 0 || c[3] >= ntl)) {
          k = x + nx*(y + ny*z);
          nbr[d][i] = -1 - k;
          continue;
        }
        c[dd] = (c[dd] + ext[dd]) % ext[dd];
        nbr[d][i] = node_index(c[0], c[1], c[2], c[3]);
      }
  }
}

void setup(int argc, char **argv)
{
  int ib[2];
  double db[3];
  if (this_node == 0) {
    ib[0] = argc > 1 ? atoi(argv[1]) : 8;
    ib[1] = argc > 2 ? atoi(argv[2]) : 8;
    db[0] = 0.2; db[1] = 5.6; db[2] = 0.02;
  }
  MPI_Bcast(ib, 2, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(db, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  nx = ny = nz = ib[0];
  nt = ib[1];
  mass = db[0]; beta_g = db[1]; eps = db[2];
  ntl = nt/number_of_nodes;
  if (ntl*number_of_nodes != nt || (ntl & 1) || (nx & 1)) {
    if (!this_node) printf("bad layout\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  volume = nx*ny*nz*nt;
  sites_on_node = nx*ny*nz*ntl;
  even_sites_on_node = sites_on_node/2;
  make_lattice();
  make_gather();
}
