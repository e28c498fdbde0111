// Which OpenMP directive divides a loop of the source.
#ifndef STRIDEWISE_OMP_SHAREDLOOPS_H
#define STRIDEWISE_OMP_SHAREDLOOPS_H

#include "unit/Unit.h"
#include "clang/AST/StmtOpenMP.h"

namespace stridewise {

/// The directive (for, distribute, taskloop, simd and their combinations) that the loop, or a loop that is collapsed
/// with it, is associated with; the innermost of several; null for a loop of no directive.
const clang::OMPLoopDirective *sharingDirective(const clang::Stmt *Loop, Unit &U);

} // namespace stridewise
#endif
