// Edits that replace a critical section by what does the same without a lock, only where nothing else can notice.
#ifndef STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_CRITICALFIX_H
#define STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_CRITICALFIX_H

#include "checks/omp-critical-section/SectionReach.h"
#include "unit/Finding.h"

namespace stridewise {

/// The reduction clauses that a section's updates need, such as `reduction(+:sum, count) reduction(max:top)`.
std::string reductionClauses(const LockedUpdates &L);

/// A reduction of the loop, for variables that only this section and code outside the region can reach; else an atomic
/// update. `All` are the sections of the unit.
std::optional<Fix> withoutLock(const LockedUpdates &L, const SectionReach &At, llvm::ArrayRef<LockedUpdates> All,
                               clang::ASTContext &Ctx);

} // namespace stridewise
#endif
