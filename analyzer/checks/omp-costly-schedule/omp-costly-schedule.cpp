// R15: dynamic or guided scheduling in small chunks of a loop whose iterations all cost the same.
//
// The cost of an iteration comes from omp/RegionWork. Inner loops whose length depends on the iteration or on data,
// heavy work behind a condition and calls of unknown code make iterations uneven, which is what these schedules are
// for. Rows of a table's length alone are no reason to fetch them one by one: the advice is to take more at a time. A
// region in which threads come late to the loop (single, master, tasks, nowait before it) is a good reason too.
// Known false positives: machines whose cores differ in speed.
#include "checks/omp-costly-schedule/FortranSchedules.h"
#include "checks/omp-costly-schedule/ScheduleJudgement.h"
#include "omp/DirectiveEdits.h"
#include "omp/OmpSites.h"
#include "omp/RegionWork.h"
#include "unit/Check.h"
#include "unit/Counted.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

using namespace costly_schedule;

class CostlySchedule : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran())
      return reportFortranSchedules(U, R);
    OmpSites Sites(U.ast());
    RegionWork Work(U);
    for (const OmpSite &Site : counted(Sites.Constructs))
      for (const Stmt *S : Site.Around)
        if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
          Inside[D].push_back(&Site);
    for (const OmpSite &Site : Sites.Constructs)
      if (const auto *S = Site.directive()->getSingleClause<OMPScheduleClause>())
        study(Site, *S, Work, R);
  }

private:
  // The iterations of a chunk, one where the clause does not say; nothing where that is no constant.
  static std::optional<double> chunkOf(const OMPScheduleClause &S, const ASTContext &Ctx) {
    const Expr *E = S.getChunkSize();
    if (!E)
      return 1;
    Expr::EvalResult Value;
    if (E->isValueDependent() || !E->EvaluateAsInt(Value, Ctx))
      return std::nullopt;
    return std::max<double>(1, Value.Val.getInt().getLimitedValue());
  }
  void study(const OmpSite &Site, const OMPScheduleClause &S, RegionWork &Work, Reporter &R) {
    ASTContext &Ctx = Work.unit().ast();
    const OMPExecutableDirective &D = *Site.directive();
    bool Guided = S.getScheduleKind() == OMPC_SCHEDULE_guided;
    if ((!Guided && S.getScheduleKind() != OMPC_SCHEDULE_dynamic) || D.hasClausesOfKind<OMPOrderedClause>() ||
        !classify(D, Ctx).SharesLoop || classify(D, Ctx).Device)
      return;
    const std::optional<double> Size = chunkOf(S, Ctx);
    if (!Size)
      return;
    const std::optional<LoopWork> W = Work.largest(D);
    const std::optional<Judged> J = W ? judge(*W, Guided, *Size, R) : std::nullopt;
    if (!J || threadsComeLate(Site, Ctx))
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = J->Conf;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    const Stmt *Loop = constructBody(D);
    F.Scope = Loop->getSourceRange();
    F.Args = {{"schedule", J->Schedule},
              {"work", J->Work},
              {"though", J->Though},
              {"remedy", J->Remedy},
              {"line", lineOf(Loop->getBeginLoc(), Ctx.getSourceManager())}};
    if (std::optional<Edit> E = J->Alike ? replaceClause(S, "schedule(static)", Ctx) : std::nullopt)
      F.Fixes.push_back(staticSchedule(D, Site, std::move(*E), Ctx));
    R.report(std::move(F));
  }

  // The standard leaves it open which thread runs an iteration under a dynamic schedule, so that no program may rest on
  // it. What it may rest on: an order of rounding that one thread keeps, and threads that wait for one another.
  static Fix staticSchedule(const OMPExecutableDirective &D, const OmpSite &Site, Edit E, ASTContext &Ctx) {
    constexpr llvm::StringLiteral Name = "share the iterations once";
    Fix X = safeFix(Name.str(), {std::move(E)},
                    "the iterations are the same; which thread runs one is open under the present schedule, too");
    for (const auto *R : D.getClausesOfKind<OMPReductionClause>())
      for (const Expr *V : R->varlists())
        if (!V->getType()->isIntegralOrEnumerationType())
          doubt(X, "a reduction is rounded in another order");
    if (talksBetweenThreads(constructBody(D), Ctx))
      doubt(X, "threads talk to one another within the loop; they may wait for an iteration that comes later now");
    doubtOtherCode(X, Site.In, Ctx);
    return X;
  }

  // Through atomics, locks and volatile data, or through code that was not seen.
  static bool talksBetweenThreads(const Stmt *S, const ASTContext &Ctx) {
    if (!S)
      return false;
    if (isa<OMPExecutableDirective, AtomicExpr, CXXConstructExpr, AsmStmt>(S))
      return !isa<OMPSimdDirective>(S);
    if (const auto *C = dyn_cast<CallExpr>(S); C && effectOf(C->getDirectCallee(), Ctx) == CallEffect::Unknown)
      return true;
    if (const auto *E = dyn_cast<Expr>(S); E && (E->getType().isVolatileQualified() || E->getType()->isAtomicType()))
      return true;
    return llvm::any_of(S->children(), [&](const Stmt *X) { return talksBetweenThreads(X, Ctx); });
  }

  // Threads that were busy elsewhere find less left to do; static scheduling would wait for them. What counts is the
  // code since the barrier before the loop; a loop around may bring it from below, so the region is read twice.
  bool threadsComeLate(const OmpSite &Site, const ASTContext &Ctx) {
    const OMPExecutableDirective *Region = OmpSites::region(Site, Ctx);
    if (!Region || Region == Site.S)
      return false;
    bool Late = false;
    for (unsigned Round = 0; Round < 2; ++Round)
      for (const OmpSite *Each : Inside[Region]) {
        const OmpSite &Other = *Each;
        if (!Meter::spend() || (Each == &Site && Late))
          return true;
        OmpConstruct C = classify(*Other.directive(), Ctx);
        if (C.Tasks)
          return true;
        if (C.SameThread || Other.directive()->hasClausesOfKind<OMPNowaitClause>())
          Late = true;
        else if ((C.EndsWithBarrier || isa<OMPBarrierDirective>(Other.S)) && alwaysMet(Other, Site))
          Late = false;
      }
    return false;
  }
  // No branch stands around the barrier alone.
  static bool alwaysMet(const OmpSite &Barrier, const OmpSite &Site) {
    return llvm::all_of(Barrier.Around, [&](const Stmt *S) {
      return !isa<IfStmt, SwitchStmt, ConditionalOperator>(S) || llvm::is_contained(Site.Around, S);
    });
  }

  llvm::DenseMap<const OMPExecutableDirective *, std::vector<const OmpSite *>> Inside; // in source order
};

STRIDEWISE_CHECK("omp-costly-schedule", CostlySchedule)

} // namespace
} // namespace stridewise
