#include "checks/mpi-tiny-messages/SplitLoop.h"
#include "library/FileOutput.h"
#include "unit/Counted.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace stridewise {
namespace {

class SplitLoop {
public:
  SplitLoop(MpiFunction &M, const MpiSite &S, Value *Payload, const Loop *L, const TargetLibraryInfo &TLI)
      : M(M), E(M.engine()), S(S), L(L), TLI(TLI), Sent(placeOf(Payload)),
        Brought(placeOf(S.arg(S.Sig->RecvBuffer) ? S.arg(S.Sig->RecvBuffer) : Payload)) {}

  bool possible() {
    if (!collect() || !writesPayload() || any_of(Stores, [&](StoreInst *Store) { return advances(*Store); }))
      return false;
    // What the calls brought: read behind them, or by later iterations.
    for (LoadInst *Load : Loads)
      if (meets(*Load, Brought, *S.Call))
        Work.insert(Load);
    for (unsigned K = 0; K < Work.size(); ++K)
      if (!Meter::spend() || !follow(*Work[K]))
        return false;
    return none_of(S.Call->args(), [&](Value *V) { return isTainted(V); }) && none_of(Stores, [&](StoreInst *Store) {
             return placeOf(Store->getPointerOperand()).Base == Sent.Base && M.reaches(Store, S.Call) && bears(*Store);
           });
  }

private:
  // An address, and the pointer that it is computed from.
  struct Where {
    const SCEV *Address, *Base;
  };
  Where placeOf(Value *Pointer) {
    const SCEV *Address = E.rewrite(Pointer);
    return {Address, E.scalarEvolution().getPointerBase(Address)};
  }

  // The loop's loads and stores; false where something else has to do with memory.
  bool collect() {
    for (BasicBlock *BB : L->blocks()) {
      if (isErrorPath(*BB))
        continue;
      for (Instruction &I : counted(*BB)) {
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
          Loads.push_back(Load);
        } else if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple()) {
          Stores.push_back(Store);
        } else if (auto *Call = dyn_cast<CallBase>(&I); Call && Call != S.Call) {
          const MpiSignature *Sig = findMpiCall(*Call);
          // Lines of output can be written by the second loop.
          if (Sig ? !Sig->is(MpiQuery) || Sig->is(MpiCollective) : !isDataFreeCall(*Call, TLI) && !isOutput(*Call))
            return false;
        } else if (!Call && I.mayReadOrWriteMemory()) {
          return false;
        }
      }
    }
    return true;
  }

  // A call that passes on the same again and again is a benchmark's.
  bool writesPayload() {
    return any_of(Stores, [&](StoreInst *Store) {
      return placeOf(Store->getPointerOperand()).Base == Sent.Base && M.reaches(Store, S.Call);
    });
  }

  // Whether the store changes in each iteration what all of them read: a loop over steps, beside whose work the call is
  // no matter, and whose results are a report.
  bool advances(StoreInst &Store) {
    const Where To = placeOf(Store.getPointerOperand());
    return To.Base != Sent.Base && To.Base != Brought.Base && E.stride(To.Address, L).K == Stride::Zero &&
           any_of(Loads, [&](LoadInst *Load) { return placeOf(Load->getPointerOperand()).Base == To.Base; });
  }

  // Whether a load may read what was written there at `From`. An element that moves on with the loop is the iteration's
  // own: what comes before the write reads what the iteration itself has put there.
  bool meets(LoadInst &Load, const Where &Written, const Instruction &From) {
    const Where Read = placeOf(Load.getPointerOperand());
    if (Read.Base != Written.Base)
      return false;
    const bool Own = Read.Address == Written.Address && E.stride(Written.Address, L).K != Stride::Zero &&
                     E.stride(Written.Address, L).K != Stride::Unknown;
    return !(Own || isSetBefore(Load, Read)) || M.reaches(&From, &Load);
  }

  // Whether the iteration has set what it loads.
  bool isSetBefore(LoadInst &Load, const Where &Read) {
    return any_of(Stores, [&](StoreInst *Store) {
      return Store->getValueOperand()->getType() == Load.getType() && !E.varies(Read.Address, L) &&
             placeOf(Store->getPointerOperand()).Address == Read.Address && dominators().dominates(Store, &Load);
    });
  }
  DominatorTree &dominators() {
    if (!Dominators)
      Dominators.emplace(M.function());
    return *Dominators;
  }

  bool isTainted(Value *V) const {
    auto *I = dyn_cast<Instruction>(V);
    return I && Work.contains(I);
  }
  // Whether a store's value, its place or whether it runs rests on what was brought.
  bool bears(StoreInst &Store) {
    return isTainted(Store.getValueOperand()) || isTainted(Store.getPointerOperand()) ||
           Guarded.contains(Store.getParent());
  }

  // Adds what rests on a value; false where the loop's end, or a call, does.
  bool follow(Instruction &I) {
    for (User *Use : I.users()) {
      auto *User = cast<Instruction>(Use);
      if (!L->contains(User))
        continue;
      if (User == S.Call)
        return false;
      if (auto *Store = dyn_cast<StoreInst>(User))
        spread(*Store);
      else if (!User->isTerminator())
        Work.insert(User);
      else if (!decides(*User))
        return false;
    }
    return true;
  }

  void spread(StoreInst &Store) {
    const Where To = placeOf(Store.getPointerOperand());
    for (LoadInst *Load : Loads)
      if (meets(*Load, To, Store))
        Work.insert(Load);
  }

  bool decides(Instruction &Branch) {
    BasicBlock *From = Branch.getParent();
    if (!isa<BranchInst>(Branch) || any_of(successors(From), [&](BasicBlock *Next) { return !L->contains(Next); }))
      return false;
    SmallPtrSet<const BasicBlock *, 8> Arms{From};
    for (BasicBlock *BB : L->blocks())
      if (any_of(M.conditions(BB), [&](const RunCondition &C) { return C.Branch == &Branch; })) {
        Arms.insert(BB);
        Guarded.insert(BB);
        for (Instruction &Each : *BB) {
          if (&Each == S.Call)
            return false;
          if (auto *Store = dyn_cast<StoreInst>(&Each))
            spread(*Store);
        }
      }
    // What comes together behind the branch tells which way it went.
    for (BasicBlock *BB : L->blocks())
      if (any_of(predecessors(BB), [&](BasicBlock *Before) { return Arms.contains(Before); }))
        for (PHINode &Phi : BB->phis())
          Work.insert(&Phi);
    return true;
  }

  MpiFunction &M;
  StrideEngine &E;
  const MpiSite &S;
  const Loop *L;
  const TargetLibraryInfo &TLI;
  const Where Sent, Brought;
  std::optional<DominatorTree> Dominators; // made when they are asked
  std::vector<LoadInst *> Loads;
  std::vector<StoreInst *> Stores;
  SetVector<Instruction *> Work; // what rests on what was brought
  SmallPtrSet<const BasicBlock *, 8> Guarded;
};

} // namespace

bool splitsAt(MpiFunction &M, const MpiSite &S, Value *Payload, const Loop *L, const TargetLibraryInfo &TLI) {
  return SplitLoop(M, S, Payload, L, TLI).possible();
}

} // namespace stridewise
