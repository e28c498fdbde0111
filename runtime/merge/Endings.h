// How ranks ended that did not come to the end of MPI_Finalize: what they were at, what ended them, and for whom a
// collective waited in vain.
#ifndef STRIDEWISE_MERGE_ENDINGS_H
#define STRIDEWISE_MERGE_ENDINGS_H

#include "Trace.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stridewise::merge {

class Json;

/// How a shard's numbers become those of the trace.
struct ShardMaps {
  std::function<int64_t(uint64_t)> Ns;                       ///< time of events from ticks
  std::function<uint32_t(std::span<const uint64_t>)> PathOf; ///< number of a call path from addresses in the process
  std::function<const std::string *(uint64_t)> ModuleOf;     ///< path of the module of an address, null if unknown
  const std::vector<uint32_t> &Paths, &Comms;
};

/// What a shard tells of its rank's latest calls and end.
void readEnding(const Shard &S, const ShardMaps &Maps, Rank &Out);

/// Counts calls that were in progress when their rank ended, in its totals: up to the moment that the rank itself told
/// of; else up to the moment when the launcher ended the others, or the run ended (`EndNs`, 0 if unknown), or at least
/// as long as anything is known of any rank.
void countUnfinished(Trace &T, int64_t EndNs);

/// Members "endings" and "stalls".
void writeEndings(Json &J, const Trace &T);

} // namespace stridewise::merge
#endif
