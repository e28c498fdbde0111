// R10: a parallel region that a serial loop opens in each iteration for little work.
//
// A region per time step is how most programs work, and costs nothing beside large loops. This rule speaks where the
// work of one opening is known and small (omp/RegionWork), and where the serial loop runs over the same array as the
// shared one, so that each opening gets one row of it: then the work of an opening is one dimension's, and the loop
// outside is the one to share, provided that it is long: its length is known, or is that of a shared loop, of an
// array's extent or of an array of row pointers. Rows that get shorter count too, planes that do not: they are soon
// more work than a region. A border of one row or two, which no bound gives away, is silent by itself: whether loops
// around calls open its regions again and again, the program shows (BorderRepeats). Where a table has the
// number of elements of each opening (fronts of a sweep, levels of a substitution, rows of a graph), it speaks whatever
// an element costs: some are short, and one region around the loop keeps their order at the price of a barrier each.
// Regions too small to pay anywhere are omp-small-loop's.
// A region inside of a loop that a team shares opens a team of one thread in each iteration, unless nesting is asked
// for. Known false positives: rows that are very long; nested teams that the environment asks for.
#include "checks/omp-region-in-loop/CallFacts.h"
#include "checks/omp-region-in-loop/FortranRegionsInLoops.h"
#include "checks/omp-region-in-loop/HaloDepths.h"
#include "checks/omp-region-in-loop/RegionJudgement.h"
#include "omp/OneRegion.h"
#include "omp/SharedLoopFix.h"
#include "thresholds.h"
#include "unit/Check.h"
#include "unit/Counted.h"
#include "unit/OwnDecls.h"
#include "unit/Reporter.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

using region_in_loop::Judged;
using region_in_loop::Slug;

// The variable or member that ends a loop: n in i < n, mesh.rows in i < mesh.rows - 1.
const ValueDecl *boundOf(const Stmt *Loop) {
  const auto *F = dyn_cast_or_null<ForStmt>(Loop);
  const auto *Cond =
      dyn_cast_or_null<BinaryOperator>(F && F->getCond() ? F->getCond()->IgnoreParenImpCasts() : nullptr);
  const Expr *E = Cond && Cond->isRelationalOp() ? Cond->getRHS()->IgnoreParenImpCasts() : nullptr;
  while (const auto *B = dyn_cast_or_null<BinaryOperator>(E)) {
    if (!B->isAdditiveOp() || !isa<IntegerLiteral>(B->getRHS()->IgnoreParenImpCasts()))
      return nullptr;
    E = B->getLHS()->IgnoreParenImpCasts();
  }
  if (const auto *D = dyn_cast_or_null<DeclRefExpr>(E))
    return cast<ValueDecl>(D->getDecl()->getCanonicalDecl());
  const auto *M = dyn_cast_or_null<MemberExpr>(E);
  return M ? M->getMemberDecl() : nullptr;
}

// As many openings as the shared loop has iterations, or half of it, by the variable that ends both; none that doubles
// its step.
bool isOneBound(const Stmt *Serial, const OMPExecutableDirective &D) {
  const auto *For = dyn_cast_or_null<ForStmt>(Serial);
  const Expr *Step = For && For->getInc() ? For->getInc()->IgnoreParenImpCasts() : nullptr;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Step); !Unary || !Unary->isIncrementDecrementOp())
    return false;
  std::vector<const ForStmt *> Shared = sharedLoops(D);
  const ValueDecl *Bound = Shared.size() == 1 ? boundOf(Shared.front()) : nullptr;
  return Bound && boundOf(Serial) == Bound;
}

// What ends the loops that teams share: a loop that the same variable ends is long, too.
llvm::DenseSet<const ValueDecl *> sharedBounds(const OmpSites &Sites) {
  llvm::DenseSet<const ValueDecl *> Bounds;
  for (const OmpSite &Site : counted(Sites.Constructs))
    if (const std::vector<const ForStmt *> For = sharedLoops(*Site.directive()); !For.empty())
      Bounds.insert(boundOf(For.front()));
  Bounds.erase(nullptr);
  return Bounds;
}

