// Variables of a Fortran file that keep one place in memory (SAVE, an initial value, a module) and that its procedures
// set for a use of their own, or count up: a race wherever a team runs them.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANSTATICS_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANSTATICS_H

#include "checks/omp-shared-counter/StaticRaces.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

UnitStatics fortranStatics(Unit &U, Reporter &R);

} // namespace stridewise
#endif
