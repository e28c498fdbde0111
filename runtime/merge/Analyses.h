// What is worked out from a matched trace. Every result is per call path; seconds are per rank and for the whole run.
#ifndef STRIDEWISE_MERGE_ANALYSES_H
#define STRIDEWISE_MERGE_ANALYSES_H

#include "FlatMap.h"
#include "Trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace stridewise::merge {

/// Why a barrier stays, with the first instance as example.
struct Witness {
  uint64_t Count = 0;
  uint32_t PathBefore = None, PathAfter = None; // the two calls that only the barrier orders
  int32_t RankBefore = -1, RankAfter = -1;      // world ranks
};

/// A place that all members reach together: one call path, or several when ranks take different branches to it.
struct BarrierSite {
  std::vector<uint32_t> Paths; // the most used first
  uint64_t Instances = 0, Redundant = 0, Undecided = 0;
  uint64_t WholeRunInstances = 0;
  std::map<std::string, Witness> Kept; // by reason
  std::set<std::string> Notes;         // what makes the verdict less sure
  std::vector<double> RankSeconds;
  std::vector<uint64_t> RankCounts;
  double GainSeconds = 0;
  bool redundant() const { return Redundant == Instances && Instances != 0; }
};

struct BurstSite {
  uint32_t Path;
  uint16_t SizeBucket;
  uint64_t Messages = 0, Bursts = 0, Longest = 0; // of bursts of two or more
  double BytesPerMessage = 0;
  double SecondsPerMessage = 0;              // mean of a following message, sender's side
  double ReceiveSecondsPerMessage = 0;       // the same on the receiver's side; 0 if unknown
  std::map<uint32_t, uint64_t> RankMessages; // following messages: those that one message per burst would save
  std::map<uint32_t, double> RankSeconds;    // time in following messages, sender's side
  std::map<uint32_t, uint64_t> RankReceives; // following messages received
  std::map<uint32_t, double> RankReceiveSeconds;
  std::vector<uint32_t> ReceivePaths;
};

struct ChainSite {
  enum Kind { CannotTell, UnsafeRing, SendOrderChain, Pipeline };
  std::vector<uint32_t> SendPaths, ReceivePaths;
  Kind What = CannotTell;
  uint32_t DataLength = 0, RendezvousLength = 0; // longest dependence chain, in messages
  uint32_t Ranks = 0;                            // that take part
  bool Overlapped = false;                       // a pipeline whose instances run at the same time
  uint64_t Instances = 0, WholeRunInstances = 0;
  double SecondsPerMessage = 0;
  std::vector<double> RankSeconds; // waiting in these calls
  std::vector<double> RankSendSeconds;
};

/// What made an awaited rank late.
struct WaitCause {
  enum Kind : uint8_t {
    Computation, // it computed longer than the waiting rank, most of it between two calls
    Transfer,    // its own calls of MPI took longer, without waiting
    StartUp      // it left MPI_Init later
  };
  double Seconds = 0;
  uint64_t Calls = 0;
  uint32_t Depth = 0; // the longest chain of wait states from the cause to here, without this one
};

/// Waiting of one kind at one call path. Kinds are Scalasca's; a reduction's root waits for its first sender (early
/// reduce) and, which Scalasca does not count, for the others behind it (late contribution).
struct WaitSite {
  enum Kind : uint8_t {
    LateSender,
    LateReceiver,
    Barrier,
    NxN,
    EarlyReduce,
    LateContribution,
    LateBroadcast,
    Finalize // where all meet for the last time
  };
  Kind What = LateSender;
  uint32_t Path = None;
  uint64_t Calls = 0;                                                                    // that waited, in the windows
  double Longest = 0;                                                                    // seconds, of one call
  std::map<uint32_t, double> RankSeconds;                                                // by rank that waits
  std::map<uint32_t, double> CulpritSeconds;                                             // by rank that is awaited
  std::map<std::tuple<WaitCause::Kind, uint32_t, uint32_t, uint32_t>, WaitCause> Causes; // kind, rank, paths around it
};

