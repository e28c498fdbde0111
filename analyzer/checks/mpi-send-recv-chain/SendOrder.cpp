#include "checks/mpi-send-recv-chain/SendOrder.h"
#include "checks/mpi-send-recv-chain/HandedOn.h"
#include "mpi/MessageFinder.h"
#include "mpi/RankFacts.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

using limits::mpi_send_recv_chain::MostDirections;

class OrderFinder : MessageFinder {
public:
  OrderFinder(MpiFunction &M, Unit &U, MpiEffects &Effects) : MessageFinder(M, U, Effects), Numbers(ranksOf(U)) {}

  std::vector<SendFirst> find() {
    std::vector<SendFirst> Out;
    SmallVector<const MpiSite *, 8> Receives;
    for (const MpiSite &S : counted(M.sites()))
      if (isReceive(S))
        Receives.push_back(&S);
    if (!Receives.empty())
      for (const MpiSite &S : counted(M.sites()))
        if (isBlockingSend(S))
          if (std::optional<SendFirst> C = pairOf(S, Receives))
            Out.push_back(*C);
    for (const MpiSite *R : Receives)
      if (std::optional<SendFirst> C = receiveFirst(*R, Receives))
        Out.push_back(*C);
    return Out;
  }

private:
  static bool isBlockingSend(const MpiSite &S) {
    if (!S.is(MpiSend) ||
        S.is(MpiRecv | MpiNonblocking | MpiBuffered | MpiReady | MpiPersistent | MpiCollective | MpiRma))
      return false;
    const auto *Count = dyn_cast_or_null<ConstantInt>(S.arg(S.Sig->Count));
    return !Count || !Count->isZero();
  }
  // A nonblocking receive is one when it is posted: after the send, it comes too late as well.
  static bool isReceive(const MpiSite &S) {
    return S.is(MpiRecv) && !S.is(MpiSend | MpiPersistent | MpiCollective | MpiRma);
  }
  static bool isSynchronisation(const Instruction &I) {
    const auto *C = dyn_cast<CallBase>(&I);
    const MpiSignature *Sig = C ? findMpiCall(*C) : nullptr;
    return Sig && (Sig->Traits & (MpiCollective | MpiLifecycle));
  }

  bool before(const MpiSite &A, const MpiSite &B) { return M.reaches(A.Call, B.Call, isSynchronisation); }

  bool tagsMeet(Value *A, Value *B) {
    const auto *X = dyn_cast_or_null<ConstantInt>(A), *Y = dyn_cast_or_null<ConstantInt>(B);
    return !X || !Y || X->getValue() == Y->getValue() || Y->isNegative(); // MPI_ANY_TAG
  }
  bool tagsEqual(const MpiSite &S, const MpiSite &R) {
    const auto *Any = dyn_cast_or_null<ConstantInt>(R.receiveTag());
    return M.sameValue(S.arg(S.Sig->Tag), R.receiveTag()) || (Any && Any->isNegative());
  }

  // Peers may change with loops around both calls only: a loop over ranks is another pattern.
  bool isFixed(Value *Peer, const MpiSite &S, const MpiSite &Other) {
    for (const Loop *L = E.loops().getLoopFor(S.Call->getParent()); L; L = L->getParentLoop())
      if (!L->contains(Other.Call->getParent()) && E.varies(Peer, L))
        return false;
    return true;
  }

  // The loop over the few directions of a table of neighbours that a peer is read from, and the table.
  std::pair<const Loop *, const SCEV *> tableOf(Value *Peer, const MpiSite &S) {
    const Loop *L = E.loops().getLoopFor(S.Call->getParent());
    while (L && !E.varies(Peer, L))
      L = L->getParentLoop();
    unsigned Trips = L ? E.tripCount(L) : 0;
    auto *Load = dyn_cast<LoadInst>(Peer);
    if (!L || !Load || Trips == 1 || Trips > MostDirections)
      return {nullptr, nullptr};
    return {L, M.baseOf(Load->getPointerOperand(), L)};
  }

