#include "allvars.h"
#include "proto.h"
/*! \file density.c: SPH density with adaptive smoothing length */

static FLOAT kernel(FLOAT u)
{
  if(u < 0.5)
    return 2.546479089470 + 15.278874536822 * (u - 1) * u * u;
  if(u < 1.0)
    return 5.092958178941 * (1 - u) * (1 - u) * (1 - u);
  return 0;
}

static int density_evaluate(const FLOAT * pos, FLOAT h, FLOAT * rho, int *list)
{
  int n, j, nn = ngb_treefind(pos, h, list);
  FLOAT r = 0, hinv = 1.0 / h;
  for(n = 0; n < nn; n++) {
      FLOAT dx, dy, dz;
      j = list[n];
      dx = P[j].Pos[0] - pos[0];
      dy = P[j].Pos[1] - pos[1];
      dz = P[j].Pos[2] - pos[2];
      r += P[j].Mass * kernel(sqrt(dx * dx + dy * dy + dz * dz) * hinv) * hinv * hinv * hinv;
    }
  *rho += r;
  return nn;
}

void density(void)
{
  int i, iter, level, nget, task, redo;
  double t0 = second();
  int *ngb = (int *) malloc(NumPart * sizeof(int));
  for(iter = 0; iter < 4; iter++) {
#pragma omp parallel for schedule(dynamic,32)
      for(i = 0; i < NumPart; i++) {
	  P[i].Density = 0;
	  ngb[i] = density_evaluate(P[i].Pos, P[i].Hsml, &P[i].Density, Ngblist);
	}
      for(level = 1; level < (1 << PTask); level++) {
	  if((task = ThisTask ^ level) >= NTask)
	    continue;
	  Nexport = 0;
	  for(i = 0; i < NumPart; i++)
	    if(P[i].Pos[0] + P[i].Hsml > DomainMoment[task].min[0] && P[i].Pos[0] - P[i].Hsml < DomainMoment[task].max[0]) {
		struct densdata_in *d = &DensDataIn[Nexport++];
		memcpy(d->Pos, P[i].Pos, 3 * sizeof(FLOAT));
		d->Hsml = P[i].Hsml;
		d->Rho = 0;
		d->Index = i;
		if(Nexport >= BunchSize)
		  MPI_Abort(MPI_COMM_WORLD, 7);
	      }
	  MPI_Sendrecv(&Nexport, 1, MPI_INT, task, TAG_N, &nget, 1, MPI_INT, task, TAG_N, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	  MPI_Sendrecv(DensDataIn, Nexport * sizeof(struct densdata_in), MPI_BYTE, task, TAG_DENS_A,
		       DensDataGet, BunchSize * sizeof(struct densdata_in), MPI_BYTE, task, TAG_DENS_A, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(dynamic,32)
	  for(i = 0; i < nget; i++) {
	      int mylist[MAX_NGB];
	      DensDataGet[i].Ngb = density_evaluate(DensDataGet[i].Pos, DensDataGet[i].Hsml, &DensDataGet[i].Rho, mylist);
	    }
	  MPI_Sendrecv(DensDataGet, nget * sizeof(struct densdata_in), MPI_BYTE, task, TAG_DENS_B,
		       DensDataIn, BunchSize * sizeof(struct densdata_in), MPI_BYTE, task, TAG_DENS_B, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	  for(i = 0; i < Nexport; i++) {
	      P[DensDataIn[i].Index].Density += DensDataIn[i].Rho;
	      ngb[DensDataIn[i].Index] += DensDataIn[i].Ngb;
	    }
	}
      redo = 0;
      for(i = 0; i < NumPart; i++) {
	  if(abs(ngb[i] - All.DesNumNgb) > 4)
	    {
	      FLOAT f = pow((All.DesNumNgb + 1.0) / (ngb[i] + 1.0), 1.0 / 3);
	      P[i].Hsml *= f > 1.5 ? 1.5 : (f < 0.7 ? 0.7 : f);
	      redo++;
	    }
	  P[i].Pressure = P[i].Entropy * pow(P[i].Density, 5.0 / 3);
	}
      MPI_Allreduce(MPI_IN_PLACE, &redo, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      if(redo == 0)
	break;
    }
  free(ngb);
  CPU_Hydro += second() - t0;
}
