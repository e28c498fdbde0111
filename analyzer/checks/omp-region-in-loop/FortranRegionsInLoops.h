// The rule in Fortran: regions that DO loops open, with one shared loop or several of them.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANREGIONSINLOOPS_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANREGIONSINLOOPS_H

#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

void reportFortranRegionsInLoops(Unit &U, Reporter &R);

} // namespace stridewise
#endif
