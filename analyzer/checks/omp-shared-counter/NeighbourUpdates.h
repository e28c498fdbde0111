// Shared loops that update an array in place and read what their own neighbouring iterations set: a sweep of Gauss and
// Seidel, a recurrence.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_NEIGHBOURUPDATES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_NEIGHBOURUPDATES_H

#include "unit/Unit.h"
#include "clang/AST/StmtOpenMP.h"
#include <vector>

namespace stridewise {

struct NeighbourUpdate {
  const clang::OMPLoopDirective *Share = nullptr;
  clang::SourceLocation Where; // of the store
  std::string Array;           // empty where it has no name
  std::string Counter;         // of the loop whose iterations meet
};

/// Of each shared loop at most one for each array. The addresses of the store and of the load are linear in all loops,
/// run in each iteration, and are an exact number of the shared loop's iterations apart, so that an iteration reads an
/// element which another one sets: whatever the colour, the mask or the bounds are.
std::vector<NeighbourUpdate> findNeighbourUpdates(Unit &U);

} // namespace stridewise
#endif
