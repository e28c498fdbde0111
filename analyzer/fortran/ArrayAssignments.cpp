#include "fortran/ArrayAssignments.h"
#include "fortran/Descriptors.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <optional>

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Assigns = "_FortranAAssign", OfTemporary = "stridewise-temporary";
constexpr unsigned TypeField = 4, AttributeField = 5;
constexpr unsigned MaxRank = 7; // as old Fortran has it

// What a descriptor in memory holds at the call: as inserted, field by field.
struct Described {
  Type *Layout = nullptr;
  const Value *Base = nullptr;
  const Constant *Rest = nullptr; // where nothing was inserted
  unsigned rank() const { return cast<StructType>(Layout)->getElementType(DimensionsField)->getArrayNumElements(); }
};

const Value *storedBefore(const Instruction &At, const Value *Memory) {
  for (const Instruction *I = At.getPrevNode(); I; I = I->getPrevNode())
    if (const auto *Store = dyn_cast<StoreInst>(I); Store && Store->getPointerOperand() == Memory) {
      const auto *Copied = dyn_cast<LoadInst>(Store->getValueOperand());
      return Copied && isa<AllocaInst>(Copied->getPointerOperand()) ? storedBefore(*Copied, Copied->getPointerOperand())
                                                                    : Store->getValueOperand();
    }
  // Before other blocks, where it is the only one.
  const StoreInst *Only = nullptr;
  for (const User *Use : Memory->users())
    if (const auto *Store = dyn_cast<StoreInst>(Use); Store && Store->getPointerOperand() == Memory) {
      if (Only)
        return nullptr;
      Only = Store;
    }
  return Only ? Only->getValueOperand() : nullptr;
}

std::optional<Described> describedAt(const Instruction &At, const Value *Memory) {
  const auto *Alloca = dyn_cast<AllocaInst>(Memory);
  if (!Alloca || !isDescriptor(Alloca->getAllocatedType()))
    return std::nullopt;
  Described D;
  D.Layout = Alloca->getAllocatedType();
  const Value *V = storedBefore(At, Memory);
  for (const auto *Insert = dyn_cast_or_null<InsertValueInst>(V); Insert; Insert = dyn_cast<InsertValueInst>(V)) {
    if (Insert->getIndices() == ArrayRef(0u) && !D.Base)
      D.Base = Insert->getInsertedValueOperand();
    V = Insert->getAggregateOperand();
  }
  D.Rest = dyn_cast_or_null<Constant>(V);
  return D.Rest && D.Base ? std::optional(D) : std::nullopt;
}

std::optional<std::uint64_t> field(const Described &D, unsigned Number, const DataLayout &DL) {
  Constant *Value = D.Rest->getAggregateElement(Number);
  const auto *C = dyn_cast_or_null<ConstantInt>(Value ? ConstantFoldConstant(Value, DL) : nullptr);
  return C ? std::optional(C->getZExtValue()) : std::nullopt;
}

// As what an element of so many bytes is copied.
Type *elementType(std::uint64_t Bytes, LLVMContext &LC) {
  switch (Bytes) {
  case 1:
  case 2:
  case 4:
    return IntegerType::get(LC, unsigned(Bytes) * 8);
  case 8:
    return Type::getDoubleTy(LC);
  case 16:
    return ArrayType::get(Type::getDoubleTy(LC), 2);
  default:
    return nullptr;
  }
}

class Expansion {
public:
  Expansion(CallInst &Call, const Described &To, const Described &From, Type *Element)
      : Call(Call), To(To), From(From), Element(Element), I64(Type::getInt64Ty(Call.getContext())) {}

  void run() {
    BasicBlock *Before = Call.getParent();
    BasicBlock *After = SplitBlock(Before, &Call);
    IRBuilder<> B(Before->getTerminator());
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    Value *ToBase = load(B, To, 0, {}), *FromBase = load(B, From, 0, {});
    fill(Before, After, To.rank(), ToBase, FromBase);
    Call.eraseFromParent();
  }

private:
  Value *load(IRBuilder<> &B, const Described &D, unsigned Field, std::optional<std::pair<unsigned, unsigned>> Within) {
    SmallVector<Value *, 4> Indices{B.getInt32(0), B.getInt32(Field)};
    if (Within) {
      Indices.push_back(B.getInt32(Within->first));
      Indices.push_back(B.getInt32(Within->second));
    }
    Value *Memory = Call.getArgOperand(&D == &To ? 0 : 1);
    return B.CreateLoad(Within ? I64 : B.getPtrTy(), B.CreateGEP(D.Layout, Memory, Indices));
  }

