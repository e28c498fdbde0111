// A serial loop that fills arrays, made one that a team shares: the edit, and the proof that its iterations are apart.
#ifndef STRIDEWISE_TOUCH_PARALLELFILL_H
#define STRIDEWISE_TOUCH_PARALLELFILL_H

#include "unit/Finding.h"
#include "unit/Unit.h"
#include <optional>

namespace stridewise {

/// `#pragma omp parallel for schedule(static)` before the loop whose keyword stands there. Nothing where the text or
/// the code does not show that each iteration writes what no other one reads or writes; unsafe where that rests on
/// arrays that do not overlap, or on indices that stay within their rows.
std::optional<Fix> shareFill(clang::SourceLocation Loop, Unit &U);

} // namespace stridewise
#endif
