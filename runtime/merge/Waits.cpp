// Wait states, by the definitions of Scalasca's patterns, each with the rank that was awaited and with what made that
// rank late.
//
// The cause follows Boehme et al., "Identifying the root causes of wait states in large-scale parallel applications"
// (ICPP 2010): between the last synchronisation of the waiting and the awaited rank and the present one, what the
// awaited rank spent more than the waiting one on computing is the delay's direct cause; where it waited more itself,
// the wait state is the consequence of that one, whose cause it takes over.

#include "Analyses.h"
#include "Parallel.h"
#include "Walk.h"
#include "thresholds.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace stridewise::merge {
namespace {

constexpr uint32_t Furthest = 4096; // calls to look back for a cause
using namespace limits::merge;

/// When a rank entered MPI_Finalize.
int64_t endNs(const Rank &R) { return R.BeginNs + wholeNs(1e9 * R.WallSeconds); }

/// Why a rank was late: what it did between two of its calls.
struct Cause {
  WaitCause::Kind What : 2 = WaitCause::Transfer;
  uint32_t Depth : 30 = 0; // wait states between the cause and this one
  uint32_t Rank = None, Before = None, After = None;
  float Share = 0; // of the wait
};

constexpr size_t MostCauses = 3; // of one wait; smaller shares are nobody's

/// One call that waited.
struct CallWait {
  uint32_t Group;
  WaitSite::Kind What;
  uint32_t Path, Culprit;
  double Ns = 0;
  std::array<Cause, MostCauses> Why{}; // the largest first

  void add(const Cause &New) {
    for (size_t I = 0; I < MostCauses; ++I)
      if (New.Share > Why[I].Share) {
        std::move_backward(Why.begin() + static_cast<std::ptrdiff_t>(I), Why.end() - 1, Why.end());
        Why[I] = New;
        return;
      }
  }
};

/// What a rank has done until it left the call before its n-th one, in nanoseconds.
struct Spent {
  double Computed = 0, Waited = 0, Called = 0; // Called: in MPI, not waiting
};

/// The same, with what it takes to go on from there.
struct Account : Spent {
  int64_t LastEnd;       // of the calls so far; INT64_MIN before the first one of a window in the middle of the run
  uint32_t Group = 0;    // the n-th call
  uint32_t NextWait = 0; // index of the first wait from there on
};

constexpr uint32_t AccountEvery = 16; // calls: in between, accounts are made up anew

class WindowWaits {
public:
  WindowWaits(const Trace &T, const Window &W)
      : T(T), W(W), Waits(W.Events.size()), Accounts(W.Events.size()), WorldSyncs(W.Events.size()) {
    findArrivals();
    forEachIndex(W.Events.size(), [&](size_t R) { findWaits(static_cast<uint32_t>(R)); });
    findWorldSyncs();
    explain();
    if (W.ToEnd)
      meetAtEnd();
  }

  /// Adds the waits, multiplied by Factor(path, rank).
  template <typename Function>
  void addTo(std::map<std::pair<WaitSite::Kind, uint32_t>, WaitSite> &Sites, Function Factor);

  void writeTo(std::vector<std::vector<float>> &Calls) const {
    for (uint32_t R = 0; R < Waits.size(); ++R)
      // NOLINTNEXTLINE(stridewise-mem-array-of-structs): once per window, over the calls that waited
      for (const CallWait &Wait : Waits[R])
        Calls[R][Wait.Group] += static_cast<float>(Wait.Ns);
  }

private:
  struct Arrivals {
    int64_t First, Last; // of all but the root, if there is one
    uint32_t FirstRank, LastRank;
  };
  struct Position {
    uint32_t Rank, Group;
  };
  void findArrivals();
  void findWaits(uint32_t R);
  double gapBefore(uint32_t R, const Account &A) const;
  void pass(uint32_t R, Account &A) const;
  Account accountAt(uint32_t R, uint32_t Group) const;
  void findWorldSyncs();
  void explain();
  void explain(uint32_t R, CallWait &Wait);
  void explain(uint32_t R, CallWait &Wait, uint32_t Free);
  void meetAtEnd();
  std::array<uint32_t, 2> lastSync(uint32_t Waiting, uint32_t Group, uint32_t Awaited) const;
  uint32_t arrival(const CallWait &Wait, uint32_t Waiting) const;
  struct Offers;
  void propose(uint32_t R, const Event &E, CallWait &Best, CallWait &Second) const;
  void proposeCollective(Offers &O) const;
  void proposeMessage(Offers &O) const;
  Cause computation(uint32_t R, uint32_t From, uint32_t To) const;
  /// Of the group behind the last one: that of MPI_Finalize.
  uint32_t pathOf(uint32_t R, uint32_t Group) const {
    return Group < W.groups(R) ? W.firstOf(R, Group).Path : finalizePath(R);
  }
  uint32_t finalizePath(uint32_t R) const;

