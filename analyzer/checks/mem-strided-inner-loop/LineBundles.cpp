// The loops around the copy are asked from the inside: the nearest whose iterations are lines side by side counts.
#include "checks/mem-strided-inner-loop/LineBundles.h"
#include "library/LibraryCalls.h"
#include "loops/AddressDistance.h"
#include "loops/FilledRows.h"
#include "loops/MemoryUpdates.h"
#include "loops/OffsetTerms.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

class Bundles {
public:
  Bundles(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM, double MinRatio)
      : N(N), F(F), FAM(FAM), Engine(StrideEngine::get(F, FAM)), SE(Engine.scalarEvolution()), MinRatio(MinRatio) {}

  // Whether lines jump, and nothing but what is along them is beside them.
  bool fits(unsigned Level) {
    if (none_of(N.Groups, [&](const ReferenceGroup &G) { return gains(G, Level); }))
      return false;
    Whole = {};
    Whole.Loops.assign(N.Loops.begin() + Level, N.Loops.end());
    return collectReferences(Whole, F, FAM, Engine) && !usesFiles() && all_of(N.Groups, [&](const ReferenceGroup &G) {
             return !N.counts(G) || gains(G, Level) || isAlongLine(G, Level);
           });
  }

  // Whether the lines are copied into a buffer, or back from it.
  bool copies(unsigned Level) const {
    return any_of(N.Groups,
                  [&](const ReferenceGroup &G) { return N.counts(G) && !gains(G, Level) && isBuffer(G, Level); }) &&
           !reachesNeighbours(Level);
  }

  // Whether iterations of the loop over the lines can go side by side as they stand: the loops inside are the same for
  // each of them, and none hands anything on to another, as far as that can be seen.
  bool goSideBySide(unsigned Level, bool IsShared) const {
    const Loop *Over = N.Loops[Level];
    const SCEV *Trips = Engine.backedges(N.inner());
    if (Whole.OpaqueCall || !Trips || reachesNeighbours(Level) || mirrors())
      return false;
    // Threads that take every so many elements of one line: as many lines as there are threads.
    if (IsShared && Engine.varies(Trips, Over))
      return false;
    for (unsigned K = 1; K < Level; ++K)
      if (!endsAlike(*N.Loops[K], Over))
        return false;
    for (PHINode &P : const_cast<Loop *>(Over)->getHeader()->phis())
      if (!IsShared && !(SE.isSCEVable(P.getType()) && Engine.step(Engine.rewrite(&P), Over)))
        return false;
    return IsShared || keepsApart(Over);
  }

  // An iteration's cost where the neighbours of this level are copied together: what is along the lines stays as it is.
  double cost(unsigned Level) const {
    double Sum = 0;
    for (const ReferenceGroup &G : N.Groups)
      if (N.counts(G))
        Sum += G.Repeats * iterationCost(G.Strides[gains(G, Level) ? Level : 0], G.Footprint);
    return Sum;
  }

  // Instructions that are no accesses, for each access that jumps.
  double work(unsigned Level) {
    double Instructions = 0, Jumps = 0;
    for (BasicBlock *BB : N.inner()->blocks())
      for (Instruction &I : counted(*BB))
        if (!I.mayReadOrWriteMemory() && !isa<GetElementPtrInst, PHINode, CastInst>(I) && !I.isTerminator())
          ++Instructions;
    for (const ReferenceGroup &G : N.Groups)
      if (gains(G, Level))
        Jumps += G.Repeats;
    return Instructions / std::max(Jumps, 1.0);
  }

  // Whether the lines of one pass stay in the first-level cache until the next one needs their neighbours, as far as
  // the steps of the nest and the sizes of the arrays tell how long a line can be.
  bool stayCached(unsigned Level, double Bytes) const {
    double Most = longest(Level), Lines = 0;
    if (!Most)
      return false;
    for (unsigned K = 1; K < Level; ++K)
      if (!N.Trips[K])
        return false;
      else
        Most *= N.Trips[K];
    for (const ReferenceGroup &G : N.Groups) {
      if (!gains(G, Level))
        continue;
      Lines += G.Repeats * std::ceil(G.Footprint / CacheLineBytes);
      if (G.Strides[0].K == Stride::Constant && Most > linesInSets(step(G)))
        return false;
    }
    return Most * Lines * CacheLineBytes <= Bytes;
  }

private:
  static double step(const ReferenceGroup &G) { return std::abs(static_cast<double>(G.Strides[0].Bytes)); }

  // 0 where nothing tells.
  double longest(unsigned Level) const {
    double Least = N.Trips[0];
    const auto Bound = [&](double Trips) { Least = Least ? std::min(Least, Trips) : Trips; };
    for (const ReferenceGroup &G : N.Groups) {
      if (!gains(G, Level) || G.Strides[0].K != Stride::Constant)
        continue;
      for (const Stride &Outer : drop_begin(G.Strides))
        if (const double By = std::abs(static_cast<double>(Outer.Bytes)); Outer.K == Stride::Constant && By > step(G))
          Bound(By / step(G));
      const Value *Array = getUnderlyingObject(N.References[G.Members.front()].Pointer);
      const auto *Global = dyn_cast<GlobalVariable>(Array);
      if (Global && Global->getValueType()->isSized())
        Bound(F.getParent()->getDataLayout().getTypeAllocSize(Global->getValueType()).getFixedValue() / step(G));
    }
    return Least;
  }