  // All neighbours are sent to in one loop, and received from in another one.
  enum class Tables { None, Few, AnyNumber };
  Tables walkOneTable(Value *To, const MpiSite &S, Value *From, const MpiSite &R) {
    auto [Sends, Targets] = tableOf(To, S);
    auto [Receives, Sources] = tableOf(From, R);
    if (!Sends || !Receives || Sends->contains(R.Call) || Receives->contains(S.Call) || Targets != Sources ||
        E.tripCount(Sends) != E.tripCount(Receives))
      return Tables::None;
    if (E.tripCount(Sends))
      return Tables::Few;
    // A table of any length may list workers, to which one rank speaks: those are answered with another tag.
    const auto *Tag = dyn_cast_or_null<ConstantInt>(S.arg(S.Sig->Tag));
    const auto *Expected = dyn_cast_or_null<ConstantInt>(R.receiveTag());
    return Tag && Expected && Tag == Expected ? Tables::AnyNumber : Tables::None;
  }

  std::optional<SendFirst> pairOf(const MpiSite &S, ArrayRef<const MpiSite *> Receives) {
    Value *To = S.arg(S.Sig->Peer), *Tag = S.arg(S.Sig->Tag);
    if (!To || isa<Constant>(To))
      return std::nullopt;
    std::optional<SendFirst> Best;
    for (const MpiSite *R : counted(Receives)) {
      Value *From = R->source();
      if (!From || isa<Constant>(From) || M.isWildcard(From) || !tagsMeet(Tag, R->receiveTag()) ||
          !MpiFunction::sameCommunicator(M, S, *R))
        continue;
      Tables Walk = walkOneTable(To, S, From, *R);
      bool Table = Walk != Tables::None;
      PeerRelation Relation = Table ? PeerRelation::Parallel : M.relate(To, From);
      if (Relation == PeerRelation::Unrelated || Relation == PeerRelation::Same ||
          (!Table && (!isFixed(To, S, *R) || !isFixed(From, *R, S))) || !before(S, *R) ||
          isMatchedBefore(S, *R, Receives))
        continue;
      SendFirst C{&S, R, Relation, false, Walk == Tables::AnyNumber};
      bool Known = true;
      if (!allRanksAgree(S, *R, Receives, Known))
        continue;
      if (Relation == PeerRelation::Opposite && Known && tagsEqual(S, *R))
        C.Proven = true;
      if (!Best || (C.Proven && !Best->Proven))
        Best = C;
    }
    return Best;
  }

  // First sends match first receives: true when a receive that was posted before S is left for it.
  bool isMatchedBefore(const MpiSite &S, const MpiSite &R, ArrayRef<const MpiSite *> Receives) {
    unsigned Posted = 0, Sent = 0;
    for (const MpiSite &O : counted(M.sites())) {
      if (O.Call == S.Call || !before(O, S))
        continue;
      if (O.is(MpiPersistent) && !O.is(MpiSend | MpiRecv))
        return true; // started requests, of what kind is unknown
      Sent += O.is(MpiSend) && !O.is(MpiRecv) && M.sameValue(O.arg(O.Sig->Peer), S.arg(S.Sig->Peer)) &&
              tagsMeet(O.arg(O.Sig->Tag), S.arg(S.Sig->Tag)) && MpiFunction::sameCommunicator(M, O, S);
      if (!is_contained(Receives, &O))
        continue;
      bool AnySource = O.is(MpiNonblocking) && M.isWildcard(O.source());
      bool Varying = O.is(MpiNonblocking) && E.varies(O.source(), E.loops().getLoopFor(O.Call->getParent()));
      Posted += (AnySource || Varying || M.sameValue(O.source(), R.source()) ||
                 M.relate(S.arg(S.Sig->Peer), O.source()) == PeerRelation::Opposite) &&
                tagsMeet(S.arg(S.Sig->Tag), O.receiveTag()) && MpiFunction::sameCommunicator(M, O, S);
    }
    return Posted > Sent;
  }

  // --- conditions --------------------------------------------------------------------------------------------------

  bool allRanksAgree(const MpiSite &S, const MpiSite &R, ArrayRef<const MpiSite *> Receives, bool &Known) {
    ArrayRef<RunCondition> OfSend = M.conditions(S.Call->getParent()), OfReceive = M.conditions(R.Call->getParent());
    for (const RunCondition &C : OfSend) {
      bool Common = any_of(OfReceive, [&](const RunCondition &O) { return O.Branch == C.Branch && O.Arm == C.Arm; });
      if (!isHarmless(C, Common, Known) || otherArmReceives(C, S, Receives))
        return false;
      // The same question asked again, further down: `if (even) …; if (!even) …`.
      for (const MpiSite *O : counted(Receives))
        for (const RunCondition &P : M.conditions(O->Call->getParent()))
          if (excludes(C, P))
            return false;
      for (const MpiSite &O : counted(M.sites()))
        if (O.Call != S.Call && O.is(MpiSend) && M.sameValue(O.arg(O.Sig->Peer), S.arg(S.Sig->Peer)))
          for (const RunCondition &P : M.conditions(O.Call->getParent()))
            if (excludes(C, P))
              return false;
    }
    for (const RunCondition &C : OfReceive)
      if (none_of(OfSend, [&](const RunCondition &O) { return O.Branch == C.Branch && O.Arm == C.Arm; }) &&
          !isHarmless(C, /*Common=*/false, Known))
        return false;
    return true;
  }

