// Compares what loops within an iteration write and read, dimension by dimension.
#include "loops/FilledRows.h"
#include "loops/OffsetTerms.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace stridewise {

FilledRows::FilledRows(const Loop *A, Function &F, FunctionAnalysisManager &FAM, StrideEngine &Engine)
    : A(A), Engine(Engine), SE(Engine.scalarEvolution()), DT(FAM.getResult<DominatorTreeAnalysis>(F)) {}

// Nothing when A moves the reference, or when a loop's length depends on another's.
std::optional<FilledRows::Span> FilledRows::spanOf(const Reference &R) const {
  const SCEV *ByA = Engine.step(R.Address, A);
  if (!ByA || !ByA->isZero() || !R.In || !A->contains(R.In))
    return std::nullopt;
  Span S{&R, {}};
  for (const Loop *L = R.In; L != A; L = L->getParentLoop()) {
    const SCEV *Step = Engine.step(R.Address, L), *Count = unclamped(Engine.backedges(L), SE);
    if (!Step || !Count || Engine.varies(Count, A) || !L->getLoopLatch() ||
        SE.getTypeSizeInBits(Count->getType()) > SE.getTypeSizeInBits(Step->getType()))
      return std::nullopt;
    S.Levels.insert(S.Levels.begin(), {L, Step, Engine.simplify(SE.getNoopOrSignExtend(Count, Step->getType()))});
  }
  return S;
}

// Whether each iteration of the loop around it comes to the loop, if only to find that it has no iteration.
bool FilledRows::alwaysRuns(const Loop *L, const Loop *Around) const {
  const BranchInst *Guard = L->getLoopGuardBranch();
  const BasicBlock *Begin = Guard ? Guard->getParent() : L->getLoopPreheader();
  return Begin && Around->getLoopLatch() && DT.dominates(Begin, Around->getLoopLatch());
}

// Whether no way through an iteration of the loop around them leads from the later loop to the earlier one.
bool FilledRows::precedes(const Loop *Earlier, const Loop *Later, const Loop *Around) const {
  SmallPtrSet<const BasicBlock *, 16> Seen{Around->getHeader()};
  SmallVector<const BasicBlock *, 16> Work{Later->getHeader()};
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (!Around->contains(BB) || !Seen.insert(BB).second)
      continue;
    if (BB == Earlier->getHeader())
      return false;
    Work.append(succ_begin(BB), succ_end(BB));
  }
  return true;
}

// Whether these loops write, among others, all that those read. All dimensions but the last are as long as each other
// and begin at the same element.
bool FilledRows::covers(const Span &W, ArrayRef<Level> Written, const Span &R, ArrayRef<Level> Read) const {
  const auto Moving = [](ArrayRef<Level> Levels) {
    SmallVector<Level, 3> Moves;
    copy_if(Levels, std::back_inserter(Moves), [](const Level &L) { return !L.Step->isZero(); });
    return Moves;
  };
  const SmallVector<Level, 3> MW = Moving(Written), MR = Moving(Read);
  SmallVector<const Loop *, 6> Loops;
  for (ArrayRef<Level> Levels : {Written, Read})
    for (const Level &L : Levels)
      Loops.push_back(L.L);
  const SCEV *FirstW = atFirst(W.R->Address, Loops, SE), *FirstR = atFirst(R.R->Address, Loops, SE);
  if (MW.empty() || MR.size() > MW.size())
    return MW.empty() && MR.empty() && FirstW == FirstR;
  for (unsigned K = 0; K + 1 < MW.size(); ++K)
    if (K >= MR.size() || MR[K].Step != MW[K].Step || MR[K].Count != MW[K].Count)
      return false;
  const SCEV *LastW = SE.getAddExpr(FirstW, SE.getMulExpr(MW.back().Count, MW.back().Step)), *LastR = FirstR;
  bool Down = false;
  if (MR.size() == MW.size()) {
    LastR = SE.getAddExpr(FirstR, SE.getMulExpr(MR.back().Count, MR.back().Step));
    Down = MR.back().Step == SE.getNegativeSCEV(MW.back().Step);
    if (!Down && MR.back().Step != MW.back().Step)
      return false;
  }
  if (Down)
    std::swap(FirstR, LastR);
  if (SE.isKnownNegative(MW.back().Step)) {
    std::swap(FirstW, LastW);
    std::swap(FirstR, LastR);
  } else if (!SE.isKnownPositive(MW.back().Step)) {
    return FirstW == FirstR && LastW == LastR;
  }
  const auto IsAhead = [&](const SCEV *Low, const SCEV *High) {
    const auto *C = dyn_cast<SCEVConstant>(Engine.simplify(SE.getMinusSCEV(High, Low)));
    return C && !C->getAPInt().isNegative();
  };
  return IsAhead(FirstW, FirstR) && IsAhead(LastR, LastW);
}

// Whether W comes first in each iteration of A, and has written all that R reads.
bool FilledRows::fillsBefore(const Span &W, const Span &R) const {
  // Loops around both of them are at the same iteration.
  unsigned Common = 0;
  while (Common < W.Levels.size() && Common < R.Levels.size() && W.Levels[Common].L == R.Levels[Common].L) {
    if (W.Levels[Common].Step != R.Levels[Common].Step)
      return false;
    ++Common;
  }
  const Loop *Around = Common ? W.Levels[Common - 1].L : A;
  const ArrayRef<Level> Written = ArrayRef(W.Levels).drop_front(Common), Read = ArrayRef(R.Levels).drop_front(Common);
  if (Written.empty())
    return Read.empty() && W.R->Address == R.R->Address && DT.dominates(W.R->At, R.R->At);
  for (unsigned K = 0; K < Written.size(); ++K)
    if (!alwaysRuns(Written[K].L, K ? Written[K - 1].L : Around))
      return false;
  return DT.dominates(W.R->At->getParent(), Written.back().L->getLoopLatch()) && !Read.empty() &&
         precedes(Written.front().L, Read.front().L, Around) && covers(W, Written, R, Read);
}

const Instruction *FilledRows::filled(const SCEV *Base, ArrayRef<Reference> Whole) const {
  const auto *Array = dyn_cast<SCEVUnknown>(Base);
  if (!Array || Engine.varies(Base, A))
    return nullptr;
  SmallVector<Span, 8> Reads, Writes;
  for (const Reference &R : Whole) {
    if (SE.getPointerBase(R.Address) != Base)
      continue;
    std::optional<Span> S = R.Reads != R.Writes ? spanOf(R) : std::nullopt;
    if (!S)
      return nullptr;
    (R.Reads ? Reads : Writes).push_back(std::move(*S));
  }
  const auto IsFilled = [&](const Span &R) { return any_of(Writes, [&](const Span &W) { return fillsBefore(W, R); }); };
  return !Reads.empty() && !Writes.empty() && all_of(Reads, IsFilled) ? Writes.front().R->At : nullptr;
}

} // namespace stridewise
