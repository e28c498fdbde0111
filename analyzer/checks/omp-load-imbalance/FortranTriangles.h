// Triangles of Fortran programs that a static schedule divides by the number of rows.
#ifndef STRIDEWISE_CHECKS_OMP_LOAD_IMBALANCE_FORTRANTRIANGLES_H
#define STRIDEWISE_CHECKS_OMP_LOAD_IMBALANCE_FORTRANTRIANGLES_H

#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

void reportFortranTriangles(Unit &U, Reporter &R);

} // namespace stridewise
#endif
