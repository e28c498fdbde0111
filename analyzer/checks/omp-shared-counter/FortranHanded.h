// Variables of a Fortran region that all threads hand over to a procedure of the file which updates or sets them.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANHANDED_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANHANDED_H

#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

void fortranHandedRaces(Unit &U, Reporter &R);

} // namespace stridewise
#endif
