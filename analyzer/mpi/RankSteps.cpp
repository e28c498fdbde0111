#include "mpi/RankSteps.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

const Value *stripIntegerCasts(const Value *V) {
  while (const auto *C = dyn_cast<CastInst>(V)) {
    if (!C->getType()->isIntegerTy())
      break;
    V = C->getOperand(0);
  }
  return V;
}

bool movesByOneRank(StrideEngine &E, Value *V, const Loop *L) {
  Stride Step = E.stride(V, L);
  return Step.K == Stride::Constant && (Step.Bytes == 1 || Step.Bytes == -1);
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

class StepFinder {
public:
  StepFinder(MpiFunction &M, const RankFacts &Ranks) : M(M), E(M.engine()), Ranks(Ranks) {}

  std::optional<RankLoop> judge(const MpiSite &S) {
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
    if (!X.L)
      return rounds(S, Peer);
    if (E.tripCount(X.L) == 1)
      return std::nullopt;
    X.AllRanks = true;
    const MpiSite *Arrival = arrivalOf(X);
    if (!Arrival || M.isWildcard(Arrival->source()) || !formsSteps(X, Peer, Arrival->source()))
      return std::nullopt;
    X.Receives = true;
    if (!describe(X, *Arrival))
      return std::nullopt;
    return X;
  }

private:
  // A sum of all ranks by hand: with one partner after another (a table has them, or bits of the rank), each rank
  // exchanges what it has, and adds what comes to that.
  std::optional<RankLoop> rounds(const MpiSite &S, Value *Peer) {
    RankLoop X;
    X.Site = &S;
    X.Sends = X.Receives = X.SameBuffer = true;
    X.S = RankLoop::Rounds;
    X.L = E.loops().getLoopFor(S.Call->getParent());
    while (X.L && !E.varies(Peer, X.L))
      X.L = X.L->getParentLoop();
    const MpiSite *Arrival = X.L ? arrivalOf(X) : nullptr;
    if (!Arrival || M.isWildcard(Arrival->source()) || !M.sameValue(Peer, Arrival->source()) ||
        E.varies(S.arg(S.Sig->Buffer), X.L) || !describe(X, *Arrival))
      return std::nullopt;
    return X;
  }

  // A value that goes 1, 2, 4, …
  bool doubles(const Value *V, const Loop *L) {
    V = stripIntegerCasts(V);
    const auto *Shift = dyn_cast<BinaryOperator>(V);
    if (Shift && Shift->getOpcode() == Instruction::Shl && isa<ConstantInt>(Shift->getOperand(0)))
      return movesByOneRank(E, Shift->getOperand(1), L);
    const auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi || Phi->getParent() != L->getHeader())
      return false;
    return any_of(Phi->incoming_values(), [&](const Use &In) {
      const auto *Op = dyn_cast<BinaryOperator>(stripIntegerCasts(In));
      if (!Op || stripIntegerCasts(Op->getOperand(0)) != Phi)
        return false;
      const auto *By = dyn_cast<ConstantInt>(Op->getOperand(1));
      return (Op->getOpcode() == Instruction::Shl && By && By->isOne()) ||
             (Op->getOpcode() == Instruction::Mul && By && By->equalsInt(2)) ||
             (Op->getOpcode() == Instruction::Add && stripIntegerCasts(Op->getOperand(1)) == Phi);
    });
  }

  // rank ^ mask, rank + mask, (rank - mask + size) % size.
  bool isDoubling(const Value *Peer, const Loop *L, unsigned Depth = 0) {
    Peer = stripIntegerCasts(Peer);
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

  // The receive of a loop that does nothing else with MPI than sending, receiving and combining.
  const MpiSite *arrivalOf(RankLoop &X) {
    const MpiSite *Arrival = X.Site->is(MpiRecv) ? X.Site : nullptr;
    for (const MpiSite &O : counted(M.sites())) {
      if (!X.L->contains(O.Call) || &O == X.Site || O.is(MpiWait) || (O.is(MpiQuery) && !O.is(MpiCollective)))
        continue;
      if (O.Sig->Does == MpiDoes::Combine) {
        X.Accumulates = true;
        continue;
      }
      // Parity may decide which of two sends comes first.
      if (!O.is(MpiSend | MpiRecv) || O.is(MpiCollective | MpiPersistent))
        return nullptr;
      if (O.is(MpiRecv) && !Arrival)
        Arrival = &O;
    }
    return Arrival;
  }

  bool formsSteps(RankLoop &X, Value *To, Value *From) {
    if (isDoubling(To, X.L)) {
      X.S = RankLoop::Doubling;
      return true;
    }
    if (E.varies(To, X.L) || E.varies(From, X.L) || M.sameValue(To, From))
      return false;
    X.S = RankLoop::Ring;
    X.NextRank = isNextRank(To, Ranks);
    return M.relate(To, From) == PeerRelation::Opposite || X.NextRank;
  }

  // What the body of such a loop does with what arrives.
  struct StepBody {
    MpiFunction &M;
    StrideEngine &E;
    RankLoop &X;
    const SCEV *InBase, *OutBase;
    bool Copies = false;
    bool Feeds = false; // what is sent next is what was there and what has arrived

    bool arrived(const Value *V) const {
      const auto *Load = dyn_cast<LoadInst>(V);
      return Load && M.baseOf(const_cast<Value *>(Load->getPointerOperand()), X.L) == InBase;
    }
    bool isOfOut(const Value *P) const { return M.baseOf(const_cast<Value *>(P), X.L) == OutBase; }
    bool isCombined(const Value *V) const {
      auto Arrived = [&](const Value *Part) { return arrived(Part); };
      if (const auto *Op = dyn_cast<BinaryOperator>(V))
        return combines(Op) && any_of(Op->operands(), Arrived);
      if (const auto *Call = dyn_cast<CallBase>(V))
        return any_of(Call->args(), Arrived);
      const auto *Choice = dyn_cast<SelectInst>(V);
      return Choice && (arrived(Choice->getTrueValue()) || arrived(Choice->getFalseValue()));
    }

    // False where the instruction shows that the loop computes.
    bool add(Instruction &I) {
      if (const auto *St = dyn_cast<StoreInst>(&I))
        return addStore(*St);
      if (const auto *Op = dyn_cast<BinaryOperator>(&I)) {
        // A sum in a register.
        X.Accumulates |= isCombined(Op) && any_of(Op->operands(), [](const Use &Part) { return isa<PHINode>(Part); });
      } else if (const auto *C = dyn_cast<CallBase>(&I)) {
        if (!findMpiCall(*C) && !isa<IntrinsicInst>(C))
          return C->onlyReadsMemory() || C->doesNotReturn();
        Copies |= isa<MemTransferInst>(C);
      }
      return true;
    }
    bool addStore(const StoreInst &St) {
      const Value *V = stripIntegerCasts(St.getValueOperand());
      if (isa<LoadInst>(V)) {
        // A copy; or a maximum, where a comparison decides over it.
        Copies |= E.varies(const_cast<Value *>(St.getPointerOperand()), X.L) || arrived(V);
        return true;
      }
      if (isCombined(V)) {
        X.Accumulates = true;
        Feeds |= isOfOut(St.getPointerOperand()) && any_of(cast<User>(V)->operands(), [&](const Use &Part) {
                   const auto *Load = dyn_cast<LoadInst>(Part);
                   return Load && isOfOut(Load->getPointerOperand());
                 });
        return true;
      }
      return isa<Constant>(V) ||
             (V->getType()->isIntegerTy() && isa<AllocaInst, GlobalVariable>(St.getPointerOperand()));
    }
    // Of what arrived with what was there: a maximum or minimum.
    bool compares() const {
      for (BasicBlock *BB : X.L->blocks())
        for (Instruction &I : counted(*BB))
          if (isa<FCmpInst>(I) && any_of(I.operands(), [&](const Use &Part) { return arrived(Part); }))
            return true;
      return false;
    }
  };

  bool describe(RankLoop &X, const MpiSite &Arrival) {
    Value *Out = X.Site->arg(X.Site->Sig->Buffer);
    Value *In = Arrival.arg(Arrival.is(MpiSend) ? Arrival.Sig->RecvBuffer : Arrival.Sig->Buffer);
    if (!Out || !In)
      return false;
    // Slices of one buffer; two buffers that change places are one.
    auto Slides = [&](Value *P) { return E.varies(P, X.L) && !E.varies(M.baseOf(P, X.L), X.L); };
    const bool Moves = Slides(Out) || Slides(In);
    StepBody Body{M, E, X, M.baseOf(In, X.L), M.baseOf(Out, X.L)};
    for (BasicBlock *BB : X.L->blocks())
      if (!isErrorPath(*BB))
        for (Instruction &I : counted(*BB))
          if (!Body.add(I))
            return false;
    X.Accumulates = X.Accumulates || (Body.Copies && Body.compares());
    X.SameBuffer = !Moves;
    X.VariableBlocks = X.Site->arg(X.Site->Sig->Count) && E.varies(X.Site->arg(X.Site->Sig->Count), X.L);
    if (X.S == RankLoop::Rounds)
      return Body.Feeds && !Moves && !X.VariableBlocks && Body.InBase != Body.OutBase;
    if (X.S == RankLoop::Doubling)
      return X.Accumulates && !Moves && !X.VariableBlocks;
    return X.Accumulates || Moves || Body.Copies;
  }

  static bool combines(const BinaryOperator *Op) {
    return is_contained({Instruction::FAdd, Instruction::Add, Instruction::FMul, Instruction::Mul, Instruction::And,
                         Instruction::Or, Instruction::Xor},
                        Op->getOpcode());
  }

  MpiFunction &M;
  StrideEngine &E;
  const RankFacts &Ranks;
};

} // namespace

std::optional<RankLoop> findRankSteps(MpiFunction &M, const MpiSite &S, const RankFacts &Ranks) {
  return StepFinder(M, Ranks).judge(S);
}

} // namespace stridewise
