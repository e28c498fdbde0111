// What an iteration of a nest costs in cache lines and pages, and how much memory the nest walks.
#include "loops/LoopNest.h"
#include "prices.h"
#include "thresholds.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include <cmath>
#include <limits>
#include <numeric>

namespace stridewise {
namespace {

constexpr unsigned Ways = prices::FirstLevelWays, Sets = FirstLevelBytes / CacheLineBytes / Ways;

bool hasFixedStep(const Stride &S) { return S.K == Stride::Zero || S.K == Stride::Constant; }

double magnitude(const Stride &S) { return std::abs(static_cast<double>(S.Bytes)); }

// Of the distinct lines that a group touches in the loops up to a level; nothing when a trip count is unknown.
std::optional<double> walkedBytes(const LoopNest &N, const ReferenceGroup &G, unsigned Level, StrideEngine &Engine) {
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
    Bytes =
        Step <= std::max(Bytes, CacheLineBytes) ? Bytes + Step * (Trips - 1) : std::max(Bytes, CacheLineBytes) * Trips;
  return Bytes * G.Repeats;
}

} // namespace

std::optional<double> sizeOfArray(const Reference &R) {
  const llvm::Value *Array = llvm::getUnderlyingObject(R.Pointer);
  const llvm::DataLayout &DL = R.At->getDataLayout();
  std::optional<llvm::TypeSize> Bytes;
  if (const auto *Local = llvm::dyn_cast<llvm::AllocaInst>(Array))
    Bytes = Local->getAllocationSize(DL);
  else if (const auto *Global = llvm::dyn_cast<llvm::GlobalVariable>(Array);
           Global && Global->getValueType()->isSized())
    Bytes = DL.getTypeAllocSize(Global->getValueType());
  return Bytes && Bytes->isNonZero() && !Bytes->isScalable()
             ? std::optional(static_cast<double>(Bytes->getFixedValue()))
             : std::nullopt;
}

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
  return keepsWalks(N, G, Level) ? std::min(Cost, iterationCost(G.Strides[0], G.Footprint)) : Cost;
}

// The order is worth a loop over the walks where it mends more than it leaves as they are.
static bool gainsMost(const LoopNest &N, unsigned Level) {
  const auto IsFar = [](const Stride &S) {
    return S.K == Stride::Symbolic || (S.K == Stride::Constant && magnitude(S) >= CacheLineBytes);
  };
  long Balance = 0;
  for (const ReferenceGroup &G : N.Groups)
    if (N.counts(G))
      Balance += long(IsFar(G.Strides[0])) - long(IsFar(G.Strides[Level]));
  return Balance > 0;
}

bool keepsWalks(const LoopNest &N, const ReferenceGroup &G, unsigned Level) {
  if (!leavesWalks(N, Level))
    return false;
  const Stride &Then = G.Strides[Level];
  const bool IsFar = Then.K == Stride::Symbolic || (Then.K == Stride::Constant && magnitude(Then) >= CacheLineBytes &&
                                                    N.Trips[Level] <= linesInSets(magnitude(Then)));
  return Then.K == Stride::Unknown || (IsFar && gainsMost(N, Level));
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
    std::optional<double> Bytes = walkedBytes(N, G, Level, Engine);
    const std::optional<double> Most = sizeOfArray(N.References[G.Members.front()]);
    if (!Bytes && !Most)
      return std::nullopt;
    Total += !Most ? *Bytes : std::min(Bytes.value_or(*Most), *Most);
  }
  return Total;
}

double linesInSets(double Step) {
  if (Step < CacheLineBytes)
    return std::numeric_limits<double>::infinity();
  const auto StepLines = static_cast<unsigned long>(Step / CacheLineBytes);
  return static_cast<double>(Sets) / static_cast<double>(std::gcd(StepLines, static_cast<unsigned long>(Sets))) * Ways;
}

bool crowdsSets(const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  return llvm::any_of(N.Groups, [&](const ReferenceGroup &G) {
    for (unsigned K = 0; K <= Level; ++K) {
      const Stride &S = G.Strides[K];
      if (S.K == Stride::Constant && Engine.tripCount(N.Loops[K]) > linesInSets(magnitude(S)))
        return true;
    }
    return false;
  });
}

bool staysInFirstLevel(const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  std::optional<double> Bytes = footprintBytes(N, Level, Engine);
  return Bytes && *Bytes <= FirstLevelBytes && !crowdsSets(N, Level, Engine);
}

} // namespace stridewise
