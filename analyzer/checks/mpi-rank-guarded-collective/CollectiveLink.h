// Collective calls that ranks do not make alike, over units: which collective calls each function makes, and the
// branches on a rank whose arms call functions of other units, or on what another unit knows to be a rank.
#ifndef STRIDEWISE_CHECKS_MPI_RANK_GUARDED_COLLECTIVE_COLLECTIVELINK_H
#define STRIDEWISE_CHECKS_MPI_RANK_GUARDED_COLLECTIVE_COLLECTIVELINK_H

#include "mpi/RankFacts.h"
#include "unit/Summary.h"

namespace stridewise {

struct LinkedMismatch {
  Place Where; // of the call on one arm
  std::string Function;
  unsigned ScopeBegin = 0, ScopeEnd = 0;
  std::string Who;             // "rank 0 alone calls", "some ranks alone call"
  std::string Call;            // the collective call that has no partner
  std::string Instead;         // what the other arm calls; empty when it calls none
  std::optional<Place> Branch; // on the rank
  std::vector<Place> Path;     // from the call down to the collective call
  bool Sure = false;           // that the ranks which part ways are those of the communicator
};

/// The unit's functions and branches; null when there are none. `Silenced` tells whether a comment silences the rule at
/// a place.
llvm::json::Value collectiveSummary(Unit &U, const RankFacts &Ranks,
                                    llvm::function_ref<bool(clang::SourceLocation)> Silenced);
/// At most one mismatch per place of a call, in the order of places.
std::vector<LinkedMismatch> linkCollectives(llvm::ArrayRef<stored::Value> Summaries);

} // namespace stridewise
#endif
