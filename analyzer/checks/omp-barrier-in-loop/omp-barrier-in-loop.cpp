// R12: a team barrier in a loop that separates nothing, or that a nest of loops repeats for a row of work each time.
//
// Core/TeamSync compares the data that the code on both sides of the barrier touches, around the loop's back edge and
// through calls whose bodies the unit has. Any code that the unit does not show, any use of the clock, of atomics or of
// volatile data on either side keeps the barrier.
// An explicit barrier beside another one, with nothing or reads only in between, needs no loop: whoever runs the region
// again and again pays for both. So does whoever opens a region that holds a written barrier for nothing.
// Where no two rounds of a serial loop touch the same data (TeamRounds), nobody has to wait between them, either.
// A shared loop inside two serial loops of the team, over the data as they are, makes the team meet once per row of it:
// there the outer loop is the one to share.
// Known false positives: distinct pointers that overlap (said in the advice, confidence medium); barriers that only
// keep threads in step, to share a cache for instance.
#include "checks/omp-barrier-in-loop/FortranBarriers.h"
#include "checks/omp-barrier-in-loop/TeamRounds.h"
#include "checks/omp-barrier-in-loop/TeamSync.h"
#include "fortran/Constructs.h"
#include "fortran/DirectiveLines.h"
#include "fortran/FortranLoops.h"
#include "loops/AddressDistance.h"
#include "loops/CallHeat.h"
#include "loops/TileLoops.h"
#include "omp/DirectiveEdits.h"
#include "omp/FortranRegions.h"
#include "omp/RegionRepeats.h"
#include "unit/Check.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-barrier-in-loop";

// Barriers that are statements of a block; under a label, a statement would have to take their place.
class BlockBarriers {
public:
  bool contains(const BarrierVerdict &V) {
    const Stmt *In = V.Loop ? V.Loop : V.Function->getBody();
    if (Searched.insert(In).second)
      search(In);
    return Found.contains(V.Barrier);
  }

private:
  void search(const Stmt *S) {
    if (!S)
      return;
    if (const auto *C = dyn_cast<CompoundStmt>(S))
      for (const Stmt *Child : C->body())
        if (isa<OMPExecutableDirective>(Child))
          Found.insert(Child);
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
      return search(constructBody(*D));
    for (const Stmt *Child : S->children())
      search(Child);
  }

  llvm::DenseSet<const Stmt *> Searched, Found;
};

// Many barriers share a loop or a function: what is known of these is asked once.
class Known {
public:
  explicit Known(const ASTContext &Ctx) : Ctx(Ctx) {}

  bool isTile(const Stmt *Loop) {
    auto [It, New] = Tiles.try_emplace(Loop);
    if (New)
      It->second = isTileLoop(Loop);
    return It->second;
  }

  void doubtOthers(Fix &X, const FunctionDecl *F) {
    auto [It, New] = Doubts.try_emplace(F);
    if (New) {
      It->second.Safety = FixSafety::Safe;
      doubtOtherCode(It->second, F, Ctx);
    }
    if (It->second.Safety == FixSafety::Unsafe)
      doubt(X, It->second.Why);
  }

private:
  const ASTContext &Ctx;
  llvm::DenseMap<const Stmt *, bool> Tiles;
  llvm::DenseMap<const FunctionDecl *, Fix> Doubts;
};

Fix remedy(const BarrierVerdict &V, Edit E, Known &Facts) {
  Fix X = safeFix(V.Explicit ? "delete the barrier" : "add nowait", {std::move(E)},
                  V.Adjacent ? "another barrier stands beside it, with nothing in between"
                             : "no two threads touch the same data on its two sides");
  if (V.ThroughPointers)
    doubt(X, "data behind pointers may overlap where a program breaks the rules of types and of 'restrict'");
  Facts.doubtOthers(X, V.Function);
  return X;
}