/// The two parts of the POP model's communication efficiency.
struct Efficiency {
  double Serialisation = 0, Transfer = 0;
  bool Known = false;
};

/// Seconds per rank, for those that have any.
using SparseSeconds = std::map<uint32_t, double>;

/// Messages of one call path that carry what the one before carried: same channel, buffer, size and payload.
struct DuplicateSite {
  uint64_t Messages = 0, Compared = 0; // duplicates, and messages with a known payload, in the windows
  uint64_t WholeRunMessages = 0;
  uint64_t AtOnce = 0;       // duplicates with hardly any computation since the message that they repeat
  uint64_t Constant = 0;     // duplicates on channels that never carried anything else
  uint64_t Bytes = 0;        // of all duplicates
  SparseSeconds RankSeconds; // in these messages without waiting for others, both sides
  std::vector<uint32_t> ReceivePaths;
  uint32_t Path = None;
  bool Sampled = false; // payloads of which only a part was compared
};

/// Rounds in which one rank sends to all others, or receives from all others, message by message.
struct FanSite {
  enum Kind : uint8_t { Broadcast, Scatter, Gather, Reduce, AllToAll };
  uint64_t Rounds = 0, WholeRunRounds = 0;
  uint64_t Bytes = 0;       // of all messages
  std::set<uint32_t> Roots; // ranks that do it
  double SecondsPerMessage = 0;
  SparseSeconds RankSeconds; // in these messages without waiting
  uint32_t Path = None;
  uint32_t Partners = 0;
  Kind What = Scatter;
  bool Even = true;        // the messages of a round are equally large
  uint64_t Answers = 0;    // rounds whose sends follow messages from their receivers
  uint64_t Written = 0;    // rounds of receives with output behind at least half of them
  double AloneSeconds = 0; // in these rounds, between a receive and the next call, where there was output
};

/// Completions of non-blocking messages at one call path.
struct OverlapSite {
  uint32_t Path = None;
  uint64_t Calls = 0, Bytes = 0;
  double Seconds = 0, Waiting = 0, Before = 0, After = 0; // in the calls; of it for others; computed beside them
  double Hideable = 0;       // per call the smaller of the time without waiting and the computation behind it
  SparseSeconds RankSeconds; // in the calls without waiting
};

/// Data of all ranks collected by one, and how long that one then works alone.
struct GatherSite {
  uint32_t Path = None, Root = None;
  uint64_t Instances = 0, WholeRunInstances = 0;
  double BytesPerRank = 0;
  double AfterSeconds = 0; // from leaving the call to the root's next call, over the whole run
  uint64_t Effects = 0;    // of the instances, those behind which the root acted outside MPI
};

/// Messages of one call from one path by datatypes with gaps; or, for comparison, those without gaps that the same
/// ranks send to other partners.
struct HaloSite {
  uint32_t Path = None;
  uint16_t Call = 0;
  bool Gaps = false;
  uint64_t Messages = 0, Bytes = 0, Pieces = 0, Span = 0;
  uint64_t Pairs = 0;                                       // of sender and receiver
  uint32_t Partners = 0;                                    // that the busiest rank sends to or receives from
  std::map<int32_t, std::pair<uint64_t, uint64_t>> Offsets; // receiver's rank less sender's: messages, bytes
  SparseSeconds RankSeconds;                                // with gaps: in these messages without waiting, both sides
};

/// Calls of MPI from a thread other than the one that initialised it.
struct ThreadSite {
  uint32_t Path = None;
  uint64_t Calls = 0, Concurrent = 0; // of them, those during a call of another thread
  std::set<uint32_t> Ranks;
};

/// What messages and collectives cost on this machine, as this run shows it; 0 where it does not.
struct MachineCosts {
  double Latency = 0;        // seconds of a small message whose receive was waiting, sender's call to receiver's return
  double CallSeconds = 0;    // seconds that a blocking send of a small message takes its sender
  double BytesPerSecond = 0; // of messages of at least 64 KiB
  double BarrierSeconds = 0; // from the last rank's entry to the last one's return, of complete barriers
  uint64_t Samples = 0;
};