  const Trace &T;
  const Window &W;
  std::vector<Arrivals> Entered;                    // by instance
  std::vector<std::vector<CallWait>> Waits;         // by rank, in order of calls
  std::vector<std::pair<uint32_t, CallWait>> AtEnd; // rank and its wait in MPI_Finalize, which is no event
  std::vector<std::vector<Account>> Accounts;       // by rank: of each AccountEvery-th group, and at the end
  std::vector<std::vector<uint32_t>> WorldSyncs;    // by rank: their groups; the n-th is the same one on all ranks
  FlatMap<uint64_t> LastMessage;                    // by receiver and sender: their groups
};

void WindowWaits::findArrivals() {
  Entered.reserve(W.Instances.size());
  for (const Instance &I : W.Instances) {
    Arrivals A{INT64_MAX, INT64_MIN, None, None};
    for (uint32_t P = I.First; P < I.First + I.Count; ++P) {
      const Part &Member = W.Parts[P];
      if (P == I.RootPart && I.Flow == Instance::ToRoot && !I.FullSync)
        continue;
      int64_t Begin = W.Events[Member.Rank][Member.Start].Begin;
      if (Begin < A.First)
        std::tie(A.First, A.FirstRank) = std::tie(Begin, Member.Rank);
      if (Begin > A.Last)
        std::tie(A.Last, A.LastRank) = std::tie(Begin, Member.Rank);
    }
    Entered.push_back(A);
  }
}

/// What calls wait for that an event belongs to; a call waits as long as the longest of them. Second is what a
/// reduction's root waits for behind its first sender.
struct WindowWaits::Offers {
  uint32_t Rank;
  const Event &E;
  CallWait &Best, &Second;

