// A serial loop made one that a team shares: the edit, and the proof that its iterations are apart.
#ifndef STRIDEWISE_OMP_SHAREDLOOPFIX_H
#define STRIDEWISE_OMP_SHAREDLOOPFIX_H

#include "unit/Finding.h"
#include "unit/Unit.h"
#include "clang/AST/StmtOpenMP.h"
#include <optional>

namespace stridewise {

/// `#pragma omp parallel for schedule(static)` before the loop whose keyword stands there. Nothing where the text or
/// the code does not show that each iteration writes what no other one reads or writes; unsafe where that rests on
/// arrays that do not overlap, or on indices that stay within their rows. `Instead` is a directive within the loop, the
/// only one, that goes: its team was opened in each iteration.
std::optional<Fix> shareLoop(clang::SourceLocation Loop, Unit &U,
                             const clang::OMPExecutableDirective *Instead = nullptr);

} // namespace stridewise
#endif
