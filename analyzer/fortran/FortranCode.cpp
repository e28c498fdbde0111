#include "fortran/FortranCode.h"
#include "fortran/ArrayAssignments.h"
#include "fortran/Descriptors.h"
#include "fortran/FortranMpi.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral AssumedShape = "stridewise-assumed-shape";

// Of which dummy argument's descriptor the address is the first dimension's step.
Argument *firstStepOf(const Value *Address) {
  const auto *G = dyn_cast<GetElementPtrInst>(Address);
  if (!G || !isDescriptor(G->getSourceElementType()) || G->getNumIndices() != 4 ||
      !isConstant(G->getOperand(2), DimensionsField) || !isConstant(G->getOperand(3), 0) ||
      !isConstant(G->getOperand(4), StepField))
    return nullptr;
  return dyn_cast<Argument>(const_cast<Value *>(G->getPointerOperand()));
}

// As a descriptor says into which the step goes: flang describes a dummy argument anew before its procedure uses it.
std::optional<std::uint64_t> elementBytes(const InsertValueInst &Into, const DataLayout &DL) {
  const unsigned FirstStep[] = {DimensionsField, 0, StepField};
  if (!isDescriptor(Into.getType()) || Into.getIndices() != ArrayRef(FirstStep))
    return std::nullopt;
  const Value *Whole = &Into;
  while (const auto *Part = dyn_cast<InsertValueInst>(Whole)) {
    if (Part->getIndices() == ArrayRef(BytesField))
      return std::nullopt; // known at run time only
    Whole = Part->getAggregateOperand();
  }
  const auto *Empty = dyn_cast<Constant>(Whole);
  Constant *Bytes = Empty ? Empty->getAggregateElement(BytesField) : nullptr;
  const auto *Number = dyn_cast_or_null<ConstantInt>(Bytes ? ConstantFoldConstant(Bytes, DL) : nullptr);
  return Number ? std::optional(Number->getZExtValue()) : std::nullopt;
}

// The bytes of an element, told by how an address that is made with its step is used.
std::optional<std::uint64_t> elementBytes(Instruction &Step, const DataLayout &DL) {
  SmallVector<Instruction *, 8> Work{&Step};
  SmallPtrSet<Instruction *, 16> Seen;
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    if (!Seen.insert(I).second)
      continue;
    for (User *U : I->users()) {
      auto *Next = dyn_cast<Instruction>(U);
      if (!Next)
        continue;
      if (isa<BinaryOperator>(Next)) {
        Work.push_back(Next);
        continue;
      }
      if (const auto *Into = dyn_cast<InsertValueInst>(Next); Into && I == &Step)
        if (std::optional<std::uint64_t> Bytes = elementBytes(*Into, DL))
          return Bytes;
      if (auto *Address = dyn_cast<GetElementPtrInst>(Next); Address && Address->getPointerOperand() != I)
        for (User *Of : Address->users()) {
          if (const auto *Load = dyn_cast<LoadInst>(Of))
            return DL.getTypeStoreSize(Load->getType()).getFixedValue();
          if (const auto *Store = dyn_cast<StoreInst>(Of); Store && Store->getPointerOperand() == Address)
            return DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue();
          if (const auto *Part = dyn_cast<GetElementPtrInst>(Of); Part && Part->getSourceElementType()->isStructTy())
            return DL.getTypeAllocSize(Part->getSourceElementType()).getFixedValue();
        }
    }
  }
  return std::nullopt;
}

void assumeContiguous(Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  DenseMap<Argument *, SmallVector<LoadInst *, 4>> Steps;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      if (Argument *A = firstStepOf(Load->getPointerOperand()))
        Steps[A].push_back(Load);
  for (auto &[A, Loads] : Steps) {
    std::optional<std::uint64_t> Bytes;
    for (LoadInst *Load : Loads)
      if (!Bytes)
        Bytes = elementBytes(*Load, DL);
    if (!Bytes)
      continue;
    for (LoadInst *Load : Loads)
      Load->replaceAllUsesWith(ConstantInt::get(Load->getType(), *Bytes));
    A->addAttr(Attribute::get(F.getContext(), AssumedShape));
  }
}

// --- copies of sections ----------------------------------------------------------------------------------------------

// What a procedure without an interface gets is contiguous: where flang cannot see that an array is, it asks the
// library, and hands over a copy. The question is answered here as far as the descriptor, or the assumption about
// dummy arguments, tells.
constexpr StringLiteral AsksContiguous = "_FortranAIsContiguous";

// Of which dimension of which argument's descriptor the value is a field.
std::optional<std::pair<const Argument *, unsigned>> fieldOf(const Value *V, unsigned Field) {
  const auto *Load = dyn_cast_or_null<LoadInst>(V);
  const auto *G = Load ? dyn_cast<GetElementPtrInst>(Load->getPointerOperand()) : nullptr;
  if (!G || !isDescriptor(G->getSourceElementType()) || G->getNumIndices() != 4 ||
      !isConstant(G->getOperand(2), DimensionsField) || !isConstant(G->getOperand(4), Field))
    return std::nullopt;
  const auto *A = dyn_cast<Argument>(G->getPointerOperand());
  const auto *Number = dyn_cast<ConstantInt>(G->getOperand(3));
  if (!A || !Number)
    return std::nullopt;
  return std::pair(A, unsigned(Number->getZExtValue()));
}

