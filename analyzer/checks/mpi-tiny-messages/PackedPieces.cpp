#include "checks/mpi-tiny-messages/PackedPieces.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

using limits::mpi_tiny_messages::FewestPieces;
using limits::mpi_tiny_messages::MostPieces;

class PieceFinder {
public:
  PieceFinder(MpiFunction &M, const MpiSite &S, const Loop *L, const TargetLibraryInfo &TLI)
      : M(M), E(M.engine()), S(S), L(L), TLI(TLI) {}

  bool holds() {
    const unsigned Trips = E.tripCount(L);
    if (Trips < FewestPieces || Trips > MostPieces || !S.is(MpiSend) || S.is(MpiCollective | MpiPersistent) ||
        !areFixed() || !isAlone())
      return false;
    Value *Buffer = S.arg(S.Sig->Buffer);
    if (!Buffer || !Buffer->getType()->isPointerTy())
      return false;
    Packed = bufferOf(Buffer);
    bool Packs = false;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : counted(*BB)) {
        if (isErrorPath(*BB) || !I.mayWriteToMemory() || SiteOf(I))
          continue;
        Value *To = nullptr, *From = nullptr;
        if (auto *Store = dyn_cast<StoreInst>(&I)) {
          To = Store->getPointerOperand();
          From = loadedFrom(Store->getValueOperand());
        } else if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
          To = Copy->getDest();
          From = Copy->getSource();
        } else if (isa<IntrinsicInst>(I) || isDataFreeCall(cast<CallBase>(I), TLI)) {
          continue;
        }
        if (!To)
          return false;
        if (bufferOf(To) == Packed) {
          if (!From || !moves(From))
            return false;
          Packs |= M.reaches(&I, S.Call);
        } else if (!moves(To)) {
          return false; // the next iteration may read it
        }
      }
    return Packs;
  }

private:
  static const MpiSignature *SiteOf(const Instruction &I) {
    const auto *C = dyn_cast<CallBase>(&I);
    return C ? findMpiCall(*C) : nullptr;
  }
  // The array, or where the pointer to it stands; `n ? &v[0] : nullptr` is one.
  const SCEV *bufferOf(Value *Pointer) {
    if (const auto *Choice = dyn_cast<SelectInst>(Pointer))
      for (unsigned K : {1u, 2u})
        if (isa<ConstantPointerNull>(Choice->getOperand(K)))
          return bufferOf(Choice->getOperand(3 - K));
    const SCEV *Base = E.scalarEvolution().getPointerBase(E.rewrite(Pointer));
    const SCEV *Slot = E.loadedFrom(Base);
    return Slot ? Slot : Base;
  }
  bool moves(Value *Pointer) { return E.stride(Pointer, L).K != Stride::Zero; }

  bool areFixed() {
    for (int Position : {S.Sig->Peer, S.Sig->Comm, S.Sig->Type})
      if (Value *V = S.arg(Position); V && E.varies(V, L))
        return false;
    return S.arg(S.Sig->Peer) && !isa<Constant>(S.arg(S.Sig->Peer)) && !M.isWildcard(S.arg(S.Sig->Peer)) &&
           none_of(M.conditions(S.Call->getParent()), [&](const RunCondition &C) {
             return L->contains(C.Branch) && !L->isLoopExiting(C.Branch->getParent()) &&
                    any_of(C.Facts, [&](const auto &Fact) { return E.varies(Fact.first, L); });
           });
  }
  // The loop has messages from rank to rank, and none is an answer to what any rank sends.
  bool isAlone() {
    bool Receives = false;
    for (const MpiSite &O : M.sites()) {
      if (!L->contains(O.Call) || O.is(MpiQuery))
        continue;
      if (O.is(MpiCollective | MpiProbe | MpiRma | MpiIo | MpiLifecycle | MpiPersistent | MpiTimer) ||
          (O.source() && M.isWildcard(O.source())))
        return false;
      Receives |= O.is(MpiRecv);
    }
    return Receives;
  }

  // What is stored as it was loaded, but for a shift of coordinates.
  Value *loadedFrom(Value *V, unsigned Depth = 0) {
    if (auto *Load = dyn_cast<LoadInst>(V))
      return Load->getPointerOperand();
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > MaxDepth || !isa<CastInst, BinaryOperator, SelectInst, PHINode>(I))
      return nullptr;
    for (Value *Op : I->operands())
      if (Value *From = loadedFrom(Op, Depth + 1); From && moves(From))
        return From;
    return nullptr;
  }

  // Operations that a copied value may go through.
  static constexpr unsigned MaxDepth = 3;

  MpiFunction &M;
  StrideEngine &E;
  const MpiSite &S;
  const Loop *L;
  const TargetLibraryInfo &TLI;
  const SCEV *Packed = nullptr;
};

} // namespace

bool sendsPackedPieces(MpiFunction &M, const MpiSite &S, const Loop *L, const TargetLibraryInfo &TLI) {
  return PieceFinder(M, S, L, TLI).holds();
}

} // namespace stridewise
