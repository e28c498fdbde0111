// All analyses: those that need no other one side by side, then those that need the waits.

#include "Analyses.h"
#include "Parallel.h"

#include <functional>
#include <vector>

namespace stridewise::merge {

/// Does all tasks, the first ones first.
static void doAll(const std::vector<std::function<void()>> &Tasks) {
  forEachIndex(Tasks.size(), [&](size_t I) { Tasks[I](); });
}

Results analyse(const Trace &T) {
  Results R;
  CallWaits Calls;
  WindowSeconds InWindows(T);
  WholeRun Whole(T, InWindows);
  // Side by side is what takes about as long and, taken together, not more memory than the others.
  doAll({[&] { R.Chains = findChains(T, InWindows); }, [&] { R.Barriers = findBarriers(T); }});
  doAll({[&] { R.Waits = findWaits(T, Whole, Calls); }, [&] { R.Pop = findEfficiency(T); },
         [&] { R.Bursts = findBursts(T, InWindows); }, [&] { R.Machine = measureMachine(T); },
         [&] { R.Threads = findThreads(T); }});
  doAll({[&] { R.Fans = findFans(T, Whole, Calls); }, [&] { R.Duplicates = findDuplicates(T, Whole, Calls); },
         [&] { R.Overlaps = findOverlaps(T, Whole, Calls); }, [&] { R.Halos = findHalos(T, Whole, Calls); }});
  R.Gathers = findGathers(T, R.Fans);
  return R;
}

} // namespace stridewise::merge