  double until(int64_t Other) const { return std::clamp(static_cast<double>(Other - E.Begin), 0.0, E.callNs()); }
  void offer(WaitSite::Kind What, uint32_t Culprit, double Ns) {
    if (Ns > Best.Ns && Culprit != Rank && Culprit != None)
      Best.What = What, Best.Culprit = Culprit, Best.Ns = Ns, Second.Ns = 0;
  }
};

void WindowWaits::proposeCollective(Offers &O) const {
  const Instance &I = W.Instances[O.E.Link];
  const Arrivals &A = Entered[O.E.Link];
  if (!I.Complete || I.Count < 2)
    return;
  bool Root = I.RootPart != None && W.Parts[I.RootPart].Rank == O.Rank;
  if (I.FullSync) {
    O.offer(I.Barrier ? WaitSite::Barrier : WaitSite::NxN, A.LastRank, O.until(A.Last));
  } else if (I.Flow == Instance::ToRoot && Root) {
    double First = O.until(A.First), Last = O.until(A.Last);
    O.offer(WaitSite::EarlyReduce, A.FirstRank, First);
    if (O.Best.What == WaitSite::EarlyReduce && O.Best.Ns == First && Last > First) {
      O.Second = O.Best;
      O.Second.What = WaitSite::LateContribution;
      O.Second.Culprit = A.LastRank;
      O.Second.Ns = Last - First;
    } else {
      O.offer(WaitSite::LateContribution, A.LastRank, Last);
    }
  } else if (I.Flow == Instance::FromRoot && !Root) {
    const Part &From = W.Parts[I.RootPart];
    O.offer(WaitSite::LateBroadcast, From.Rank, O.until(W.Events[From.Rank][From.Start].Begin));
  }
}

void WindowWaits::proposeMessage(Offers &O) const {
  const Message &M = W.Messages[O.E.Link];
  if (M.Following || M.Unsure) // of a burst: its seconds are counted there
    return;
  // A run's ends are those of many messages: it may not wait longer than it was in its calls.
  if (O.E.has(SW_EV_RECV)) {
    const Event &Send = W.Events[M.Source][M.SendStart];
    // A receive and a send that one call completes: the data are what it surely waits for.
    double Ns = O.until(Send.Begin);
    if (O.Best.What == WaitSite::LateReceiver && Ns > SurerShare * O.Best.Ns)
      O.Best.Ns = 0;
    O.offer(WaitSite::LateSender, M.Source, Ns);
  } else if (O.E.has(SW_EV_SEND) && M.RecvPost != None) {
    int64_t Posted = W.Events[M.Target][M.RecvPost].Begin;
    double Ns = Posted < O.E.End ? O.until(Posted) : 0; // it left before: it was not waiting for that
    if (O.Best.What != WaitSite::LateSender || SurerShare * Ns > O.Best.Ns)
      O.offer(WaitSite::LateReceiver, M.Target, Ns);
  }
}

void WindowWaits::propose(uint32_t R, const Event &E, CallWait &Best, CallWait &Second) const {
  if (E.Link == None || E.has(SW_EV_START))
    return;
  Offers O{R, E, Best, Second};
  if (E.has(SW_EV_COLLECTIVE))
    proposeCollective(O);
  else
    proposeMessage(O);
}

/// What a rank computed from the end of the call before to the beginning of the one that it has come to, or to the end
/// of the run; in nanoseconds.
double WindowWaits::gapBefore(uint32_t R, const Account &A) const {
  if (A.LastEnd == INT64_MIN)
    return 0;
  if (A.Group < W.groups(R))
    return static_cast<double>(std::max<int64_t>(0, W.firstOf(R, A.Group).Begin - A.LastEnd));
  return W.ToEnd ? std::max(0.0, static_cast<double>(endNs(T.Ranks[R]) - A.LastEnd)) : 0;
}

/// Goes on to the next call.
void WindowWaits::pass(uint32_t R, Account &A) const {
  const Event &Call = W.firstOf(R, A.Group);
  double Waited = 0;
  // NOLINTNEXTLINE(stridewise-mem-array-of-structs): one or two records, of which the most is read elsewhere
  for (; A.NextWait < Waits[R].size() && Waits[R][A.NextWait].Group == A.Group; ++A.NextWait)
    Waited += Waits[R][A.NextWait].Ns;
  double Inside = static_cast<double>(Call.End - Call.Begin) - Call.callNs(); // between the messages of a run
  A.Computed = A.Computed + gapBefore(R, A) + Inside;
  A.Waited += Waited;
  A.Called = A.Called + Call.callNs() - std::min(Waited, Call.callNs());
  A.LastEnd = std::max(A.LastEnd, Call.End);
  ++A.Group;
}

Account WindowWaits::accountAt(uint32_t R, uint32_t Group) const {
  Account A = Accounts[R][Group / AccountEvery];
  while (A.Group < Group)
    pass(R, A);
  return A;
}

void WindowWaits::findWaits(uint32_t R) {
  Account A;
  A.LastEnd = W.FromStart ? std::max<int64_t>(0, T.Ranks[R].BeginNs) : INT64_MIN;
  Accounts[R].reserve(W.groups(R) / AccountEvery + 1);
  Accounts[R].push_back(A);
  for (uint32_t G = 0; G < W.groups(R); ++G) {
    uint32_t First = W.groupBegin(R, G), Last = W.GroupEnd[R][G];
    CallWait Best{G, WaitSite::LateSender, W.Events[R][First].Path, None}, Second = Best;
    for (uint32_t E = First; E < Last; ++E)
      propose(R, W.Events[R][E], Best, Second);
    for (const CallWait *Wait : {&Best, &Second})
      if (Wait->Ns >= LeastWaitNs && Wait->Culprit != None)
        Waits[R].push_back(*Wait);
    pass(R, A);
    if (A.Group % AccountEvery == 0)
      Accounts[R].push_back(A);
  }
  Waits[R].shrink_to_fit();
}

uint32_t WindowWaits::finalizePath(uint32_t R) const {
  for (const auto &[Key, Total] : T.Ranks[R].Totals)
    if (isCallName(Key.Call, "MPI_Finalize"))
      return Key.Path;
  return None;
}

/// MPI_Finalize is collective, and lets nobody go before all are there: who comes early waits for the last one.
void WindowWaits::meetAtEnd() {
  if (!T.whole() || T.Ranks.size() < 2)
    return;
  uint32_t Last = 0;
  for (uint32_t R = 0; R < T.Ranks.size(); ++R) {
    if (finalizePath(R) == None)
      return;
    if (endNs(T.Ranks[R]) > endNs(T.Ranks[Last]))
      Last = R;
  }
  for (uint32_t R = 0; R < T.Ranks.size(); ++R) {
    CallWait Wait{W.groups(R), WaitSite::Finalize, finalizePath(R), Last};
    Wait.Ns = static_cast<double>(endNs(T.Ranks[Last]) - endNs(T.Ranks[R]));
    if (Wait.Ns < LeastWaitNs)
      continue;
    explain(R, Wait, W.groups(Last));
    AtEnd.emplace_back(R, Wait);
  }
}

void WindowWaits::findWorldSyncs() {
  for (const Instance &I : W.Instances)
    if (I.World && I.FullSync && !I.NonBlocking)
      for (uint32_t P = I.First; P < I.First + I.Count; ++P)
        WorldSyncs[W.Parts[P].Rank].push_back(W.Events[W.Parts[P].Rank][W.Parts[P].Start].Group);
  for (std::vector<uint32_t> &Groups : WorldSyncs)
    std::sort(Groups.begin(), Groups.end());
}

/// The calls at which the two ranks were last in step before the waiting one's Group; None: at the beginning.
std::array<uint32_t, 2> WindowWaits::lastSync(uint32_t Waiting, uint32_t Group, uint32_t Awaited) const {
  std::array<uint32_t, 2> Found{None, None};
  const std::vector<uint32_t> &Mine = WorldSyncs[Waiting], &Theirs = WorldSyncs[Awaited];
  auto Count = static_cast<size_t>(std::lower_bound(Mine.begin(), Mine.end(), Group) - Mine.begin());
  if (Count != 0 && Count <= Theirs.size())
    Found = {Mine[Count - 1], Theirs[Count - 1]};
  // A message that the waiting rank sent binds the other one only: it may have waited for it, and that is a cause.
  if (const uint64_t *Last = LastMessage.find(pairKey(Waiting, Awaited))) {
    auto Here = static_cast<uint32_t>(*Last >> 32), There = static_cast<uint32_t>(*Last);
    if (Here < Group && (Found[0] == None || Here > Found[0]))
      Found = {Here, There};
  }
  return Found;
}

/// What took the rank longest between its calls From (None: the beginning) and To.
Cause WindowWaits::computation(uint32_t R, uint32_t From, uint32_t To) const {
  uint32_t First = From == None ? 0 : From + 1;
  if (To > Furthest)
    First = std::max(First, To - Furthest);
  Cause Best{WaitCause::Computation, 0, R, None, pathOf(R, To), 0};
  double Longest = -1, Before = 0, GapBefore = 0; // of the call before
  Account A = accountAt(R, First == 0 ? 0 : First - 1);
  for (uint32_t G = First; G <= To; ++G) {
    if (G != 0) {
      Before = A.Computed;
      GapBefore = gapBefore(R, A);
      pass(R, A);
    }
    double Ns = gapBefore(R, A); // what lies inside a run counts for the call behind it
    if (G != 0)
      Ns += A.Computed - Before - GapBefore;
    if (Ns > Longest) {
      Longest = Ns;
      Best.Before = G == 0 ? None : pathOf(R, G - 1);
      Best.After = pathOf(R, G);
    }
  }
  return Best;
}

/// The call by which the awaited rank set the waiting one free.
uint32_t WindowWaits::arrival(const CallWait &Wait, uint32_t Waiting) const {
  for (uint32_t E = W.groupBegin(Waiting, Wait.Group); E < W.GroupEnd[Waiting][Wait.Group]; ++E) {
    const Event &Here = W.Events[Waiting][E];
    if (Here.Link == None || Here.has(SW_EV_START))
      continue;
    if (Here.has(SW_EV_COLLECTIVE)) {
      const Instance &I = W.Instances[Here.Link];
      for (uint32_t P = I.First; P < I.First + I.Count; ++P)
        if (W.Parts[P].Rank == Wait.Culprit)
          return W.Events[Wait.Culprit][W.Parts[P].Start].Group;
    } else if (const Message &M = W.Messages[Here.Link]; Wait.What == WaitSite::LateSender) {
      if (M.Source == Wait.Culprit && M.Target == Waiting)
        return W.Events[M.Source][M.SendStart].Group;
    } else if (M.Target == Wait.Culprit && M.Source == Waiting && M.RecvPost != None) {
      return W.Events[M.Target][M.RecvPost].Group;
    }
  }
  return None;
}

void WindowWaits::explain(uint32_t R, CallWait &Wait) {
  if (uint32_t Free = arrival(Wait, R); Free != None)
    explain(R, Wait, Free);
}

/// Free: the awaited rank's call that set the waiting one free.
void WindowWaits::explain(uint32_t R, CallWait &Wait, uint32_t Free) {
  uint32_t C = Wait.Culprit;
  auto [Here, There] = lastSync(R, Wait.Group, C);
  if (There != None && There >= Free)
    There = None, Here = None;
  auto Since = [&](uint32_t Rank, uint32_t From, uint32_t To) {
    Spent Start = From == None ? Spent{} : accountAt(Rank, From + 1);
    Account End = accountAt(Rank, To);
    return Spent{End.Computed + gapBefore(Rank, End) - Start.Computed, End.Waited - Start.Waited,
                 End.Called - Start.Called};
  };
  Spent Mine = Since(R, Here, Wait.Group), Theirs = Since(C, There, Free);
  double Computed = std::max(0.0, Theirs.Computed - Mine.Computed), Waited = std::max(0.0, Theirs.Waited - Mine.Waited);
  double Called = std::max(0.0, Theirs.Called - Mine.Called), Late = 0;
  // Having left that last call later is time in MPI, too.
  if (There != None)
    Called += static_cast<double>(std::max<int64_t>(0, W.firstOf(C, There).End - W.firstOf(R, Here).End));
  if (There == None && W.FromStart)
    Late = static_cast<double>(std::max<int64_t>(0, T.Ranks[C].BeginNs - T.Ranks[R].BeginNs));
  if (Computed + Waited + Called + Late <= 0)
    Computed = Theirs.Computed, Waited = Theirs.Waited, Called = Theirs.Called;
  double All = Computed + Waited + Called + Late;
  auto Part = [&](double Ns) { return All > 0 ? static_cast<float>(Ns / All) : 0.0f; };
  auto Add = [&](Cause Why, double Ns) {
    Why.Share = Part(Ns);
    Wait.add(Why);
  };
  constexpr auto Least = static_cast<float>(LeastCauseShare);
  if (Part(Late) >= Least)
    Add({WaitCause::StartUp, 0, C, None, None, 0}, Late);
  if (Part(Computed) >= Least)
    Add(computation(C, There, Free), Computed);
  if (Part(Called) >= Least || All <= 0)
    Add({WaitCause::Transfer, 0, C, Free == 0 ? None : pathOf(C, Free - 1), pathOf(C, Free), 0}, Called);
  if (Part(Waited) < Least)
    return;
  // Its longest wait since then; where several are as long, the latest.
  const CallWait *Longest = nullptr;
  uint32_t Left = Furthest;
  // NOLINTNEXTLINE(stridewise-mem-array-of-structs): a few records, and one of them is then read whole
  for (auto It = std::lower_bound(Waits[C].begin(), Waits[C].end(), Free,
                                  [](const CallWait &A, uint32_t G) { return A.Group < G; });
       It != Waits[C].begin() && (There == None || std::prev(It)->Group > There) && Left != 0;) {
    --It;
    --Left;
    if (!Longest || It->Ns > Longest->Ns)
      Longest = &*It;
  }
  if (Longest)
    for (Cause Why : Longest->Why)
      if (Why.Rank != None && Why.Share * Part(Waited) >= Least) {
        ++Why.Depth;
        Add(Why, static_cast<double>(Why.Share) * Waited);
      }
}

void WindowWaits::explain() {
  std::vector<uint32_t> Next(W.Events.size(), 0);
  auto Done = [&](uint32_t R, uint32_t Node) {
    uint32_t G = Node / 2;
    if (Node % 2 == 0)
      return;
    for (; Next[R] < Waits[R].size() && Waits[R][Next[R]].Group <= G; ++Next[R])
      explain(R, Waits[R][Next[R]]);
    for (uint32_t E = W.groupBegin(R, G); E < W.GroupEnd[R][G]; ++E) {
      const Event &Here = W.Events[R][E];
      if (Here.Link == None || Here.has(SW_EV_COLLECTIVE | SW_EV_START) || !Here.has(SW_EV_RECV))
        continue;
      const Message &M = W.Messages[Here.Link];
      uint32_t Sent = W.Events[M.Source][M.SendStart].Group;
      LastMessage[pairKey(R, M.Source)] = pairKey(G, Sent);
    }
  };
  Walk Scheduler(W, {.RootedCollectives = true});
  Scheduler.run(Done, [&] {
    uint32_t Earliest = None;
    for (uint32_t R = 0; R < W.Events.size(); ++R)
      if (!Scheduler.atEnd(R) && (Earliest == None || Scheduler.current(R).End < Scheduler.current(Earliest).End))
        Earliest = R;
    Scheduler.force(Earliest);
  });
}

template <typename Function>
void WindowWaits::addTo(std::map<std::pair<WaitSite::Kind, uint32_t>, WaitSite> &Sites, Function Factor) {
  auto Add = [&](uint32_t R, const CallWait &Wait, double Scale) {
    if (Wait.Path == None)
      return;
    WaitSite &Site = Sites[{Wait.What, Wait.Path}];
    double Seconds = 1e-9 * Wait.Ns * Scale;
    Site.What = Wait.What;
    Site.Path = Wait.Path;
    ++Site.Calls;
    Site.Longest = std::max(Site.Longest, 1e-9 * Wait.Ns);
    Site.RankSeconds[R] += Seconds;
    Site.CulpritSeconds[Wait.Culprit] += Seconds;
    for (const Cause &Why : Wait.Why) {
      if (Why.Rank == None)
        continue;
      WaitCause &Sum = Site.Causes[{Why.What, Why.Rank, Why.Before, Why.After}];
      Sum.Seconds += Seconds * static_cast<double>(Why.Share);
      Sum.Calls += 1;
      Sum.Depth = std::max<uint32_t>(Sum.Depth, Why.Depth);
    }
  };
  for (uint32_t R = 0; R < Waits.size(); ++R)
    for (const CallWait &Wait : Waits[R])
      Add(R, Wait, Factor(Wait.Path, R));
  for (const auto &[R, Wait] : AtEnd)
    Add(R, Wait, 1);
}

} // namespace

std::vector<WaitSite> findWaits(const Trace &T, const WholeRun &Whole, CallWaits &Calls) {
  std::map<std::pair<WaitSite::Kind, uint32_t>, WaitSite> Sites;
  std::unordered_map<uint64_t, double> Factors;
  auto Factor = [&](uint32_t Path, uint32_t R) {
    auto [It, New] = Factors.try_emplace(pairKey(Path, R), 1.0);
    if (New)
      It->second = Whole.factor(Path, R);
    return It->second;
  };
  for (const Window &W : T.Windows) {
    std::vector<std::vector<float>> &PerRank = Calls.emplace_back(W.Events.size());
    for (uint32_t R = 0; R < W.Events.size(); ++R)
      PerRank[R].assign(W.groups(R), 0);
    if (W.Threads) // the order of the calls is not known
      continue;
    WindowWaits Waits(T, W);
    Waits.addTo(Sites, Factor);
    Waits.writeTo(PerRank);
  }
  std::vector<WaitSite> Result;
  for (auto &[Key, Site] : Sites)
    Result.push_back(std::move(Site));
  return Result;
}

} // namespace stridewise::merge
