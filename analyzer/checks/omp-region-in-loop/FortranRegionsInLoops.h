// The rule in Fortran: regions that DO loops open, with one shared loop or several of them.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANREGIONSINLOOPS_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANREGIONSINLOOPS_H

#include "checks/omp-region-in-loop/BorderRepeats.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"

namespace stridewise {

/// Gives what the whole program may show of the regions over borders.
UnitBorders reportFortranRegionsInLoops(Unit &U, Reporter &R);

Confidence confidenceOf(const BorderRepeat &X);
/// The arguments of the finding's texts.
ArgMap argsOf(const BorderRepeat &X);

} // namespace stridewise
#endif