  // Lines that jump, two of which at least stand in each cache line.
  bool gains(const ReferenceGroup &G, unsigned Level) const {
    return N.counts(G) && improves(G, Level, MinRatio) &&
           2 * std::abs(static_cast<double>(G.Strides[Level].Bytes)) <= CacheLineBytes;
  }

  // The same elements for every line (the buffer, coefficients along a line, pointers to its rows), or an array that
  // each line gets for itself.
  bool isAlongLine(const ReferenceGroup &G, unsigned Level) const {
    return G.Strides[0].K == Stride::Zero || G.Strides[Level].K == Stride::Zero ||
           isMadeForLine(N.References[G.Members.front()], Level);
  }
  bool isMadeForLine(const Reference &R, unsigned Level) const {
    const auto *Made = dyn_cast<CallBase>(getUnderlyingObject(R.Pointer));
    const LibraryCall *Known = Made && Made->getCalledFunction() ? findLibraryCall(Made->getCalledFunction()) : nullptr;
    return Made && (Made->returnDoesNotAlias() || (Known && Known->does(LibAllocates))) &&
           N.Loops[Level]->contains(Made) && !N.inner()->contains(Made);
  }

  bool any(const ReferenceGroup &G, bool Reference::*Does) const {
    return any_of(G.Members, [&](unsigned K) { return N.References[K].*Does; });
  }
  bool holdsPointers(const ReferenceGroup &G) const {
    return any_of(G.Members, [&](unsigned K) {
      const auto *Load = dyn_cast<LoadInst>(N.References[K].At);
      return Load && Load->getType()->isPointerTy();
    });
  }

  // Whether the group is written with what is read along the lines, or read for what is written there, and something
  // else in each iteration of the loop over the lines works on it.
  bool isBuffer(const ReferenceGroup &G, unsigned Level) const {
    const bool Writes = any(G, &Reference::Writes);
    if (G.Strides[0].K != Stride::Constant || holdsPointers(G) ||
        std::abs(static_cast<double>(G.Strides[0].Bytes)) > std::max(G.Footprint, CacheLineBytes))
      return false;
    const SCEV *Base = SE.getPointerBase(N.References[G.Members.front()].Address);
    const bool Used = any_of(Whole.References, [&](const Reference &R) {
      return !N.inner()->contains(R.At) && (Writes ? R.Reads : R.Writes) && SE.getPointerBase(R.Address) == Base;
    });
    return Used && isFilledFirst(Base, Level) && any_of(N.Groups, [&](const ReferenceGroup &Lines) {
             return gains(Lines, Level) && any(Lines, Writes ? &Reference::Reads : &Reference::Writes);
           });
  }

  // Where the loop is come to, if only to find that it has no iteration.
  static const BasicBlock *beginOf(const Loop &L) {
    const BranchInst *Guard = L.getLoopGuardBranch();
    return Guard ? Guard->getParent() : L.getLoopPreheader();
  }

  // Whether each line begins with a loop that only writes the buffer: nothing of it is left from the line before. Where
  // functions work on the buffer, that the loop comes first is all that can be seen.
  bool isFilledFirst(const SCEV *Base, unsigned Level) const {
    const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    SmallVector<const Reference *, 8> All;
    for (const Reference &R : Whole.References)
      if (SE.getPointerBase(R.Address) == Base)
        All.push_back(&R);
    if (any_of(All, [&](const Reference *R) { return isMadeForLine(*R, Level); }))
      return true;
    if (all_of(All, [](const Reference *R) { return isa<LoadInst, StoreInst>(R->At); }))
      return FilledRows(N.Loops[Level], F, FAM, Engine).filled(Base, Whole.References);
    return any_of(All, [&](const Reference *First) {
      return First->Writes && !First->Reads && beginOf(*First->In) && First->In != N.Loops[Level] &&
             all_of(All, [&](const Reference *R) {
               return R->In == First->In ? !R->Reads : DT.dominates(beginOf(*First->In), R->At->getParent());
             });
    });
  }

  // A file has the order that it has.
  bool usesFiles() const {
    for (const BasicBlock *BB : Whole.inner()->blocks())
      for (const Instruction &I : *BB)
        if (const auto *C = dyn_cast<CallBase>(&I))
          if (const LibraryCall *Known = C->getCalledFunction() ? findLibraryCall(C->getCalledFunction()) : nullptr;
              Known && (Known->does(LibOutput) || Known->does(LibInput)))
            return true;
    return false;
  }

