// Whether iterations that threads divide stay independent of each other.
#include "checks/mem-strided-inner-loop/LoopIndependence.h"
#include "loops/AddressDistance.h"
#include "loops/OffsetTerms.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

// Pairs compared per loop, and elements of short loops, taken one by one.
constexpr unsigned MaxPairs = 40000, MaxElements = 32;

// The reference as one for each iteration of the short loops inside of E: components of a cell, of which one loop adds
// up all and the next one changes each.
static SmallVector<Reference, 8> elementByElement(const Reference &R, const Loop *E, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  SmallVector<Reference, 8> Found{R};
  for (const Loop *L = R.In; L && L != E; L = L->getParentLoop()) {
    const SCEV *Step = Engine.step(R.Address, L);
    const unsigned Trips = Engine.tripCount(L);
    if (!Step || !isa<SCEVConstant>(Step) || !Trips || Trips > MaxElements / Found.size())
      return {};
    SmallVector<Reference, 8> Each;
    for (const Reference &Whole : Found)
      for (unsigned At = 0; At < Trips; ++At) {
        Reference &One = Each.emplace_back(Whole);
        One.Address =
            SE.getAddExpr(atFirst(Whole.Address, L, SE), SE.getMulExpr(SE.getConstant(Step->getType(), At), Step));
        One.In = E;
      }
    Found = std::move(Each);
  }
  return Found;
}

// Whether every two references that may touch the same bytes are apart by what `Holds` says of the distance.
static bool allApart(const LoopNest &N, unsigned Level, StrideEngine &Engine,
                     function_ref<bool(const Reference &)> IsOwn, function_ref<bool(const AddressDistance &)> Holds) {
  ArrayRef<Reference> Refs(N.References);
  ArrayRef<const Loop *> Levels(N.Loops.data(), Level + 1);
  const auto AreApart = [&](const Reference &X, const Reference &Y) {
    const AddressDistance D = addressDistance(X, Y, Levels, Engine, N.Shift);
    return D.K == AddressDistance::DistinctBases || D.K == AddressDistance::Never ||
           (D.K == AddressDistance::Known && Holds(D));
  };
  unsigned Pairs = 0;
  for (unsigned X = 0; X < Refs.size(); ++X)
    for (unsigned Y = X; Y < Refs.size(); ++Y) {
      if ((!Refs[X].Writes && !Refs[Y].Writes) || (IsOwn(Refs[X]) && IsOwn(Refs[Y])))
        continue;
      if (++Pairs > MaxPairs)
        return false;
      if (AreApart(Refs[X], Refs[Y]))
        continue;
      const SmallVector<Reference, 8> OfX = elementByElement(Refs[X], N.inner(), Engine),
                                      OfY = elementByElement(Refs[Y], N.inner(), Engine);
      Pairs += OfX.size() * OfY.size();
      if (Pairs > MaxPairs || OfX.empty() || OfY.empty() || OfX.size() * OfY.size() == 1 ||
          !all_of(OfX,
                  [&](const Reference &A) { return all_of(OfY, [&](const Reference &B) { return AreApart(A, B); }); }))
        return false;
    }
  return true;
}

static bool isZero(std::optional<std::int64_t> Distance) { return Distance && *Distance == 0; }

bool staysIndependent(const LoopNest &N, unsigned Level, unsigned Shared, StrideEngine &Engine) {
  return allApart(
      N, Level, Engine, [](const Reference &R) { return R.Local; },
      [&](const AddressDistance &D) { return isZero(D.PerLevel[Level]) || isZero(D.PerLevel[Shared]); });
}

// A place in memory that all iterations of the loops up to `Level` have in common.
static bool isCommonPlace(const Value *Pointer, const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  return !isa<AllocaInst>(getUnderlyingObject(Pointer)) &&
         none_of(ArrayRef(N.Loops).take_front(Level + 1),
                 [&](const Loop *L) { return Engine.varies(Engine.rewrite(const_cast<Value *>(Pointer)), L); });
}

// Whether what the loop of level K carries in P comes from an iteration of the loop of `Level` to the next one, too: in
// a register, or in memory.
static bool isCarriedByAll(const PHINode &P, const LoopNest &N, unsigned K, unsigned Level, StrideEngine &Engine) {
  const PHINode *Carried = &P;
  for (; K < Level; ++K) {
    const BasicBlock *Before = N.Loops[K]->getLoopPredecessor();
    const Value *First = Before ? Carried->getIncomingValueForBlock(Before) : nullptr;
    if (const auto *Load = dyn_cast_or_null<LoadInst>(First))
      return isCommonPlace(Load->getPointerOperand(), N, Level, Engine);
    Carried = dyn_cast_or_null<PHINode>(First);
    if (!Carried || Carried->getParent() != N.Loops[K + 1]->getHeader())
      return false;
  }
  return true;
}

bool isInnerIndependent(const LoopNest &N, unsigned Level, StrideEngine &Engine, bool IsShared) {
  // What lies in a register or is stored behind the loop instead of in each iteration: a sum, the last value.
  const Loop *A = N.Loops[Level];
  for (unsigned K = 0; K <= Level; ++K)
    for (PHINode &P : N.Loops[K]->getHeader()->phis())
      if ((!Engine.scalarEvolution().isSCEVable(P.getType()) || !Engine.step(Engine.rewrite(&P), N.Loops[K])) &&
          !(IsShared && isCarriedByAll(P, N, K, Level, Engine)))
        return false;
  const auto IsFixedStore = [&](const Instruction &I) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return Store && isCommonPlace(Store->getPointerOperand(), N, Level, Engine);
  };
  for (const BasicBlock *BB : A->blocks())
    if (!N.inner()->contains(BB) && any_of(*BB, [&](const Instruction &I) {
          return I.mayWriteToMemory() && !I.isDebugOrPseudoInst() && !(IsShared && IsFixedStore(I));
        }))
      return false;
  // A local array that the loops index hands on what one iteration wrote to another.
  auto IsOwn = [&](const Reference &R) {
    return (R.Local || IsShared) &&
           none_of(ArrayRef(N.Loops).take_front(Level + 1), [&](const Loop *L) { return Engine.varies(R.Address, L); });
  };
  return allApart(N, Level, Engine, IsOwn, [](const AddressDistance &D) { return isZero(D.PerLevel[0]); });
}

} // namespace stridewise
