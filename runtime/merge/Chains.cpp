// Chains of messages that wait for one another because of the order of sends and receives.
//
// The messages of one call path (of the send, and of the receive) are taken alone. On each rank its sends and receives
// form runs; a run and the one after it make a pair, which is one instance of the exchange: send-then-receive or
// receive-then-send. Only inside a pair may one message wait for another:
//   send-then-receive: the receive is posted after the send completed, so if sends are synchronous (which the standard
//                      leaves to the library) the incoming message waits for the outgoing one;
//   receive-then-send: the outgoing message follows the incoming one, eager or not.
// The longest chains over the ranks are the rendezvous length and the data length. Steps of an iteration never join
// into one chain, since pairs do not overlap, and pairing starts anew after each synchronisation of all ranks.
//
// Cycles are found by running the window again with every send synchronous: a set of ranks that wait for each other
// shows that the program relies on the library's buffering.

#include "Analyses.h"
#include "Walk.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace stridewise::merge {
namespace {

constexpr uint32_t FewRanks = 4;   // below, a chain cannot be told from a pair
constexpr uint32_t ShortChain = 3; // messages: an odd-even order needs two in sequence

/// A cycle that was met, per send path.
struct Cycles {
  uint64_t Count = 0;
  uint32_t Longest = 0;
};

struct Run {
  uint32_t Rank = 0;
  uint32_t Partner = None; // run of the same pair
  std::vector<uint32_t> Messages;
  uint32_t Data = 0, Rendezvous = 0; // messages in the longest chain that ends (data) or begins (rendezvous) here
  int64_t Origin = 0;                // when the data chain began
  std::vector<uint32_t> Awaited;     // send runs that a synchronous send from here waits for
  uint8_t Mark[2] = {0, 0};
  bool Send = false;
  bool First = false; // of its pair
};

/// One end of a message on its rank; Message is None for MPI_PROC_NULL, which moves nothing but keeps the alternation
/// of sends and receives at the edge of a domain.
struct End {
  uint32_t Event, Message;
  bool Send;
};

/// The messages of one path on one window.
struct Verdict {
  uint32_t Data = 0, Rendezvous = 0, Ranks = 0;
  bool DataCycle = false;
  uint64_t Instances = 0, Runs = 0; // of the channel with the most: long chains, and all
  uint64_t Overlapping = 0, Timed = 0;
};

class WindowChains {
public:
  explicit WindowChains(const Window &W) : W(W) {
    findSyncs();
    simulate();
    for (uint32_t M = 0; M < W.Messages.size(); ++M) {
      uint32_t Send = sendEvent(M).Path, Receive = receivePath(M);
      if (Send == None || W.Messages[M].Unsure)
        continue;
      BySend[Send].push_back(M);
      if (Receive != None)
        ByReceive[Receive].push_back(M);
    }
    for (uint32_t R = 0; R < W.Events.size(); ++R)
      for (uint32_t I = 0; I < W.Events[R].size(); ++I)
        if (const Event &E = W.Events[R][I];
            E.Peer == SW_PEER_NULL && E.has(SW_EV_SEND | SW_EV_RECV) && !E.has(SW_EV_COMPLETE))
          Nulls[E.Path].push_back({R, {I, None, E.has(SW_EV_SEND)}});
    RunOfSend.assign(W.Messages.size(), None);
    RunOfReceive.assign(W.Messages.size(), None);
  }

  std::map<uint32_t, std::vector<uint32_t>> BySend, ByReceive;
  std::unordered_map<uint32_t, Cycles> CyclesOf; // by send path

  Verdict judge(const std::vector<uint32_t> &Messages);
  const Event &sendEvent(uint32_t M) const { return W.Events[W.Messages[M].Source][W.Messages[M].SendStart]; }
  uint32_t receivePath(uint32_t M) const {
    const Message &Msg = W.Messages[M];
    uint32_t I = Msg.RecvPost != None ? Msg.RecvPost : Msg.RecvDone;
    return I == None ? None : W.Events[Msg.Target][I].Path;
  }