class BarrierInLoop : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran())
      return runFortran(U, R);
    BlockBarriers Blocks;
    Known Facts(U.ast());
    OmpSites Sites(U.ast());
    llvm::DenseMap<const Stmt *, const OmpSite *> SiteOf;
    for (const OmpSite &Site : Sites.Constructs)
      SiteOf.try_emplace(Site.S, &Site);
    CallHeat Heats(U.ast());
    llvm::DenseSet<const OMPExecutableDirective *> Said;
    const std::vector<BarrierVerdict> Needless = needlessBarriers(U.ast());
    for (const BarrierVerdict &V : Needless)
      Said.insert(V.Barrier);
    RegionWork Work(U);
    const std::vector<TeamRounds> Rounds = studyLoops(Sites, Said, Work, Facts, U, R);
    for (const BarrierVerdict &V : Needless) {
      // A block of work lies between two barriers of a tile loop, beside which they cost nothing.
      if (!V.Adjacent && V.Loop && Facts.isTile(V.Loop))
        continue;
      // Without a loop of the team around it, it counts where the region runs often, as far as one sees.
      const OmpSite *Site = V.Loop ? nullptr : SiteOf.lookup(V.Barrier);
      // Of two barriers behind each other, the one that each round of a loop meets goes.
      if (Site && llvm::any_of(Rounds, [&](const TeamRounds &X) { return standsBehind(*Site, X); }))
        continue;
      const bool Repeated = Site && Sites.isRepeated(*Site);
      const bool Hot = V.Loop || Repeated || Heats.of(V.Function) == Heat::Hot;
      const bool Beside = V.Adjacent || V.Beside;
      if (!V.Loop && !countsBeside(V, Site, Hot, Heats, Sites, U))
        continue;
      const bool Sure = !V.AssumesDistinct && !V.NeedsStatic && Hot && (V.Loop || Beside);
      // The end of a loop that each run of the region meets costs something where the region runs often.
      const bool Rare = !V.Loop && !V.Explicit && !Hot;
      report(V, Rare ? Confidence::Low : Sure ? Confidence::High : Confidence::Medium, Beside, Blocks, Facts, U, R);
    }
  }

