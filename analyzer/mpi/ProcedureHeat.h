// How often a procedure of Fortran runs, as loops/CallHeat.h says it of functions that have a syntax tree.
#ifndef STRIDEWISE_MPI_PROCEDUREHEAT_H
#define STRIDEWISE_MPI_PROCEDUREHEAT_H

#include "loops/CallHeat.h"
#include "unit/Unit.h"

namespace stridewise {

/// By the calls in the unit's text; unknown where the main program is in another unit.
Heat heatOf(const llvm::DISubprogram *P, Unit &U);

} // namespace stridewise
#endif
