// Sums in elements of a shared array that data choose, of which two iterations may have the same one.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANSCATTERS_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANSCATTERS_H

#include "unit/Unit.h"

namespace stridewise {

class Reporter;

void fortranScatters(Unit &U, Reporter &R);

} // namespace stridewise
#endif
