#include "core/RankLoops.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

// The function of the source that a call was written in, before inlining.
static const DISubprogram *writtenIn(const CallBase &C) {
  const DILocation *D = C.getDebugLoc().get();
  return D ? D->getScope()->getSubprogram() : nullptr;
}

bool servesAnySource(MpiFunction &M, const RankLoop &X) {
  return any_of(M.sites(), [&](const MpiSite &S) {
    return S.is(MpiRecv | MpiProbe) && M.isWildcard(S.source() ? S.source() : S.arg(S.Sig->Peer)) &&
           (X.Sends || writtenIn(*S.Call) == writtenIn(*X.Site->Call));
  });
}

bool runsOverRanks(const Loop *L, const RankFacts &Ranks) {
  SmallVector<BasicBlock *, 4> Exiting;
  L->getExitingBlocks(Exiting);
  for (BasicBlock *BB : Exiting)
    if (const auto *Br = dyn_cast<BranchInst>(BB->getTerminator()); Br && Br->isConditional())
      if (const auto *Compare = dyn_cast<ICmpInst>(Br->getCondition()))
        for (const Use &Operand : Compare->operands())
          if (Ranks.dependsOnSize(Operand))
            return true;
  return false;
}

namespace {

class RankLoopFinder {
public:
  RankLoopFinder(MpiFunction &M, const RankFacts &Ranks, MpiEffects &Effects)
      : M(M), E(M.engine()), Ranks(Ranks), Effects(Effects) {}

  std::vector<RankLoop> find() {
    std::vector<RankLoop> Out;
    for (const MpiSite &S : M.sites())
      if (S.is(MpiSend | MpiRecv) && !S.is(MpiPersistent | MpiCollective))
        if (std::optional<RankLoop> X = judge(S))
          Out.push_back(*X);
    for (RankLoop &X : Out)
      X.Counterpart = counterpart(X);
    return Out;
  }

private:
  // The loop that counts the peers: the innermost one in which the peer moves, by one rank at a time.
  const Loop *peerLoop(const MpiSite &S, Value *Peer) {
    for (const Loop *L = E.loops().getLoopFor(S.Call->getParent()); L; L = L->getParentLoop()) {
      if (!E.varies(Peer, L))
        continue;
      Stride Step = E.stride(Peer, L);
      return Step.K == Stride::Constant && (Step.Bytes == 1 || Step.Bytes == -1) ? L : nullptr;
    }
    return nullptr;
  }

  // `p != rank`, `p != root`: which peers are left out.
  bool leavesOut(const ICmpInst *Compare, const Loop *L) {
    if (!Compare->isEquality())
      return false;
    for (unsigned K : {0u, 1u}) {
      Stride Step = E.stride(Compare->getOperand(K), L);
      if (Step.K == Stride::Constant && (Step.Bytes == 1 || Step.Bytes == -1) &&
          !E.varies(Compare->getOperand(1 - K), L))
        return true;
    }
    return false;
  }

  std::optional<RankLoop> judge(const MpiSite &S) {
    Value *Peer = S.is(MpiSend) ? S.arg(S.Sig->Peer) : S.source();
    if (!Peer || M.isWildcard(Peer) || (S.source() && M.isWildcard(S.source())))
      return std::nullopt;
    RankLoop X;
    X.Site = &S;
    X.L = peerLoop(S, Peer);
    X.Sends = S.is(MpiSend);
    X.Receives = S.is(MpiRecv);
    const auto *Count = dyn_cast_or_null<ConstantInt>(S.arg(S.Sig->Count));
    if (!X.L || E.tripCount(X.L) || (Count && Count->isZero()))
      return std::nullopt;
    X.AllRanks = runsOverRanks(X.L, Ranks);
    bool Compared = false; // with this rank or the root: the counter is a rank
    for (const RunCondition &C : M.conditions(S.Call->getParent())) {
      const BasicBlock *BB = C.Branch->getParent();
      bool Inside = X.L->contains(BB);
      if (Inside && any_of(successors(BB), [&](const BasicBlock *Next) { return !X.L->contains(Next); }))
        continue;
      if (C.Facts.empty())
        return std::nullopt;
      for (auto [V, Holds] : C.Facts) {
        const auto *Compare = dyn_cast<ICmpInst>(V);
        if (std::optional<RankFacts::Guard> G = Ranks.guard(V)) {
          bool Varies = Compare && (E.varies(Compare->getOperand(0), X.L) || E.varies(Compare->getOperand(1), X.L));
          if (Varies && leavesOut(Compare, X.L)) {
            if ((Compare->getPredicate() == CmpInst::ICMP_EQ) == Holds)
              return std::nullopt; // the ranks take turns
            Compared = true;
            continue;
          }
          if (G->Equality && Holds == G->OneOnTrue) {
            X.OneRank = Compared = true;
            X.Root = G->Root;
          }
          continue;
        }
        if (!Inside)
          continue;
        if (Compare && leavesOut(Compare, X.L)) {
          if ((Compare->getPredicate() == CmpInst::ICMP_EQ) == Holds)
            return std::nullopt;
          Compared = true;
        } else if (isa<Instruction>(V) && mayVary(cast<Instruction>(V), X.L)) {
          return std::nullopt; // sparse: the data say which peers
        }
      }
    }
    if (!X.AllRanks && !Compared)
      return std::nullopt;
    describe(X);
    return X;
  }

