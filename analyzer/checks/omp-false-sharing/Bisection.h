// Loops that halve a range of numbers until nothing is left between its ends: a search in a sorted table, of which the
// iterations are the logarithm of its length.
#ifndef STRIDEWISE_CHECKS_OMP_FALSE_SHARING_BISECTION_H
#define STRIDEWISE_CHECKS_OMP_FALSE_SHARING_BISECTION_H

#include "clang/AST/Stmt.h"

namespace stridewise {

/// `while (high > low + 1) { middle = (low + high) / 2; if (…) high = middle; else low = middle; }`
bool isBisection(const clang::WhileStmt &Loop);

} // namespace stridewise
#endif
