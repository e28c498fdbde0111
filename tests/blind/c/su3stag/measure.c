/* measure.c */
#include "lattice.h"

void plaquette(double *ss, double *st)
{
  int mu, nu, i;
  double sum[2] = {0.0, 0.0};
  msg_tag *a, *b;
  for (mu = 1; mu < 4; mu++) for (nu = 0; nu < mu; nu++) {
    a = start_gather_site(F_OFFSET(link[nu]), sizeof(su3_matrix), mu, EVENANDODD, gen_pt[0]);
    b = start_gather_site(F_OFFSET(link[mu]), sizeof(su3_matrix), nu, EVENANDODD, gen_pt[1]);
    wait_gather(a);
    wait_gather(b);
#pragma omp parallel for
    for (i = 0; i < sites_on_node; i++) {
      su3_matrix t1, t2;
      double p;
      mult_su3_nn(&lattice[i].link[nu], (su3_matrix *) gen_pt[1][i], &t1);
      mult_su3_nn(&lattice[i].link[mu], (su3_matrix *) gen_pt[0][i], &t2);
      p = realtrace_su3(&t2, &t1);
#pragma omp critical
      sum[mu == TUP] += p;
    }
    cleanup_gather(a);
    cleanup_gather(b);
  }
  g_vecdoublesum(sum, 2);
  *ss = sum[0]/(3.0*volume);
  *st = sum[1]/(3.0*volume);
}

/* psi-bar-psi and friends with a random source */
void pbp(double *res)
{
  int i, n1, n2;
  site *s;
  double re = 0, im = 0, xx = 0;
  su3_vector *b = (su3_vector *) malloc(2*sites_on_node*sizeof(su3_vector)), *x = b + sites_on_node;
  FORALLSITES(i, s) {
    int c;
    for (c = 0; c < 3; c++) { s->phi.c[c].real = gaussr(s); s->phi.c[c].imag = gaussr(s); }
    b[i] = s->phi;
  }
  n1 = congrad_site(8, 1e-8);
  n2 = congrad_field(b, x, 30, 1e-10);
  FORALLSITES(i, s) {
    int c;
    re += su3_rdot(&s->phi, &x[i]);
    xx += magsq_su3vec(&x[i]);
    for (c = 0; c < 3; c++)
      im += s->phi.c[c].real*x[i].c[c].imag - s->phi.c[c].imag*x[i].c[c].real;
  }
  g_doublesum(&re);
  g_doublesum(&im);
  g_doublesum(&xx);
  res[0] = re/volume; res[1] = im/volume; res[2] = xx/volume; res[3] = n1 + 1000*n2;
  correlator(x, NULL);
  free(b);
}

void correlator(su3_vector *prop, double *corr)
{
  int x, y, z, t;
  double *c = (double *) calloc(nt, sizeof(double));
  for (x = 0; x < nx; x++) for (y = 0; y < ny; y++) for (z = 0; z < nz; z++)
    for (t = 0; t < ntl; t++)
      c[t + ntl*this_node] += magsq_su3vec(&prop[node_index(x, y, z, t)]);
  g_vecdoublesum(c, nt);
  if (corr) memcpy(corr, c, nt*sizeof(double));
  free(c);
}

/* Polyakov loop, local lines multiplied up node by node */
complex ploop(void)
{
  int x, y, z, t, k, nb = nx*ny*nz;
  su3_matrix *line = (su3_matrix *) malloc(nb*sizeof(su3_matrix)), m;
  su3_matrix *prev = (su3_matrix *) malloc(nb*sizeof(su3_matrix));
  double v[2] = {0, 0};
  complex c;
  for (k = 0, z = 0; z < nz; z++) for (y = 0; y < ny; y++) for (x = 0; x < nx; x++, k++) {
    line[k] = lattice[node_index(x, y, z, 0)].link[TUP];
    for (t = 1; t < ntl; t++) {
      mult_su3_nn(&line[k], &lattice[node_index(x, y, z, t)].link[TUP], &m);
      line[k] = m;
    }
  }
  /* ordered product over the nodes */
  if (this_node > 0) {
    MPI_Recv(prev, nb*sizeof(su3_matrix), MPI_BYTE, this_node-1, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (k = 0; k < nb; k++) { mult_su3_nn(&prev[k], &line[k], &m); line[k] = m; }
  }
  if (this_node < number_of_nodes-1)
    MPI_Send(line, nb*sizeof(su3_matrix), MPI_BYTE, this_node+1, 61, MPI_COMM_WORLD);
  else
    for (k = 0; k < nb; k++) for (t = 0; t < 3; t++) {
      v[0] += line[k].e[t][t].real;
      v[1] += line[k].e[t][t].imag;
    }
  g_vecdoublesum(v, 2);
  c.real = v[0]/nb;
  c.imag = v[1]/nb;
  free(line);
  free(prev);
  return c;
}

/* node 0 writes for all, one slice after another: memory of node 0 is limited */
void save_lattice(const char *fn)
{
  int n, i, cnt = sites_on_node*4;
  site *s;
  su3_matrix *b = (su3_matrix *) malloc(cnt*sizeof(su3_matrix));
  FILE *fp = this_node == 0 ? fopen(fn, "wb") : NULL;
  FORALLSITES(i, s) memcpy(b + 4*i, s->link, 4*sizeof(su3_matrix));
  if (this_node == 0) {
    if (fp) fwrite(b, sizeof(su3_matrix), cnt, fp);
    for (n = 1; n < number_of_nodes; n++) {
      MPI_Recv(b, cnt*sizeof(su3_matrix), MPI_BYTE, n, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (fp) fwrite(b, sizeof(su3_matrix), cnt, fp);
    }
    if (fp) fclose(fp);
  } else
    MPI_Send(b, cnt*sizeof(su3_matrix), MPI_BYTE, 0, 77, MPI_COMM_WORLD);
  free(b);
}
