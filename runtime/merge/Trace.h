// The run as one picture: ranks on one clock, call paths and communicators with one number each, messages matched.
#ifndef STRIDEWISE_MERGE_TRACE_H
#define STRIDEWISE_MERGE_TRACE_H

#include "Events.h"
#include "Shard.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stridewise::merge {

/// Nanoseconds as an integer; what damaged clock readings make of them ends after thirty years.
inline int64_t wholeNs(double Ns) {
  constexpr double Most = 1e18;
  return Ns > Most ? static_cast<int64_t>(Most) : Ns > -Most ? static_cast<int64_t>(Ns) : -static_cast<int64_t>(Most);
}

/// One key of two numbers, of which the first comes first in the order.
inline uint64_t pairKey(uint32_t A, uint32_t B) { return (static_cast<uint64_t>(A) << 32) | B; }

/// One frame: an address in the file's own space, or a raw one when no module holds it (Module == None).
struct Frame {
  uint32_t Module;
  uint64_t Address;
  auto operator<=>(const Frame &) const = default;
};

struct CallPath {
  std::vector<Frame> Frames; // innermost first
  bool Cut = false, Fortran = false;
  uint32_t Phase = None; // index into Trace::Phases
};

/// What the program calls a part of its run; seconds by index of the rank.
struct Phase {
  std::string Name;
  uint64_t Count = 0; // stays of all ranks together
  std::map<uint32_t, double> Seconds;
};

struct Module {
  std::string Path, BuildId;
};

struct Communicator {
  uint64_t StableId;
  uint32_t Size;
};

/// Whole-run totals of one call from one path on one rank.
struct CallTotal {
  uint64_t Count = 0, Bytes = 0, Bursts = 0, BurstCount = 0, BurstMax = 0;
  uint64_t Nowhere = 0; // of Count, those to or from MPI_PROC_NULL
  double Seconds = 0, BurstSeconds = 0;
  void add(const CallTotal &Other);
};

/// What a total is kept for: sizes stay apart since a rule may speak of small messages only.
struct CallKey {
  uint32_t Path;
  uint16_t Call, SizeBucket;
  auto operator<=>(const CallKey &) const = default;
};

/// The largest that one rank of many has of a call from one path; each member may be of another rank.
struct Extreme {
  uint64_t Count = 0, Bytes = 0;
  uint32_t Partners = 0;
  uint32_t Ranks = 0; // that made such calls
};

/// Whole-run totals of the sends of one call from one path to one rank.
struct SendTotal {
  uint32_t Path;
  uint16_t Call;
  int32_t Peer; // world rank
  uint64_t Count = 0, Bytes = 0;
  uint64_t Pieces = 0, Span = 0; // see sw_call_stats; 0 without gaps
  double Seconds = 0;
};

/// One matched message, or as many as the two runs that hold them. Ranks are indexes into Trace::Ranks, the others into
/// that rank's events; None where the window does not hold the event. Start == Done for blocking calls.
struct Message {
  uint32_t Source : 31;
  uint32_t Following : 1; // not the first of a burst; of a run, none is
  uint32_t SendStart, SendDone;
  uint32_t Target : 31;
  uint32_t Unsure : 1; // named and wildcard receives share the channel: the pairing is a guess
  uint32_t RecvPost, RecvDone;
  uint32_t Count;
};

/// One collective call over all its members.
struct Instance {
  uint32_t Comm;
  uint32_t First, Count; // range in Window::Parts
  bool Complete;         // every member's part is in the window
  bool World;            // over all ranks of the job
  bool FullSync, Barrier, NonBlocking;
  enum Direction : uint8_t { Unrooted, ToRoot, FromRoot } Flow; // which way the data go between the root and the others
  uint32_t RootPart;                                            // index into Window::Parts, None without a root
};

struct Part {
  uint32_t Rank, Start, Done; // Done may be None
};

/// A request that a rank has started and not completed.
struct PendingRequest {
  uint32_t Path;
  int32_t Peer, Tag;
  uint16_t Call;
  bool Receive;
};

/// Nodes of one rank that come one after the other in an order of all, see Window::Order.
struct Stretch {
  uint32_t Rank, Nodes;
};

/// A stretch of the run that is gapless on every rank.
struct Window {
  std::vector<EventList> Events;                    // per rank
  std::vector<std::vector<uint32_t>> GroupEnd;      // per rank and group, one past its last event
  std::vector<std::vector<PendingRequest>> Pending; // per rank that did not finish: at its end, the first few
  std::vector<Message> Messages;
  std::vector<Instance> Instances;
  std::vector<Part> Parts;
  std::vector<Stretch> Order; // the n-th node in it of a rank is its n-th node (see node numbers below)
  uint64_t Forced = 0;        // nodes that had to be ordered against an edge: the trace contradicts itself
  bool FromStart = false, ToEnd = false;
  bool Threads = false; // several threads of one rank call MPI: program order is not known
  int64_t Begin = 0, End = 0;

  uint32_t groups(uint32_t Rank) const { return static_cast<uint32_t>(GroupEnd[Rank].size()); }
  uint32_t groupBegin(uint32_t Rank, uint32_t Group) const { return Group == 0 ? 0 : GroupEnd[Rank][Group - 1]; }
  Event firstOf(uint32_t Rank, uint32_t Group) const { return Events[Rank][groupBegin(Rank, Group)]; }
};

