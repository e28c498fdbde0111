// Variables of C and C++ that say how deep a halo is.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_HALODEPTHS_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_HALODEPTHS_H

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/DenseSet.h"

namespace stridewise {

/// Those by which some loop begins earlier and ends later: `for (k = low - depth; k < high + depth; k++)`.
llvm::DenseSet<const clang::ValueDecl *> haloDepths(clang::ASTContext &Ctx);

} // namespace stridewise
#endif
