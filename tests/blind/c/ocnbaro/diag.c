#include "ocn.h"

/* integrals, written every step */
void diagnostics(int n)
{
  int i, j, k;
  double ke = 0, vol = 0, heat = 0, hm[2] = {0, 0};
  for (k = 0; k < KM; k++) DO2(i,j) ke += 0.5*(SQ(u[I3(k,i,j)]) + SQ(v[I3(k,i,j)]));
  DO2(i,j) {
    vol += eta[I2(i,j)];
    for (k = 0; k < KM; k++) heat += TR(temp,i,j,k);
  }
  DO2(i,j) hm[0] = fmax(hm[0], eta[I2(i,j)]);
  GSUM(ke);
  GSUM(vol);
  GSUM(heat);
  if (n%10 == 0) {
    GMAX(hm[0]);
    ON_MASTER printf("step %4d ke %.5e vol %.5e heat %.6e etamax %.4f\n", n, ke, vol, heat, hm[0]);
  }
}

/* tide gauges to the master each step */
void gauges(int n)
{
  int g;
  for (g = 0; g < ngauge; g++) {
    Gauge *q = gauge + g;
    int owner = g%nproc;
    if (q->here) q->val = eta[I2(q->i,q->j)];
    if (owner == 0) continue;
    if (q->here) SEND_TO(0, &q->val, 1, 500 + g);
    ON_MASTER RECV_FR(owner, &q->val, 1, 500 + g);
  }
  ON_MASTER {
    FILE *fp = fopen("gauges.txt", n ? "a" : "w");
    if (fp) {
      for (g = 0; g < ngauge; g++) fprintf(fp, "%.5f ", gauge[g].val);
      fprintf(fp, "\n");
      fclose(fp);
      /* give the file server time, else tail -f misses lines */
      usleep(500);
    }
  }
}

double cfl(void)
{
  int i, j;
  double c = 0;
  DO2(i,j) c = fmax(c, (fabs(ubt[I2(i,j)]) + sqrt(grav*dep[I2(i,j)]))*dtbt/dxm);
  GMAX(c);
  return c;
}

/* one file, ranks in turn */
void restart_write(void)
{
  int p;
  for (p = 0; p < nproc; p++) {
    if (p == myproc) {
      FILE *fp = fopen("restart.bin", p ? "ab" : "wb");
      if (fp) {
        fwrite(eta, sizeof(double), NXP*NYP, fp);
        fclose(fp);
      }
    }
    BARRIER();
  }
}
