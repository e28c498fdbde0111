// The messages of one call path as runs on each rank, pairs of runs, and the chains that they form; see Chains.cpp.

#include "ChainRuns.h"
#include "thresholds.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace stridewise::merge {

using namespace limits::mpi_send_recv_chain;

void WindowChains::findSyncs() {
  Syncs.resize(W.Events.size());
  for (const Instance &I : W.Instances) {
    if (!I.World || !I.FullSync || I.NonBlocking)
      continue;
    for (uint32_t P = I.First; P < I.First + I.Count; ++P)
      Syncs[W.Parts[P].Rank].push_back(W.Events[W.Parts[P].Rank][W.Parts[P].Start].Group);
  }
  for (auto &PerRank : Syncs)
    std::sort(PerRank.begin(), PerRank.end());
}

void WindowChains::simulate() {
  if (W.Threads || W.Forced != 0)
    return;
  Walk Scheduler(W, {.AllSendsSynchronous = true});
  Scheduler.run([](uint32_t, uint32_t) {}, [&] { release(Scheduler); });
}

/// The rank that a rank waits for, None if that is nobody in particular.
uint32_t WindowChains::awaitedBy(const Walk &Scheduler, uint32_t R) const {
  Wait For = Scheduler.waiting(R);
  switch (For.What) {
  case Wait::Data:
    return W.Messages[For.Id].Source;
  case Wait::Rendezvous:
    return W.Messages[For.Id].Target;
  case Wait::Collective:
    for (uint32_t P = W.Instances[For.Id].First; P < W.Instances[For.Id].First + W.Instances[For.Id].Count; ++P)
      if (!Scheduler.arrived(W.Parts[P].Rank, For.Id))
        return W.Parts[P].Rank;
    return None;
  case Wait::Nothing:
    return None;
  }
  return None;
}

/// Counts a cycle of sends that wait for each other, at their paths. Returns how many times it closes: each message of
/// a run closes it again, until the shortest run is through.
uint32_t WindowChains::noteCycle(const Walk &Scheduler, const std::vector<uint32_t> &Cycle) {
  uint32_t Times = None;
  std::set<uint32_t> Paths;
  for (uint32_t Q : Cycle)
    if (Scheduler.waiting(Q).What == Wait::Rendezvous) {
      uint32_t Id = Scheduler.waiting(Q).Id;
      Paths.insert(sendEvent(Id).Path);
      Times = std::min(Times, W.Messages[Id].Count - Sofar[Id]);
    }
  for (uint32_t Path : Paths) {
    Cycles &C = CyclesOf[Path];
    C.Count += Times;
    C.Longest = std::max(C.Longest, static_cast<uint32_t>(Cycle.size()));
  }
  return Times;
}

/// All runnable ranks have run: finds who waits for whom, notes the cycle, and lets its sends go (as buffering does).
void WindowChains::release(Walk &Scheduler) {
  auto Ranks = static_cast<uint32_t>(W.Events.size());
  std::vector<uint32_t> Seen(Ranks, 0);
  bool Released = false;
  for (uint32_t Begin = 0, Colour = 1; Begin < Ranks; ++Begin, ++Colour) {
    uint32_t R = Begin;
    while (R != None && !Scheduler.atEnd(R) && Seen[R] == 0) {
      Seen[R] = Colour;
      R = awaitedBy(Scheduler, R);
    }
    if (R == None || Scheduler.atEnd(R) || Seen[R] != Colour)
      continue;
    std::vector<uint32_t> Cycle;
    bool Collective = false, Rendezvous = false;
    for (uint32_t Q = R; Cycle.empty() || Q != R; Q = awaitedBy(Scheduler, Q)) {
      Cycle.push_back(Q);
      Collective |= Scheduler.waiting(Q).What == Wait::Collective;
      Rendezvous |= Scheduler.waiting(Q).What == Wait::Rendezvous;
    }
    uint32_t Times = !Collective && Rendezvous && Cycle.size() >= 2 ? noteCycle(Scheduler, Cycle) : None;
    for (uint32_t Q : Cycle)
      if (!Rendezvous || Scheduler.waiting(Q).What == Wait::Rendezvous) {
        Released = true;
        if (Times != None && (Sofar[Scheduler.waiting(Q).Id] += Times) < W.Messages[Scheduler.waiting(Q).Id].Count)
          continue;
        Scheduler.force(Q);
      }
  }
  // Ranks that wait for something beyond the window.
  for (uint32_t R = 0; R < Ranks && !Released; ++R)
    if (!Scheduler.atEnd(R)) {
      Scheduler.force(R);
      Released = true;
    }
}