  // Whether an array is read backwards as it is written forwards: a border that is reflected, of a few rows.
  bool mirrors() const {
    return any_of(Whole.References, [&](const Reference &W) {
      const SCEV *Forwards = W.Writes ? Engine.step(W.Address, N.inner()) : nullptr;
      return Forwards && !Forwards->isZero() && any_of(Whole.References, [&](const Reference &R) {
               const SCEV *Step =
                   R.Reads && rootOf(R, Engine) == rootOf(W, Engine) ? Engine.step(R.Address, N.inner()) : nullptr;
               return Step && Step->getType() == Forwards->getType() &&
                      Engine.simplify(SE.getAddExpr(Step, Forwards))->isZero();
             });
    });
  }

  // Whether the loop has the same end in each iteration of the other one around it, by what its one exit compares.
  bool endsAlike(const Loop &L, const Loop *Over) const {
    const BasicBlock *Exiting = L.getExitingBlock();
    const auto *Branch = Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
    const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    return Compare && none_of(Compare->operands(), [&](Value *Each) { return Engine.varies(Each, Over); });
  }

  // Whether what the loop over the lines does not move is filled anew in each of its iterations, or added up, and the
  // rest met by one of them.
  bool keepsApart(const Loop *Over) const {
    FilledRows Rows(Over, F, FAM, Engine);
    const auto IsOwn = [&](const Reference &W, const Reference &R) {
      if (rootOf(W, Engine) != rootOf(R, Engine) || meetWithinIteration(W, R, Over, Engine))
        return true;
      bool Assumes = false;
      return Rows.filled(SE.getPointerBase(W.Address), Whole.References, &Assumes) ||
             (W.Address == R.Address && !Engine.varies(W.Address, Over) &&
              updateOf(W.Address, Whole.References) != Update::None);
    };
    return all_of(Whole.References, [&](const Reference &W) {
      return !W.Writes || all_of(Whole.References, [&](const Reference &R) { return !R.Reads || IsOwn(W, R); });
    });
  }

  // Whether a line is made of its neighbours, which the loop over the lines has changed before: then their order
  // counts.
  bool reachesNeighbours(unsigned Level) const {
    const Loop *Over = N.Loops[Level];
    SmallVector<const Loop *, 8> Inside;
    for (const Loop *L : Over->getLoopsInPreorder())
      if (L != Over)
        Inside.push_back(L);
    for (const Reference &W : Whole.References)
      for (const Reference &R : Whole.References) {
        const SCEV *Step = W.Writes && R.Reads ? Engine.step(W.Address, Over) : nullptr;
        const auto *Each = dyn_cast_or_null<SCEVConstant>(Step);
        if (!Each || Each->isZero() || SE.getPointerBase(W.Address) != SE.getPointerBase(R.Address) ||
            W.Address->getType() != R.Address->getType())
          continue;
        const SCEV *Apart = SE.getMinusSCEV(atFirst(W.Address, Inside, SE), atFirst(R.Address, Inside, SE));
        if (const auto *C = dyn_cast<SCEVConstant>(Apart);
            C && !C->isZero() && C->getAPInt().srem(Each->getAPInt().sextOrTrunc(C->getAPInt().getBitWidth())).isZero())
          return true;
      }
    return false;
  }

  const LoopNest &N;
  Function &F;
  FunctionAnalysisManager &FAM;
  StrideEngine &Engine;
  ScalarEvolution &SE;
  double MinRatio;
  LoopNest Whole; // of the loop over the lines
};

} // namespace

std::optional<BetterOrder> bundledLines(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM,
                                        const OrderLimits &Limits) {
  const double MinRatio = Limits.MinRatio, MinFootprint = Limits.MinFootprint;
  if (N.OpaqueCall)
    return std::nullopt;
  const double Now = nestCost(N, 0);
  for (unsigned Level = 1; Level < N.Loops.size(); ++Level) {
    // The steps of an iteration that goes on until it converges are not neighbours.
    if (!StrideEngine::get(F, FAM).backedges(N.Loops[Level]))
      continue;
    Bundles Lines(N, F, FAM, MinRatio);
    const double Then = Lines.cost(Level);
    if ((N.Trips[Level] && N.Trips[Level] <= limits::loops::MaxAbsorbedTrips) || Then <= 0 || Now < MinRatio * Then)
      continue;
    if (!Lines.fits(Level) || Lines.work(Level) > Limits.MaxWork)
      continue;
    const bool Copies = Lines.copies(Level);
    if (!Copies && !Lines.goSideBySide(Level, Limits.IsShared(N.Loops[Level])))
      continue;
    std::optional<double> Bytes = footprintBytes(N, Level - 1, StrideEngine::get(F, FAM));
    if ((Bytes && *Bytes <= MinFootprint) || Lines.stayCached(Level, MinFootprint))
      continue;
    BetterOrder Found;
    Found.Nest = &N;
    Found.F = &F;
    Found.Level = Level;
    Found.Ratio = Now / Then;
    Found.Bundles = true;
    Found.SideBySide = !Copies;
    Found.Conf = Confidence::Medium;
    return Found;
  }
  return std::nullopt;
}

} // namespace stridewise
