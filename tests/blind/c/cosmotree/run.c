#include "allvars.h"
#include "proto.h"
/*! \file run.c: main loop, time integration, statistics, output */

void compute_accelerations(void)
{
  domain_moments();
  force_treebuild();
  gravity_tree();
  /* the moments are used by density() too */
  domain_moments();
  density();
}

void advance_and_find_timesteps(void)
{
  int i, k;
  double dtmin = 1e30, a;
#pragma omp parallel for private(k) schedule(static)
  for(i = 0; i < NumPart; i++)
    for(k = 0; k < 3; k++) {
	P[i].Vel[k] += All.TimeStep * P[i].GravAccel[k];
	P[i].Pos[k] += All.TimeStep * P[i].Vel[k];
	if(P[i].Pos[k] < 0)
	  P[i].Pos[k] = -P[i].Pos[k], P[i].Vel[k] = -P[i].Vel[k];
	if(P[i].Pos[k] > All.BoxSize)
	  P[i].Pos[k] = 2 * All.BoxSize - P[i].Pos[k], P[i].Vel[k] = -P[i].Vel[k];
      }
#pragma omp parallel for private(a) reduction(min:dtmin)
  for(i = 0; i < NumPart; i++) {
      a = sqrt(2 * 0.025 * All.Softening / (P[i].OldAcc + 1e-10));
      if(a < dtmin)
	dtmin = a;
    }
  MPI_Allreduce(MPI_IN_PLACE, &dtmin, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  if(dtmin < All.TimeStep)
    All.TimeStep = dtmin;
  All.Time += All.TimeStep;
}

void energy_statistics(void)
{
  int i;
  double e[2] = { 0, 0 }, g[2];
  for(i = 0; i < NumPart; i++) {
      e[0] += 0.5 * P[i].Mass * (P[i].Vel[0] * P[i].Vel[0] + P[i].Vel[1] * P[i].Vel[1] + P[i].Vel[2] * P[i].Vel[2]);
      e[1] += 0.5 * P[i].Mass * P[i].Potential;
    }
  MPI_Reduce(e, g, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if(ThisTask == 0)
    printf("t=%g dt=%g  kin=%g pot=%g\n", All.Time, All.TimeStep, g[0], g[1]);
}

/*! one file, blocks of the tasks in turn */
void savepositions(int num)
{
  int task;
  char buf[100];
  sprintf(buf, "snap_%03d", num);
  for(task = 0; task < NTask; task++) {
      if(task == ThisTask)
	{
	  FILE *fd = fopen(buf, task ? "ab" : "wb");
	  if(fd) {
	      int i;
	      for(i = 0; i < NumPart; i++)
		fwrite(P[i].Pos, sizeof(FLOAT), 3, fd);
	      fclose(fd);
	    }
	}
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

void run(void)
{
  int step, stopflag = 0;
  double t0 = second();
  for(step = 0; step < All.NumSteps; step++) {
      domain_decomposition();
      compute_accelerations();
      pm_longrange();
      energy_statistics();
      advance_and_find_timesteps();
      if(ThisTask == 0)
	stopflag = access("stop", F_OK) == 0;
      MPI_Bcast(&stopflag, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if(stopflag)
	break;
    }
  savepositions(0);
  if(ThisTask == 0)
    printf("total %g s (grav %g hydro %g domain %g imbal %g) N=%d\n", second() - t0, CPU_Gravity, CPU_Hydro, CPU_Domain, CPU_Imbalance, NumPart);
}
