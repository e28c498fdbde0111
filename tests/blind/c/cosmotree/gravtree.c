#include "allvars.h"
#include "proto.h"
/*! \file gravtree.c: gravity of local and remote particles */

static double ThreadCost[MAXTHREADS];
static long Ninteractions;

/*! does the other domain have to be opened for this position? */
static int must_export(int task, const FLOAT * pos)
{
  int k;
  FLOAT d2 = 0, ext = 0, d;
  for(k = 0; k < 3; k++)
    {
      d = DomainMoment[task].s[k] - pos[k];
      d2 += d * d;
      d = DomainMoment[task].max[k] - DomainMoment[task].min[k];
      ext = d > ext ? d : ext;
    }
  return ext * ext > All.ErrTol * All.ErrTol * d2;
}

static void remote_part(int recvTask)
{
  int i, k, nget;
  double t0;
  MPI_Request rq[2];
  Nexport = 0;
#pragma omp parallel for schedule(static)
  for(i = 0; i < NumPart; i++)
    {
      int n, kk;
      if(!must_export(recvTask, P[i].Pos))
	{
	  double r2 = All.Softening * All.Softening, f, dd[3];
	  for(kk = 0; kk < 3; kk++)
	    {
	      dd[kk] = DomainMoment[recvTask].s[kk] - P[i].Pos[kk];
	      r2 += dd[kk] * dd[kk];
	    }
	  f = DomainMoment[recvTask].mass / (r2 * sqrt(r2));
	  for(kk = 0; kk < 3; kk++)
	    P[i].GravAccel[kk] += f * dd[kk];
	  continue;
	}
#pragma omp atomic capture
      n = Nexport++;
      if(n >= BunchSize)
	MPI_Abort(MPI_COMM_WORLD, 6);
      memcpy(GravDataIn[n].Pos, P[i].Pos, 3 * sizeof(FLOAT));
      GravDataIn[n].OldAcc = P[i].OldAcc;
      GravDataIn[n].Index = i;
    }
  MPI_Sendrecv(&Nexport, 1, MPI_INT, recvTask, TAG_N, &nget, 1, MPI_INT, recvTask, TAG_N,
	       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(GravDataIn, Nexport * sizeof(struct gravdata_in), MPI_BYTE, recvTask, TAG_GRAV_A,
	       GravDataGet, BunchSize * sizeof(struct gravdata_in), MPI_BYTE, recvTask, TAG_GRAV_A,
	       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(static)
  for(i = 0; i < nget; i++)
    {
      memset(GravDataGet[i].Acc, 0, 3 * sizeof(FLOAT));
      GravDataGet[i].Pot = 0;
      GravDataGet[i].Ninter = force_treeevaluate(GravDataGet[i].Pos, GravDataGet[i].OldAcc, GravDataGet[i].Acc, &GravDataGet[i].Pot);
    }
  /* results go back; poll so that the other tasks get the processor */
  MPI_Irecv(GravDataIn, Nexport * sizeof(struct gravdata_in), MPI_BYTE, recvTask, TAG_GRAV_B, MPI_COMM_WORLD, &rq[0]);
  MPI_Isend(GravDataGet, nget * sizeof(struct gravdata_in), MPI_BYTE, recvTask, TAG_GRAV_B, MPI_COMM_WORLD, &rq[1]);
  for(k = 0; k == 0;)
    {
      MPI_Testall(2, rq, &k, MPI_STATUSES_IGNORE);
      if(!k)
	usleep(1000);
    }
  t0 = second();
  for(i = 0; i < Nexport; i++)
    {
      int p = GravDataIn[i].Index;
      for(k = 0; k < 3; k++)
	P[p].GravAccel[k] += GravDataIn[i].Acc[k];
      P[p].Potential += GravDataIn[i].Pot;
      P[p].GravCost += GravDataIn[i].Ninter;
    }
  CPU_Gravity += second() - t0;
}

void gravity_tree(void)
{
  int i, level;
  double t0 = second(), t1, sum = 0;
  memset(ThreadCost, 0, sizeof(ThreadCost));
  Ninteractions = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for schedule(dynamic,64)
    for(i = 0; i < NumPart; i++)
      {
	FLOAT a[3] = { 0, 0, 0 }, pot = 0;
	int k, n = force_treeevaluate(P[i].Pos, P[i].OldAcc, a, &pot);
	for(k = 0; k < 3; k++)
	  P[i].GravAccel[k] = a[k];
	P[i].Potential = pot;
	P[i].GravCost = n;
	ThreadCost[me] += n;
#pragma omp critical (stat)
	Ninteractions += n;
      }
  }
  CPU_Gravity += second() - t0;
  t1 = second();
  MPI_Barrier(MPI_COMM_WORLD);
  CPU_Imbalance += second() - t1;
  for(level = 1; level < (1 << PTask); level++)
    if((ThisTask ^ level) < NTask)
      remote_part(ThisTask ^ level);
  for(i = 0; i < omp_get_max_threads() && i < MAXTHREADS; i++)
    sum += ThreadCost[i];
#pragma omp parallel for schedule(static)
  for(i = 0; i < NumPart; i++)
    {
      FLOAT *g = P[i].GravAccel;
      P[i].OldAcc = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    }
  if(sum < 0)
    printf("%ld\n", Ninteractions);
}
