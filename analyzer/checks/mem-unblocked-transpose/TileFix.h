// Two nested loops of C or C++ gone through in tiles, as an edit of their headers.
#ifndef STRIDEWISE_CHECKS_MEM_UNBLOCKED_TRANSPOSE_TILEFIX_H
#define STRIDEWISE_CHECKS_MEM_UNBLOCKED_TRANSPOSE_TILEFIX_H

#include "loops/LoopLegality.h"
#include "unit/Finding.h"
#include "unit/Unit.h"
#include <optional>

namespace stridewise {

/// Square tiles of so many iterations, whatever the lengths of the loops. Legal where an exchange of the loops is, as
/// the verdict says; nothing where it needs more than another order, or where the headers do not count up by one.
std::optional<Fix> tileLoops(const clang::Stmt *Outer, const clang::Stmt *Inner, const ExchangeVerdict &V,
                             unsigned Tile, Unit &U);

} // namespace stridewise
#endif
