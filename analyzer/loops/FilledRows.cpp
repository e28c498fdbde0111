// Compares what loops within an iteration write and read, dimension by dimension.
#include "loops/FilledRows.h"
#include "loops/OffsetTerms.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace stridewise {

using limits::loops::SymbolicReach;
constexpr unsigned MaxIterations = 32; // of short loops, taken one by one

FilledRows::FilledRows(const Loop *A, Function &F, FunctionAnalysisManager &FAM, StrideEngine &Engine)
    : A(A), Engine(Engine), SE(Engine.scalarEvolution()), DT(FAM.getResult<DominatorTreeAnalysis>(F)) {}

// Nothing when A moves the reference; data may say from where on each of its iterations goes, to write in a local
// array.
std::optional<FilledRows::Span> FilledRows::spanOf(const Reference &R) const {
  const SCEV *ByA = Engine.step(R.Address, A);
  const bool Moves = ByA ? !ByA->isZero() : R.Writes && !isa<AllocaInst>(getUnderlyingObject(R.Pointer));
  if (Moves || !R.In || !A->contains(R.In))
    return std::nullopt;
  Span S{&R, R.Address, {}};
  for (const Loop *L = R.In; L != A; L = L->getParentLoop()) {
    const SCEV *Step = Engine.step(R.Address, L), *Count = unclamped(Engine.backedges(L), SE);
    if (!Step || !Count || !L->getLoopLatch() ||
        SE.getTypeSizeInBits(Count->getType()) > SE.getTypeSizeInBits(Step->getType()))
      return std::nullopt;
    S.Levels.insert(S.Levels.begin(), {L, Step, Engine.simplify(SE.getNoopOrSignExtend(Count, Step->getType()))});
  }
  return S;
}

// The span as one for each iteration of its short loops: components are often written one by one, and read in a loop.
SmallVector<FilledRows::Span, 8> FilledRows::iterations(const Span &S) const {
  SmallVector<Span, 8> Found{S};
  for (unsigned K = 0; K < S.Levels.size(); ++K) {
    const auto *Last = dyn_cast<SCEVConstant>(S.Levels[K].Count), *Step = dyn_cast<SCEVConstant>(S.Levels[K].Step);
    if (!Last || !Step || Step->isZero() || Last->getAPInt().uge(MaxIterations / Found.size()))
      continue;
    SmallVector<Span, 8> Each;
    for (const Span &Whole : Found)
      for (std::uint64_t At = 0; At <= Last->getAPInt().getZExtValue(); ++At) {
        Span &One = Each.emplace_back(Whole);
        const SCEV *Zero = SE.getZero(Step->getType());
        One.Levels[K] = {S.Levels[K].L, Zero, Zero, true};
        One.Address = SE.getAddExpr(One.Address, SE.getMulExpr(SE.getConstant(Step->getType(), At), Step));
      }
    Found = std::move(Each);
  }
  return Found;
}

// Whether each iteration of the loop around it that comes to the place has come to the loop, if only to find that it
// has no iteration.
bool FilledRows::alwaysRuns(const Loop *L, const BasicBlock *Place) const {
  const BranchInst *Guard = L->getLoopGuardBranch();
  const BasicBlock *Begin = Guard && asksForLength(*Guard, *L) ? Guard->getParent() : L->getLoopPreheader();
  return Begin && Place && DT.dominates(Begin, Place);
}