/// Whether the call that completes one end of a message comes before the call that starts an end of another, on the
/// rank that both share.
bool WindowChains::completesBefore(uint32_t Earlier, bool EarlierIsSend, uint32_t Later) const {
  const Message &A = W.Messages[Earlier], &B = W.Messages[Later];
  if (EarlierIsSend) {
    if (A.SendDone == None || B.RecvPost == None || sendEvent(Earlier).has(SW_EV_BUFFERED))
      return false;
    return W.Events[A.Source][A.SendDone].Group < W.Events[B.Target][B.RecvPost].Group;
  }
  if (A.RecvDone == None)
    return false;
  return W.Events[A.Target][A.RecvDone].Group < W.Events[B.Source][B.SendStart].Group;
}

/// Adds the runs of one rank; Ends are in the order of the program.
void WindowChains::addRuns(uint32_t R, const std::vector<End> &Ends) {
  auto GroupOf = [&](const End &E) { return W.Events[R][E.Event].Group; };
  // Both directions in one call (a Sendrecv, persistent requests started together) wait for neither: such a call
  // belongs to no pair.
  std::unordered_map<uint32_t, uint8_t> Directions; // by group: 1 received, 2 sent
  for (const End &E : Ends)
    Directions[GroupOf(E)] |= E.Send ? 2 : 1;
  size_t Begin = Runs.size();
  uint32_t Epoch = 0, Open = None; // Open: the first run of a pair that has no second yet
  bool Neutral = false;
  for (size_t I = 0; I < Ends.size(); ++I) {
    const End &E = Ends[I];
    uint32_t NewEpoch = epoch(R, GroupOf(E));
    bool Both = Directions[GroupOf(E)] == 3;
    bool Fresh = Runs.size() == Begin || NewEpoch != Epoch || Both || Neutral;
    if (Fresh)
      Open = None;
    if (Fresh || Runs.back().Send != E.Send) {
      auto Index = static_cast<uint32_t>(Runs.size());
      Run New;
      New.Rank = R;
      New.Send = E.Send;
      if (Open != None) {
        New.Partner = Open;
        Runs[Open].Partner = Index;
        Runs[Open].First = true;
        Open = None;
      } else if (!Both) {
        Open = Index;
      }
      Runs.push_back(std::move(New));
    }
    if (E.Message != None) {
      Runs.back().Messages.push_back(E.Message);
      (E.Send ? RunOfSend : RunOfReceive)[E.Message] = static_cast<uint32_t>(Runs.size() - 1);
    }
    Neutral = Both;
    Epoch = NewEpoch;
  }
}

/// The send runs that come before this one in a chain.
void WindowChains::successors(const Run &S, bool Rendezvous, std::vector<uint32_t> &Out) const {
  Out.clear();
  if (!Rendezvous) {
    if (S.Partner == None || S.First)
      return;
    for (uint32_t M : Runs[S.Partner].Messages)
      if (RunOfSend[M] != None && completesBefore(M, false, S.Messages.back()))
        Out.push_back(RunOfSend[M]);
    return;
  }
  // An outgoing message waits until its receive is posted, behind the sends before it over there.
  for (uint32_t M : S.Messages) {
    uint32_t In = RunOfReceive[M];
    if (In == None || Runs[In].Partner == None || Runs[In].First)
      continue;
    uint32_t Before = Runs[In].Partner;
    const std::vector<uint32_t> &Sends = Runs[Before].Messages;
    if (std::any_of(Sends.begin(), Sends.end(), [&](uint32_t Earlier) { return completesBefore(Earlier, true, M); }))
      Out.push_back(Before);
  }
}

