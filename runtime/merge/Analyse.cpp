// All analyses: those that need no other one side by side, then those that need the waits.

#include "Analyses.h"
#include "Parallel.h"

#include <array>
#include <functional>

namespace stridewise::merge {

/// Does all tasks, the first ones first.
template <size_t Count> static void doAll(const std::array<std::function<void()>, Count> &Tasks) {
  forEachIndex(Count, [&](size_t I) { Tasks[I](); });
}

Results analyse(const Trace &T) {
  Results R;
  CallWaits Calls;
  WindowSeconds InWindows(T);
  WholeRun Whole(T, InWindows);
  // Side by side is what takes about as long and, taken together, not more memory than the others.
  doAll<2>({[&] { R.Chains = findChains(T, InWindows); }, [&] { R.Barriers = findBarriers(T); }});
  doAll<5>({[&] { R.Waits = findWaits(T, Whole, Calls); }, [&] { R.Pop = findEfficiency(T); },
            [&] { R.Bursts = findBursts(T, InWindows); }, [&] { R.Machine = measureMachine(T); },
            [&] { R.Threads = findThreads(T); }});
  doAll<4>({[&] { R.Fans = findFans(T, Whole, Calls); }, [&] { R.Duplicates = findDuplicates(T, Whole, Calls); },
            [&] { R.Overlaps = findOverlaps(T, Whole, Calls); }, [&] { R.Halos = findHalos(T, Whole, Calls); }});
  R.Gathers = findGathers(T, R.Fans);
  return R;
}

} // namespace stridewise::merge
