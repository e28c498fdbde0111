// The rule in Fortran.
#ifndef STRIDEWISE_CHECKS_OMP_COSTLY_SCHEDULE_FORTRANSCHEDULES_H
#define STRIDEWISE_CHECKS_OMP_COSTLY_SCHEDULE_FORTRANSCHEDULES_H

#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

void reportFortranSchedules(Unit &U, Reporter &R);

} // namespace stridewise
#endif
