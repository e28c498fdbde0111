// Loops that send (or receive) one small message per iteration to one rank, or broadcast or reduce one element per
// iteration, although all payloads exist before the loop.
#ifndef STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_MESSAGEBURSTS_H
#define STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_MESSAGEBURSTS_H

#include "mpi/DerivedTypes.h"

namespace stridewise {

struct Burst {
  MpiSite Site;
  llvm::SmallVector<const llvm::Loop *, 3> Loops; // innermost first
  const llvm::SCEV *Payload = nullptr;            // rewritten address of the element
  std::uint64_t Bytes = 0;                        // per message; 0 of rows
  const llvm::SCEV *Row = nullptr;                // bytes of a row that the run alone knows: each follows the last
  std::uint64_t Element = 0;                      // of a row
  bool Copied = false;                            // to a buffer that stays, from Payload
  bool Exact = true;                              // else Bytes is a bound
  bool Sure = true;                               // no assumption about peers or row tables
  bool Sends = true;
  bool Collective = false; // a call of all ranks for one element after another
  bool Split = false;      // whose element the iteration computes first
  bool Few = false;        // collective calls that would be no burst if they were messages
  bool Chosen = false;     // only of elements that the loop looks at and chooses
  bool Pieces = false;     // fields that are packed one by one
  bool Prints = false;     // of a loop that writes output as well
};

/// The fewest that count, of messages and of collective calls.
struct BurstLength {
  double Messages, Calls;
};

/// True for collective calls of which one with n elements does what n with one element each do.
bool isElementwise(const MpiSite &S);

/// The least value of a sum of products of sizes, of which those that the function does not know are taken to be a few
/// elements at least; nothing where a part may be negative.
std::optional<std::int64_t> leastValue(const llvm::SCEV *S);
/// The burst that a send or receive belongs to: the loops around it in which peer, communicator and size stay, the
/// payload moves, every iteration sends, and nothing writes or answers. Messages that are larger, or fewer, are none.
std::optional<Burst> findBurst(MpiFunction &M, const MpiSite &S, DerivedTypes &Types,
                               llvm::FunctionAnalysisManager &FAM, double MaxBytes, BurstLength Least);
/// True when no two messages share a byte: only then can one datatype with a stride stand for them all. Sizes that the
/// function does not know are taken to be a few elements at least. `Overlap` is set when some do share bytes, proven.
bool areApart(const Burst &B, StrideEngine &E, bool &Overlap);
/// True when the elements of all its loops follow each other without a gap.
bool isContiguous(const Burst &B, StrideEngine &E);

} // namespace stridewise
#endif
