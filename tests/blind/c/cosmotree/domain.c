#include "allvars.h"
#include "proto.h"
/*! \file domain.c: slabs in x of equal work */

static void find_extent(void)
{
  int i, k;
  double xmin[3], xmax[3];
  for(k = 0; k < 3; k++)
    xmin[k] = 1e30, xmax[k] = -1e30;
  for(i = 0; i < NumPart; i++)
    for(k = 0; k < 3; k++) {
	if(xmin[k] > P[i].Pos[k])
	  xmin[k] = P[i].Pos[k];
	if(xmax[k] < P[i].Pos[k])
	  xmax[k] = P[i].Pos[k];
      }
  for(k = 0; k < 3; k++) {
      MPI_Allreduce(&xmin[k], &BoxMin[k], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
      MPI_Allreduce(&xmax[k], &BoxMax[k], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
}

/*! sum of the cost histograms of all tasks */
static void global_histogram(double *loc, double *tot)
{
  int task, b;
  double *buf = (double *) malloc(NBIN * sizeof(double));
  if(ThisTask == 0) {
      memcpy(tot, loc, NBIN * sizeof(double));
      for(task = 1; task < NTask; task++) {
	  MPI_Recv(buf, NBIN, MPI_DOUBLE, task, TAG_STAT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	  for(b = 0; b < NBIN; b++)
	    tot[b] += buf[b];
	}
      for(task = 1; task < NTask; task++)
	MPI_Send(tot, NBIN, MPI_DOUBLE, task, TAG_STAT, MPI_COMM_WORLD);
    }
  else
    {
      MPI_Send(loc, NBIN, MPI_DOUBLE, 0, TAG_STAT, MPI_COMM_WORLD);
      MPI_Recv(tot, NBIN, MPI_DOUBLE, 0, TAG_STAT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  free(buf);
}

static int domain_owner(double x)
{
  int t;
  for(t = 0; t < NTask - 1; t++)
    if(x < DomainSplit[t + 1])
      break;
  return t;
}

void domain_decomposition(void)
{
  int i, b, t;
  double loc[NBIN], tot[NBIN], sum = 0, acc = 0, t0 = second();
  find_extent();
  memset(loc, 0, sizeof(loc));
  for(i = 0; i < NumPart; i++) {
      b = (int) ((P[i].Pos[0] - BoxMin[0]) / (BoxMax[0] - BoxMin[0]) * NBIN);
      if(b >= NBIN)
	b = NBIN - 1;
      loc[b] += P[i].GravCost;
    }
  global_histogram(loc, tot);
  for(b = 0; b < NBIN; b++)
    sum += tot[b];
  DomainSplit[0] = -1e30;
  for(b = 0, t = 1; b < NBIN && t < NTask; b++) {
      acc += tot[b];
      if(acc >= t * sum / NTask)
	DomainSplit[t++] = BoxMin[0] + (b + 1) * (BoxMax[0] - BoxMin[0]) / NBIN;
    }
  for(; t <= NTask; t++)
    DomainSplit[t] = 1e30;
  domain_exchange();
  CPU_Domain += second() - t0;
}

/*! particles that belong to another task are sent there, pair by pair */
void domain_exchange(void)
{
  int i, n, level, recvTask, *nsend, *nrecv, *off;
  int *list = (int *) malloc(NumPart * sizeof(int));
  nsend = (int *) calloc(3 * NTask, sizeof(int));
  nrecv = nsend + NTask;
  off = nrecv + NTask;
  for(i = 0; i < NumPart; i++)
    P[i].Key = domain_owner(P[i].Pos[0]);
  for(i = 0; i < NumPart; i++)
    nsend[P[i].Key]++;
  MPI_Alltoall(nsend, 1, MPI_INT, nrecv, 1, MPI_INT, MPI_COMM_WORLD);
  for(level = 1; level < (1 << PTask); level++) {
      recvTask = ThisTask ^ level;
      if(recvTask >= NTask)
	continue;
      for(n = 0, i = 0; i < NumPart; i++)
	if(P[i].Key == recvTask)
	  list[n++] = i;
      /* lower task sends first */
      for(i = 0; i < n && ThisTask < recvTask; i++)
	MPI_Ssend(&P[list[i]], sizeof(struct particle_data), MPI_BYTE, recvTask, TAG_PDATA, MPI_COMM_WORLD);
      if(NumPart + nrecv[recvTask] > MaxPart)
	MPI_Abort(MPI_COMM_WORLD, 4);
      for(i = 0; i < nrecv[recvTask]; i++)
	MPI_Recv(&P[NumPart + i], sizeof(struct particle_data), MPI_BYTE, recvTask, TAG_PDATA,
		 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for(i = 0; i < n && ThisTask > recvTask; i++)
	MPI_Ssend(&P[list[i]], sizeof(struct particle_data), MPI_BYTE, recvTask, TAG_PDATA, MPI_COMM_WORLD);
      for(i = 0; i < nrecv[recvTask]; i++)
	P[NumPart + i].Key = ThisTask;
      NumPart += nrecv[recvTask];
    }
  for(i = 0, n = 0; i < NumPart; i++)
    if(P[i].Key == ThisTask) {
	if(n != i)
	  P[n] = P[i];
	n++;
      }
  NumPart = n;
  free(nsend);
  free(list);
}

/*! mass, centre of mass and box of each domain, known to all */
void domain_moments(void)
{
  int i, k;
  struct DomainNODE d;
  memset(&d, 0, sizeof(d));
  for(k = 0; k < 3; k++)
    d.min[k] = 1e30, d.max[k] = -1e30;
  for(i = 0; i < NumPart; i++) {
      d.mass += P[i].Mass;
      for(k = 0; k < 3; k++) {
	  d.s[k] += P[i].Mass * P[i].Pos[k];
	  if(P[i].Pos[k] < d.min[k])
	    d.min[k] = P[i].Pos[k];
	  if(P[i].Pos[k] > d.max[k])
	    d.max[k] = P[i].Pos[k];
	}
    }
  for(k = 0; k < 3; k++)
    d.s[k] /= d.mass > 0 ? d.mass : 1;
  d.n = NumPart;
  MPI_Allgather(&d, sizeof(d), MPI_BYTE, DomainMoment, sizeof(d), MPI_BYTE, MPI_COMM_WORLD);
}
