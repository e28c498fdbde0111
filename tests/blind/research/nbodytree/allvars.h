#ifndef ALLVARS_H
#define ALLVARS_H
#include <stdio.h>
#include <mpi.h>

#ifndef NG
#define NG 256                 /* grid points per dimension, box is [0,1)^3 */
#endif
#define NNGB     24
#define NKEEP    16
#define MAXLOCAL 300000
#define MAXGHOST 120000
#define NJK      32
#define NBIN     24

/* the slab of the grid owned here is planes 1..SlabCount, 0 and SlabCount+1 are ghosts */
#define CELL(x, y, z) (((size_t)(x) * NG + (y)) * NG + (z))
#define PLANE         ((size_t)NG * NG)

extern struct global_data
{
  char   RunName[21];
  double Theta, Rcut, Soft, G;
  short  LogLevel;
  double Time, Dt;
  int    NTotal, NSteps, SnapEvery, Step;
  char   UseTree;
  double Ekin, Epot, Mom[3];
} All;

extern struct particle_data
{
  double Pos[3];
  double Vel[3];
  double Acc[3];
  double GridAcc[3];
  double Pot, Mass, OldPhi;
  double VelDisp, Density, Hsml;
  float  Formation, Metals[5];
  long   ID;
  int    Type, Plane, Cost, Flags;
} *P;

extern struct NODE
{
  char   leaf;
  double center[3];
  short  level;
  double len;
  char   open;
  double mass;
  int    father;
  double s[3];
  int    suns[8];
} *Nodes;

struct ghost_in
{
  double pos[3];
  double mass;
};

extern int ThisTask, NTask, NumPart, NumGhost, NumNodes, MaxNodes;
extern int SlabStart, SlabCount, SlabOf[NG];
extern double *Rho, *Phi, *Work;
extern double GhostX[MAXGHOST], GhostY[MAXGHOST], GhostZ[MAXGHOST], GhostM[MAXGHOST];
extern int NgbTab[NNGB][MAXLOCAL];
extern int NgbCount[MAXLOCAL];
extern float *Orbit;
extern FILE *FdLog;

void domain_decompose(void);
void migrate(void);
void ghosts_and_tree(void);
void exchange_planes(double *a);
void tree_build(void);
void tree_force(void);
void grid_alloc(void);
void grid_density(void);
void grid_solve(int nsweep);
double grid_residual(void);
void grid_force(void);
void kick(double dt);
void drift(double dt);
double timestep(void);
void initial_conditions(void);
void velocity_dispersion(void);
void energies(void);
void projection(void);
void profile_x(double *prof);
void orbit_record(void);
void orbit_drift(double *mean);
void jackknife(void);
void snapshot(int num);
void log_line(const char *s);
#endif
