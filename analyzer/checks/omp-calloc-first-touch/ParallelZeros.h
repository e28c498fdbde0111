// Zeros that an allocation or memset writes on one thread, written by a team instead.
#ifndef STRIDEWISE_CHECKS_OMP_CALLOC_FIRST_TOUCH_PARALLELZEROS_H
#define STRIDEWISE_CHECKS_OMP_CALLOC_FIRST_TOUCH_PARALLELZEROS_H

#include "unit/Finding.h"
#include "unit/Unit.h"
#include <optional>

namespace stridewise {

/// A parallel loop of zeros behind the statement `p = calloc(n, sizeof *p)` or `p = new T[n]()`, which then only
/// allocates, or in place of `memset(p, 0, n * sizeof *p)`. Nothing where the elements are no numbers, or where the
/// text does not say how many they are. `At` is where the call or the new expression begins.
std::optional<Fix> zeroByTeam(clang::SourceLocation At, Unit &U);

} // namespace stridewise
#endif