// Whether the branch goes by the loop where it has no iteration, and only there: any other condition says that it does
// not always run.
bool FilledRows::asksForLength(const BranchInst &Guard, const Loop &L) const {
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<Constant>(Guard.getCondition()))
    return true;
  const auto *Compare = dyn_cast<ICmpInst>(Guard.getCondition());
  if (!Compare || isa<SCEVConstant>(Count))
    return false;
  const auto IsDivided = [](const SCEV *S) { return isa<SCEVUDivExpr, SCEVMinMaxExpr, SCEVCouldNotCompute>(S); };
  if (SCEVExprContains(Count, IsDivided))
    return true;
  const SCEV *X = SE.getSCEV(Compare->getOperand(0)), *Y = SE.getSCEV(Compare->getOperand(1));
  Type *Narrow = X->getType();
  if (!Narrow->isIntegerTy() || SE.getTypeSizeInBits(Narrow) > SE.getTypeSizeInBits(Count->getType()))
    return false;
  const SCEV *Last = SE.getTruncateOrNoop(Count, Narrow), *Length = SE.getMinusSCEV(X, Y);
  for (const SCEV *Each : {Length, SE.getNegativeSCEV(Length)})
    if (const auto Rest = constant(SE.getMinusSCEV(Each, Last)); Rest && (*Rest == 0 || *Rest == 1))
      return true;
  return false;
}

