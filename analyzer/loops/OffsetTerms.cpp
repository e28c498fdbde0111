#include "loops/OffsetTerms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {

std::optional<std::int64_t> constant(const SCEV *S) {
  const auto *C = dyn_cast<SCEVConstant>(S);
  if (!C || C->getAPInt().getSignificantBits() > 62)
    return std::nullopt;
  return C->getAPInt().getSExtValue();
}

std::pair<std::int64_t, SmallVector<const SCEV *, 4>> factorsOf(const SCEV *S) {
  if (auto C = constant(S))
    return {*C, {}};
  std::pair<std::int64_t, SmallVector<const SCEV *, 4>> Out{1, {}};
  const auto *Product = dyn_cast<SCEVMulExpr>(S);
  for (const SCEV *Each : Product ? Product->operands() : ArrayRef<const SCEV *>(S))
    if (auto C = constant(Each))
      Out.first *= *C;
    else
      Out.second.push_back(Each);
  return Out;
}

SmallVector<const SCEV *, 8> termsOf(const SCEV *S) {
  SmallVector<const SCEV *, 8> Terms, Work{S};
  while (!Work.empty()) {
    S = Work.pop_back_val();
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
      append_range(Work, Sum->operands());
    } else if (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
      Work.push_back(R->getStart());
      for (const SCEV *Step : drop_begin(R->operands()))
        Work.push_back(Step);
    } else {
      Terms.push_back(S);
    }
  }
  return Terms;
}

bool isMultiple(const SCEV *Term, const SCEV *Of) {
  const auto [Constant, Others] = factorsOf(Term);
  const auto [Size, Factors] = factorsOf(Of);
  return Size != 0 && Constant % Size == 0 && all_of(Factors, [&, &Factors = Factors, &Others = Others](const SCEV *F) {
           return llvm::count(Others, F) >= llvm::count(Factors, F);
         });
}

const SCEV *withoutMultiples(const SCEV *Delta, ArrayRef<const SCEV *> InnerSteps, ScalarEvolution &SE) {
  auto IsMultiple = [&](const SCEV *Term) {
    if (isa<SCEVConstant>(Term))
      return false;
    return any_of(InnerSteps, [&](const SCEV *Step) { return isMultiple(Term, Step); });
  };
  const auto *Sum = dyn_cast<SCEVAddExpr>(Delta);
  if (!Sum)
    return IsMultiple(Delta) ? SE.getZero(Delta->getType()) : Delta;
  SmallVector<const SCEV *, 4> Kept;
  copy_if(Sum->operands(), std::back_inserter(Kept), [&](const SCEV *Term) { return !IsMultiple(Term); });
  return Kept.empty() ? SE.getZero(Delta->getType()) : SE.getAddExpr(Kept);
}

const SCEV *atFirst(const SCEV *S, ArrayRef<const Loop *> Loops, ScalarEvolution &SE) {
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S); R && is_contained(Loops, R->getLoop()))
    return atFirst(R->getStart(), Loops, SE);
  if (!isa<SCEVAddRecExpr, SCEVAddExpr>(S))
    return S;
  SmallVector<const SCEV *, 4> Ops;
  for (const SCEV *Op : S->operands())
    Ops.push_back(atFirst(Op, Loops, SE));
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S))
    return SE.getAddRecExpr(Ops, R->getLoop(), SCEV::FlagAnyWrap);
  return SE.getAddExpr(Ops);
}

std::optional<std::pair<std::int64_t, std::int64_t>> withinDeclared(const SCEV *Root, std::int64_t Step) {
  const auto *Unknown = dyn_cast<SCEVUnknown>(Root);
  const Value *V = Unknown ? Unknown->getValue() : nullptr;
  const auto *Global = dyn_cast_or_null<GlobalVariable>(V);
  const auto *Local = dyn_cast_or_null<AllocaInst>(V);
  if (!Step || !(Global || (Local && !Local->isArrayAllocation())))
    return std::nullopt;
  const DataLayout &DL = Global ? Global->getDataLayout() : Local->getDataLayout();
  Type *T = Global ? Global->getValueType() : Local->getAllocatedType();
  for (const auto *Array = dyn_cast<ArrayType>(T); Array; Array = dyn_cast<ArrayType>(Array->getElementType())) {
    const auto Row = static_cast<std::int64_t>(DL.getTypeAllocSize(Array->getElementType()).getFixedValue());
    const auto Rows = static_cast<std::int64_t>(Array->getNumElements());
    if (Row > 0 && std::abs(Step) % Row == 0 && std::abs(Step) / Row < Rows) {
      const std::int64_t Most = (Rows - 1) / (std::abs(Step) / Row);
      return std::pair(-Most, Most);
    }
  }
  return std::nullopt;
}

} // namespace stridewise
