// R40: a static schedule that divides a triangle by its rows.
//
// The static half knows one cause of imbalance that the source shows: an inner loop, beside which nothing else counts,
// that gets longer with each iteration of the shared loop, or shorter, and at one end of it has next to no iterations
// (omp/RegionWork). Of T blocks of equal numbers the largest then has up to twice the mean. Loops under other schedules
// are silent, and so are loops of a region of several in which one has no barrier behind it: the next one may rest on
// the blocks. Where all lengths are known, the region must be long enough for it to matter.
// Known false positives: triangles of a few rows by input; loops that are limited by the memory's bandwidth anyway.
#include "checks/omp-load-imbalance/FortranTriangles.h"
#include "checks/omp-load-imbalance/ImbalanceJudgement.h"
#include "omp/OmpSites.h"
#include "omp/RegionWork.h"
#include "unit/Check.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"

using namespace clang;

namespace stridewise {
namespace {

class LoadImbalance : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran())
      return reportFortranTriangles(U, R);
    OmpSites Sites(U.ast());
    llvm::DenseSet<const Stmt *> WithoutBarrier;        // regions with such loops
    llvm::DenseMap<const Stmt *, unsigned> LoopsShared; // in each region
    for (const OmpSite &Site : counted(Sites.Constructs)) {
      const OMPExecutableDirective *Region = OmpSites::region(Site, U.ast());
      LoopsShared[Region] += classify(*Site.directive(), U.ast()).SharesLoop;
      if (Site.directive()->hasClausesOfKind<OMPNowaitClause>())
        WithoutBarrier.insert(Region);
    }
    RegionWork Work(U);
    for (const OmpSite &Site : Sites.Constructs) {
      const OMPExecutableDirective &D = *Site.directive();
      const OmpConstruct C = classify(D, U.ast());
      const OMPExecutableDirective *Region = C.StartsTeam ? &D : OmpSites::region(Site, U.ast());
      if (!C.SharesLoop || C.Device || C.Tasks || !isInBlocks(D) || !Region ||
          (WithoutBarrier.contains(Region) && LoopsShared.lookup(Region) > 1))
        continue;
      const std::optional<LoopWork> W = Work.largest(D);
      std::optional<Finding> F = W ? load_imbalance::judge(*W, U, R) : std::nullopt;
      if (!F)
        continue;
      F->Range = {D.getBeginLoc(), D.getBeginLoc()};
      F->Function = Unit::functionName(Site.In);
      F->Scope = constructBody(D)->getSourceRange();
      R.report(std::move(*F));
    }
  }

private:
  // In blocks of equal numbers, as the default of all compilers is.
  static bool isInBlocks(const OMPExecutableDirective &D) {
    const auto *S = D.getSingleClause<OMPScheduleClause>();
    return (!S || (S->getScheduleKind() == OMPC_SCHEDULE_static && !S->getChunkSize())) &&
           !D.hasClausesOfKind<OMPOrderedClause>() && sharedLoops(D).size() == 1;
  }
};

STRIDEWISE_CHECK("omp-load-imbalance", LoadImbalance)

} // namespace
} // namespace stridewise
