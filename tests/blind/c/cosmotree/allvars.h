/*! \file allvars.h
 *  \brief declares global variables and structures.
 */
#ifndef ALLVARS_H
#define ALLVARS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>
#include <mpi.h>
#include <omp.h>

#define MAXTHREADS   64
#define MAX_NGB      4096
#define NBIN         256
#define PMGRID       64
#define PMGRID2      (2*(PMGRID/2 + 1))
#define TAG_N        10
#define TAG_PDATA    11
#define TAG_GRAV_A   12
#define TAG_GRAV_B   13
#define TAG_DENS_A   14
#define TAG_DENS_B   15
#define TAG_STAT     16
#define FLOAT double

extern int ThisTask, NTask, PTask;
extern int NumPart, N_gas, MaxPart;
extern int Nexport, BunchSize;
extern double DomainSplit[130];       /* slab borders in x */
extern double BoxMin[3], BoxMax[3];
extern double CPU_Imbalance, CPU_Gravity, CPU_Hydro, CPU_Domain;
extern int *Exportflag;
extern int Ngblist[MAX_NGB];

extern struct global_data
{
  double Time, TimeStep, TimeMax, Softening, ErrTol, BoxSize, MeshPower;
  long TotNumPart;
  int DesNumNgb, NumSteps;
} All;

/*! everything about a particle */
extern struct particle_data
{
  FLOAT Pos[3];
  FLOAT Mass;
  FLOAT Vel[3];
  FLOAT GravAccel[3];
  FLOAT Potential;
  FLOAT OldAcc;
  FLOAT Hsml, Density, Entropy, Pressure;
  FLOAT GradRho[3];
  FLOAT DtEntropy;
  int Type, ID;
  int Ti_begstep, Ti_endstep;
  float GravCost;
  int Key;
} *P;

extern struct gravdata_in
{
  FLOAT Pos[3];
  FLOAT OldAcc;
  FLOAT Acc[3];
  FLOAT Pot;
  int Index;
  int Ninter;
} *GravDataIn, *GravDataGet;

extern struct densdata_in
{
  FLOAT Pos[3], Hsml, Rho;
  int Index, Ngb;
} *DensDataIn, *DensDataGet;

/*! tree node; walked for every particle */
extern struct NODE
{
  char bitflags;
  FLOAT len;
  int sibling;
  FLOAT center[3];
  char hasgas;
  FLOAT s[3];
  int nextnode;
  FLOAT mass;
  short level;
  FLOAT hmax;
  int suns[8];
} *Nodes_base, *Nodes;
extern int *Nextnode, MaxNodes, Numnodestree;

/*! coarse description of the other domains */
extern struct DomainNODE
{
  FLOAT s[3];
  FLOAT mass;
  FLOAT min[3], max[3];
  int n;
} *DomainMoment;
extern double PMdens[PMGRID][PMGRID][PMGRID];
#endif
