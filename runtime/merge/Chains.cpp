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

#include "ChainRuns.h"
#include "thresholds.h"

#include <algorithm>
#include <optional>
#include <span>

namespace stridewise::merge {
namespace {

using limits::mpi_send_recv_chain::FewRanks;

struct Anchor {
  bool IsSend;
  uint32_t Path;
  Verdict V;
  Cycles C;
  ChainSite::Kind Kind;
  std::vector<const std::vector<uint32_t> *> Messages; // per window, null if there are none

  std::span<const uint32_t> messages(size_t Window) const {
    return Messages[Window] ? std::span(*Messages[Window]) : std::span<const uint32_t>();
  }
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
  Charges(const Trace &T, const WindowSeconds &InWindows) : T(T), InWindows(InWindows) {}
  void charge(ChainSite &Site, const Anchor &A);

private:
  void add(std::map<uint64_t, double> &Waits, size_t Window, uint32_t R, uint32_t EventIndex, int64_t Ns);
  const Trace &T;
  const WindowSeconds &InWindows;
  std::vector<std::vector<int64_t>> Charged; // by window and rank, then by call
};

void Charges::add(std::map<uint64_t, double> &Waits, size_t Window, uint32_t R, uint32_t EventIndex, int64_t Ns) {
  const Event &E = T.Windows[Window].Events[R][EventIndex];
  Ns = std::clamp<int64_t>(Ns, 0, E.End - E.Begin);
  Charged.resize(T.Windows.size() * T.Ranks.size());
  std::vector<int64_t> &Calls = Charged[Window * T.Ranks.size() + R];
  Calls.resize(T.Windows[Window].groups(R));
  int64_t &Sofar = Calls[E.Group];
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
    for (uint32_t Number : A.messages(Index)) {
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

using Anchors = std::map<std::pair<bool, uint32_t>, Anchor>; // sends first: key (is receive, path)

void addVerdict(Anchor &A, const Verdict &V) {
  A.V.Data = std::max(A.V.Data, V.Data);
  A.V.Rendezvous = std::max(A.V.Rendezvous, V.Rendezvous);
  A.V.Ranks = std::max(A.V.Ranks, V.Ranks);
  A.V.Instances += V.Instances;
  A.V.Runs += V.Runs;
  A.V.Overlapping += V.Overlapping;
  A.V.Timed += V.Timed;
  A.V.DataCycle |= V.DataCycle;
}

Anchors anchorsOf(std::vector<WindowChains> &Windows) {
  Anchors Found;
  for (size_t Index = 0; Index < Windows.size(); ++Index)
    for (bool IsSend : {true, false})
      for (const auto &[Path, Messages] : IsSend ? Windows[Index].BySend : Windows[Index].ByReceive) {
        Anchor &A = Found[{!IsSend, Path}];
        A.IsSend = IsSend;
        A.Path = Path;
        A.Messages.resize(Windows.size());
        A.Messages[Index] = Messages.get();
        if (!IsSend && Windows[Index].sameAsSend(Messages))
          continue;
        addVerdict(A, Windows[Index].judge(*Messages));
        if (auto It = Windows[Index].CyclesOf.find(Path); IsSend && It != Windows[Index].CyclesOf.end()) {
          A.C.Count += It->second.Count;
          A.C.Longest = std::max(A.C.Longest, It->second.Longest);
        }
      }
  for (WindowChains &W : Windows)
    W.finish();
  return Found;
}

/// What the messages of an anchor are, if anything is to be said of them.
std::optional<ChainSite::Kind> kindOf(const Anchor &A) {
  bool Regular = 2 * A.V.Instances >= A.V.Runs && A.V.Instances != 0;
  if (A.C.Count != 0)
    return ChainSite::UnsafeRing;
  if (A.V.DataCycle || !Regular) // no message can wait for itself in a run: these runs of messages are no pairs
    return std::nullopt;
  return A.V.Rendezvous > A.V.Data ? ChainSite::SendOrderChain : ChainSite::Pipeline;
}

/// Messages that an anchor has taken, by window; anchors at sends come first: a receive's anchor adds only what they
/// left.
class TakenMessages {
public:
  explicit TakenMessages(const Trace &T) : T(T) {
    for (const Window &W : T.Windows)
      Taken.emplace_back(W.Messages.size(), false);
  }
  /// Takes the messages of an anchor, unless most of them are taken already.
  bool take(const Anchor &A) {
    uint64_t Fresh = 0, All = 0;
    for (size_t Index = 0; Index < T.Windows.size(); ++Index)
      for (uint32_t M : A.messages(Index)) {
        uint32_t Count = T.Windows[Index].Messages[M].Count;
        All += Count;
        Fresh += Taken[Index][M] ? 0 : Count;
      }
    if (2 * Fresh < All)
      return false;
    for (size_t Index = 0; Index < T.Windows.size(); ++Index)
      for (uint32_t M : A.messages(Index))
        Taken[Index][M] = true;
    return true;
  }

private:
  const Trace &T;
  std::vector<std::vector<bool>> Taken;
};

/// The windows show a part of the run: instances grow with the number of calls.
uint64_t wholeRunInstances(const Trace &T, uint32_t Path, uint64_t Instances) {
  uint64_t Whole = 0, Seen = 0;
  for (uint32_t R = 0; R < T.Ranks.size(); ++R)
    Whole += T.totalOf(R, Path).Count;
  for (const Window &W : T.Windows)
    for (const auto &Events : W.Events)
      for (const Event &E : Events)
        if (E.Path == Path && !E.has(SW_EV_COMPLETE) && !(E.has(SW_EV_SENDRECV) && E.has(SW_EV_RECV)))
          Seen += E.Count;
  double Factor = Seen == 0 ? 1 : std::max(1.0, static_cast<double>(Whole) / static_cast<double>(Seen));
  return static_cast<uint64_t>(static_cast<double>(Instances) * Factor + 0.5);
}

void describe(ChainSite &Site, const Anchor &A, const Trace &T, const std::vector<WindowChains> &Windows) {
  std::map<uint32_t, uint64_t> SendPaths, ReceivePaths;
  for (size_t Index = 0; Index < T.Windows.size(); ++Index)
    for (uint32_t M : A.messages(Index)) {
      uint32_t Count = T.Windows[Index].Messages[M].Count;
      SendPaths[Windows[Index].sendEvent(M).Path] += Count;
      if (uint32_t Path = Windows[Index].receivePath(M); Path != None)
        ReceivePaths[Path] += Count;
    }
  Site.What = A.Kind;
  Site.SendPaths = mostUsedFirst(SendPaths);
  Site.ReceivePaths = mostUsedFirst(ReceivePaths);
  Site.DataLength = A.V.Data;
  Site.RendezvousLength = A.V.Rendezvous;
  Site.Ranks = A.V.Ranks;
  Site.Instances = A.Kind == ChainSite::UnsafeRing ? std::max(A.C.Count, A.V.Instances) : A.V.Instances;
  Site.Overlapped = A.V.Timed != 0 && 2 * A.V.Overlapping >= A.V.Timed;
  Site.WholeRunInstances = wholeRunInstances(T, A.Path, Site.Instances);
}

} // namespace

std::vector<ChainSite> findChains(const Trace &T, const WindowSeconds &InWindows) {
  std::vector<WindowChains> Windows;
  Windows.reserve(T.Windows.size());
  bool Threads = false;
  for (const Window &W : T.Windows) {
    Threads |= W.Threads;
    Windows.emplace_back(W);
  }
  std::vector<ChainSite> Result;
  Charges Sums(T, InWindows);
  TakenMessages Taken(T);
  Anchors Found = anchorsOf(Windows);
  for (auto &[Key, A] : Found) {
    std::optional<ChainSite::Kind> Kind = kindOf(A);
    if (!Kind)
      continue;
    A.Kind = *Kind;
    if (A.Kind == ChainSite::UnsafeRing)
      A.V.Rendezvous = std::max(A.V.Rendezvous, A.C.Longest);
    if (T.WorldSize < FewRanks || Threads)
      A.Kind = ChainSite::CannotTell;
    if (!Taken.take(A))
      continue;
    ChainSite Site;
    describe(Site, A, T, Windows);
    Sums.charge(Site, A);
    Result.push_back(std::move(Site));
  }
  return Result;
}

} // namespace stridewise::merge
