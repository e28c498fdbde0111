#include "fortran/Descriptors.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

bool isDescriptor(const Type *T) {
  const auto *S = dyn_cast_or_null<StructType>(T);
  if (!S || S->getNumElements() < DimensionsField + 1 || !S->getElementType(0)->isPointerTy())
    return false;
  const auto *Dimensions = dyn_cast<ArrayType>(S->getElementType(DimensionsField));
  const auto *One = Dimensions ? dyn_cast<ArrayType>(Dimensions->getElementType()) : nullptr;
  return One && One->getNumElements() == 3 && One->getElementType()->isIntegerTy();
}

bool isConstant(const Value *V, std::uint64_t Wanted) {
  const auto *C = dyn_cast<ConstantInt>(V);
  return C && C->getZExtValue() == Wanted;
}

std::optional<SmallVector<Dimension, 4>> dimensionsOf(const Value *Descriptor, std::optional<std::uint64_t> &Bytes,
                                                      const DataLayout &DL) {
  const StoreInst *Only = nullptr;
  for (const User *Use : Descriptor->users())
    if (const auto *Store = dyn_cast<StoreInst>(Use); Store && Store->getPointerOperand() == Descriptor) {
      if (Only)
        return std::nullopt;
      Only = Store;
    }
  const auto *Alloca = dyn_cast<AllocaInst>(Descriptor);
  if (!Only || !Alloca || !isDescriptor(Alloca->getAllocatedType()))
    return std::nullopt;
  SmallVector<Dimension, 4> Out(
      cast<StructType>(Alloca->getAllocatedType())->getElementType(DimensionsField)->getArrayNumElements());
  const Value *V = Only->getValueOperand();
  for (; const auto *Insert = dyn_cast<InsertValueInst>(V); V = Insert->getAggregateOperand()) {
    ArrayRef<unsigned> At = Insert->getIndices();
    if (At.size() != 3 || At[0] != DimensionsField || At[1] >= Out.size())
      continue;
    const Value *&Slot = At[2] == StepField ? Out[At[1]].Step : Out[At[1]].Extent;
    if (At[2] != 0 && !Slot)
      Slot = Insert->getInsertedValueOperand();
  }
  const auto *Rest = dyn_cast<Constant>(V);
  if (!Rest || !Rest->getType()->isStructTy())
    return std::nullopt;
  Constant *Length = ConstantFoldConstant(Rest->getAggregateElement(1u), DL);
  if (const auto *Number = dyn_cast_or_null<ConstantInt>(Length))
    Bytes = Number->getZExtValue();
  const Constant *Folded = Rest->getAggregateElement(DimensionsField);
  for (unsigned K = 0; Folded && K < Out.size(); ++K)
    for (unsigned Field : {ExtentField, StepField}) {
      const Value *&Slot = Field == StepField ? Out[K].Step : Out[K].Extent;
      if (!Slot)
        Slot = Folded->getAggregateElement(K)->getAggregateElement(Field);
    }
  return Out;
}

} // namespace stridewise
