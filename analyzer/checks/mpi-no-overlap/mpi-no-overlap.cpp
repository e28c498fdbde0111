// R23: messages are started and waited for at once, although work follows that could run meanwhile.
//
// In the program order of the inlined IR the non-blocking calls of each wait are found by their requests. When nothing
// but packing lies between, the loops behind the wait are read up to the next communication: a nest that computes,
// always runs, reads nothing that arrived or was computed from it and writes nothing that is sent is work to move
// before the wait. Where the nest reads the halo, but not in the interior iterations of its outer loop, splitting it is
// the advice.
// Where a procedure of Fortran waits at once and the unit shows no such work, the whole program is asked: in each step,
// before the next message, a stencil runs whose interior needs no border (ExchangeSteps.h). Medium, and the advice says
// what it takes for granted.
// Where one function starts the messages and another one waits for them, and a loop, or a function that is called in
// one, calls the second right behind the first, with work behind both that is not handed what arrives, nothing is
// overlapped either (SplitPairs.h): medium. So is a wait behind which a function is called that is handed nothing of
// it, and a function of C that waits at once and whose caller has a stencil behind it (HelperWork.h).
// Silent: work or MPI_Test between start and wait, blocking receives or collective calls in the exchange, one thread of
// a team that communicates while the others compute, nests that are short or conditional. That arrays of different
// names are different ones is taken for granted, at medium confidence at most, and said; a pointer that is loaded from
// a table may be a row of any array: low, unless the places in the table differ. Medium: stencils whose border is not
// proven; low: other such work. Known false positives: MPI libraries without asynchronous progress gain little.
#include "checks/mpi-no-overlap/ExchangeSteps.h"
#include "checks/mpi-no-overlap/HelperWork.h"
#include "checks/mpi-no-overlap/OverlapFacts.h"
#include "checks/mpi-no-overlap/SplitPairs.h"
#include "fortran/SourceText.h"
#include "omp/OmpRegion.h"
#include "thresholds.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-no-overlap";

class NoOverlap : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    bool Waits = any_of(
        Functions, [](MpiFunction *M) { return any_of(M->sites(), [](const MpiSite &S) { return S.is(MpiWait); }); });
    const double MinIterations = R.threshold(Slug, "min_work_iterations");
    SourceCalls Sources(U);
    if (U.ir())
      Pairs = pairFacts(U, Sources);
    if (!Waits) {
      if (U.isFortran())
        Steps = stepFacts(U, {}, MinIterations);
      else if (U.ir())
        Helpers = helperFacts({}, Sources, U, MinIterations);
      return;
    }
    MpiEffects Effects(U);
    std::map<Key, Found> Best;
    for (MpiFunction *M : Functions)
      for (OverlapChance &C : findOverlapChances(*M, U, Effects, MinIterations)) {
        std::vector<SourceFrame> Frames = Sources.frames(*C.Wait->Call);
        if (Frames.empty() || any_of(Frames, [&](const SourceFrame &F) { return othersWork(F, U); }))
          continue;
        Found New{M, C, confidence(C, *M), std::move(Frames)};
        auto [It, Added] = Best.try_emplace(U.sources().getDecomposedLoc(New.Frames[0].Where), New);
        if (!Added && New.Conf > It->second.Conf)
          It->second = std::move(New);
      }
    for (auto &[Where, F] : Best)
      report(F, Sources, U, R);
    if (U.isFortran())
      Steps = stepFacts(U, bareExchanges(Functions, Best, Effects, Sources, U, R), MinIterations);
    else if (U.ir())
      Helpers = helperFacts(bareWaits(Functions, Best, Effects, Sources, U, R), Sources, U, MinIterations);
  }

  json::Value summarize(Unit &) override {
    if (!Steps.getAsObject() && !Pairs.getAsObject() && !Helpers.getAsObject())
      return nullptr;
    return json::Object{{"steps", std::move(Steps)}, {"split", std::move(Pairs)}, {"helpers", std::move(Helpers)}};
  }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::vector<const stored::Object *> OfSteps, OfPairs, OfHelpers, Phases;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject()) {
        if (const stored::Object *Each = O->getObject("steps"))
          OfSteps.push_back(Each);
        if (const stored::Object *Each = O->getObject("split")) {
          OfPairs.push_back(Each);
          if (const stored::Object *Of = Each->getObject("phases"))
            Phases.push_back(Of);
        }
        if (const stored::Object *Each = O->getObject("helpers"))
          OfHelpers.push_back(Each);
      }
    for (LinkFinding &F : linkSteps(OfSteps))
      R.report(std::move(F));
    for (LinkFinding &F : linkPairs(OfPairs))
      R.report(std::move(F));
    for (LinkFinding &F : linkHelpers(OfHelpers, Phases))
      R.report(std::move(F));
  }

