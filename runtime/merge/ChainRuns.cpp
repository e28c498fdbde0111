// The messages of one call path as runs on each rank, pairs of runs, and the chains that they form; see Chains.cpp.

#include "ChainRuns.h"
#include "thresholds.h"

#include <algorithm>
#include <iterator>
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
  LastEpoch.assign(W.Events.size(), 0);
}

/// How many synchronisations of all ranks a rank has begun before or with a call.
uint32_t WindowChains::epoch(uint32_t R, uint32_t Group) const {
  const std::vector<uint32_t> &Groups = Syncs[R];
  uint32_t &Guess = LastEpoch[R];
  auto Holds = [&](uint32_t Epoch) {
    return (Epoch == 0 || Groups[Epoch - 1] <= Group) && (Epoch == Groups.size() || Group < Groups[Epoch]);
  };
  if (Holds(Guess))
    return Guess;
  if (Guess < Groups.size() && Holds(Guess + 1))
    return ++Guess;
  return Guess = static_cast<uint32_t>(std::upper_bound(Groups.begin(), Groups.end(), Group) - Groups.begin());
}

/// Messages by the paths of their ends, each list as large as it has to be.
void WindowChains::sortMessages() {
  struct Use {
    uint32_t Count = 0, Send = None; // messages; their send path, None if there are several
    std::vector<uint32_t> *List = nullptr;
  };
  FlatMap<Use> Sends, Receives; // by path
  auto ForEach = [&](auto Visit) {
    for (uint32_t M = 0; M < W.Messages.size(); ++M)
      if (uint32_t Send = sendEvent(M).Path; Send != None && !W.Messages[M].Unsure)
        Visit(M, Send, receivePath(M));
  };
  ForEach([&](uint32_t, uint32_t Send, uint32_t Receive) {
    ++Sends[Send].Count;
    if (Receive == None)
      return;
    Use &Here = Receives[Receive];
    Here.Send = Here.Count == 0 || Here.Send == Send ? Send : None;
    ++Here.Count;
  });
  auto Prepare = [](Use &Of) {
    auto List = std::make_shared<std::vector<uint32_t>>();
    List->reserve(Of.Count);
    Of.List = List.get();
    return List;
  };
  Sends.forEach([&](uint64_t Path, Use &Of) { BySend[static_cast<uint32_t>(Path)] = Prepare(Of); });
  Receives.forEach([&](uint64_t Path, Use &Of) {
    bool Same = Of.Send != None && Sends[Of.Send].Count == Of.Count;
    ByReceive[static_cast<uint32_t>(Path)] = Same ? BySend[Of.Send] : Prepare(Of);
  });
  ForEach([&](uint32_t M, uint32_t Send, uint32_t Receive) {
    Sends[Send].List->push_back(M);
    if (Receive == None)
      return;
    if (std::vector<uint32_t> *List = Receives[Receive].List)
      List->push_back(M);
  });
}

