// Collective operations made of single messages. A round: on one rank, from one call path, one message to (or from)
// each other rank of a communicator, each of them once, with nothing received from any of them in between that could
// have decided what comes next (a question to each in turn, or work handed out on demand, is no collective).
//
// What replaces it: one payload for all is a broadcast, different ones a scatter; messages that are received into one
// buffer after the other are reduced, those into different buffers, or written to a file one by one, gathered; a round
// on every rank is an all-to-all.
//
// And, beside them, what brings the data of all ranks to one, which then works alone: a collective, or such a round.

#include "Analyses.h"
#include "NumberSet.h"
#include "thresholds.h"

#include <cmath>
#include <span>

namespace stridewise::merge {
namespace {

using namespace limits::mpi_handmade_collective;

/// Whether all values of a series are one.
struct OneValue {
  uint32_t First = 0;
  bool Any = false, Same = true;
  void add(uint32_t Value) {
    Same &= !Any || Value == First;
    First = Any ? First : Value;
    Any = true;
  }
  bool holds() const { return Any && Same; }
};

struct RoundSums {
  uint32_t Comm = None;
  OneValue Buffer, Payload;
  bool AllHashed = true, Receives = false, Answers = false;
  uint32_t Written = 0;
  double AloneNs = 0;
  uint64_t Bytes = 0;
  uint32_t Smallest = UINT32_MAX, Largest = 0;
  double Ns = 0;
};

struct Round : RoundSums {
  uint32_t Path = None;
  NumberSet Peers;
  NumberSet Heard; // ranks that something arrived from meanwhile
  /// Begins anew, in the memory that there is.
  void clear() {
    static_cast<RoundSums &>(*this) = {};
    Peers.clear();
    Heard.clear();
  }
};

/// The rounds of one rank that are under way, one for each path.
class OpenRounds {
public:
  std::span<Round> all() { return std::span(Rounds).first(Count); }
  Round &of(uint32_t Path) {
    for (Round &Here : all())
      if (Here.Path == Path)
        return Here;
    if (Count == Rounds.size())
      Rounds.emplace_back();
    Round &New = Rounds[Count++];
    New.clear();
    New.Path = Path;
    return New;
  }
  template <typename Condition> void eraseIf(Condition Ends) {
    for (size_t I = 0; I < Count;)
      if (Ends(Rounds[I]))
        std::swap(Rounds[I], Rounds[--Count]);
      else
        ++I;
  }

private:
  std::vector<Round> Rounds; // those beyond Count are over, and their memory waits for others
  size_t Count = 0;
};

/// Whether a message may belong to a round.
bool isFan(const Event &E) {
  return !E.has(SW_EV_COMPLETE | SW_EV_SENDRECV | SW_EV_PROBE | SW_EV_RUN) && E.Path != None && E.Comm != None &&
         E.Peer >= 0 && E.has(SW_EV_SEND | SW_EV_RECV) && !(E.has(SW_EV_RECV) && E.has(SW_EV_ANY_SOURCE));
}

/// How long a rank was outside MPI before an event, if it wrote something meanwhile.
double aloneBefore(const Window &W, uint32_t R, uint32_t I) {
  const Event &E = W.Events[R][I];
  if (!E.has(SW_EV_OTHER_IO) || I == 0 || W.Events[R][I - 1].Group == E.Group)
    return 0;
  return static_cast<double>(std::max<int64_t>(1, E.Begin - W.Events[R][I - 1].End));
}

void noteOutput(Round &Here, double AloneNs) {
  ++Here.Written;
  Here.AloneNs += AloneNs;
}

/// Collects rounds of one window after the other.
class Rounds {
public:
  Rounds(const Trace &T, const WholeRun &Whole, const CallWaits &Calls) : T(T), Calls(Calls), Whole(Whole) {}
  void add(size_t Index);
  std::vector<FanSite> sites();

private:
  void interrupt(OpenRounds &Open, const Event &E) const;
  void extend(Round &Here, const Event &E, double OwnNs) const;
  void close(const Round &Here, uint32_t R, const Event &E);
  bool isCollective(FanSite &Site);