// The first dimension's elements lie side by side, or are assumed to.
bool isWholeArgument(ArrayRef<Dimension> Dimensions, std::uint64_t Bytes, const DataLayout &DL) {
  const Value *First = Dimensions.front().Step;
  const Argument *Of = nullptr;
  if (auto Own = fieldOf(First, StepField); Own && Own->second == 0) {
    Of = Own->first;
  } else {
    const auto *Step = dyn_cast_or_null<Constant>(First);
    Constant *Folded = Step ? ConstantFoldConstant(Step, DL) : nullptr;
    if (!Folded || !isConstant(Folded, Bytes))
      return false;
  }
  for (unsigned K = 1; K < Dimensions.size(); ++K) {
    auto Step = fieldOf(Dimensions[K].Step, StepField), Extent = fieldOf(Dimensions[K - 1].Extent, 1);
    if (!Step || !Extent || Step->second != K || Extent->second != K - 1 || Step->first != Extent->first ||
        (Of && Of != Step->first))
      return false;
    Of = Step->first;
  }
  return true;
}

void answerContiguous(Module &M) {
  Function *Asks = M.getFunction(AsksContiguous);
  if (!Asks)
    return;
  const DataLayout &DL = M.getDataLayout();
  SmallVector<WeakVH, 16> Questions(Asks->user_begin(), Asks->user_end());
  for (const WeakVH &Question : Questions) {
    auto *C = dyn_cast_or_null<CallInst>(static_cast<Value *>(Question));
    if (!C || C->getCalledOperand() != Asks || C->arg_empty())
      continue;
    std::optional<std::uint64_t> Bytes;
    auto Dimensions = dimensionsOf(C->getArgOperand(0)->stripPointerCasts(), Bytes, DL);
    if (!Dimensions || !Bytes || Dimensions->empty())
      continue;
    if (!isWholeArgument(*Dimensions, *Bytes, DL))
      continue;
    BasicBlock *BB = C->getParent();
    C->replaceAllUsesWith(ConstantInt::getTrue(C->getType()));
    C->eraseFromParent();
    // Without the way through a copy the address is that of the array.
    ConstantFoldTerminator(BB, /*DeleteDeadConditions=*/true);
    removeUnreachableBlocks(*BB->getParent());
  }
}

// The program is the function that C calls main; what flang puts before it starts the library.
void nameProgram(Module &M) {
  Function *Program = M.getFunction("_QQmain"), *Starter = M.getFunction("main");
  if (!Program || Program->isDeclaration())
    return;
  if (Starter) {
    if (!Starter->use_empty())
      return;
    Starter->eraseFromParent();
  }
  Program->setName("main");
}

// --- loops -----------------------------------------------------------------------------------------------------------

// flang places a loop's test at the loop's statement; once blocks are merged that is lost unless the loop itself says
// it.
void placeLoops(Function &F) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  LLVMContext &LC = F.getContext();
  for (Loop *L : LI.getLoopsInPreorder()) {
    DILocation *At = L->getHeader()->getTerminator()->getDebugLoc();
    if (!At || !L->getLoopLatch())
      continue;
    MDNode *Id = MDNode::getDistinct(LC, {nullptr, At});
    Id->replaceOperandWith(0, Id);
    L->setLoopID(Id);
  }
}

void nameArguments(Function &F) {
  for (Argument &A : F.args()) {
    if (!A.getType()->isPointerTy())
      continue;
    for (DbgVariableRecord *R : findDVRDeclares(&A))
      A.setName(R->getVariable()->getName());
    for (DbgDeclareInst *D : findDbgDeclares(&A))
      A.setName(D->getVariable()->getName());
  }
}

// What flang makes of `sum`, `maxval`, `dot_product` and the like: functions over descriptors of whatever sections.
bool isIntrinsic(const Function &F) { return F.hasLinkOnceODRLinkage() && F.getName().starts_with("_Fortran"); }

} // namespace

void prepareFortran(Module &M, bool InAnyOrder) {
  nameProgram(M);
  for (Function &F : M)
    if (isIntrinsic(F)) {
      F.setSubprogram(nullptr); // so that what is inlined gets the place of the call
    } else if (!F.isDeclaration()) {
      nameArguments(F);
      expandAssignments(F);
      assumeContiguous(F);
      placeLoops(F);
    }
  answerContiguous(M);
  if (InAnyOrder)
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        if (isa<FPMathOperator>(I))
          I.setFast(true);
  translateMpi(M);
}

bool isAssumedShape(const Value *Pointer) {
  const auto *Base = dyn_cast<LoadInst>(getUnderlyingObject(Pointer, /*MaxLookup=*/0));
  const auto *A = Base ? dyn_cast<Argument>(getUnderlyingObject(Base->getPointerOperand(), 0)) : nullptr;
  return A && A->getParent()->getAttributes().getParamAttrs(A->getArgNo()).hasAttribute(AssumedShape);
}

} // namespace stridewise
