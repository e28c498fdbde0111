// Which neighbours of a run of regions are short enough to share a team, and whether that is worth saying.
#ifndef STRIDEWISE_CHECKS_OMP_ADJACENT_REGIONS_RUNJUDGEMENT_H
#define STRIDEWISE_CHECKS_OMP_ADJACENT_REGIONS_RUNJUDGEMENT_H

#include "omp/RegionWork.h"
#include "unit/Finding.h"
#include "unit/Reporter.h"

namespace stridewise::adjacent_regions {

constexpr llvm::StringLiteral Slug = "omp-adjacent-regions";

/// Of a region, the work of each loop that it shares; nothing for those whose code is not there as the source states
/// it.
using RegionLoops = std::vector<std::optional<LoopWork>>;

struct Slice {
  std::size_t Begin = 0, Size = 0;
};

/// Loops beside which an opening costs something, and what stands next to them: a product of a matrix and the sum of a
/// vector behind it. Long loops by themselves are left out.
std::vector<Slice> shortParts(llvm::ArrayRef<RegionLoops> Run, Reporter &R);

/// Nothing where nothing is to be said of these regions.
std::optional<Confidence> judge(llvm::ArrayRef<RegionLoops> Part, bool Repeated, Reporter &R);

/// "line 7", "lines 7, 9 and 12".
std::string linesOf(llvm::ArrayRef<std::int64_t> Lines);

} // namespace stridewise::adjacent_regions
#endif
