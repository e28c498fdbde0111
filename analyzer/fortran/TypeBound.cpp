#include "fortran/TypeBound.h"
#include "fortran/FortranLoops.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

// flang's names: of the type of a table's rows, and what is before the names of tables and of bindings.
constexpr StringLiteral RowType = "type_infoTbinding", Table = "E.v.", Name = "E.n.";

bool isRow(const Type *T) {
  const auto *Struct = dyn_cast<StructType>(T);
  return Struct && Struct->hasName() && Struct->getName().ends_with(RowType);
}

// Which row of a type's table a call takes its procedure from.
std::optional<std::uint64_t> rowOf(const CallBase &C, const DataLayout &DL) {
  const auto *Cast = dyn_cast<IntToPtrInst>(C.getCalledOperand());
  const auto *Load = Cast ? dyn_cast<LoadInst>(Cast->getOperand(0)) : nullptr;
  if (!Load)
    return std::nullopt;
  const Type *Row = nullptr;
  APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const Value *P = Load->getPointerOperand();
  while (const auto *Step = dyn_cast<GEPOperator>(P)) {
    if (!Step->accumulateConstantOffset(DL, Offset))
      return std::nullopt;
    if (isRow(Step->getSourceElementType()))
      Row = Step->getSourceElementType();
    P = Step->getPointerOperand();
  }
  return Row ? std::optional(Offset.getZExtValue() / DL.getTypeAllocSize(const_cast<Type *>(Row))) : std::nullopt;
}

// The name of a row's binding, and its procedure.
std::pair<StringRef, Function *> bindingOf(const Constant &Row) {
  const Constant *Address = &Row, *Text = Row.getAggregateElement(1u);
  while (Address && Address->getType()->isStructTy())
    Address = Address->getAggregateElement(0u);
  const auto *Cast = dyn_cast_or_null<ConstantExpr>(Address);
  const auto *Named = Text ? dyn_cast_or_null<GlobalVariable>(Text->getAggregateElement(0u)) : nullptr;
  auto *F = Cast && Cast->getOpcode() == Instruction::PtrToInt ? dyn_cast<Function>(Cast->getOperand(0)) : nullptr;
  return {Named ? Named->getName().rsplit(Name).second : StringRef(), F};
}

// Whether the statement calls something by that name, of an object.
bool callsBound(StringRef Text, StringRef Binding) {
  const std::string Called = ("%" + Binding).str();
  for (std::size_t At = Text.find(Called); At != StringRef::npos; At = Text.find(Called, At + 1)) {
    const StringRef Rest = Text.drop_front(At + Called.size());
    if (Rest.empty() || (!isAlnum(Rest.front()) && Rest.front() != '_' && Rest.front() != '%'))
      return true;
  }
  return false;
}

} // namespace

SmallVector<Function *, 2> boundProcedures(const CallBase &C, Unit &U) {
  SmallVector<Function *, 2> Out;
  const Module &M = *C.getModule();
  const std::optional<std::uint64_t> Row = rowOf(C, M.getDataLayout());
  const DILocation *At = C.getDebugLoc().get();
  const FortranStatement *S = Row && At ? fortranText(U).calling(At->getLine(), "") : nullptr;
  if (!S)
    return Out;
  for (const GlobalVariable &G : M.globals()) {
    const auto *Rows = G.hasInitializer() ? dyn_cast<ArrayType>(G.getValueType()) : nullptr;
    if (!Rows || !isRow(Rows->getElementType()) || !G.getName().contains(Table) || *Row >= Rows->getNumElements())
      continue;
    const Constant *Entry = G.getInitializer()->getAggregateElement(unsigned(*Row));
    const auto [Binding, F] = Entry ? bindingOf(*Entry) : std::pair<StringRef, Function *>();
    if (F && F->getFunctionType() == C.getFunctionType() && callsBound(S->Text, Binding) && !is_contained(Out, F))
      Out.push_back(F);
  }
  return Out;
}

void callBoundProcedures(Module &M, Unit &U) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallBase>(&I); C && C->isIndirectCall())
        if (const SmallVector<Function *, 2> Bound = boundProcedures(*C, U); Bound.size() == 1)
          C->setCalledFunction(Bound.front());
}

} // namespace stridewise
