#include "md.h"

Params par;
int natom, nthr, ncx, nframe;
double box, cellw, epot, virial;
Atom *at;
vec3 *f;
vec3 *fth[MAXTHR];
int *nbr, *nnb, *chead, *cnext, *ccount;
Spl *spl;
float *vtrack;

int main(int argc, char **argv)
{
  int step, nb = 0;
  double ec = 0, ek, g[NBINS], c[MAXFR], s[6], m, t0, tm;
  init(argc, argv);
  build_list();
  force_list();
  ek = epot;
  memset(f, 0, natom*sizeof(vec3));
  force_cells_old();
  printf("check: list %.6f cells %.6f\n", ek, epot);
  force_list();
  t0 = omp_get_wtime();
  for (step = 0; step < par.nstep; step++) {
    kick(0.5*par.dt);
    drift(par.dt);
    if (step%par.nrebuild == 0 || list_too_old()) { build_list(); nb++; }
    if (step < 10) {
      memset(f, 0, natom*sizeof(vec3));
      force_cells_old();
    } else
      force_list();
    force_coulomb(&ec);
    if (par.ttm) {
      ttm_coupling();
      ttm_step(10);
    }
    kick(0.5*par.dt);
    shake(3);
    thermostat(1.0);
    rdf(g);
    record_frame();
    vacf(c);
    viewer(step);
    if (step%20 == 0) {
      ek = kinetic();
      tm = ttm_mean();
      stress(s);
      msd(&m);
      printf("%5d ek %.4f ep %.4f ec %.3e te %.4f vacf %.3f sxx %.3f msd %.4g\n", step, ek/natom, epot/natom, ec, tm,
             c[0]/natom, s[0]/natom, m);
    }
    if (step%100 == 99) checkpoint("md.chk");
  }
  printf("%d atoms %d steps %d rebuilds, %.3f s, g(1.1) %g\n", natom, par.nstep, nb, omp_get_wtime() - t0, g[88]);
  checkpoint("md.chk");
  return 0;
}