  // Loops of the dimensions below Rank, the last one outermost, on the way from one block to the other.
  void fill(BasicBlock *Before, BasicBlock *After, unsigned Rank, Value *ToBase, Value *FromBase) {
    if (Rank == 0) {
      IRBuilder<> B(Before->getTerminator());
      B.SetCurrentDebugLocation(Call.getDebugLoc());
      B.CreateStore(B.CreateLoad(Element, FromBase), ToBase);
      return;
    }
    const unsigned D = Rank - 1;
    BasicBlock *Head = BasicBlock::Create(Call.getContext(), "", Before->getParent(), After);
    BasicBlock *Body = BasicBlock::Create(Call.getContext(), "", Before->getParent(), After);
    BasicBlock *Latch = BasicBlock::Create(Call.getContext(), "", Before->getParent(), After);
    IRBuilder<> B(Before->getTerminator());
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    Value *Extent = load(B, To, DimensionsField, std::pair(D, ExtentField));
    Value *ToStep = load(B, To, DimensionsField, std::pair(D, StepField));
    Value *FromStep = load(B, From, DimensionsField, std::pair(D, StepField));
    Before->getTerminator()->setSuccessor(0, Head);
    B.SetInsertPoint(Head);
    PHINode *Counter = B.CreatePHI(I64, 2);
    Counter->addIncoming(B.getInt64(0), Before);
    B.CreateCondBr(B.CreateICmpSLT(Counter, Extent), Body, After);
    B.SetInsertPoint(Body);
    Value *ToNext = B.CreateGEP(B.getInt8Ty(), ToBase, B.CreateNSWMul(Counter, ToStep));
    Value *FromNext = B.CreateGEP(B.getInt8Ty(), FromBase, B.CreateNSWMul(Counter, FromStep));
    B.CreateBr(Latch);
    B.SetInsertPoint(Latch);
    Counter->addIncoming(B.CreateNSWAdd(Counter, B.getInt64(1)), Latch);
    B.CreateBr(Head);
    fill(Body, Latch, D, ToNext, FromNext);
  }

  CallInst &Call;
  const Described &To, &From;
  Type *Element;
  Type *I64;
};

// The memory of the right side is an iteration's own: it is allocated, filled, copied from and freed.
void markTemporary(const Value *Base) {
  auto *Made = dyn_cast<CallInst>(const_cast<Value *>(Base->stripPointerCasts()));
  const Function *Allocates = Made ? Made->getCalledFunction() : nullptr;
  if (!Allocates || Allocates->getName() != "malloc")
    return;
  const Attribute Mark = Attribute::get(Made->getContext(), OfTemporary);
  Made->addFnAttr(Mark);
  for (User *Use : Made->users())
    if (auto *Call = dyn_cast<CallInst>(Use))
      if (const Function *Callee = Call->getCalledFunction(); Callee && Callee->getName() == "free")
        Call->addFnAttr(Mark);
}

} // namespace

void expandAssignments(Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->arg_size() >= 2 && Call->use_empty())
      if (const Function *Callee = Call->getCalledFunction(); Callee && Callee->getName() == Assigns)
        Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    const std::optional<Described> To = describedAt(*Call, Call->getArgOperand(0)),
                                   From = describedAt(*Call, Call->getArgOperand(1));
    if (!To || !From || To->rank() != From->rank() || To->rank() > MaxRank)
      continue;
    const auto Bytes = field(*To, BytesField, DL), Attribute = field(*To, AttributeField, DL);
    Type *Element = Bytes ? elementType(*Bytes, F.getContext()) : nullptr;
    if (!Element || Attribute != 0 || Bytes != field(*From, BytesField, DL) ||
        field(*To, TypeField, DL) != field(*From, TypeField, DL))
      continue;
    markTemporary(From->Base);
    Expansion(*Call, *To, *From, Element).run();
  }
}

bool isOfTemporary(const CallBase &Call) { return Call.getAttributes().hasFnAttr(OfTemporary); }

} // namespace stridewise
