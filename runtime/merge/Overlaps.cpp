// Non-blocking messages that overlap with nothing: completed right after they were started, although the rank computes
// afterwards. And calls of several threads.

#include "Analyses.h"

#include <unordered_map>

namespace stridewise::merge {

std::vector<OverlapSite> findOverlaps(const Trace &T, const WholeRun &Whole, const CallWaits &Calls) {
  std::map<uint32_t, OverlapSite> Sites;
  for (size_t Index = 0; Index < T.Windows.size(); ++Index) {
    const Window &W = T.Windows[Index];
    if (W.Threads)
      continue;
    for (uint32_t R = 0; R < W.Events.size(); ++R) {
      std::vector<double> ComputedBy(W.groups(R)); // by call
      double Computed = 0;
      int64_t LastEnd = W.Begin;
      for (uint32_t G = 0; G < W.groups(R); ++G) {
        const Event &Call = W.firstOf(R, G);
        Computed += static_cast<double>(std::max<int64_t>(0, Call.Begin - LastEnd));
        LastEnd = std::max(LastEnd, Call.End);
        ComputedBy[G] = Computed;
        double Latest = -1;
        uint64_t Bytes = 0;
        for (uint32_t I = W.groupBegin(R, G); I < W.GroupEnd[R][G]; ++I) {
          const Event &E = W.Events[R][I];
          if (E.Start == None || E.has(SW_EV_COLLECTIVE) || E.Peer < 0)
            continue;
          const Event &Started = W.Events[R][E.Start];
          if (Started.has(SW_EV_COLLECTIVE) || Started.Peer < 0)
            continue;
          Latest = std::max(Latest, ComputedBy[Started.Group]);
          Bytes += E.Bytes;
        }
        if (Latest < 0 || Call.Path == None)
          continue;
        double Waiting = static_cast<double>(Calls[Index][R][G]), Own = std::max(0.0, Call.callNs() - Waiting);
        double After = 0;
        if (G + 1 < W.groups(R))
          After = static_cast<double>(std::max<int64_t>(0, W.firstOf(R, G + 1).Begin - Call.End));
        double Scale = 1e-9 * Whole.factor(Call.Path, R);
        OverlapSite &Site = Sites[Call.Path];
        Site.Path = Call.Path;
        ++Site.Calls;
        Site.Bytes += Bytes;
        Site.Seconds += Scale * Call.callNs();
        Site.Waiting += Scale * Waiting;
        Site.Before += Scale * (Computed - Latest);
        Site.After += Scale * After;
        Site.Hideable += Scale * std::min(Own, After);
        Site.RankSeconds[R] += Scale * Own;
      }
    }
  }
  std::vector<OverlapSite> Result;
  for (auto &[Path, Site] : Sites)
    Result.push_back(std::move(Site));
  return Result;
}

std::vector<ThreadSite> findThreads(const Trace &T) {
  std::map<uint32_t, ThreadSite> Sites;
  for (const Window &W : T.Windows) {
    if (!W.Threads && T.Ranks.empty())
      continue;
    for (uint32_t R = 0; R < W.Events.size(); ++R) {
      std::unordered_map<uint16_t, int64_t> Until; // by thread: the end of its latest call
      for (uint32_t G = 0; G < W.groups(R); ++G) {
        const Event &Call = W.firstOf(R, G);
        bool Concurrent = false;
        for (const auto &[Thread, End] : Until)
          Concurrent |= Thread != Call.Thread && End > Call.Begin;
        int64_t &Mine = Until[Call.Thread];
        Mine = std::max(Mine, Call.End);
        if ((Call.Thread == 0 && !Concurrent) || Call.Path == None || Call.has(SW_EV_TIMER))
          continue;
        ThreadSite &Site = Sites[Call.Path];
        Site.Path = Call.Path;
        Site.Calls += Call.Thread != 0;
        Site.Concurrent += Concurrent;
        Site.Ranks.insert(R);
      }
    }
  }
  std::vector<ThreadSite> Result;
  for (auto &[Path, Site] : Sites)
    Result.push_back(std::move(Site));
  return Result;
}

} // namespace stridewise::merge
