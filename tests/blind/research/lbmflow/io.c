#include "lbm.h"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

int params_read(const char *fn, params_t *p) {
  char line[256], key[64], val[160];
  *p = (params_t){ .title = "pipe", .tau = 0.6, .force = 1e-5, .smag = 0.12, .kappa = 0.02, .dpipe = 0.92,
                   .nx = 96, .ny = 40, .nz = 40, .steps = 200, .ckpt_every = 5000, .scalar_sub = 1, .ntracer = 400000 };
  FILE *fp = fopen(fn, "r");
  if (!fp) return -1;
  while (fgets(line, sizeof line, fp)) {
    if (line[0] == '#' || sscanf(line, "%63[^= ] = %159[^\n]", key, val) != 2) continue;
#define GETI(n) else if (!strcmp(key, #n)) p->n = atoi(val)
#define GETD(n) else if (!strcmp(key, #n)) p->n = atof(val)
    if (!strcmp(key, "title")) snprintf(p->title, sizeof p->title, "%.32s", val);
    GETI(nx); GETI(ny); GETI(nz); GETI(steps); GETI(ckpt_every);
    GETI(scalar_sub); GETI(ntracer); GETI(sponge_on);
    GETD(tau); GETD(force); GETD(smag); GETD(kappa); GETD(dpipe);
    else if (!strcmp(key, "obstacle") && p->nobst < MAXOBST) {
      obstacle_t *o = &p->ob[p->nobst];
      if (sscanf(val, "%c %lf %lf %lf %lf", &o->kind, o->c, o->c + 1, o->c + 2, &o->r) == 5) p->nobst++;
    }
  }
  fclose(fp);
  return 0;
}

void checkpoint_write(const lattice_t *L, const topo_t *T, int step) {
  MPI_File fh;
  const int n = (int)(L->plane * (L->nx - 2 * GH));
  MPI_File_open(T->comm, "lbm.ckpt.tmp", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
  if (!T->rank) MPI_File_write_at(fh, 0, &step, 1, MPI_INT, MPI_STATUS_IGNORE);
  for (int q = 0; q < NQ; q++) {
    MPI_Offset at = 64 + ((MPI_Offset)q * L->gx + L->x0) * (MPI_Offset)(L->plane * sizeof(real));
    MPI_File_write_at_all(fh, at, L->f + POP(L, q, GH, 0, 0), n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&fh);
  MPI_Barrier(T->comm);
  if (!T->rank) rename("lbm.ckpt.tmp", "lbm.ckpt");
}

/* operator may hold the run by a file "pause" and end it by "stop" */
int steering_poll(const topo_t *T) {
  int stop = 0;
  if (!T->rank) {
    while (access("pause", F_OK) == 0) sleep(5);
    stop = access("stop", F_OK) == 0;
  }
  MPI_Bcast(&stop, 1, MPI_INT, 0, T->comm);
  return stop;
}
