// R22: a loop of messages to or from all ranks that a collective call replaces.
//
// mpi/RankLoops finds sends and receives of which the peer is a loop's counter that runs to the communicator's size.
// What the loop does with its buffer names the collective: one address for all is a broadcast, slices are a scatter or
// gather, what is received and added up is a reduction, sends and receives by every rank are an all-to-all.
// Silent: functions that serve whoever comes (MPI_ANY_SOURCE, unless all that it receives is a sum), peers chosen by
// data or from a table, ranks that take turns, collective calls by root whose data are used before the next, loops that
// send and receive on one rank (requests and answers), empty messages. A loop that prints what it receives is low: the
// order is its purpose; not where it adds up what it prints. Known false positives: messages that the root computes one
// by one, so that early receivers start early.
#include "mpi/CallPlaces.h"
#include "mpi/RankLoops.h"
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
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (none_of(Functions, [](MpiFunction *M) {
          return any_of(M->sites(), [&](const MpiSite &S) {
            return S.is(MpiSend | MpiRecv | MpiCollective) && M->engine().loops().getLoopFor(S.Call->getParent());
          });
        }))
      return;
    RankFacts Ranks(U);
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
        std::optional<Verdict> V = judge(X, Loops);
        if (!V || (X.S != RankLoop::AnySource && X.S != RankLoop::EachRoot && servesAnySource(*M, X)))
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
    std::string Does, Collective, Hint;
  };
  struct Spot {
    bool Inlined = false;
    std::optional<Verdict> Best;
    std::vector<SourceFrame> Frames;
    std::size_t Level = 0; // of the frame to report
  };

  static std::optional<Verdict> judge(const RankLoop &X, ArrayRef<RankLoop> Loops) {
    Verdict V{X, Confidence::High, {}, {}, {}};
    if (X.S == RankLoop::EachRoot) {
      V.Does = X.Receives      ? "broadcasts from one rank after another"
               : X.Accumulates ? "reduces to one rank after another"
                               : "gathers to one rank after another";
      V.Collective = X.Receives      ? "MPI_Allgather"
                     : X.Accumulates ? (X.SameBuffer ? "MPI_Allreduce" : "MPI_Reduce_scatter")
                     : X.SameBuffer  ? "MPI_Allgather"
                                     : "MPI_Alltoall";
      if (X.VariableBlocks && !X.Accumulates)
        V.Collective += "v";
      V.Conf = X.VariableBlocks ? Confidence::Medium : Confidence::High;
      return V;
    }
    if (X.S == RankLoop::Doubling) {
      V.Does = "combines values with ranks at growing distances";
      V.Collective = "MPI_Allreduce";
      return V;
    }
    if (X.S == RankLoop::Ring) {
      V.Does = X.Accumulates ? "passes values round the ring of ranks and combines them"
                             : "passes blocks round the ring of ranks";
      V.Collective = !X.Accumulates ? "MPI_Allgather" : X.SameBuffer ? "MPI_Allreduce" : "MPI_Reduce_scatter";
      if (X.VariableBlocks && !X.Accumulates)
        V.Collective += "v";
      V.Conf = X.NextRank ? Confidence::High : Confidence::Medium;
      return V;
    }
    std::string Suffix = X.VariableBlocks ? "v" : "";
    bool Exchange = X.Sends && X.Receives;
    if (!X.OneRank && !Exchange)
      for (const RankLoop &O : Loops)
        Exchange |= O.S == RankLoop::EachRank && !O.OneRank && O.Sends != X.Sends && O.AllRanks && !X.LeavesOutFirst &&
                    !O.LeavesOutFirst;
    if (Exchange && !X.OneRank) {
      // Said once, where the data leave.
      if (!X.Sends || !X.AllRanks || (X.BothWays && !X.Receives))
        return std::nullopt;
      bool Same = X.SameBuffer && !X.Packed;
      V.Does = "sends from every rank to every other";
      V.Collective = Same ? "MPI_Allgather" : "MPI_Alltoall" + Suffix;
      V.Conf = X.VariableBlocks || X.Packed ? Confidence::Medium : Confidence::High;
      return V;
    }
    if (X.BothWays || Exchange)
      return std::nullopt;
    if (X.Sends) {
      bool Same = X.SameBuffer && !X.Packed;
      V.Does = Same ? "sends the same data to one rank after another" : "sends each rank its block, one after another";
      V.Collective = Same ? "MPI_Bcast" : "MPI_Scatter" + Suffix;
      if (X.Packed)
        V.Hint = ", from one buffer that holds all blocks";
    } else {
      V.Does = X.S == RankLoop::AnySource ? "receives one message of each rank, as they come, and adds up"
               : X.Accumulates            ? "receives from one rank after another and adds up"
                                          : "receives a block from one rank after another";
      V.Collective = X.Accumulates ? "MPI_Reduce" : "MPI_Gather" + Suffix;
      if (X.SameBuffer && !X.Accumulates)
        V.Hint = ", into one buffer that holds all blocks";
    }
    if (X.Output && X.Accumulates)
      V.Hint = ", and MPI_Gather where each value is shown, too";
    if (X.Output && !X.WritesBlocks && !X.Accumulates)
      V.Conf = Confidence::Low;
    else if (!X.AllRanks || !X.OneRank || !X.Counterpart || X.Packed || X.Output || X.S == RankLoop::AnySource)
      V.Conf = Confidence::Medium;
    return V;
  }

  void report(const Verdict &V, ArrayRef<SourceFrame> Frames, std::size_t At, SourceCalls &Sources, Unit &U,
              Reporter &R) {
    const clang::SourceManager &SM = U.sources();
    Finding F;
    F.Rule = Slug;
    F.Conf = V.Conf;
    F.Range = Frames[At].Call ? Frames[At].Call->getSourceRange() : clang::SourceRange(Frames[At].Where);
    F.Function = Unit::functionName(Frames[At].Function);
    const clang::Stmt *Statement = U.loopStatement(V.X.L);
    if (Statement && SM.isWrittenInSameFile(Statement->getBeginLoc(), F.Range.getBegin()))
      F.Scope = Statement->getSourceRange();
    std::string Name = loopVariable(Statement);
    if (clang::SourceLocation Loop = U.loopLocation(V.X.L); Loop.isValid())
      F.Relateds.push_back(
          {Loop, V.X.S == RankLoop::EachRoot ? "one collective call per rank" : "one message per rank"});
    if (V.X.Counterpart)
      if (std::vector<SourceFrame> Other = Sources.frames(*V.X.Counterpart->Call); !Other.empty())
        F.Relateds.push_back({Other[0].Where, V.X.Sends ? "the others receive here" : "the others send here"});
    for (std::size_t Level = 0; Level < Frames.size(); ++Level)
      if (Level != At)
        F.Relateds.push_back({Frames[Level].Where, Level < At ? "in this helper" : "called from here"});
    F.Args = {
        {"loop", Name.empty() ? std::string("over the ranks") : "'" + Name + "' over the ranks"},
        {"does", V.Does},
        {"collective", V.Collective},
        {"cost",
         V.X.S == RankLoop::EachRoot ? "as many calls as there are ranks, where one " + V.Collective + " does"
         : V.X.S == RankLoop::Doubling
             ? "it takes one route on every machine, where " + V.Collective + " uses shared memory and the network"
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
