#include "loops/MemoryUpdates.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

// A load, an associative operation, a store.
static Update updateByOperation(LoadInst &Load, StoreInst &Store) {
  auto *Op = Load.hasOneUse() ? dyn_cast<Instruction>(Load.user_back()) : nullptr;
  if (!Op || Op != Store.getValueOperand())
    return Update::None;
  bool Fits =
      Op->isAssociative() || Op->getOpcode() == Instruction::FAdd || Op->getOpcode() == Instruction::FMul ||
      ((Op->getOpcode() == Instruction::FSub || Op->getOpcode() == Instruction::Sub) && Op->getOperand(0) == &Load);
  bool Extreme = false;
  if (auto *C = dyn_cast<IntrinsicInst>(Op)) {
    Extreme =
        isa<MinMaxIntrinsic>(C) || C->getIntrinsicID() == Intrinsic::maxnum || C->getIntrinsicID() == Intrinsic::minnum;
    Fits = Extreme || (C->getIntrinsicID() == Intrinsic::fmuladd && C->getArgOperand(2) == &Load);
  }
  if (!Fits)
    return Update::None;
  return Op->getType()->isFloatingPointTy() && !Extreme ? Update::Rounded : Update::Exact;
}

// The larger or the smaller of what is there and of a value that does not come from there: each load is compared with
// that value, and nothing else happens to it.
static bool keepsExtreme(ArrayRef<LoadInst *> Loads, StoreInst &Store, bool Chosen) {
  SmallPtrSet<const Value *, 8> Old(Loads.begin(), Loads.end());
  const Value *New = Store.getValueOperand();
  const Value *Choice = nullptr;
  if (const auto *S = dyn_cast<SelectInst>(New)) {
    Choice = S;
    New = Old.contains(S->getTrueValue()) ? S->getFalseValue() : S->getTrueValue();
  } else if (const auto *P = dyn_cast<PHINode>(New); P && P->getNumIncomingValues() == 2) {
    Choice = P;
    New = P->getIncomingValue(Old.contains(P->getIncomingValue(0)) ? 1 : 0);
  }
  bool Compared = false;
  for (LoadInst *Load : Loads)
    for (const User *U : Load->users()) {
      const auto *C = dyn_cast<CmpInst>(U);
      if (C && !C->isEquality() && (C->getOperand(0) == New || C->getOperand(1) == New))
        Compared = true;
      else if (U != Choice)
        return false;
    }
  return Compared && (Choice || Chosen) && !Old.contains(New);
}

Update updateOf(const SCEV *Address, ArrayRef<Reference> References) {
  SmallVector<LoadInst *, 4> Loads;
  SmallVector<StoreInst *, 4> Stores;
  bool Chosen = false; // whether the store runs where data says so
  for (const Reference &R : References) {
    if (R.Address != Address)
      continue;
    Chosen |= R.Guarded && R.Writes;
    if (auto *L = dyn_cast<LoadInst>(R.At))
      Loads.push_back(L);
    else if (auto *S = dyn_cast<StoreInst>(R.At))
      Stores.push_back(S);
    else
      return Update::None;
  }
  if (Loads.empty() || Stores.size() != 1)
    return Update::None;
  if (Loads.size() == 1)
    if (Update Found = updateByOperation(*Loads.front(), *Stores.front()); Found != Update::None)
      return Found;
  return keepsExtreme(Loads, *Stores.front(), Chosen) ? Update::Exact : Update::None;
}

} // namespace stridewise
