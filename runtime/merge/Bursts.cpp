// Bursts of small messages: totals are exact (the interposer counts bursts), the share of a burst's time that falls on
// the messages after its first is measured in the windows. The first message of a burst is left to other patterns, so
// that no second is counted twice.

#include "Analyses.h"
#include "Parallel.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace stridewise::merge {

WindowSeconds::WindowSeconds(const Trace &T) {
  std::vector<std::vector<std::pair<uint32_t, double>>> PerRank(T.Ranks.size());
  forEachIndex(T.Ranks.size(), [&](size_t R) {
    FlatMap<double> Sums; // by path
    for (const Window &W : T.Windows)
      for (uint32_t G = 0; G < W.groups(static_cast<uint32_t>(R)); ++G) {
        const Event &E = W.firstOf(static_cast<uint32_t>(R), G);
        if (E.Path != None && E.End > E.Begin)
          Sums[E.Path] += 1e-9 * E.callNs();
      }
    Sums.forEach([&](uint64_t Path, double Sum) {
      if (Sum > 0)
        PerRank[R].emplace_back(static_cast<uint32_t>(Path), Sum);
    });
  });
  for (uint32_t R = 0; R < PerRank.size(); ++R)
    for (const auto &[Path, Sum] : PerRank[R])
      Seconds[pairKey(Path, R)] = Sum;
}

namespace {

constexpr size_t MostCells = 1000000; // of sites and ranks

double mean(const std::map<uint32_t, double> &Seconds, const std::map<uint32_t, uint64_t> &Counts) {
  double Sum = 0;
  uint64_t Count = 0;
  for (const auto &[R, Value] : Seconds)
    Sum += Value;
  for (const auto &[R, Value] : Counts)
    Count += Value;
  return Count == 0 ? 0 : Sum / static_cast<double>(Count);
}

uint16_t sizeBucket(uint32_t Bytes) {
  uint16_t Bucket = 0;
  for (; Bytes != 0; Bytes >>= 1)
    ++Bucket;
  return Bucket;
}

/// What the windows show of one path and size.
struct Sample {
  double First = 0, Following = 0; // seconds of sends in bursts of two or more
  std::unordered_map<uint32_t, double> RankFollowing;
  std::unordered_map<uint64_t, double> ReceiveTime; // by receive path and rank: following messages
  std::unordered_map<uint64_t, uint64_t> ReceiveCount;
};

/// Leaves the sites whose messages took longest: of very large jobs with places of their own on each rank, a trace
/// cannot hold all.
void dropCheap(std::map<std::pair<uint32_t, uint16_t>, BurstSite> &Sites, size_t Most) {
  if (Sites.size() <= Most)
    return;
  std::vector<double> Costs;
  auto Cost = [](const BurstSite &Site) {
    double Sum = 0;
    for (const auto &[R, Value] : Site.RankSeconds)
      Sum += Value;
    return Sum;
  };
  for (const auto &[Key, Site] : Sites)
    Costs.push_back(Cost(Site));
  std::nth_element(Costs.begin(), Costs.begin() + static_cast<std::ptrdiff_t>(Most), Costs.end(), std::greater<>());
  double Least = Costs[Most];
  std::erase_if(Sites, [&](const auto &Entry) { return Cost(Entry.second) <= Least; });
}

double seconds(const Event &E) { return 1e-9 * E.callNs(); }

using SiteKey = std::pair<uint32_t, uint16_t>; // path, size bucket
using Sites = std::map<SiteKey, BurstSite>;

/// All messages of a place, in bursts or not.
struct Volume {
  uint64_t Bytes = 0, Count = 0;
};

/// The places of bursts, from the totals of the whole run.
Sites sitesOf(const Trace &T, std::map<SiteKey, Volume> &Volumes) {
  Sites Found;
  auto Add = [&](const SiteKey &Key, const CallTotal &Total, uint64_t Multiple) -> BurstSite & {
    BurstSite &Site = Found[Key];
    Site.Path = Key.first;
    Site.SizeBucket = Key.second;
    Site.Messages += Total.BurstCount;
    Site.Bursts += Multiple;
    Site.Longest = std::max(Site.Longest, Total.BurstMax);
    Volumes[Key].Bytes += Total.Bytes;
    Volumes[Key].Count += Total.Count;
    return Site;
  };
  for (uint32_t R = 0; R < T.Ranks.size(); ++R)
    for (const auto &[Key, Total] : T.Ranks[R].Totals) {
      uint64_t Single = Total.Count - Total.BurstCount;
      if (Key.Path == None || Total.BurstCount < 2 || Total.Bursts <= Single)
        continue;
      uint64_t Multiple = std::min(Total.Bursts - Single, Total.BurstCount / 2);
      BurstSite &Site = Add({Key.Path, Key.SizeBucket}, Total, Multiple);
      Site.RankMessages[R] += Total.BurstCount - Multiple;
      Site.RankSeconds[R] += Total.BurstSeconds;
    }
  for (const auto &[Key, Total] : T.Rest)
    if (Found.contains({Key.Path, Key.SizeBucket}) && Total.BurstCount >= 2) {
      uint64_t Single = Total.Count - std::min(Total.Count, Total.BurstCount);
      Add({Key.Path, Key.SizeBucket}, Total,
          std::min(Total.Bursts - std::min(Total.Bursts, Single), Total.BurstCount / 2));
    }
  return Found;
}

/// What the windows show of all places.
struct Samples {
  std::map<SiteKey, Sample> OfSite;
  FlatMap<uint64_t> Count; // by path and rank: messages

