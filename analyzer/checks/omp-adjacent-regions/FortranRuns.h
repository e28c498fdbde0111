// The rule in Fortran.
#ifndef STRIDEWISE_CHECKS_OMP_ADJACENT_REGIONS_FORTRANRUNS_H
#define STRIDEWISE_CHECKS_OMP_ADJACENT_REGIONS_FORTRANRUNS_H

#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

void reportFortranRuns(Unit &U, Reporter &R);

} // namespace stridewise
#endif