private:
  struct Found {
    MpiFunction *M;
    OverlapChance C;
    Confidence Conf;
    std::vector<SourceFrame> Frames;
  };

  using Key = std::pair<clang::FileID, unsigned>;

  // One for each procedure that waits at once and of which the unit shows no work to move.
  static json::Array bareExchanges(ArrayRef<MpiFunction *> Functions, const std::map<Key, Found> &Best,
                                   MpiEffects &Effects, SourceCalls &Sources, Unit &U, Reporter &R) {
    json::Array Out;
    for (MpiFunction *M : Functions) {
      const bool Shown = any_of(Best, [&](const auto &F) { return F.second.M == M; });
      const std::vector<OverlapChance> Bare = Shown ? std::vector<OverlapChance>() : findBareWaits(*M, U, Effects);
      const std::vector<SourceFrame> Frames =
          Bare.empty() ? std::vector<SourceFrame>() : Sources.frames(*Bare.front().Wait->Call);
      if (Frames.empty() || R.silences(Slug, Frames.back().Where))
        continue;
      if (json::Value E = exchangeOf(Bare, *M, Sources, U); E.getAsObject())
        Out.push_back(std::move(E));
    }
    return Out;
  }

  // The same of C and C++: each wait of which the unit shows no work to move.
  static std::vector<std::pair<MpiFunction *, OverlapChance>> bareWaits(ArrayRef<MpiFunction *> Functions,
                                                                        const std::map<Key, Found> &Best,
                                                                        MpiEffects &Effects, SourceCalls &Sources,
                                                                        Unit &U, Reporter &R) {
    std::vector<std::pair<MpiFunction *, OverlapChance>> Out;
    for (MpiFunction *M : Functions)
      for (OverlapChance &C : findBareWaits(*M, U, Effects, /*InLoops=*/true)) {
        const std::vector<SourceFrame> Frames = Sources.frames(*C.Wait->Call);
        const bool Shown = !Frames.empty() && Best.contains(U.sources().getDecomposedLoc(Frames[0].Where));
        if (!Frames.empty() && !Shown && !R.silences(Slug, Frames.front().Where) &&
            none_of(Frames, [&](const SourceFrame &F) { return othersWork(F, U); }))
          Out.emplace_back(M, std::move(C));
      }
    return Out;
  }

  // One thread of a team communicates there, and the others need not wait for it. The replayed code has lost the
  // directives, and shows what they compute behind the wait.
  static bool othersWork(const SourceFrame &F, Unit &U) {
    if (F.Statement)
      return F.Statement->InTeam;
    if (!F.Call || !U.ast().getLangOpts().OpenMP)
      return false;
    const clang::Stmt *Below = nullptr; // the construct of one thread, until its neighbours are known
    clang::DynTypedNode Node = clang::DynTypedNode::create(*F.Call);
    for (auto Parents = U.ast().getParents(Node); !Parents.empty(); Parents = U.ast().getParents(Node)) {
      Node = Parents[0];
      if (const auto *Block = Node.get<clang::CompoundStmt>(); Block && Below) {
        const auto *Next = std::find(Block->body_begin(), Block->body_end(), Below);
        if (Next == Block->body_end() || ++Next == Block->body_end() || !isa<clang::OMPBarrierDirective>(*Next))
          return true;
        Below = nullptr;
      }
      if (const auto *D = Node.get<clang::OMPExecutableDirective>()) {
        OmpConstruct C = classify(*D, U.ast());
        if ((C.OneThread && !C.EndsWithBarrier) || isa<clang::OMPTaskDirective>(D))
          Below = D;
      }
    }
    return Below != nullptr;
  }

  static Confidence confidence(const OverlapChance &C, MpiFunction &M) {
    bool Once = !C.Repeats && M.function().getName() == "main";
    if ((C.K == OverlapChance::Border && !C.Stencil) || C.Rests >= Meeting::Tables || Once)
      return Confidence::Low;
    if (C.Rests == Meeting::Names)
      return Confidence::Medium;
    bool Large =
        C.Depth >= 2 || (std::isfinite(C.Iterations) && C.Iterations >= limits::mpi_no_overlap::LargeIterations);
    return C.K == OverlapChance::Independent && Large ? Confidence::High : Confidence::Medium;
  }

  void report(const Found &X, SourceCalls &Sources, Unit &U, Reporter &R) {
    const clang::SourceManager &SM = U.sources();
    clang::SourceLocation Work = U.loopLocation(X.C.Work);
    if (Work.isInvalid())
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = X.Conf;
    F.Range = X.Frames[0].range();
    F.Function = X.Frames[0].function();
    F.Scope = X.Frames[0].scope();
    std::string Loop = loopVariable(X.C.Work, U);
    std::string Line = "line " + std::to_string(SM.getExpansionLineNumber(Work));
    std::string Name = Loop.empty() ? "the loop at " + Line : "the loop over '" + Loop + "' at " + Line;
    std::string Effect, Remedy;
    if (X.C.K == OverlapChance::Independent) {
      Effect = "although " + Name +
               (X.C.Rests < Meeting::Names    ? " touches none of their data"
                : X.C.Rests == Meeting::Names ? " works on arrays of other names"
                                              : " may work on other data");
      Remedy = variant(Slug, "move_loop");
    } else {
      Effect = "although " + Name +
               (X.C.K == OverlapChance::Interior ? " needs them in its first and last iteration only"
                                                 : " may need them at its border only");
      Remedy = variant(Slug, "split_loop");
    }
    if (X.C.Rests == Meeting::Names)
      Remedy += "; " + variant(Slug, "names_differ");
    else if (X.C.Rests == Meeting::Tables)
      Remedy += ", " + variant(Slug, "tables");
    F.Args = {{"wait", std::string(X.C.Wait->Sig->Name)}, {"effect", Effect}, {"remedy", Remedy}};
    std::set<clang::SourceLocation> Said;
    for (const MpiSite *S : X.C.Starts) {
      std::vector<SourceFrame> Frames = Sources.frames(*S->Call);
      if (!Frames.empty() && Said.size() < 8 && Said.insert(Frames[0].Where).second)
        F.Relateds.push_back({Frames[0].Where, "started here"});
    }
    F.Relateds.push_back({Work, X.C.K == OverlapChance::Independent ? "could run before the wait"
                                                                    : "its interior could run before the wait"});
    for (std::size_t Level = 1; Level < X.Frames.size(); ++Level)
      F.Relateds.push_back({X.Frames[Level].Where, "called from here"});
    Place At = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({At.File, At.Line, F.Function, -1});
    R.report(std::move(F));
  }

  json::Value Steps = nullptr, Pairs = nullptr, Helpers = nullptr;
};

STRIDEWISE_CHECK("mpi-no-overlap", NoOverlap)

} // namespace
} // namespace stridewise
