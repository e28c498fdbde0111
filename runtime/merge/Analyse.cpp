// All analyses, in the order in which one needs the other.

#include "Analyses.h"

namespace stridewise::merge {

Results analyse(const Trace &T) {
  Results R;
  CallWaits Calls;
  R.Barriers = findBarriers(T);
  R.Bursts = findBursts(T);
  R.Chains = findChains(T);
  R.Waits = findWaits(T, Calls);
  R.Pop = findEfficiency(T);
  R.Duplicates = findDuplicates(T, Calls);
  R.Fans = findFans(T, Calls);
  R.Overlaps = findOverlaps(T, Calls);
  R.Gathers = findGathers(T, R.Fans);
  R.Halos = findHalos(T, Calls);
  R.Threads = findThreads(T);
  R.Machine = measureMachine(T);
  return R;
}

} // namespace stridewise::merge
