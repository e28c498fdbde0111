// How many iterations lie between two references to one address, loop by loop.
//
// An address is a place in a tree of arrays: the root (an argument, a global, an allocation), an offset in it, and for
// each pointer loaded on the way (row tables, members) one more offset. Two references meet where all offsets agree.
#ifndef STRIDEWISE_LOOPS_ADDRESSDISTANCE_H
#define STRIDEWISE_LOOPS_ADDRESSDISTANCE_H

#include "loops/LoopNest.h"

namespace stridewise {

struct AddressDistance {
  enum Kind {
    DistinctBases, // different arrays by name; distinct only by assumption
    Never,         // one array, but never the same bytes
    Known,         // as PerLevel says
    Unclear
  } K = Unclear;
  /// By level, 0 for the innermost loop. No value: the address does not move in this loop, so any distance occurs.
  llvm::SmallVector<std::optional<std::int64_t>, 4> PerLevel;
};

/// Distance from X to Y over `Loops`, innermost first; loops outside these are taken to stand still. Assumes that
/// subscripts stay within their rows: of several solutions the one with the smallest steps counts. The innermost loop
/// begins `Shift` iterations later with each iteration of the next one: its distances are those of its counter.
AddressDistance addressDistance(const Reference &X, const Reference &Y, llvm::ArrayRef<const llvm::Loop *> Loops,
                                StrideEngine &Engine, std::int64_t Shift = 0);

/// True when it is proven, without the assumptions above, that two references of this address touch the same bytes only
/// in iterations that agree in every loop that moves it: each step exceeds what all smaller steps together can reach.
bool isInjective(const Reference &R, llvm::ArrayRef<const llvm::Loop *> Loops, StrideEngine &Engine);

/// Whether two references in loop A, of which at least one writes, meet only within one iteration of A, if ever.
bool meetWithinIteration(const Reference &X, const Reference &Y, const llvm::Loop *A, StrideEngine &Engine);

} // namespace stridewise
#endif
