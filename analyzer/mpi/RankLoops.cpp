#include "mpi/RankLoops.h"
#include "mpi/RankSteps.h"
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

// Where a counter begins that the loop's end is found by, as flang counts down; the value itself for others.
static const Value *beginOf(const Value *V, const Loop *L) {
  if (const auto *Op = dyn_cast<BinaryOperator>(V); Op && isa<ConstantInt>(Op->getOperand(1)))
    V = Op->getOperand(0);
  const auto *P = dyn_cast<PHINode>(V);
  const BasicBlock *Before = L->getLoopPreheader();
  return P && Before && P->getParent() == L->getHeader() ? P->getIncomingValueForBlock(Before) : V;
}

bool runsOverRanks(const Loop *L, const RankFacts &Ranks) {
  SmallVector<BasicBlock *, 4> Exiting;
  L->getExitingBlocks(Exiting);
  for (BasicBlock *BB : Exiting)
    if (const auto *Br = dyn_cast<BranchInst>(BB->getTerminator()); Br && Br->isConditional())
      if (const auto *Compare = dyn_cast<ICmpInst>(Br->getCondition()))
        for (const Use &Operand : Compare->operands())
          if (Ranks.dependsOnSize(Operand) || Ranks.dependsOnSize(beginOf(Operand, L)))
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
    for (const MpiSite &S : counted(M.sites()))
      if (S.is(MpiSend | MpiRecv) && !S.is(MpiPersistent | MpiCollective)) {
        std::optional<RankLoop> X = judge(S);
        if (!X)
          X = findRankSteps(M, S, Ranks);
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
      return movesByOneRank(E, Peer, L) || isPairwise(Peer, L) ? L : nullptr;
    }
    return nullptr;
  }

  // rank ^ i: a permutation of the ranks in each step.
  bool isPairwise(Value *Peer, const Loop *L) {
    const auto *Op = dyn_cast<BinaryOperator>(stripIntegerCasts(Peer));
    if (!Op || Op->getOpcode() != Instruction::Xor)
      return false;
    for (unsigned K : {0u, 1u})
      if (Ranks.rank(Op->getOperand(K)) && movesByOneRank(E, Op->getOperand(1 - K), L))
        return true;
    return false;
  }

  // No other call of the loop talks, and no other one of the function receives from any source.
  bool isOnlyOpenReceive(const MpiSite &S, const Loop *L) {
    return none_of(counted(M.sites()), [&](const MpiSite &O) {
      if (&O == &S)
        return false;
      Value *Other = O.is(MpiRecv) ? O.source() : O.is(MpiProbe) ? O.arg(O.Sig->Peer) : nullptr;
      return L->contains(O.Call) || (Other && M.isWildcard(Other));
    });
  }

  // Whether a condition around the loop leaves it to one rank, and no other one inside decides over the call.
  bool isOnOneRank(RankLoop &X) {
    for (const RunCondition &C : M.conditions(X.Site->Call->getParent())) {
      const BasicBlock *BB = C.Branch->getParent();
      if (X.L->contains(BB)) {
        if (!leavesLoop(BB, X.L))
          return false;
        continue;
      }
      for (auto [V, Holds] : C.Facts)
        if (std::optional<RankFacts::Guard> G = Ranks.guard(V))
          choosesRank(X, *G, Holds);
        else
          choosesUnnamedRank(X, C, dyn_cast<ICmpInst>(V), Holds);
    }
    return X.OneRank;
  }

  static bool leavesLoop(const BasicBlock *BB, const Loop *L) {
    return any_of(successors(BB), [&](const BasicBlock *Next) { return !L->contains(Next); });
  }

  // A condition that holds on one rank only: which the loop's function knows, or which the other ranks talk to.
  static bool choosesRank(RankLoop &X, const RankFacts::Guard &G, bool Holds) {
    if (!G.Equality || Holds != G.OneOnTrue)
      return false;
    X.OneRank = true;
    X.Root = G.Root;
    return true;
  }
  bool choosesUnnamedRank(RankLoop &X, const RunCondition &C, const ICmpInst *Compare, bool Holds) {
    const Value *Root = nullptr;
    if (!Compare || (Compare->getPredicate() == CmpInst::ICMP_EQ) != Holds || !actsAsRoot(*X.Site, C, Compare, Root))
      return false;
    X.OneRank = true;
    X.Root = Root;
    return true;
  }

  // Who asks whose message it was does not only add up.
  static bool readsStatus(const MpiSite &S, const Loop *L) {
    const Value *Status = getUnderlyingObject(S.Call->getArgOperand(S.Call->arg_size() - 1));
    if (isa<Constant>(Status))
      return false;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : counted(*BB))
        if (const auto *Load = dyn_cast<LoadInst>(&I); Load && getUnderlyingObject(Load->getPointerOperand()) == Status)
          return true;
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
    if (!isOnlyOpenReceive(S, L) || !isOnOneRank(X) || readsStatus(S, L))
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

  // Who works with one block before the next one is sent keeps to an order of its own.
  bool worksBetween(const MpiSite &S, const Loop *L, const SCEV *Base) {
    for (BasicBlock *BB : L->blocks())
      if (!isErrorPath(*BB))
        for (Instruction &I : counted(*BB)) {
          Value *P = isa<LoadInst, StoreInst>(I) ? getLoadStorePointerOperand(&I) : nullptr;
          if (P && M.baseOf(P, L) == Base)
            return true;
          if (const auto *C = dyn_cast<CallBase>(&I);
              C && C != S.Call && !isa<IntrinsicInst>(C) && !C->onlyReadsMemory())
            return true;
        }
    return false;
  }

  // A broadcast, gather or reduction in which each rank is the root in turn, with a place of its own for what each root
  // has or gets: what has arrived is not needed before the next one.
  std::optional<RankLoop> judgeRoots(const MpiSite &S) {
    if (S.is(MpiNonblocking | MpiVarying))
      return std::nullopt;
    MpiDoes D = S.Sig->Does;
    bool Bcast = D == MpiDoes::Broadcast, Gather = D == MpiDoes::Gather, Reduce = D == MpiDoes::Reduce;
    Value *Root = S.arg(S.Sig->Peer), *Buffer = S.arg(S.Sig->Buffer);
    const Loop *L = E.loops().getLoopFor(S.Call->getParent());
    if (!(Bcast || Gather || Reduce) || !Root || !Buffer || !L || E.tripCount(L) || !movesByOneRank(E, Root, L))
      return std::nullopt;
    // The size may be what another unit has asked for; roots 0, 1, 2, … of one call each are ranks of it.
    const bool AllRanks = runsOverRanks(L, Ranks);
    const auto *Counter = dyn_cast<SCEVAddRecExpr>(E.rewrite(Root));
    if (!AllRanks && (!Counter || Counter->getLoop() != L || !Counter->getStart()->isZero()))
      return std::nullopt;
    Stride Step = E.stride(Buffer, L);
    if (Bcast && (Step.K == Stride::Zero || E.varies(M.baseOf(Buffer, L), L)))
      return std::nullopt;
    if (worksBetween(S, L, M.baseOf(Buffer, L)))
      return std::nullopt;
    RankLoop X;
    X.S = RankLoop::EachRoot;
    X.Site = &S;
    X.L = L;
    X.AllRanks = AllRanks;
    X.SameBuffer = Step.K == Stride::Zero;
    Value *Count = S.arg(S.Sig->Count);
    X.VariableBlocks = (Step.K == Stride::Unknown) || (Count && E.varies(Count, L));
    X.Accumulates = Reduce;
    X.Receives = Bcast;
    return X;
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
      const bool Inside = X.L->contains(C.Branch);
      if (Inside && leavesLoop(C.Branch->getParent(), X.L))
        continue;
      if (C.Facts.empty() && Inside)
        return std::nullopt;
      for (auto [V, Holds] : C.Facts)
        switch (Inside ? insideFact(X, C, V, Holds) : outsideFact(X, C, V, Holds)) {
        case FactMeans::NotEachRank:
          return std::nullopt;
        case FactMeans::CounterIsRank:
          Compared = true;
          break;
        case FactMeans::Nothing:
          break;
        }
    }
    if (!goesOverRanks(X, Peer, Compared))
      return std::nullopt;
    describe(X);
    return X;
  }

  bool goesOverRanks(RankLoop &X, Value *Peer, bool Compared) {
    X.AllRanks |= !X.OneRank && isMutual(X, Peer);
    return X.AllRanks || countsRanks(Peer, Compared);
  }

  // Who sends to ranks 0, 1, 2, … and receives from the same ones does so with all: what further ranks send, and every
  // rank runs the loop, would not be received.
  bool isMutual(const RankLoop &X, Value *Peer) {
    const auto *Counter = dyn_cast<SCEVAddRecExpr>(E.rewrite(Peer));
    if (!Counter || Counter->getLoop() != X.L || !Counter->getStart()->isZero())
      return false;
    if (X.Sends && X.Receives)
      return M.sameValue(X.Site->arg(X.Site->Sig->Peer), X.Site->source());
    return any_of(M.sites(), [&](const MpiSite &O) {
      return E.loops().getLoopFor(O.Call->getParent()) == E.loops().getLoopFor(X.Site->Call->getParent()) &&
             !O.is(MpiPersistent | MpiCollective) && O.is(X.Sends ? MpiRecv : MpiSend) &&
             M.sameValue(O.is(MpiRecv) ? O.source() : O.arg(O.Sig->Peer), Peer) &&
             MpiFunction::sameCommunicator(M, O, *X.Site);
    });
  }

  // What a condition under which a message is sent says of a loop over the ranks.
  enum class FactMeans {
    Nothing,
    CounterIsRank, // it is compared with this rank or the root
    NotEachRank    // ranks take turns, or the data say which peers
  };

  FactMeans rankFact(RankLoop &X, const RankFacts::Guard &G, const ICmpInst *Compare, bool Holds) {
    bool Varies = Compare && (E.varies(Compare->getOperand(0), X.L) || E.varies(Compare->getOperand(1), X.L));
    if (Varies && leavesOut(Compare, X.L))
      return leftOut(*Compare, Holds);
    return choosesRank(X, G, Holds) ? FactMeans::CounterIsRank : FactMeans::Nothing;
  }
  static FactMeans leftOut(const ICmpInst &Compare, bool Holds) {
    return (Compare.getPredicate() == CmpInst::ICMP_EQ) == Holds ? FactMeans::NotEachRank : FactMeans::CounterIsRank;
  }
  FactMeans outsideFact(RankLoop &X, const RunCondition &C, Value *V, bool Holds) {
    const auto *Compare = dyn_cast<ICmpInst>(V);
    if (std::optional<RankFacts::Guard> G = Ranks.guard(V))
      return rankFact(X, *G, Compare, Holds);
    return choosesUnnamedRank(X, C, Compare, Holds) ? FactMeans::CounterIsRank : FactMeans::Nothing;
  }
  FactMeans insideFact(RankLoop &X, const RunCondition &C, Value *V, bool Holds) {
    const auto *Compare = dyn_cast<ICmpInst>(V);
    if (Compare && isServedEitherWay(X, C, *Compare)) {
      X.InTurn = true;
      return FactMeans::CounterIsRank;
    }
    if (std::optional<RankFacts::Guard> G = Ranks.guard(V))
      return rankFact(X, *G, Compare, Holds);
    // `partner < size` keeps a pairwise exchange in the communicator.
    if (Compare && any_of(Compare->operands(), [&](const Use &Operand) { return Ranks.dependsOnSize(Operand); }))
      return FactMeans::Nothing;
    if (Compare && leavesOut(Compare, X.L))
      return leftOut(*Compare, Holds);
    if (endsBlock(X, V))
      return FactMeans::Nothing;
    const auto *I = dyn_cast<Instruction>(V);
    return I && mayVary(I, X.L) ? FactMeans::NotEachRank : FactMeans::Nothing;
  }

  // `if (p < rank) { receive; send; } else { send; receive; }`: the same message either way.
  bool isServedEitherWay(const RankLoop &X, const RunCondition &C, const ICmpInst &Compare) {
    const MpiSite &S = *X.Site;
    const auto PeerOf = [](const MpiSite &O) { return O.is(MpiSend) ? O.arg(O.Sig->Peer) : O.source(); };
    const bool OfPeer = any_of(Compare.operands(), [&](Value *Op) { return movesByOneRank(E, Op, X.L); });
    return !Compare.isEquality() && OfPeer && any_of(M.sites(), [&](const MpiSite &O) {
      return O.Call != S.Call && O.Sig->Traits == S.Sig->Traits && M.sameValue(PeerOf(O), PeerOf(S)) &&
             E.rewrite(O.arg(O.Sig->Buffer)) == E.rewrite(S.arg(S.Sig->Buffer)) &&
             any_of(M.conditions(O.Call->getParent()),
                    [&](const RunCondition &P) { return P.Branch == C.Branch && P.Arm != C.Arm; });
    });
  }

  // A loop over the parts of what one rank has, row by row: how many these are may differ from rank to rank.
  bool endsBlock(const RankLoop &X, const Value *V) {
    for (const Loop *Parts = E.loops().getLoopFor(X.Site->Call->getParent()); Parts && Parts != X.L;
         Parts = Parts->getParentLoop()) {
      const BasicBlock *Exiting = Parts->getExitingBlock();
      const auto *End = Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
      const BranchInst *Begin = Parts->getLoopGuardBranch();
      if ((End && End->isConditional() && End->getCondition() == V) || (Begin && Begin->getCondition() == V))
        return true;
    }
    return false;
  }

  // A peer that starts over, `1 + i % workers`, is dealt to: more rounds than ranks, unless the loop counts these.
  static bool countsRanks(const Value *Peer, bool Compared) { return Compared && !startsOver(Peer); }
  static bool startsOver(const Value *Peer) {
    const auto *Op = dyn_cast<BinaryOperator>(stripIntegerCasts(Peer));
    if (!Op || (Op->getOpcode() != Instruction::Add && Op->getOpcode() != Instruction::Sub))
      return Op && is_contained({Instruction::SRem, Instruction::URem}, Op->getOpcode());
    return startsOver(Op->getOperand(0)) || startsOver(Op->getOperand(1));
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
    bool Adds = false;
    const SCEV *Base = Buffer ? M.baseOf(Buffer, X.L) : nullptr;
    for (BasicBlock *BB : X.L->blocks()) {
      if (isErrorPath(*BB))
        continue;
      for (Instruction &I : counted(*BB)) {
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          X.Packed |= X.SameBuffer && M.baseOf(St->getPointerOperand(), X.L) == Base;
          X.Merges |= keepsExtreme(*St, Base, X.L);
        }
        if (auto *Op = dyn_cast<BinaryOperator>(&I))
          Adds |= addsFrom(*Op, Base, X.L);
        if (isa<BinaryOperator, SelectInst, MinMaxIntrinsic>(I) || isFloatingExtreme(I))
          X.Merges |= mergesInto(I, Base, X.L);
        else if (auto *C = dyn_cast<CallBase>(&I); C && C != S.Call && !I.isLifetimeStartOrEnd())
          describeCall(X, *C, Base);
      }
    }
    // A reduction has operands of one shape and adds only what came in.
    X.Accumulates = (Adds || X.Merges) && X.Receives && X.SameBuffer && !X.VariableBlocks;
    X.Merges &= !Adds;
  }

  bool addsFrom(const BinaryOperator &Op, const SCEV *Base, const Loop *L) {
    return is_contained({Instruction::FAdd, Instruction::Add, Instruction::FMul}, Op.getOpcode()) &&
           any_of(Op.operands(), [&](const Use &Part) {
             const auto *Load = dyn_cast<LoadInst>(Part);
             return Load && M.baseOf(const_cast<Value *>(Load->getPointerOperand()), L) == Base;
           });
  }

  static bool isFloatingExtreme(const Instruction &I) {
    const auto *C = dyn_cast<CallBase>(&I);
    const auto *Callee = C ? C->getCalledFunction() : nullptr;
    return Callee && C->getType()->isFloatingPointTy() && C->arg_size() == 2 &&
           (is_contained({Intrinsic::maxnum, Intrinsic::minnum, Intrinsic::maximum, Intrinsic::minimum},
                         Callee->getIntrinsicID()) ||
            is_contained({"fmax", "fmin", "fmaxf", "fminf"}, Callee->getName()));
  }
  // What was received, as it came.
  bool isReceived(const Value *V, const SCEV *Base, const Loop *L) {
    while (const auto *C = dyn_cast<CastInst>(V))
      V = C->getOperand(0);
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load && L->contains(Load) && M.baseOf(const_cast<Value *>(Load->getPointerOperand()), L) == Base;
  }

  // An operation of what came in and of its own former result, which goes around the loop in a register or in memory:
  // `best = max(best, other)`, `flags |= other`, `all[i] = min(all[i], other[i])`.
  bool mergesInto(Instruction &I, const SCEV *Base, const Loop *L) {
    const Value *A = nullptr, *B = nullptr;
    if (const auto *Choice = dyn_cast<SelectInst>(&I)) {
      A = Choice->getTrueValue(), B = Choice->getFalseValue();
      const auto *Compare = dyn_cast<CmpInst>(Choice->getCondition());
      const bool Asks = Compare && ((Compare->getOperand(0) == A && Compare->getOperand(1) == B) ||
                                    (Compare->getOperand(0) == B && Compare->getOperand(1) == A));
      if (!Asks && !I.getType()->isIntegerTy(1))
        return false;
    } else if (isa<BinaryOperator>(I) &&
               !is_contained({Instruction::And, Instruction::Or, Instruction::Xor, Instruction::Mul}, I.getOpcode())) {
      return false;
    } else {
      A = I.getOperand(0), B = I.getOperand(1);
    }
    if (isReceived(A, Base, L))
      std::swap(A, B);
    return isReceived(B, Base, L) && isFormerResult(A, I, L);
  }
  bool isFormerResult(const Value *V, const Instruction &Result, const Loop *L) {
    if (const auto *Phi = dyn_cast<PHINode>(V))
      return Phi->getParent() == L->getHeader() && any_of(Phi->incoming_values(), [&](const Use &In) {
               const auto *Merge = dyn_cast<PHINode>(In);
               return In == &Result || (Merge && is_contained(Merge->incoming_values(), &Result));
             });
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load && any_of(Result.users(), [&](const User *Use) {
             const auto *St = dyn_cast<StoreInst>(Use);
             return St && St->getValueOperand() == &Result &&
                    M.sameValue(const_cast<Value *>(St->getPointerOperand()),
                                const_cast<Value *>(Load->getPointerOperand())) &&
                    E.stride(const_cast<Value *>(Load->getPointerOperand()), L).K == Stride::Zero;
           });
  }
  // `if (other[i] > best[i]) best[i] = other[i];`, where the store stays a branch.
  bool keepsExtreme(const StoreInst &St, const SCEV *Base, const Loop *L) {
    auto *Kept = const_cast<Value *>(St.getPointerOperand());
    if (!isReceived(St.getValueOperand(), Base, L) || E.stride(Kept, L).K != Stride::Zero)
      return false;
    return any_of(M.conditions(St.getParent()), [&](const RunCondition &C) {
      return L->contains(C.Branch) && any_of(C.Facts, [&](const auto &F) {
               const auto *Compare = dyn_cast<CmpInst>(F.first);
               if (!Compare || Compare->isEquality())
                 return false;
               for (unsigned K : {0u, 1u})
                 if (const auto *Load = dyn_cast<LoadInst>(Compare->getOperand(K));
                     Load && isReceived(Compare->getOperand(1 - K), Base, L) &&
                     M.sameValue(const_cast<Value *>(Load->getPointerOperand()), Kept))
                   return true;
               return false;
             });
    });
  }

  // Another call of the loop than the message: it answers, it writes, or it fills the buffer.
  void describeCall(RankLoop &X, CallBase &C, const SCEV *Base) {
    if (const MpiSignature *Sig = findMpiCall(C)) {
      X.Probes |= Sig->is(MpiProbe);
      X.BothWays |= (!X.InTurn && Sig->is(MpiRecv) && !Sig->is(MpiNonblocking) && X.Sends) ||
                    (!X.InTurn && Sig->is(MpiSend) && X.Receives);
      X.Packed |= Sig->is(MpiRecv) && X.Sends;
      return;
    }
    bool Writes = (Effects.of(C, M) & (effects::Output | effects::RankOutput | effects::Unknown)) != 0;
    X.Output |= Writes;
    X.WritesBlocks &= !Writes || writesBlock(C);
    X.Packed |= X.SameBuffer && any_of(C.args(), [&](const Use &A) {
                  return A->getType()->isPointerTy() && !C.onlyReadsMemory() && M.baseOf(A.get(), X.L) == Base;
                });
  }

  static bool writesBlock(const CallBase &C) {
    const auto *Callee = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
    return Callee &&
           is_contained({"fwrite", "fwrite_unlocked", "write", "pwrite", "_ZNSo5writeEPKcl"}, Callee->getName());
  }

  const MpiSite *counterpart(const RankLoop &X) {
    auto Fixed = [](Value *Tag) {
      const auto *C = dyn_cast_or_null<ConstantInt>(Tag);
      return C && !C->isNegative() ? C : nullptr; // MPI_ANY_TAG meets all
    };
    const ConstantInt *Wanted = Fixed(X.Sends ? X.Site->arg(X.Site->Sig->Tag) : X.Site->receiveTag());
    for (const MpiSite &O : counted(M.sites())) {
      const ConstantInt *Tag = Fixed(X.Sends ? O.receiveTag() : O.arg(O.Sig->Tag));
      if (Wanted && Tag && Wanted->getValue() != Tag->getValue())
        continue;
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
