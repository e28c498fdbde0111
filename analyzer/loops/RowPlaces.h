// Two places in rows of an array, one of which a loop leads along its row.
#ifndef STRIDEWISE_LOOPS_ROWPLACES_H
#define STRIDEWISE_LOOPS_ROWPLACES_H

#include "loops/Strides.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace stridewise {

/// Iterations by loop, as AddressDistance::PerLevel has them.
using LoopDistances = llvm::SmallVector<std::optional<std::int64_t>, 4>;

/// One of the two offsets stands still in a loop, the other one goes along its row there, and the one other loop that
/// moves them leads both from row to row: subscripts are assumed to stay within their rows, so that they meet in the
/// same row only, whatever their places in it are. `a[i][k]` and `a[i][j]` in loops over i and j. The distances are
/// free in the loop along the row; nothing where the offsets are others.
std::optional<LoopDistances> distancesInRow(const llvm::SCEV *X, const llvm::SCEV *Y,
                                            llvm::ArrayRef<const llvm::Loop *> Loops, StrideEngine &Engine);

} // namespace stridewise
#endif
