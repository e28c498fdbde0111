// The efficiencies of the POP model; the time on an ideal network comes from replaying the windows with calls that take
// no time of their own.

#include "Analyses.h"
#include "Walk.h"

#include <algorithm>

namespace stridewise::merge {
namespace {

/// When each rank would have been done if calls took only as long as they had to wait for others, in nanoseconds.
double idealNs(const Trace &T, const Window &W, std::vector<double> &Computed) {
  auto Ranks = static_cast<uint32_t>(W.Events.size());
  std::vector<double> Clock(Ranks, 0);
  std::vector<int64_t> LastEnd(Ranks, W.Begin);
  std::vector<std::vector<double>> Started(Ranks); // by rank and group
  for (uint32_t R = 0; R < Ranks; ++R) {
    Started[R].assign(W.groups(R), 0);
    if (W.FromStart)
      LastEnd[R] = T.Ranks[R].BeginNs;
  }
  auto Visit = [&](uint32_t R, uint32_t Node) {
    uint32_t G = Node / 2;
    const Event &Call = W.firstOf(R, G);
    if (Node % 2 == 0) {
      double Gap = static_cast<double>(std::max<int64_t>(0, Call.Begin - LastEnd[R]));
      Clock[R] += Gap;
      Computed[R] += Gap;
      Started[R][G] = Clock[R];
      return;
    }
    double Inside = static_cast<double>(Call.End - Call.Begin) - Call.callNs();
    Clock[R] += Inside;
    Computed[R] += Inside;
    LastEnd[R] = std::max(LastEnd[R], Call.End);
    auto After = [&](uint32_t Other, uint32_t E) {
      Clock[R] = std::max(Clock[R], Started[Other][W.Events[Other][E].Group]);
    };
    for (uint32_t E = W.groupBegin(R, G); E < W.GroupEnd[R][G]; ++E) {
      const Event &Here = W.Events[R][E];
      if (Here.Link == None || Here.has(SW_EV_START))
        continue;
      if (Here.has(SW_EV_COLLECTIVE)) {
        const Instance &I = W.Instances[Here.Link];
        bool Root = I.RootPart != None && W.Parts[I.RootPart].Rank == R;
        if (I.FullSync || (I.Flow == Instance::ToRoot && Root)) {
          for (uint32_t P = I.First; P < I.First + I.Count; ++P)
            After(W.Parts[P].Rank, W.Parts[P].Start);
        } else if (I.Flow == Instance::FromRoot) {
          After(W.Parts[I.RootPart].Rank, W.Parts[I.RootPart].Start);
        }
      } else if (const Message &M = W.Messages[Here.Link]; Here.has(SW_EV_RECV)) {
        After(M.Source, M.SendStart);
      } else if (Here.has(SW_EV_SYNCHRONOUS) && M.RecvPost != None) {
        After(M.Target, M.RecvPost);
      }
    }
  };
  Walk Scheduler(W, {.RootedCollectives = true});
  Scheduler.run(Visit, [&] {
    for (uint32_t R = 0; R < Ranks; ++R)
      if (!Scheduler.atEnd(R))
        return Scheduler.force(R);
  });
  double Ideal = 0;
  // NOLINTNEXTLINE(stridewise-mem-array-of-structs): one record per rank, once per window
  for (uint32_t R = 0; R < Ranks; ++R) {
    if (W.ToEnd) {
      double Rest = static_cast<double>(T.Ranks[R].BeginNs - LastEnd[R]) + 1e9 * T.Ranks[R].WallSeconds;
      Clock[R] += std::max(0.0, Rest);
      Computed[R] += std::max(0.0, Rest);
    }
    Ideal = std::max(Ideal, Clock[R]);
  }
  return Ideal;
}

} // namespace

Efficiency findEfficiency(const Trace &T) {
  Efficiency Found;
  double Ideal = 0, Computed = 0, MaxWork = 0, Wall = 0;
  for (const Window &W : T.Windows) {
    if (W.Threads)
      return Found;
    std::vector<double> PerRank(W.Events.size(), 0);
    Ideal += idealNs(T, W, PerRank);
    Computed += PerRank.empty() ? 0 : *std::max_element(PerRank.begin(), PerRank.end());
  }
  for (const Rank &R : T.Ranks) {
    MaxWork = std::max(MaxWork, R.WallSeconds - R.MpiSeconds);
    Wall = std::max(Wall, R.WallSeconds);
  }
  if (Ideal <= 0 || Wall <= 0 || Computed <= 0)
    return Found;
  // Communication efficiency is their product, whatever part of the run the windows show.
  double Communication = std::min(1.0, MaxWork / Wall);
  Found.Serialisation = std::clamp(Computed / Ideal, Communication, 1.0);
  Found.Transfer = Found.Serialisation > 0 ? std::min(1.0, Communication / Found.Serialisation) : 0;
  Found.Known = true;
  return Found;
}

} // namespace stridewise::merge
