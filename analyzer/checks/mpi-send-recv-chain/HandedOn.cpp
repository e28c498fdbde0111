#include "checks/mpi-send-recv-chain/HandedOn.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

// Operations of an expression that are followed.
constexpr unsigned MaxDepth = 8;

class Combination {
public:
  Combination(const MpiSite &S, const MpiSite &R, MpiFunction &M)
      : S(S), R(R), M(M), E(M.engine()), Sent(addressOf(S)), Received(addressOf(R)) {}

  bool holds() {
    if (!Sent || !Received || !isSameLength())
      return false;
    bool Combined = false;
    for (const BasicBlock &BB : M.function()) {
      if (isErrorPath(BB))
        continue;
      for (const Instruction &I : counted(BB)) {
        if (&I == S.Call || &I == R.Call || !I.mayHaveSideEffects() || !M.reaches(R.Call, &I) || !M.reaches(&I, S.Call))
          continue;
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store && !isa<IntrinsicInst>(&I))
          return false;
        if (!Store || !startsAt(pointer(*Store), Sent))
          continue;
        Step = stepOf(pointer(*Store));
        if ((Step == nullptr) != isOneNumber(S, M) || !combines(Store->getValueOperand()))
          return false;
        Combined = true;
      }
    }
    return Combined;
  }

  bool passes() {
    if (!Sent || Sent != Received || !isSameLength())
      return false;
    const SCEV *Base = E.scalarEvolution().getPointerBase(Sent);
    for (const BasicBlock &BB : M.function())
      for (const Instruction &I : counted(BB)) {
        if (isErrorPath(BB) || &I == S.Call || &I == R.Call || !I.mayHaveSideEffects() || !M.reaches(R.Call, &I) ||
            !M.reaches(&I, S.Call))
          continue;
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (Store ? E.scalarEvolution().getPointerBase(E.rewrite(pointer(*Store))) == Base
                  : !isa<IntrinsicInst>(&I) || isa<AnyMemIntrinsic>(&I))
          return false;
      }
    return true;
  }

  bool steps() {
    if (!Sent || Sent != Received || !isSameLength() || !isOneNumber(S, M))
      return false;
    const StoreInst *Last = nullptr;
    for (const BasicBlock &BB : M.function())
      for (const Instruction &I : counted(BB)) {
        if (isErrorPath(BB) || &I == S.Call || &I == R.Call || !I.mayHaveSideEffects() || !M.reaches(R.Call, &I) ||
            !M.reaches(&I, S.Call))
          continue;
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store ? !isa<IntrinsicInst>(&I) || isa<AnyMemIntrinsic>(&I) : Last || !startsAt(pointer(*Store), Sent))
          return false;
        Last = Store ? Store : Last;
      }
    return Last && dependsOnArrived(Last->getValueOperand()) && isOfArrivedAlone(Last->getValueOperand());
  }

  // Row after row, each the one before it and something of the rank's own: the first such row has arrived, and the
  // last one is sent.
  bool addsRows() {
    if (!Sent || !Received || !isSameLength())
      return false;
    const SCEV *Base = E.scalarEvolution().getPointerBase(Sent);
    bool Added = false;
    for (const BasicBlock &BB : M.function())
      for (const Instruction &I : counted(BB)) {
        if (isErrorPath(BB) || &I == S.Call || &I == R.Call || !I.mayHaveSideEffects() || !M.reaches(R.Call, &I) ||
            !M.reaches(&I, S.Call))
          continue;
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store ? !isa<IntrinsicInst>(&I) || isa<AnyMemIntrinsic>(&I)
                   : E.scalarEvolution().getPointerBase(E.rewrite(pointer(*Store))) == Base &&
                         (Added || !addsToRowBefore(*Store, Base)))
          return false;
        Added |= Store && E.scalarEvolution().getPointerBase(E.rewrite(pointer(*Store))) == Base;
      }
    return Added;
  }

