// Pointers that all threads of a region exchange: `tmp = old; old = new; new = tmp;`, each thread once.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_ROTATEDPOINTERS_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_ROTATEDPOINTERS_H

#include "omp/OmpSites.h"
#include <vector>

namespace stridewise {

struct RotatedPointer {
  const clang::Expr *E = nullptr; // the assignment, or the call of std::swap
  const clang::VarDecl *To = nullptr, *From = nullptr;
};

/// Of the text under a directive that starts a team, outside of what one thread does: the first assignment of one
/// shared pointer's value to another one that the region assigns, too.
std::vector<RotatedPointer> findRotatedPointers(const clang::OMPExecutableDirective &Region, clang::ASTContext &Ctx);

} // namespace stridewise
#endif