  const Trace &T;
  const CallWaits &Calls;
  const WholeRun &Whole;
  std::map<std::pair<FanSite::Kind, uint32_t>, FanSite> Sites;
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> Messages; // by path, rank: in rounds, all
};

/// Ends rounds of other paths that the event may have decided.
void Rounds::interrupt(OpenRounds &Open, const Event &E) const {
  bool Arrived = E.has(SW_EV_RECV) && !E.has(SW_EV_START) && E.Peer >= 0;
  auto Peer = static_cast<uint32_t>(E.Peer);
  if (Arrived || E.has(SW_EV_COLLECTIVE))
    // What was received from one of its partners may decide the rest of a round on another path.
    Open.eraseIf([&](const Round &Other) {
      return Other.Path != E.Path && (E.has(SW_EV_COLLECTIVE) || Other.Peers.contains(Peer));
    });
  if (Arrived)
    for (Round &Here : Open.all())
      if (Here.Path != E.Path)
        Here.Heard.insert(Peer);
  // And what was asked of the next one is answered by it alone.
  if (E.has(SW_EV_SEND) && !E.has(SW_EV_START | SW_EV_COMPLETE | SW_EV_SENDRECV) && E.Peer >= 0)
    Open.eraseIf([&](const Round &Other) { return Other.Path != E.Path && Other.Receives; });
}

void Rounds::extend(Round &Here, const Event &E, double OwnNs) const {
  auto Peer = static_cast<uint32_t>(E.Peer);
  if (Here.Comm != E.Comm || Here.Peers.contains(Peer))
    Here.clear();
  Here.Comm = E.Comm;
  Here.Receives = E.has(SW_EV_RECV);
  Here.Answers |= Here.Heard.contains(Peer);
  Here.Peers.insert(Peer);
  Here.Buffer.add(E.Buffer);
  Here.Payload.add(E.Payload);
  Here.AllHashed &= E.Payload != 0;
  Here.Bytes += E.Bytes;
  Here.Smallest = std::min(Here.Smallest, E.Bytes);
  Here.Largest = std::max(Here.Largest, E.Bytes);
  Here.Ns += OwnNs;
}

/// What a complete round is; E is its last message.
void Rounds::close(const Round &Here, uint32_t R, const Event &E) {
  uint32_t Others = T.Comms[E.Comm].Size - 1;
  bool Written = Here.Receives && 2 * Here.Written >= Others;
  // A buffer that is filled anew for each of them carries different data.
  bool OneBuffer = Here.Buffer.holds();
  bool Same = Here.AllHashed ? Here.Payload.holds() : OneBuffer;
  FanSite::Kind What = E.has(SW_EV_SEND)       ? (Same ? FanSite::Broadcast : FanSite::Scatter)
                       : OneBuffer && !Written ? FanSite::Reduce
                                               : FanSite::Gather;
  FanSite &Site = Sites[{What, E.Path}];
  Site.What = What;
  Site.Path = E.Path;
  ++Site.Rounds;
  Site.Partners = std::max(Site.Partners, Others);
  Site.Bytes += Here.Bytes;
  Site.Even &= Here.Smallest == Here.Largest;
  Site.Answers += Here.Answers;
  Site.Written += Written;
  Site.AloneSeconds += Written ? 1e-9 * Here.AloneNs : 0;
  Site.Roots.insert(R);
  Site.SecondsPerMessage += 1e-9 * Here.Ns / Others;
  Site.RankSeconds[R] += 1e-9 * Here.Ns * Whole.factor(E.Path, R);
  Messages[{E.Path, R}].first += Others;
}

void Rounds::add(size_t Index) {
  const Window &W = T.Windows[Index];
  for (uint32_t R = 0; R < W.Events.size(); ++R) {
    OpenRounds Open;
    FlatMap<uint64_t> Seen; // by path: messages
    for (uint32_t I = 0; I < W.Events[R].size(); ++I) {
      const Event &E = W.Events[R][I];
      if (double Alone = aloneBefore(W, R, I); Alone > 0)
        for (Round &Here : Open.all())
          noteOutput(Here, Alone);
      interrupt(Open, E);
      if (!isFan(E))
        continue;
      ++Seen[E.Path];
      Round &Here = Open.of(E.Path);
      extend(Here, E, std::max(0.0, E.callNs() - static_cast<double>(Calls[Index][R][E.Group])));
      uint32_t Others = T.Comms[E.Comm].Size - 1;
      if (Others < FewPartners || Here.Peers.size() < Others)
        continue;
      if (I + 1 < W.Events[R].size())
        if (double Alone = aloneBefore(W, R, I + 1); Alone > 0)
          noteOutput(Here, Alone);
      close(Here, R, E);
      Open.eraseIf([&](const Round &Other) { return Other.Path == E.Path; });
    }
    Seen.forEach([&](uint64_t Path, uint64_t Count) { Messages[{static_cast<uint32_t>(Path), R}].second += Count; });
  }
}

/// Whether the rounds of a place stand for a collective; completes what is told of it.
bool Rounds::isCollective(FanSite &Site) {
  Site.SecondsPerMessage /= static_cast<double>(Site.Rounds);
  // Other ranks that call from the same place, but not all others: these are neighbours, and of some ranks all
  // others are. What one rank alone does for all stands behind a question for its number.
  uint64_t InRounds = 0, All = 0, Total = 0, Users = 0;
  for (auto It = Messages.lower_bound({Site.Path, 0}); It != Messages.end() && It->first.first == Site.Path; ++It)
    ++Users;
  if (Users > Site.Roots.size())
    return false;
  for (uint32_t R : Site.Roots) {
    InRounds += Messages[{Site.Path, R}].first;
    All += Messages[{Site.Path, R}].second;
    Total += T.totalOf(R, Site.Path).Count;
  }
  if (2 * InRounds < All) // mostly something else
    return false;
  double Factor = All == 0 ? 1 : std::max(1.0, static_cast<double>(Total) / static_cast<double>(All));
  Site.WholeRunRounds = static_cast<uint64_t>(std::llround(static_cast<double>(Site.Rounds) * Factor));
  bool AllRanks = Site.Roots.size() == T.Ranks.size() && Site.Partners + 1 == T.Ranks.size();
  if (AllRanks && InRounds + All / ChangingPart < All) // partners change: neighbours of another level or part
    return false;
  if (AllRanks)
    Site.What = FanSite::AllToAll;
  return AllRanks || 2 * Site.Answers < Site.Rounds; // else work handed out to who asks for it
}

std::vector<FanSite> Rounds::sites() {
  std::vector<FanSite> Result;
  for (auto &[Key, Site] : Sites)
    if (isCollective(Site))
      Result.push_back(std::move(Site));
  return Result;
}

} // namespace

std::vector<FanSite> findFans(const Trace &T, const WholeRun &Whole, const CallWaits &Calls) {
  Rounds Found(T, Whole, Calls);
  for (size_t Index = 0; Index < T.Windows.size(); ++Index)
    Found.add(Index);
  return Found.sites();
}

std::vector<GatherSite> findGathers(const Trace &T, const std::vector<FanSite> &Fans) {
  std::map<std::pair<uint32_t, uint32_t>, GatherSite> Sites; // by path and root
  for (const Window &W : T.Windows)
    for (const Instance &I : W.Instances) {
      if (I.Flow != Instance::ToRoot || !I.Complete || I.Count < 2)
        continue;
      const Part &Root = W.Parts[I.RootPart];
      const Event &E = W.Events[Root.Rank][Root.Start];
      if (E.Path == None || std::string_view(callName(E.Call)).find("ather") == std::string_view::npos)
        continue;
      GatherSite &Site = Sites[{E.Path, Root.Rank}];
      Site.Path = E.Path;
      Site.Root = Root.Rank;
      ++Site.Instances;
      double Bytes = 0;
      for (uint32_t P = I.First; P < I.First + I.Count; ++P)
        Bytes += W.Events[W.Parts[P].Rank][W.Parts[P].Start].Bytes;
      Site.BytesPerRank += Bytes / I.Count;
      uint32_t Done = Root.Done == None ? Root.Start : Root.Done, Next = W.Events[Root.Rank][Done].Group + 1;
      if (Next < W.groups(Root.Rank)) {
        const Event &After = W.firstOf(Root.Rank, Next);
        Site.AfterSeconds +=
            1e-9 * static_cast<double>(std::max<int64_t>(0, After.Begin - W.Events[Root.Rank][Done].End));
        Site.Effects += After.has(SW_EV_OTHER_IO);
      }
    }
  std::vector<GatherSite> Result;
  for (auto &[Key, Site] : Sites) {
    Site.BytesPerRank /= static_cast<double>(Site.Instances);
    Site.WholeRunInstances = std::max(Site.Instances, T.totalOf(Site.Root, Site.Path).Count);
    Site.AfterSeconds *= static_cast<double>(Site.WholeRunInstances) / static_cast<double>(Site.Instances);
    Result.push_back(Site);
  }
  for (const FanSite &Fan : Fans) {
    if (Fan.Roots.size() != 1 || 2 * Fan.Written < Fan.Rounds)
      continue;
    GatherSite Site;
    Site.Path = Fan.Path;
    Site.Root = *Fan.Roots.begin();
    Site.Instances = Fan.Rounds;
    Site.WholeRunInstances = std::max(Fan.Rounds, Fan.WholeRunRounds);
    Site.BytesPerRank = static_cast<double>(Fan.Bytes) / static_cast<double>(Fan.Rounds * Fan.Partners);
    Site.AfterSeconds =
        Fan.AloneSeconds * static_cast<double>(Site.WholeRunInstances) / static_cast<double>(Fan.Rounds);
    Site.Effects = Fan.Written;
    Result.push_back(Site);
  }
  return Result;
}

} // namespace stridewise::merge