private:
  // Of a barrier outside of loops: somebody wrote it where nothing is to be ordered, or each run of the region ends a
  // loop by it.
  bool countsBeside(const BarrierVerdict &V, const OmpSite *Site, bool Hot, CallHeat &Heats, const OmpSites &Sites,
                    Unit &U) {
    return (Hot || Heats.of(V.Function) != Heat::Cold) && (V.Explicit || (Site && sharesBehind(*Site, Sites, U)));
  }

  // Whether the region goes on to a further loop of the team.
  static bool sharesBehind(const OmpSite &Site, const OmpSites &Sites, Unit &U) {
    const OMPExecutableDirective *Region = OmpSites::region(Site, U.ast());
    return llvm::any_of(Sites.Constructs, [&](const OmpSite &Other) {
      return Other.directive() && classify(*Other.directive(), U.ast()).SharesLoop &&
             OmpSites::region(Other, U.ast()) == Region &&
             U.sources().isBeforeInTranslationUnit(Site.S->getEndLoc(), Other.S->getBeginLoc());
    });
  }
  // The shared loops in serial ones whose barriers order something; those of them whose rounds are apart.
  static std::vector<TeamRounds> studyLoops(const OmpSites &Sites,
                                            const llvm::DenseSet<const OMPExecutableDirective *> &Needless,
                                            RegionWork &Work, Known &Facts, Unit &U, Reporter &R) {
    std::vector<TeamRounds> Rounds;
    for (const OmpSite &Site : Sites.Constructs) {
      if (Needless.contains(Site.directive()) || studyRows(Site, Work, Facts, U, R))
        continue;
      if (std::optional<TeamRounds> X = roundsApart(Site, R.threshold(Slug, "min_visits"), Work, U)) {
        reportRounds(Site, *X, U, R);
        Rounds.push_back(*X);
      }
    }
    return Rounds;
  }

  static void runFortran(Unit &U, Reporter &R) {
    const std::vector<FortranBarrier> Found = fortranBarriers(U);
    if (Found.empty())
      return;
    FortranRegions Regions(U);
    for (const FortranBarrier &B : Found)
      if (B.Loop || !Regions.isInMain(*B.Region) || Regions.isRepeated(*B.Region))
        reportFortran(B, Regions, U, R);
  }

  static std::string fortranRemedy(const FortranBarrier &B) {
    std::vector<const FortranConstruct *> Ends, Barriers;
    (B.Barrier->isBarrier() ? Barriers : Ends).push_back(B.Barrier);
    for (const FortranConstruct *C : B.Others)
      (C->isBarrier() ? Barriers : Ends).push_back(C);
    std::string Text;
    if (Ends.size() == 1)
      Text = variant(Slug, "fortran_nowait",
                     {{"construct", Ends.front()->Name}, {"line", static_cast<std::int64_t>(Ends.front()->Line)}});
    else if (!Ends.empty())
      Text = variant(Slug, "fortran_nowaits", {{"lines", lines(Ends)}});
    if (Barriers.size() > 1)
      Text += (Text.empty() ? "" : ", ") + variant(Slug, "delete_all", {{"lines", lines(Barriers)}});
    else if (!Barriers.empty())
      Text += Text.empty() ? variant(Slug, "delete") : ", " + variant(Slug, "delete_all", {{"lines", lines(Barriers)}});
    return B.NeedsStatic ? variant(Slug, "static_schedule", {{"then", Text}}) : Text;
  }

  static std::string lines(llvm::ArrayRef<const FortranConstruct *> Of) {
    std::string Text = Of.size() == 1 ? "line " : "lines ";
    for (std::size_t I = 0; I < Of.size(); ++I)
      Text += (I == 0 ? "" : I + 1 == Of.size() ? " and " : ", ") + std::to_string(Of[I]->Line);
    return Text;
  }

  // That nobody else writes to what one side reads rests on the names of the variables, unless there is nothing in
  // between.
  static void reportFortran(const FortranBarrier &B, const FortranRegions &Regions, Unit &U, Reporter &R) {
    const FortranConstruct &C = *B.Barrier;
    const FortranStatement *Loop = B.Loop ? &Regions.statements()[*B.Loop] : nullptr;
    Finding F;
    F.Rule = Slug;
    F.Conf = B.Adjacent ? Confidence::High : Confidence::Medium;
    F.Range = {Regions.place(C), Regions.place(C)};
    F.Function = Regions.procedureName(*B.Region);
    F.Scope = Loop ? rangeOf(*Loop, U) : Regions.scope(*B.Region);
    const std::int64_t Many = static_cast<std::int64_t>(B.Others.size());
    F.Args = {{"kind", std::string(C.isBarrier() ? "explicit" : "implicit")},
              {"when", Loop         ? repeated(Loop->Line)
                       : B.Adjacent ? "stands beside another one"
                       : Many == 0  ? "is met each time that the region is opened"
                                    : "is met each time that the region is opened, as " + std::to_string(Many) +
                                         (Many == 1 ? " other one is" : " others are")},
              {"waste", std::string("and nothing on either side needs it")},
              {"remedy", fortranRemedy(B)}};
    if (Loop) {
      F.Args["loop_line"] = static_cast<std::int64_t>(Loop->Line);
      F.Relateds.push_back({headerOf(*Loop, U).getBegin(), "the loop that repeats it"});
    }
    if (C.EndLine > C.Line)
      F.Relateds.push_back({Regions.scope(C).getEnd(), "where the team meets"});
    for (const FortranConstruct *Other : B.Others)
      F.Relateds.push_back({Regions.place(*Other), "another one"});
    if (std::optional<Fix> X = fortranFix(B, U))
      F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }

  static std::optional<Fix> fortranFix(const FortranBarrier &B, Unit &U) {
    if (!B.Adjacent || B.NeedsStatic || !B.Others.empty())
      return std::nullopt;
    std::vector<Edit> Edits;
    if (B.Barrier->isBarrier())
      Edits = removeFortranDirective(*B.Barrier, U).value_or(std::vector<Edit>());
    else if (std::optional<Edit> E = addFortranEndClause(*B.Barrier, "nowait", U))
      Edits.push_back(std::move(*E));
    if (Edits.empty())
      return std::nullopt;
    return safeFix(B.Barrier->isBarrier() ? "delete the barrier" : "add nowait", std::move(Edits),
                   "another barrier stands beside it, with nothing in between");
  }

  static std::string deletion(const BarrierVerdict &V, std::int64_t Line) {
    std::string Construct = llvm::omp::getOpenMPDirectiveName(V.Barrier->getDirectiveKind()).str();
    std::string Text =
        V.Explicit ? variant(Slug, "delete") : variant(Slug, "nowait", {{"construct", Construct}, {"line", Line}});
    if (V.NeedsStatic)
      Text = variant(Slug, "static_schedule", {{"then", Text}});
    if (V.AssumesDistinct)
      Text += ", " + variant(Slug, "distinct_pointers");
    return Text;
  }

  void report(const BarrierVerdict &V, Confidence Conf, bool Beside, BlockBarriers &Blocks, Known &Facts, Unit &U,
              Reporter &R) {
    const SourceManager &SM = U.sources();
    auto Line = [&](SourceLocation L) { return static_cast<std::int64_t>(SM.getSpellingLineNumber(SM.getFileLoc(L))); };
    Finding F;
    F.Rule = Slug;
    F.Conf = Conf;
    F.Range = {V.Barrier->getBeginLoc(), V.Explicit ? V.Barrier->getEndLoc() : V.Barrier->getBeginLoc()};
    F.Function = Unit::functionName(V.Function);
    F.Scope = V.Loop ? V.Loop->getSourceRange() : V.Barrier->getSourceRange();
    F.Args = {{"kind", std::string(V.Explicit ? "explicit" : "implicit")},
              {"when", V.Loop   ? repeated(Line(V.Loop->getBeginLoc()))
                       : Beside ? "stands beside another one"
                                : "is met each time that the region is opened"},
              {"waste", std::string("and nothing on either side needs it")},
              {"remedy", deletion(V, Line(V.Barrier->getBeginLoc()))}};
    if (V.Loop) {
      F.Args["loop_line"] = Line(V.Loop->getBeginLoc());
      F.Relateds.push_back({V.Loop->getBeginLoc(), "the loop that repeats it"});
    }
    // How often the function runs is no part of the proof.
    if (!V.AssumesDistinct && !V.NeedsStatic)
      if (std::optional<Edit> E = !V.Explicit          ? addClause(*V.Barrier, "nowait", U.ast())
                                  : Blocks.contains(V) ? removeDirective(*V.Barrier, U.ast())
                                                       : std::nullopt)
        F.Fixes.push_back(remedy(V, std::move(*E), Facts));
    R.report(std::move(F));
  }

  static std::string repeated(std::int64_t Line) {
    return "runs in every iteration of the loop at line " + std::to_string(Line);
  }

  // Whether the rounds of the serial loops leave each other's elements alone in every copy of the loop, so that the
  // team could share them: a front that runs through the data could not. Arrays that they all fill anew do not count.
  static bool apart(const OMPExecutableDirective &D, std::size_t Serial, RegionWork &Work, Unit &U) {
    bool Any = false;
    for (const RegionWork::Copy &C : Work.copies(constructBody(D), &D)) {
      const std::vector<LoopNest> &Nests = loopNests(*C.F, U.analyses());
      const auto Nest = llvm::find_if(Nests, [&](const LoopNest &N) { return N.inner() == C.L; });
      if (Nest == Nests.end() || Nest->Loops.size() <= Serial)
        return false;
      StrideEngine &Engine = StrideEngine::get(*C.F, U.analyses());
      const llvm::ArrayRef<const llvm::Loop *> Loops(Nest->Loops.data(), Serial + 1);
      const std::vector<Reference> &All = Nest->References;
      for (std::size_t X = 0; X < All.size(); ++X)
        for (std::size_t Y = X; Y < All.size(); ++Y) {
          if ((!All[X].Writes && !All[Y].Writes) || All[X].Local || All[Y].Local)
            continue;
          const AddressDistance Distance = addressDistance(All[X], All[Y], Loops, Engine);
          if (Distance.K == AddressDistance::Unclear)
            return false;
          if (Distance.K == AddressDistance::Known)
            for (std::size_t Level = 1; Level < Loops.size(); ++Level)
              if (Distance.PerLevel[Level].value_or(0) != 0)
                return false;
        }
      Any = true;
    }
    return Any;
  }

  static void reportRounds(const OmpSite &Site, const TeamRounds &Rounds, Unit &U, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    const std::int64_t Line = lineOf(Rounds.Loop->getBeginLoc(), U.sources());
    Finding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = Rounds.Loop->getSourceRange();
    F.Args = {{"kind", std::string("implicit")},
              {"when", repeated(Line)},
              {"waste", std::string("though no two rounds touch the same data")},
              {"remedy", variant(Slug, "nowait",
                                 {{"construct", llvm::omp::getOpenMPDirectiveName(D.getDirectiveKind()).str()},
                                  {"line", lineOf(D.getBeginLoc(), U.sources())}}) +
                             (Rounds.Followed ? "" : ", " + variant(Slug, "one_behind", {{"line", Line}})) + ", " +
                             variant(Slug, "distinct_pointers")}};
    F.Args["loop_line"] = Line;
    F.Relateds.push_back({Rounds.Loop->getBeginLoc(), "the loop that repeats it"});
    R.report(std::move(F));
  }

  // A shared loop over one row of the data inside serial loops over the others.
  static bool studyRows(const OmpSite &Site, RegionWork &Work, Known &Facts, Unit &U, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    OmpConstruct C = classify(D, U.ast());
    if (!C.SharesLoop || C.StartsTeam || C.Device || !C.EndsWithBarrier || D.hasClausesOfKind<OMPNowaitClause>())
      return false;
    llvm::SmallVector<const ForStmt *, 4> Serial; // of the team, innermost first
    for (const Stmt *S : llvm::reverse(Site.Around)) {
      if (isa<OMPExecutableDirective>(S))
        break;
      if (isLoop(S)) {
        const auto *For = dyn_cast<ForStmt>(S);
        if (!For || Facts.isTile(For))
          return false;
        Serial.push_back(For);
      }
    }
    if (Serial.size() < 2)
      return false;
    std::optional<RegionRepeat> Repeat = repeatOf(D, R.threshold(Slug, "min_visits"), Work);
    if (!Repeat || !Repeat->Spatial || Repeat->Work.UnknownCalls || Repeat->Work.UnknownDepth > 0 ||
        Repeat->Work.Cycles * std::max(1.0, Repeat->Work.Trips) / CyclesPerMicrosecond >
            R.threshold(Slug, "max_row_us"))
      return false;
    if (!apart(D, Serial.size(), Work, U))
      return false;
    const SourceManager &SM = U.sources();
    Finding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = Serial.front()->getSourceRange();
    F.Args = {{"kind", std::string("implicit")},
              {"when", repeated(lineOf(Serial.front()->getBeginLoc(), SM))},
              {"waste", std::string("for one row of the data each time")},
              {"remedy", "share the loop at line " + std::to_string(lineOf(Serial.back()->getBeginLoc(), SM)) +
                             " instead, when its iterations are independent; what each of them fills anew (rows of "
                             "intermediate values) is then private to a thread"}};
    F.Args["loop_line"] = lineOf(Serial.front()->getBeginLoc(), SM);
    F.Relateds.push_back({Serial.back()->getBeginLoc(), "the loop to share"});
    R.report(std::move(F));
    return true;
  }
};

STRIDEWISE_CHECK("omp-barrier-in-loop", BarrierInLoop)

} // namespace
} // namespace stridewise
