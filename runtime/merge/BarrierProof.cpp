// Which barriers order nothing that messages, other synchronisations and program order do not order already.
//
// Barriers are tried in the order of the run, each on top of those already found redundant (set R). Two calls u (before
// the barrier) and v (after it) conflict when their order can change what the program computes: a wildcard receive or
// probe u and a send v that it could match; a probe after the barrier and a send before it; a ready send and the
// posting of its receive; one-sided access or I/O on both sides. If vector clocks without R and without the barrier
// leave a conflict unordered, the barrier stays and the conflict is its witness. Later barriers are still in place
// while one is judged, so looking ahead as far as the next synchronisation of all ranks is enough.
//
// Beyond ExactRanks clocks would be too large; there, any conflict candidate keeps the barrier.

#include "BarrierProof.h"
#include "thresholds.h"

#include <algorithm>

namespace stridewise::merge {
namespace {

using namespace limits::mpi_redundant_barrier;

} // namespace

bool BarrierProof::anySource(uint32_t R, const Event &E) const {
  if (E.has(SW_EV_ANY_SOURCE))
    return true;
  return E.has(SW_EV_RECV) && E.Link != None && W.Messages[E.Link].RecvPost != None &&
         W.Events[R][W.Messages[E.Link].RecvPost].has(SW_EV_ANY_SOURCE);
}

bool BarrierProof::anyTag(uint32_t R, const Event &E) const {
  if (E.has(SW_EV_ANY_TAG))
    return true;
  return E.has(SW_EV_RECV) && E.Link != None && W.Messages[E.Link].RecvPost != None &&
         W.Events[R][W.Messages[E.Link].RecvPost].has(SW_EV_ANY_TAG);
}

void BarrierProof::prepare() {
  size_t Instances = W.Instances.size();
  Decisions.resize(Instances);
  Candidate.assign(Instances, false);
  OneRankWorks.assign(Instances, false);
  BeforeEnd.assign(Instances, false);
  Removed.assign(Instances, false);
  Arrived.assign(Instances, 0);
  LookArrived.assign(Instances, 0);
  LookEpoch.assign(Instances, 0);
  JoinSnapshot.assign(Instances, None);
  JoinEpoch.assign(Instances, 0);
  PartSnapshot.assign(W.Parts.size(), None);
  MessageSnapshot.assign(W.Messages.size(), None);
  Progress.assign(Ranks, 0);
  Snapshot.assign(Ranks, None);
  if (Exact)
    Clock.assign(size_t(Ranks) * Ranks, 0);
  ByTag.resize(Ranks);
  ByComm.resize(Ranks);
  HasWildcard.assign(Ranks, false);
  LastOneSided.assign(Ranks, 0);
  LastFile.assign(Ranks, 0);
  SinceKept.assign(Ranks, 0);
  Budget = 1000000;
  for (const Stretch &S : W.Order)
    Budget += 30 * static_cast<uint64_t>(S.Nodes);
  for (uint32_t I = 0; I < Instances; ++I) {
    const Instance &Inst = W.Instances[I];
    Candidate[I] = Inst.Barrier && Inst.FullSync && !Inst.NonBlocking;
  }
  for (uint32_t R = 0; R < Ranks; ++R)
    for (const Event &E : W.Events[R]) {
      OneSided |= E.has(SW_EV_RMA);
      Files |= E.has(SW_EV_IO);
      if (!(E.has(SW_EV_RECV | SW_EV_PROBE) && anySource(R, E)))
        continue;
      Wildcards = true;
      HasWildcard[R] = true;
      uint32_t Source = E.Peer >= 0 ? static_cast<uint32_t>(E.Peer) : None;
      if (E.has(SW_EV_START))
        continue;
      auto [It, New] = SoleSource.try_emplace(pairKey(R, E.Comm), Source);
      if (!New && It->second != Source)
        It->second = None;
    }
}

uint32_t BarrierProof::snapshot(uint32_t R) {
  if (Snapshot[R] == None) {
    Snapshot[R] = static_cast<uint32_t>(Arena.size() / Ranks);
    Arena.insert(Arena.end(), Clock.begin() + ptrdiff_t(R) * Ranks, Clock.begin() + ptrdiff_t(R + 1) * Ranks);
  }
  return Snapshot[R];
}

void BarrierProof::join(uint32_t R, uint32_t Snap) {
  uint32_t *Row = &Clock[size_t(R) * Ranks];
  const uint32_t *From = &Arena[size_t(Snap) * Ranks];
  for (uint32_t I = 0; I < Ranks; ++I)
    Row[I] = std::max(Row[I], From[I]);
  Snapshot[R] = None;
}

void BarrierProof::startNodeOf(uint32_t R, uint32_t Group) {
  uint32_t Node = 2 * Group;
  if (Exact) {
    Clock[size_t(R) * Ranks + R] = Node + 1;
    for (uint32_t I = W.groupBegin(R, Group); I < W.GroupEnd[R][Group]; ++I) {
      const Event &E = W.Events[R][I];
      if (E.Link == None || E.has(SW_EV_COMPLETE))
        continue;
      if (E.has(SW_EV_COLLECTIVE)) {
        const Instance &Inst = W.Instances[E.Link];
        if (Inst.FullSync && !Removed[E.Link])
          for (uint32_t P = Inst.First; P < Inst.First + Inst.Count; ++P)
            if (W.Parts[P].Rank == R)
              PartSnapshot[P] = snapshot(R);
      } else if (E.has(SW_EV_SEND)) {
        MessageSnapshot[E.Link] = snapshot(R);
      } else if (E.has(SW_EV_RECV)) {
        const Message &M = W.Messages[E.Link];
        if (W.Events[M.Source][M.SendStart].has(SW_EV_SYNCHRONOUS))
          PostSnapshot[E.Link] = snapshot(R);
      }
    }
  }
  Progress[R] = Node + 1;
}

void BarrierProof::doneNodeOf(uint32_t R, uint32_t Group) {
  uint32_t Node = 2 * Group + 1;
  if (Exact) {
    Clock[size_t(R) * Ranks + R] = Node + 1;
    for (uint32_t I = W.groupBegin(R, Group); I < W.GroupEnd[R][Group]; ++I) {
      const Event &E = W.Events[R][I];
      if (E.Link == None || E.has(SW_EV_START))
        continue;
      if (E.has(SW_EV_COLLECTIVE)) {
        const Instance &Inst = W.Instances[E.Link];
        if (!Inst.FullSync || Removed[E.Link])
          continue;
        if (JoinEpoch[E.Link] != Epoch || JoinSnapshot[E.Link] == None) {
          std::vector<uint32_t> All(Ranks, 0);
          for (uint32_t P = Inst.First; P < Inst.First + Inst.Count; ++P) {
            uint32_t Member = W.Parts[P].Rank, Start = startNode(W.Events[Member][W.Parts[P].Start]);
            if (Progress[Member] <= Start || PartSnapshot[P] == None)
              continue;
            const uint32_t *From = &Arena[size_t(PartSnapshot[P]) * Ranks];
            for (uint32_t Q = 0; Q < Ranks; ++Q)
              All[Q] = std::max(All[Q], From[Q]);
            All[Member] = std::max(All[Member], Start + 1);
          }
          JoinSnapshot[E.Link] = static_cast<uint32_t>(Arena.size() / Ranks);
          JoinEpoch[E.Link] = Epoch;
          Arena.insert(Arena.end(), All.begin(), All.end());
        }
        join(R, JoinSnapshot[E.Link]);
      } else if (E.has(SW_EV_RECV)) {
        const Message &M = W.Messages[E.Link];
        uint32_t Start = startNode(W.Events[M.Source][M.SendStart]);
        if (M.Unsure || Progress[M.Source] <= Start || MessageSnapshot[E.Link] == None)
          continue;
        join(R, MessageSnapshot[E.Link]);
        uint32_t &Known = Clock[size_t(R) * Ranks + M.Source];
        Known = std::max(Known, Start + 1);
      } else if (const uint32_t *Post = E.has(SW_EV_SEND) ? PostSnapshot.find(E.Link) : nullptr) {
        const Message &M = W.Messages[E.Link];
        uint32_t Posted = startNode(W.Events[M.Target][M.RecvPost]);
        if (M.Unsure || Progress[M.Target] <= Posted)
          continue;
        join(R, *Post);
        uint32_t &Known = Clock[size_t(R) * Ranks + M.Target];
        Known = std::max(Known, Posted + 1);
      }
    }
  }
  Progress[R] = Node + 1;
}

/// Facts about what came before a barrier; kept by the main pass only, never while looking ahead.
void BarrierProof::remember(uint32_t R, uint32_t Group) {
  bool Done = Progress[R] == 2 * Group + 2;
  for (uint32_t I = W.groupBegin(R, Group); I < W.GroupEnd[R][Group]; ++I) {
    const Event &E = W.Events[R][I];
    if (!Done) {
      if (E.has(SW_EV_RMA))
        LastOneSided[R] = Progress[R];
      if (E.has(SW_EV_IO))
        LastFile[R] = Progress[R];
      if (E.Link == None || E.has(SW_EV_COMPLETE))
        continue;
      if (E.has(SW_EV_COLLECTIVE)) {
        if (Arrived[E.Link] == 0)
          OpenInstances.push_back(E.Link);
      } else if (E.has(SW_EV_SEND)) {
        const Message &M = W.Messages[E.Link];
        if (M.RecvDone != None)
          InFlight.push_back(E.Link);
        Channel &C = channelOf(R, M.Target);
        C.Messages += M.Count;
        C.LastSent = Progress[R];
        if (C.FirstReceived != 0)
          C.Throttled |= Exact ? ordered(R, M.Target, C.FirstReceived)
                               : C.KeptBefore != KeptSyncs || ChannelAt.contains(pairKey(M.Target, R));
      }
      continue;
    }
    if (E.has(SW_EV_RECV) && !E.has(SW_EV_START) && E.Link != None) {
      Channel &C = channelOf(W.Messages[E.Link].Source, R);
      if (C.FirstReceived == 0) {
        C.FirstReceived = Progress[R];
        C.KeptBefore = KeptSyncs;
      }
    }
    if (E.has(SW_EV_RECV | SW_EV_PROBE) && !E.has(SW_EV_START) && anySource(R, E)) {
      Pattern P{Progress[R], E.Path};
      if (anyTag(R, E))
        ByComm[R][E.Comm] = P;
      else
        ByTag[R][pairKey(E.Comm, static_cast<uint32_t>(E.Tag))] = P;
    }
  }
}

void BarrierProof::pruneInFlight() {
  std::erase_if(InFlight, [&](uint32_t Index) {
    const Message &M = W.Messages[Index];
    bool Received = Progress[M.Target] > doneNode(W.Events[M.Target][M.RecvDone]);
    bool Sent = M.SendDone == None || Progress[M.Source] > doneNode(W.Events[M.Source][M.SendDone]);
    return Received && Sent;
  });
  std::erase_if(OpenInstances, [&](uint32_t Index) {
    const Instance &I = W.Instances[Index];
    for (uint32_t P = I.First; P < I.First + I.Count; ++P) {
      const Part &Member = W.Parts[P];
      if (Member.Done == None || Progress[Member.Rank] <= doneNode(W.Events[Member.Rank][Member.Done]))
        return false;
    }
    return true;
  });
  PruneAt = 2 * InFlight.size() + 1024;
}

/// Keeps the snapshots that something not yet completed refers to.
void BarrierProof::compact() {
  pruneInFlight();
  std::vector<uint32_t> Next;
  FlatMap<uint32_t> Moved;
  auto Keep = [&](uint32_t &Snap) {
    if (Snap == None)
      return;
    if ((size_t(Snap) + 1) * Ranks > Arena.size()) { // left by a look ahead: its node is still to come
      Snap = None;
      return;
    }
    auto [To, New] = Moved.insert(Snap);
    if (New) {
      *To = static_cast<uint32_t>(Next.size() / Ranks);
      Next.insert(Next.end(), Arena.begin() + ptrdiff_t(Snap) * Ranks, Arena.begin() + ptrdiff_t(Snap + 1) * Ranks);
    }
    Snap = *To;
  };
  for (uint32_t M : InFlight) // nobody asks for those of the others again
    Keep(MessageSnapshot[M]);
  // A posted receive may wait for its synchronous send for long.
  FlatMap<uint32_t> Posted;
  PostSnapshot.forEach([&](uint64_t Index, uint32_t Snap) {
    const Message &M = W.Messages[Index];
    if (M.SendDone != None && Progress[M.Source] > doneNode(W.Events[M.Source][M.SendDone]))
      return;
    Keep(Snap);
    if (Snap != None)
      Posted[Index] = Snap;
  });
  PostSnapshot = std::move(Posted);
  for (uint32_t I : OpenInstances)
    for (uint32_t P = W.Instances[I].First; P < W.Instances[I].First + W.Instances[I].Count; ++P)
      Keep(PartSnapshot[P]);
  std::fill(Snapshot.begin(), Snapshot.end(), None);
  ++Epoch;
  Arena = std::move(Next);
}

/// Reasons that need no graph.
bool BarrierProof::veto(uint32_t Inst, Decision &D) {
  const Instance &I = W.Instances[Inst];
  auto Keep = [&](const char *Reason, const Event &By, uint32_t R) {
    D.What = Decision::Kept;
    D.Reason = Reason;
    D.Why = {1, By.Path, None, T.Ranks[R].World, -1};
    return true;
  };
  uint32_t Printers = 0; // what one rank alone prints needs no order
  for (uint32_t P = I.First; P < I.First + I.Count; ++P) {
    uint32_t R = W.Parts[P].Rank;
    const Event &Self = W.Events[R][W.Parts[P].Start];
    bool Prints = Self.has(SW_EV_PRINT);
    if (SharedMemory)
      return Keep("shared-memory", Self, R);
    if (Self.has(SW_EV_OTHER_IO))
      return Keep("outside-effect", Self, R);
    uint32_t First = Self.Group == 0 ? 0 : Self.Group - 1;
    uint32_t Last = std::min(Self.Group + 2, W.groups(R));
    for (uint32_t E = W.groupBegin(R, First); E < W.GroupEnd[R][Last - 1]; ++E) {
      const Event &Near = W.Events[R][E];
      if (Near.has(SW_EV_TIMER))
        return Keep("timer", Near, R);
      if (Near.has(SW_EV_IO))
        return Keep("file", Near, R);
      if (Near.Group > Self.Group && Near.has(SW_EV_OTHER_IO))
        return Keep("outside-effect", Near, R);
      Prints |= Near.Group > Self.Group && Near.has(SW_EV_PRINT);
      for (const char *Name : {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect"})
        if (Near.has(SW_EV_COMM) && isCallName(Near.Call, Name))
          return Keep("process", Near, R);
    }
    if (LastOneSided[R] > SinceKept[R])
      return Keep("one-sided", Self, R);
    Printers += Prints;
    if (Printers > 1)
      return Keep("outside-effect", Self, R);
  }
  return false;
}

bool BarrierProof::sendConflicts(uint32_t R, const Event &E, Decision &D) {
  uint32_t P = T.rankOf(E.Peer);
  if (P == None || P == R)
    return false;
  auto Conflict = [&](const char *Reason, uint32_t Path) {
    D.Reason = Reason;
    D.Why = {1, Path, E.Path, T.Ranks[P].World, T.Ranks[R].World};
    return true;
  };
  auto Unordered = [&](uint32_t NodePlusOne) {
    return NodePlusOne != 0 && NodePlusOne <= AtBarrier[P] &&
           !(Exact ? ordered(R, P, NodePlusOne) : NodePlusOne <= SinceKept[P]);
  };
  if (Polls[P] && Unordered(AtBarrier[P]))
    return Conflict("probe", None);
  if (E.has(SW_EV_READY)) {
    if (E.Link == None || W.Messages[E.Link].RecvPost == None)
      return Conflict("ready-send", None);
    const Event &Post = W.Events[P][W.Messages[E.Link].RecvPost];
    if (Unordered(startNode(Post) + 1))
      return Conflict("ready-send", Post.Path);
  }
  if (!HasWildcard[P])
    return false;
  // If nobody but this sender ever matched these wildcards, order of arrival is order of sending.
  if (auto It = SoleSource.find(pairKey(P, E.Comm));
      It != SoleSource.end() && It->second == static_cast<uint32_t>(T.Ranks[R].World))
    return false;
  if (auto It = ByComm[P].find(E.Comm); It != ByComm[P].end() && Unordered(It->second.LastDone))
    return Conflict("wildcard", It->second.Path);
  auto It = ByTag[P].find(pairKey(E.Comm, static_cast<uint32_t>(E.Tag)));
  return It != ByTag[P].end() && Unordered(It->second.LastDone) && Conflict("wildcard", It->second.Path);
}

/// A wildcard receive or probe after the barrier, and a message that was under way at the barrier to someone else's
/// receive: without the barrier it might not have been there yet.
bool BarrierProof::receiveConflicts(uint32_t R, const Event &E, Decision &D) {
  bool Wild = E.has(SW_EV_RECV | SW_EV_PROBE) && !E.has(SW_EV_START) && anySource(R, E);
  if (!Wild)
    return false;
  auto It = Pending.find(R);
  if (It == Pending.end())
    return false;
  for (uint32_t Index : It->second) {
    const Message &M = W.Messages[Index];
    const Event &Send = W.Events[M.Source][M.SendStart];
    if (Index == E.Link || Send.Comm != E.Comm || (!anyTag(R, E) && Send.Tag != E.Tag) ||
        (Exact && ordered(R, M.Source, startNode(Send) + 1)))
      continue;
    D.Reason = E.has(SW_EV_PROBE) ? "probe" : "wildcard";
    D.Why = {1, Send.Path, E.Path, T.Ranks[M.Source].World, T.Ranks[R].World};
    return true;
  }
  return false;
}

bool BarrierProof::conflicts(uint32_t R, uint32_t Group, bool Done, Decision &D) {
  for (uint32_t I = W.groupBegin(R, Group); I < W.GroupEnd[R][Group]; ++I) {
    const Event &E = W.Events[R][I];
    if (Done) {
      if (receiveConflicts(R, E, D))
        return true;
      continue;
    }
    if (E.has(SW_EV_RMA) || (E.has(SW_EV_IO) && FileBefore)) {
      D.Reason = E.has(SW_EV_RMA) ? "one-sided" : "file";
      D.Why = {1, None, E.Path, -1, T.Ranks[R].World};
      return true;
    }
    if (E.has(SW_EV_SEND) && !E.has(SW_EV_COMPLETE) && E.Peer >= 0 && sendConflicts(R, E, D))
      return true;
  }
  return false;
}

void BarrierProof::lookAhead(uint32_t Inst, Cursor Next, Decision &D) {
  AtBarrier = Progress;
  Pending.clear();
  pruneInFlight();
  for (uint32_t Index : InFlight) {
    const Message &M = W.Messages[Index];
    if (Progress[M.Target] <= doneNode(W.Events[M.Target][M.RecvDone]))
      Pending[M.Target].push_back(Index);
  }
  for (const auto &[Target, Messages] : Pending)
    if (Polls[Target] && !Messages.empty()) {
      const Message &M = W.Messages[Messages.front()];
      D = {Decision::Kept,
           "probe",
           {1, W.Events[M.Source][M.SendStart].Path, None, T.Ranks[M.Source].World, T.Ranks[Target].World}};
      return;
    }
  FileBefore = false;
  for (uint32_t R = 0; R < Ranks; ++R)
    FileBefore |= LastFile[R] > SinceKept[R];

  State Saved{Clock, Progress, Snapshot, Arena.size()};
  Removed[Inst] = true;
  ++Epoch;
  bool Synchronised = false, Conflict = false;
  for (advance(Next); !atEnd(Next) && !Synchronised && !Conflict && Budget != 0; advance(Next), --Budget) {
    uint32_t R = W.Order[Next.Index].Rank, Node = Progress[R], Group = Node / 2;
    if (Node % 2 != 0) {
      Conflict = conflicts(R, Group, true, D); // before the message itself orders the two
      doneNodeOf(R, Group);
      continue;
    }
    startNodeOf(R, Group);
    Conflict = conflicts(R, Group, false, D);
    const Event &E = W.firstOf(R, Group);
    if (!E.has(SW_EV_COLLECTIVE) || E.has(SW_EV_COMPLETE) || E.Link == None)
      continue;
    const Instance &I = W.Instances[E.Link];
    if (LookEpoch[E.Link] != Epoch) {
      LookEpoch[E.Link] = Epoch;
      LookArrived[E.Link] = Arrived[E.Link];
    }
    Synchronised = ++LookArrived[E.Link] == I.Count && I.World && I.FullSync && !I.NonBlocking && !Removed[E.Link];
  }
  if (Conflict)
    D.What = Decision::Kept;
  else if (Synchronised || (atEnd(Next) && W.ToEnd))
    D.What = Decision::Removed;
  else
    D.What = Decision::Undecided;
  Clock = std::move(Saved.Clock);
  Progress = std::move(Saved.Progress);
  Snapshot = std::move(Saved.Snapshot);
  Arena.resize(Saved.ArenaSize);
  Removed[Inst] = false;
  ++Epoch;
}

void BarrierProof::noteWork(uint32_t Inst) {
  const Instance &I = W.Instances[Inst];
  int64_t Longest = 0, Second = 0;
  bool Last = W.ToEnd;
  for (uint32_t P = I.First; P < I.First + I.Count; ++P) {
    uint32_t R = W.Parts[P].Rank, Group = W.Events[R][W.Parts[P].Start].Group;
    Last &= Group + 1 == W.groups(R);
    if (Group == 0)
      continue;
    int64_t Gap = W.firstOf(R, Group).Begin - W.firstOf(R, Group - 1).End;
    if (Gap > Longest)
      std::swap(Gap, Longest);
    Second = std::max(Second, Gap);
  }
  OneRankWorks[Inst] = I.Count > 1 && Longest > NoticeableNs && Longest > OneRankRatio * Second;
  BeforeEnd[Inst] = Last;
}

void BarrierProof::decide(uint32_t Inst, Cursor Position) {
  Decision &D = Decisions[Inst];
  noteWork(Inst);
  if (!T.whole() || !W.Instances[Inst].Complete || W.Forced != 0)
    return;
  if (W.Threads) {
    D.What = Decision::Kept;
    D.Reason = "threads";
    return;
  }
  if (!veto(Inst, D))
    lookAhead(Inst, Position, D);
  Removed[Inst] = D.What == Decision::Removed;
}

void BarrierProof::run() {
  prepare();
  if (std::none_of(Candidate.begin(), Candidate.end(), [](bool B) { return B; }))
    return;
  // Rows of 4 * Ranks bytes; 4 MiB, or twice what was in use, before unused ones are dropped.
  constexpr size_t LeastLimit = size_t(1) << 20;
  size_t ArenaLimit = LeastLimit;
  for (Cursor Position; !atEnd(Position); advance(Position)) {
    uint32_t R = W.Order[Position.Index].Rank, Group = Progress[R] / 2;
    if (Progress[R] % 2 != 0) {
      doneNodeOf(R, Group);
      remember(R, Group);
    } else {
      startNodeOf(R, Group);
      remember(R, Group);
      const Event &E = W.firstOf(R, Group);
      if (E.has(SW_EV_COLLECTIVE) && !E.has(SW_EV_COMPLETE) && E.Link != None) {
        const Instance &I = W.Instances[E.Link];
        if (++Arrived[E.Link] == I.Count) {
          if (Candidate[E.Link])
            decide(E.Link, Position);
          if (I.World && I.FullSync && !I.NonBlocking && !Removed[E.Link]) {
            SinceKept = Progress;
            ++KeptSyncs;
          }
        }
      }
    }
    if (InFlight.size() > PruneAt)
      pruneInFlight();
    if (Arena.size() > ArenaLimit) {
      compact();
      ArenaLimit = std::max(LeastLimit, 2 * Arena.size());
    }
  }
}

bool BarrierProof::feedsFlood(const std::vector<uint32_t> &Instances, Witness &Why) const {
  // Nodes of the instances per rank, ascending: a program reaches them in order.
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> Nodes(Ranks);
  for (uint32_t Inst : Instances) {
    const Instance &I = W.Instances[Inst];
    for (uint32_t P = I.First; P < I.First + I.Count; ++P)
      Nodes[W.Parts[P].Rank].push_back({startNode(W.Events[W.Parts[P].Rank][W.Parts[P].Start]), Inst});
  }
  for (auto &PerRank : Nodes)
    std::sort(PerRank.begin(), PerRank.end());
  std::unordered_map<uint32_t, uint32_t> Senders;
  for (const auto &[Key, C] : Channels) {
    auto From = static_cast<uint32_t>(Key >> 32), To = static_cast<uint32_t>(Key);
    if (C.Throttled || C.Messages < 2 || C.FirstReceived == 0 || From == To)
      continue;
    auto It = std::lower_bound(Nodes[To].begin(), Nodes[To].end(), std::pair{C.FirstReceived, uint32_t(0)});
    if (It == Nodes[To].end())
      continue;
    const Instance &I = W.Instances[It->second];
    for (uint32_t P = I.First; P < I.First + I.Count; ++P)
      if (W.Parts[P].Rank == From && startNode(W.Events[From][W.Parts[P].Start]) < C.LastSent && ++Senders[To] >= 2) {
        Why = {1, None, None, T.Ranks[To].World, T.Ranks[From].World};
        return true;
      }
  }
  return false;
}

} // namespace stridewise::merge
