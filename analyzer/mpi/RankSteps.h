// Loops of messages whose peers lie at fixed or growing distances: steps of a ring, or of recursive doubling.
#ifndef STRIDEWISE_MPI_RANKSTEPS_H
#define STRIDEWISE_MPI_RANKSTEPS_H

#include "mpi/RankLoops.h"

namespace stridewise {

/// Steps of a ring or of recursive doubling: messages to the next rank as often as there are ranks, or to ranks at
/// growing distances. Only those count that do nothing but copy, or combine, what arrives: a loop that computes with
/// blocks which go round is an algorithm of its own.
std::optional<RankLoop> findRankSteps(MpiFunction &M, const MpiSite &S, const RankFacts &Ranks);

/// True for rank + 1 and rank - 1, perhaps modulo the number of ranks, or no rank at the border: the ranks form a line.
bool isNextRank(const llvm::Value *V, const RankFacts &Ranks, unsigned Depth = 0);
/// A value that goes up or down by one in each iteration.
bool movesByOneRank(StrideEngine &E, llvm::Value *V, const llvm::Loop *L);
const llvm::Value *stripIntegerCasts(const llvm::Value *V);

} // namespace stridewise
#endif
