// Arrays that each iteration of a loop fills before it reads them: rows of scratch numbers. With an element more for
// each iteration of that loop, nothing passes from one iteration to another.
#ifndef STRIDEWISE_LOOPS_FILLEDROWS_H
#define STRIDEWISE_LOOPS_FILLEDROWS_H

#include "loops/LoopNest.h"

namespace stridewise {

class FilledRows {
public:
  FilledRows(const llvm::Loop *A, llvm::Function &F, llvm::FunctionAnalysisManager &FAM, StrideEngine &Engine);

  /// One write to the array at `Base`, where of all references to it in an iteration of A those that read find what
  /// others of the same iteration wrote before, and A itself does not move them; null otherwise.
  const llvm::Instruction *filled(const llvm::SCEV *Base, llvm::ArrayRef<Reference> Whole) const;

private:
  struct Level {
    const llvm::Loop *L;
    const llvm::SCEV *Step, *Count; // a step of zero: the loop goes over the same elements again
  };
  // What a reference touches within an iteration of A: loops outermost first.
  struct Span {
    const Reference *R;
    llvm::SmallVector<Level, 3> Levels;
  };
  std::optional<Span> spanOf(const Reference &R) const;
  bool alwaysRuns(const llvm::Loop *L, const llvm::Loop *Around) const;
  bool precedes(const llvm::Loop *Earlier, const llvm::Loop *Later, const llvm::Loop *Around) const;
  bool fillsBefore(const Span &W, const Span &R) const;
  bool covers(const Span &W, llvm::ArrayRef<Level> Written, const Span &R, llvm::ArrayRef<Level> Read) const;

  const llvm::Loop *A;
  StrideEngine &Engine;
  llvm::ScalarEvolution &SE;
  const llvm::DominatorTree &DT;
};

} // namespace stridewise
#endif