// Whether no way through an iteration of the loop around them leads from what comes later to the loop.
bool FilledRows::precedes(const Loop *Earlier, const BasicBlock *Later, const Loop *Around) const {
  SmallPtrSet<const BasicBlock *, 16> Seen{Around->getHeader()};
  SmallVector<const BasicBlock *, 16> Work(successors(Later));
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

// Of the dimensions that are written, the one that may be written further than it is read: the last one where none is
// told by its length. Nothing where others differ.
std::optional<unsigned> FilledRows::wideDimension(ArrayRef<Level> Written, ArrayRef<Level> Read) {
  unsigned Wide = Written.size() - 1;
  if (Read.size() == Written.size())
    for (unsigned K = 0; K < Written.size(); ++K)
      if (Read[K].Count != Written[K].Count) {
        Wide = K;
        break;
      }
  for (unsigned K = 0; K < Written.size(); ++K)
    if (K != Wide && (K >= Read.size() || Read[K].Step != Written[K].Step || Read[K].Count != Written[K].Count))
      return std::nullopt;
  return Wide;
}

// Whether the distance is that of some rows of unknown length: the row before the first one that is written is another
// one, whatever the length.
bool FilledRows::areRowsApart(const SCEV *Between, ArrayRef<Level> Dimensions) const {
  return any_of(Dimensions, [&](const Level &L) {
    return !isa<SCEVConstant>(L.Step) && L.Step->getType() == Between->getType() &&
           any_of(seq<std::int64_t>(-SymbolicReach, SymbolicReach + 1), [&](std::int64_t Rows) {
             return isa<SCEVConstant>(Engine.simplify(
                 SE.getMinusSCEV(Between, SE.getMulExpr(SE.getConstant(L.Step->getType(), Rows, true), L.Step))));
           });
  });
}

// Whether a walk over a dimension, from its first element on, comes by all elements of the other one, which is null for
// a single element.
FilledRows::Answer FilledRows::comesBy(const SCEV *FirstW, const Level &W, const SCEV *FirstR, const Level *R,
                                       ArrayRef<Level> Dimensions) const {
  const SCEV *LastW = SE.getAddExpr(FirstW, SE.getMulExpr(W.Count, W.Step)), *LastR = FirstR;
  if (R) {
    LastR = SE.getAddExpr(FirstR, SE.getMulExpr(R->Count, R->Step));
    if (R->Step == SE.getNegativeSCEV(W.Step))
      std::swap(FirstR, LastR);
    else if (R->Step != W.Step)
      return No;
  }
  if (SE.isKnownNegative(W.Step)) {
    std::swap(FirstW, LastW);
    std::swap(FirstR, LastR);
  } else if (!SE.isKnownPositive(W.Step)) {
    return FirstW == FirstR && LastW == LastR ? Yes : No;
  }
  const auto IsAhead = [&](const SCEV *Low, const SCEV *High) {
    const SCEV *Between = Engine.simplify(SE.getMinusSCEV(High, Low));
    const auto *C = dyn_cast<SCEVConstant>(Between);
    if (!C)
      return areRowsApart(Between, Dimensions) ? No : Assumed;
    // Elements of other dimensions lie between those of this one.
    const auto *Step = dyn_cast<SCEVConstant>(W.Step);
    const bool Meets = Dimensions.size() == 1 || C->isZero() || (Step && C->getAPInt().srem(Step->getAPInt()).isZero());
    return !C->getAPInt().isNegative() && Meets ? Yes : No;
  };
  return std::min(IsAhead(FirstW, FirstR), IsAhead(LastR, LastW));
}

// Whether these loops write, among others, all that those read. All dimensions but one are as long as each other and
// begin at the same element.
FilledRows::Answer FilledRows::covers(const Span &W, ArrayRef<Level> Written, const Span &R,
                                      ArrayRef<Level> Read) const {
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
  const SCEV *FirstW = atFirst(W.Address, Loops, SE), *FirstR = atFirst(R.Address, Loops, SE);
  if (MW.empty() || MR.size() > MW.size())
    return MW.empty() && MR.empty() && FirstW == FirstR ? Yes : No;
  const std::optional<unsigned> Wide = wideDimension(MW, MR);
  return Wide ? comesBy(FirstW, MW[*Wide], FirstR, MR.size() == MW.size() ? &MR[*Wide] : nullptr, MW) : No;
}

// Whether W comes first in each iteration of A, and has written all that R reads.
FilledRows::Answer FilledRows::fillsBefore(const Span &W, const Span &R) const {
  // Loops around both of them are at the same iteration.
  unsigned Common = 0;
  while (Common < W.Levels.size() && Common < R.Levels.size() && W.Levels[Common].L == R.Levels[Common].L) {
    if (W.Levels[Common].Step != R.Levels[Common].Step || W.Levels[Common].IsFixed || R.Levels[Common].IsFixed)
      return No;
    ++Common;
  }
  const Loop *Around = Common ? W.Levels[Common - 1].L : A;
  const ArrayRef<Level> Written = ArrayRef(W.Levels).drop_front(Common), Read = ArrayRef(R.Levels).drop_front(Common);
  if (Written.empty()) {
    const bool Stays = all_of(Read, [](const Level &L) { return L.Step->isZero(); });
    return Stays && W.Address == R.Address && DT.dominates(W.R->At, R.R->At) ? Yes : No;
  }
  const BasicBlock *Later = Read.empty() ? R.R->At->getParent() : Read.front().L->getHeader();
  for (unsigned K = 0; K < Written.size(); ++K)
    if (!alwaysRuns(Written[K].L, K ? Written[K - 1].L->getLoopLatch() : Later))
      return No;
  const bool Before = DT.dominates(W.R->At->getParent(), Written.back().L->getLoopLatch()) &&
                      precedes(Written.front().L, Later, Around);
  return Before ? covers(W, Written, R, Read) : No;
}

// The rows that loops write, with the elements beside their ends that were written one by one: `a(1)`, `a(2:n-1)` and
// `a(n)`. Only those that grow.
SmallVector<FilledRows::Span, 4> FilledRows::withEnds(ArrayRef<Span> Writes, const Span &Read) const {
  SmallVector<Span, 4> Grown;
  SmallVector<const SCEV *, 4> Single;
  for (const Span &W : Writes)
    if (W.Levels.empty() && DT.dominates(W.R->At, Read.R->At))
      Single.push_back(W.Address);
  for (const Span &W : Writes) {
    if (W.Levels.size() != 1 || !isa<SCEVConstant>(W.Levels[0].Step) || W.Levels[0].Step->isZero())
      continue;
    Span Row = W;
    Level &Along = Row.Levels[0];
    // A row has two ends.
    for (unsigned End = 0; End < 2; ++End)
      for (const SCEV *Element : Single) {
        const SCEV *First = atFirst(Row.Address, Along.L, SE);
        const SCEV *Behind = SE.getAddExpr(
            First, SE.getMulExpr(SE.getAddExpr(Along.Count, SE.getOne(Along.Count->getType())), Along.Step));
        const bool Before = Engine.simplify(SE.getMinusSCEV(SE.getMinusSCEV(First, Along.Step), Element))->isZero();
        if (!Before && !Engine.simplify(SE.getMinusSCEV(Behind, Element))->isZero())
          continue;
        Along.Count = Engine.simplify(SE.getAddExpr(Along.Count, SE.getOne(Along.Count->getType())));
        if (Before)
          Row.Address = SE.getAddExpr(Row.Address, SE.getNegativeSCEV(Along.Step));
      }
    if (Along.Count != W.Levels[0].Count)
      Grown.push_back(std::move(Row));
  }
  return Grown;
}

// Where a loop reads what earlier iterations of its own wrote, as a recurrence does (c[i] from c[i - 1]), the first
// elements, which it has not written: what must be there before. Nothing where it does not.
std::optional<SmallVector<FilledRows::Span, 4>> FilledRows::beforeOwn(const Span &Read, ArrayRef<Span> Writes) const {
  const auto Along = Read.Levels.empty() ? std::nullopt : constant(Read.Levels.back().Step);
  if (!Along || !*Along)
    return std::nullopt;
  const Loop *L = Read.Levels.back().L;
  for (const Span &W : Writes) {
    const auto Same = [](const Level &X, const Level &Y) { return X.L == Y.L && X.Step == Y.Step; };
    if (!equal(W.Levels, Read.Levels, Same) || !DT.dominates(W.R->At->getParent(), L->getLoopLatch()))
      continue;
    const auto Ahead = constant(Engine.simplify(SE.getMinusSCEV(W.Address, Read.Address)));
    const std::int64_t Turns = Ahead && *Ahead % *Along == 0 ? *Ahead / *Along : 0;
    if (Turns <= 0 || Turns > SymbolicReach)
      continue;
    SmallVector<Span, 4> First;
    for (std::int64_t At = 0; At < Turns; ++At) {
      Span &One = First.emplace_back(Read);
      One.Levels.pop_back();
      One.Address = SE.getAddExpr(atFirst(Read.Address, L, SE),
                                  SE.getConstant(Read.Levels.back().Step->getType(), At * *Along, /*isSigned=*/true));
    }
    return First;
  }
  return std::nullopt;
}

// Whether all that is read was written before, by one of the writes, or each iteration of short loops by its own.
FilledRows::Answer FilledRows::isFilled(const Span &Read, ArrayRef<Span> Writes) const {
  const auto ByOne = [&](const Span &R, ArrayRef<Span> By) {
    Answer Best = No;
    for (const Span &W : By)
      Best = std::max(Best, fillsBefore(W, R));
    return Best;
  };
  Answer Whole = std::max(ByOne(Read, Writes), ByOne(Read, withEnds(Writes, Read)));
  if (Whole == Yes)
    return Yes;
  if (const auto First = beforeOwn(Read, Writes)) {
    Answer All = Yes;
    for (const Span &One : *First)
      All = std::min(All, std::max(ByOne(One, Writes), ByOne(One, withEnds(Writes, One))));
    Whole = std::max(Whole, All);
  }
  const SmallVector<Span, 8> Parts = iterations(Read);
  SmallVector<Span, 16> Ways(Writes.begin(), Writes.end());
  for (const Span &W : Writes)
    if (SmallVector<Span, 8> Each = iterations(W); Each.size() > 1)
      append_range(Ways, Each);
  Answer Worst = Yes;
  for (const Span &Part : Parts)
    Worst = std::min(Worst, ByOne(Part, Ways));
  return std::max(Whole, Worst);
}

const Instruction *FilledRows::filled(const SCEV *Base, ArrayRef<Reference> Whole, bool *Assumes) const {
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
  bool Sure = true;
  const auto IsFilled = [&](const Span &R) {
    const Answer Filled = isFilled(R, Writes);
    Sure &= Filled == Yes;
    return Filled == Yes || (Filled == Assumed && Assumes);
  };
  if (Reads.empty() || Writes.empty() || !all_of(Reads, IsFilled))
    return nullptr;
  if (Assumes)
    *Assumes = !Sure;
  return Writes.front().R->At;
}

} // namespace stridewise
