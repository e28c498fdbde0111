// R14: a parallel loop whose whole work is less than what opening the region costs.
//
// Only loops of known length, after inlining, whose iterations the unit shows whole; omp/RegionWork estimates them. A
// loop over the ranks of a communicator is taken to have `assumed_ranks` iterations, at medium confidence.
// Known false positives: data far away, so that a short loop waits for memory; regions that warm up the team.
#include "checks/omp-small-loop/FortranSmallLoops.h"
#include "mpi/RankLoops.h"
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
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran())
      return reportFortranSmallLoops(U, R);
    Ranks.reset();
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
  // Whether the loop, in each of its copies, has as many iterations as there are ranks.
  bool runsOverRanks(const OMPExecutableDirective &D, RegionWork &Work) {
    std::vector<const ForStmt *> For = sharedLoops(D);
    if (For.size() != 1)
      return false;
    if (!Ranks)
      Ranks.emplace(Work.unit());
    llvm::ArrayRef<RegionWork::Copy> Copies = Work.copies(For.front(), &D);
    return !Copies.empty() &&
           llvm::all_of(Copies, [&](const RegionWork::Copy &C) { return stridewise::runsOverRanks(C.L, *Ranks); });
  }

  void study(const OmpSite &Site, const OmpSites &Sites, RegionWork &Work, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    std::optional<LoopWork> W = Work.largest(D);
    const bool OfRanks = W && !W->Trips && !W->UnknownDepth && !W->UnknownCalls && runsOverRanks(D, Work);
    if (OfRanks)
      W->Trips = R.threshold(Slug, "assumed_ranks");
    if (!W || !W->known())
      return;
    double Microseconds = W->total() / CyclesPerMicrosecond;
    double Least = R.threshold(Slug, "region_us");
    bool Repeated = Sites.isRepeated(Site);
    if (Microseconds >= Least || (!Repeated && Site.In->isMain()))
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = Repeated && !OfRanks && !W->Gathers && Microseconds < Least / 2 ? Confidence::High : Confidence::Medium;
    F.Range = {D.getBeginLoc(), D.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    const Stmt *Loop = constructBody(D);
    F.Scope = Loop->getSourceRange();
    F.Args = {{"what", std::string("the loop is")},
              {"iterations", static_cast<std::int64_t>(W->Trips)},
              {"nanoseconds", static_cast<std::int64_t>(std::max(1.0, Microseconds * 1000))},
              {"assumed", std::string(OfRanks ? ", for as many ranks" : "")},
              {"directive", directiveName(D)}};
    R.report(std::move(F));
  }

  std::optional<RankFacts> Ranks;
};

STRIDEWISE_CHECK("omp-small-loop", SmallLoop)

} // namespace
} // namespace stridewise
