#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>
#include "allvars.h"

static float **Map;

void energies(void)
{
  double k = 0, w = 0, m[3] = { 0, 0, 0 };
  int i, j;
  for (i = 0; i < NumPart; i++) {
    for (j = 0; j < 3; j++) {
      k += 0.5 * P[i].Mass * P[i].Vel[j] * P[i].Vel[j];
      m[j] += P[i].Mass * P[i].Vel[j];
    }
    w += 0.5 * P[i].Mass * (P[i].Pot + P[i].OldPhi);
  }
  MPI_Reduce(&k, &All.Ekin, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&w, &All.Epot, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(m, All.Mom, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

/* surface density seen along z */
void projection(void)
{
  int x, y, z;
  if (!Map) {
    Map = malloc(NG * sizeof *Map);
    for (x = 0; x < NG; x++) Map[x] = malloc(NG * sizeof **Map);
  }
  for (y = 0; y < NG; y++) memset(Map[y], 0, NG * sizeof **Map);
  for (z = 0; z < NG; z++)
    for (y = 0; y < NG; y++) {
      float *row = Map[y];
      for (x = 1; x <= SlabCount; x++) row[SlabStart + x - 1] += Rho[CELL(x, y, z)];
    }
}

static double stride_sum(const double *p, int n, size_t step)
{
  double s = 0;
  while (n-- > 0) {
    s += *p;
    p += step;
  }
  return s;
}

/* density column along x for each (y,z), binned by distance from the axis */
void profile_x(double *prof)
{
  int y, z;
  memset(prof, 0, NBIN * sizeof *prof);
  for (y = 0; y < NG; y++)
    for (z = 0; z < NG; z++) {
      const int b = (int)(hypot(y - NG / 2, z - NG / 2) * NBIN / NG);
      if (b < NBIN) prof[b] += stride_sum(Rho + CELL(1, y, z), SlabCount, PLANE);
    }
  MPI_Allreduce(MPI_IN_PLACE, prof, NBIN, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* last NKEEP radii of each particle, by particle */
void orbit_record(void)
{
  const int s = All.Step % NKEEP;
  int i;
  if (!Orbit) Orbit = calloc((size_t)MAXLOCAL * NKEEP, sizeof *Orbit);
  for (i = 0; i < NumPart; i++) {
    const double *x = P[i].Pos;
    Orbit[(size_t)i * NKEEP + s] = sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5) + (x[2] - 0.5) * (x[2] - 0.5));
  }
}

void orbit_drift(double *mean)
{
  int i, s;
  for (s = 0; s < NKEEP; s++) {
    double sum = 0;
    for (i = 0; i < NumPart; i++)
      sum += Orbit[(size_t)i * NKEEP + s];
    mean[s] = NumPart ? sum / NumPart : 0;
  }
}

/* scatter of the radial profile between angular sectors */
void jackknife(void)
{
  static double cnt[NJK][NBIN];
  double mean, var, worst = 0;
  int i, b, j;
  memset(cnt, 0, sizeof cnt);
  for (i = 0; i < NumPart; i++) {
    const double y = P[i].Pos[1] - 0.5, z = P[i].Pos[2] - 0.5;
    b = (int)(sqrt(y * y + z * z) * NBIN);
    j = (int)((atan2(y, z) / (2 * M_PI) + 0.5) * NJK);
    if (b < NBIN && j < NJK) cnt[j][b]++;
  }
  for (b = 0; b < NBIN; b++) {
    for (mean = var = 0, j = 0; j < NJK; j++) mean += cnt[j][b] / NJK;
    for (j = 0; j < NJK; j++) var += (cnt[j][b] - mean) * (cnt[j][b] - mean);
    if (mean > 0) worst = fmax(worst, sqrt(var / NJK) / mean);
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (!ThisTask) fprintf(FdLog, "jackknife %g\n", worst);
}

/* positions to one file, one task after the other */
void snapshot(int num)
{
  char fn[64];
  int i, k, n = NumPart, r;
  float *buf = malloc(3 * (size_t)MAXLOCAL * sizeof *buf);
  for (i = 0; i < n; i++)
    for (k = 0; k < 3; k++) buf[3 * i + k] = P[i].Pos[k];
  if (ThisTask)
    MPI_Send(buf, 3 * n, MPI_FLOAT, 0, 90, MPI_COMM_WORLD);
  else {
    snprintf(fn, sizeof fn, "snap_%03d.bin", num);
    FILE *fp = fopen(fn, "wb");
    for (r = 0; r < NTask; r++) {
      MPI_Status st;
      n = 3 * NumPart;
      if (r) {
        MPI_Recv(buf, 3 * MAXLOCAL, MPI_FLOAT, r, 90, MPI_COMM_WORLD, &st);
        MPI_Get_count(&st, MPI_FLOAT, &n);
      }
      if (fp) fwrite(buf, sizeof *buf, n, fp);
    }
    if (fp) fclose(fp);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(buf);
}

/* one line to the log shared with the job monitor */
void log_line(const char *s)
{
  struct timeval tv;
  int fd;
  while ((fd = open("nbody.lock", O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0) {
    tv.tv_sec = 0, tv.tv_usec = 20000;
    select(0, NULL, NULL, NULL, &tv);
  }
  fputs(s, FdLog);
  fflush(FdLog);
  close(fd);
  unlink("nbody.lock");
}