// The variables that say how many rows an array of row pointers has: new double *[rows], malloc(rows * sizeof(float
// *)).
class RowCounts : public Visitor<RowCounts> {
public:
  explicit RowCounts(llvm::DenseSet<const ValueDecl *> &Out) : Out(Out) {}
  bool VisitCXXNewExpr(CXXNewExpr *N) override {
    if (auto Size = N->getArraySize(); Size && *Size && N->getAllocatedType()->isPointerType())
      take(*Size);
    return true;
  }
  bool VisitCastExpr(CastExpr *C) override {
    const auto *Call = dyn_cast<CallExpr>(C->getSubExpr()->IgnoreParenCasts());
    if (!Call || !C->getType()->isPointerType() || !C->getType()->getPointeeType()->isPointerType() ||
        !PathResolver::isAllocation(Call))
      return true;
    for (const Expr *A : Call->arguments()) {
      const auto *Product = dyn_cast<BinaryOperator>(A->IgnoreParenImpCasts());
      const bool IsProduct = Product && Product->getOpcode() == BO_Mul;
      for (const Expr *Part : {IsProduct ? Product->getLHS() : A, IsProduct ? Product->getRHS() : A})
        take(Part);
    }
    return true;
  }

private:
  void take(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      Out.insert(cast<ValueDecl>(D->getDecl()->getCanonicalDecl()));
    else if (const auto *M = dyn_cast<MemberExpr>(E))
      Out.insert(M->getMemberDecl());
  }
  llvm::DenseSet<const ValueDecl *> &Out;
};

class RegionInLoop : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran()) {
      Borders = reportFortranRegionsInLoops(U, R);
      return;
    }
    OmpSites Sites(U.ast());
    RegionWork Work(U);
    llvm::DenseSet<const ValueDecl *> Shared = sharedBounds(Sites);
    RowCounts Rows(Shared);
    if (!Sites.Constructs.empty())
      for (Decl *D : ownDecls(U.ast()))
        Rows.TraverseDecl(D);
    llvm::DenseSet<const ValueDecl *> Depths;
    if (U.ast().getLangOpts().OpenMP)
      Borders = callFacts(U.ast());
    if (!Sites.Constructs.empty())
      Depths = haloDepths(U.ast());
    std::vector<const OmpSite *> Rims; // of the regions in Borders
    for (const OmpSite &Site : counted(Sites.Constructs)) {
      OmpConstruct C = classify(*Site.directive(), U.ast());
      if (!C.StartsTeam || sharedParts(*Site.directive()).empty() || C.Device ||
          isGuarded(*Site.directive(), Work, U.ast(), R))
        continue;
      if (const OMPExecutableDirective *Outer = sharedAround(Site, U.ast()))
        nested(Site, *Outer, Sites, R);
      else if (isGivenBody(*Site.In) && called(Site, Sites, Shared, Work, R))
        continue;
      else if (Sites.isRepeated(Site) && !Sites.runsInTeam(Site))
        if (std::optional<BorderRegion> Rim = study(Site, Sites, Shared, Depths, Work, R)) {
          Borders.Regions.push_back(std::move(*Rim));
          Rims.push_back(&Site);
        }
    }
    for (const BorderRepeat &X : borderRepeats({&Borders}))
      if (confidenceOf(X) >= Confidence::Medium)
        reportRim(*Rims[X.Region - Borders.Regions.data()], X, R);
  }

  json::Value summarize(Unit &) override { return toJson(Borders); }

  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::vector<UnitBorders> Units;
    for (const stored::Value &V : Summaries)
      Units.push_back(unitBordersFromJson(V));
    std::vector<const UnitBorders *> Program;
    std::set<std::pair<std::string, unsigned>> Said;
    const auto Key = [](const BorderRepeat &X) { return std::pair(X.Region->Where.File, X.Region->Where.Line); };
    for (const UnitBorders &U : Units) {
      Program.push_back(&U);
      for (const BorderRepeat &X : borderRepeats({&U}))
        if (confidenceOf(X) >= Confidence::Medium)
          Said.insert(Key(X));
    }
    for (const BorderRepeat &X : borderRepeats(Program)) {
      if (X.Region->Silenced || !Said.insert(Key(X)).second)
        continue;
      LinkFinding F;
      F.Rule = Slug.str();
      F.Conf = confidenceOf(X);
      F.Where = X.Region->Where;
      F.Function = X.Region->Function;
      F.ScopeBegin = X.Region->Where.Line;
      F.ScopeEnd = X.Region->EndLine;
      F.Args = argsOf(X);
      F.Relateds.push_back({X.Loop, "the loop that opens it"});
      R.report(std::move(F));
    }
  }

