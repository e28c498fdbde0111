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
  /// others of the same iteration wrote before, and A itself does not move them; null otherwise. Where nothing tells
  /// whether what is written begins before and ends behind what is read, it does if `Assumes` is there, which is set.
  const llvm::Instruction *filled(const llvm::SCEV *Base, llvm::ArrayRef<Reference> Whole,
                                  bool *Assumes = nullptr) const;

private:
  enum Answer { No, Assumed, Yes };
  struct Level {
    const llvm::Loop *L;
    const llvm::SCEV *Step, *Count; // a step of zero: the loop goes over the same elements again
    bool IsFixed = false;           // one iteration of a short loop
  };
  // What a reference touches within an iteration of A: loops outermost first.
  struct Span {
    const Reference *R;
    const llvm::SCEV *Address;
    llvm::SmallVector<Level, 3> Levels;
  };
  std::optional<Span> spanOf(const Reference &R) const;
  llvm::SmallVector<Span, 8> iterations(const Span &S) const;
  llvm::SmallVector<Span, 4> withEnds(llvm::ArrayRef<Span> Writes, const Span &Read) const;
  std::optional<llvm::SmallVector<Span, 4>> beforeOwn(const Span &Read, llvm::ArrayRef<Span> Writes) const;
  Answer isFilled(const Span &Read, llvm::ArrayRef<Span> Writes) const;
  bool alwaysRuns(const llvm::Loop *L, const llvm::BasicBlock *Place) const;
  bool asksForLength(const llvm::BranchInst &Guard, const llvm::Loop &L) const;
  bool precedes(const llvm::Loop *Earlier, const llvm::BasicBlock *Later, const llvm::Loop *Around) const;
  Answer fillsBefore(const Span &W, const Span &R) const;
  static std::optional<unsigned> wideDimension(llvm::ArrayRef<Level> Written, llvm::ArrayRef<Level> Read);
  Answer comesBy(const llvm::SCEV *FirstW, const Level &W, const llvm::SCEV *FirstR, const Level *R,
                 llvm::ArrayRef<Level> Dimensions) const;
  bool areRowsApart(const llvm::SCEV *Between, llvm::ArrayRef<Level> Dimensions) const;
  Answer covers(const Span &W, llvm::ArrayRef<Level> Written, const Span &R, llvm::ArrayRef<Level> Read) const;

  const llvm::Loop *A;
  StrideEngine &Engine;
  llvm::ScalarEvolution &SE;
  const llvm::DominatorTree &DT;
};

} // namespace stridewise
#endif
