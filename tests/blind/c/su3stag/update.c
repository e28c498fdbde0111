/* update.c: molecular dynamics of the gauge field (schematic) */
#include "lattice.h"

void refresh_mom(void)
{
  int i, d, j;
  site *s;
  double *m;
  FORALLSITES(i, s)
    for (d = 0; d < 4; d++)
      for (m = (double *) &s->mom[d], j = 0; j < 9; j++) m[j] = gaussr(s);
}

static void add_staple(int mu, int nu, su3_matrix *bnd)
{
  int i;
  su3_matrix t1, t2;
  msg_tag *a, *b;
  a = start_gather_site(F_OFFSET(link[nu]), sizeof(su3_matrix), mu, EVENANDODD, gen_pt[0]);
  b = start_gather_site(F_OFFSET(link[mu]), sizeof(su3_matrix), nu, EVENANDODD, gen_pt[1]);
  wait_gather(a);
  wait_gather(b);
#pragma omp parallel for schedule(static)
  for (i = 0; i < sites_on_node; i++) {
    su3_matrix *l2 = (su3_matrix *) gen_pt[0][i], *l3 = (su3_matrix *) gen_pt[1][i];
    int r, c;
    mult_su3_nn(&lattice[i].link[nu], l3, &t1);
    mult_su3_na(&t1, l2, &t2);
    for (r = 0; r < 3; r++)
      for (c = 0; c < 3; c++) CSUM(lattice[i].staple.e[r][c], t2.e[r][c]);
  }
  cleanup_gather(a);
  cleanup_gather(b);
  (void) bnd;
}

static void update_h(double dt)
{
  int mu, nu, i;
  su3_matrix *bnd = (su3_matrix *) malloc(nx*ny*nz*sizeof(su3_matrix));
  for (mu = 0; mu < 4; mu++) {
    FORALLSITES_OMP(i, schedule(static))
      memset(&lattice[i].staple, 0, sizeof(su3_matrix));
    for (nu = 0; nu < 4; nu++) {
      if (nu == mu) continue;
      if (nu == TUP) {
        int up = (this_node+1)%number_of_nodes, dn = (this_node+number_of_nodes-1)%number_of_nodes;
        send_column(F_OFFSET(link[TUP]), sizeof(su3_matrix), up, dn, (char *) bnd);
      }
      add_staple(mu, nu, bnd);
    }
    FORALLSITES_OMP(i, schedule(static)) {
      site *s = &lattice[i];
      double f = dt*beta_g/3.0;
      su3_matrix m;
      mult_su3_na(&s->link[mu], &s->staple, &m);
      s->mom[mu].m01r -= 0.5*f*(m.e[0][1].real - m.e[1][0].real);
      s->mom[mu].m01i -= 0.5*f*(m.e[0][1].imag + m.e[1][0].imag);
      s->mom[mu].m02r -= 0.5*f*(m.e[0][2].real - m.e[2][0].real);
      s->mom[mu].m02i -= 0.5*f*(m.e[0][2].imag + m.e[2][0].imag);
      s->mom[mu].m12r -= 0.5*f*(m.e[1][2].real - m.e[2][1].real);
      s->mom[mu].m12i -= 0.5*f*(m.e[1][2].imag + m.e[2][1].imag);
    }
  }
  free(bnd);
}

static void update_u(double dt)
{
  int i;
  FORALLSITES_OMP(i, schedule(dynamic,1)) {
    site *s = &lattice[i];
    int d, r, c;
    for (d = 0; d < 4; d++) {
      anti_hermitmat *h = &s->mom[d];
      su3_matrix a, t;
      memset(&a, 0, sizeof(a));
      a.e[0][1].real = h->m01r;  a.e[0][1].imag = h->m01i;
      a.e[1][0].real = -h->m01r; a.e[1][0].imag = h->m01i;
      a.e[0][2].real = h->m02r;  a.e[0][2].imag = h->m02i;
      a.e[2][0].real = -h->m02r; a.e[2][0].imag = h->m02i;
      a.e[1][2].real = h->m12r;  a.e[1][2].imag = h->m12i;
      a.e[2][1].real = -h->m12r; a.e[2][1].imag = h->m12i;
      mult_su3_nn(&a, &s->link[d], &t);
      for (r = 0; r < 3; r++) for (c = 0; c < 3; c++) {
        s->link[d].e[r][c].real += dt*t.e[r][c].real;
        s->link[d].e[r][c].imag += dt*t.e[r][c].imag;
      }
    }
  }
}

void reunitarize(void)
{
  int i, dir;
  site *s;
  for (dir = XUP; dir <= TUP; dir++) {
    FORALLSITES(i, s)
      reunit_su3(&s->link[dir]);
  }
}

void update(int nsteps)
{
  int k;
  refresh_mom();
  for (k = 0; k < nsteps; k++) {
    update_u(0.5*eps);
    update_h(eps);
    update_u(0.5*eps);
    if (k % 2 == 1) reunitarize();
  }
  reunitarize();
}
