// What the removal of barriers saves: how much the phases between redundant ones could overlap.

#include "BarrierProof.h"

#include <algorithm>

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

/// Computation of each rank before each of its calls, summed up.
std::vector<std::vector<double>> workBefore(const Window &W) {
  auto Ranks = static_cast<uint32_t>(W.Events.size());
  std::vector<std::vector<double>> Work(Ranks);
  for (uint32_t R = 0; R < Ranks; ++R) {
    Work[R].resize(W.groups(R) + 1, 0);
    for (uint32_t G = 0; G < W.groups(R); ++G) {
      const Event &E = W.firstOf(R, G);
      int64_t Gap = G == 0 ? 0 : E.Begin - W.firstOf(R, G - 1).End;
      double Inside = static_cast<double>(E.End - E.Begin) - E.callNs(); // between the messages of a run
      Work[R][G + 1] = Work[R][G] + 1e-9 * (static_cast<double>(std::max<int64_t>(Gap, 0)) + Inside);
    }
  }
  return Work;
}

} // namespace

std::map<uint32_t, double> gainWithout(const Window &W, const std::set<uint32_t> &Removed) {
  std::map<uint32_t, double> Gain;
  for (uint32_t Inst : Removed)
    if (!W.Instances[Inst].World)
      Gain[Inst] = ownSeconds(W, W.Instances[Inst], false);

  auto Ranks = static_cast<uint32_t>(W.Events.size());
  std::vector<std::vector<double>> Work = workBefore(W);
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

  std::vector<uint32_t> Since(Ranks, 0), Phase(Ranks, 0); // groups passed, at the last staying sync and the last sync
  std::vector<uint32_t> Open;
  double SumOfLongest = 0;
  auto Close = [&](const std::vector<uint32_t> &Until) {
    double LongestPhase = 0, LongestSum = 0;
    for (uint32_t R = 0; R < Ranks; ++R) {
      LongestPhase = std::max(LongestPhase, Work[R][Until[R]] - Work[R][Phase[R]]);
      LongestSum = std::max(LongestSum, Work[R][Until[R]] - Work[R][Since[R]]);
    }
    double Overlap = std::max(0.0, SumOfLongest + LongestPhase - LongestSum), Cost = 0;
    for (uint32_t Inst : Open)
      Cost += ownSeconds(W, W.Instances[Inst], true);
    for (uint32_t Inst : Open) {
      double Own = ownSeconds(W, W.Instances[Inst], false), Longest = ownSeconds(W, W.Instances[Inst], true);
      Gain[Inst] = Own + (Cost > 0 ? Overlap * Longest / Cost : 0);
    }
  };
  for (const Sync &S : Syncs) {
    std::vector<uint32_t> Until(Ranks);
    for (uint32_t R = 0; R < Ranks; ++R)
      Until[R] = GroupOf(S.Inst, R) + 1;
    if (S.Stays) {
      Close(Until);
      Open.clear();
      SumOfLongest = 0;
      Since = Until;
    } else {
      double Longest = 0;
      for (uint32_t R = 0; R < Ranks; ++R)
        Longest = std::max(Longest, Work[R][Until[R]] - Work[R][Phase[R]]);
      SumOfLongest += Longest;
      Open.push_back(S.Inst);
    }
    Phase = Until;
  }
  // All meet again in MPI_Finalize, or at a synchronisation beyond the window.
  std::vector<uint32_t> Until(Ranks);
  for (uint32_t R = 0; R < Ranks; ++R)
    Until[R] = W.groups(R);
  Close(Until);
  return Gain;
}

} // namespace stridewise::merge
