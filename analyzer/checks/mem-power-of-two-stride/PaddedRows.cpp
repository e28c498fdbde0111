#include "checks/mem-power-of-two-stride/PaddedRows.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
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

// The member of a record that an integer is read from or written to, in words that all units share.
std::string memberAt(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3 || Tag->getOperand(0) == Tag->getOperand(1))
    return {};
  const auto *Record = dyn_cast<MDNode>(Tag->getOperand(0));
  const auto *Name = Record && Record->getNumOperands() ? dyn_cast<MDString>(Record->getOperand(0)) : nullptr;
  const auto *Offset = mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2));
  if (!Name || Name->getString().empty() || !Offset)
    return {};
  return (Name->getString() + "+" + Twine(Offset->getZExtValue())).str();
}

// The member that a number comes from, by a load of the function that gives the same.
std::string memberOf(const SCEV *Length, const Function &F, StrideEngine &Engine) {
  const auto *Symbol = dyn_cast<SCEVUnknown>(Length);
  if (!Symbol || !Engine.loadedFrom(Symbol))
    return {};
  for (const BasicBlock &BB : F)
    for (const Instruction &I : counted(BB))
      if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getType()->isIntegerTy()) {
        const SCEV *Value = Engine.rewrite(const_cast<LoadInst *>(Load));
        while (const auto *Cast = dyn_cast<SCEVCastExpr>(Value))
          Value = Cast->getOperand();
        if (Value == Symbol)
          return memberAt(*Load);
      }
  return {};
}

const Value *withoutCasts(const Value *V) {
  while (const auto *Cast = dyn_cast<CastInst>(V))
    V = Cast->getOperand(0);
  return V;
}

// Whether it is a power of two whatever the program is given, and more than the components of an element.
bool isLongPower(const Value *V, const Module &M) {
  const DataLayout &DL = M.getDataLayout();
  return !isa<Constant>(V) && V->getType()->isIntegerTy() && !V->getType()->isIntegerTy(1) &&
         isKnownToBeAPowerOfTwo(V, DL, /*OrZero=*/true) &&
         computeKnownBits(V, DL).getMaxValue().ugt(limits::loops::MaxAbsorbedTrips);
}

// Where the number is made, or else where it is used.
const Instruction *madeAt(const Value *V, const Instruction &Used) {
  const auto *Made = dyn_cast<Instruction>(V);
  return Made && !isa<PHINode>(Made) && Made->getDebugLoc() ? Made : &Used;
}

// Where a loop doubles the number; null where none does.
const Instruction *doubledAt(const Value *V) {
  const auto *Grows = dyn_cast<PHINode>(V);
  while (Grows && Grows->getNumIncomingValues() == 1)
    Grows = dyn_cast<PHINode>(Grows->getIncomingValue(0));
  for (const Value *Each : Grows ? Grows->incoming_values() : User::const_op_range(nullptr, nullptr))
    if (const auto *Step = dyn_cast<BinaryOperator>(Each);
        Step && is_contained(Step->operands(), Grows) && Step->getDebugLoc())
      return Step;
  return nullptr;
}

// A power of two that the function makes itself, or a part of one; null for everything else.
const Value *ownPower(const Value *V, const Module &M) {
  for (V = withoutCasts(V);; V = withoutCasts(cast<User>(V)->getOperand(0))) {
    if (isLongPower(V, M))
      return V;
    const auto *Part = dyn_cast<BinaryOperator>(V);
    const auto *By = Part ? dyn_cast<ConstantInt>(Part->getOperand(1)) : nullptr;
    if (!By || (Part->getOpcode() != Instruction::SDiv && Part->getOpcode() != Instruction::UDiv) ||
        !By->getValue().isPowerOf2())
      return nullptr;
  }
}

struct Row {
  std::string Source;
  std::uint64_t Bytes;
  const Instruction *Made = nullptr;
};