/// A call has two nodes: the start (2 * group) and the completion (2 * group + 1).
inline uint32_t startNode(const Event &E) { return 2 * E.Group; }
inline uint32_t doneNode(const Event &E) { return 2 * E.Group + 1; }

/// The latest call of a thread, see sw_progress; times as those of events.
struct LastCall {
  uint32_t Path = None, Comm = None;
  uint32_t Thread = 0;
  uint16_t Call = 0;
  bool InProgress = false; // when the rank's record ends
  bool HasPeer = false, HasTag = false;
  int32_t Peer = SW_PEER_NONE, Tag = 0;
  uint64_t Collective = UINT64_MAX; // its number on the communicator, of a blocking collective
  int64_t Begin = 0, End = 0;
};

/// What ended a rank, as far as it could tell itself; see sw_fate.
struct Fate {
  enum sw_fate_kind Kind;
  int32_t Signal = 0, Code = 0, Sender = 0;
  uint64_t Address = 0;
  std::string Library; // of the system, in which it happened; empty if it was in the program's own code
  uint32_t Path = None;
  int64_t Time = 0;
};

struct Rank {
  int32_t World;
  std::string Shard, Host;
  uint64_t Pid = 0;
  uint32_t State = 0, ThreadLevel = 0;
  int64_t BeginNs = 0; // when it left MPI_Init, on the clock of the events
  double WallSeconds = 0, MpiSeconds = 0, ClockErrorSeconds = 0;
  double QueueSeconds = 0;     // ready to run without a processor; 0 if unknown
  double SleepSeconds = 0;     // outside MPI, as far as it was watched
  double HelperMpiSeconds = 0; // in MPI of all threads but the first: no part of MpiSeconds
  uint32_t Processors = 0;     // on its node, that it may use; 0 if unknown
  uint32_t FirstProcessor = 0; // the lowest of them
  uint64_t PeakBytes = 0;      // largest resident memory; 0 if unknown
  uint64_t Calls = 0, Events = 0, DroppedCalls = 0, DroppedPaths = 0, DroppedRequests = 0, DroppedComms = 0;
  uint64_t BrokenEvents = 0; // half-written ones of a killed process
  /// Neither in MPI nor asleep: what the POP model calls useful computation.
  double workSeconds() const { return std::max(0.0, WallSeconds - MpiSeconds - SleepSeconds); }
  std::map<CallKey, CallTotal> Totals;
  std::map<std::pair<uint32_t, uint16_t>, uint32_t> Partners; // by path and call: distinct ranks that it names
  std::map<int32_t, std::pair<uint64_t, uint64_t>> Sent;      // by world rank of the receiver: messages, bytes
  std::vector<SendTotal> SendsBesideGaps;                     // empty where no send is by a datatype with gaps
  std::vector<LastCall> LastCalls;                            // by thread
  std::optional<Fate> End;                                    // of a rank that did not come to the end of MPI_Finalize
  int64_t EndNs = 0;                                          // when its record ends, on the clock of the events
  std::map<uint32_t, uint64_t> Collectives;                   // by communicator: how many it has begun
  std::map<uint32_t, std::vector<int32_t>> Members;           // by communicator, where they are known: world ranks
};

struct Trace {
  uint64_t JobId = 0;
  int32_t WorldSize = 0;
  uint32_t Flavour = 0;
  std::string MpiVersion, Executable, Command, Directory;
  uint64_t BeginRealtimeNs = 0;
  std::vector<Rank> Ranks; // sorted by world rank
  std::vector<int32_t> MissingRanks;
  std::vector<Module> Modules;
  std::vector<CallPath> Paths;
  std::vector<Phase> Phases;
  std::vector<Communicator> Comms;
  std::vector<Window> Windows;
  std::vector<Problem> Problems;
  std::vector<std::string> Notes;

  /// What summaries tell of all ranks together, but for what is in the totals of single ranks.
  std::map<CallKey, CallTotal> Rest;
  /// Of ranks that are known by summaries: the largest of one rank, by path and call.
  std::map<std::pair<uint32_t, uint16_t>, Extreme> Largest;
  uint64_t Reduced = 0; // ranks that are known by a summary only

  bool whole() const { return MissingRanks.empty(); }
  uint32_t rankOf(int32_t World) const { return World < 0 ? None : RankIndex[static_cast<size_t>(World)]; }
  std::vector<uint32_t> RankIndex; // by world rank; None where the shard is missing
  /// Whole-run seconds and calls of a path on a rank, over all calls and sizes.
  CallTotal totalOf(uint32_t Rank, uint32_t Path) const;
};

const char *callName(uint16_t Call);
/// Every call with its event flags, as JSON in the order of sw_event.call: for who writes shards of other recordings.
std::string callTable();
/// Whether a call sends a message, or starts to.
bool isSend(uint16_t Call);
bool isCallName(uint16_t Call, const char *Name);

/// Reads the shards of one job. Left-out shards are in Problems, absent ranks in MissingRanks. `EndRealtimeNs`: when
/// the run ended, in nanoseconds since 1970; 0 if unknown.
Trace readTrace(const std::vector<std::string> &Files, uint64_t EndRealtimeNs = 0);

} // namespace stridewise::merge
#endif
