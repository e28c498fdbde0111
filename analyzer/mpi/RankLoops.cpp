#include "mpi/RankLoops.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

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

bool isNextRank(const Value *V, const RankFacts &Ranks, unsigned Depth) {
  if (Depth > 4)
    return false;
  if (const auto *Choice = dyn_cast<SelectInst>(V))
    return isNextRank(Choice->getTrueValue(), Ranks, Depth + 1) ||
           isNextRank(Choice->getFalseValue(), Ranks, Depth + 1);
  if (const auto *Choice = dyn_cast<PHINode>(V))
    return any_of(Choice->incoming_values(), [&](const Use &In) { return isNextRank(In, Ranks, Depth + 1); });
  const auto *Op = dyn_cast<BinaryOperator>(V);
  if (Op && (Op->getOpcode() == Instruction::SRem || Op->getOpcode() == Instruction::URem))
    return Ranks.size(Op->getOperand(1)) && isNextRank(Op->getOperand(0), Ranks, Depth + 1);
  std::int64_t Offset = 0;
  while ((Op = dyn_cast<BinaryOperator>(V))) {
    bool Minus = Op->getOpcode() == Instruction::Sub;
    if (!Minus && Op->getOpcode() != Instruction::Add)
      return false;
    const Value *Left = Op->getOperand(0), *Right = Op->getOperand(1);
    if (isa<ConstantInt>(Left) || Ranks.size(Left))
      std::swap(Left, Right);
    if (const auto *C = dyn_cast<ConstantInt>(Right))
      Offset += Minus ? -C->getSExtValue() : C->getSExtValue();
    else if (!Ranks.size(Right))
      return false;
    V = Left;
  }
  return Ranks.rank(V) && (Offset == 1 || Offset == -1);
}

namespace {

const Value *stripCasts(const Value *V) {
  while (const auto *C = dyn_cast<CastInst>(V)) {
    if (!C->getType()->isIntegerTy())
      break;
    V = C->getOperand(0);
  }
  return V;
}

class RankLoopFinder {
public:
  RankLoopFinder(MpiFunction &M, const RankFacts &Ranks, MpiEffects &Effects)
      : M(M), E(M.engine()), Ranks(Ranks), Effects(Effects) {}

  std::vector<RankLoop> find() {
    std::vector<RankLoop> Out;
    for (const MpiSite &S : counted(M.sites()))
      if (S.is(MpiSend | MpiRecv) && !S.is(MpiPersistent | MpiCollective)) {
        std::optional<RankLoop> X = judge(S);
        if (!X)
          X = judgeSteps(S);
        if (!X)
          X = judgeAnySource(S);
        if (X)
          Out.push_back(*X);
      } else if (S.is(MpiCollective)) {
        if (std::optional<RankLoop> X = judgeRoots(S))
          Out.push_back(*X);
      }
    for (RankLoop &X : Out)
      if (X.S == RankLoop::EachRank)
        X.Counterpart = counterpart(X);
    return Out;
  }

private:
  // The loop that counts the peers: the innermost one in which the peer moves, by one rank at a time.
  const Loop *peerLoop(const MpiSite &S, Value *Peer) {
    for (const Loop *L = E.loops().getLoopFor(S.Call->getParent()); L; L = L->getParentLoop()) {
      if (!E.varies(Peer, L))
        continue;
      return countsBy1(Peer, L) || isPairwise(Peer, L) ? L : nullptr;
    }
    return nullptr;
  }

  bool countsBy1(Value *V, const Loop *L) {
    Stride Step = E.stride(V, L);
    return Step.K == Stride::Constant && (Step.Bytes == 1 || Step.Bytes == -1);
  }

  // rank ^ i: a permutation of the ranks in each step.
  bool isPairwise(Value *Peer, const Loop *L) {
    const auto *Op = dyn_cast<BinaryOperator>(stripCasts(Peer));
    if (!Op || Op->getOpcode() != Instruction::Xor)
      return false;
    for (unsigned K : {0u, 1u})
      if (Ranks.rank(Op->getOperand(K)) && countsBy1(Op->getOperand(1 - K), L))
        return true;
    return false;
  }

