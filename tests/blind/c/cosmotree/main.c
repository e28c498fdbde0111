#include "allvars.h"
#include "proto.h"
int ThisTask, NTask, PTask, NumPart, N_gas, MaxPart, Nexport, BunchSize = 20000;
double DomainSplit[130], BoxMin[3], BoxMax[3];
double CPU_Imbalance, CPU_Gravity, CPU_Hydro, CPU_Domain;
int *Exportflag, Ngblist[MAX_NGB];
struct global_data All;
struct particle_data *P;
struct gravdata_in *GravDataIn, *GravDataGet;
struct densdata_in *DensDataIn, *DensDataGet;
struct NODE *Nodes_base, *Nodes;
int *Nextnode, MaxNodes, Numnodestree;
struct DomainNODE *DomainMoment;

double second(void) { return MPI_Wtime(); }

void allocate_memory(int n)
{
  MaxPart = n;
  MaxNodes = n;
  if(!(P = (struct particle_data *) malloc(MaxPart * sizeof(struct particle_data))))
    MPI_Abort(MPI_COMM_WORLD, 1);
  GravDataIn = (struct gravdata_in *) malloc(BunchSize * sizeof(struct gravdata_in));
  GravDataGet = (struct gravdata_in *) malloc(BunchSize * sizeof(struct gravdata_in));
  DensDataIn = (struct densdata_in *) malloc(BunchSize * sizeof(struct densdata_in));
  DensDataGet = (struct densdata_in *) malloc(BunchSize * sizeof(struct densdata_in));
  Nodes_base = (struct NODE *) malloc((MaxNodes + 1) * sizeof(struct NODE));
  Nextnode = (int *) malloc(MaxPart * sizeof(int));
  Exportflag = (int *) malloc(NTask * sizeof(int));
  DomainMoment = (struct DomainNODE *) malloc(NTask * sizeof(struct DomainNODE));
  Nodes = Nodes_base - MaxPart;
}

/*! a few Plummer-like clumps in a box */
void set_ics(int nper)
{
  int i, k;
  unsigned int seed = 4711 + 13 * ThisTask;
  for(i = 0; i < nper; i++) {
      double c = (i % 3) * 0.3 + 0.2, r[3];
      for(k = 0; k < 3; k++)
	r[k] = rand_r(&seed) / (double) RAND_MAX - 0.5;
      memset(&P[i], 0, sizeof(struct particle_data));
      for(k = 0; k < 3; k++) {
	  P[i].Pos[k] = i % 5 ? c + 0.2 * r[k] * fabs(r[k]) : 0.5 + 0.98 * r[k];
	  P[i].Vel[k] = 0.05 * r[(k + 1) % 3];
	}
      P[i].Mass = 1.0 / All.TotNumPart;
      P[i].Type = i & 1;
      P[i].ID = i + nper * ThisTask;
      P[i].Hsml = 0.03;
      P[i].Entropy = 1.0;
      P[i].GravCost = 1;
    }
  NumPart = nper;
  N_gas = nper / 2;
}

int main(int argc, char **argv)
{
  int nper;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &ThisTask);
  MPI_Comm_size(MPI_COMM_WORLD, &NTask);
  for(PTask = 0; NTask > (1 << PTask); PTask++);
  nper = argc > 1 ? atoi(argv[1]) : 3000;
  All.NumSteps = argc > 2 ? atoi(argv[2]) : 4;
  All.TotNumPart = (long) nper * NTask;
  All.Softening = 0.005;
  All.ErrTol = 0.7;
  All.TimeStep = 0.002;
  All.DesNumNgb = 32;
  All.BoxSize = 1.0;
  MPI_Bcast(&All, sizeof(struct global_data), MPI_BYTE, 0, MPI_COMM_WORLD);
  allocate_memory(3 * nper + 1000);
  set_ics(nper);
  run();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
