/* congrad.c: staggered hopping term in two versions, conjugate gradient */
#include "lattice.h"

/* site version: field by field through the site record */
void dslash_site(size_t src, size_t dest, int par)
{
  int dir, i;
  int other = par == EVENANDODD ? EVENANDODD : (par == EVEN ? ODD : EVEN);
  int first = par == ODD ? even_sites_on_node : 0, last = par == EVEN ? even_sites_on_node : sites_on_node;
  int of = other == ODD ? even_sites_on_node : 0, ol = other == EVEN ? even_sites_on_node : sites_on_node;
  msg_tag *tag;

  for (i = first; i < last; i++)
    memset((char *) &lattice[i] + dest, 0, sizeof(su3_vector));
  for (dir = XUP; dir <= TUP; dir++) {
    tag = start_gather_site(src, sizeof(su3_vector), dir, par, gen_pt[dir]);
    wait_gather(tag);
#pragma omp parallel for schedule(static)
    for (i = first; i < last; i++) {
      su3_vector v, *d = (su3_vector *)((char *) &lattice[i] + dest);
      mult_su3_mat_vec(&lattice[i].link[dir], (su3_vector *) gen_pt[dir][i], &v);
      scalar_mult_add_su3_vector(d, &v, lattice[i].phase[dir], d);
    }
    cleanup_gather(tag);
#pragma omp parallel for schedule(static)
    for (i = of; i < ol; i++) {
      mult_adj_su3_mat_vec(&lattice[i].link[dir], (su3_vector *)((char *) &lattice[i] + src), &lattice[i].tempvec[dir]);
    }
    tag = start_gather_site(F_OFFSET(tempvec[dir]), sizeof(su3_vector), OPP_DIR(dir), par, gen_pt[OPP_DIR(dir)]);
    wait_gather(tag);
    for (i = first; i < last; i++) {
      su3_vector *d = (su3_vector *)((char *) &lattice[i] + dest);
      int k = nbr[OPP_DIR(dir)][i];
      double ph = k >= 0 ? lattice[k].phase[dir] : lattice[i].phase[dir];
      scalar_mult_add_su3_vector(d, (su3_vector *) gen_pt[OPP_DIR(dir)][i], -ph, d);
    }
    cleanup_gather(tag);
  }
}

/* field version, used by congrad_field */
void dslash_field(su3_vector *src, su3_vector *dest, int par)
{
  int dir, i;
  int first = par == ODD ? even_sites_on_node : 0, last = par == EVEN ? even_sites_on_node : sites_on_node;
  msg_tag *tag[8];

  for (dir = XUP; dir <= TUP; dir++)
    tag[dir] = start_gather_field(src, sizeof(su3_vector), dir, par, gen_pt[dir]);
#pragma omp parallel for private(dir) schedule(static)
  for (i = 0; i < sites_on_node; i++)
    for (dir = XUP; dir <= TUP; dir++)
      mult_adj_su3_mat_vec(&lattice[i].link[dir], &src[i], &tmpv[dir][i]);
  for (dir = XUP; dir <= TUP; dir++)
    tag[OPP_DIR(dir)] = start_gather_field(tmpv[dir], sizeof(su3_vector), OPP_DIR(dir), par, gen_pt[OPP_DIR(dir)]);
  for (dir = XUP; dir <= TUP; dir++)
    wait_gather(tag[dir]);
#pragma omp parallel for private(dir) schedule(static)
  for (i = first; i < last; i++) {
    su3_vector acc, v;
    memset(&acc, 0, sizeof(acc));
    for (dir = XUP; dir <= TUP; dir++) {
      mult_su3_mat_vec(&lattice[i].link[dir], (su3_vector *) gen_pt[dir][i], &v);
      scalar_mult_add_su3_vector(&acc, &v, lattice[i].phase[dir], &acc);
    }
    dest[i] = acc;
  }
  for (dir = TDOWN; dir <= XDOWN; dir++) wait_gather(tag[dir]);
#pragma omp parallel for private(dir) schedule(static)
  for (i = first; i < last; i++)
    for (dir = XUP; dir <= TUP; dir++) {
      int k = nbr[OPP_DIR(dir)][i];
      double ph = k >= 0 ? lattice[k].phase[dir] : lattice[i].phase[dir];
      scalar_mult_add_su3_vector(&dest[i], (su3_vector *) gen_pt[OPP_DIR(dir)][i], -ph, &dest[i]);
    }
  for (dir = 0; dir < 8; dir++) cleanup_gather(tag[dir]);
}

