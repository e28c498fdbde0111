#include "checks/mem-strided-inner-loop/NestOrders.h"
#include "checks/mem-strided-inner-loop/LineBundles.h"
#include "checks/mem-strided-inner-loop/SplitUpdates.h"
#include "unit/Catalogue.h"

using namespace llvm;

namespace stridewise {

std::optional<BetterOrder> orderOfNest(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM,
                                       const OrderLimits &Limits) {
  std::optional<BetterOrder> Order = betterOrder(N, F, FAM, Limits.MinRatio, Limits.MinFootprint);
  if (!Order || Order->Verdict.K == ExchangeVerdict::Unclear) {
    if (auto Lines = bundledLines(N, F, FAM, Limits))
      return Lines;
    if (auto Updates = splitUpdates(N, F, FAM, Limits.MinRatio, Limits.MinFootprint))
      return Updates;
  }
  return Order;
}

std::string bundleRemedy(const BetterOrder &C, const ReferenceGroup &Worst, bool Apart, ArgMap Args) {
  const double Each = std::max<double>(1, std::abs(static_cast<double>(Worst.Strides[C.Level].Bytes)));
  Args["lines"] = static_cast<std::int64_t>(std::max(2.0, CacheLineBytes / Each));
  if (C.SideBySide)
    return variant("mem-strided-inner-loop", Apart ? "side_by_side" : "side_by_side_if_apart", Args);
  return variant("mem-strided-inner-loop", Apart ? "bundle" : "bundle_if_apart", Args);
}

} // namespace stridewise
