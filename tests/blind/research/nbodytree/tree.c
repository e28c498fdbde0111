#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allvars.h"

#define EMPTY   (-1)
#define PART(k) ((k) - MaxNodes)      /* sons >= MaxNodes are particles */

static int new_node(int father, const double *c, double len, int level)
{
  struct NODE *n = &Nodes[NumNodes];
  int k;
  if (NumNodes >= MaxNodes) MPI_Abort(MPI_COMM_WORLD, 5);
  n->father = father, n->len = len, n->level = level, n->leaf = 1, n->open = 0, n->mass = 0;
  for (k = 0; k < 3; k++) n->center[k] = c[k], n->s[k] = 0;
  for (k = 0; k < 8; k++) n->suns[k] = EMPTY;
  return NumNodes++;
}

static int octant(const struct NODE *n, const double *x)
{
  return (x[0] > n->center[0]) | (x[1] > n->center[1]) << 1 | (x[2] > n->center[2]) << 2;
}

static void insert(int no, int i)
{
  for (;;) {
    const int o = octant(&Nodes[no], P[i].Pos), son = Nodes[no].suns[o];
    Nodes[no].leaf = 0;
    if (son == EMPTY) {
      Nodes[no].suns[o] = MaxNodes + i;
      return;
    }
    if (son >= MaxNodes) {
      double c[3];
      int k, nn;
      if (Nodes[no].level > 40) return;
      for (k = 0; k < 3; k++) c[k] = Nodes[no].center[k] + (o >> k & 1 ? 0.25 : -0.25) * Nodes[no].len;
      nn = new_node(no, c, 0.5 * Nodes[no].len, Nodes[no].level + 1);
      Nodes[nn].suns[octant(&Nodes[nn], P[PART(son)].Pos)] = son;
      Nodes[no].suns[o] = nn;
      no = nn;
    } else
      no = son;
  }
}

void tree_build(void)
{
  double mid[3] = { 0.5, 0.5, 0.5 };
  int i, k, j;
  if (!Nodes) Nodes = malloc((MaxNodes = 2 * MAXLOCAL) * sizeof *Nodes);
  NumNodes = 0;
  new_node(-1, mid, 1.0, 0);
  for (i = 0; i < NumPart; i++) insert(0, i);
  for (i = NumNodes - 1; i >= 0; i--) {     /* sons come after fathers */
    struct NODE *n = &Nodes[i];
    for (k = 0; k < 8; k++) {
      const int s = n->suns[k];
      if (s == EMPTY) continue;
      const double m = s >= MaxNodes ? P[PART(s)].Mass : Nodes[s].mass;
      const double *x = s >= MaxNodes ? P[PART(s)].Pos : Nodes[s].s;
      for (j = 0; j < 3; j++) n->s[j] += m * x[j];
      n->mass += m;
    }
    for (j = 0; j < 3 && n->mass > 0; j++) n->s[j] /= n->mass;
  }
}

static double shortrange(double r2, double rc)
{
  const double r = sqrt(r2), u = r / rc;
  return u >= 1 ? 0 : (1 - u * u * (3 - 2 * u)) / (r2 + All.Soft * All.Soft) / (r + All.Soft);
}

/* ghosts of the neighbouring slabs by direct summation */
static void ghost_force(int i, double *acc)
{
  const double x = P[i].Pos[0], y = P[i].Pos[1], z = P[i].Pos[2], rc2 = All.Rcut * All.Rcut, e2 = All.Soft * All.Soft;
  double ax = 0, ay = 0, az = 0;
  int j;
  for (j = 0; j < NumGhost; j++) {
    const double dx = GhostX[j] - x, dy = GhostY[j] - y, dz = GhostZ[j] - z;
    const double r2 = dx * dx + dy * dy + dz * dz;
    if (r2 > rc2) continue;
    const double f = GhostM[j] / ((r2 + e2) * sqrt(r2 + e2)) * (1 - r2 / rc2);
    ax += f * dx, ay += f * dy, az += f * dz;
  }
  acc[0] += All.G * ax, acc[1] += All.G * ay, acc[2] += All.G * az;
}

void tree_force(void)
{
  int stack[512], i, k, top;
  const double x0 = (double)SlabStart / NG, x1 = (double)(SlabStart + SlabCount) / NG;
  for (i = 0; i < NumPart; i++) {
    double acc[3] = { 0, 0, 0 };
    P[i].Cost = 0, P[i].Pot = 0, NgbCount[i] = 0;
    stack[0] = 0, top = 1;
    while (top > 0) {
      const int s = stack[--top];
      const double *x = s >= MaxNodes ? P[PART(s)].Pos : Nodes[s].s;
      double d[3], r2 = 0, f;
      for (k = 0; k < 3; k++) d[k] = x[k] - P[i].Pos[k], r2 += d[k] * d[k];
      if (s < MaxNodes) {
        const double len = Nodes[s].len, far = All.Rcut + len;
        if (r2 > far * far) continue;
        if (len * len > All.Theta * All.Theta * r2 || fabs(d[0]) < 0.6 * len) {
          for (k = 0; k < 8; k++)
            if (Nodes[s].suns[k] != EMPTY) stack[top++] = Nodes[s].suns[k];
          continue;
        }
      } else if (PART(s) == i || r2 > All.Rcut * All.Rcut)
        continue;
      else if (NgbCount[i] < NNGB)
        NgbTab[NgbCount[i]++][i] = PART(s);
      f = All.G * (s >= MaxNodes ? P[PART(s)].Mass : Nodes[s].mass) * shortrange(r2, All.Rcut);
      for (k = 0; k < 3; k++) acc[k] += f * d[k];
      P[i].Pot -= f * r2;
      P[i].Cost++;
    }
    if (P[i].Pos[0] < x0 + All.Rcut || P[i].Pos[0] > x1 - All.Rcut) ghost_force(i, acc);
    for (k = 0; k < 3; k++) P[i].Acc[k] = acc[k];
  }
}

/* local dispersion over the neighbours found in the walk */
void velocity_dispersion(void)
{
  int i, m, k;
  for (i = 0; i < NumPart; i++) {
    double s1 = 0, s2 = 0;
    for (m = 0; m < NgbCount[i]; m++) {
      const struct particle_data *q = &P[NgbTab[m][i]];
      for (k = 0; k < 3; k++) s1 += q->Vel[k], s2 += q->Vel[k] * q->Vel[k];
    }
    P[i].VelDisp = NgbCount[i] ? s2 / (3 * NgbCount[i]) - s1 * s1 / (9.0 * NgbCount[i] * NgbCount[i]) : 0;
  }
}
