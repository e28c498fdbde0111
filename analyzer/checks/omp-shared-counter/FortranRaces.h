// The rule in Fortran, where a region shares all but the counters of its loops.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANRACES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANRACES_H

#include "unit/Unit.h"

namespace stridewise {

class Reporter;

void fortranRaces(Unit &U, Reporter &R);

} // namespace stridewise
#endif
