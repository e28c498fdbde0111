// Loop nests as memory sees them: for each effective innermost loop the loops around it, every memory access in it with
// its stride per loop, and what an iteration costs when one loop or another runs innermost.
//
// The *effective* innermost loop E is the loop whose order matters: short inner loops of constant length (components,
// directions, stencil taps) and window loops (which step through the same dimension as a loop around them) count as
// straight-line code of the loop that contains them.
#ifndef STRIDEWISE_LOOPS_LOOPNEST_H
#define STRIDEWISE_LOOPS_LOOPNEST_H

#include "loops/Strides.h"
#include "prices.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>
#include <vector>

namespace llvm {
class TargetLibraryInfo;
}

namespace stridewise {

using prices::CacheLineBytes, prices::PageBytes, prices::FirstLevelBytes;

/// One access to memory: a load, a store, one side of a memcpy, or a pointer that is passed to a call.
struct Reference {
  llvm::Instruction *At;
  llvm::Value *Pointer;
  const llvm::SCEV *Address; // rewritten
  unsigned Bytes;
  bool Reads, Writes;
  bool Guarded;         // runs only when data that varies in the nest says so
  bool Local;           // in a small local array, which stays in the cache: belongs to no group
  const llvm::Loop *In; // innermost loop around it: E or an absorbed loop
};

/// References that move together, less than a line apart: they share the lines they fetch.
struct ReferenceGroup {
  llvm::SmallVector<unsigned, 4> Members; // indices into LoopNest::References
  llvm::SmallVector<Stride, 4> Strides;   // by level: 0 for E, 1 for the loop around it, …
  double Footprint = 0;                   // bytes that one iteration of E touches contiguously
  double Repeats = 1;                     // separate places it touches per iteration of E (absorbed loops that jump)
  bool Guarded = false;                   // all members are
  bool Small = false;                     // the array is known to fit the first-level cache
};

struct LoopNest {
  llvm::SmallVector<const llvm::Loop *, 4> Loops; // E first, then outwards to the outermost loop
  llvm::SmallVector<unsigned, 4> Trips;           // by level; 0 where the source does not tell
  std::vector<Reference> References;
  std::vector<ReferenceGroup> Groups;
  /// Whether all that costs anything stands behind comparisons of numbers: then it is what the nest is for.
  bool OnlyGuarded = false;
  bool counts(const ReferenceGroup &G) const { return !G.Guarded || OnlyGuarded; }
  /// By how many of its iterations E begins later with each iteration of the loop around it, as the rows of a triangle
  /// do. Strides of level 1 are those between iterations of E with the same counter.
  std::int64_t Shift = 0;
  /// A call in E whose effects are unknown: input and output, random numbers, code of other units.
  const llvm::CallBase *OpaqueCall = nullptr;
  /// All such calls give a number for numbers of the iteration, as an equation of state does in another unit or behind
  /// a pointer: hardly by the order in which they are asked.
  bool AsksFormulas = false;

  const llvm::Loop *inner() const { return Loops.front(); }
};

/// By how many of its iterations a loop begins later with each iteration of one around it; 0 where nothing tells.
std::int64_t counterShift(const llvm::Loop *L, const llvm::Loop *Around, StrideEngine &Engine);

/// All nests of at least two loops in a function, in program order. Made once per function.
const std::vector<LoopNest> &loopNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Cache lines that a reference of this stride fetches per iteration: min(stride / line, 1 + footprint / line).
double linesPerIteration(const Stride &S, double Footprint);
/// Lines plus four times the pages entered per iteration. Lines alone cannot tell a walk over records larger than a
/// line from a walk down a column; pages (translation, prefetching) do. The factor hardly matters: 1 to 10 rank alike.
double iterationCost(const Stride &S, double Footprint);
/// Whether the loop of this level, run innermost, leaves as many walks as it has iterations, each of which keeps its
/// line and its page while E, now around it, moves on: the directions of a lattice, the components of a cell.
bool leavesWalks(const LoopNest &N, unsigned Level);
/// Whether the lines of these walks of the group stay in the cache meanwhile, as far as their steps tell.
bool keepsWalks(const LoopNest &N, const ReferenceGroup &G, unsigned Level);
/// Cost of the group's accesses in an iteration when the loop of this level runs innermost. Where it then jumps from
/// plane to plane or by a table of directions, such walks are what is left of it.
double groupCost(const LoopNest &N, const ReferenceGroup &G, unsigned Level);
/// Cost of an iteration when the loop of this level runs innermost, over all groups that always run.
double nestCost(const LoopNest &N, unsigned Level);
/// Bytes of an array whose size the program states: no loop touches more of it.
std::optional<double> sizeOfArray(const Reference &R);
/// Bytes of distinct cache lines that the loops of levels 0 to Level touch; nothing when a trip count is unknown.
std::optional<double> footprintBytes(const LoopNest &N, unsigned Level, StrideEngine &Engine);
/// How many lines that are so many bytes apart stay in the first-level cache: steps of many lines fall into few sets.
double linesInSets(double Step);
/// Whether a walk of the levels 0 to Level has more lines than fit into the sets of the first level that it steps to.
bool crowdsSets(const LoopNest &N, unsigned Level, StrideEngine &Engine);
/// True when the lines of one sweep over levels 0 to Level are known to stay in the first-level cache (32 KiB, 8 ways),
/// so that the next sweep finds them there.
bool staysInFirstLevel(const LoopNest &N, unsigned Level, StrideEngine &Engine);

/// Collects the references of the nest's innermost loop and groups them. False when there are too many to judge.
bool collectReferences(LoopNest &N, llvm::Function &F, llvm::FunctionAnalysisManager &FAM, StrideEngine &Engine);
/// True for calls that neither write memory that the program sees nor depend on when they run.
bool isHarmlessCall(const llvm::CallBase &C, const llvm::TargetLibraryInfo &TLI);

} // namespace stridewise
#endif
