// R19: a barrier that orders nothing.
//
// From each MPI_Barrier the IR is walked back and forth to the next full synchronisation on the same communicator, or
// on that of all processes, with the barriers already found redundant taken away. A barrier is kept when something on
// the way could meet across ranks without a message: wildcard receives, one-sided access, shared memory, files, calls
// whose effects are unknown, output on both sides or right beside it, many ranks that flood one. So is one beside a
// clock, with no loop, no message and no work of another function between them: the ranks meet to be timed. In each
// step of a loop, or in a function that loops call, that is reported, unless what is timed is all that the loop does,
// or a collective call or output is the next thing. What is
// left are named messages, collective calls and computation, which need no barrier. Beside a synchronisation no barrier
// orders anything more. Calls in the unit are followed, those of other units in the link phase; for a barrier in a
// loop, the loop counts, and what runs once before and after it does not. Of a barrier at the edge of its function, the
// loops around all its calls decide, in the link phase. Never more than medium: only a run sees all
// effects; low where it is met once in a run, since nobody would gain. Silent: barriers under a condition that is not
// about ranks (`if (debug)`), functions that do little else. Known false positives: shared memory or files reached
// through other libraries' inline code.
#include "checks/mpi-redundant-barrier/BarrierLink.h"
#include "checks/mpi-redundant-barrier/BarrierSwitch.h"
#include "library/LibraryCalls.h"
#include "loops/CallHeat.h"
#include "mpi/CallPlaces.h"
#include "mpi/ProcedureHeat.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

using namespace effects;

constexpr StringLiteral Slug = "mpi-redundant-barrier";

class RedundantBarrier : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    Heats.emplace(U.ast());
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    bool AnyBarrier = false;
    for (MpiFunction *F : Functions)
      AnyBarrier |= any_of(F->sites(), [](const MpiSite &S) { return S.is(MpiBarrier); });
    MpiEffects Effects(U);
    bool Shares = sharesMemory(*M);
    json::Array Open;
    if (AnyBarrier && !Shares) {
      std::map<Key, Spot> Spots = judge(Functions, Effects, U, judgeBarriers);
      for (auto &[Where, P] : Spots)
        if (!P.Kept && !P.Frames.empty())
          R.report(finding(P, U));
      for (auto &[Where, P] : judge(Functions, Effects, U, openBarriers))
        if (!P.Kept && !P.Frames.empty() && !R.silences(Slug, P.Frames[P.Level].Where))
          for (const JudgedBarrier &Copy : P.Copies)
            Open.push_back(toJson(Copy, linked(finding(P, U), U), calledName(P)));
    }
    Summary = json::Object{{"functions", functionEffects(U, Effects, Shares)},
                           {"pointers", pointerTargets(U)},
                           {"shares", Shares},
                           {"paths", callPaths(U, Effects)},
                           {"barriers", std::move(Open)},
                           {"heat", Heats->toJson()}};
  }

  json::Value summarize(Unit &) override { return std::move(Summary); }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    for (LinkFinding &F : linkBarriers(Summaries)) {
      F.Rule = Slug;
      R.report(std::move(F));
    }
  }