  // The two ask the same, also of a value that was loaded anew, and want opposite answers.
  bool excludes(const RunCondition &A, const RunCondition &B) {
    if (A.Branch == B.Branch)
      return false;
    for (auto [V, HoldsV] : A.Facts)
      for (auto [W, HoldsW] : B.Facts) {
        if (HoldsV != HoldsW && M.sameValue(V, W))
          return true;
        auto *X = dyn_cast<ICmpInst>(V), *Y = dyn_cast<ICmpInst>(W);
        if (X && Y && X->isEquality() && Y->isEquality() && M.sameValue(X->getOperand(0), Y->getOperand(0)) &&
            M.sameValue(X->getOperand(1), Y->getOperand(1)) &&
            (X->getPredicate() == Y->getPredicate()) != (HoldsV == HoldsW))
          return true;
      }
    return false;
  }

  // A remainder, a bit or a permutation of something that is the same all the time: ranks differ by it, steps do not.
  bool isParity(Value *V, unsigned Depth = 0) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > 6)
      return false;
    switch (I->getOpcode()) {
    case Instruction::SRem:
    case Instruction::URem:
    case Instruction::And:
    case Instruction::Xor:
      if (!I->getType()->isIntegerTy(1))
        return !variesAnywhere(I);
      break;
    case Instruction::Load:
    case Instruction::Call:
    case Instruction::PHI:
      return false;
    default:
      break;
    }
    return any_of(I->operands(), [&](Value *Op) { return isParity(Op, Depth + 1); });
  }

  bool variesAnywhere(Instruction *I) {
    for (const Loop *L = E.loops().getLoopFor(I->getParent()); L; L = L->getParentLoop())
      if (E.varies(I, L))
        return true;
    return false;
  }

  // False for a condition by which some ranks do without the call, or do it in another order: parity, one rank alone.
  // `Common` conditions hold for send and receive alike.
  bool isHarmless(const RunCondition &C, bool Common, bool &Known) {
    if (isa<SwitchInst>(C.Branch))
      Known = false;
    if (C.Facts.empty())
      return Common || !isa<SwitchInst>(C.Branch);
    bool IsLoopControl = false;
    for (const Loop *L : E.loops().getLoopsInPreorder())
      IsLoopControl |= L->isLoopExiting(C.Branch->getParent()) || L->getLoopGuardBranch() == C.Branch;
    for (auto [V, Holds] : C.Facts) {
      if (isParity(V))
        return false;
      auto *Compare = dyn_cast<ICmpInst>(V);
      bool OneValue = Compare && Compare->isEquality() && (Compare->getPredicate() == CmpInst::ICMP_EQ) == Holds;
      bool OfRank =
          Compare && E.scalarEvolution().isSCEVable(Compare->getOperand(0)->getType()) &&
          (M.dependsOnRank(E.rewrite(Compare->getOperand(0))) || M.dependsOnRank(E.rewrite(Compare->getOperand(1))));
      if (OneValue && (OfRank || !Common))
        return false;
      if (Common && !OfRank && !IsLoopControl)
        Known = false;
    }
    return true;
  }

  // True when ranks that take another arm than the send's meet a receive first, one that no rank runs after the send.
  bool otherArmReceives(const RunCondition &C, const MpiSite &S, ArrayRef<const MpiSite *> Receives) {
    const BasicBlock *From = C.Branch->getParent();
    SmallPtrSet<const BasicBlock *, 8> Headers;
    for (const Loop *L = E.loops().getLoopFor(From); L; L = L->getParentLoop())
      if (L->contains(S.Call))
        Headers.insert(L->getHeader());
    SmallVector<const BasicBlock *, 16> Work;
    SmallPtrSet<const BasicBlock *, 32> Seen;
    auto Enter = [&](const BasicBlock *BB) {
      if (!Headers.contains(BB) && Seen.insert(BB).second)
        Work.push_back(BB);
    };
    for (unsigned Arm = 0; Arm < C.Branch->getNumSuccessors(); ++Arm)
      if (C.Branch->getSuccessor(Arm) != C.Branch->getSuccessor(C.Arm))
        Enter(C.Branch->getSuccessor(Arm));
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      bool Ends = false;
      for (const Instruction &I : counted(*BB)) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const MpiSignature *Sig = Call ? findMpiCall(*Call) : nullptr;
        if (!Sig || !(Sig->Traits & (MpiSend | MpiRecv | MpiCollective)))
          continue;
        auto It = find_if(Receives, [&](const MpiSite *R) { return R->Call == Call; });
        if (It != Receives.end() && !M.reaches(S.Call, Call))
          return true;
        Ends = true;
        break;
      }
      if (!Ends)
        for (const BasicBlock *Next : successors(BB))
          Enter(Next);
    }
    return false;
  }

  // --- receive first -------------------------------------------------------------------------------------------------

  // Each rank waits for the one before it and sends to the one behind it only then, something that it had before: the
  // ranks take turns.
  std::optional<SendFirst> receiveFirst(const MpiSite &R, ArrayRef<const MpiSite *> Receives) {
    Value *From = R.source();
    if (R.is(MpiNonblocking) || !From || isa<Constant>(From) || M.isWildcard(From))
      return std::nullopt;
    for (const MpiSite &S : counted(M.sites())) {
      if (!S.is(MpiSend) || S.is(MpiRecv | MpiPersistent | MpiCollective | MpiRma))
        continue;
      Value *To = S.arg(S.Sig->Peer);
      if (!To || isa<Constant>(To) || !tagsEqual(S, R) || !MpiFunction::sameCommunicator(M, S, R) || !before(R, S) ||
          before(S, R) || !isPaidEachRound(S, R, Receives) || isSentBefore(S, R))
        continue;
      const PeerRelation Relation = relationInRow(S, R);
      if (Relation == PeerRelation::Unrelated)
        continue;
      const std::optional<SendFirst::Content> Sends = contentOf(S, R, Relation, Receives);
      bool Known = true;
      if (Sends && allMeet(S, R, Known) && allMeet(R, S, Known)) {
        SendFirst C{&S, &R, Relation, false, false};
        C.ReceiveFirst = true;
        C.Sends = *Sends;
        return C;
      }
    }
    return std::nullopt;
  }

  // What S sends behind R; nothing where it is computed in another way from what has arrived.
  std::optional<SendFirst::Content> contentOf(const MpiSite &S, const MpiSite &R, PeerRelation Relation,
                                              ArrayRef<const MpiSite *> Receives) {
    if (isIndependent(S, R))
      return SendFirst::Own;
    if ((Relation != PeerRelation::Opposite && !hasOneSuccessor(S)) || isClosed(S, R, Receives))
      return std::nullopt;
    const bool OneWay = !goesBothWays(S);
    if (OneWay && isPassedOn(S, R, M))
      return SendFirst::Arrived;
    if ((OneWay || isOneNumber(S, M)) && isHandedOn(S, R, M))
      return SendFirst::Combined;
    return OneWay && isSteppedOn(S, R, M) ? std::optional(SendFirst::Stepped) : std::nullopt;
  }

  // Not so in a tree.
  bool hasOneSuccessor(const MpiSite &S) {
    return E.loops().getLoopFor(S.Call->getParent()) == nullptr && none_of(M.sites(), [&](const MpiSite &O) {
             return O.Call != S.Call && O.is(MpiSend) && tagsMeet(O.arg(O.Sig->Tag), S.arg(S.Sig->Tag));
           });
  }

  // Sweeps there and back do more than to add up or to tell.
  bool goesBothWays(const MpiSite &S) {
    return any_of(M.sites(), [&](const MpiSite &O) {
      return O.is(MpiSend) && !O.is(MpiCollective) &&
             M.relate(O.arg(O.Sig->Peer), S.arg(S.Sig->Peer)) == PeerRelation::Opposite;
    });
  }

  // Whether one rank, whose number all know, sends before it receives: a ring.
  bool startsAtOneRank(const MpiSite &S, const MpiSite &R) {
    ArrayRef<RunCondition> OfReceive = M.conditions(R.Call->getParent());
    return any_of(M.conditions(S.Call->getParent()), [&](const RunCondition &C) {
      const std::optional<RankFacts::Guard> G =
          C.Facts.size() == 1 ? Numbers.guard(C.Facts.front().first) : std::nullopt;
      if (!G || !G->Equality || G->OneOnTrue == C.Facts.front().second ||
          none_of(OfReceive, [&](const RunCondition &O) { return O.Branch == C.Branch && O.Arm == C.Arm; }))
        return false;
      return any_of(M.sites(), [&](const MpiSite &O) {
        return isBlockingSend(O) && tagsEqual(O, R) && M.sameValue(O.arg(O.Sig->Peer), S.arg(S.Sig->Peer)) &&
               any_of(M.conditions(O.Call->getParent()),
                      [&](const RunCondition &P) { return P.Branch == C.Branch && P.Arm != C.Arm; });
      });
    });
  }

  // Where the call runs only for partners above or below a number, that number; the rank's own, of a row.
  struct Bound {
    Value *Of = nullptr;
    bool Above = false;
  };
  Bound boundOf(const MpiSite &Site, Value *Peer) {
    for (const RunCondition &C : M.conditions(Site.Call->getParent()))
      for (auto [V, Holds] : C.Facts) {
        const auto *Compare = dyn_cast<ICmpInst>(V);
        if (!Compare || Compare->isEquality())
          continue;
        for (unsigned K : {0u, 1u}) {
          Value *Own = Compare->getOperand(1 - K);
          if (isa<Constant>(Own) || !Ranges.values().same(Compare->getOperand(K), Peer))
            continue;
          const bool Greater = ICmpInst::isGT(Compare->getPredicate()) || ICmpInst::isGE(Compare->getPredicate());
          return {Own, Greater == (Holds == (K == 0))};
        }
      }
    return {};
  }
  // All partners on one side are received from, then all on the other side are sent to.
  bool goesUpOrDown(const MpiSite &S, const MpiSite &R) {
    const Bound To = boundOf(S, S.arg(S.Sig->Peer)), From = boundOf(R, R.source());
    return To.Of && From.Of && To.Above != From.Above && Ranges.values().same(To.Of, From.Of) &&
           none_of(M.sites(), [&](const MpiSite &O) {
             return O.Call != S.Call && O.is(MpiSend) && tagsMeet(O.arg(O.Sig->Tag), R.receiveTag()) && before(O, R);
           });
  }

  // Neighbours on either side of each rank of a row.
  PeerRelation relationInRow(const MpiSite &S, const MpiSite &R) {
    Value *To = S.arg(S.Sig->Peer), *From = R.source();
    if (!isFixed(To, S, R) || !isFixed(From, R, S))
      return goesUpOrDown(S, R) ? PeerRelation::Parallel : PeerRelation::Unrelated;
    const PeerRelation Relation = lieAround(To, From) ? PeerRelation::Opposite : M.relate(To, From);
    const bool Row = Relation == PeerRelation::Opposite ||
                     (Relation == PeerRelation::Parallel && (endSomewhere(S, R) || startsAtOneRank(S, R)));
    return Row ? Relation : PeerRelation::Unrelated;
  }

  // Whether some ranks only receive and others only send, as the ends of a row of ranks do, while those between do
  // both: each call has a test of its own, and the two can hold together.
  bool endSomewhere(const MpiSite &S, const MpiSite &R) {
    ArrayRef<RunCondition> OfSend = M.conditions(S.Call->getParent()), OfReceive = M.conditions(R.Call->getParent());
    auto HasOwn = [](ArrayRef<RunCondition> Of, ArrayRef<RunCondition> Other) {
      return any_of(Of, [&](const RunCondition &C) {
        return !C.Facts.empty() && none_of(Other, [&](const RunCondition &O) { return O.Branch == C.Branch; });
      });
    };
    return HasOwn(OfSend, OfReceive) && HasOwn(OfReceive, OfSend) && none_of(OfSend, [&](const RunCondition &C) {
             return any_of(OfReceive, [&](const RunCondition &O) { return excludes(C, O); });
           });
  }

  // Not by parity, and not by one rank alone. What both calls stand under may be a choice of the user's, such as which
  // version of an algorithm to run.
  bool allMeet(const MpiSite &S, const MpiSite &Other, bool &Known) {
    return all_of(M.conditions(S.Call->getParent()), [&](const RunCondition &C) {
      const bool Common = any_of(M.conditions(Other.Call->getParent()),
                                 [&](const RunCondition &O) { return O.Branch == C.Branch && O.Arm == C.Arm; });
      return isHarmless(C, Common && all_of(C.Facts, comparesWithConstant), Known);
    });
  }
  static bool comparesWithConstant(const std::pair<Value *, bool> &Fact) {
    const auto *Compare = dyn_cast<ICmpInst>(Fact.first);
    return Compare && isa<ConstantInt>(Compare->getOperand(1));
  }

  // As far on either side of one number, wherever this function has it from: a member that a constructor filled. On a
  // ring both are remainders by its length.
  bool lieAround(Value *To, Value *From) {
    if (To->getType() != From->getType())
      return false;
    ScalarEvolution &SE = E.scalarEvolution();
    SmallVector<const SCEV *, 3> Turns{SE.getZero(To->getType())};
    const auto *Next = dyn_cast<BinaryOperator>(To), *Last = dyn_cast<BinaryOperator>(From);
    if (Next && Last && isRemainder(*Next) && isRemainder(*Last) &&
        Ranges.values().same(Next->getOperand(1), Last->getOperand(1))) {
      const SCEV *Length = Ranges.values().canonical(E.rewrite(Next->getOperand(1)));
      Turns.append({Length, SE.getNegativeSCEV(Length)});
      To = Next->getOperand(0);
      From = Last->getOperand(0);
    }
    const SCEV *Right = Ranges.values().canonical(E.rewrite(To)), *Left = Ranges.values().canonical(E.rewrite(From));
    return any_of(Turns, [&](const SCEV *Turn) {
      const SCEV *There = SE.getAddExpr(Left, Turn);
      const auto *Apart = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Right, There));
      return Apart && !Apart->isZero() && !Apart->getAPInt()[0] &&
             isa<SCEVUnknown>(SE.getAddExpr(There, SE.getConstant(Apart->getAPInt().ashr(1))));
    });
  }
  static bool isRemainder(const BinaryOperator &Op) {
    return Op.getOpcode() == Instruction::SRem || Op.getOpcode() == Instruction::URem;
  }

  // Rounds that go one way only overlap: the next one starts while this one is still under way. Not so where the ring
  // is closed, where something comes back, or where all ranks meet in each round.
  bool isPaidEachRound(const MpiSite &S, const MpiSite &R, ArrayRef<const MpiSite *> Receives) {
    const Loop *L = LI.getLoopFor(S.Call->getParent());
    while (L && !L->contains(R.Call->getParent()))
      L = L->getParentLoop();
    if (!L || isAnswered(S, R, Receives) || isClosed(S, R, Receives))
      return true;
    while (L->getParentLoop())
      L = L->getParentLoop();
    return any_of(counted(M.sites()), [&](const MpiSite &O) {
      if (O.Call == S.Call || O.Call == R.Call || !(L->contains(O.Call) || (O.is(MpiSend) && before(S, O))))
        return false;
      if (O.is(MpiCollective))
        return O.is(MpiBarrier) ||
               is_contained({MpiDoes::Allreduce, MpiDoes::Allgather, MpiDoes::Alltoall}, O.Sig->Does);
      const bool FromBehind = O.is(MpiRecv) && M.relate(O.source(), R.source()) == PeerRelation::Opposite;
      return FromBehind || (O.is(MpiSend) && Ranges.values().same(O.arg(O.Sig->Peer), R.source())) ||
             (O.is(MpiSend) && M.relate(O.arg(O.Sig->Peer), S.arg(S.Sig->Peer)) == PeerRelation::Opposite);
    });
  }
  // One rank does it the other way round, and waits for the last one.
  bool isClosed(const MpiSite &S, const MpiSite &R, ArrayRef<const MpiSite *> Receives) {
    return any_of(Receives, [&](const MpiSite *O) {
      return O != &R && !O->is(MpiNonblocking) && M.sameValue(O->source(), R.source()) &&
             any_of(M.sites(), [&](const MpiSite &First) {
               return First.Call != S.Call && First.is(MpiSend) && !First.is(MpiRecv) && before(First, *O) &&
                      M.sameValue(First.arg(First.Sig->Peer), S.arg(S.Sig->Peer)) && tagsEqual(First, *O);
             });
    });
  }

  bool isAnswered(const MpiSite &S, const MpiSite &R, ArrayRef<const MpiSite *> Receives) {
    return any_of(Receives, [&](const MpiSite *O) {
      return O != &R && M.sameValue(O->source(), S.arg(S.Sig->Peer)) && !O->is(MpiNonblocking) &&
             LI.getLoopFor(O->Call->getParent()) == LI.getLoopFor(R.Call->getParent());
    });
  }

  // The neighbour has got a message already, or the receive was fed by one that this rank's neighbour sent like this.
  bool isSentBefore(const MpiSite &S, const MpiSite &R) {
    return any_of(M.sites(), [&](const MpiSite &O) {
      return O.Call != S.Call && O.is(MpiSend) && tagsMeet(O.arg(O.Sig->Tag), R.receiveTag()) && before(O, R) &&
             M.sameValue(O.arg(O.Sig->Peer), S.arg(S.Sig->Peer));
    });
  }

  // What is sent was there before the receive: it, or what is copied into it, are other bytes than those that are
  // received or written meanwhile.
  bool isIndependent(const MpiSite &S, const MpiSite &R) {
    const MemoryRange Arrives = Ranges.ofMessage(R, /*Receive=*/true, nullptr);
    const MemoryRange Leaves = Ranges.ofMessage(S, /*Receive=*/false, nullptr);
    auto Meet = [&](const MemoryRange &A, const MemoryRange &B) {
      return Ranges.meet(A, B, /*AssumeSizes=*/true) >= Meeting::Tables;
    };
    auto Range = [&](Value *Pointer, std::optional<SizePolynomial> Bytes, const Instruction &I) {
      const Loop *Outer = nullptr;
      for (const Loop *L = LI.getLoopFor(I.getParent()); L && !(L->contains(S.Call) && L->contains(R.Call));
           L = L->getParentLoop())
        Outer = L;
      return Ranges.of(Pointer, Bytes, I.getParent(), Outer);
    };
    auto Bytes = [&](Type *T) {
      const std::uint64_t Size = M.function().getDataLayout().getTypeStoreSize(T).getFixedValue();
      return polynomialOf(E.scalarEvolution().getConstant(APInt(64, Size)));
    };
    const SCEV *Buffer = E.scalarEvolution().getPointerBase(E.rewrite(S.arg(S.Sig->Buffer)));
    bool Filled = false;
    SmallVector<MemoryRange, 4> Written{Arrives}, Copied;
    // What is written between the two: into the message, from where, or elsewhere.
    auto Write = [&](Value *To, std::optional<SizePolynomial> Length, Value *From, const Instruction &I) {
      if (From && E.scalarEvolution().getPointerBase(E.rewrite(To)) == Buffer) {
        Filled = true;
        Copied.push_back(Range(From, Length, I));
      } else {
        Written.push_back(Range(To, Length, I));
      }
    };
    for (const BasicBlock &BB : M.function())
      for (const Instruction &I : counted(BB)) {
        if (isErrorPath(BB) || &I == S.Call || &I == R.Call || !isa<StoreInst, CallBase>(I) || !M.reaches(R.Call, &I) ||
            !M.reaches(&I, S.Call))
          continue;
        if (const auto *Memory = dyn_cast<AnyMemIntrinsic>(&I)) {
          const auto *Copy = dyn_cast<AnyMemTransferInst>(Memory);
          Write(Memory->getRawDest(), polynomialOf(E.rewrite(Memory->getLength())),
                Copy ? Copy->getRawSource() : nullptr, I);
          continue;
        }
        if (isOpaque(I, 0)) // ranks print in turn
          return false;
        const auto *St = dyn_cast<StoreInst>(&I);
        if (!St)
          continue;
        auto *Load = dyn_cast<LoadInst>(St->getValueOperand());
        Write(const_cast<Value *>(St->getPointerOperand()), Bytes(St->getValueOperand()->getType()),
              Load ? const_cast<Value *>(Load->getPointerOperand()) : nullptr, I);
      }
    if (!Filled)
      return none_of(Written, [&](const MemoryRange &W) { return Meet(W, Leaves); });
    return none_of(Copied, [&](const MemoryRange &From) {
      return any_of(Written, [&](const MemoryRange &W) { return Meet(W, From); });
    });
  }

  const RankFacts &Numbers;
};

} // namespace

std::vector<SendFirst> findSendFirst(MpiFunction &M, Unit &U, MpiEffects &Effects) {
  return OrderFinder(M, U, Effects).find();
}

} // namespace stridewise
