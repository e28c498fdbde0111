// Parallel loops that stand one after another, each with a region of its own, and could share one.
#ifndef STRIDEWISE_CHECKS_OMP_ADJACENT_REGIONS_REGIONRUNS_H
#define STRIDEWISE_CHECKS_OMP_ADJACENT_REGIONS_REGIONRUNS_H

#include "omp/OmpSites.h"

namespace stridewise {

struct RegionRun {
  std::vector<const clang::OMPExecutableDirective *> Regions; // two or more, in order
  const OmpSite *First = nullptr;                             // of the block's candidates; the sites own it
};

/// The runs of all blocks that no team executes: nothing but declarations and cheap assignments stands between the
/// regions of one, and their clauses want the same team.
std::vector<RegionRun> regionRuns(const OmpSites &Sites, const clang::ASTContext &Ctx);

/// Whether no variable that one of the loops writes to, or through, is named in another one.
bool shareNoWrites(llvm::ArrayRef<const clang::OMPExecutableDirective *> Run);

/// Whether what one loop writes may be what another one uses by a different name: through pointers that are not
/// restrict, or references.
bool mayBeNamedTwice(llvm::ArrayRef<const clang::OMPExecutableDirective *> Run);

} // namespace stridewise
#endif
