#include "checks/omp-serial-loop/ArrayKeys.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

using limits::loops::MaxAbsorbedTrips;

constexpr unsigned MaxIndirections = 4;

std::string ArrayKeys::nameOf(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V); A && A->getParent() == &F)
    return "a" + std::to_string(A->getArgNo());
  if (const auto *G = dyn_cast<GlobalVariable>(V))
    return "g" + G->getName().str() + (G->hasLocalLinkage() ? "@" + UnitName : "");
  return "v" + std::to_string(Numbers.try_emplace(V, Numbers.size()).first->second);
}

// A pointer that some loop may change is known by where it is kept, as one that stays.
const SCEV *ArrayKeys::loadedFrom(const SCEV *Base) {
  if (const SCEV *From = Engine.loadedFrom(Base))
    return From;
  const LoadInst *Load = Engine.changingLoad(Base);
  return Load && Load->getFunction() == &F ? Engine.rewrite(const_cast<Value *>(Load->getPointerOperand())) : nullptr;
}

std::string ArrayKeys::keyOf(const SCEV *S, bool Exactly, unsigned Depth) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return "#" + std::to_string(C->getAPInt().getLimitedValue());
  while (const auto *Cast = dyn_cast<SCEVCastExpr>(S))
    S = Cast->getOperand();
  const bool Address = S->getType()->isPointerTy();
  const SCEV *Base = Address ? SE.getPointerBase(S) : S;
  const auto *Unknown = dyn_cast<SCEVUnknown>(Base);
  if (!Unknown || Depth > MaxIndirections)
    return {};
  const SCEV *From = loadedFrom(Base);
  std::string Key = From ? keyOf(From, Exactly, Depth + 1) : nameOf(Unknown->getValue());
  if (From && !Key.empty())
    Key += ">";
  if (!Address || Key.empty())
    return Key;
  const auto *Offset = dyn_cast<SCEVConstant>(SE.removePointerBase(S));
  if (!Offset)
    return Exactly ? std::string() : Key;
  if (!Offset->isZero())
    Key += "+" + std::to_string(Offset->getAPInt().getSExtValue());
  return Key;
}

namespace {
struct Leaves {
  SmallVector<const SCEV *, 4> Found;
  bool follow(const SCEV *S) {
    if (isa<SCEVUnknown>(S))
      Found.push_back(S);
    return true;
  }
  bool isDone() const { return false; }
};
} // namespace

// What a count is made of: of `max(from, to) - from` what is left where the loop runs.
static SmallVector<const SCEV *, 4> leavesOf(const SCEV *Count, ScalarEvolution &SE) {
  const auto Of = [](const SCEV *S) {
    Leaves All;
    visitAll(S, All);
    return All.Found;
  };
  Count = unclamped(Count, SE);
  SmallVector<const SCEV *, 4> Best = Of(Count);
  const auto *Sum = dyn_cast<SCEVAddExpr>(Count);
  for (const SCEV *Term : Sum ? Sum->operands() : ArrayRef<const SCEV *>())
    if (const auto *Max = dyn_cast<SCEVMinMaxExpr>(Term))
      for (const SCEV *Chosen : Max->operands())
        if (auto Left = Of(SE.getAddExpr(SE.getMinusSCEV(Count, Term), Chosen));
            !Left.empty() && Left.size() < Best.size())
          Best = std::move(Left);
  return Best;
}

void ArrayKeys::addLength(const Loop &L, ArrayUse &Use) {
  const unsigned Trips = Engine.tripCount(&L);
  const SCEV *Count = Engine.backedges(&L);
  if (Trips && Count && isa<SCEVConstant>(Count)) {
    Use.Elements *= Trips;
    if (Trips > MaxAbsorbedTrips) {
      ++Use.Dims;
      Use.Long *= Trips;
    }
    return;
  }
  // A product of extents is as many loops in one.
  const SCEV *Plain =
      Count ? Engine.scalarEvolution().getAddExpr(Count, Engine.scalarEvolution().getOne(Count->getType())) : nullptr;
  const auto *Product = dyn_cast_or_null<SCEVMulExpr>(Plain);
  Use.Dims += Product ? count_if(Product->operands(), [](const SCEV *S) { return !isa<SCEVConstant>(S); }) : 1;
  if (!Count) {
    ++Use.Unknown;
    return;
  }
  for (const SCEV *Leaf : leavesOf(Count, Engine.scalarEvolution()))
    if (std::string Key = keyOf(Leaf, /*Exactly=*/true); !Key.empty())
      Use.Sizes.push_back(std::move(Key));
    else
      ++Use.Unknown;
}

// The offset in the array, in the table that has its address, and so on, and what they all start from.
ArrayKeys::Place ArrayKeys::placeOf(const SCEV *Address) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  Place P;
  for (unsigned K = 0; K < MaxIndirections && Address && Address->getType()->isPointerTy(); ++K) {
    P.Root = SE.getPointerBase(Address);
    P.Offsets.push_back(SE.removePointerBase(Address));
    Address = loadedFrom(P.Root);
  }
  return P;
}

// Whether the loop moves the place; nothing where data choose it.
std::optional<bool> ArrayKeys::moves(const Place &P, const Loop &L) {
  bool Moves = false;
  for (const SCEV *Offset : P.Offsets) {
    const SCEV *Step = Engine.step(Offset, &L);
    if (!Step)
      return std::nullopt;
    Moves |= !Step->isZero();
  }
  return Moves;
}

bool ArrayKeys::comesBack(Value *Pointer, const Loop &Around) {
  const Place P = placeOf(Engine.rewrite(Pointer));
  if (!P.Root || any_of(P.Offsets, [&](const SCEV *Offset) { return Engine.varies(Offset, &Around); }))
    return false;
  if (!Engine.varies(P.Root, &Around))
    return true;
  // Two arrays that change places with each step.
  const auto *Carried = dyn_cast<PHINode>(getUnderlyingObject(Pointer));
  return Carried && Carried->getParent() == Around.getHeader();
}

bool ArrayKeys::isLong(const Loop &L) {
  if (const unsigned Trips = Engine.tripCount(&L))
    return Trips > MaxAbsorbedTrips;
  const SCEV *Count = Engine.backedges(&L);
  for (const Loop *Around = L.getParentLoop(); Count && Around; Around = Around->getParentLoop())
    if (!Engine.step(Count, Around))
      return false;
  return true;
}

std::optional<ArrayUse> ArrayKeys::useOf(const Reference &R, const Loop &Root) {
  ArrayUse Use;
  const Place P = placeOf(R.Address);
  if (!P.Root)
    return std::nullopt;
  const Loop *const Outside = Root.getParentLoop();
  for (const Loop *L = R.In; L && L != Outside; L = L->getParentLoop()) {
    const std::optional<bool> Moves = moves(P, *L);
    if (!Moves)
      return std::nullopt;
    if (*Moves)
      addLength(*L, Use);
  }
  Use.Key = keyOf(Engine.scalarEvolution().getPointerBase(R.Address));
  if (!Use.Dims || Use.Key.empty())
    return std::nullopt;
  llvm::sort(Use.Sizes);
  Use.Sizes.erase(llvm::unique(Use.Sizes), Use.Sizes.end());
  return Use;
}

} // namespace stridewise
