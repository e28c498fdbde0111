// R14: a parallel loop whose whole work is less than what opening the region costs.
//
// Only loops of known length, after inlining, whose iterations the unit shows whole; omp/RegionWork estimates them.
// Known false positives: data far away, so that a short loop waits for memory; regions that warm up the team.
#include "omp/OmpSites.h"
#include "omp/RegionWork.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-small-loop";

class SmallLoop : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    OmpSites Sites(U.ast());
    RegionWork Work(U);
    for (const OmpSite &Site : Sites.Constructs) {
      OmpConstruct C = classify(*Site.directive(), U.ast());
      if (C.StartsTeam && C.SharesLoop && !C.Device && !Site.directive()->hasClausesOfKind<OMPIfClause>() &&
          !Sites.runsInTeam(Site))
        study(Site, Sites, Work, R);
    }
  }

private:
  static void study(const OmpSite &Site, const OmpSites &Sites, RegionWork &Work, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    std::optional<LoopWork> W = Work.largest(D);
    if (!W || !W->known())
      return;
    double Microseconds = W->total() / CyclesPerMicrosecond;
    double Least = R.threshold(Slug, "region_us");
    bool Repeated = Sites.isRepeated(Site);
    if (Microseconds >= Least || (!Repeated && Site.In->isMain()))
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = Repeated && !W->Gathers && Microseconds < Least / 2 ? Confidence::High : Confidence::Medium;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    const Stmt *Loop = constructBody(D);
    F.Scope = Loop->getSourceRange();
    F.Args = {{"iterations", static_cast<std::int64_t>(W->Trips)},
              {"nanoseconds", static_cast<std::int64_t>(std::max(1.0, Microseconds * 1000))},
              {"directive", directiveName(D)}};
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("omp-small-loop", SmallLoop)

} // namespace
} // namespace stridewise