void WindowChains::findNulls() {
  for (uint32_t R = 0; R < W.Events.size(); ++R)
    for (uint32_t I = 0; I < W.Events[R].size(); ++I)
      if (const Event &E = W.Events[R][I];
          E.Peer == SW_PEER_NULL && E.has(SW_EV_SEND | SW_EV_RECV) && !E.has(SW_EV_COMPLETE))
        Nulls[E.Path].push_back({R, {I, NoMessage, E.has(SW_EV_SEND)}});
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

/// Adds a run. Open: the first run of a pair that has no second yet.
void WindowChains::addRun(uint32_t R, bool Send, bool Neutral, uint32_t &Open) {
  auto Index = static_cast<uint32_t>(Runs.size());
  Run New;
  New.Rank = R;
  New.Send = Send;
  New.First = static_cast<uint32_t>(RunMessages.size());
  if (Open != None) {
    New.Partner = Open;
    Runs[Open].Partner = Index;
    Runs[Open].Leads = true;
    Open = None;
  } else if (!Neutral) {
    Open = Index;
  }
  Runs.push_back(New);
}

/// Adds the runs of one rank; Ends are in the order of the program.
void WindowChains::addRuns(uint32_t R, std::span<const End> Ends) {
  size_t Begin = Runs.size(), CallEnd = 0;
  uint32_t Epoch = 0, Open = None;
  bool Neutral = false, Both = false;
  for (size_t I = 0; I < Ends.size(); ++I) {
    const End &E = Ends[I];
    uint32_t Group = W.Events[R][E.Event].Group;
    if (I == CallEnd) {
      // Both directions in one call (a Sendrecv, persistent requests started together) wait for neither: such a call
      // belongs to no pair.
      bool Sends = false, Receives = false;
      for (; CallEnd < Ends.size() && W.Events[R][Ends[CallEnd].Event].Group == Group; ++CallEnd)
        (Ends[CallEnd].Send ? Sends : Receives) = true;
      Both = Sends && Receives;
    }
    uint32_t NewEpoch = epoch(R, Group);
    bool Fresh = Runs.size() == Begin || NewEpoch != Epoch || Both || Neutral;
    if (Fresh)
      Open = None;
    if (Fresh || Runs.back().Send != E.Send)
      addRun(R, E.Send, Both, Open);
    if (E.Message != NoMessage) {
      RunMessages.push_back(E.Message);
      ++Runs.back().Count;
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
    if (S.Partner == None || S.Leads)
      return;
    for (uint32_t M : messagesOf(Runs[S.Partner]))
      if (RunOfSend[M] != None && completesBefore(M, false, messagesOf(S).back()))
        Out.push_back(RunOfSend[M]);
    return;
  }
  // An outgoing message waits until its receive is posted, behind the sends before it over there.
  for (uint32_t M : messagesOf(S)) {
    uint32_t In = RunOfReceive[M];
    if (In == None || Runs[In].Partner == None || Runs[In].Leads)
      continue;
    uint32_t Before = Runs[In].Partner;
    std::span<const uint32_t> Sends = messagesOf(Runs[Before]);
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
  const int Which = Rendezvous ? 1 : 0;
  auto Value = [&](Run &R) -> uint32_t & { return Rendezvous ? R.Rendezvous : R.Data; };
  while (!Stack.empty()) {
    Visit &V = Stack.back();
    Run &Here = Runs[V.Index];
    if (V.Next == 0) {
      if (Here.Mark[Which] == 2) {
        Stack.pop_back();
        continue;
      }
      Here.Mark[Which] = 1;
      Value(Here) = 1;
      if (!Rendezvous)
        Here.Origin = V.Index;
      if (Edges.size() < Stack.size())
        Edges.emplace_back();
      successors(Here, Rendezvous, Edges[Stack.size() - 1]);
    }
    const std::vector<uint32_t> &Next = Edges[Stack.size() - 1];
    if (V.Next < Next.size()) {
      uint32_t To = Next[V.Next++];
      if (Runs[To].Mark[Which] == 1)
        Cycle = true;
      else if (Runs[To].Mark[Which] == 0)
        Stack.push_back({To});
      continue;
    }
    for (uint32_t To : Next) {
      if (Runs[To].Mark[Which] != 2)
        continue;
      if (Value(Runs[To]) + 1 > Value(Here)) {
        Value(Here) = Value(Runs[To]) + 1;
        if (!Rendezvous)
          Here.Origin = Runs[To].Origin;
      }
    }
    Here.Mark[Which] = 2;
    if (Rendezvous) {
      Here.AwaitedFirst = static_cast<uint32_t>(Awaited.size());
      Here.AwaitedCount = static_cast<uint32_t>(Next.size());
      Awaited.insert(Awaited.end(), Next.begin(), Next.end());
    }
    Stack.pop_back();
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
    for (uint32_t M : messagesOf(R))
      Ranks.insert(W.Messages[M].Target);
    for (uint32_t To : std::span(Awaited).subspan(R.AwaitedFirst, R.AwaitedCount))
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

/// Sorts by event what is sorted in parts already: those of single channels.
static void sortParts(std::span<End> Ends, std::vector<End> &Scratch) {
  auto ByEvent = [](const End &A, const End &B) { return A.Event < B.Event; };
  std::vector<size_t> Parts; // their ends
  for (size_t I = 1; I <= Ends.size(); ++I)
    if (I == Ends.size() || ByEvent(Ends[I], Ends[I - 1]))
      Parts.push_back(I);
  while (Parts.size() > 1) {
    std::vector<size_t> Merged;
    Scratch.clear();
    for (size_t P = 0, From = 0; P < Parts.size(); P += 2) {
      size_t Middle = Parts[P], Last = P + 1 < Parts.size() ? Parts[P + 1] : Middle;
      auto At = [&](size_t I) { return Ends.begin() + static_cast<std::ptrdiff_t>(I); };
      std::merge(At(From), At(Middle), At(Middle), At(Last), std::back_inserter(Scratch), ByEvent);
      Merged.push_back(From = Last);
    }
    std::copy(Scratch.begin(), Scratch.end(), Ends.begin());
    Parts = std::move(Merged);
  }
}

/// The ends of messages by rank, in the order of the program, with what goes nowhere from the same paths.
EndsByRank WindowChains::endsOf(const std::vector<uint32_t> &Messages, RankSets &Sets) const {
  auto Ranks = static_cast<uint32_t>(W.Events.size());
  std::vector<size_t> Counts(Ranks, 0);
  std::vector<bool> Taken(Messages.size(), false);
  FlatMap<bool> SendPaths, ReceivePaths;
  auto Receive = [](const Message &M) { return M.RecvPost != None ? M.RecvPost : M.RecvDone; };
  for (size_t I = 0; I < Messages.size(); ++I) {
    const Message &M = W.Messages[Messages[I]];
    // A message across a synchronisation of all ranks waits for that, whatever the order of the calls.
    if (Receive(M) == None)
      continue;
    const Event &From = W.Events[M.Source][M.SendStart], &To = W.Events[M.Target][Receive(M)];
    if (epoch(M.Source, From.Group) != epoch(M.Target, To.Group))
      continue;
    Taken[I] = true;
    ++Counts[M.Source];
    ++Counts[M.Target];
    SendPaths[From.Path] = true;
    ReceivePaths[To.Path] = true;
    Sets.unite(M.Source, M.Target);
  }
  std::vector<bool> Exchanges(Ranks);
  for (uint32_t R = 0; R < Ranks; ++R)
    Exchanges[R] = Counts[R] != 0;
  auto ForNulls = [&](auto Visit) {
    for (const auto &[Path, Ends] : Nulls)
      for (const auto &[R, E] : Ends)
        if (Exchanges[R] && (E.Send ? SendPaths : ReceivePaths).contains(Path))
          Visit(R, E);
  };
  ForNulls([&](uint32_t R, const End &) { ++Counts[R]; });
  EndsByRank Out;
  Out.Begin.assign(1, 0);
  for (size_t Count : Counts)
    Out.Begin.push_back(Out.Begin.back() + Count);
  Out.All.resize(Out.Begin.back());
  std::vector<size_t> Next(Out.Begin.begin(), Out.Begin.end() - 1);
  for (size_t I = 0; I < Messages.size(); ++I)
    if (Taken[I]) {
      const Message &M = W.Messages[Messages[I]];
      Out.All[Next[M.Source]++] = {M.SendStart, Messages[I], true};
      Out.All[Next[M.Target]++] = {Receive(M), Messages[I], false};
    }
  ForNulls([&](uint32_t R, const End &E) { Out.All[Next[R]++] = E; });
  std::vector<End> Scratch;
  for (uint32_t R = 0; R < Ranks; ++R)
    sortParts(Out.of(R), Scratch);
  return Out;
}

/// The longest chains and how many are long. Sizes: ranks that exchange with each other, by their root.
void WindowChains::measure(RankSets &Sets, const std::vector<uint32_t> &Sizes, Verdict &V) {
  // Long chains and all, by rank and receiver: one path may serve several directions, of which one chains.
  FlatMap<std::pair<uint64_t, uint64_t>> PerChannel;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Involved; // by rank and length: alike in every instance
  for (uint32_t Index = 0; Index < Runs.size(); ++Index) {
    if (!Runs[Index].Send || Runs[Index].Count == 0)
      continue;
    bool SendCycle = false; // the simulation has found it too
    uint32_t Rendezvous = length(Index, true, SendCycle), Data = length(Index, false, V.DataCycle);
    auto &[Long, All] = PerChannel[pairKey(Runs[Index].Rank, W.Messages[messagesOf(Runs[Index]).front()].Target)];
    ++All;
    // A pipeline is long when it covers half of the ranks that exchange at all; a send order already when it covers
    // half of those that it involves (a row of a grid).
    bool SendOrder = Rendezvous > Data;
    uint32_t Length = std::max(Rendezvous, Data), Size = Sizes[Sets.find(Runs[Index].Rank)];
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
  PerChannel.forEach([&](uint64_t, const std::pair<uint64_t, uint64_t> &Counts) {
    if (Counts > std::pair{V.Instances, V.Runs})
      std::tie(V.Instances, V.Runs) = Counts;
  });
  if (V.Ranks == 0)
    for (uint32_t Size : Sizes)
      V.Ranks = std::max(V.Ranks, Size);
}

/// A pipeline is filled when the next instance begins before the last rank has finished the present one.
void WindowChains::findOverlaps(Verdict &V) const {
  if (V.Data < ShortChain)
    return;
  std::vector<std::vector<int64_t>> Starts(W.Events.size()); // of send runs, by rank
  for (const Run &R : Runs)
    if (R.Send && R.Count != 0)
      Starts[R.Rank].push_back(sendEvent(messagesOf(R).front()).Begin);
  for (uint32_t Index = 0; Index < Runs.size(); ++Index) {
    const Run &R = Runs[Index];
    if (!R.Send || R.Count == 0 || R.Data != V.Data)
      continue;
    const std::vector<int64_t> &Mine = Starts[R.Rank];
    auto It = std::upper_bound(Mine.begin(), Mine.end(), sendEvent(messagesOf(R).front()).Begin);
    if (It == Mine.end())
      continue;
    ++V.Timed;
    int64_t Period = *It - sendEvent(messagesOf(R).front()).Begin;
    int64_t Depth = sendEvent(messagesOf(R).front()).End - sendEvent(messagesOf(Runs[R.Origin]).front()).Begin;
    V.Overlapping += static_cast<double>(Depth) > PipelineDepth * static_cast<double>(Period);
  }
}

Verdict WindowChains::judge(const std::vector<uint32_t> &Messages) {
  Runs.clear();
  RunMessages.clear();
  Awaited.clear();
  RankSets Sets(W.Events.size());
  std::vector<uint32_t> Sizes(W.Events.size(), 0); // ranks that exchange with each other, by their root
  {
    EndsByRank Ends = endsOf(Messages, Sets);
    RunMessages.reserve(Ends.All.size());
    Runs.reserve(Ends.All.size()); // at most; what is not used takes no memory
    for (uint32_t R = 0; R < W.Events.size(); ++R) {
      if (Ends.of(R).empty())
        continue;
      addRuns(R, Ends.of(R));
      ++Sizes[Sets.find(R)];
    }
  }
  Verdict V;
  measure(Sets, Sizes, V);
  findOverlaps(V);
  for (uint32_t M : Messages)
    RunOfSend[M] = RunOfReceive[M] = None;
  return V;
}

void WindowChains::finish() {
  Runs = {};
  RunMessages = Awaited = {};
  RunOfSend = RunOfReceive = {};
}

} // namespace stridewise::merge