private:
  bool addsToRowBefore(const StoreInst &Store, const SCEV *Base) {
    ScalarEvolution &SE = E.scalarEvolution();
    const auto *Op = dyn_cast<Instruction>(Store.getValueOperand());
    const LoadInst *Before = Op && isSum(*Op) ? summand(*Op, Base) : nullptr;
    if (!Before || count(Op->operand_values(), Before) != 1 || any_of(Op->operands(), [&](const Use &Each) {
          return Each != Before && !isa<Function>(Each) && dependsOn(Each, Base);
        }))
      return false;
    const SCEV *To = E.rewrite(pointer(Store)), *From = E.rewrite(pointer(*Before));
    const Loop *Rows = nullptr;
    for (const Loop *L = E.loops().getLoopFor(Store.getParent()); L && !L->contains(S.Call); L = L->getParentLoop())
      if (const SCEV *Pitch = E.step(To, L); Pitch && !Pitch->isZero() && SE.getMinusSCEV(To, From) == Pitch)
        Rows = L;
    const SCEV *Turns = Rows ? E.backedges(Rows) : nullptr;
    if (!Turns || isa<SCEVCouldNotCompute>(Turns))
      return false;
    const SCEV *Pitch = E.step(To, Rows);
    const SCEV *Walked = SE.getMulExpr(Pitch, SE.getTruncateOrZeroExtend(Turns, Pitch->getType()));
    return startOf(From) == Received && SE.getAddExpr(startOf(To), Walked) == Sent;
  }
  static bool isMultiplyAdd(const Instruction &I) {
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && is_contained({Intrinsic::fmuladd, Intrinsic::fma}, Call->getIntrinsicID());
  }
  static bool isSum(const Instruction &I) {
    return isMultiplyAdd(I) ||
           is_contained({Instruction::FAdd, Instruction::FSub, Instruction::Add, Instruction::Sub}, I.getOpcode());
  }
  // What is loaded from the array and stands in a sum as it is.
  const LoadInst *summand(const Instruction &Sum, const SCEV *Base) {
    const auto Of = [&](unsigned K) {
      const auto *Load = dyn_cast<LoadInst>(Sum.getOperand(K));
      return Load && E.scalarEvolution().getPointerBase(E.rewrite(pointer(*Load))) == Base ? Load : nullptr;
    };
    if (isMultiplyAdd(Sum)) // what is added comes last
      return Of(cast<CallBase>(Sum).arg_size() - 1);
    const LoadInst *First = Of(0);
    return First || !Sum.isCommutative() ? First : Of(1);
  }
  static const SCEV *startOf(const SCEV *Address) {
    while (const auto *Walk = dyn_cast<SCEVAddRecExpr>(Address))
      Address = Walk->getStart();
    return Address;
  }
  // Whether a number may be one of an array's; what comes from elsewhere in the loop is not followed.
  bool dependsOn(const Value *V, const SCEV *Base, unsigned Depth = 0) {
    if (const auto *Load = dyn_cast<LoadInst>(V))
      return E.scalarEvolution().getPointerBase(E.rewrite(pointer(*Load))) == Base;
    const auto *I = dyn_cast<Instruction>(V);
    return I && (Depth > MaxDepth || isa<PHINode, CallBase>(I) ||
                 any_of(I->operands(), [&](const Use &Each) { return dependsOn(Each, Base, Depth + 1); }));
  }

  // Computed from the number that arrived and from constants.
  bool isOfArrivedAlone(const Value *V, unsigned Depth = 0) {
    if (isa<Constant>(V) || isArrived(V))
      return true;
    return isa<BinaryOperator, CastInst, FreezeInst>(V) && Depth <= MaxDepth &&
           all_of(cast<Instruction>(V)->operands(), [&](const Use &Each) { return isOfArrivedAlone(Each, Depth + 1); });
  }

  static Value *pointer(const Instruction &I) { return const_cast<Value *>(getLoadStorePointerOperand(&I)); }
  const SCEV *addressOf(const MpiSite &Site) {
    Value *Buffer = Site.arg(Site.Sig->Buffer);
    return Buffer && Buffer->getType()->isPointerTy() ? E.rewrite(Buffer) : nullptr;
  }

  bool isSameLength() {
    const std::optional<std::uint64_t> Bytes = M.messageBytes(S);
    return Bytes ? Bytes == M.messageBytes(R)
                 : M.sameValue(S.arg(S.Sig->Count), R.arg(R.Sig->Count)) &&
                       M.sameValue(S.arg(S.Sig->Type), R.arg(R.Sig->Type));
  }
  // An address that is the message's, or that walks from its first element on.
  bool startsAt(Value *Pointer, const SCEV *Message) {
    const SCEV *Address = E.rewrite(Pointer);
    const auto *Walk = dyn_cast<SCEVAddRecExpr>(Address);
    return Address == Message || (Walk && Walk->isAffine() && Walk->getStart() == Message);
  }
  const SCEV *stepOf(Value *Pointer) {
    const auto *Walk = dyn_cast<SCEVAddRecExpr>(E.rewrite(Pointer));
    return Walk ? Walk->getStepRecurrence(E.scalarEvolution()) : nullptr;
  }

  bool isLoadOf(const Value *V, const SCEV *Address) {
    while (isa<CastInst, FreezeInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load && Load->isSimple() && startsAt(pointer(*Load), Address) && stepOf(pointer(*Load)) == Step;
  }
  bool isArrived(const Value *V) { return isLoadOf(V, Received); }

  // The arrived number may take part in one operand alone: x + 2 * x is no sum over the ranks.
  bool dependsOnArrived(const Value *V, unsigned Depth = 0) {
    if (isArrived(V) || Depth > MaxDepth)
      return true;
    const auto *I = dyn_cast<Instruction>(V);
    return I && !isa<LoadInst, PHINode, CallBase>(I) &&
           any_of(I->operands(), [&](const Use &Each) { return dependsOnArrived(Each, Depth + 1); });
  }
  bool isOneOf(const Value *A, const Value *B) {
    return (isArrived(A) && !dependsOnArrived(B)) || (isArrived(B) && !dependsOnArrived(A));
  }

  bool combines(const Value *V) {
    if (const auto *Op = dyn_cast<BinaryOperator>(V))
      return Op->isCommutative() && isOneOf(Op->getOperand(0), Op->getOperand(1));
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(V))
      return Intrinsic->isCommutative() && Intrinsic->arg_size() == 2 &&
             isOneOf(Intrinsic->getArgOperand(0), Intrinsic->getArgOperand(1));
    // The larger or the smaller of the two, chosen by their comparison, or stored where it says so.
    if (const auto *Choice = dyn_cast<SelectInst>(V))
      return comparesArrived(Choice->getCondition()) && choosesCompared(*Choice);
    return isArrived(V) && any_of(M.conditions(storeOf(V)->getParent()), [&](const RunCondition &C) {
             return any_of(C.Facts, [&](const auto &Fact) { return comparesArrived(Fact.first); });
           });
  }
  static bool choosesCompared(const SelectInst &Choice) {
    const auto *Compare = cast<CmpInst>(Choice.getCondition());
    const Value *A = Compare->getOperand(0), *B = Compare->getOperand(1), *T = Choice.getTrueValue(),
                *F = Choice.getFalseValue();
    return (T == A && F == B) || (T == B && F == A);
  }
  static const Instruction *storeOf(const Value *V) {
    for (const User *Each : V->users())
      if (const auto *Store = dyn_cast<StoreInst>(Each))
        return Store;
    return cast<Instruction>(V);
  }
  bool comparesArrived(const Value *V) {
    const auto *Compare = dyn_cast<CmpInst>(V);
    return Compare && !Compare->isEquality() && isOneOf(Compare->getOperand(0), Compare->getOperand(1));
  }

  const MpiSite &S, &R;
  MpiFunction &M;
  StrideEngine &E;
  const SCEV *Sent, *Received;
  const SCEV *Step = nullptr; // of the loop over an array
};

} // namespace

// Where each rank handles it between the messages, in one variable of the largest number.
bool isOneNumber(const MpiSite &S, MpiFunction &M) {
  const std::optional<std::uint64_t> Bytes = M.messageBytes(S);
  return Bytes && static_cast<double>(*Bytes) <= limits::mpi_send_recv_chain::OneNumberBytes;
}

bool isHandedOn(const MpiSite &S, const MpiSite &R, MpiFunction &M) {
  return Combination(S, R, M).holds() || Combination(S, R, M).addsRows();
}

bool isPassedOn(const MpiSite &S, const MpiSite &R, MpiFunction &M) { return Combination(S, R, M).passes(); }

bool isSteppedOn(const MpiSite &S, const MpiSite &R, MpiFunction &M) { return Combination(S, R, M).steps(); }

bool isToldToAll(const MpiSite &S, MpiFunction &M) {
  return any_of(M.sites(), [&](const MpiSite &B) {
    return B.Sig->Does == MpiDoes::Broadcast && MpiFunction::sameCommunicator(M, S, B) &&
           M.engine().rewrite(B.arg(B.Sig->Buffer)) == M.engine().rewrite(S.arg(S.Sig->Buffer)) &&
           M.reaches(S.Call, B.Call);
  });
}

} // namespace stridewise
