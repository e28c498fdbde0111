#ifndef PROTO_H
#define PROTO_H
#include "allvars.h"
double second(void);
void allocate_memory(int n);
void set_ics(int nper);
void run(void);
void compute_accelerations(void);
void advance_and_find_timesteps(void);
void energy_statistics(void);
void domain_decomposition(void);
void domain_exchange(void);
void domain_moments(void);
void force_treebuild(void);
int  force_treeevaluate(const FLOAT *pos, FLOAT oldacc, FLOAT *acc, FLOAT *pot);
int  ngb_treefind(const FLOAT *pos, FLOAT h, int *list);
void gravity_tree(void);
void density(void);
void pm_longrange(void);
void savepositions(int num);
#endif