struct Results {
  std::vector<BarrierSite> Barriers;
  std::vector<BurstSite> Bursts;
  std::vector<ChainSite> Chains;
  std::vector<WaitSite> Waits;
  Efficiency Pop;
  std::vector<DuplicateSite> Duplicates;
  std::vector<FanSite> Fans;
  std::vector<OverlapSite> Overlaps;
  std::vector<GatherSite> Gathers;
  std::vector<HaloSite> Halos;
  std::vector<ThreadSite> Threads;
  MachineCosts Machine;
};

/// How long each call waited for other ranks, in nanoseconds: by window, rank and group.
using CallWaits = std::vector<std::vector<std::vector<float>>>;

/// The time of an event's call without its waiting, shared by the messages that the call starts or completes.
inline double ownSeconds(const Window &W, const std::vector<std::vector<float>> &Waits, uint32_t R, uint32_t Index) {
  uint32_t G = W.Events[R][Index].Group, Messages = 0;
  for (uint32_t I = W.groupBegin(R, G); I < W.GroupEnd[R][G]; ++I)
    Messages += W.Events[R][I].has(SW_EV_SEND | SW_EV_RECV);
  double Ns = W.Events[R][Index].callNs() - static_cast<double>(Waits[R][G]);
  return 1e-9 * std::max(0.0, Ns) / std::max(1u, Messages);
}

/// Seconds of each path on each rank, in windows.
class WindowSeconds {
public:
  explicit WindowSeconds(const Trace &T);
  double of(uint32_t Path, uint32_t Rank) const {
    const double *Found = Seconds.find(pairKey(Path, Rank));
    return Found ? *Found : 0;
  }

private:
  FlatMap<double> Seconds;
};

/// From what the windows show of a path on a rank to the whole run.
class WholeRun {
public:
  WholeRun(const Trace &T, const WindowSeconds &InWindows) : T(T), InWindows(InWindows) {}
  double factor(uint32_t Path, uint32_t Rank) const {
    double Seen = InWindows.of(Path, Rank);
    return Seen > 0 ? T.totalOf(Rank, Path).Seconds / Seen : 1;
  }

private:
  const Trace &T;
  const WindowSeconds &InWindows;
};

std::vector<BarrierSite> findBarriers(const Trace &T);
std::vector<BurstSite> findBursts(const Trace &T, const WindowSeconds &InWindows);
std::vector<ChainSite> findChains(const Trace &T, const WindowSeconds &InWindows);
std::vector<WaitSite> findWaits(const Trace &T, const WholeRun &Whole, CallWaits &Calls);
std::vector<DuplicateSite> findDuplicates(const Trace &T, const WholeRun &Whole, const CallWaits &Calls);
std::vector<FanSite> findFans(const Trace &T, const WholeRun &Whole, const CallWaits &Calls);
std::vector<OverlapSite> findOverlaps(const Trace &T, const WholeRun &Whole, const CallWaits &Calls);
std::vector<GatherSite> findGathers(const Trace &T, const std::vector<FanSite> &Fans);
std::vector<HaloSite> findHalos(const Trace &T, const WholeRun &Whole, const CallWaits &Calls);
std::vector<ThreadSite> findThreads(const Trace &T);
MachineCosts measureMachine(const Trace &T);
Efficiency findEfficiency(const Trace &T);

/// The paths of Uses, largest use first.
template <typename Use> std::vector<uint32_t> mostUsedFirst(const std::map<uint32_t, Use> &Uses) {
  std::vector<uint32_t> Paths;
  for (const auto &[Path, Count] : Uses)
    Paths.push_back(Path);
  std::sort(Paths.begin(), Paths.end(), [&](uint32_t A, uint32_t B) {
    Use OfA = Uses.at(A), OfB = Uses.at(B);
    return OfA != OfB ? OfA > OfB : A < B;
  });
  return Paths;
}

Results analyse(const Trace &T);

std::string traceJson(const Trace &T, const Results &R);

} // namespace stridewise::merge
#endif