  // A value that goes 1, 2, 4, …
  bool doubles(const Value *V, const Loop *L) {
    V = stripCasts(V);
    const auto *Shift = dyn_cast<BinaryOperator>(V);
    if (Shift && Shift->getOpcode() == Instruction::Shl && isa<ConstantInt>(Shift->getOperand(0)))
      return countsBy1(Shift->getOperand(1), L);
    const auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi || Phi->getParent() != L->getHeader())
      return false;
    return any_of(Phi->incoming_values(), [&](const Use &In) {
      const auto *Op = dyn_cast<BinaryOperator>(stripCasts(In));
      if (!Op || stripCasts(Op->getOperand(0)) != Phi)
        return false;
      const auto *By = dyn_cast<ConstantInt>(Op->getOperand(1));
      return (Op->getOpcode() == Instruction::Shl && By && By->isOne()) ||
             (Op->getOpcode() == Instruction::Mul && By && By->equalsInt(2)) ||
             (Op->getOpcode() == Instruction::Add && stripCasts(Op->getOperand(1)) == Phi);
    });
  }

  // rank ^ mask, rank + mask, (rank - mask + size) % size.
  bool isDoubling(const Value *Peer, const Loop *L, unsigned Depth = 0) {
    Peer = stripCasts(Peer);
    if (const auto *Choice = dyn_cast<SelectInst>(Peer); Choice && Depth < 3)
      return isDoubling(Choice->getTrueValue(), L, Depth + 1) || isDoubling(Choice->getFalseValue(), L, Depth + 1);
    const auto *Op = dyn_cast<BinaryOperator>(Peer);
    if (!Op || Depth > 3)
      return false;
    if (Op->getOpcode() == Instruction::SRem || Op->getOpcode() == Instruction::URem)
      return isDoubling(Op->getOperand(0), L, Depth + 1);
    for (unsigned K : {0u, 1u}) {
      const Value *One = Op->getOperand(K), *Other = Op->getOperand(1 - K);
      if (Ranks.rankTerm(One) && doubles(Other, L))
        return true;
      if (Ranks.size(One) && isDoubling(Other, L, Depth + 1))
        return true;
    }
    return false;
  }

