// R39: a counter or sum that the threads of a team share by mistake.
//
// In each region that starts a team, updates (`x++`, `x += …`, `x = x + …`) of scalars that were declared outside are
// looked up which no clause makes private or reduces and no construct protects: variables, members of shared objects,
// single elements, also in the functions of the unit that the region calls. Every thread runs into them, so that
// they are a race; the counter of a loop that each thread should go through by itself is one, too, and a scratch
// variable that each iteration of a shared loop sets to a value of its own and reads. Silent: atomic types,
// threadprivate and thread_local variables, constructs of one thread or of one at a time, tasks, devices,
// default(private), regions with locks or with calls before and after the update that may be locks, and what runs under
// a condition on the number of a thread or for one iteration only. Under another condition: medium, as sums in elements
// that data choose; elements of a scratch array that all iterations set (both: ScatteredUpdates.h). Known false
// positives: conditions that no two iterations meet, tables that have no element twice.
#include "checks/omp-shared-counter/FortranHanded.h"
#include "checks/omp-shared-counter/FortranRaces.h"
#include "checks/omp-shared-counter/FortranScatters.h"
#include "checks/omp-shared-counter/FortranStatics.h"
#include "checks/omp-shared-counter/HandedScratch.h"
#include "checks/omp-shared-counter/NeighbourUpdates.h"
#include "checks/omp-shared-counter/RegionUpdates.h"
#include "checks/omp-shared-counter/RotatedPointers.h"
#include "checks/omp-shared-counter/ScatteredUpdates.h"
#include "checks/omp-shared-counter/ValueUses.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-shared-counter";

class SharedCounter : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    if (U.isFortran()) {
      fortranRaces(U, R);
      fortranScatters(U, R);
      fortranHandedRaces(U, R);
      statics(U, R);
      return;
    }
    OmpSites Sites(U.ast());
    ArgumentUses Uses(U.ast());
    llvm::SmallPtrSet<const Expr *, 8> Seen;
    for (const OmpSite &Site : Sites.Constructs) {
      const OMPExecutableDirective &D = *Site.directive();
      OmpConstruct C = classify(D, U.ast());
      const Stmt *Body = constructBody(D);
      if (!C.StartsTeam || C.Device || C.Tasks || !Body || D.getBeginLoc().isInvalid() ||
          (isa<OMPLoopDirective>(D) && sharedLoops(D).empty()) || isDefaultPrivate(D))
        continue;
      if (mayHoldLock(Body))
        continue;
      const bool Nested = Sites.runsInTeam(Site);
      const std::vector<HandedScratch> Scratch = findHandedScratch(D, U.ast(), Uses);
      // What functions fill from their arguments is known better than that they keep it.
      for (const HandedScratch &X : Scratch)
        if (X.Keeps && Seen.insert(X.E).second)
          handed(Site, X, Nested, U, R);
      for (const SharedUpdate &X : findSharedUpdates(D, Site.In, U.ast()))
        if (Seen.insert(X.E).second) // a function that several regions call
          report(Site, X, Nested, U, R);
      for (const ScatteredUpdate &X : findScatteredUpdates(D, Site.In, U.ast()))
        if (Seen.insert(X.E).second)
          report(Site, X, Nested, U, R);
      for (const RotatedPointer &X : findRotatedPointers(D, U.ast()))
        if (Seen.insert(X.E).second)
          report(Site, X, Nested, U, R);
      for (const HandedScratch &X : Scratch)
        if (Seen.insert(X.E).second)
          handed(Site, X, Nested, U, R);
    }
    for (const NeighbourUpdate &X : findNeighbourUpdates(U))
      report(X, U, R);
    if (U.ast().getLangOpts().OpenMP)
      Handed.Functions = Uses.all();
  }

  json::Value summarize(Unit &U) override {
    if (U.isFortran())
      return toJson(Statics);
    return Handed.Calls.empty() && Handed.Functions.empty() ? json::Value(nullptr) : toJson(Handed);
  }

  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    linkHanded(Summaries, R);
    std::vector<UnitStatics> Units;
    for (const stored::Value &V : Summaries)
      Units.push_back(unitStaticsFromJson(V));
    std::vector<const UnitStatics *> Program;
    std::set<Key> Said;
    for (const UnitStatics &U : Units) {
      Program.push_back(&U);
      for (const ReachedRace &X : reachedRaces({&U}))
        Said.insert(keyOf(X));
    }
    for (const ReachedRace &X : reachedRaces(Program)) {
      if (X.Race->Silenced || !Said.insert(keyOf(X)).second)
        continue;
      LinkFinding F;
      F.Rule = Slug.str();
      F.Conf = confidenceOf(X);
      F.Where = X.Race->Where;
      F.Function = X.Race->Function;
      F.ScopeBegin = X.Race->Where.Line;
      F.ScopeEnd = X.Race->EndLine;
      F.Args = argsOf(X);
      F.Relateds.push_back({X.Region, RunBy.str()});
      R.report(std::move(F));
    }
  }