/// Longest chain from a send run, by depth-first search with an explicit stack (chains can be as long as the ranks).
uint32_t WindowChains::length(uint32_t Index, bool Rendezvous, bool &Cycle) {
  struct Visit {
    uint32_t Index, Next = 0;
  };
  std::vector<Visit> Stack{{Index}};
  std::vector<std::vector<uint32_t>> Edges(1);
  const int Which = Rendezvous ? 1 : 0;
  auto Value = [&](Run &R) -> uint32_t & { return Rendezvous ? R.Rendezvous : R.Data; };
  while (!Stack.empty()) {
    Visit &V = Stack.back();
    Run &Here = Runs[V.Index];
    if (V.Next == 0) {
      if (Here.Mark[Which] == 2) {
        Stack.pop_back();
        Edges.pop_back();
        continue;
      }
      Here.Mark[Which] = 1;
      Value(Here) = 1;
      if (!Rendezvous)
        Here.Origin = sendEvent(Here.Messages.front()).Begin;
      successors(Here, Rendezvous, Edges.back());
    }
    if (V.Next < Edges.back().size()) {
      uint32_t To = Edges.back()[V.Next++];
      if (Runs[To].Mark[Which] == 1)
        Cycle = true;
      else if (Runs[To].Mark[Which] == 0) {
        Stack.push_back({To});
        Edges.emplace_back();
      }
      continue;
    }
    for (uint32_t To : Edges.back()) {
      if (Runs[To].Mark[Which] != 2)
        continue;
      if (Value(Runs[To]) + 1 > Value(Here)) {
        Value(Here) = Value(Runs[To]) + 1;
        if (!Rendezvous)
          Here.Origin = Runs[To].Origin;
      }
    }
    Here.Mark[Which] = 2;
    if (Rendezvous)
      Here.Awaited = Edges.back();
    Stack.pop_back();
    Edges.pop_back();
  }
  return Value(Runs[Index]);
}

/// Ranks that take part in the chain from a send run: those of all runs that it waits for, and the receivers.
uint32_t WindowChains::awaitedRanks(uint32_t Index) const {
  std::set<uint32_t> Ranks, Seen{Index};
  std::vector<uint32_t> Stack{Index};
  while (!Stack.empty()) {
    const Run &R = Runs[Stack.back()];
    Stack.pop_back();
    Ranks.insert(R.Rank);
    for (uint32_t M : R.Messages)
      Ranks.insert(W.Messages[M].Target);
    for (uint32_t To : R.Awaited)
      if (Seen.insert(To).second)
        Stack.push_back(To);
  }
  return static_cast<uint32_t>(Ranks.size());
}

RankSets::RankSets(size_t Ranks) : Parent(Ranks) { std::iota(Parent.begin(), Parent.end(), 0u); }

uint32_t RankSets::find(uint32_t R) {
  while (Parent[R] != R)
    R = Parent[R] = Parent[Parent[R]];
  return R;
}

/// The ends of messages by rank, in the order of the program, with what goes nowhere from the same paths.
std::vector<std::vector<End>> WindowChains::endsOf(const std::vector<uint32_t> &Messages, RankSets &Sets) const {
  std::vector<std::vector<End>> Ends(W.Events.size());
  std::set<uint32_t> SendPaths, ReceivePaths;
  for (uint32_t Index : Messages) {
    const Message &M = W.Messages[Index];
    // A message across a synchronisation of all ranks waits for that, whatever the order of the calls.
    uint32_t Receive = M.RecvPost != None ? M.RecvPost : M.RecvDone;
    if (Receive == None ||
        epoch(M.Source, W.Events[M.Source][M.SendStart].Group) != epoch(M.Target, W.Events[M.Target][Receive].Group))
      continue;
    Ends[M.Source].push_back({M.SendStart, Index, true});
    Ends[M.Target].push_back({Receive, Index, false});
    SendPaths.insert(sendEvent(Index).Path);
    ReceivePaths.insert(receivePath(Index));
    Sets.unite(M.Source, M.Target);
  }
  for (const std::set<uint32_t> *Paths : {&SendPaths, &ReceivePaths})
    for (uint32_t Path : *Paths)
      if (auto It = Nulls.find(Path); It != Nulls.end())
        for (const auto &[R, E] : It->second)
          if (!Ends[R].empty() && E.Send == (Paths == &SendPaths))
            Ends[R].push_back(E);
  for (std::vector<End> &OfRank : Ends)
    std::sort(OfRank.begin(), OfRank.end(), [](const End &A, const End &B) { return A.Event < B.Event; });
  return Ends;
}

