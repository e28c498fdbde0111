// Offsets taken apart into sums of products, and what is a multiple of what there.
#ifndef STRIDEWISE_LOOPS_OFFSETTERMS_H
#define STRIDEWISE_LOOPS_OFFSETTERMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include <optional>

namespace stridewise {

/// The value of a constant that leaves room for sums of some.
std::optional<std::int64_t> constant(const llvm::SCEV *S);
/// A product as its constant and its other factors.
std::pair<std::int64_t, llvm::SmallVector<const llvm::SCEV *, 4>> factorsOf(const llvm::SCEV *S);
/// The terms of an offset: what it starts from, what is added in each loop, taken apart into sums.
llvm::SmallVector<const llvm::SCEV *, 8> termsOf(const llvm::SCEV *S);
/// Whether the one product has all factors of the other.
bool isMultiple(const llvm::SCEV *Term, const llvm::SCEV *Of);
/// What is left of a difference when multiples of these steps are taken away, each of which an inner loop may add any
/// number of times: where such a loop begins, at a size or a bound that is known at run time only, does not matter.
const llvm::SCEV *withoutMultiples(const llvm::SCEV *Delta, llvm::ArrayRef<const llvm::SCEV *> InnerSteps,
                                   llvm::ScalarEvolution &SE);

/// The expression at the first iteration of these loops, wherever others are.
const llvm::SCEV *atFirst(const llvm::SCEV *S, llvm::ArrayRef<const llvm::Loop *> Loops, llvm::ScalarEvolution &SE);

/// Within an array that is declared with its extents, subscripts stay in theirs: a loop that steps by the rows of one
/// dimension gets no further than that has rows. The least and the largest number of steps; nothing for other arrays.
std::optional<std::pair<std::int64_t, std::int64_t>> withinDeclared(const llvm::SCEV *Root, std::int64_t Step);

} // namespace stridewise
#endif
