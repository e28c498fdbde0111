#include "checks/run-sleep-in-loop/PollLoops.h"
#include "library/LibraryCalls.h"
#include "unit/Meter.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>

using namespace llvm;

namespace stridewise {
namespace {

// Blocks and operands that are followed through a first iteration.
constexpr unsigned MostSteps = 64, MaxDepth = 8;

bool isOwnVariable(const Value *Pointer) { return isa<AllocaInst>(getUnderlyingObject(Pointer)); }

bool asksClock(const CallBase &C) {
  const MpiSignature *Sig = findMpiCall(C);
  const LibraryCall *Known = findLibraryCall(C);
  return Sig ? Sig->is(MpiTimer) : Known && Known->does(LibClock);
}

// A call that neither asks nor does anything: `errno`, and what sleeps.
bool isNothing(const CallBase &C, const CallBase &Sleep) {
  const LibraryCall *Known = findLibraryCall(C);
  return &C == &Sleep || isa<IntrinsicInst>(C) || C.doesNotAccessMemory() || (Known && Known->onlyDoes(LibSleeps));
}

// Whether one of the loop's conditions compares with what an earlier iteration of a loop around, or another function,
// has left, and none with a time that was asked for right before.
bool comparesWithLeft(const Loop &L) {
  SmallVector<const Value *, 16> Work;
  SmallPtrSet<const Value *, 32> Seen;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (isa<CmpInst>(I) && !isa<Constant>(I.getOperand(1)))
        Work.append(I.value_op_begin(), I.value_op_end());
  bool Left = false;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    const auto *I = dyn_cast<Instruction>(V);
    if (!Seen.insert(V).second || isa<Constant>(V))
      continue;
    const bool Inside = I && L.contains(I);
    const auto *C = dyn_cast<CallBase>(V);
    if (C && !Inside && asksClock(*C))
      return false;
    const auto *Ld = dyn_cast<LoadInst>(V);
    Left |= isa<Argument>(V) || (isa<PHINode>(V) && !Inside) || (Ld && !isOwnVariable(Ld->getPointerOperand()));
    if (I && !Ld && !(isa<PHINode>(I) && !Inside))
      Work.append(I->value_op_begin(), I->value_op_end());
  }
  return Left;
}

// Whether a loop that has been turned asks once before it begins, for what it asks again: a call, or what it loads.
bool asksBefore(const Loop &L) {
  const BranchInst *Guard = L.getLoopGuardBranch();
  SmallVector<const Value *, 8> Work;
  if (Guard)
    Work.push_back(Guard->getCondition());
  for (unsigned Steps = 0; !Work.empty() && Steps < MostSteps; ++Steps) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    const auto *Ld = dyn_cast_or_null<LoadInst>(I);
    const auto IsSame = [&](const User *Use) {
      return isa<LoadInst, CallBase>(Use) && L.contains(cast<Instruction>(Use));
    };
    if ((I && isa<CallBase>(I) && !isa<IntrinsicInst>(I)) || (Ld && any_of(Ld->getPointerOperand()->users(), IsSame)))
      return true;
    if (I && !Ld)
      Work.append(I->value_op_begin(), I->value_op_end());
  }
  return false;
}

// What a number is in the first iteration.
class FirstIteration {
public:
  FirstIteration(const Loop &L, const CallBase &Sleep) : L(L), Sleep(Sleep) {}

