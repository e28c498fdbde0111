// R15: dynamic or guided scheduling in small chunks of a loop whose iterations all cost the same.
//
// The cost of an iteration comes from core/RegionWork. Inner loops whose length depends on the iteration or on data,
// heavy work behind a condition and calls of unknown code make iterations uneven, which is what these schedules are
// for. A region in which threads come late to the loop (single, master, tasks, nowait before it) is a good reason too.
// Known false positives: machines whose cores differ in speed.
#include "core/Check.h"
#include "core/DirectiveEdits.h"
#include "core/OmpSites.h"
#include "core/RegionWork.h"
#include "core/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-costly-schedule";

class CostlySchedule : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    OmpSites Sites(U.ast());
    RegionWork Work(U);
    for (const OmpSite &Site : Sites.Constructs)
      if (const auto *S = Site.directive()->getSingleClause<OMPScheduleClause>())
        study(Site, *S, Sites, Work, R);
  }

private:
  void study(const OmpSite &Site, const OMPScheduleClause &S, const OmpSites &Sites, RegionWork &Work, Reporter &R) {
    ASTContext &Ctx = Work.unit().ast();
    const OMPExecutableDirective &D = *Site.directive();
    bool Guided = S.getScheduleKind() == OMPC_SCHEDULE_guided;
    if ((!Guided && S.getScheduleKind() != OMPC_SCHEDULE_dynamic) || D.hasClausesOfKind<OMPOrderedClause>() ||
        !classify(D, Ctx).SharesLoop || classify(D, Ctx).Device)
      return;
    double Chunk = 1;
    if (const Expr *E = S.getChunkSize()) {
      Expr::EvalResult Value;
      if (E->isValueDependent() || !E->EvaluateAsInt(Value, Ctx))
        return;
      Chunk = std::max<double>(1, Value.Val.getInt().getLimitedValue());
    }
    std::optional<LoopWork> W = Work.largest(D);
    if (!W || W->Uneven || W->UnknownCalls || W->UnknownDepth > 1 ||
        (W->Trips > 0 && W->Trips < R.threshold(Slug, "min_iterations")))
      return;
    double ChunkMicroseconds = Chunk * W->Cycles / CyclesPerMicrosecond;
    double Most = R.threshold(Slug, "max_chunk_us");
    if (ChunkMicroseconds > Most)
      return;
    unsigned Doubts = Guided + W->UnknownDepth + (ChunkMicroseconds > Most / 3 || Chunk >= 64) + W->Gathers;
    if (Doubts > 1 || threadsComeLate(Site, Sites, Ctx))
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = Doubts ? Confidence::Medium : Confidence::High;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    const Stmt *Loop = constructBody(D);
    F.Scope = Loop->getSourceRange();
    std::string Schedule = std::string(Guided ? "guided" : "dynamic") + "," + std::to_string(std::int64_t(Chunk));
    auto Nanoseconds = static_cast<std::int64_t>(std::max(1.0, ChunkMicroseconds * 1000));
    std::string Size = W->UnknownDepth ? "one inner loop's work of the same length each"
                                       : "about " + std::to_string(Nanoseconds) + " ns of work";
    F.Args = {{"schedule", Schedule}, {"work", Size}, {"line", lineOf(Loop->getBeginLoc(), Ctx.getSourceManager())}};
    if (std::optional<Edit> E = replaceClause(S, "schedule(static)", Ctx))
      F.Fixes.push_back({"share the iterations once", {*E}});
    R.report(std::move(F));
  }

  // Threads that were busy elsewhere find less left to do; static scheduling would wait for them.
  static bool threadsComeLate(const OmpSite &Site, const OmpSites &Sites, const ASTContext &Ctx) {
    const OMPExecutableDirective *Region = OmpSites::region(Site, Ctx);
    for (const OmpSite &Other : Sites.Constructs) {
      if (&Other == &Site || Other.In != Site.In || (Region && !llvm::is_contained(Other.Around, Region)))
        continue;
      OmpConstruct C = classify(*Other.directive(), Ctx);
      if (Region && (C.Tasks || C.SameThread || Other.directive()->hasClausesOfKind<OMPNowaitClause>()))
        return true;
    }
    return false;
  }
};

STRIDEWISE_CHECK("omp-costly-schedule", CostlySchedule)

} // namespace
} // namespace stridewise