private:
  using Key = std::pair<clang::FileID, unsigned>;
  struct Spot {
    JudgedBarrier J{};
    std::vector<JudgedBarrier> Copies; // of a helper that was inlined
    std::vector<SourceFrame> Frames;
    std::size_t Level = 0; // of the frame to report
    bool Kept = false;     // some use of it is needed
    bool Unsure = false;   // other units may call the helper
  };

  std::map<Key, Spot> judge(ArrayRef<MpiFunction *> Functions, MpiEffects &Effects, Unit &U,
                            decltype(&judgeBarriers) Judge) {
    SourceCalls Sources(U);
    CallPlaces Places(U, Functions, Sources);
    BarrierSwitch Switch(U, Sources);
    std::map<Key, Spot> Spots;
    for (MpiFunction *M : Functions)
      for (JudgedBarrier &J : Judge(*M, Effects)) {
        std::vector<SourceFrame> Frames = Sources.frames(*J.Barrier->Call);
        if (Frames.empty())
          continue;
        std::size_t Level = Places.level(Frames);
        Spot &P = Spots[Places.key(Frames[Level])];
        P.Kept |= J.Verdict == BarrierVerdict::Needed || Switch.isOptional(J, *M, Frames);
        P.Unsure |= J.Verdict == BarrierVerdict::Abstain && !M->function().hasLocalLinkage();
        if (J.Verdict < BarrierVerdict::Doubtful)
          continue;
        P.Copies.push_back(J);
        if (P.Frames.empty() || J.Verdict > P.J.Verdict) {
          P.J = std::move(J);
          P.Frames = std::move(Frames);
          P.Level = Level;
        }
      }
    return Spots;
  }

  // Loads and stores to such memory look like any other.
  static bool sharesMemory(const Module &M) {
    return any_of(M, [](const Function &F) {
      if (!F.isDeclaration() || F.use_empty())
        return false;
      const MpiSignature *Sig = findMpiCall(F.getName());
      const LibraryCall *Call = findLibraryCall(&F);
      return Sig ? Sig->is(MpiSharedMemory | MpiRma) : Call && Call->Shared;
    });
  }

  std::string calledName(const Spot &P) const {
    const clang::FunctionDecl *F = P.Frames[P.Level].Function;
    return F ? Heats->name(F) : std::string();
  }

  // "MPI_Recv (line 57)", with the line in the function of the barrier.
  static std::string name(const MpiSite &S, const void *Around, SourceCalls &Sources, Unit &U) {
    std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
    if (Frames.empty())
      return S.Sig->Name;
    auto It = find_if(Frames, [&](const SourceFrame &F) { return F.around() == Around; });
    const SourceFrame &F = It == Frames.end() ? Frames.front() : *It;
    return (Twine(S.Sig->Name) + " (line " + Twine(U.sources().getExpansionLineNumber(F.Where)) + ")").str();
  }

  static LinkFinding linked(const Finding &F, Unit &U) {
    LinkFinding L;
    L.Conf = F.Conf;
    L.Where = placeOf(U.ast(), F.Range);
    L.Function = F.Function;
    Place Scope = placeOf(U.ast(), F.Scope.isValid() ? F.Scope : F.Range);
    L.ScopeBegin = Scope.Line;
    L.ScopeEnd = Scope.EndLine;
    L.Args = F.Args;
    for (const Related &Each : F.Relateds)
      L.Relateds.emplace_back(placeOf(U.ast(), Each.Where), Each.Label);
    return L;
  }

  // Where a barrier stands, by what is next to it.
  static std::string place(const JudgedBarrier &J, clang::SourceLocation Loop, const void *Around, SourceCalls &Sources,
                           Unit &U) {
    const MpiSite *Before = J.Before.Nearest, *After = J.After.Nearest;
    auto Name = [&](const MpiSite *S) { return name(*S, Around, Sources, U); };
    auto Follows = [](const BarrierSide &S) {
      return S.Nearest && S.Nearest->is(MpiFullSync) && !(S.Here & Message) && !S.Nearest->is(MpiBarrier);
    };
    if (!J.Around && J.Before.isEdge())
      return "after " + mpiCallThat(MpiDoes::Init).str();
    if (!J.Around && J.After.isEdge())
      return "before " + mpiCallThat(MpiDoes::Finalize).str();
    if (Follows(J.Before))
      return "after " + Name(Before);
    if (Follows(J.After))
      return "before " + Name(After);
    if (Loop.isValid())
      return "in the loop at line " + std::to_string(U.sources().getExpansionLineNumber(Loop));
    if (Before && After)
      return "between " + Name(Before) + " and " + Name(After);
    if (Before)
      return "after " + Name(Before);
    return After ? "before " + Name(After) : "between computations";
  }

  Finding finding(const Spot &P, Unit &U) {
    SourceCalls Sources(U);
    const JudgedBarrier &J = P.J;
    const SourceFrame &At = P.Frames[P.Level];
    Finding F;
    F.Rule = Slug;
    bool Once = !J.Around && (At.Procedure ? heatOf(At.Procedure, U) : Heats->of(At.Function)) == Heat::Cold;
    F.Conf = J.Verdict >= BarrierVerdict::Redundant && !P.Unsure && !Once && !J.Seldom ? Confidence::Medium
                                                                                       : Confidence::Low;
    F.Range = At.range();
    F.Function = At.function();
    F.Scope = At.scope();
    clang::SourceLocation Loop = J.Around ? U.loopLocation(J.Around) : clang::SourceLocation();
    if (Loop.isValid()) {
      if (clang::SourceRange Range = loopRange(J.Around, U);
          Range.isValid() && U.sources().isWrittenInSameFile(Range.getBegin(), At.Where))
        F.Scope = Range;
      F.Relateds.push_back({Loop, "in each iteration of this loop"});
    }
    for (std::size_t Level = 0; Level < P.Frames.size(); ++Level)
      if (Level != P.Level)
        F.Relateds.push_back({P.Frames[Level].Where, Level < P.Level ? "in this helper" : "called from here"});
    bool Open = (J.Before.Here & Boundary) && (J.After.Here & Boundary) && !J.Around;
    F.Args = {
        {"place", place(J, Loop, At.around(), Sources, U)},
        {"condition", std::string(Open || P.Unsure ? ", unless callers order files, output or clocks with it" : "")}};
    addRemedy(F.Args, J.Verdict, J.Before, J.After);
    Place Line = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({Line.File, Line.Line, F.Function, -1});
    return F;
  }

  std::optional<CallHeat> Heats;
  json::Value Summary = nullptr;
};

STRIDEWISE_CHECK("mpi-redundant-barrier", RedundantBarrier)

} // namespace
} // namespace stridewise
