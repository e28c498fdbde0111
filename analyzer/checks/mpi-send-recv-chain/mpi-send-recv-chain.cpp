// R20: every rank sends to a neighbour, with a blocking call, before it receives from the opposite one.
//
// In the program order of the inlined IR, sends and receives of one communicator, tag and pair of peers are matched
// first to first. A pair whose receive is posted only after its send has returned is a chain, provided that all ranks
// run it in this order: the peers are neighbours (rank + d and rank - d, the two ends of an MPI_Cart_shift, two fields
// of one record, two parameters), and no condition on the way sends some ranks another way round. A test whether there
// is a neighbour at all does not.
// The other way round, with a receive first, it speaks where what is sent was there before, the peers lie on either
// side of each rank, and all ranks but the first or last do so; in a loop, where its rounds do not overlap: something
// comes back, the ring is closed, or all ranks meet. A number that has arrived, with one of the rank's own added, is
// handed on in a scan; what has arrived and is sent on unchanged, in a broadcast (HandedOn.h). Silent: parity and other
// conditions whose other arm receives first, one rank alone, constant or wildcard peers, a request and its answer (one
// peer), receives posted before, MPI_Sendrecv, a collective call between the two. Low: tables of unknown length, which
// may list others than neighbours. Known false positives: two opaque peers that no two ranks see crosswise.
#include "checks/mpi-send-recv-chain/HandedOn.h"
#include "checks/mpi-send-recv-chain/SendOrder.h"
#include "loops/CallHeat.h"
#include "mpi/CallPlaces.h"
#include "mpi/ProcedureHeat.h"
#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-send-recv-chain";

class SendRecvChain : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (Functions.empty())
      return;
    SourceCalls Sources(U);
    CallPlaces Places(U, Functions, Sources);
    MpiEffects Effects(U);
    // A helper that was inlined is judged where it is used; by itself it does not know who calls it, and when.
    std::map<Key, Spot> Spots;
    for (MpiFunction *M : Functions) {
      for (const MpiSite &S : counted(M->sites())) {
        if (!S.is(MpiSend))
          continue;
        std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
        if (!Frames.empty())
          Spots[U.sources().getDecomposedLoc(Frames[0].Where)].Inlined |= Frames.size() > 1;
      }
    }
    for (MpiFunction *M : Functions)
      for (const SendFirst &C : findSendFirst(*M, U, Effects)) {
        std::vector<SourceFrame> Send = Sources.frames(*C.Send->Call), Receive = Sources.frames(*C.Receive->Call);
        if (Send.empty() || Receive.empty())
          continue;
        Found X{M, C, std::move(Send), std::move(Receive)};
        X.Level = std::min(Places.level(X.Send), meeting(X).first);
        X.ReceiveLevel = std::min(Places.level(X.Receive), meeting(X).second);
        Spot &P = Spots[Places.key(X.Send[X.Level])];
        if (P.Inlined && X.Send.size() == 1)
          continue;
        P.Chains.push_back(std::move(X));
      }
    for (auto &[Where, P] : Spots)
      if (!P.Chains.empty())
        report(P.Chains, Sources, U, R);
  }

