// R22: a loop of messages to or from all ranks that a collective call replaces.
//
// mpi/RankLoops finds sends and receives of which the peer is a loop's counter that runs to the communicator's size, or
// from 0 on as sender and receiver alike.
// What the loop does with its buffer names the collective: one address for all is a broadcast, slices are a scatter or
// gather, what is received and added up is a reduction, sends and receives by every rank are an all-to-all.
// Silent: functions that serve whoever comes (MPI_ANY_SOURCE, unless all that it receives is a sum), peers chosen by
// data or from a table, ranks that take turns, collective calls by root whose data are used before the next, loops that
// send and receive on one rank (requests and answers), empty messages. A loop that prints what it receives is low: the
// order is its purpose; not where it adds up what it prints. Known false positives: messages that the root computes one
// by one, so that early receivers start early.
#include "mpi/CallPlaces.h"
#include "mpi/RankLoops.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-handmade-collective";

class HandmadeCollective : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (none_of(Functions, [](MpiFunction *M) {
          return any_of(M->sites(), [&](const MpiSite &S) {
            return S.is(MpiSend | MpiRecv | MpiCollective) && M->engine().loops().getLoopFor(S.Call->getParent());
          });
        }))
      return;
    const RankFacts &Ranks = ranksOf(U);
    SourceCalls Sources(U);
    CallPlaces Places(U, Functions, Sources);
    MpiEffects Effects(U);
    std::map<Key, Spot> Spots;
    for (MpiFunction *M : Functions)
      for (const MpiSite &S : counted(M->sites()))
        if (S.is(MpiSend | MpiRecv))
          if (std::vector<SourceFrame> Frames = Sources.frames(*S.Call); Frames.size() > 1)
            Spots[U.sources().getDecomposedLoc(Frames[0].Where)].Inlined = true;
    for (MpiFunction *M : Functions) {
      std::vector<RankLoop> Loops = findRankLoops(*M, Ranks, Effects);
      for (const RankLoop &X : Loops) {
        const std::optional<Verdict> V = judgeIn(*M, X, Loops);
        if (!V)
          continue;
        std::vector<SourceFrame> Frames = Sources.frames(*X.Site->Call);
        if (Frames.empty())
          continue;
        std::size_t Level = Places.level(Frames);
        Spot &P = Spots[Places.key(Frames[Level])];
        if ((P.Inlined && Frames.size() == 1) || (P.Best && P.Best->Conf >= V->Conf))
          continue;
        P.Best = V;
        P.Level = Level;
        P.Frames = std::move(Frames);
      }
    }
    for (auto &[Where, P] : Spots)
      if (P.Best)
        report(*P.Best, P.Frames, P.Level, Sources, U, R);
  }

