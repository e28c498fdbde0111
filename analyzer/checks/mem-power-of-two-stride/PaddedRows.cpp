#include "checks/mem-power-of-two-stride/PaddedRows.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace stridewise {
namespace {

// The call that a number comes from: directly, or through a variable that this unit gives nothing else.
const CallInst *maker(const SCEV *Factor, StrideEngine &Engine) {
  const auto *Symbol = dyn_cast<SCEVUnknown>(Factor);
  if (!Symbol)
    return nullptr;
  if (const auto *Call = dyn_cast<CallInst>(Symbol->getValue()))
    return Call;
  const auto *Load = dyn_cast<LoadInst>(Symbol->getValue());
  const auto *From = dyn_cast_or_null<SCEVUnknown>(Engine.loadedFrom(Symbol));
  const Value *Where = Load ? Load->getPointerOperand() : From ? From->getValue() : nullptr;
  const auto *Variable = dyn_cast_or_null<GlobalVariable>(Where);
  if (!Variable)
    return nullptr;
  const CallInst *Only = nullptr;
  for (const User *U : Variable->users()) {
    if (isa<LoadInst>(U))
      continue;
    const auto *Store = dyn_cast<StoreInst>(U);
    const auto *Call = Store ? dyn_cast<CallInst>(Store->getValueOperand()) : nullptr;
    if (!Call || (Only && Only->getCalledFunction() != Call->getCalledFunction()))
      return nullptr;
    Only = Call;
  }
  return Only;
}

// A step of so many bytes for each unit of one number that a function of another unit has made.
std::optional<std::pair<std::string, std::uint64_t>> rowOf(const SCEV *Step, StrideEngine &Engine) {
  const auto *Product = dyn_cast_or_null<SCEVMulExpr>(Step);
  const auto *Bytes =
      Product && Product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
  if (!Bytes)
    return std::nullopt;
  const SCEV *Length = Product->getOperand(1);
  while (const auto *Cast = dyn_cast<SCEVCastExpr>(Length))
    Length = Cast->getOperand();
  const CallInst *Call = maker(Length, Engine);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic())
    return std::nullopt;
  return std::pair(Callee->getName().str(), Bytes->getAPInt().abs().getLimitedValue());
}

} // namespace

std::vector<RoundingFunction> roundingFunctions(Module &M) {
  std::vector<RoundingFunction> Found;
  const DataLayout &DL = M.getDataLayout();
  for (const Function &F : M) {
    if (F.isDeclaration() || F.hasLocalLinkage() || !F.getReturnType()->isIntegerTy() || F.arg_empty())
      continue;
    bool IsPower = true, IsLong = false;
    const ReturnInst *Last = nullptr;
    unsigned Zeros = F.getReturnType()->getIntegerBitWidth();
    for (const BasicBlock &BB : F)
      if (const auto *Return = dyn_cast<ReturnInst>(BB.getTerminator())) {
        const Value *V = Return->getReturnValue();
        Last = isa<Constant>(V) ? nullptr : Return;
        IsPower &= isKnownToBeAPowerOfTwo(V, DL, /*OrZero=*/true);
        const KnownBits Known = computeKnownBits(V, DL);
        Zeros = std::min(Zeros, Known.countMinTrailingZeros());
        // Up to so many are the components of an element.
        IsLong |= Known.getMaxValue().ugt(limits::loops::MaxAbsorbedTrips);
      }
    if (Last && IsLong && (IsPower || Zeros > 0))
      Found.push_back({Last, F.getName().str(), IsPower, std::uint64_t(1) << std::min(Zeros, 62U)});
  }
  return Found;
}

std::vector<PaddedWalk> paddedWalks(Function &F, FunctionAnalysisManager &FAM, unsigned LineBytes) {
  std::vector<PaddedWalk> Found;
  StrideEngine &Engine = StrideEngine::get(F, FAM);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  DenseSet<const Loop *> Said;
  for (BasicBlock &BB : F) {
    const Loop *L = Engine.loops().getLoopFor(&BB), *Again = L ? L->getParentLoop() : nullptr;
    // What a condition may skip is no part of every sweep.
    if (!Again || !L->getLoopLatch() || !DT.dominates(&BB, L->getLoopLatch()))
      continue;
    for (Instruction &I : counted(BB)) {
      Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer || Said.contains(L))
        continue;
      const SCEV *Address = Engine.rewrite(Pointer);
      const Stride Next = Engine.stride(Address, Again);
      if (Next.K != Stride::Zero && (Next.K != Stride::Constant || std::abs(Next.Bytes) >= LineBytes))
        continue;
      if (auto Row = rowOf(Engine.step(Address, L), Engine)) {
        Said.insert(L);
        Found.push_back({&I, L, Row->first, Row->second});
      }
    }
  }
  return Found;
}

} // namespace stridewise
