// Work that has an interior which needs no border.
#ifndef STRIDEWISE_CHECKS_MPI_NO_OVERLAP_STENCILWORK_H
#define STRIDEWISE_CHECKS_MPI_NO_OVERLAP_STENCILWORK_H

#include "loops/LoopNest.h"
#include "unit/Unit.h"

namespace stridewise {

/// Whether the nest reads an array around each place and does not write it there, while it writes another one.
bool isStencil(const LoopNest &N, StrideEngine &E);

/// Whether a loop of the function is such a nest, or has one in it.
bool holdsStencil(const llvm::Loop &L, llvm::Function &F, Unit &U);

} // namespace stridewise
#endif
