// R20: every rank sends to a neighbour, with a blocking call, before it receives from the opposite one.
//
// In the program order of the inlined IR, sends and receives of one communicator, tag and pair of peers are matched
// first to first. A pair whose receive is posted only after its send has returned is a chain, provided that all ranks
// run it in this order: the peers are neighbours (rank + d and rank - d, the two ends of an MPI_Cart_shift, two fields
// of one record, two parameters), and no condition on the way sends some ranks another way round. A test whether there
// is a neighbour at all does not.
// Silent: parity and other conditions whose other arm receives first, one rank alone, constant or wildcard peers, a
// request and its answer (one peer), receives posted before, MPI_Sendrecv, a collective call between the two.
// Known false positives: two opaque peers that no two ranks see crosswise.
#include "core/Check.h"
#include "core/MpiFacts.h"
#include "core/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-send-recv-chain";

struct Chain {
  const MpiSite *Send = nullptr, *Receive = nullptr;
  PeerRelation Relation = PeerRelation::Unrelated;
  Confidence Conf = Confidence::Medium;
};

class ChainFinder {
public:
  explicit ChainFinder(MpiFunction &M) : M(M), E(M.engine()) {}

  std::vector<Chain> find() {
    std::vector<Chain> Out;
    SmallVector<const MpiSite *, 8> Receives;
    for (const MpiSite &S : M.sites())
      if (isReceive(S))
        Receives.push_back(&S);
    if (!Receives.empty())
      for (const MpiSite &S : M.sites())
        if (isBlockingSend(S))
          if (std::optional<Chain> C = chainFrom(S, Receives))
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

  std::optional<Chain> chainFrom(const MpiSite &S, ArrayRef<const MpiSite *> Receives) {
    Value *To = S.arg(S.Sig->Peer), *Tag = S.arg(S.Sig->Tag);
    if (!To || isa<Constant>(To))
      return std::nullopt;
    std::optional<Chain> Best;
    for (const MpiSite *R : Receives) {
      Value *From = R->source();
      if (!From || isa<Constant>(From) || M.isWildcard(From) || !tagsMeet(Tag, R->receiveTag()) ||
          !MpiFunction::sameCommunicator(M, S, *R))
        continue;
      PeerRelation Relation = M.relate(To, From);
      if (Relation == PeerRelation::Unrelated || Relation == PeerRelation::Same || !isFixed(To, S, *R) ||
          !isFixed(From, *R, S) || !before(S, *R) || isMatchedBefore(S, *R, Receives))
        continue;
      Chain C{&S, R, Relation, Confidence::Medium};
      bool Known = true;
      if (!allRanksAgree(S, *R, Receives, Known))
        continue;
      if (Relation == PeerRelation::Opposite && Known && tagsEqual(S, *R))
        C.Conf = Confidence::High;
      if (!Best || (C.Conf == Confidence::High && Best->Conf != Confidence::High))
        Best = C;
    }
    return Best;
  }

  // First sends match first receives: true when a receive that was posted before S is left for it.
  bool isMatchedBefore(const MpiSite &S, const MpiSite &R, ArrayRef<const MpiSite *> Receives) {
    unsigned Posted = 0, Sent = 0;
    for (const MpiSite &O : M.sites()) {
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
      Posted += (AnySource || Varying || M.sameValue(O.source(), R.source())) &&
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
      for (const MpiSite *O : Receives)
        for (const RunCondition &P : M.conditions(O->Call->getParent()))
          if (excludes(C, P))
            return false;
      for (const MpiSite &O : M.sites())
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

  static bool excludes(const RunCondition &A, const RunCondition &B) {
    for (auto [V, HoldsV] : A.Facts)
      for (auto [W, HoldsW] : B.Facts) {
        if (V == W && HoldsV != HoldsW && A.Branch != B.Branch)
          return true;
        auto *X = dyn_cast<ICmpInst>(V), *Y = dyn_cast<ICmpInst>(W);
        if (X && Y && A.Branch != B.Branch && X->getOperand(0) == Y->getOperand(0) &&
            X->getOperand(1) == Y->getOperand(1) && X->isEquality() && Y->isEquality() &&
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
      for (const Instruction &I : *BB) {
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

  MpiFunction &M;
  StrideEngine &E;
};

class SendRecvChain : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (Functions.empty())
      return;
    SourceCalls Sources(U);
    // A helper that was inlined is judged where it is used; by itself it does not know who calls it, and when.
    std::map<Key, Spot> Spots;
    for (MpiFunction *M : Functions) {
      for (const MpiSite &S : M->sites()) {
        if (!S.is(MpiSend))
          continue;
        std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
        if (!Frames.empty())
          Spots[U.sources().getDecomposedLoc(Frames[0].Where)].Inlined |= Frames.size() > 1;
      }
    }
    for (MpiFunction *M : Functions)
      for (const Chain &C : ChainFinder(*M).find()) {
        std::vector<SourceFrame> Send = Sources.frames(*C.Send->Call), Receive = Sources.frames(*C.Receive->Call);
        if (Send.empty() || Receive.empty())
          continue;
        Spot &P = Spots[U.sources().getDecomposedLoc(Send[0].Where)];
        if (P.Inlined && Send.size() == 1)
          continue;
        P.Chains.push_back({M, C, std::move(Send), std::move(Receive)});
      }
    for (auto &[Where, P] : Spots)
      if (!P.Chains.empty())
        report(P.Chains, Sources, U, R);
  }

private:
  using Key = std::pair<clang::FileID, unsigned>;
  struct Found {
    MpiFunction *M;
    Chain C;
    std::vector<SourceFrame> Send, Receive;
  };
  struct Spot {
    bool Inlined = false;
    std::vector<Found> Chains;
  };

  // The frames at which the two calls stand in one function; the innermost such pair.
  static std::pair<std::size_t, std::size_t> meeting(const Found &X) {
    for (std::size_t A = 0; A < X.Send.size(); ++A)
      for (std::size_t B = 0; B < X.Receive.size(); ++B) {
        // Outer frames must agree as well: two calls of one helper are two meetings in its caller.
        if (X.Send.size() - A != X.Receive.size() - B || X.Send[A].Function != X.Receive[B].Function)
          continue;
        bool Same = true;
        for (std::size_t Up = 1; A + Up < X.Send.size(); ++Up)
          Same &= X.Send[A + Up].Where == X.Receive[B + Up].Where;
        if (Same)
          return {A, B};
      }
    return {X.Send.size() - 1, X.Receive.size() - 1};
  }

  void report(std::vector<Found> &Chains, SourceCalls &Sources, Unit &U, Reporter &R) {
    const clang::SourceManager &SM = U.sources();
    auto Order = [](const Found &F) {
      auto [S, R] = meeting(F);
      return std::tuple(F.C.Conf != Confidence::High, F.Send[S].Where, F.Receive[R].Where);
    };
    llvm::sort(Chains, [&](const Found &A, const Found &B) { return Order(A) < Order(B); });
    const Found &X = Chains.front();
    auto [AtSend, AtReceive] = meeting(X);
    std::string To = Sources.argumentText(X.Send, X.C.Send->Sig->Peer, AtSend);
    std::string From = Sources.argumentText(X.Receive, X.C.Receive->Sig->Peer, AtReceive);
    Finding F;
    F.Rule = Slug;
    F.Conf = X.C.Conf;
    F.Range = X.Send[0].Call ? X.Send[0].Call->getSourceRange() : clang::SourceRange(X.Send[0].Where);
    F.Function = Unit::functionName(X.Send[0].Function);
    const clang::FunctionDecl *Exchange = X.Send[AtSend].Function;
    if (Exchange && SM.isWrittenInSameFile(Exchange->getLocation(), X.Send[0].Where))
      F.Scope = Exchange->getSourceRange();
    else if (X.Send[0].Function)
      F.Scope = X.Send[0].Function->getSourceRange();
    F.Args = {{"to", To.empty() ? std::string("one neighbour") : To},
              {"from", From.empty() ? std::string("the other") : From},
              {"effect", std::string(X.C.Relation == PeerRelation::Mirrored
                                         ? "both partners wait in their sends once the message is too large to buffer"
                                         : "a chain as long as the ranks")}};
    std::set<std::pair<clang::SourceLocation, std::string>> Said;
    auto Add = [&](clang::SourceLocation Where, const char *Label) {
      if (Where.isValid() && Where != X.Send[0].Where && Said.size() < 16 && Said.insert({Where, Label}).second)
        F.Relateds.push_back({Where, Label});
    };
    for (const Found &O : Chains) {
      auto [S, Rv] = meeting(O);
      Add(O.Send[S].Where, "sends here");
      Add(O.Receive[Rv].Where, "receives here, after the send has returned");
    }
    std::set<std::tuple<std::string, unsigned>> Lines;
    for (const Found &O : Chains)
      for (const SourceFrame &Frame : {O.Send[0], O.Receive[0]}) {
        Place At = placeOf(U.ast(), Frame.Where);
        if (Lines.insert({At.File, At.Line}).second)
          F.Accesses.push_back({At.File, At.Line, Unit::functionName(Frame.Function), -1});
      }
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-send-recv-chain", SendRecvChain)

} // namespace
} // namespace stridewise
