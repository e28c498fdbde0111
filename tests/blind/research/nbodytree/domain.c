/* slab decomposition along x in units of grid planes, moved every step with the load */
#include <stdlib.h>
#include <string.h>
#include "allvars.h"

#define TAG_LOAD  11
#define TAG_PART  12
#define TAG_GHOST 13
#define TAG_PLANE 14

static int plane_of(double x)
{
  int p = (int)(x * NG);
  return p < 0 ? 0 : p >= NG ? NG - 1 : p;
}

static void cut(const int *count, int *first)
{
  long total = 0, run = 0, top = 0;
  int p, t = 0;
  for (p = 0; p < NG; p++) total += count[p];
  for (t = 0; first[NTask] && t < NTask; t++) {   /* keep the old cuts while they are good enough */
    for (run = 0, p = first[t]; p < first[t + 1]; p++) run += count[p];
    if (run > top) top = run;
  }
  if (top && top * NTask < 1.15 * total) return;
  run = t = 0;
  first[0] = 0;
  for (p = 0; p < NG && t < NTask - 1; p++) {
    run += count[p];
    if ((run >= total * (t + 1) / NTask && p + 1 - first[t] >= 4) || NG - p - 1 == 4 * (NTask - 1 - t)) first[++t] = p + 1;
  }
  first[NTask] = NG;
}

void domain_decompose(void)
{
  static int mine[NG], other[NG], first[4097];
  int i, p, r;
  memset(mine, 0, sizeof mine);
  for (i = 0; i < NumPart; i++) {
    P[i].Plane = plane_of(P[i].Pos[0]);
    mine[P[i].Plane] += 1 + P[i].Cost / 64;
  }
  if (ThisTask == 0) {
    for (r = 1; r < NTask; r++) {
      MPI_Recv(other, NG, MPI_INT, r, TAG_LOAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (p = 0; p < NG; p++) mine[p] += other[p];
    }
    cut(mine, first);
  } else
    MPI_Send(mine, NG, MPI_INT, 0, TAG_LOAD, MPI_COMM_WORLD);
  MPI_Bcast(first, NTask + 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (r = 0; r < NTask; r++)
    for (p = first[r]; p < first[r + 1]; p++) SlabOf[p] = r;
  if (SlabStart != first[ThisTask] || SlabCount != first[ThisTask + 1] - first[ThisTask] || !Rho) {
    SlabStart = first[ThisTask];
    SlabCount = first[ThisTask + 1] - SlabStart;
    grid_alloc();
  }
}

/* particles to the task that owns their plane */
void migrate(void)
{
  static int nsend[4096], nrecv[4096];
  const int sz = sizeof(struct particle_data);
  struct particle_data *out = malloc((NumPart + 1) * sizeof *out), *in;
  int i, k, n, s, keep = 0, nout = 0;
  memset(nsend, 0, sizeof nsend);
  for (i = 0; i < NumPart; i++)
    if (SlabOf[P[i].Plane] == ThisTask) {
      if (keep != i) P[keep] = P[i];
      keep++;
    } else {
      nsend[SlabOf[P[i].Plane]]++;
      out[nout++] = P[i];
    }
  NumPart = keep;
  MPI_Alltoall(nsend, 1, MPI_INT, nrecv, 1, MPI_INT, MPI_COMM_WORLD);
  for (s = 1; s < NTask; s++) {
    const int to = (ThisTask + s) % NTask, from = (ThisTask + NTask - s) % NTask;
    n = nsend[to] > nrecv[from] ? nsend[to] : nrecv[from];
    in = P + NumPart;
    for (k = i = 0; k < n; k++) {
      while (k < nsend[to] && SlabOf[out[i].Plane] != to) i++;
      MPI_Sendrecv(&out[i], k < nsend[to] ? sz : 0, MPI_BYTE, k < nsend[to] ? to : MPI_PROC_NULL, TAG_PART, in + k, sz, MPI_BYTE,
                   k < nrecv[from] ? from : MPI_PROC_NULL, TAG_PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      i++;
    }
    NumPart += nrecv[from];
  }
  if (NumPart > MAXLOCAL) MPI_Abort(MPI_COMM_WORLD, 4);
  free(out);
}

static int pack_face(struct ghost_in *b, double lo, double hi)
{
  int i, k, n = 0;
  for (i = 0; i < NumPart && n < MAXGHOST / 2; i++)
    if (P[i].Pos[0] >= lo && P[i].Pos[0] < hi) {
      for (k = 0; k < 3; k++) b[n].pos[k] = P[i].Pos[k];
      b[n++].mass = P[i].Mass;
    }
  return n;
}

/* copies of the neighbours' particles next to our faces */
void ghosts_and_tree(void)
{
  static struct ghost_in sb[2][MAXGHOST / 2], rb[2][MAXGHOST / 2];
  const int left = ThisTask > 0 ? ThisTask - 1 : MPI_PROC_NULL, right = ThisTask < NTask - 1 ? ThisTask + 1 : MPI_PROC_NULL;
  const double x0 = (double)SlabStart / NG, x1 = (double)(SlabStart + SlabCount) / NG;
  int ns[2], nr[2] = { 0, 0 }, f, i;
  MPI_Request rq[4];
  ns[0] = pack_face(sb[0], x0, x0 + All.Rcut);
  ns[1] = pack_face(sb[1], x1 - All.Rcut, x1);
  MPI_Sendrecv(&ns[0], 1, MPI_INT, left, TAG_GHOST, &nr[1], 1, MPI_INT, right, TAG_GHOST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&ns[1], 1, MPI_INT, right, TAG_GHOST, &nr[0], 1, MPI_INT, left, TAG_GHOST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (f = 0; f < 2; f++) {
    MPI_Irecv(rb[f], nr[f] * (int)sizeof rb[0][0], MPI_BYTE, f ? right : left, TAG_GHOST + 10, MPI_COMM_WORLD, &rq[f]);
    MPI_Isend(sb[f], ns[f] * (int)sizeof sb[0][0], MPI_BYTE, f ? right : left, TAG_GHOST + 10, MPI_COMM_WORLD, &rq[2 + f]);
  }
  MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
  tree_build();
  NumGhost = 0;
  for (f = 0; f < 2; f++)
    for (i = 0; i < nr[f]; i++, NumGhost++) {
      GhostX[NumGhost] = rb[f][i].pos[0];
      GhostY[NumGhost] = rb[f][i].pos[1];
      GhostZ[NumGhost] = rb[f][i].pos[2];
      GhostM[NumGhost] = rb[f][i].mass;
    }
}

/* ghost planes of a grid array, x- then x+ */
void exchange_planes(double *a)
{
  const int n = (int)PLANE;
  double *first = a + PLANE, *last = a + SlabCount * PLANE;
  if (ThisTask < NTask - 1)
    MPI_Recv(last + PLANE, n, MPI_DOUBLE, ThisTask + 1, TAG_PLANE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (ThisTask > 0) MPI_Send(first, n, MPI_DOUBLE, ThisTask - 1, TAG_PLANE, MPI_COMM_WORLD);
  MPI_Sendrecv(last, n, MPI_DOUBLE, ThisTask < NTask - 1 ? ThisTask + 1 : MPI_PROC_NULL, TAG_PLANE + 1, a, n, MPI_DOUBLE,
               ThisTask > 0 ? ThisTask - 1 : MPI_PROC_NULL, TAG_PLANE + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