private:
  // Whether an `if` clause keeps the team from being opened for little: one that asks for some iterations only, as
  // `count > 1` does, does not.
  static bool isGuarded(const OMPExecutableDirective &D, RegionWork &Work, ASTContext &Ctx, Reporter &R) {
    return llvm::any_of(D.getClausesOfKind<OMPIfClause>(), [&](const OMPIfClause *If) {
      const auto *Compare = dyn_cast<BinaryOperator>(If->getCondition()->IgnoreParenImpCasts());
      if (!Compare || !Compare->isRelationalOp())
        return true;
      const bool OnTheRight = Compare->getOpcode() == BO_GT || Compare->getOpcode() == BO_GE;
      const Expr *Least = OnTheRight ? Compare->getRHS() : Compare->getLHS();
      Expr::EvalResult Value;
      return Least->isValueDependent() || !Least->EvaluateAsInt(Value, Ctx) ||
             region_in_loop::isGuard(double(Value.Val.getInt().getExtValue()), Work.largest(D), R);
    });
  }

  // The loop around the region, in its function, that a team shares already.
  static const OMPExecutableDirective *sharedAround(const OmpSite &Site, ASTContext &Ctx) {
    for (const Stmt *S : llvm::reverse(Site.Around))
      if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
        const OmpConstruct C = classify(*D, Ctx);
        return C.SharesLoop && !C.Device ? D : nullptr;
      }
    return nullptr;
  }

  // Teams within teams are off unless the program asks for them, and where it does, it says how large they are.
  static void nested(const OmpSite &Site, const OMPExecutableDirective &Outer, const OmpSites &Sites, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    const bool Asked = llvm::any_of(Sites.RuntimeCalls, [](const auto &Each) {
      const IdentifierInfo *Name = Each.first->getIdentifier();
      return Name && (Name->getName() == "omp_set_nested" || Name->getName() == "omp_set_max_active_levels");
    });
    std::vector<const ForStmt *> Loops = sharedLoops(Outer);
    if (Asked || Loops.empty() || D.hasClausesOfKind<OMPNumThreadsClause>() ||
        Outer.hasClausesOfKind<OMPNumThreadsClause>() || Outer.hasClausesOfKind<OMPIfClause>())
      return;
    const SourceManager &SM = Site.In->getASTContext().getSourceManager();
    const std::int64_t Line = lineOf(Loops.front()->getBeginLoc(), SM);
    Finding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = constructBody(D)->getSourceRange();
    F.Args = {{"loop", "line " + std::to_string(Line)},
              {"each", std::string("a part of a us each time")},
              {"work", std::string("what one thread of the team around it does alone, unless nested teams are on")},
              {"remedy", "drop the inner '" + directiveName(D) + "': a team shares the loop at line " +
                             std::to_string(Line) + " already"}};
    F.Relateds.push_back({Loops.front()->getBeginLoc(), "the loop that a team shares"});
    R.report(std::move(F));
  }

  // A region of a loop template: what a call of it does stands where it is called.
  static bool called(const OmpSite &Site, const OmpSites &Sites, const llvm::DenseSet<const ValueDecl *> &Shared,
                     RegionWork &Work, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    if (Sites.runsInTeam(Site))
      return false;
    bool Said = false;
    for (const OmpSite &Call : Sites.callsOf(Site.In)) {
      std::optional<RegionRepeat> Repeat = repeatOf(D, Call, R.threshold(Slug, "min_openings"), Work);
      std::optional<Judged> J =
          Repeat ? region_in_loop::judge(*Repeat,
                                         Repeat->Length == RegionRepeat::Long || Shared.contains(boundOf(Repeat->Loop)),
                                         false, R)
                 : std::nullopt;
      if (!J)
        continue;
      const std::int64_t Line = lineOf(Repeat->Loop->getBeginLoc(), Site.In->getASTContext().getSourceManager());
      Finding F;
      F.Rule = Slug;
      F.Conf = std::min(J->Conf, Confidence::Medium);
      F.Range = {Call.S->getBeginLoc(), Call.S->getBeginLoc()};
      F.Function = Unit::functionName(Call.In);
      F.Scope = Call.S->getSourceRange();
      F.Args = {{"loop", "line " + std::to_string(Line)},
                {"each", std::string("1 to 37 us each time")},
                {"work", J->Work},
                {"remedy", variant(Slug, "call_once", {{"line", Line}, {"helper", Site.In->getNameAsString()}})}};
      F.Relateds.push_back({Repeat->Loop->getBeginLoc(), "the loop that opens it"});
      F.Relateds.push_back({D.getBeginLoc(), "here"});
      R.report(std::move(F));
      Said = true;
    }
    return Said;
  }

  // Gives the region where the whole program has to say whether it is opened often.
  static std::optional<BorderRegion> study(const OmpSite &Site, const OmpSites &Sites,
                                           const llvm::DenseSet<const ValueDecl *> &Shared,
                                           const llvm::DenseSet<const ValueDecl *> &Depths, RegionWork &Work,
                                           Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    std::optional<RegionRepeat> Repeat = repeatOf(D, R.threshold(Slug, "min_openings"), Work);
    const bool Long = Repeat && (Repeat->Length == RegionRepeat::Long || Shared.contains(boundOf(Repeat->Loop)));
    if (std::optional<Judged> J =
            Repeat ? region_in_loop::judge(*Repeat, Long, isOneBound(Repeat->Loop, D), R) : std::nullopt)
      reportOpened(Site, *Repeat, *J, Work.unit(), R);
    else if (!few(Site, Sites, Work, R) && Repeat && Depths.contains(boundOf(Repeat->Loop)))
      return rim(Site, *Repeat, Work.unit(), R);
    return std::nullopt;
  }

  // A loop over the few parts of the data, which runs again and again and holds nothing but the region.
  static bool few(const OmpSite &Site, const OmpSites &Sites, RegionWork &Work, Reporter &R) {
    const auto Serial = llvm::find_if(llvm::reverse(Site.Around), isLoop);
    if (Serial == Site.Around.rend() || !holdsNothingElse(*Serial, *Site.S) ||
        (std::none_of(std::next(Serial), Site.Around.rend(), isLoop) &&
         llvm::none_of(Sites.callsOf(Site.In), [&](const OmpSite &Call) { return Sites.isRepeated(Call); })))
      return false;
    const std::optional<RegionRepeat> Repeat =
        repeatOf(*Site.directive(), limits::omp_region_in_loop::FewestParts, Work);
    const std::optional<Judged> J =
        Repeat && Repeat->Loop == *Serial ? region_in_loop::judgeFew(*Repeat, R) : std::nullopt;
    if (J)
      reportOpened(Site, *Repeat, *J, Work.unit(), R);
    return J.has_value();
  }

  // Beside declarations.
  static bool holdsNothingElse(const Stmt *Loop, const Stmt &Region) {
    const auto *For = dyn_cast<ForStmt>(Loop);
    const auto *Block = For ? dyn_cast<CompoundStmt>(For->getBody()) : nullptr;
    return For && (For->getBody() == &Region || (Block && llvm::all_of(Block->body(), [&](const Stmt *S) {
                                                   return S == &Region || isa<DeclStmt, NullStmt>(S);
                                                 })));
  }

  static void reportOpened(const OmpSite &Site, const RegionRepeat &Repeat, const Judged &J, Unit &U, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    const std::int64_t Line = lineOf(Repeat.Loop->getBeginLoc(), U.sources());
    Finding F;
    F.Rule = Slug;
    F.Conf = J.Conf;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = constructBody(D)->getSourceRange();
    F.Args = {{"loop", "line " + std::to_string(Line)},
              {"each", std::string("1 to 37 us each time")},
              {"work", J.Work},
              {"remedy", remedy(Repeat, Line, J.Few)}};
    F.Relateds.push_back({Repeat.Loop->getBeginLoc(), "the loop that opens it"});
    if (std::optional<Fix> X = fix(D, Repeat, J.Few, Site.In, U))
      F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }

  // Each opening gets one row of the data, and there are as many as a halo is deep.
  static std::optional<BorderRegion> rim(const OmpSite &Site, const RegionRepeat &Repeat, Unit &U, Reporter &R) {
    if (!Repeat.Spatial || Repeat.Length != RegionRepeat::Unknown || Repeat.Reads || Repeat.Sums ||
        Repeat.Work.UnknownCalls || Repeat.Work.UnknownDepth || Repeat.Work.Cycles >= R.threshold(Slug, "cheap_cycles"))
      return std::nullopt;
    const OMPExecutableDirective &D = *Site.directive();
    BorderRegion B;
    B.Where = placeOf(U.ast(), D.getBeginLoc());
    B.EndLine = unsigned(lineOf(D.getEndLoc(), U.sources()));
    B.Function = Unit::functionName(Site.In);
    B.Procedure = callName(Site.In, U.ast());
    B.Work = "one row of a border";
    B.Remedy = remedy(Repeat, lineOf(Repeat.Loop->getBeginLoc(), U.sources()), /*Few=*/true); // rows of the border
    B.Arrays = 1;
    B.Loops = unsigned(llvm::count_if(Site.Around, isLoop));
    B.Loop = placeOf(U.ast(), Repeat.Loop->getBeginLoc());
    B.Silenced = R.silences(Slug, D.getBeginLoc());
    return B;
  }

  static void reportRim(const OmpSite &Site, const BorderRepeat &X, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    const SourceManager &SM = Site.In->getASTContext().getSourceManager();
    Finding F;
    F.Rule = Slug;
    F.Conf = confidenceOf(X);
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = constructBody(D)->getSourceRange();
    F.Args = argsOf(X);
    for (const Stmt *S : llvm::reverse(Site.Around))
      if (isLoop(S) && lineOf(S->getBeginLoc(), SM) == X.Loop.Line) {
        F.Relateds.push_back({S->getBeginLoc(), "the loop that opens it"});
        break;
      }
    R.report(std::move(F));
  }

  static std::string remedy(const RegionRepeat &Repeat, std::int64_t Line, bool Few = false) {
    const std::string Once = variant(Slug, "open_once", {{"line", Line}});
    return Repeat.Spatial && !Repeat.Reads && !Few ? variant(Slug, "share_outer", {{"line", Line}, {"otherwise", Once}})
                                                   : Once;
  }

  // As the advice says: the outer loop is shared, where its iterations are shown to be apart, or one region is opened
  // around it.
  static std::optional<Fix> fix(const OMPExecutableDirective &D, const RegionRepeat &Repeat, bool Few,
                                const FunctionDecl *In, Unit &U) {
    if (Repeat.Spatial && !Repeat.Reads && !Few)
      return llvm::all_of(D.clauses(), [](const OMPClause *C) { return C->isImplicit() || isa<OMPScheduleClause>(C); })
                 ? shareLoop(Repeat.Loop->getBeginLoc(), U, &D)
                 : std::nullopt;
    return hoistRegion(Repeat.Loop, In, U.ast());
  }

  UnitBorders Borders;
};

STRIDEWISE_CHECK("omp-region-in-loop", RegionInLoop)

} // namespace
} // namespace stridewise
