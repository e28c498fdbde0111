#include "allvars.h"

struct global_data All;
struct particle_data *P;
struct NODE *Nodes;
int ThisTask, NTask, NumPart, NumGhost, NumNodes, MaxNodes;
int SlabStart, SlabCount, SlabOf[NG];
double *Rho, *Phi, *Work;
double GhostX[MAXGHOST], GhostY[MAXGHOST], GhostZ[MAXGHOST], GhostM[MAXGHOST];
int NgbTab[NNGB][MAXLOCAL];
int NgbCount[MAXLOCAL];
float *Orbit;
FILE *FdLog;
