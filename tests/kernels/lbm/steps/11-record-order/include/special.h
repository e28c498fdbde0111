// Cells that follow another law than the fluid: walls, obstacle, inflow and outflow.
#ifndef LBM_SPECIAL_H
#define LBM_SPECIAL_H

#include "comm.h"
#include "config.h"
#include "mesh.h"

typedef enum { SPECIAL_NONE, SPECIAL_WALL, SPECIAL_INFLOW, SPECIAL_OUTFLOW } SpecialKind;

typedef struct SpecialCell {
  double speed;
  double density;
  int x;
  int y;
  SpecialKind kind;
} SpecialCell;

typedef struct {
  SpecialCell *cells;
  int count;
} SpecialCells;

void special_create(SpecialCells *specials, const Config *config, const Comm *comm);
void special_destroy(SpecialCells *specials);
void special_apply(const SpecialCells *specials, Mesh *mesh);

#endif
