// How a team comes by a critical section: from which region and loop, how surely, and whether a reduction of that loop
// would do instead.
#ifndef STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_SECTIONREACH_H
#define STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_SECTIONREACH_H

#include "checks/omp-critical-section/CriticalUpdate.h"
#include "omp/RegionWork.h"
#include "omp/UnitFunctions.h"

namespace stridewise {

struct SectionReach {
  const clang::OMPExecutableDirective *Region = nullptr; // null in code that only other units run in a team
  const clang::OMPExecutableDirective *Share = nullptr;  // distributes the innermost shared loop
  const clang::Stmt *Loop = nullptr;                     // innermost loop within the region
  bool Direct = true;                                    // the region is in the section's own function
  bool Guarded = false;                                  // behind a condition in the loop
  bool OneThread = false, Tasks = false;
  const clang::CallExpr *Call = nullptr; // of the section's function, where the region is in another one
  /// The directive that a reduction clause would go to.
  const clang::OMPExecutableDirective &reducer() const { return Share ? *Share : *Region; }
};

/// How often the team comes by the section in the shared loop, by the innermost loop around it; 0 where a length is
/// unknown.
inline double passes(const LoopWork &Shared, const std::optional<LoopWork> &Inner, bool SameLoop) {
  return SameLoop || !Inner ? Shared.Trips : Shared.Trips * Inner->Trips;
}

/// Nothing where no team passes the section in a loop.
std::optional<SectionReach> reachOf(const LockedUpdates &L, const OmpSites &Sites, const clang::ASTContext &Ctx);

/// Whether each thread updates a variable of its own.
bool isPrivate(const ScalarUpdate &U, const LockedUpdates &L, const SectionReach &At, const clang::ASTContext &Ctx);

/// Whether the loop, up to its end, does nothing else with what the section updates, so that each thread could keep its
/// own part until then.
bool isOnlyGathered(const LockedUpdates &L, const SectionReach &At);
/// The same for a global variable that a function of the team's loop adds to: no code of a team looks at it.
bool isOnlyGatheredByTeams(const LockedUpdates &L, const SectionReach &At, const OmpSites &Sites,
                           const UnitFunctions &Unit, const clang::ASTContext &Ctx);
/// Whether a reduction does what the section does: variables that nothing else in the loop looks at.
bool isReducible(const LockedUpdates &L, const SectionReach &At);

/// The same for members of this object and for a std::atomic, which no clause names: a local variable does.
bool isReducibleByLocal(const LockedUpdates &L, const SectionReach &At);

} // namespace stridewise
#endif
