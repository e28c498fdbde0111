// What an iteration of a nest costs in cache lines and pages, and how much memory the nest walks.
#include "loops/LoopNest.h"
#include "prices.h"
#include "thresholds.h"
#include <cmath>
#include <limits>
#include <numeric>

namespace stridewise {
namespace {

constexpr unsigned Ways = prices::FirstLevelWays, Sets = FirstLevelBytes / CacheLineBytes / Ways;

bool hasFixedStep(const Stride &S) { return S.K == Stride::Zero || S.K == Stride::Constant; }

double magnitude(const Stride &S) { return std::abs(static_cast<double>(S.Bytes)); }

} // namespace

double linesPerIteration(const Stride &S, double Footprint) {
  double Most = 1 + Footprint / CacheLineBytes;
  if (S.K == Stride::Zero)
    return 0;
  return S.K == Stride::Constant ? std::min(magnitude(S) / CacheLineBytes, Most) : Most;
}

double iterationCost(const Stride &S, double Footprint) {
  double Pages = S.K == Stride::Zero ? 0 : S.K == Stride::Constant ? std::min(magnitude(S) / PageBytes, 1.0) : 1;
  return linesPerIteration(S, Footprint) + prices::PageWeight * Pages;
}

bool leavesWalks(const LoopNest &N, unsigned Level) {
  return Level && Level < N.Trips.size() && N.Trips[Level] >= limits::loops::MinWalks &&
         N.Trips[Level] <= limits::loops::MaxAbsorbedTrips;
}

double groupCost(const LoopNest &N, const ReferenceGroup &G, unsigned Level) {
  const double Cost = iterationCost(G.Strides[Level], G.Footprint);
  return G.Strides[Level].K == Stride::Unknown && leavesWalks(N, Level)
             ? std::min(Cost, iterationCost(G.Strides[0], G.Footprint))
             : Cost;
}

double nestCost(const LoopNest &N, unsigned Level) {
  double Cost = 0;
  for (const ReferenceGroup &G : N.Groups)
    if (N.counts(G))
      Cost += G.Repeats * groupCost(N, G, Level);
  return Cost;
}

std::optional<double> footprintBytes(const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  double Total = 0;
  for (const ReferenceGroup &G : N.Groups) {
    // Smallest steps first: contiguous walks lengthen the run, larger ones repeat it.
    llvm::SmallVector<std::pair<double, double>, 4> Walks;
    for (unsigned K = 0; K <= Level; ++K) {
      if (G.Strides[K].K == Stride::Zero)
        continue;
      unsigned Trips = Engine.tripCount(N.Loops[K]);
      if (!Trips)
        return std::nullopt;
      Walks.push_back({hasFixedStep(G.Strides[K]) ? magnitude(G.Strides[K]) : PageBytes, Trips});
    }
    llvm::sort(Walks);
    double Bytes = std::max(G.Footprint, 1.0);
    for (auto [Step, Trips] : Walks)
      Bytes = Step <= std::max(Bytes, CacheLineBytes) ? Bytes + Step * (Trips - 1)
                                                      : std::max(Bytes, CacheLineBytes) * Trips;
    Total += Bytes * G.Repeats;
  }
  return Total;
}

double linesInSets(double Step) {
  if (Step < CacheLineBytes)
    return std::numeric_limits<double>::infinity();
  const auto StepLines = static_cast<unsigned long>(Step / CacheLineBytes);
  return static_cast<double>(Sets) / static_cast<double>(std::gcd(StepLines, static_cast<unsigned long>(Sets))) * Ways;
}

bool staysInFirstLevel(const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  std::optional<double> Bytes = footprintBytes(N, Level, Engine);
  if (!Bytes || *Bytes > FirstLevelBytes)
    return false;
  for (const ReferenceGroup &G : N.Groups)
    for (unsigned K = 0; K <= Level; ++K) {
      const Stride &S = G.Strides[K];
      if (S.K == Stride::Constant && Engine.tripCount(N.Loops[K]) > linesInSets(magnitude(S)))
        return false;
    }
  return true;
}

} // namespace stridewise
