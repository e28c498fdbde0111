// Which lock a section takes: one for all, or one of many that the data choose, at which threads seldom meet.
#ifndef STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_LOCKCHOICE_H
#define STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_LOCKCHOICE_H

#include "checks/omp-critical-section/SectionReach.h"

namespace stridewise {

/// Whether what is locked changes from one passage of the team to the next (an element of an array of locks, a member
/// of the object that an iteration works on), and there are `MinLocks` of them at least, as far as the unit shows.
bool isOneOfMany(const LockedUpdates &L, const SectionReach &At, double MinLocks, const clang::ASTContext &Ctx);

} // namespace stridewise
#endif
