#include "checks/omp-small-loop/FortranSmallLoops.h"
#include "mpi/RankLoops.h"
#include "omp/FortranRegions.h"
#include "unit/Counted.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "omp-small-loop";

class FortranSmallLoops {
public:
  FortranSmallLoops(Unit &U, Reporter &R) : U(U), R(R), Regions(U) {}

  void run() {
    for (const FortranConstruct &C : Regions.constructs().all()) {
      if (!Meter::spend())
        return;
      if (C.StartsTeam && !C.Device && C.First < C.Last && !C.has("if") && !Regions.runsInTeam(C))
        study(C);
    }
  }

private:
  // Whether the region's only loop, in each of its copies, has as many iterations as there are ranks.
  bool runsOverRanks(ArrayRef<FortranRegionLoop> Loops) {
    if (Loops.size() != 1 || !Loops.front().Shared || Loops.front().Shared->collapsed() > 1)
      return false;
    if (!Ranks)
      Ranks.emplace(U);
    ArrayRef<LoopCopy> Copies = fortranLoops(*Loops.front().Statement, U);
    return !Copies.empty() && all_of(Copies, [&](const LoopCopy &C) { return stridewise::runsOverRanks(C.L, *Ranks); });
  }

  void study(const FortranConstruct &C) {
    const std::vector<FortranRegionLoop> Loops = Regions.loopsOf(C);
    std::optional<LoopWork> W = Regions.regionWork(C);
    const bool OfRanks = W && !W->Trips && !W->UnknownDepth && !W->UnknownCalls && runsOverRanks(Loops);
    if (OfRanks)
      W->Trips = R.threshold(Slug, "assumed_ranks");
    if (!W || !W->known())
      return;
    const double Microseconds = W->total() / CyclesPerMicrosecond, Least = R.threshold(Slug, "region_us");
    const bool Repeated = Regions.isRepeated(C);
    if (Microseconds >= Least || (!Repeated && Regions.isInMain(C)))
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = Repeated && !OfRanks && !W->Gathers && Microseconds < Least / 2 ? Confidence::High : Confidence::Medium;
    F.Range = {Regions.place(C), Regions.place(C)};
    F.Function = Regions.procedureName(C);
    F.Scope = Regions.scope(C);
    F.Args = {{"what", Loops.size() > 1 ? "its " + std::to_string(Loops.size()) + " loops are" : "the loop is"},
              {"iterations", static_cast<std::int64_t>(W->Trips)},
              {"nanoseconds", static_cast<std::int64_t>(std::max(1.0, Microseconds * 1000))},
              {"assumed", std::string(OfRanks ? ", for as many ranks" : "")},
              {"directive", C.Name}};
    R.report(std::move(F));
  }

  Unit &U;
  Reporter &R;
  FortranRegions Regions;
  std::optional<RankFacts> Ranks;
};

} // namespace

void reportFortranSmallLoops(Unit &U, Reporter &R) { FortranSmallLoops(U, R).run(); }

} // namespace stridewise
