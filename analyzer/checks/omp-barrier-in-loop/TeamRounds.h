// A shared loop that the team comes to in each round of a serial loop: where no two rounds touch the same data, nobody
// has to wait between them, whoever gets which iterations.
#ifndef STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMROUNDS_H
#define STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMROUNDS_H

#include "omp/OmpSites.h"
#include "omp/RegionWork.h"

namespace stridewise {

struct TeamRounds {
  const clang::ForStmt *Loop = nullptr; // the serial one
  bool Followed = false;                // by a barrier, or by the end of the region
};

/// The rounds of the shared loop of that directive; nothing where they are few, where something else is done in them,
/// or where they are not proven to be apart. Arrays of different names are taken for distinct.
std::optional<TeamRounds> roundsApart(const OmpSite &Site, double MinRounds, RegionWork &Work, Unit &U);

/// Whether the statement is a barrier behind such a loop: that one has to stay.
bool standsBehind(const OmpSite &Barrier, const TeamRounds &Rounds);

} // namespace stridewise
#endif
