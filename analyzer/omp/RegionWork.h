// How much work the loops of a team do: iterations and cycles per iteration, estimated on the canonical IR.
//
// The estimate is a count of instructions with the throughput of current cores (about 1.5 to 2 simple instructions per
// cycle, divisions and library functions more), with data in the cache. It is meant to tell 10 ns from 10 µs from 10
// ms, which is what decides whether an OpenMP construct of some µs pays.
#ifndef STRIDEWISE_OMP_REGIONWORK_H
#define STRIDEWISE_OMP_REGIONWORK_H

#include "loops/LoopCopies.h"
#include "omp/OmpSites.h"
#include "prices.h"
#include "unit/Unit.h"

namespace stridewise {

/// Clock at which the thresholds in µs of the rules are compared with estimated cycles.
using prices::CyclesPerMicrosecond;

struct LoopWork {
  double Trips = 0;          // iterations, or an upper bound of them; 0 when unknown
  double Cycles = 0;         // of one iteration; loops of unknown length in it count as if they ran once
  unsigned UnknownDepth = 0; // levels of such loops
  bool UnknownCalls = false; // code that the unit does not show
  bool Uneven = false;       // some iterations may do much more than others
  /// The inner loop that makes all the difference: by as many iterations more, or fewer, in each iteration, from the
  /// first one that has none, or to the last one that has none.
  const llvm::Loop *Triangle = nullptr;
  bool Grows = false; // it gets longer
  /// Where the lengths of rows, from a table, make all the difference: the cycles of one element; 0 else.
  double RowCycles = 0;
  bool Gathers = false; // addresses that depend on data
  bool known() const { return Trips > 0 && UnknownDepth == 0 && !UnknownCalls; }
  double total() const { return Trips * Cycles; }
};

class RegionWork {
public:
  explicit RegionWork(Unit &U);
  using Copy = LoopCopy;
  /// The copies of a loop that the directive distributes, or of a plain loop (no directive).
  llvm::ArrayRef<Copy> copies(const clang::Stmt *Loop, const clang::OMPExecutableDirective *D = nullptr);
  LoopWork work(const Copy &C);
  /// The largest of the copies; nothing when there are none.
  std::optional<LoopWork> largest(llvm::ArrayRef<Copy> Copies);
  /// Calls in a function, as if they were one iteration.
  LoopWork work(llvm::Function &F, llvm::ArrayRef<const llvm::CallBase *> Calls);
  /// Work of all the loops of a collapsed directive, as one: the largest of its copies. Nothing when the IR lacks it.
  std::optional<LoopWork> largest(const clang::OMPExecutableDirective &D);
  /// Work of a loop outside the distribution, the same way.
  std::optional<LoopWork> largest(const clang::Stmt *Loop);
  /// Whether the IR still has the loop as the source states it: the pipeline deletes loops and shortens them where the
  /// program's behaviour is undefined (a private variable that nobody sets) or their results are not used.
  bool isWhole(const clang::OMPExecutableDirective &D);
  Unit &unit() { return U; }

private:
  using Position = std::pair<clang::FileID, unsigned>;
  void index();
  Position position(clang::SourceLocation L) const;
  Unit &U;
  bool Indexed = false;
  std::map<Position, std::vector<Copy>> Loops;
  std::map<const clang::Stmt *, std::vector<Copy>> OfMacros;
};

} // namespace stridewise
#endif
