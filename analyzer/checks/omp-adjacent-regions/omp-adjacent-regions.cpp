// R11: parallel loops one after another, each with a team of its own.
//
// Regions are taken together when nothing but declarations and cheap assignments stands between them, their team
// clauses agree and their data clauses may stand on a `for` as well. It speaks when the regions run repeatedly and the
// work between two openings is small: known from omp/RegionWork, or single loops of cheap iterations of unknown
// number. Beside large loops an opening costs nothing, and the rule is silent.
// Known false positives: short loops by source, long ones by input.
#include "checks/omp-adjacent-regions/RegionRuns.h"
#include "omp/RegionWork.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-adjacent-regions";

class AdjacentRegions : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    OmpSites Sites(U.ast());
    Ctx = &U.ast();
    RegionWork Work(U);
    for (const RegionRun &Run : regionRuns(Sites, *Ctx))
      for (llvm::ArrayRef<const OMPExecutableDirective *> Part : shortParts(Run.Regions, Work, R))
        study(Part, *Run.First, Sites, Work, R);
  }

private:
  // Loops beside which an opening costs something, and what stands next to them: a product of a matrix and the sum of a
  // vector behind it. Long loops by themselves are left out.
  static std::vector<llvm::ArrayRef<const OMPExecutableDirective *>>
  shortParts(llvm::ArrayRef<const OMPExecutableDirective *> Run, RegionWork &Work, Reporter &R) {
    const double Cheap = R.threshold(Slug, "max_iteration_ns") * CyclesPerMicrosecond / 1000;
    const double Most = R.threshold(Slug, "max_region_us") * CyclesPerMicrosecond;
    auto Is = [&](const OMPExecutableDirective *D, unsigned Deepest, double Cycles) {
      return llvm::all_of(sharedParts(*D), [&](const OMPExecutableDirective *Part) {
        std::optional<LoopWork> W = Work.largest(*Part);
        return W && !W->UnknownCalls &&
               (W->known() ? W->total() <= Most : W->UnknownDepth <= Deepest && W->Cycles <= Cycles);
      });
    };
    auto IsShort = [&](const OMPExecutableDirective *D) { return Is(D, 0, Cheap); };
    auto IsBeside = [&](const OMPExecutableDirective *D) { return Is(D, 1, HUGE_VAL); };
    std::vector<llvm::ArrayRef<const OMPExecutableDirective *>> Out;
    std::size_t Begin = 0, End = 0; // of the part so far
    for (std::size_t K = 0; K < Run.size(); ++K) {
      if (!IsShort(Run[K]))
        continue;
      if (K >= End) {
        if (End - Begin > 1)
          Out.push_back(Run.slice(Begin, End - Begin));
        Begin = K > 0 && K > End && IsBeside(Run[K - 1]) ? K - 1 : K;
      }
      End = K + 1 < Run.size() && IsBeside(Run[K + 1]) ? K + 2 : K + 1;
    }
    if (End - Begin > 1)
      Out.push_back(Run.slice(Begin, End - Begin));
    return Out;
  }

  void study(llvm::ArrayRef<const OMPExecutableDirective *> Run, const OmpSite &Site, const OmpSites &Sites,
             RegionWork &Work, Reporter &R) const {
    bool Repeated = Sites.isRepeated(Site);
    if (!Repeated && Site.In->isMain())
      return;
    double Microseconds = 0;
    bool Known = true;
    for (const OMPExecutableDirective *D : Run)
      for (const OMPExecutableDirective *Part : sharedParts(*D)) {
        std::optional<LoopWork> W = Work.largest(*Part);
        Known &= W && W->known();
        if (W && W->known())
          Microseconds += W->total() / CyclesPerMicrosecond;
      }
    double Most = R.threshold(Slug, "max_region_us") * Run.size();
    if (Microseconds > Most || (!Known && !Repeated && Run.size() < limits::omp_adjacent_regions::SureRun))
      return;
    // Not even one team pays for all of them together: that is the other rule's.
    if (Known && Microseconds < R.threshold("omp-small-loop", "region_us"))
      return;
    const SourceManager &SM = Ctx->getSourceManager();
    const OMPExecutableDirective &First = *Run.front();
    std::string Lines;
    for (std::size_t I = 1; I < Run.size(); ++I)
      Lines += (I == 1 ? "" : I + 1 == Run.size() ? " and " : ", ") + std::to_string(lineOf(Run[I]->getBeginLoc(), SM));
    Finding F;
    F.Rule = Slug;
    F.Conf = Known && Repeated && Microseconds < Most / 2 ? Confidence::High : Confidence::Medium;
    F.Range = {First.getBeginLoc(), First.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = {First.getBeginLoc(), Run.back()->getEndLoc()};
    F.Args = {
        {"regions", static_cast<std::int64_t>(Run.size())},
        {"lines", (Run.size() == 2 ? "line " : "lines ") + Lines},
        {"nowait", !shareNoWrites(Run) ? "" : variant(Slug, mayBeNamedTwice(Run) ? "nowait_if_apart" : "nowait")}};
    for (const OMPExecutableDirective *D : Run.drop_front())
      F.Relateds.push_back({D->getBeginLoc(), "the next region"});
    R.report(std::move(F));
  }

  ASTContext *Ctx = nullptr;
};

STRIDEWISE_CHECK("omp-adjacent-regions", AdjacentRegions)

} // namespace
} // namespace stridewise
