// Which sets of a cache the accesses of a loop fall into, from their exact steps.
//
// A line may stand in one set only, chosen by the bits of its address above the line; steps by a multiple of
// (sets x line) keep coming back to the same few sets, where the lines evict each other although the cache is nearly
// empty.
#ifndef STRIDEWISE_CHECKS_MEM_POWER_OF_TWO_STRIDE_CACHESETS_H
#define STRIDEWISE_CHECKS_MEM_POWER_OF_TWO_STRIDE_CACHESETS_H

#include "loops/Strides.h"
#include "llvm/IR/Instruction.h"
#include <vector>

namespace stridewise {

struct CacheShape {
  unsigned Bytes, Ways, LineBytes;
  unsigned lines() const { return Bytes / LineBytes; }
  unsigned sets() const { return lines() / Ways; }
  unsigned spanBytes() const { return sets() * LineBytes; }
};

/// A walk: `Count` steps of `Bytes` each.
struct Walk {
  std::int64_t Bytes;
  unsigned Count;
};

/// What a sweep over nested walks leaves in a cache.
struct SetUse {
  unsigned Lines = 0;   // distinct ones
  unsigned Sets = 0;    // distinct ones that they fall into
  unsigned Crowded = 0; // lines that stand in sets with more lines than ways
};

/// Exact use of the sets by elements of `ElementBytes` at the given walks, of so many arrays that begin in the same
/// set; nothing when there are too many to count.
std::optional<SetUse> setUse(llvm::ArrayRef<Walk> Walks, unsigned ElementBytes, const CacheShape &Cache,
                             unsigned Arrays = 1);

/// An array whose lines would be used again, had they not been evicted by lines of the same sets.
struct SetConflict {
  llvm::Instruction *At = nullptr;
  llvm::SmallVector<llvm::Instruction *, 4> Arrays; // At, and one access of each array walked in step with it
  bool Named = true;                                // the place of At names the array
  const llvm::Loop *Walked = nullptr;               // makes the large steps
  const llvm::Loop *Again = nullptr;                // comes back to the same lines
  std::int64_t StepBytes = 0;                       // of Walked
  std::int64_t PitchBytes = 0;                      // what to pad
  unsigned ElementBytes = 0;
  unsigned Level = 0; // of the cache, from 1
  SetUse Use;
  bool Exact = false;      // all lengths are known, none is an upper bound
  bool WholeArray = false; // some of them is only as long as the array allows
  double ArrayBytes = 0;   // what the walk spans
};

/// Streams of one loop, each walking line by line, that all stand in one set of the cache at any time.
struct StreamConflict {
  const llvm::Loop *L = nullptr;
  llvm::SmallVector<llvm::Instruction *, 16> At; // one per array or row
  unsigned Streams = 0;
  bool Proven = false; // distances follow from one object's layout, not from how arrays follow each other
};

struct CacheConflicts {
  /// Sweeps that lose their lines to each other in one of the caches while the sweep fits it, and would keep them with
  /// rows longer by a line.
  std::vector<SetConflict> Sweeps;
  /// Of the first cache. A sweep over the lines of a stream is not told again.
  std::vector<StreamConflict> Streams;
};

/// Caches from the smallest up.
CacheConflicts cacheConflicts(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, llvm::ArrayRef<CacheShape> Caches);

} // namespace stridewise
#endif