  bool sleeps(const BasicBlock *BB, const BasicBlock *From) {
    Meter::count();
    if (++Steps > MostSteps || !L.contains(BB) || (BB == L.getHeader() && L.contains(From)))
      return false;
    for (const PHINode &Phi : BB->phis())
      if (const int Way = Phi.getBasicBlockIndex(From); Way >= 0)
        Known[&Phi] = numberOf(Phi.getIncomingValue(unsigned(Way)));
    if (BB == Sleep.getParent())
      return true;
    const Instruction *End = BB->getTerminator();
    const auto *Branch = dyn_cast<BranchInst>(End);
    const Constant *Asked = Branch && Branch->isConditional() ? numberOf(Branch->getCondition()) : nullptr;
    if (Asked)
      return sleeps(Branch->getSuccessor(Asked->isZeroValue() ? 1 : 0), BB);
    const std::map<const Value *, Constant *> Before = Known;
    return succ_size(BB) > 0 && all_of(successors(BB), [&](const BasicBlock *Next) {
             Known = Before;
             return sleeps(Next, BB);
           });
  }

private:
  Constant *numberOf(const Value *V, unsigned Depth = 0) const {
    if (const auto *C = dyn_cast<Constant>(V))
      return const_cast<Constant *>(C);
    if (const auto It = Known.find(V); It != Known.end())
      return It->second;
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth == MaxDepth || !I->getType()->isIntegerTy() ||
        !isa<CmpInst, BinaryOperator, CastInst, SelectInst, FreezeInst>(I))
      return nullptr;
    SmallVector<Constant *, 3> Parts;
    for (const Value *Operand : I->operands())
      Parts.push_back(numberOf(Operand, Depth + 1));
    if (isa<SelectInst>(I)) {
      if (Parts[0])
        return Parts[0]->isZeroValue() ? Parts[2] : Parts[1];
      return Parts[1] == Parts[2] ? Parts[1] : nullptr;
    }
    // What is false in any case: `asked && i > 0`.
    for (Constant *Part : Parts)
      if (Part && ((I->getOpcode() == Instruction::And && Part->isZeroValue()) ||
                   (I->getOpcode() == Instruction::Or && Part->isAllOnesValue())))
        return Part;
    if (is_contained(Parts, nullptr))
      return nullptr;
    return ConstantFoldInstOperands(const_cast<Instruction *>(I), Parts, I->getFunction()->getDataLayout());
  }

  const Loop &L;
  const CallBase &Sleep;
  std::map<const Value *, Constant *> Known;
  unsigned Steps = 0;
};

} // namespace

bool waitsForMessages(const Loop &L, const CallBase &Sleep, const MpiFunction &M) {
  bool Tests = false;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      const auto *St = dyn_cast<StoreInst>(&I);
      if (St && !isOwnVariable(St->getPointerOperand()))
        return false;
      const auto *C = dyn_cast<CallBase>(&I);
      if (!C || isNothing(*C, Sleep))
        continue;
      // For messages of its own, or whether one rank's has come: both are on their way.
      const MpiSignature *Sig = findMpiCall(*C);
      if (!Sig || !Sig->is(MpiNonblocking) || Sig->is(MpiSome) ||
          !(Sig->is(MpiWait) || (Sig->is(MpiProbe) && !M.isWildcard(C->getArgOperand(unsigned(Sig->Peer))))))
        return false;
      Tests = true;
    }
  return Tests;
}

bool collectsMessages(const Loop &L, const CallBase &Sleep) {
  bool Probes = false, Receives = false;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      const auto *C = dyn_cast<CallBase>(&I);
      if (!C || isNothing(*C, Sleep))
        continue;
      const MpiSignature *Sig = findMpiCall(*C);
      if (!Sig || Sig->is(MpiSend | MpiCollective))
        return false;
      Probes |= Sig->is(MpiProbe) && Sig->is(MpiNonblocking);
      Receives |= Sig->is(MpiRecv) && !Sig->is(MpiNonblocking | MpiProbe);
    }
  return Probes && Receives;
}

bool waitsForTime(const Loop &L, const CallBase &Sleep) {
  bool Asks = false;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      if (isa<StoreInst>(I) && !isOwnVariable(getLoadStorePointerOperand(&I)))
        return false;
      const auto *C = dyn_cast<CallBase>(&I);
      if (!C || isNothing(*C, Sleep))
        continue;
      if (!asksClock(*C))
        return false;
      Asks = true;
    }
  return Asks && comparesWithLeft(L);
}

bool sleepsAtFirst(const Loop &L, const CallBase &Sleep) {
  const BasicBlock *Before = L.getLoopPredecessor();
  return Before && !asksBefore(L) && FirstIteration(L, Sleep).sleeps(L.getHeader(), Before);
}

} // namespace stridewise