private:
  static void linkHanded(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) {
    std::vector<UnitHanded> Units;
    for (const stored::Value &V : Summaries)
      Units.push_back(unitHandedFromJson(V));
    std::set<Key> Said;
    for (const auto &[C, Sure] : handedRaces(Units)) {
      if (C->Silenced || !Said.insert({C->Where.File, {C->Where.Line, C->Variable}}).second)
        continue;
      LinkFinding F;
      F.Rule = Slug.str();
      F.Conf = Sure ? Confidence::High : Confidence::Medium;
      F.Where = C->Where;
      F.Function = C->Function;
      F.ScopeBegin = C->Where.Line;
      F.ScopeEnd = C->Where.EndLine;
      F.Args = handedArgs(C->Variable, "line " + std::to_string(C->Region.Line), C->Remedy);
      F.Relateds.push_back({C->Region, "all threads share it from here on"});
      R.report(std::move(F));
    }
  }

  static ArgMap handedArgs(const std::string &Name, const std::string &Region, llvm::StringRef Remedy) {
    const ArgMap Of = {{"variable", Name}};
    return {{"variable", Name},
            {"region", Region},
            {"does", std::string("set the same")},
            {"harm", std::string("a thread reads what another one has stored")},
            {"remedy", variant(Slug, Remedy, Of)}};
  }

  void handed(const OmpSite &Site, const HandedScratch &X, bool Nested, Unit &U, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    const SourceLocation Opens = D.getBeginLoc();
    if (!X.Use.Sets || (!X.Read && !X.Use.Reads)) {
      Handed.Calls.push_back({placeOf(U.ast(), X.E->getSourceRange()), placeOf(U.ast(), {Opens, Opens}),
                              Unit::functionName(Site.In), X.Name, remedyOf(X), X.Sure && !Nested,
                              X.Read || X.Use.Reads, R.silences(Slug, X.E->getBeginLoc()), X.Use.On});
      return;
    }
    Finding F;
    F.Rule = Slug;
    F.Conf = X.Sure && X.Use.Sure && !Nested ? Confidence::High : Confidence::Medium;
    F.Range = X.E->getSourceRange();
    F.Function = Unit::functionName(X.Keeps ? X.Keeps : Site.In);
    F.Scope = D.getSourceRange();
    F.Relateds.push_back({X.Variable->getLocation(), "declared here"});
    F.Relateds.push_back({Opens, "all threads share it from here on"});
    if (X.Keeps)
      F.Relateds.push_back({X.Call->getBeginLoc(), "called by each thread"});
    F.Args = handedArgs(X.Name, regionAt(Opens, X.E->getBeginLoc(), U.sources()), remedyOf(X));
    R.report(std::move(F));
  }

  // What procedures of Fortran keep from call to call.
  static constexpr llvm::StringLiteral RunBy = "all threads of this region run it";
  using Key = std::pair<std::string, std::pair<unsigned, std::string>>;
  static Key keyOf(const ReachedRace &X) { return {X.Race->Where.File, {X.Race->Where.Line, X.Race->Variable}}; }
  static Confidence confidenceOf(const ReachedRace &X) { return X.Sure ? Confidence::High : Confidence::Medium; }
  static ArgMap argsOf(const ReachedRace &X) {
    const bool Here = X.Region.File == X.Race->Where.File;
    const std::string Line = std::to_string(X.Region.Line);
    const bool Counts = X.Race->K == StaticRace::Counts, Sets = X.Race->K == StaticRace::Sets;
    const ArgMap Of = {{"variable", X.Race->Variable}};
    return {{"variable", X.Race->Variable},
            {"region", Here ? "line " + Line : llvm::sys::path::filename(X.Region.File).str() + ":" + Line},
            {"does", std::string(Counts ? "count with the same"
                                 : Sets ? "set the same"
                                        : "update the same")},
            {"harm", std::string(Counts ? "iterations are skipped and repeated"
                                 : Sets ? "a thread reads what another one has stored"
                                        : "updates get lost")},
            {"remedy", variant(Slug, Counts || Sets ? "kept_fortran" : "returned_fortran", Of)}};
  }

  void statics(Unit &U, Reporter &R) {
    Statics = fortranStatics(U, R);
    const SourceManager &SM = U.sources();
    const auto At = [&](const Place &P) { return SM.translateLineCol(SM.getMainFileID(), P.Line, P.Column); };
    for (const ReachedRace &X : reachedRaces({&Statics})) {
      Finding F;
      F.Rule = Slug;
      F.Conf = confidenceOf(X);
      F.Range = {At(X.Race->Where), At(X.Race->Where)};
      F.Function = X.Race->Function;
      F.Scope = F.Range;
      F.Args = argsOf(X);
      F.Relateds.push_back({At(X.Region), RunBy.str()});
      R.report(std::move(F));
    }
  }
  UnitStatics Statics;
  UnitHanded Handed;

  static bool isDefaultPrivate(const OMPExecutableDirective &D) {
    const auto *Default = D.getSingleClause<OMPDefaultClause>();
    return Default && Default->getDefaultKind() != llvm::omp::OMP_DEFAULT_shared &&
           Default->getDefaultKind() != llvm::omp::OMP_DEFAULT_none;
  }

  // Which of the rule's remedies does what the program means. A clause names variables alone, and what a function of
  // its own updates stays the one object that the program has.
  static const char *remedy(const SharedUpdate &X, const OMPExecutableDirective &D) {
    if (X.Counter || X.Scratch)
      return X.Callee || !X.Place.Steps.empty() ? "own_local" : "own";
    if (X.State)
      return "state";
    if (!X.Extremum.empty())
      return X.Callee ? "combine" : X.Place.Steps.empty() ? "reduce" : "local";
    if (X.Callee)
      return X.Operator == BO_Add || X.Operator == BO_Sub ? "returned" : "combine";
    if (!X.Place.Steps.empty())
      return isReduction(X.Operator) ? "local" : "combine";
    if (!isReduction(X.Operator))
      return "combine";
    return usesValue(constructBody(D), X.Place.Base) ? "slots" : "reduce";
  }

  // Members of this object, whether that is written or not.
  static std::string asWritten(std::string Name) {
    if (llvm::StringRef(Name).starts_with("this->"))
      Name.erase(0, sizeof("this->") - 1);
    return Name;
  }

  static bool isReduction(BinaryOperatorKind K) {
    return K == BO_Add || K == BO_Mul || K == BO_And || K == BO_Or || K == BO_Xor || K == BO_Sub;
  }

  static void report(const OmpSite &Site, const ScatteredUpdate &X, bool Nested, Unit &U, Reporter &R) {
    Finding F;
    F.Rule = Slug;
    F.Conf = X.Scratch && !Nested ? Confidence::High : Confidence::Medium;
    F.Range = X.E->getSourceRange();
    F.Function = Unit::functionName(Site.In);
    F.Scope = X.Share->getSourceRange();
    F.Relateds.push_back({X.Share->getBeginLoc(), "the iterations of this loop go to different threads"});
    const std::string Name = asWritten(X.Array);
    F.Args = {{"variable", Name},
              {"region", "line " + std::to_string(lineOf(X.Share->getBeginLoc(), U.sources()))},
              {"does", std::string(X.Extreme   ? "compare and set the same elements of"
                                   : X.Scratch ? "set the same elements of"
                                   : X.Marks   ? "mark the same elements of"
                                               : "may update the same element of")},
              {"harm", std::string(X.Scratch || X.Marks ? "a thread reads what another one has stored"
                                                        : "updates get lost where two iterations have one element")},
              {"remedy", variant(F.Rule,
                                 X.Extreme   ? "element"
                                 : X.Static  ? "kept_c"
                                 : X.Scratch ? "own_array"
                                 : X.Marks   ? "own_marks"
                                             : "scatter",
                                 {{"variable", Name}})}};
    R.report(std::move(F));
  }

  static void report(const OmpSite &Site, const RotatedPointer &X, bool Nested, Unit &U, Reporter &R) {
    const SourceLocation Opens = Site.directive()->getBeginLoc();
    const std::string Both = X.To->getNameAsString() + "' and '" + X.From->getNameAsString();
    Finding F;
    F.Rule = Slug;
    F.Conf = Nested ? Confidence::Medium : Confidence::High;
    F.Range = X.E->getSourceRange();
    F.Function = Unit::functionName(Site.In);
    F.Scope = Site.directive()->getSourceRange();
    F.Relateds.push_back({X.To->getLocation(), "declared here"});
    F.Relateds.push_back({Opens, "all threads share it from here on"});
    F.Args = {
        {"variable", Both},
        {"region", regionAt(Opens, X.E->getBeginLoc(), U.sources())},
        {"does", std::string("exchange the same")},
        {"harm", std::string("a thread finds them as others have left them, in an even or an odd number of turns")},
        {"remedy",
         variant(F.Rule, "rotate", {{"variable", X.To->getNameAsString() + ", " + X.From->getNameAsString()}})}};
    R.report(std::move(F));
  }

  static void report(const NeighbourUpdate &X, Unit &U, Reporter &R) {
    Finding F;
    F.Rule = Slug;
    // Some methods live with any mixture of old and new values.
    F.Conf = Confidence::Medium;
    F.Range = {X.Where, X.Where};
    F.Function = Unit::functionName(U.functionAt(X.Share->getBeginLoc()));
    F.Scope = X.Share->getSourceRange();
    F.Relateds.push_back({X.Share->getBeginLoc(), "the iterations of this loop go to different threads"});
    F.Args = {{"variable", X.Array},
              {"region", "line " + std::to_string(lineOf(X.Share->getBeginLoc(), U.sources()))},
              {"does", std::string("read elements that the iteration beside theirs sets of")},
              {"harm", "iterations of '" + X.Counter + "' find the old value or the new one, as it happens"},
              {"remedy", variant(F.Rule, "neighbour", {{"variable", X.Array}})}};
    R.report(std::move(F));
  }

  // Its line, with the file where that is another one.
  static std::string regionAt(clang::SourceLocation Region, clang::SourceLocation From,
                              const clang::SourceManager &SM) {
    const std::string Line = std::to_string(lineOf(Region, SM));
    return SM.isWrittenInSameFile(SM.getExpansionLoc(Region), SM.getExpansionLoc(From))
               ? "line " + Line
               : llvm::sys::path::filename(SM.getFilename(SM.getExpansionLoc(Region))).str() + ":" + Line;
  }

  static void report(const OmpSite &Site, const SharedUpdate &X, bool Nested, Unit &U, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    const bool Whole = X.Place.Steps.empty();
    const std::string Name = Whole ? X.Place.Base->getNameAsString() : asWritten(textOf(X.Target, U.ast()));
    Finding F;
    F.Rule = Slug;
    // A region within another one has a team of several threads only where the program asks for that.
    // What a function sets may be the same for all threads. A table may get other functions than its initial ones.
    const auto *Call = dyn_cast_or_null<CallExpr>(X.Call);
    const bool OfTable = Call && !Call->getDirectCallee();
    F.Conf = X.Conditional || X.Kept || OfTable || (X.Scratch && Nested) ? Confidence::Medium : Confidence::High;
    F.Range = X.E->getSourceRange();
    F.Function = Unit::functionName(X.Callee ? X.Callee : Site.In);
    F.Scope = D.getSourceRange();
    if (const ValueDecl *Declared = X.Place.declaration())
      F.Relateds.push_back({Declared->getLocation(), Whole ? "declared here, outside the region" : "declared here"});
    F.Relateds.push_back({D.getBeginLoc(), "all threads share it from here on"});
    if (X.Call)
      F.Relateds.push_back({X.Call->getBeginLoc(), "called by each thread"});
    std::string Sign = !X.Extremum.empty()    ? X.Extremum.str()
                       : X.Operator == BO_Sub ? "+"
                                              : BinaryOperator::getOpcodeStr(X.Operator).str();
    F.Args = {{"variable", Name},
              {"region", regionAt(D.getBeginLoc(), X.E->getBeginLoc(), U.sources())},
              {"does", std::string(X.Counter   ? "count with the same"
                                   : X.Scratch ? "set the same"
                                               : "update the same")},
              {"harm", std::string(X.Counter   ? "iterations are skipped and repeated"
                                   : X.Scratch ? "a thread reads what another one has stored"
                                               : "updates get lost")},
              {"remedy", variant(F.Rule, remedy(X, D), {{"variable", Name}, {"operator", Sign}})}};
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("omp-shared-counter", SharedCounter)

} // namespace
} // namespace stridewise