  /// Whether the messages of a receive path are those of one send path, so that nothing new can be learnt.
  bool sameAsSend(const std::vector<uint32_t> &Messages) const {
    uint32_t Path = sendEvent(Messages.front()).Path;
    return BySend.at(Path).size() == Messages.size() &&
           std::all_of(Messages.begin(), Messages.end(), [&](uint32_t M) { return sendEvent(M).Path == Path; });
  }

private:
  void findSyncs();
  void simulate();
  void release(Walk &Scheduler);
  void addRuns(uint32_t R, const std::vector<End> &Ends);
  uint32_t length(uint32_t Index, bool Rendezvous, bool &Cycle);
  uint32_t awaitedRanks(uint32_t Index) const;
  uint32_t epoch(uint32_t R, uint32_t Group) const {
    return static_cast<uint32_t>(std::upper_bound(Syncs[R].begin(), Syncs[R].end(), Group) - Syncs[R].begin());
  }
  bool completesBefore(uint32_t Earlier, bool EarlierIsSend, uint32_t Later) const;

  const Window &W;
  std::unordered_map<uint32_t, uint32_t> Sofar; // messages of a run that the simulation has let go
  std::vector<std::vector<uint32_t>> Syncs;     // groups of world synchronisations, per rank
  std::unordered_map<uint32_t, std::vector<std::pair<uint32_t, End>>> Nulls; // by path: rank and end
  std::vector<Run> Runs;
  std::vector<uint32_t> RunOfSend, RunOfReceive;
};

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

/// All runnable ranks have run: finds who waits for whom, notes the cycle, and lets its sends go (as buffering does).
void WindowChains::release(Walk &Scheduler) {
  auto Ranks = static_cast<uint32_t>(W.Events.size());
  auto Next = [&](uint32_t R) -> uint32_t {
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
  };
  std::vector<uint32_t> Seen(Ranks, 0);
  bool Released = false;
  for (uint32_t Begin = 0, Colour = 1; Begin < Ranks; ++Begin, ++Colour) {
    uint32_t R = Begin;
    while (R != None && !Scheduler.atEnd(R) && Seen[R] == 0) {
      Seen[R] = Colour;
      R = Next(R);
    }
    if (R == None || Scheduler.atEnd(R) || Seen[R] != Colour)
      continue;
    std::vector<uint32_t> Cycle;
    bool Collective = false, Rendezvous = false;
    uint32_t Times = None; // each message of a run closes the cycle again, until the shortest run is through
    for (uint32_t Q = R; Cycle.empty() || Q != R; Q = Next(Q)) {
      Cycle.push_back(Q);
      Collective |= Scheduler.waiting(Q).What == Wait::Collective;
      Rendezvous |= Scheduler.waiting(Q).What == Wait::Rendezvous;
    }
    if (!Collective && Rendezvous && Cycle.size() >= 2) {
      std::vector<uint32_t> Paths;
      for (uint32_t Q : Cycle)
        if (Scheduler.waiting(Q).What == Wait::Rendezvous) {
          uint32_t Id = Scheduler.waiting(Q).Id;
          Paths.push_back(sendEvent(Id).Path);
          Times = std::min(Times, W.Messages[Id].Count - Sofar[Id]);
        }
      std::sort(Paths.begin(), Paths.end());
      Paths.erase(std::unique(Paths.begin(), Paths.end()), Paths.end());
      for (uint32_t Path : Paths) {
        Cycles &C = CyclesOf[Path];
        C.Count += Times;
        C.Longest = std::max(C.Longest, static_cast<uint32_t>(Cycle.size()));
      }
    }
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

/// Longest chain from a send run, by depth-first search with an explicit stack (chains can be as long as the ranks).
uint32_t WindowChains::length(uint32_t Index, bool Rendezvous, bool &Cycle) {
  struct Visit {
    uint32_t Index, Next = 0;
  };
  auto Successors = [&](const Run &S, std::vector<uint32_t> &Out) {
    Out.clear();
    if (Rendezvous) {
      // An outgoing message waits until its receive is posted, behind the sends before it over there.
      for (uint32_t M : S.Messages) {
        uint32_t In = RunOfReceive[M];
        if (In == None || Runs[In].Partner == None || Runs[In].First)
          continue;
        uint32_t Before = Runs[In].Partner;
        for (uint32_t Earlier : Runs[Before].Messages)
          if (completesBefore(Earlier, true, M)) {
            Out.push_back(Before);
            break;
          }
      }
    } else if (S.Partner != None && !S.First) {
      const Run &In = Runs[S.Partner];
      for (uint32_t M : In.Messages)
        if (RunOfSend[M] != None && completesBefore(M, false, S.Messages.back()))
          Out.push_back(RunOfSend[M]);
    }
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
      Successors(Here, Edges.back());
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

Verdict WindowChains::judge(const std::vector<uint32_t> &Messages) {
  Runs.clear();
  std::vector<std::vector<End>> Ends(W.Events.size()); // by rank
  std::set<uint32_t> SendPaths, ReceivePaths;
  std::vector<uint32_t> Parent(W.Events.size());
  std::iota(Parent.begin(), Parent.end(), 0u);
  auto Find = [&](uint32_t R) {
    while (Parent[R] != R)
      R = Parent[R] = Parent[Parent[R]];
    return R;
  };
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
    Parent[Find(M.Source)] = Find(M.Target);
  }
  for (const std::set<uint32_t> *Paths : {&SendPaths, &ReceivePaths})
    for (uint32_t Path : *Paths)
      if (auto It = Nulls.find(Path); It != Nulls.end())
        for (const auto &[R, E] : It->second)
          if (!Ends[R].empty() && E.Send == (Paths == &SendPaths))
            Ends[R].push_back(E);
  std::map<uint32_t, uint32_t> Sizes; // ranks that exchange with each other, by their root
  for (uint32_t R = 0; R < Ends.size(); ++R) {
    if (Ends[R].empty())
      continue;
    std::sort(Ends[R].begin(), Ends[R].end(), [](const End &A, const End &B) { return A.Event < B.Event; });
    addRuns(R, Ends[R]);
    ++Sizes[Find(R)];
  }

  Verdict V;
  // Long chains and all, by rank and receiver: one path may serve several directions, of which one chains.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> PerChannel;
  std::map<uint32_t, std::vector<int64_t>> Starts;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Involved; // by rank and length: alike in every instance
  for (uint32_t Index = 0; Index < Runs.size(); ++Index) {
    if (!Runs[Index].Send || Runs[Index].Messages.empty())
      continue;
    bool SendCycle = false; // the simulation has found it too
    uint32_t Rendezvous = length(Index, true, SendCycle), Data = length(Index, false, V.DataCycle);
    auto &[Long, All] = PerChannel[{Runs[Index].Rank, W.Messages[Runs[Index].Messages.front()].Target}];
    ++All;
    Starts[Runs[Index].Rank].push_back(sendEvent(Runs[Index].Messages.front()).Begin);
    // A pipeline is long when it covers half of the ranks that exchange at all; a send order already when it covers
    // half of those that it involves (a row of a grid).
    bool SendOrder = Rendezvous > Data;
    uint32_t Length = std::max(Rendezvous, Data), Size = Sizes[Find(Runs[Index].Rank)];
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
  // A pipeline is filled when the next instance begins before the last rank has finished the present one.
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
    V.Overlapping += 2 * Depth > 3 * Period;
  }
  for (uint32_t M : Messages)
    RunOfSend[M] = RunOfReceive[M] = None;
  return V;
}

struct Anchor {
  bool IsSend;
  uint32_t Path;
  Verdict V;
  Cycles C;
  ChainSite::Kind Kind;
  std::vector<std::vector<uint32_t>> Messages; // per window
};

double seconds(int64_t Ns) { return 1e-9 * static_cast<double>(Ns); }

/// How long a call waits until that of Other is entered. The messages of a run are taken as evenly spaced, and a few of
/// them stand for all.
int64_t waitingNs(const Event &E, const Event &Other, uint32_t Messages) {
  uint32_t Samples = std::min(Messages, 16u);
  double Sum = 0;
  for (uint32_t I = 0; I < Samples; ++I) {
    double Lag = static_cast<double>((Other.End - Other.Begin) - (E.End - E.Begin)) * I / Samples;
    Sum += std::clamp(static_cast<double>(Other.Begin - E.Begin) + Lag, 0.0, E.callNs() / Messages);
  }
  return static_cast<int64_t>(Sum * Messages / Samples);
}

/// Adds up the waiting of messages, each call's time at most once over all chains.
class Charges {
public:
  explicit Charges(const Trace &T) : T(T), InWindows(T) {}
  void charge(ChainSite &Site, const Anchor &A);

private:
  void add(std::map<uint64_t, double> &Waits, size_t Window, uint32_t R, uint32_t EventIndex, int64_t Ns);
  const Trace &T;
  WindowSeconds InWindows;
  std::unordered_map<uint64_t, int64_t> Charged; // by window, rank and call
};

void Charges::add(std::map<uint64_t, double> &Waits, size_t Window, uint32_t R, uint32_t EventIndex, int64_t Ns) {
  const Event &E = T.Windows[Window].Events[R][EventIndex];
  Ns = std::clamp<int64_t>(Ns, 0, E.End - E.Begin);
  int64_t &Sofar = Charged[pairKey(static_cast<uint32_t>(Window * T.Ranks.size() + R), E.Group)];
  if (E.Path == None || Ns <= Sofar)
    return;
  Waits[pairKey(E.Path, R)] += seconds(Ns - Sofar);
  Sofar = Ns;
}

void Charges::charge(ChainSite &Site, const Anchor &A) {
  std::map<uint64_t, double> Sends, Receives;         // by path and rank
  std::vector<std::pair<double, uint32_t>> Transfers; // seconds, messages
  uint64_t Transferred = 0;
  for (size_t Index = 0; Index < T.Windows.size(); ++Index) {
    const Window &W = T.Windows[Index];
    for (uint32_t Number : A.Messages[Index]) {
      const Message &M = W.Messages[Number];
      if (M.Following) // charged to the burst
        continue;
      const Event &Send = W.Events[M.Source][M.SendStart];
      if (M.SendDone != None && M.RecvPost != None) {
        const Event &Done = W.Events[M.Source][M.SendDone];
        add(Sends, Index, M.Source, M.SendDone, waitingNs(Done, W.Events[M.Target][M.RecvPost], M.Count));
      }
      if (M.RecvDone != None) {
        const Event &Done = W.Events[M.Target][M.RecvDone];
        add(Receives, Index, M.Target, M.RecvDone, waitingNs(Done, Send, M.Count));
        Transfers.push_back(
            {seconds(std::max<int64_t>(0, Done.End - std::max(Send.Begin, Done.Begin))) / M.Count, M.Count});
        Transferred += M.Count;
      }
    }
  }
  if (!Transfers.empty()) {
    std::sort(Transfers.begin(), Transfers.end());
    uint64_t Below = 0;
    auto Middle = std::find_if(Transfers.begin(), Transfers.end(),
                               [&](const auto &Some) { return (Below += Some.second) > Transferred / 2; });
    Site.SecondsPerMessage = Middle->first;
  }
  Site.RankSeconds.assign(T.Ranks.size(), 0);
  Site.RankSendSeconds.assign(T.Ranks.size(), 0);
  // The windows give the share of a path's time, the totals its time over the whole run.
  auto Scale = [&](const std::map<uint64_t, double> &Waits, bool IsSend) {
    for (const auto &[Key, Wait] : Waits) {
      auto Path = static_cast<uint32_t>(Key >> 32), R = static_cast<uint32_t>(Key);
      double Whole = InWindows.of(Path, R);
      if (Whole <= 0)
        continue;
      double Seconds = T.totalOf(R, Path).Seconds * std::min(1.0, Wait / Whole);
      Site.RankSeconds[R] += Seconds;
      if (IsSend)
        Site.RankSendSeconds[R] += Seconds;
    }
  };
  Scale(Sends, true);
  Scale(Receives, false);
}

} // namespace

std::vector<ChainSite> findChains(const Trace &T) {
  std::vector<WindowChains> Windows;
  Windows.reserve(T.Windows.size());
  bool Threads = false;
  for (const Window &W : T.Windows) {
    Threads |= W.Threads;
    Windows.emplace_back(W);
  }
  std::map<std::pair<bool, uint32_t>, Anchor> Anchors; // sends first: key (is receive, path)
  for (size_t Index = 0; Index < Windows.size(); ++Index)
    for (bool IsSend : {true, false})
      for (const auto &[Path, Messages] : IsSend ? Windows[Index].BySend : Windows[Index].ByReceive) {
        Anchor &A = Anchors[{!IsSend, Path}];
        A.IsSend = IsSend;
        A.Path = Path;
        A.Messages.resize(Windows.size());
        A.Messages[Index] = Messages;
        if (!IsSend && Windows[Index].sameAsSend(Messages))
          continue;
        Verdict V = Windows[Index].judge(Messages);
        A.V.Data = std::max(A.V.Data, V.Data);
        A.V.Rendezvous = std::max(A.V.Rendezvous, V.Rendezvous);
        A.V.Ranks = std::max(A.V.Ranks, V.Ranks);
        A.V.Instances += V.Instances;
        A.V.Runs += V.Runs;
        A.V.Overlapping += V.Overlapping;
        A.V.Timed += V.Timed;
        A.V.DataCycle |= V.DataCycle;
        if (auto It = Windows[Index].CyclesOf.find(Path); IsSend && It != Windows[Index].CyclesOf.end()) {
          A.C.Count += It->second.Count;
          A.C.Longest = std::max(A.C.Longest, It->second.Longest);
        }
      }

  std::vector<Anchor *> Loud;
  for (auto &[Key, A] : Anchors) {
    bool Regular = 2 * A.V.Instances >= A.V.Runs && A.V.Instances != 0;
    if (A.C.Count != 0)
      A.Kind = ChainSite::UnsafeRing;
    else if (A.V.DataCycle) // no message can wait for itself in a run: these runs of messages are no pairs
      continue;
    else if (Regular && A.V.Rendezvous > A.V.Data)
      A.Kind = ChainSite::SendOrderChain;
    else if (Regular)
      A.Kind = ChainSite::Pipeline;
    else
      continue;
    if (A.Kind == ChainSite::UnsafeRing)
      A.V.Rendezvous = std::max(A.V.Rendezvous, A.C.Longest);
    if (T.WorldSize < static_cast<int32_t>(FewRanks) || Threads)
      A.Kind = ChainSite::CannotTell;
    Loud.push_back(&A);
  }

  std::vector<ChainSite> Result;
  Charges Sums(T);
  std::vector<std::vector<bool>> Taken;
  for (const Window &W : T.Windows)
    Taken.emplace_back(W.Messages.size(), false);
  for (Anchor *A : Loud) { // anchors at sends come first: a receive's anchor adds only what they left
    uint64_t Fresh = 0, All = 0;
    ChainSite Site;
    std::map<uint32_t, uint64_t> SendPaths, ReceivePaths;
    for (size_t Index = 0; Index < T.Windows.size(); ++Index)
      for (uint32_t M : A->Messages[Index]) {
        uint32_t Count = T.Windows[Index].Messages[M].Count;
        All += Count;
        Fresh += Taken[Index][M] ? 0 : Count;
        SendPaths[Windows[Index].sendEvent(M).Path] += Count;
        if (uint32_t Path = Windows[Index].receivePath(M); Path != None)
          ReceivePaths[Path] += Count;
      }
    if (2 * Fresh < All)
      continue;
    for (size_t Index = 0; Index < T.Windows.size(); ++Index)
      for (uint32_t M : A->Messages[Index])
        Taken[Index][M] = true;
    Site.What = A->Kind;
    Site.SendPaths = mostUsedFirst(SendPaths);
    Site.ReceivePaths = mostUsedFirst(ReceivePaths);
    Site.DataLength = A->V.Data;
    Site.RendezvousLength = A->V.Rendezvous;
    Site.Ranks = A->V.Ranks;
    Site.Instances = A->Kind == ChainSite::UnsafeRing ? std::max(A->C.Count, A->V.Instances) : A->V.Instances;
    Site.Overlapped = A->V.Timed != 0 && 2 * A->V.Overlapping >= A->V.Timed;
    Sums.charge(Site, *A);
    // The windows show a part of the run: instances grow with the number of calls.
    uint64_t Whole = 0, Seen = 0;
    for (uint32_t R = 0; R < T.Ranks.size(); ++R)
      Whole += T.totalOf(R, A->Path).Count;
    for (const Window &W : T.Windows)
      for (const auto &Events : W.Events)
        for (const Event &E : Events)
          if (E.Path == A->Path && !E.has(SW_EV_COMPLETE) && !(E.has(SW_EV_SENDRECV) && E.has(SW_EV_RECV)))
            Seen += E.Count;
    double Factor = Seen == 0 ? 1 : std::max(1.0, static_cast<double>(Whole) / static_cast<double>(Seen));
    Site.WholeRunInstances = static_cast<uint64_t>(static_cast<double>(Site.Instances) * Factor + 0.5);
    Result.push_back(std::move(Site));
  }
  return Result;
}

} // namespace stridewise::merge