  void add(const Window &W, uint32_t R);

private:
  void addReceive(Sample &S, const Window &W, const Message &M);
};

void Samples::addReceive(Sample &S, const Window &W, const Message &M) {
  if (M.RecvPost == None)
    return;
  // A non-blocking receive costs its posting here; its waiting is another call.
  const Event &Receive = W.Events[M.Target][M.RecvPost];
  if (Receive.Path == None || Receive.Group >= W.groups(M.Target))
    return;
  S.ReceiveTime[pairKey(Receive.Path, M.Target)] += seconds(Receive);
  S.ReceiveCount[pairKey(Receive.Path, M.Target)] += M.Count;
}

void Samples::add(const Window &W, uint32_t R) {
  FlatMap<uint32_t> First; // open burst by path and peer: its first send
  for (uint32_t I = 0; I < W.Events[R].size(); ++I) {
    const Event &E = W.Events[R][I];
    if (E.Path != None && !E.has(SW_EV_COMPLETE))
      Count[pairKey(E.Path, R)] += E.Count;
    if (!E.has(SW_EV_SEND) || E.has(SW_EV_COMPLETE) || E.Peer < 0 || E.Path == None)
      continue;
    uint64_t Key = pairKey(E.Path, static_cast<uint32_t>(E.Peer));
    if (E.Link == None || !W.Messages[E.Link].Following) {
      First[Key] = I;
      continue;
    }
    Sample &S = OfSite[{E.Path, sizeBucket(E.Bytes)}];
    if (const uint32_t *Open = First.find(Key)) {
      S.First += seconds(W.Events[R][*Open]);
      First.erase(Key);
    }
    S.Following += seconds(E);
    S.RankFollowing[R] += seconds(E);
    addReceive(S, W, W.Messages[E.Link]);
  }
}

/// The receivers' side of a place.
void addReceives(BurstSite &Site, Sample &S, Samples &Seen, const Trace &T, const WindowSeconds &InWindows) {
  std::map<uint32_t, double> ByPath;
  for (const auto &[PathAndRank, Time] : S.ReceiveTime) {
    auto Path = static_cast<uint32_t>(PathAndRank >> 32), R = static_cast<uint32_t>(PathAndRank);
    CallTotal Total = T.totalOf(R, Path);
    double Whole = InWindows.of(Path, R);
    if (Whole > 0)
      Site.RankReceiveSeconds[R] += Total.Seconds * std::min(1.0, Time / Whole);
    double CountShare = static_cast<double>(S.ReceiveCount[PathAndRank]) /
                        static_cast<double>(std::max<uint64_t>(1, Seen.Count[PathAndRank]));
    Site.RankReceives[R] += static_cast<uint64_t>(static_cast<double>(Total.Count) * std::min(1.0, CountShare));
    ByPath[Path] += Time;
  }
  Site.ReceivePaths = mostUsedFirst(ByPath);
}

/// Leaves of a place's seconds those of the messages behind the first of each burst.
void leaveFollowing(BurstSite &Site, const Sample *S, const Trace &T, const WindowSeconds &InWindows) {
  double Share = static_cast<double>(Site.Messages - Site.Bursts) / static_cast<double>(Site.Messages);
  if (S && S->First + S->Following > 0)
    Share = S->Following / (S->First + S->Following);
  for (auto &[R, RankSeconds] : Site.RankSeconds) {
    // The share of the path's own time where the windows show it, so that shares of one path never exceed it.
    double Whole = InWindows.of(Site.Path, R);
    double Following = S && S->RankFollowing.contains(R) ? S->RankFollowing.at(R) : 0;
    if (Whole > 0 && Following > 0)
      RankSeconds = std::min(RankSeconds, T.totalOf(R, Site.Path).Seconds * std::min(1.0, Following / Whole));
    else
      RankSeconds *= Share;
  }
}

} // namespace

std::vector<BurstSite> findBursts(const Trace &T, const WindowSeconds &InWindows) {
  auto Ranks = static_cast<uint32_t>(T.Ranks.size());
  std::map<SiteKey, Volume> Volumes;
  Sites Found = sitesOf(T, Volumes);
  Samples Seen;
  for (const Window &W : T.Windows)
    for (uint32_t R = 0; R < Ranks; ++R)
      Seen.add(W, R);
  std::vector<BurstSite> Result;
  dropCheap(Found, MostCells / std::max(1u, Ranks));
  for (auto &[Key, Site] : Found) {
    const Volume &All = Volumes[Key];
    Site.BytesPerMessage = static_cast<double>(All.Bytes) / static_cast<double>(All.Count);
    auto It = Seen.OfSite.find(Key);
    Sample *S = It == Seen.OfSite.end() ? nullptr : &It->second;
    if (S)
      addReceives(Site, *S, Seen, T, InWindows);
    leaveFollowing(Site, S, T, InWindows);
    Site.SecondsPerMessage = mean(Site.RankSeconds, Site.RankMessages);
    Site.ReceiveSecondsPerMessage = mean(Site.RankReceiveSeconds, Site.RankReceives);
    Result.push_back(std::move(Site));
  }
  return Result;
}

} // namespace stridewise::merge