/* congrad.c: conjugate gradient for (4m^2 - D^2) x = b */

/* old version on the site record; xxx is the solution, phi the source */
int congrad_site(int itmax, double rsq)
{
  int it, i;
  site *s;
  double rn = 0, ro, pap, a, b, src = 0, part[MAXTHREADS];
  FORALLSITES(i, s) {
    memset(&s->xxx, 0, sizeof(su3_vector));
    s->resid = s->cg_p = s->phi;
    src += magsq_su3vec(&s->phi);
  }
  g_doublesum(&src);
  rn = src;
  for (it = 0; it < itmax && rn > rsq*src; it++) {
    dslash_site(F_OFFSET(cg_p), F_OFFSET(ttt), EVENANDODD);
    dslash_site(F_OFFSET(ttt), F_OFFSET(g_rand), EVENANDODD);
    memset(part, 0, sizeof(part));
#pragma omp parallel
    {
      int me = omp_get_thread_num(), j;
#pragma omp for schedule(static)
      for (j = 0; j < sites_on_node; j++) {
        site *q = &lattice[j];
        scalar_mult_add_su3_vector(&q->g_rand, &q->cg_p, -4.0*mass*mass, &q->g_rand);
        part[me] -= su3_rdot(&q->cg_p, &q->g_rand);
      }
    }
    for (pap = 0, i = 0; i < MAXTHREADS; i++) pap += part[i];
    g_doublesum(&pap);
    a = rn/pap;
    ro = rn;
    rn = 0;
    FORALLSITES(i, s) {
      scalar_mult_add_su3_vector(&s->xxx, &s->cg_p, a, &s->xxx);
      scalar_mult_add_su3_vector(&s->resid, &s->g_rand, a, &s->resid);
      rn += magsq_su3vec(&s->resid);
    }
    g_doublesum(&rn);
    b = rn/ro;
    FORALLSITES(i, s)
      scalar_mult_add_su3_vector(&s->resid, &s->cg_p, b, &s->cg_p);
  }
  return it;
}

int congrad_field(su3_vector *b, su3_vector *x, int itmax, double rsq)
{
  int it, n = sites_on_node;
  double rn = 0, ro = 0, pap, al = 0, be = 0, src;
  su3_vector *r = (su3_vector *) malloc(4*n*sizeof(su3_vector));
  su3_vector *p = r + n, *t = p + n, *q = t + n;
  int i;
#pragma omp parallel for reduction(+:rn) schedule(static)
  for (i = 0; i < n; i++) {
    memset(&x[i], 0, sizeof(su3_vector));
    memset(&t[i], 0, sizeof(su3_vector));
    memset(&q[i], 0, sizeof(su3_vector));
    r[i] = p[i] = b[i];
    rn += magsq_su3vec(&b[i]);
  }
  g_doublesum(&rn);
  src = rn;
  for (it = 0; it < itmax && rn > rsq*src; it++) {
    dslash_field(p, t, EVENANDODD);
    dslash_field(t, q, EVENANDODD);
    pap = 0;
#pragma omp parallel for reduction(+:pap) schedule(static)
    for (i = 0; i < n; i++) {
      scalar_mult_add_su3_vector(&q[i], &p[i], -4.0*mass*mass, &q[i]);
      pap -= su3_rdot(&p[i], &q[i]);
    }
    g_doublesum(&pap);
    al = rn/pap;
    ro = rn;
    rn = 0;
#pragma omp parallel private(i)
    {
#pragma omp for schedule(static)
      for (i = 0; i < n; i++) scalar_mult_add_su3_vector(&x[i], &p[i], al, &x[i]);
#pragma omp barrier
#pragma omp for schedule(static) reduction(+:rn)
      for (i = 0; i < n; i++) {
        scalar_mult_add_su3_vector(&r[i], &q[i], al, &r[i]);
        rn += magsq_su3vec(&r[i]);
      }
    }
    g_doublesum(&rn);
    be = rn/ro;
#pragma omp parallel for schedule(static)
    for (i = 0; i < n; i++) scalar_mult_add_su3_vector(&r[i], &p[i], be, &p[i]);
  }
  free(r);
  return it;
}
