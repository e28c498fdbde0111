// R11: parallel loops one after another, each with a team of its own.
//
// Regions are taken together when nothing but declarations and cheap assignments stands between them, their team
// clauses agree and their data clauses may stand on a `for` as well. It speaks when the regions run repeatedly and the
// work between two openings is small: known from omp/RegionWork, or single loops of cheap iterations of unknown
// number. Beside large loops an opening costs nothing, and the rule is silent.
// Known false positives: short loops by source, long ones by input.
#include "checks/omp-adjacent-regions/FortranRuns.h"
#include "checks/omp-adjacent-regions/RegionRuns.h"
#include "checks/omp-adjacent-regions/RunJudgement.h"
#include "omp/OneRegion.h"
#include "omp/RegionRepeats.h"
#include "omp/RegionWork.h"
#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

using namespace adjacent_regions;

class AdjacentRegions : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran())
      return reportFortranRuns(U, R);
    OmpSites Sites(U.ast());
    Ctx = &U.ast();
    RegionWork Work(U);
    for (const RegionRun &Run : regionRuns(Sites, *Ctx)) {
      std::vector<RegionLoops> Loops;
      for (const OMPExecutableDirective *D : Run.Regions) {
        RegionLoops &Each = Loops.emplace_back();
        for (const OMPExecutableDirective *Part : sharedParts(*D))
          Each.push_back(Work.largest(*Part));
      }
      for (const Slice &Part : shortParts(Loops, R))
        study(llvm::ArrayRef(Run.Regions).slice(Part.Begin, Part.Size),
              llvm::ArrayRef(Loops).slice(Part.Begin, Part.Size), *Run.First, Sites, R);
    }
  }

private:
  void study(llvm::ArrayRef<const OMPExecutableDirective *> Run, llvm::ArrayRef<RegionLoops> Loops, const OmpSite &Site,
             const OmpSites &Sites, Reporter &R) const {
    const bool Repeated = Sites.isRepeated(Site);
    if (!Repeated && Site.In->isMain())
      return;
    const std::optional<Confidence> Conf = judge(Loops, Repeated, R);
    if (!Conf)
      return;
    const SourceManager &SM = Ctx->getSourceManager();
    const OMPExecutableDirective &First = *Run.front();
    std::vector<std::int64_t> Lines;
    for (const OMPExecutableDirective *D : Run.drop_front())
      Lines.push_back(lineOf(D->getBeginLoc(), SM));
    Finding F;
    F.Rule = Slug;
    F.Conf = *Conf;
    F.Range = {First.getBeginLoc(), First.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = {First.getBeginLoc(), Run.back()->getEndLoc()};
    F.Args = {
        {"regions", static_cast<std::int64_t>(Run.size())},
        {"lines", linesOf(Lines)},
        {"remedy", variant(Slug, "one_region")},
        {"nowait", !shareNoWrites(Run) ? "" : variant(Slug, mayBeNamedTwice(Run) ? "nowait_if_apart" : "nowait")}};
    for (const OMPExecutableDirective *D : Run.drop_front())
      F.Relateds.push_back({D->getBeginLoc(), "the next region"});
    if (std::optional<Fix> X = fuseRegions(Run, Site.Block, Site.In, *Ctx))
      F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }

  ASTContext *Ctx = nullptr;
};

STRIDEWISE_CHECK("omp-adjacent-regions", AdjacentRegions)

} // namespace
} // namespace stridewise