// A step of so many bytes for each unit of one number that a function of another unit has made, that a member holds, or
// that this function makes a power of two.
std::optional<Row> rowOf(const SCEV *Step, const Function &F, StrideEngine &Engine) {
  const auto *Product = dyn_cast_or_null<SCEVMulExpr>(Step);
  const auto *Bytes =
      Product && Product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
  if (!Bytes)
    return std::nullopt;
  const SCEV *Length = Product->getOperand(1);
  while (const auto *Cast = dyn_cast<SCEVCastExpr>(Length))
    Length = Cast->getOperand();
  const std::uint64_t Each = Bytes->getAPInt().abs().getLimitedValue();
  if (std::string Member = memberOf(Length, F, Engine); !Member.empty())
    return Row{std::move(Member), Each};
  const auto *Number = dyn_cast<SCEVUnknown>(Length);
  const Value *Power = Number ? ownPower(Number->getValue(), *F.getParent()) : nullptr;
  if (const auto *Made = dyn_cast_or_null<Instruction>(Power))
    return Row{{}, Each, doubledAt(Made) ? doubledAt(Made) : Made};
  const CallInst *Call = maker(Length, Engine);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic())
    return std::nullopt;
  return Row{Callee->getName().str(), Each};
}

// Of an access, or of a record that is assigned whole.
SmallVector<Value *, 2> pointersOf(Instruction &I) {
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
    return {Copy->getRawDest(), Copy->getRawSource()};
  Value *Pointer = getLoadStorePointerOperand(&I);
  return Pointer ? SmallVector<Value *, 2>{Pointer} : SmallVector<Value *, 2>();
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

std::vector<PowerMember> powerMembers(Module &M) {
  std::vector<PowerMember> Found;
  for (const Function &F : M)
    for (const BasicBlock &BB : F)
      for (const Instruction &I : BB) {
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store || !Store->getValueOperand()->getType()->isIntegerTy() || isa<Constant>(Store->getValueOperand()))
          continue;
        std::string Member = memberAt(I);
        if (Member.empty())
          continue;
        // A function of the file that gets the number from its callers.
        const Value *V = withoutCasts(Store->getValueOperand());
        const auto *Given = dyn_cast<Argument>(V);
        if (isLongPower(V, M))
          Found.push_back({madeAt(V, I), doubledAt(V), Member});
        else if (Given)
          for (const User *Each : F.users())
            if (const auto *Call = dyn_cast<CallBase>(Each); Call && Call->getCalledFunction() == &F)
              if (const Value *Argument = withoutCasts(Call->getArgOperand(Given->getArgNo()));
                  isLongPower(Argument, M))
                Found.push_back({madeAt(Argument, *Call), doubledAt(Argument), Member});
      }
  return Found;
}

std::vector<PaddedWalk> paddedWalks(Function &F, FunctionAnalysisManager &FAM, unsigned LineBytes, unsigned Ways) {
  std::vector<PaddedWalk> Found;
  StrideEngine &Engine = StrideEngine::get(F, FAM);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  DenseSet<const Loop *> Said;
  for (BasicBlock &BB : F) {
    const Loop *L = Engine.loops().getLoopFor(&BB), *Again = L ? L->getParentLoop() : nullptr;
    // What a condition may skip is no part of every sweep.
    const unsigned Trips = Again ? Engine.tripCount(L) : 0;
    if (!Again || (Trips && Trips <= Ways) || !L->getLoopLatch() || !DT.dominates(&BB, L->getLoopLatch()))
      continue;
    for (Instruction &I : counted(BB))
      for (Value *Pointer : pointersOf(I)) {
        const SCEV *Address = Engine.rewrite(Pointer);
        const Stride Next = Engine.stride(Address, Again);
        if (Said.contains(L) ||
            (Next.K != Stride::Zero && (Next.K != Stride::Constant || std::abs(Next.Bytes) >= LineBytes)))
          continue;
        if (std::optional<Row> Of = rowOf(Engine.step(Address, L), F, Engine)) {
          Said.insert(L);
          Found.push_back({&I, L, Of->Source, Of->Bytes, Of->Made});
        }
      }
  }
  return Found;
}

} // namespace stridewise