  // As many messages as there are ranks, whoever sends them, are added up: their order is free. Every other rank sends
  // one of them, elsewhere, and nothing else in the function receives so.
  std::optional<RankLoop> judgeAnySource(const MpiSite &S) {
    Value *Source = S.source();
    const Loop *L = E.loops().getLoopFor(S.Call->getParent());
    if (!S.is(MpiRecv) || S.is(MpiSend | MpiNonblocking) || !Source || !M.isWildcard(Source) || !L || E.tripCount(L))
      return std::nullopt;
    RankLoop X;
    X.S = RankLoop::AnySource;
    X.Site = &S;
    X.L = L;
    X.Receives = X.AllRanks = X.LeavesOutFirst = true;
    for (const MpiSite &O : counted(M.sites())) {
      if (&O == &S)
        continue;
      Value *Other = O.is(MpiRecv) ? O.source() : O.is(MpiProbe) ? O.arg(O.Sig->Peer) : nullptr;
      if (L->contains(O.Call) || (Other && M.isWildcard(Other)))
        return std::nullopt;
    }
    for (const RunCondition &C : M.conditions(S.Call->getParent())) {
      const BasicBlock *BB = C.Branch->getParent();
      if (L->contains(BB)) {
        if (none_of(successors(BB), [&](const BasicBlock *Next) { return !L->contains(Next); }))
          return std::nullopt;
        continue;
      }
      for (auto [V, Holds] : C.Facts) {
        const Value *Root = nullptr;
        const auto *Compare = dyn_cast<ICmpInst>(V);
        if (std::optional<RankFacts::Guard> G = Ranks.guard(V)) {
          if (G->Equality && Holds == G->OneOnTrue) {
            X.OneRank = true;
            X.Root = G->Root;
          }
        } else if (Compare && (Compare->getPredicate() == CmpInst::ICMP_EQ) == Holds &&
                   actsAsRoot(S, C, Compare, Root)) {
          X.OneRank = true;
          X.Root = Root;
        }
      }
    }
    if (!X.OneRank)
      return std::nullopt;
    // Whoever asks whose message it was does not only add up.
    const Value *Status = getUnderlyingObject(S.Call->getArgOperand(S.Call->arg_size() - 1));
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : counted(*BB))
        if (const auto *Load = dyn_cast<LoadInst>(&I);
            Load && !isa<Constant>(Status) && getUnderlyingObject(Load->getPointerOperand()) == Status)
          return std::nullopt;
    describe(X);
    X.Counterpart = counterpart(X);
    if (!X.Accumulates || X.Output || X.Packed || !X.Counterpart ||
        E.loops().getLoopFor(X.Counterpart->Call->getParent()) != L->getParentLoop() ||
        (!runsOverRanks(L, Ranks) && !isSentByAllOthers(*X.Counterpart, S, L)))
      return std::nullopt;
    return X;
  }

  // Where each rank that does not receive sends once, so many messages are received as there are other ranks, whatever
  // the loop's bound is called.
  bool isSentByAllOthers(const MpiSite &Sent, const MpiSite &Received, const Loop *L) {
    unsigned Opposite = 0;
    ArrayRef<RunCondition> OfReceiver = M.conditions(Received.Call->getParent());
    for (const RunCondition &C : M.conditions(Sent.Call->getParent())) {
      const auto *Same = find_if(OfReceiver, [&](const RunCondition &O) { return O.Branch == C.Branch; });
      if (Same == OfReceiver.end() || L->contains(C.Branch))
        return false;
      Opposite += Same->Arm != C.Arm;
    }
    return Opposite == 1;
  }

  // A broadcast, gather or reduction in which each rank is the root in turn, with a place of its own for what each root
  // has or gets: what has arrived is not needed before the next one.
  std::optional<RankLoop> judgeRoots(const MpiSite &S) {
    StringRef Name = S.Sig->Name;
    bool Bcast = Name == "MPI_Bcast", Gather = Name == "MPI_Gather", Reduce = Name == "MPI_Reduce";
    Value *Root = S.arg(S.Sig->Peer), *Buffer = S.arg(S.Sig->Buffer);
    const Loop *L = E.loops().getLoopFor(S.Call->getParent());
    if (!(Bcast || Gather || Reduce) || !Root || !Buffer || !L || E.tripCount(L) || !runsOverRanks(L, Ranks) ||
        !countsBy1(Root, L))
      return std::nullopt;
    Stride Step = E.stride(Buffer, L);
    if (Bcast && (Step.K == Stride::Zero || E.varies(M.baseOf(Buffer, L), L)))
      return std::nullopt;
    // Who works with one block before the next one is sent keeps to an order of its own.
    const SCEV *Base = M.baseOf(Buffer, L);
    for (BasicBlock *BB : L->blocks())
      if (!isErrorPath(*BB))
        for (Instruction &I : counted(*BB)) {
          Value *P = isa<LoadInst, StoreInst>(I) ? getLoadStorePointerOperand(&I) : nullptr;
          if (P && M.baseOf(P, L) == Base)
            return std::nullopt;
          if (const auto *C = dyn_cast<CallBase>(&I);
              C && C != S.Call && !isa<IntrinsicInst>(C) && !C->onlyReadsMemory())
            return std::nullopt;
        }
    RankLoop X;
    X.S = RankLoop::EachRoot;
    X.Site = &S;
    X.L = L;
    X.AllRanks = true;
    X.SameBuffer = Step.K == Stride::Zero;
    Value *Count = S.arg(S.Sig->Count);
    X.VariableBlocks = (Step.K == Stride::Unknown) || (Count && E.varies(Count, L));
    X.Accumulates = Reduce;
    X.Receives = Bcast;
    return X;
  }

  // Steps of a ring or of recursive doubling: messages to the next rank as often as there are ranks, or to ranks at
  // growing distances. Only those count that do nothing but copy, or combine, what arrives: a loop that computes with
  // blocks which go round is an algorithm of its own.
  std::optional<RankLoop> judgeSteps(const MpiSite &S) {
    Value *Peer = S.arg(S.Sig->Peer);
    const auto *Count = dyn_cast_or_null<ConstantInt>(S.arg(S.Sig->Count));
    if (!S.is(MpiSend) || !Peer || isa<Constant>(Peer) || M.isWildcard(Peer) || (Count && Count->isZero()))
      return std::nullopt;
    RankLoop X;
    X.Site = &S;
    X.Sends = true;
    X.L = E.loops().getLoopFor(S.Call->getParent());
    while (X.L && !runsOverRanks(X.L, Ranks))
      X.L = X.L->getParentLoop();
    if (!X.L || E.tripCount(X.L) == 1)
      return std::nullopt;
    X.AllRanks = true;
    const MpiSite *Arrival = S.is(MpiRecv) ? &S : nullptr;
    for (const MpiSite &O : counted(M.sites())) {
      if (!X.L->contains(O.Call) || &O == &S || O.is(MpiWait) || (O.is(MpiQuery) && !O.is(MpiCollective)))
        continue;
      if (StringRef(O.Sig->Name) == "MPI_Reduce_local") {
        X.Accumulates = true;
        continue;
      }
      // Parity may decide which of two sends comes first.
      if (!O.is(MpiSend | MpiRecv) || O.is(MpiCollective | MpiPersistent))
        return std::nullopt;
      if (O.is(MpiRecv) && !Arrival)
        Arrival = &O;
    }
    if (!Arrival || M.isWildcard(Arrival->source()))
      return std::nullopt;
    if (isDoubling(Peer, X.L)) {
      X.S = RankLoop::Doubling;
    } else {
      if (E.varies(Peer, X.L) || E.varies(Arrival->source(), X.L) || M.sameValue(Peer, Arrival->source()))
        return std::nullopt;
      X.S = RankLoop::Ring;
      X.NextRank = isNextRank(Peer, Ranks);
      PeerRelation Relation = M.relate(Peer, Arrival->source());
      if (!X.NextRank && Relation != PeerRelation::Opposite)
        return std::nullopt;
    }
    X.Receives = true;
    if (!describeSteps(X, *Arrival))
      return std::nullopt;
    return X;
  }

  bool describeSteps(RankLoop &X, const MpiSite &Arrival) {
    Value *Out = X.Site->arg(X.Site->Sig->Buffer);
    Value *In = Arrival.arg(Arrival.is(MpiSend) ? Arrival.Sig->RecvBuffer : Arrival.Sig->Buffer);
    if (!Out || !In)
      return false;
    const SCEV *InBase = M.baseOf(In, X.L);
    // Slices of one buffer; two buffers that change places are one.
    auto Slides = [&](Value *P) { return E.varies(P, X.L) && !E.varies(M.baseOf(P, X.L), X.L); };
    bool Moves = Slides(Out) || Slides(In), Copies = false;
    auto Arrived = [&](const Value *V) {
      const auto *Load = dyn_cast<LoadInst>(V);
      return Load && M.baseOf(const_cast<Value *>(Load->getPointerOperand()), X.L) == InBase;
    };
    for (BasicBlock *BB : X.L->blocks()) {
      if (isErrorPath(*BB))
        continue;
      for (Instruction &I : counted(*BB)) {
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          const Value *V = stripCasts(St->getValueOperand());
          const auto *Op = dyn_cast<BinaryOperator>(V);
          const auto *Call = dyn_cast<CallBase>(V);
          const auto *Choice = dyn_cast<SelectInst>(V);
          if (isa<LoadInst>(V)) {
            // A copy; or a maximum, where a comparison decides over it.
            Copies |= E.varies(St->getPointerOperand(), X.L) || Arrived(V);
          } else if ((Op && (combines(Op) && any_of(Op->operands(), Arrived))) ||
                     (Call && any_of(Call->args(), Arrived)) ||
                     (Choice && (Arrived(Choice->getTrueValue()) || Arrived(Choice->getFalseValue())))) {
            X.Accumulates = true;
          } else if (!isa<Constant>(V) &&
                     (!V->getType()->isIntegerTy() || !isa<AllocaInst, GlobalVariable>(St->getPointerOperand()))) {
            return false;
          }
        } else if (auto *Op = dyn_cast<BinaryOperator>(&I)) {
          // A sum in a register.
          X.Accumulates |= combines(Op) && any_of(Op->operands(), Arrived) &&
                           any_of(Op->operands(), [](const Use &Part) { return isa<PHINode>(Part); });
        } else if (auto *C = dyn_cast<CallBase>(&I)) {
          if (findMpiCall(*C) || isa<IntrinsicInst>(C))
            Copies |= isa<MemTransferInst>(C);
          else if (!C->onlyReadsMemory() && !C->doesNotReturn())
            return false;
        }
      }
    }
    // Comparisons of what arrived with what was there: a maximum or minimum.
    if (Copies && !X.Accumulates)
      for (BasicBlock *BB : X.L->blocks())
        for (Instruction &I : counted(*BB))
          if (auto *Compare = dyn_cast<FCmpInst>(&I))
            X.Accumulates |= any_of(Compare->operands(), Arrived);
    X.SameBuffer = !Moves;
    X.VariableBlocks = X.Site->arg(X.Site->Sig->Count) && E.varies(X.Site->arg(X.Site->Sig->Count), X.L);
    if (X.S == RankLoop::Doubling)
      return X.Accumulates && !Moves && !X.VariableBlocks;
    return X.Accumulates || Moves || Copies;
  }

  static bool combines(const BinaryOperator *Op) {
    return is_contained({Instruction::FAdd, Instruction::Add, Instruction::FMul, Instruction::Mul, Instruction::And,
                         Instruction::Or, Instruction::Xor},
                        Op->getOpcode());
  }

  // `if (x == k)` around the loop, while the others talk to rank k: x is the rank, wherever it comes from.
  bool actsAsRoot(const MpiSite &S, const RunCondition &C, const ICmpInst *Compare, const Value *&Root) {
    const auto *Br = dyn_cast<BranchInst>(C.Branch);
    if (!Compare || !Compare->isEquality() || !Br || Br->getNumSuccessors() != 2)
      return false;
    for (unsigned K : {0u, 1u}) {
      Value *Other = Compare->getOperand(K);
      for (const MpiSite &O : counted(M.sites())) {
        Value *Peer = O.is(MpiSend) ? O.arg(O.Sig->Peer) : O.source();
        if (!O.is(S.is(MpiSend) ? MpiRecv : MpiSend) || O.is(MpiPersistent | MpiCollective) || !Peer ||
            !M.sameValue(Peer, Other) || !MpiFunction::sameCommunicator(M, O, S))
          continue;
        for (const RunCondition &Of : M.conditions(O.Call->getParent()))
          if (Of.Branch == C.Branch && Of.Arm != C.Arm) {
            Root = Other;
            return true;
          }
      }
    }
    return false;
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
    if (const auto *Counter = dyn_cast<SCEVAddRecExpr>(E.rewrite(Peer)); Counter && Counter->getLoop() == X.L)
      if (const auto *First = dyn_cast<SCEVConstant>(Counter->getStart()))
        X.LeavesOutFirst = First->getAPInt().isStrictlyPositive();
    bool Compared = false; // with this rank or the root: the counter is a rank
    for (const RunCondition &C : M.conditions(S.Call->getParent())) {
      const BasicBlock *BB = C.Branch->getParent();
      bool Inside = X.L->contains(BB);
      if (Inside && any_of(successors(BB), [&](const BasicBlock *Next) { return !X.L->contains(Next); }))
        continue;
      if (C.Facts.empty() && Inside)
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
        if (!Inside) {
          const Value *Root = nullptr;
          bool Equal = Compare && (Compare->getPredicate() == CmpInst::ICMP_EQ) == Holds;
          if (Equal && actsAsRoot(S, C, Compare, Root)) {
            X.OneRank = Compared = true;
            X.Root = Root;
          }
          continue;
        }
        // `partner < size` keeps a pairwise exchange in the communicator.
        if (Compare && any_of(Compare->operands(), [&](const Use &Operand) { return Ranks.dependsOnSize(Operand); }))
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
    bool Pairwise = isPairwise(S.is(MpiSend) ? S.arg(S.Sig->Peer) : S.source(), X.L);
    X.VariableBlocks = (Step.K == Stride::Unknown && !Pairwise) || (Count && E.varies(Count, X.L));
    X.WritesBlocks = true;
    const SCEV *Base = Buffer ? M.baseOf(Buffer, X.L) : nullptr;
    for (BasicBlock *BB : X.L->blocks()) {
      if (isErrorPath(*BB))
        continue;
      for (Instruction &I : counted(*BB)) {
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          X.Packed |= X.SameBuffer && M.baseOf(St->getPointerOperand(), X.L) == Base;
        } else if (auto *Op = dyn_cast<BinaryOperator>(&I)) {
          bool Sum = Op->getOpcode() == Instruction::FAdd || Op->getOpcode() == Instruction::Add ||
                     Op->getOpcode() == Instruction::FMul;
          X.Accumulates |= Sum && any_of(Op->operands(), [&](const Use &Part) {
                             const auto *Load = dyn_cast<LoadInst>(Part);
                             return Load && M.baseOf(const_cast<Value *>(Load->getPointerOperand()), X.L) == Base;
                           });
        } else if (auto *C = dyn_cast<CallBase>(&I); C && !I.isLifetimeStartOrEnd()) {
          if (const MpiSignature *Sig = findMpiCall(*C)) {
            if (C == S.Call)
              continue;
            MpiSite O{C, Sig};
            X.BothWays |= (O.is(MpiRecv) && !O.is(MpiNonblocking) && X.Sends) || (O.is(MpiSend) && X.Receives);
            X.Packed |= O.is(MpiRecv) && X.Sends;
          } else {
            bool Writes = (Effects.of(I, M) & (effects::Output | effects::RankOutput | effects::Unknown)) != 0;
            X.Output |= Writes;
            X.WritesBlocks &= !Writes || writesBlock(*C);
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

  static bool writesBlock(const CallBase &C) {
    const auto *Callee = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
    return Callee &&
           is_contained({"fwrite", "fwrite_unlocked", "write", "pwrite", "_ZNSo5writeEPKcl"}, Callee->getName());
  }

  const MpiSite *counterpart(const RankLoop &X) {
    for (const MpiSite &O : counted(M.sites())) {
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
