#include "checks/omp-load-imbalance/ImbalanceJudgement.h"
#include "loops/LoopPlaces.h"
#include "omp/OmpSites.h"
#include "unit/Catalogue.h"
#include "clang/Basic/SourceManager.h"

namespace stridewise::load_imbalance {

std::optional<Finding> judge(const LoopWork &W, Unit &U, Reporter &R) {
  if (!W.Triangle)
    return std::nullopt;
  const bool Known = W.known();
  // All rows are taken to be as long as the longest one: the triangle is half of that.
  if (Known && W.total() / 2 < R.threshold(Slug, "min_region_us") * CyclesPerMicrosecond)
    return std::nullopt;
  const std::optional<LoopPlace> Inner = loopPlace(W.Triangle, U);
  if (!Inner)
    return std::nullopt;
  Finding F;
  F.Rule = Slug;
  F.Conf = Known ? Confidence::High : Confidence::Medium;
  F.Args = {{"growth",
             variant(Slug, W.Grows ? "grows" : "shrinks", {{"line", lineOf(Inner->Header.getBegin(), U.sources())}})},
            {"remedy", variant(Slug, "deal_out")}};
  F.Relateds.push_back({Inner->Header.getBegin(), "the inner loop"});
  return F;
}

} // namespace stridewise::load_imbalance