  bool mayVary(const Instruction *I, const Loop *L) {
    return any_of(I->operands(), [&](const Use &Operand) {
      return E.scalarEvolution().isSCEVable(Operand->getType()) ? E.varies(Operand.get(), L)
                                                                : !L->isLoopInvariant(Operand.get());
    });
  }

  void describe(RankLoop &X) {
    const MpiSite &S = *X.Site;
    Value *Buffer = S.arg(S.Sig->Buffer);
    Value *Count = S.arg(S.Sig->Count);
    Stride Step = Buffer ? E.stride(Buffer, X.L) : Stride{};
    X.SameBuffer = Step.K == Stride::Zero;
    X.VariableBlocks = Step.K == Stride::Unknown || (Count && E.varies(Count, X.L));
    const SCEV *Base = Buffer ? M.baseOf(Buffer, X.L) : nullptr;
    for (BasicBlock *BB : X.L->blocks()) {
      if (isErrorPath(*BB))
        continue;
      for (Instruction &I : *BB) {
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          X.Packed |= X.SameBuffer && M.baseOf(St->getPointerOperand(), X.L) == Base;
        } else if (auto *Op = dyn_cast<BinaryOperator>(&I)) {
          bool Sum = Op->getOpcode() == Instruction::FAdd || Op->getOpcode() == Instruction::Add ||
                     Op->getOpcode() == Instruction::FMul;
          X.Accumulates |= Sum && any_of(Op->operands(), [&](const Use &Part) {
                             const auto *Load = dyn_cast<LoadInst>(Part);
                             return Load && M.baseOf(const_cast<Value *>(Load->getPointerOperand()), X.L) == Base;
                           });
        } else if (auto *C = dyn_cast<CallBase>(&I)) {
          if (const MpiSignature *Sig = findMpiCall(*C)) {
            if (C == S.Call)
              continue;
            MpiSite O{C, Sig};
            X.BothWays |= (O.is(MpiRecv) && !O.is(MpiNonblocking) && X.Sends) || (O.is(MpiSend) && X.Receives);
            X.Packed |= O.is(MpiRecv) && X.Sends;
          } else {
            X.Output |= (Effects.of(I, M) & (effects::Output | effects::RankOutput | effects::Unknown)) != 0;
            X.Packed |= X.SameBuffer && any_of(C->args(), [&](const Use &A) {
                          return A->getType()->isPointerTy() && !C->onlyReadsMemory() && M.baseOf(A.get(), X.L) == Base;
                        });
          }
        }
      }
    }
    // A reduction has operands of one shape and adds only what came in.
    X.Accumulates &= X.Receives && X.SameBuffer && !X.VariableBlocks;
  }

  const MpiSite *counterpart(const RankLoop &X) {
    for (const MpiSite &O : M.sites()) {
      if (&O == X.Site || !O.is(X.Sends ? MpiRecv : MpiSend) || O.is(MpiPersistent | MpiCollective) ||
          X.L->contains(O.Call) || !MpiFunction::sameCommunicator(M, O, *X.Site))
        continue;
      Value *Peer = X.Sends ? O.source() : O.arg(O.Sig->Peer);
      if (!Peer || M.isWildcard(Peer))
        continue;
      const Loop *Own = E.loops().getLoopFor(O.Call->getParent());
      if (Own && E.varies(Peer, Own))
        continue;
      if (isa<ConstantInt>(Peer) || (X.Root && M.sameValue(Peer, const_cast<Value *>(X.Root))))
        return &O;
    }
    return nullptr;
  }

  MpiFunction &M;
  StrideEngine &E;
  const RankFacts &Ranks;
  MpiEffects &Effects;
};

} // namespace

std::vector<RankLoop> findRankLoops(MpiFunction &M, const RankFacts &Ranks, MpiEffects &Effects) {
  return RankLoopFinder(M, Ranks, Effects).find();
}

} // namespace stridewise
