// The rule in Fortran: regions with one shared loop or several of them.
#ifndef STRIDEWISE_CHECKS_OMP_SMALL_LOOP_FORTRANSMALLLOOPS_H
#define STRIDEWISE_CHECKS_OMP_SMALL_LOOP_FORTRANSMALLLOOPS_H

#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

void reportFortranSmallLoops(Unit &U, Reporter &R);

} // namespace stridewise
#endif
