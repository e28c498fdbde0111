// Where barriers stand that nothing needs: what the windows' proofs say of each place.

#include "BarrierProof.h"

#include <algorithm>
#include <numeric>

namespace stridewise::merge {
namespace {

/// Which paths meet in one barrier: they can be removed together only.
class PathSets {
public:
  explicit PathSets(size_t Paths) : Parent(Paths) { std::iota(Parent.begin(), Parent.end(), 0u); }
  uint32_t find(uint32_t Path) {
    while (Parent[Path] != Path)
      Path = Parent[Path] = Parent[Parent[Path]];
    return Path;
  }
  void unite(uint32_t A, uint32_t B) { Parent[find(A)] = find(B); }

private:
  std::vector<uint32_t> Parent;
};

bool callsAny(const Trace &T, uint32_t R, std::initializer_list<const char *> Names) {
  for (const auto &[Key, Total] : T.Ranks[R].Totals)
    for (const char *Name : Names)
      if (isCallName(Key.Call, Name))
        return true;
  return false;
}

/// What the totals of the whole run say; probes that found nothing leave no event, only a count.
struct RunFacts {
  std::vector<bool> Polls; // by rank
  bool SharedMemory = false, Files = false, OneSided = false;

  explicit RunFacts(const Trace &T) : Polls(T.Ranks.size()) {
    for (uint32_t R = 0; R < T.Ranks.size(); ++R) {
      Polls[R] = callsAny(T, R, {"MPI_Iprobe", "MPI_Improbe"});
      SharedMemory |= callsAny(T, R, {"MPI_Win_allocate_shared"});
      Files |= callsAny(T, R, {"MPI_File_open"});
      OneSided |= callsAny(T, R, {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_create_dynamic"});
    }
  }
};

struct Building {
  BarrierSite Site;
  std::map<uint32_t, uint64_t> Uses;            // by path
  std::vector<std::vector<uint32_t>> Instances; // per window
  uint64_t OneRankWorks = 0, BeforeEnd = 0;
};
using Buildings = std::map<uint32_t, Building>; // by the first of the paths that meet

/// Paths of an instance's members, without those of unknown ones.
std::vector<uint32_t> pathsOf(const Window &W, const Instance &I) {
  std::vector<uint32_t> Paths;
  for (uint32_t P = I.First; P < I.First + I.Count; ++P)
    if (uint32_t Path = W.Events[W.Parts[P].Rank][W.Parts[P].Start].Path; Path != None)
      Paths.push_back(Path);
  return Paths;
}

void uniteMeeting(PathSets &Sets, const Window &W, const BarrierProof &Proof) {
  for (uint32_t I = 0; I < W.Instances.size(); ++I) {
    if (!Proof.Candidate[I])
      continue;
    std::vector<uint32_t> Paths = pathsOf(W, W.Instances[I]);
    for (uint32_t Path : Paths)
      Sets.unite(Paths.front(), Path);
  }
}

/// Adds what the proof decided of one instance.
void addDecision(Building &B, const BarrierProof &Proof, size_t Window, uint32_t I) {
  const Decision &D = Proof.Decisions[I];
  if (D.What == Decision::Undecided) {
    ++B.Site.Undecided;
    return;
  }
  ++B.Site.Instances;
  B.OneRankWorks += Proof.OneRankWorks[I];
  B.BeforeEnd += Proof.BeforeEnd[I];
  if (D.What == Decision::Removed) {
    ++B.Site.Redundant;
    B.Instances[Window].push_back(I);
    return;
  }
  auto [It, New] = B.Site.Kept.try_emplace(D.Reason, D.Why);
  if (!New)
    ++It->second.Count;
}

Buildings sitesOf(const Trace &T, const std::vector<BarrierProof> &Proofs, PathSets &Sets) {
  Buildings Sites;
  for (size_t Index = 0; Index < T.Windows.size(); ++Index) {
    const Window &W = T.Windows[Index];
    for (uint32_t I = 0; I < W.Instances.size(); ++I) {
      std::vector<uint32_t> Paths = Proofs[Index].Candidate[I] ? pathsOf(W, W.Instances[I]) : std::vector<uint32_t>();
      if (Paths.empty())
        continue;
      Building &B = Sites[Sets.find(Paths.front())];
      B.Instances.resize(T.Windows.size());
      for (uint32_t Path : Paths)
        ++B.Uses[Path];
      addDecision(B, Proofs[Index], Index, I);
    }
  }
  return Sites;
}

/// Takes back what would let senders run ahead of a receiver; returns the instances of each window that may go.
std::vector<std::set<uint32_t>> removable(Buildings &Sites, const std::vector<BarrierProof> &Proofs) {
  std::vector<std::set<uint32_t>> Removed(Proofs.size());
  for (auto &[Root, B] : Sites) {
    for (size_t Index = 0; Index < Proofs.size() && B.Site.redundant(); ++Index)
      if (Witness Why; Proofs[Index].feedsFlood(B.Instances[Index], Why)) {
        Why.Count = B.Site.Instances;
        B.Site.Redundant = 0;
        B.Site.Kept["flow-control"] = Why;
      }
    for (size_t Index = 0; Index < Proofs.size() && B.Site.redundant(); ++Index)
      Removed[Index].insert(B.Instances[Index].begin(), B.Instances[Index].end());
  }
  return Removed;
}

void addWholeRun(BarrierSite &Site, const Trace &T) {
  auto Ranks = static_cast<uint32_t>(T.Ranks.size());
  Site.RankSeconds.resize(Ranks);
  Site.RankCounts.resize(Ranks);
  for (uint32_t R = 0; R < Ranks; ++R)
    for (uint32_t Path : Site.Paths) {
      CallTotal Total = T.totalOf(R, Path);
      Site.RankSeconds[R] += Total.Seconds;
      Site.RankCounts[R] += Total.Count;
      Site.WholeRunInstances = std::max(Site.WholeRunInstances, Site.RankCounts[R]);
    }
}

/// Gains: of each window, by instance.
void addGain(Building &B, const std::vector<std::map<uint32_t, double>> &Gains) {
  BarrierSite &Site = B.Site;
  for (size_t Index = 0; Index < Gains.size() && Site.redundant(); ++Index)
    for (uint32_t Inst : B.Instances[Index])
      if (auto It = Gains[Index].find(Inst); It != Gains[Index].end())
        Site.GainSeconds += It->second;
  if (Site.Instances != 0)
    Site.GainSeconds *=
        static_cast<double>(std::max(Site.WholeRunInstances, Site.Instances)) / static_cast<double>(Site.Instances);
  Site.GainSeconds = std::min(Site.GainSeconds, *std::max_element(Site.RankSeconds.begin(), Site.RankSeconds.end()));
}

void addNotes(Building &B, const RunFacts &Facts, const std::vector<BarrierProof> &Proofs) {
  BarrierSite &Site = B.Site;
  auto Note = [&](bool Holds, const char *What) {
    if (Holds)
      Site.Notes.insert(What);
  };
  Note(std::any_of(Proofs.begin(), Proofs.end(), [](const BarrierProof &Proof) { return Proof.Wildcards; }),
       "wildcards");
  Note(std::find(Facts.Polls.begin(), Facts.Polls.end(), true) != Facts.Polls.end(), "probes");
  Note(Facts.Files, "files");
  Note(Facts.OneSided, "one-sided");
  Note(2 * B.OneRankWorks >= Site.Instances && Site.Instances != 0, "one-rank-works");
  Note(B.BeforeEnd != 0 && 2 * B.BeforeEnd >= Site.Instances, "before-finalize");
  Note(Site.WholeRunInstances > Site.Instances + Site.Undecided, "partial");
}

} // namespace

std::vector<BarrierSite> findBarriers(const Trace &T) {
  RunFacts Facts(T);
  std::vector<BarrierProof> Proofs;
  Proofs.reserve(T.Windows.size());
  PathSets Sets(T.Paths.size());
  for (const Window &W : T.Windows) {
    Proofs.emplace_back(T, W, Facts.Polls, Facts.SharedMemory).run();
    uniteMeeting(Sets, W, Proofs.back());
  }
  Buildings Sites = sitesOf(T, Proofs, Sets);
  std::vector<std::set<uint32_t>> Removed = removable(Sites, Proofs);
  std::vector<std::map<uint32_t, double>> Gains;
  for (size_t Index = 0; Index < T.Windows.size(); ++Index)
    Gains.push_back(gainWithout(T.Windows[Index], Removed[Index]));
  std::vector<BarrierSite> Result;
  for (auto &[Root, B] : Sites) {
    B.Site.Paths = mostUsedFirst(B.Uses);
    addWholeRun(B.Site, T);
    addGain(B, Gains);
    addNotes(B, Facts, Proofs);
    Result.push_back(std::move(B.Site));
  }
  return Result;
}

} // namespace stridewise::merge
