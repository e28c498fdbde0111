// Whether a loop's iterations make a triangle that equal blocks of iterations divide badly.
#ifndef STRIDEWISE_CHECKS_OMP_LOAD_IMBALANCE_IMBALANCEJUDGEMENT_H
#define STRIDEWISE_CHECKS_OMP_LOAD_IMBALANCE_IMBALANCEJUDGEMENT_H

#include "omp/RegionWork.h"
#include "unit/Finding.h"
#include "unit/Reporter.h"

namespace stridewise::load_imbalance {

constexpr llvm::StringLiteral Slug = "omp-load-imbalance";

/// Confidence, arguments and the related loop; nothing where nothing is to be said.
std::optional<Finding> judge(const LoopWork &W, Unit &U, Reporter &R);

} // namespace stridewise::load_imbalance
#endif
