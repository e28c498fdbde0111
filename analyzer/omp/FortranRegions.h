// Parallel regions of a Fortran file: where they stand, what opens them again, and how much work their loops do. Places
// come from the text, lengths and costs from the code.
#ifndef STRIDEWISE_OMP_FORTRANREGIONS_H
#define STRIDEWISE_OMP_FORTRANREGIONS_H

#include "fortran/Constructs.h"
#include "loops/LoopIndex.h"
#include "omp/RegionWork.h"

namespace stridewise {

/// A loop of a region that stands in no other loop of it.
struct FortranRegionLoop {
  const FortranStatement *Statement = nullptr;
  const FortranConstruct *Shared = nullptr; // what shares it; null where each thread runs all of it, or one thread does
};

class FortranRegions {
public:
  explicit FortranRegions(Unit &U);

  const FortranConstructs &constructs() const { return Constructs; }
  const FortranProcedures &procedures() const { return Procedures; }
  llvm::ArrayRef<FortranStatement> statements() const { return Text.statements(); }
  RegionWork &work() { return Work; }
  unsigned number(const FortranStatement &S) const { return unsigned(&S - statements().data()); }

  /// The procedure around a construct, as findings call it.
  std::string procedureName(const FortranConstruct &C) const;
  bool isInMain(const FortranConstruct &C) const;
  /// A loop around the construct in its procedure, or around a call of that, through calls in this file; null where
  /// there is none.
  /// Loops that are known to have fewer iterations are looked through.
  const FortranStatement *serialLoop(const FortranConstruct &C, double MinOpenings = 0);
  bool isRepeated(const FortranConstruct &C) { return serialLoop(C) != nullptr; }
  /// Whether a team, a task or a device runs the code around it, as far as the file shows.
  bool runsInTeam(const FortranConstruct &C) const;

  /// The loops that the construct shares as one, outermost first; empty where some of them is none.
  std::vector<const FortranStatement *> sharedLoops(const FortranConstruct &C) const;
  /// Work of these loops; nothing where the code has them no more as the source states them.
  std::optional<LoopWork> sharedWork(const FortranConstruct &C);
  /// The loops of a region, if it shares some of them and has nothing else that is divided among threads: no sections,
  /// tasks, devices, workshare. Empty else.
  std::vector<FortranRegionLoop> loopsOf(const FortranConstruct &Region) const;
  /// Work of a region's loops together and the calls beside them: iterations of all, cycles of one in the mean. Loops
  /// that each thread runs count once. Nothing where some loop of it is not known to the code.
  std::optional<LoopWork> regionWork(const FortranConstruct &Region);

  clang::SourceLocation place(const FortranConstruct &C) const { return place(C.Line, C.Column); }
  clang::SourceLocation place(const FortranStatement &S) const { return place(S.Line, S.Column); }
  /// From the directive to the end of what it holds.
  clang::SourceRange scope(const FortranConstruct &C) const;

private:
  clang::SourceLocation place(unsigned Line, unsigned Column) const;
  const FortranStatement *loopAround(unsigned Statement, unsigned Before, double MinOpenings, unsigned Depth);
  bool teamAround(int Construct, unsigned Statement, unsigned Depth) const;
  bool isWhole(const FortranStatement &S);
  bool readsUnsetPrivate(const FortranConstruct &C) const;
  bool holdsLoop(const LoopCopy &C, unsigned Statement);
  std::vector<const FortranStatement *> callsOf(unsigned Statement) const;
  /// Calls and loops of a function by their lines, sorted; of what was inlined, by those of the calls too.
  struct CodeLines {
    std::vector<std::pair<unsigned, const llvm::CallBase *>> Calls;
    std::vector<std::pair<unsigned, const llvm::Loop *>> Loops;
  };
  const CodeLines &linesOf(llvm::Function &F);

  Unit &U;
  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  llvm::StringMap<std::vector<const FortranStatement *>> Calls; // of the file's procedures
  RegionWork Work;
  llvm::DenseMap<llvm::Function *, CodeLines> Lines;
};

/// Bounds of `do i = first, last, step` as the text has them; the step is empty where it is not said. Nothing for other
/// loops.
struct FortranBounds {
  llvm::StringRef First, Last, Step;
};
std::optional<FortranBounds> fortranBounds(const FortranStatement &S);

/// Two parts of one region as one: their iterations and their cycles together.
void addWork(std::optional<LoopWork> &Into, const LoopWork &W);

} // namespace stridewise
#endif