private:
  using Key = std::pair<clang::FileID, unsigned>;
  struct Found {
    MpiFunction *M;
    SendFirst C;
    std::vector<SourceFrame> Send, Receive;
    std::size_t Level = 0, ReceiveLevel = 0; // of the frames to report
    const SourceFrame &at() const { return Send[Level]; }
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
        if (X.Send.size() - A != X.Receive.size() - B || X.Send[A].around() != X.Receive[B].around())
          continue;
        bool Same = true;
        for (std::size_t Up = 1; A + Up < X.Send.size(); ++Up)
          Same &= X.Send[A + Up].Where == X.Receive[B + Up].Where;
        if (Same)
          return {A, B};
      }
    return {X.Send.size() - 1, X.Receive.size() - 1};
  }

  // The first question on the way to the receive that asks for the rank.
  static clang::SourceLocation partingOf(const Found &X, Unit &U) {
    clang::SourceLocation First;
    for (const RunCondition &C : X.M->conditions(X.C.Receive->Call->getParent()))
      for (auto [V, Holds] : C.Facts)
        if (const auto *Compare = dyn_cast<ICmpInst>(V);
            Compare && any_of(Compare->operands(), [&](Value *Op) {
              return X.M->engine().scalarEvolution().isSCEVable(Op->getType()) &&
                     X.M->dependsOnRank(X.M->engine().rewrite(Op));
            }))
          if (clang::SourceLocation At = U.locate(C.Branch->getDebugLoc());
              At.isValid() && (First.isInvalid() || At < First))
            First = At;
    return First;
  }

  // Where the chains send and receive.
  static void addPlaces(Finding &F, const std::vector<Found> &Chains, Unit &U) {
    const Found &X = Chains.front();
    std::set<std::pair<clang::SourceLocation, std::string>> Said;
    auto Add = [&](clang::SourceLocation Where, const char *Label) {
      if (Where.isValid() && Where != X.at().Where && Said.size() < 16 && Said.insert({Where, Label}).second)
        F.Relateds.push_back({Where, Label});
    };
    for (const Found &O : Chains) {
      auto [S, Rv] = meeting(O);
      Add(O.Send[S].Where, "sends here");
      Add(O.Receive[Rv].Where, O.C.ReceiveFirst ? "receives here" : "receives here, after the send has returned");
    }
    if (X.C.ReceiveFirst)
      if (clang::SourceLocation Parts = partingOf(X, U); Parts.isValid())
        Add(Parts, "the first and the last rank part from the others here");
    std::set<std::tuple<std::string, unsigned>> Lines;
    for (const Found &O : Chains)
      for (const SourceFrame &Frame : {O.at(), O.Receive[O.ReceiveLevel]}) {
        Place At = placeOf(U.ast(), Frame.Where);
        if (Lines.insert({At.File, At.Line}).second)
          F.Accesses.push_back({At.File, At.Line, Frame.function(), -1});
      }
  }

  // One number, once, is no more than its latency.
  static Confidence ofNumber(const Found &X, Unit &U) {
    const SourceFrame &At = X.Send.back();
    if (X.M->engine().loops().getLoopFor(X.C.Send->Call->getParent()))
      return Confidence::Medium;
    const Heat H = At.Procedure  ? heatOf(At.Procedure, U)
                   : At.Function ? CallHeat(U.ast()).of(At.Function)
                                 : Heat::Unknown;
    return H == Heat::Cold ? Confidence::Low : Confidence::Medium;
  }

  void report(std::vector<Found> &Chains, SourceCalls &Sources, Unit &U, Reporter &R) {
    const clang::SourceManager &SM = U.sources();
    auto Order = [](const Found &F) {
      auto [S, R] = meeting(F);
      return std::tuple(F.C.Guessed, F.C.ReceiveFirst, !F.C.Proven, F.Send[S].Where, F.Receive[R].Where);
    };
    llvm::sort(Chains, [&](const Found &A, const Found &B) { return Order(A) < Order(B); });
    const Found &X = Chains.front();
    auto [AtSend, AtReceive] = meeting(X);
    const bool Turns = X.C.ReceiveFirst;
    std::string To = Sources.argumentText(X.Send, X.C.Send->Sig->Peer, AtSend);
    std::string From = Sources.argumentText(X.Receive, X.C.Receive->Sig->Peer, AtReceive);
    Finding F;
    F.Rule = Slug;
    F.Conf = X.C.Sends != SendFirst::Own ? ofNumber(X, U)
             : X.C.Guessed               ? Confidence::Low
             : X.C.Proven                ? Confidence::High
                                         : Confidence::Medium;
    F.Range = X.at().range();
    F.Function = X.at().function();
    const clang::SourceRange Exchange = X.Send[AtSend].scope();
    if (Exchange.isValid() && SM.isWrittenInSameFile(Exchange.getBegin(), X.at().Where))
      F.Scope = Exchange;
    else
      F.Scope = X.at().scope();
    To = To.empty() ? "one neighbour" : To;
    From = From.empty() ? "the other" : From;
    const bool Told = X.C.Sends == SendFirst::Arrived || X.C.Sends == SendFirst::Stepped;
    const char *Remedy = X.C.Sends == SendFirst::Arrived   ? "broadcast"
                         : X.C.Sends == SendFirst::Stepped ? "steps"
                         : X.C.Sends == SendFirst::Own     ? "order"
                         : isToldToAll(*X.C.Send, *X.M)    ? "reduce"
                                                           : "scan";
    F.Args = {{"remedy", variant(Slug, Remedy)},
              {"does", std::string(Turns ? "receives from" : "sends to")},
              {"one", Turns ? From : To},
              {"then", std::string(Turns ? "sends to" : "receives from")},
              {"other", Turns ? To : From},
              {"effect",
               std::string(Told ? "what the first one has goes from rank to rank, each of which waits for all before it"
                           : X.C.Sends == SendFirst::Combined
                               ? "what they add up goes from rank to rank, each of which waits for all before it"
                           : Turns ? "each waits for its turn, although it sends what it had before"
                           : X.C.Relation == PeerRelation::Mirrored
                               ? "both partners wait in their sends once the message is too large to buffer"
                               : "a chain as long as the ranks")}};
    addPlaces(F, Chains, U);
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-send-recv-chain", SendRecvChain)

} // namespace
} // namespace stridewise
