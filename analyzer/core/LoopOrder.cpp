// Chooses the order of a nest and says how sure the choice is.
#include "core/LoopOrder.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

// Records up to this size still serve eight iterations from one page.
constexpr double LargestRecordBytes = PageBytes / 8;
// An exchange that makes another array the strided one must at least halve the cost.
constexpr double MinMixedRatio = 2;

// Every line that is fetched is used: steps within a line, or from one record to the next when all of it is read.
bool isContiguous(const Stride &S, double Footprint) {
  double Step = std::abs(static_cast<double>(S.Bytes));
  return S.K == Stride::Constant && (Step < CacheLineBytes || Step <= Footprint);
}

bool worsens(const ReferenceGroup &G, unsigned Level) {
  return !G.Guarded && iterationCost(G.Strides[Level], G.Footprint) > 1 &&
         iterationCost(G.Strides[Level], G.Footprint) > iterationCost(G.Strides[0], G.Footprint);
}

Confidence confidence(const LoopNest &N, unsigned Level, const ExchangeVerdict &V, double MinRatio,
                      StrideEngine &Engine) {
  if (V.K == ExchangeVerdict::Unclear)
    return Confidence::Low;
  bool Exact = any_of(N.Groups, [&](const ReferenceGroup &G) {
    return !G.Guarded && G.Strides[0].K != Stride::Unknown && improves(G, Level, MinRatio);
  });
  // A step that is not known may be none at all; then it takes whole lines to make the other order the better one.
  if (!Exact && none_of(N.Groups, [&](const ReferenceGroup &G) {
        return !G.Guarded && improves(G, Level, MinRatio) && isContiguous(G.Strides[Level], G.Footprint);
      }))
    return Confidence::Low;
  bool Mixed = any_of(N.Groups, [&](const ReferenceGroup &G) { return worsens(G, Level); });
  if (!Exact || Mixed || V.SiblingLoops || V.CopiesScalars || staysInFirstLevel(N, Level - 1, Engine))
    return Confidence::Medium;
  return Confidence::High;
}

} // namespace

bool improves(const ReferenceGroup &G, unsigned Level, double MinRatio) {
  const Stride &Now = G.Strides[0], &Then = G.Strides[Level];
  return Now.K != Stride::Zero && !isContiguous(Now, G.Footprint) && Then.K == Stride::Constant &&
         std::abs(static_cast<double>(Then.Bytes)) <= std::max(G.Footprint, LargestRecordBytes) &&
         iterationCost(Now, G.Footprint) >= MinRatio * iterationCost(Then, G.Footprint);
}

std::optional<BetterOrder> betterOrder(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM, double MinRatio,
                                       double MinFootprint) {
  std::optional<BetterOrder> Best;
  StrideEngine *Engine = nullptr;
  double Now = nestCost(N, 0);
  for (unsigned Level = 1; Level < N.Loops.size(); ++Level) {
    double Then = nestCost(N, Level);
    double Ratio = Then > 0 ? Now / Then : 0;
    bool Doubtful = Best && Best->Verdict.K == ExchangeVerdict::Unclear;
    if (Ratio < MinRatio || (Best && !Doubtful && Ratio <= Best->Ratio))
      continue;
    if (none_of(N.Groups, [&](const ReferenceGroup &G) { return !G.Guarded && improves(G, Level, MinRatio); }))
      continue;
    if (Ratio < MinMixedRatio && any_of(N.Groups, [&](const ReferenceGroup &G) { return worsens(G, Level); }))
      continue;
    Engine = &StrideEngine::get(F, FAM);
    std::optional<double> Bytes = footprintBytes(N, Level, *Engine);
    if (Bytes && *Bytes <= MinFootprint)
      continue;
    ExchangeVerdict V = judgeExchange(N, Level, F, FAM);
    if (V.K == ExchangeVerdict::Forbidden || (V.K == ExchangeVerdict::Unclear && Best))
      continue;
    Best = BetterOrder{&N, &F, Level, Ratio, V, confidence(N, Level, V, MinRatio, *Engine)};
  }
  return Best;
}

const ReferenceGroup *mostImproved(const BetterOrder &O, double MinRatio) {
  const ReferenceGroup *Most = nullptr;
  double Gain = 0;
  for (const ReferenceGroup &G : O.Nest->Groups)
    if (!G.Guarded && improves(G, O.Level, MinRatio)) {
      double Saved =
          G.Repeats * (iterationCost(G.Strides[0], G.Footprint) - iterationCost(G.Strides[O.Level], G.Footprint));
      // Among equals, a step that can be told exactly.
      if (G.Strides[0].K == Stride::Unknown)
        Saved *= 0.99;
      if (Saved > Gain) {
        Gain = Saved;
        Most = &G;
      }
    }
  return Most;
}

} // namespace stridewise