private:
  using Key = std::pair<clang::FileID, unsigned>;
  struct Verdict {
    RankLoop X;
    Confidence Conf;
    std::string Does = {}, Collective = {}, Hint = {};
  };
  struct Spot {
    bool Inlined = false;
    std::optional<Verdict> Best;
    std::vector<SourceFrame> Frames;
    std::size_t Level = 0; // of the frame to report
  };

  static std::optional<Verdict> judge(const RankLoop &X, ArrayRef<RankLoop> Loops) {
    switch (X.S) {
    case RankLoop::EachRoot:
      return everyRoot(X);
    case RankLoop::Doubling: {
      Verdict V{X, Confidence::High, "combines values with ranks at growing distances"};
      V.Collective = mpiCallThat(MpiDoes::Allreduce).str();
      return V;
    }
    case RankLoop::Rounds: {
      Verdict V{X, Confidence::Medium, "combines values with one partner after another"};
      V.Collective = mpiCallThat(MpiDoes::Allreduce).str();
      V.Hint = variant(Slug, "of_partners");
      return V;
    }
    case RankLoop::Ring:
      return ring(X);
    case RankLoop::EachRank:
    case RankLoop::AnySource:
      break;
    }
    const bool Exchange = isExchanged(X, Loops);
    if (Exchange && !X.OneRank)
      return exchange(X);
    if (X.BothWays || Exchange)
      return std::nullopt;
    return X.Sends ? spread(X) : collected(X);
  }
  static std::optional<Verdict> judgeIn(MpiFunction &M, const RankLoop &X, ArrayRef<RankLoop> Loops) {
    std::optional<Verdict> V = judge(X, Loops);
    if (!V || (X.InTurn && saidAbove(X, Loops)) ||
        (X.S != RankLoop::AnySource && X.S != RankLoop::EachRoot && servesAnySource(M, X)))
      return std::nullopt;
    // The others work or sleep until it has come, where a broadcast would hold them.
    if (comesInPieces(M, X) || (X.Sends && X.Counterpart && isAskedFor(M, *X.Counterpart)))
      V->Conf = Confidence::Low;
    return V;
  }
  // Of the two ways in which one message goes, the first is told.
  static bool saidAbove(const RankLoop &X, ArrayRef<RankLoop> Loops) {
    return any_of(Loops,
                  [&](const RankLoop &O) { return O.InTurn && O.L == X.L && O.Sends == X.Sends && O.Site < X.Site; });
  }
  static bool isAskedFor(MpiFunction &M, const MpiSite &Received) {
    return any_of(M.sites(), [&](const MpiSite &S) {
      return S.is(MpiProbe) && S.is(MpiNonblocking) && M.sameValue(S.arg(S.Sig->Peer), Received.source()) &&
             M.sameValue(S.arg(S.Sig->Tag), Received.receiveTag());
    });
  }
  // As many messages from each rank as it has to send, each through the same place: no block that a gather would fill.
  static bool comesInPieces(MpiFunction &M, const RankLoop &X) {
    return X.S == RankLoop::EachRank && X.Receives && !X.Sends && X.OneRank && X.SameBuffer && !X.Accumulates &&
           !X.Output && M.engine().loops().getLoopFor(X.Site->Call->getParent()) != X.L;
  }

  // Collectives that libraries carry out block by block, too, if in a better order.
  static bool goesInTurn(const Verdict &V) {
    const bool Varies = V.X.VariableBlocks && !V.X.Accumulates && !isSame(V.X);
    return Varies || V.Collective == mpiCallThat(MpiDoes::Alltoall);
  }

  // Blocks of which each rank has its own, so that their sizes may differ.
  static std::string ofBlocks(MpiDoes Does, const RankLoop &X) { return mpiCallThat(Does, X.VariableBlocks).str(); }
  // What combines the values of all ranks: the whole of them on each, or each its part.
  static std::string reduction(const RankLoop &X) {
    return (X.SameBuffer ? mpiCallThat(MpiDoes::Allreduce) : mpiCallThat(MpiDoes::ReduceScatter, true)).str();
  }
  static bool isSame(const RankLoop &X) { return X.SameBuffer && !X.Packed; }

  static Verdict everyRoot(const RankLoop &X) {
    Verdict V{X, X.VariableBlocks || !X.AllRanks ? Confidence::Medium : Confidence::High};
    V.Does = X.Receives      ? "broadcasts from one rank after another"
             : X.Accumulates ? "reduces to one rank after another"
                             : "gathers to one rank after another";
    V.Collective = X.Receives      ? ofBlocks(MpiDoes::Allgather, X)
                   : X.Accumulates ? reduction(X)
                   : X.SameBuffer  ? ofBlocks(MpiDoes::Allgather, X)
                                   : ofBlocks(MpiDoes::Alltoall, X);
    return V;
  }

  static Verdict ring(const RankLoop &X) {
    Verdict V{X, X.NextRank ? Confidence::High : Confidence::Medium};
    V.Does = X.Accumulates ? "passes values round the ring of ranks and combines them"
                           : "passes blocks round the ring of ranks";
    V.Collective = X.Accumulates ? reduction(X) : ofBlocks(MpiDoes::Allgather, X);
    return V;
  }

  // Whether every rank both sends and receives, in this loop or by another one.
  static bool isExchanged(const RankLoop &X, ArrayRef<RankLoop> Loops) {
    if (X.Sends && X.Receives)
      return true;
    return !X.OneRank && any_of(Loops, [&](const RankLoop &O) {
      return O.S == RankLoop::EachRank && !O.OneRank && O.Sends != X.Sends && O.AllRanks && !X.LeavesOutFirst &&
             !O.LeavesOutFirst;
    });
  }

  static std::optional<Verdict> exchange(const RankLoop &X) {
    // Said once, where the data leave.
    if (!X.Sends || !X.AllRanks || (X.BothWays && !X.Receives))
      return std::nullopt;
    Verdict V{X, X.VariableBlocks || X.Packed || X.InTurn ? Confidence::Medium : Confidence::High};
    V.Does = "sends from every rank to every other";
    V.Collective = isSame(X) ? mpiCallThat(MpiDoes::Allgather).str() : ofBlocks(MpiDoes::Alltoall, X);
    return V;
  }

  static Confidence ofOneRank(const RankLoop &X) {
    // Blocks of any size that are written as they come need room for one of them.
    if (X.Output && (!X.WritesBlocks || X.Probes) && !X.Accumulates)
      return Confidence::Low;
    bool Sure = X.AllRanks && X.OneRank && X.Counterpart && !X.Packed && !X.Output && X.S != RankLoop::AnySource;
    return Sure ? Confidence::High : Confidence::Medium;
  }

  static Verdict spread(const RankLoop &X) {
    Verdict V{X, ofOneRank(X)};
    V.Does =
        isSame(X) ? "sends the same data to one rank after another" : "sends each rank its block, one after another";
    V.Collective = isSame(X) ? mpiCallThat(MpiDoes::Broadcast).str() : ofBlocks(MpiDoes::Scatter, X);
    V.Hint = shownToo(X, X.Packed ? ", from one buffer that holds all blocks" : "");
    return V;
  }

  static Verdict collected(const RankLoop &X) {
    Verdict V{X, ofOneRank(X)};
    const std::string How = X.Merges ? "combines the values" : "adds up";
    V.Does = X.S == RankLoop::AnySource ? "receives one message of each rank, as they come, and " + How
             : X.Accumulates            ? "receives from one rank after another and " + How
                                        : "receives a block from one rank after another";
    V.Collective = X.Accumulates ? mpiCallThat(MpiDoes::Reduce).str() : ofBlocks(MpiDoes::Gather, X);
    V.Hint = shownToo(X, X.SameBuffer && !X.Accumulates ? ", into one buffer that holds all blocks" : "");
    return V;
  }
  static std::string shownToo(const RankLoop &X, StringRef Hint) {
    if (X.Output && X.Accumulates)
      return (", and " + mpiCallThat(MpiDoes::Gather) + " where each value is shown, too").str();
    return Hint.str();
  }

  void report(const Verdict &V, ArrayRef<SourceFrame> Frames, std::size_t At, SourceCalls &Sources, Unit &U,
              Reporter &R) {
    const clang::SourceManager &SM = U.sources();
    Finding F;
    F.Rule = Slug;
    F.Conf = V.Conf;
    F.Range = Frames[At].range();
    F.Function = Frames[At].function();
    const clang::SourceRange Range = loopRange(V.X.L, U);
    if (Range.isValid() && SM.isWrittenInSameFile(Range.getBegin(), F.Range.getBegin()))
      F.Scope = Range;
    std::string Name = loopVariable(V.X.L, U);
    if (clang::SourceLocation Loop = U.loopLocation(V.X.L); Loop.isValid())
      F.Relateds.push_back({Loop, V.X.S == RankLoop::EachRoot ? "one collective call per rank"
                                  : V.X.S == RankLoop::Rounds ? "one message per partner"
                                                              : "one message per rank"});
    if (V.X.Counterpart)
      if (std::vector<SourceFrame> Other = Sources.frames(*V.X.Counterpart->Call); !Other.empty())
        F.Relateds.push_back({Other[0].Where, V.X.Sends ? "the others receive here" : "the others send here"});
    for (std::size_t Level = 0; Level < Frames.size(); ++Level)
      if (Level != At)
        F.Relateds.push_back({Frames[Level].Where, Level < At ? "in this helper" : "called from here"});
    F.Args = {
        {"loop", (Name.empty() ? std::string() : "'" + Name + "' ") +
                     (V.X.S == RankLoop::Rounds ? "over partners" : "over the ranks")},
        {"does", V.Does},
        {"collective", V.Collective},
        {"cost",
         V.X.S == RankLoop::EachRoot ? "as many calls as there are ranks, where one " + V.Collective + " does"
         : V.X.S == RankLoop::Doubling || V.X.S == RankLoop::Rounds
             ? "it takes one route on every machine, where " + V.Collective + " uses shared memory and the network"
         : goesInTurn(V)
             ? "one waits for the other, as many as there are ranks, where " + V.Collective + " takes them as they come"
             : "its steps grow with the number of ranks, those of " + V.Collective + " with its logarithm"},
        {"hint", V.Hint}};
    Place Line = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({Line.File, Line.Line, F.Function, -1});
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-handmade-collective", HandmadeCollective)

} // namespace
} // namespace stridewise
