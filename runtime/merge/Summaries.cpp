// Ranks of which there is a summary only, see pmpi_wrappers/reduce.c.

#include "TraceReader.h"

#include <algorithm>
#include <set>

namespace stridewise::merge {

/// What a summary tells beyond the ranks whose own totals are known: of the rank with the most time in a call these are
/// in the summary.
void Reader::addRest(const Shard &S, const std::vector<uint32_t> &PathMap, const std::vector<uint32_t> &Full) {
  auto ToTotal = [](const sw_reduced &Of, const sw_totals &From) {
    CallTotal Total;
    Total.Count = From.count;
    (Of.peer == SW_PEER_NULL ? Total.Nowhere : Total.Bytes) = Of.peer == SW_PEER_NULL ? From.count : From.bytes;
    Total.Seconds = 1e-9 * static_cast<double>(From.ns);
    Total.Bursts = From.bursts;
    Total.BurstCount = From.burst_count;
    Total.BurstMax = From.burst_max;
    Total.BurstSeconds = 1e-9 * static_cast<double>(From.burst_ns);
    return Total;
  };
  auto Less = [](uint64_t A, uint64_t B) { return A > B ? A - B : 0; };
  auto Subtract = [&](CallTotal &From, const CallTotal &What) {
    From.Count = Less(From.Count, What.Count);
    From.Bytes = Less(From.Bytes, What.Bytes);
    From.Nowhere = Less(From.Nowhere, What.Nowhere);
    From.Seconds = std::max(0.0, From.Seconds - What.Seconds);
    From.Bursts = Less(From.Bursts, What.Bursts);
    From.BurstCount = Less(From.BurstCount, What.BurstCount);
    From.BurstSeconds = std::max(0.0, From.BurstSeconds - What.BurstSeconds);
  };
  std::map<CallKey, CallTotal> Group;
  for (uint64_t I = 0; I < S.Reduced.size(); ++I) {
    auto Entry = S.Reduced.at<sw_reduced>(I);
    CallKey Key{Entry.path == SW_NO_PATH ? None : PathMap[Entry.path], Entry.call, Entry.size_bucket};
    CallTotal All = ToTotal(Entry, Entry.all);
    uint32_t MostRank = T.RankIndex[static_cast<size_t>(Entry.most_rank)];
    if (MostRank != None && !std::binary_search(Full.begin(), Full.end(), MostRank)) {
      CallTotal Most = ToTotal(Entry, Entry.most);
      T.Ranks[MostRank].Totals[Key].add(Most);
      Subtract(All, Most);
    }
    Group[Key].add(All);
  }
  for (uint64_t I = 0; I < S.Most.size(); ++I) {
    auto Entry = S.Most.at<sw_most>(I);
    Extreme &Known = T.Largest[{Entry.path == SW_NO_PATH ? None : PathMap[Entry.path], Entry.call}];
    Known.Count = std::max(Known.Count, Entry.count);
    Known.Bytes = std::max(Known.Bytes, Entry.bytes);
    Known.Partners = std::max(Known.Partners, Entry.partners);
    Known.Ranks += Entry.ranks;
  }
  for (uint32_t R : Full)
    for (const auto &[Key, Total] : T.Ranks[R].Totals)
      if (auto It = Group.find(Key); It != Group.end())
        Subtract(It->second, Total);
  for (const auto &[Key, Total] : Group)
    if (Total.Count != 0)
      T.Rest[Key].add(Total);
}

/// Ranks whose shards were reduced to summaries; of some of them there is a shard, too.
void Reader::addSummaries() {
  std::set<int32_t> Own;
  for (const Rank &R : T.Ranks)
    Own.insert(R.World);
  for (const Shard &S : Summaries)
    for (uint64_t I = 0; I < S.Ranks.size(); ++I) {
      auto From = S.Ranks.at<sw_rank_summary>(I);
      if (T.RankIndex[static_cast<size_t>(From.rank)] != None)
        continue;
      T.RankIndex[static_cast<size_t>(From.rank)] = static_cast<uint32_t>(T.Ranks.size());
      Rank Out{};
      Out.World = From.rank;
      Out.Shard = S.name();
      Out.Host = "?";
      Out.State = SW_STATE_CLOSED;
      Out.ThreadLevel = From.thread_level;
      Out.WallSeconds = 1e-9 * static_cast<double>(From.wall_ns);
      Out.MpiSeconds = std::min(1e-9 * static_cast<double>(From.mpi_ns), Out.WallSeconds);
      Out.QueueSeconds = 1e-9 * static_cast<double>(From.queueing_ns);
      Out.Calls = From.call_count;
      Out.Events = From.event_count;
      Out.DroppedCalls = From.dropped_calls;
      Out.DroppedPaths = From.dropped_paths;
      Out.DroppedRequests = From.dropped_requests;
      Out.DroppedComms = From.dropped_comms;
      Out.PeakBytes = From.peak_bytes;
      Out.Processors = From.processors;
      T.Ranks.push_back(std::move(Out));
      ++T.Reduced;
    }
  std::sort(T.Ranks.begin(), T.Ranks.end(), [](const Rank &A, const Rank &B) { return A.World < B.World; });
  for (uint32_t R = 0; R < T.Ranks.size(); ++R)
    T.RankIndex[static_cast<size_t>(T.Ranks[R].World)] = R;
  for (const Shard &S : Summaries) {
    std::vector<uint32_t> Full;
    for (uint64_t I = 0; I < S.Ranks.size(); ++I)
      if (int32_t World = S.Ranks.at<sw_rank_summary>(I).rank; Own.contains(World))
        Full.push_back(T.RankIndex[static_cast<size_t>(World)]);
    std::sort(Full.begin(), Full.end());
    addRest(S, mapPaths(S), Full);
    if (uint64_t Dropped = S.header().dropped_calls + S.header().dropped_paths)
      T.Notes.push_back(S.name() + ": the ranks differ in so many call paths that " + std::to_string(Dropped) +
                        " calls or paths found no room");
  }
  if (T.Reduced == 0)
    return;
  T.Notes.push_back(std::to_string(T.Reduced) +
                    (T.Reduced == 1 ? " rank is known by a summary only" : " ranks are known by summaries only") +
                    ": nothing is said of waiting, barriers, chains, duplicates, hand-made collectives, overlap and "
                    "placement, which need all events; of each call path, the seconds of the rank with the most are "
                    "known, and the sum over the others");
}

} // namespace stridewise::merge