/// The longest chains and how many are long. Sizes: ranks that exchange with each other, by their root.
void WindowChains::measure(RankSets &Sets, const std::map<uint32_t, uint32_t> &Sizes, Verdict &V) {
  // Long chains and all, by rank and receiver: one path may serve several directions, of which one chains.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> PerChannel;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Involved; // by rank and length: alike in every instance
  for (uint32_t Index = 0; Index < Runs.size(); ++Index) {
    if (!Runs[Index].Send || Runs[Index].Messages.empty())
      continue;
    bool SendCycle = false; // the simulation has found it too
    uint32_t Rendezvous = length(Index, true, SendCycle), Data = length(Index, false, V.DataCycle);
    auto &[Long, All] = PerChannel[{Runs[Index].Rank, W.Messages[Runs[Index].Messages.front()].Target}];
    ++All;
    // A pipeline is long when it covers half of the ranks that exchange at all; a send order already when it covers
    // half of those that it involves (a row of a grid).
    bool SendOrder = Rendezvous > Data;
    uint32_t Length = std::max(Rendezvous, Data), Size = Sizes.at(Sets.find(Runs[Index].Rank));
    if (Length < ShortChain)
      continue;
    if (SendOrder) {
      auto [It, New] = Involved.try_emplace({Runs[Index].Rank, Length}, 0);
      if (New)
        It->second = awaitedRanks(Index);
      Size = It->second;
    }
    // At the edges of a domain pairs may join two instances; no instance has more messages than ranks.
    Length = std::min(Length, Size);
    if (2 * Length < Size)
      continue;
    ++Long;
    if (Length > std::max(V.Rendezvous, V.Data))
      V.Ranks = Size;
    V.Rendezvous = std::max(V.Rendezvous, std::min(Rendezvous, Size));
    V.Data = std::max(V.Data, std::min(Data, Size));
  }
  for (const auto &[Channel, Counts] : PerChannel)
    if (std::pair{Counts.first, Counts.second} > std::pair{V.Instances, V.Runs})
      std::tie(V.Instances, V.Runs) = Counts;
  if (V.Ranks == 0)
    for (const auto &[Root, Size] : Sizes)
      V.Ranks = std::max(V.Ranks, Size);
}

/// A pipeline is filled when the next instance begins before the last rank has finished the present one.
void WindowChains::findOverlaps(Verdict &V) const {
  std::map<uint32_t, std::vector<int64_t>> Starts; // of send runs, by rank
  for (const Run &R : Runs)
    if (R.Send && !R.Messages.empty())
      Starts[R.Rank].push_back(sendEvent(R.Messages.front()).Begin);
  for (uint32_t Index = 0; Index < Runs.size(); ++Index) {
    const Run &R = Runs[Index];
    if (!R.Send || R.Messages.empty() || R.Data != V.Data || V.Data < ShortChain)
      continue;
    const std::vector<int64_t> &Mine = Starts[R.Rank];
    auto It = std::upper_bound(Mine.begin(), Mine.end(), sendEvent(R.Messages.front()).Begin);
    if (It == Mine.end())
      continue;
    ++V.Timed;
    int64_t Period = *It - sendEvent(R.Messages.front()).Begin;
    int64_t Depth = sendEvent(R.Messages.front()).End - R.Origin;
    V.Overlapping += static_cast<double>(Depth) > PipelineDepth * static_cast<double>(Period);
  }
}

Verdict WindowChains::judge(const std::vector<uint32_t> &Messages) {
  Runs.clear();
  RankSets Sets(W.Events.size());
  std::vector<std::vector<End>> Ends = endsOf(Messages, Sets);
  std::map<uint32_t, uint32_t> Sizes;
  for (uint32_t R = 0; R < Ends.size(); ++R) {
    if (Ends[R].empty())
      continue;
    addRuns(R, Ends[R]);
    ++Sizes[Sets.find(R)];
  }
  Verdict V;
  measure(Sets, Sizes, V);
  findOverlaps(V);
  for (uint32_t M : Messages)
    RunOfSend[M] = RunOfReceive[M] = None;
  return V;
}

} // namespace stridewise::merge
