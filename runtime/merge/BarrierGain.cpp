// What the removal of barriers saves: how much the phases between redundant ones could overlap.

#include "BarrierProof.h"
#include "Parallel.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stridewise::merge {
namespace {

/// The shortest or longest stay in an instance.
double ownSeconds(const Window &W, const Instance &I, bool Longest) {
  int64_t Best = -1;
  for (uint32_t P = I.First; P < I.First + I.Count; ++P) {
    const Event &E = W.Events[W.Parts[P].Rank][W.Parts[P].Start];
    int64_t Duration = E.End - E.Begin;
    Best = Best < 0 ? Duration : Longest ? std::max(Best, Duration) : std::min(Best, Duration);
  }
  return 1e-9 * static_cast<double>(std::max<int64_t>(Best, 0));
}

/// Computation of a rank before the first call, then up to the end of each of the given calls, then up to the window's
/// end; in seconds, from its beginning.
std::vector<double> workUntil(const Window &W, uint32_t R, const std::vector<uint32_t> &Groups) {
  std::vector<std::pair<uint32_t, size_t>> Sorted;
  for (uint32_t Group : Groups)
    Sorted.emplace_back(Group, Sorted.size() + 1);
  std::sort(Sorted.begin(), Sorted.end());
  std::vector<double> Work(Groups.size() + 2, 0);
  double Sum = 0;
  int64_t LastEnd = 0;
  auto Next = Sorted.begin();
  for (uint32_t G = 0; G < W.groups(R); ++G) {
    const Event &E = W.firstOf(R, G);
    int64_t Gap = G == 0 ? 0 : E.Begin - LastEnd;
    double Inside = static_cast<double>(E.End - E.Begin) - E.callNs(); // between the messages of a run
    Sum += 1e-9 * (static_cast<double>(std::max<int64_t>(Gap, 0)) + Inside);
    LastEnd = E.End;
    for (; Next != Sorted.end() && Next->first == G; ++Next)
      Work[Next->second] = Sum;
  }
  Work.back() = Sum;
  return Work;
}

} // namespace

std::map<uint32_t, double> gainWithout(const Window &W, const std::set<uint32_t> &Removed) {
  std::map<uint32_t, double> Gain;
  for (uint32_t Inst : Removed)
    if (!W.Instances[Inst].World)
      Gain[Inst] = ownSeconds(W, W.Instances[Inst], false);

  auto Ranks = static_cast<uint32_t>(W.Events.size());
  struct Sync {
    uint32_t Inst;
    bool Stays;
  };
  std::vector<Sync> Syncs;
  for (uint32_t Inst = 0; Inst < W.Instances.size(); ++Inst) {
    const Instance &I = W.Instances[Inst];
    if (I.World && I.FullSync && !I.NonBlocking && I.Count == Ranks)
      Syncs.push_back({Inst, !Removed.contains(Inst)});
  }
  auto GroupOf = [&](uint32_t Inst, uint32_t R) {
    const Part &P = W.Parts[W.Instances[Inst].First + R]; // parts are sorted by rank, and all ranks take part
    return W.Events[R][P.Start].Group;
  };
  std::sort(Syncs.begin(), Syncs.end(),
            [&](const Sync &A, const Sync &B) { return GroupOf(A.Inst, 0) < GroupOf(B.Inst, 0); });

  // By point in time, then by rank: up to the beginning, each synchronisation and the end. All ranks meet again in
  // MPI_Finalize, or at a synchronisation beyond the window.
  std::vector<double> Work((Syncs.size() + 2) * Ranks);
  forEachIndex(Ranks, [&](size_t R) {
    std::vector<uint32_t> Groups;
    for (const Sync &S : Syncs)
      Groups.push_back(GroupOf(S.Inst, static_cast<uint32_t>(R)));
    const std::vector<double> OfRank = workUntil(W, static_cast<uint32_t>(R), Groups);
    for (size_t Point = 0; Point < OfRank.size(); ++Point)
      Work[Point * Ranks + R] = OfRank[Point];
  });
  auto LongestWork = [&](size_t From, size_t To) {
    double Longest = 0;
    for (size_t R = 0; R < Ranks; ++R)
      Longest = std::max(Longest, Work[To * Ranks + R] - Work[From * Ranks + R]);
    return Longest;
  };

  size_t Since = 0; // the last synchronisation that stays
  std::vector<uint32_t> Open;
  double SumOfLongest = 0;
  auto Close = [&](size_t Until) {
    double LongestPhase = LongestWork(Until - 1, Until), LongestSum = LongestWork(Since, Until);
    double Overlap = std::max(0.0, SumOfLongest + LongestPhase - LongestSum), Cost = 0;
    for (uint32_t Inst : Open)
      Cost += ownSeconds(W, W.Instances[Inst], true);
    for (uint32_t Inst : Open) {
      double Own = ownSeconds(W, W.Instances[Inst], false), Longest = ownSeconds(W, W.Instances[Inst], true);
      Gain[Inst] = Own + (Cost > 0 ? Overlap * Longest / Cost : 0);
    }
  };
  for (size_t Until = 1; Until <= Syncs.size(); ++Until) {
    const Sync &S = Syncs[Until - 1];
    if (S.Stays) {
      Close(Until);
      Open.clear();
      SumOfLongest = 0;
      Since = Until;
    } else {
      SumOfLongest += LongestWork(Until - 1, Until);
      Open.push_back(S.Inst);
    }
  }
  Close(Syncs.size() + 1);
  return Gain;
}

} // namespace stridewise::merge
