#include "Trace.h"

#include "Endings.h"
#include "Matching.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

namespace stridewise::merge {

static const char *const CallNames[] = {
#include "call_names.inc"
};

const char *callName(uint16_t Call) {
  switch (Call) {
  case SW_CALL_SLEEP:
    return "sleep";
  case SW_CALL_WRITE:
    return "write";
  case SW_CALL_PRINT:
    return "print";
  default:
    break;
  }
  return Call < std::size(CallNames) ? CallNames[Call] : "unknown";
}

bool isCallName(uint16_t Call, const char *Name) { return std::strcmp(callName(Call), Name) == 0; }

bool isSend(uint16_t Call) {
  std::string_view Name = callName(Call);
  return Name.find("end") != std::string_view::npos && !Name.ends_with("_init");
}

CallTotal Trace::totalOf(uint32_t Rank, uint32_t Path) const {
  CallTotal Sum;
  const std::map<CallKey, CallTotal> &Totals = Ranks[Rank].Totals;
  for (auto It = Totals.lower_bound({Path, 0, 0}); It != Totals.end() && It->first.Path == Path; ++It) {
    Sum.Count += It->second.Count;
    Sum.Seconds += It->second.Seconds;
  }
  return Sum;
}

void CallTotal::add(const CallTotal &Other) {
  Count += Other.Count;
  Bytes += Other.Bytes;
  Nowhere += Other.Nowhere;
  Seconds += Other.Seconds;
  Bursts += Other.Bursts;
  BurstCount += Other.BurstCount;
  BurstMax = std::max(BurstMax, Other.BurstMax);
  BurstSeconds += Other.BurstSeconds;
}

namespace {

constexpr uint64_t WorldId = 1;

// Of struct sw_header: the value that MPI_THREAD_SERIALIZED has in Open MPI and in MPICH.
constexpr uint32_t ThreadSerialized = 2;

/// A slot that no event has come to lie in.
bool isVoid(const sw_event &E) { return E.begin == 0; }

/// Turns a rank's ticks into nanoseconds on rank 0's monotonic clock.
class Clock {
public:
  Clock() = default;
  Clock(const sw_header &H, double NsPerTick)
      : BeginTicks(H.begin.ticks),
        BeginNs(static_cast<double>(H.begin.monotonic_ns) + static_cast<double>(H.clock_offset_ns)),
        NsPerTick(NsPerTick) {}
  double ns(uint64_t Ticks) const { return BeginNs + NsPerTick * signedDifference(Ticks); }
  double seconds(uint64_t Ticks) const { return NsPerTick * 1e-9 * static_cast<double>(Ticks); }
  double beginNs() const { return BeginNs; }

  /// The tick of a shard with two usable readings, else 0.
  static double tickOf(const sw_header &H) {
    if (H.end.ticks <= H.begin.ticks || H.end.monotonic_ns <= H.begin.monotonic_ns)
      return 0;
    return static_cast<double>(H.end.monotonic_ns - H.begin.monotonic_ns) /
           static_cast<double>(H.end.ticks - H.begin.ticks);
  }

private:
  double signedDifference(uint64_t Ticks) const {
    return Ticks >= BeginTicks ? static_cast<double>(Ticks - BeginTicks) : -static_cast<double>(BeginTicks - Ticks);
  }
  uint64_t BeginTicks = 0;
  double BeginNs = 0, NsPerTick = 1;
};

/// Where a module is in a process.
struct Range {
  uint64_t Begin, End, Bias;
  uint32_t Module;
};

struct Loaded {
  merge::Shard File;
  std::vector<uint32_t> PathMap, CommMap;
  Clock Time;
  uint64_t HeadEnd = 0, TailBegin = 0; // event numbers
};

class Reader {
public:
  Trace read(const std::vector<std::string> &Files, uint64_t EndRealtimeNs);

private:
  void open(const std::vector<std::string> &Files);
  void readClocks();
  void readTables(uint32_t R);
  void readSends(uint32_t R);
  std::vector<uint32_t> mapPaths(const Shard &S);
  std::vector<Range> rangesOf(const Shard &S);
  uint32_t pathOf(const std::vector<Range> &Ranges, std::span<const uint64_t> Frames, uint32_t Flags);
  void addSummaries();
  void addRest(const Shard &S, const std::vector<uint32_t> &PathMap, const std::vector<uint32_t> &Full);
  void makeWindows();
  std::vector<uint64_t> numbersOf(uint32_t R, uint64_t First, uint64_t Last) const;
  Window decode(std::vector<std::pair<uint64_t, uint64_t>> Ranges, int64_t Until);
  bool decodeEvent(uint32_t R, uint64_t Number, Event &Out, uint64_t &BeginTicks, uint64_t &EndTicks);
  void dropBroken();

  Trace T;
  std::vector<Loaded> Shards; // in the order of T.Ranks
  std::vector<Shard> Summaries;
  double OriginNs = 0;
  std::map<std::pair<std::string, std::string>, uint32_t> ModuleIndex;
  std::map<std::vector<Frame>, uint32_t> PathIndex;
  std::unordered_map<uint64_t, uint32_t> CommIndex;
};

void Reader::open(const std::vector<std::string> &Files) {
  std::vector<Loaded> All;
  for (const std::string &File : Files) {
    Problem Why;
    if (auto S = Shard::open(File, Why))
      All.push_back(Loaded{std::move(*S), {}, {}, {}, 0, 0});
    else
      T.Problems.push_back(std::move(Why));
  }
  // What most shards say about the job holds; the others are of another job or damaged.
  std::map<std::pair<uint64_t, int32_t>, size_t> Votes;
  for (const Loaded &L : All)
    ++Votes[{L.File.header().job_id, L.File.header().world_size}];
  auto Winner =
      std::max_element(Votes.begin(), Votes.end(), [](const auto &A, const auto &B) { return A.second < B.second; });
  if (Winner == Votes.end())
    return;
  std::tie(T.JobId, T.WorldSize) = Winner->first;
  std::sort(All.begin(), All.end(), [](const Loaded &A, const Loaded &B) {
    return std::pair(A.File.header().world_rank, A.File.name()) < std::pair(B.File.header().world_rank, B.File.name());
  });
  for (Loaded &L : All) {
    const sw_header &H = L.File.header();
    if (H.job_id != T.JobId || H.world_size != T.WorldSize) {
      T.Problems.push_back({L.File.name(), offsetof(sw_header, job_id), "shard of another job"});
      continue;
    }
    if (L.File.isSummary()) {
      Summaries.push_back(std::move(L.File));
      continue;
    }
    if (!Shards.empty() && Shards.back().File.header().world_rank == H.world_rank) {
      T.Problems.push_back({L.File.name(), offsetof(sw_header, world_rank),
                            "rank " + std::to_string(H.world_rank) + " is in " + Shards.back().File.name() + " too"});
      continue;
    }
    Shards.push_back(std::move(L));
  }
  All.clear();
}

void Reader::readClocks() {
  // A killed rank may lack a second reading, or have it so early that reading the clocks one after the other counts:
  // ranks of its host tick alike.
  constexpr uint64_t EnoughNs = 10000000;
  struct Reading {
    uint64_t Ns = 0;
    double Tick = 0;
  };
  std::map<std::string, Reading> HostTick;
  double AnyTick = 0;
  for (const Loaded &L : Shards) {
    const sw_header &H = L.File.header();
    double Tick = Clock::tickOf(H);
    if (Tick == 0)
      continue;
    Reading &Best = HostTick[fieldText(H.host)];
    uint64_t Ns = H.end.monotonic_ns - H.begin.monotonic_ns;
    if (Ns > Best.Ns)
      Best = {Ns, AnyTick = Tick};
  }
  for (Loaded &L : Shards) {
    const sw_header &H = L.File.header();
    double Tick = Clock::tickOf(H);
    if (Tick == 0 || H.end.monotonic_ns - H.begin.monotonic_ns < EnoughNs) {
      auto It = HostTick.find(fieldText(H.host));
      Tick = It != HostTick.end() ? It->second.Tick : AnyTick;
      if (Tick == 0) {
        Tick = 1;
        T.Notes.push_back("rank " + std::to_string(H.world_rank) + ": one clock reading only; ticks are taken as ns");
      }
    }
    L.Time = Clock(H, Tick);
  }
  if (Shards.empty())
    return;
  OriginNs = Shards.front().Time.beginNs();
  for (const Loaded &L : Shards)
    OriginNs = std::min(OriginNs, L.Time.beginNs());
}

std::vector<Range> Reader::rangesOf(const Shard &S) {
  std::vector<Range> Ranges;
  for (uint64_t I = 0; I < S.Modules.size(); ++I) {
    auto M = S.Modules.at<sw_module>(I);
    static const char Digits[] = "0123456789abcdef";
    std::string BuildId;
    for (uint32_t B = 0; B < std::min<uint32_t>(M.build_id_bytes, sizeof M.build_id); ++B)
      BuildId += {Digits[M.build_id[B] >> 4], Digits[M.build_id[B] & 15]};
    auto [It, New] = ModuleIndex.try_emplace({fieldText(M.path), BuildId}, static_cast<uint32_t>(T.Modules.size()));
    if (New)
      T.Modules.push_back({It->first.first, It->first.second});
    Ranges.push_back({M.begin, M.end, M.bias, It->second});
  }
  return Ranges;
}

/// Number in the trace of a call path, given by addresses in the process.
uint32_t Reader::pathOf(const std::vector<Range> &Ranges, std::span<const uint64_t> Frames, uint32_t Flags) {
  CallPath Path;
  Path.Cut = Flags & 1;
  Path.Fortran = Flags & 2;
  for (uint64_t Address : Frames) {
    Frame Found{None, Address};
    for (const Range &M : Ranges)
      if (Address >= M.Begin && Address < M.End)
        Found = {M.Module, Address - M.Bias};
    Path.Frames.push_back(Found);
  }
  auto [It, New] = PathIndex.try_emplace(Path.Frames, static_cast<uint32_t>(T.Paths.size()));
  if (New)
    T.Paths.push_back(std::move(Path));
  return It->second;
}

/// Number in the trace of each call path of a shard.
std::vector<uint32_t> Reader::mapPaths(const Shard &S) {
  std::vector<Range> Ranges = rangesOf(S);
  std::vector<uint32_t> Map;
  for (uint64_t I = 0; I < S.Paths.size(); ++I) {
    auto P = S.Paths.at<sw_path>(I);
    Map.push_back(pathOf(Ranges, std::span(P.frames, P.depth), P.flags));
  }
  return Map;
}

void Reader::readTables(uint32_t R) {
  Loaded &L = Shards[R];
  const Shard &S = L.File;
  const sw_header &H = S.header();
  L.PathMap = mapPaths(S);
  for (uint64_t I = 0; I < S.Comms.size(); ++I) {
    auto C = S.Comms.at<sw_comm>(I);
    auto [It, New] = CommIndex.try_emplace(C.stable_id, static_cast<uint32_t>(T.Comms.size()));
    if (New)
      T.Comms.push_back({C.stable_id, C.size});
    // MPI_COMM_SELF has one id for as many communicators as ranks; nothing is matched across them.
    else if (T.Comms[It->second].Size != C.size)
      T.Notes.push_back("rank " + std::to_string(H.world_rank) + ": communicator " + std::to_string(C.stable_id) +
                        " has another size than elsewhere");
    L.CommMap.push_back(It->second);
  }

  Rank &Out = T.Ranks[R];
  Out.World = H.world_rank;
  Out.Shard = S.name();
  Out.Host = fieldText(H.host);
  Out.Pid = H.pid;
  Out.State = H.state;
  Out.ThreadLevel = H.thread_level;
  Out.BeginNs = static_cast<int64_t>(L.Time.beginNs() - OriginNs);
  Out.ClockErrorSeconds = 1e-9 * static_cast<double>(H.clock_error_ns);
  Out.Calls = H.call_count;
  uint64_t MpiTicks = H.mpi_ticks, HelperTicks = 0;
  for (uint64_t I = 0; I < S.Threads.size(); ++I) {
    auto Thread = S.Threads.at<sw_thread_totals>(I);
    Out.Calls += Thread.call_count;
    (I == 0 ? MpiTicks : HelperTicks) += Thread.mpi_ticks + (I == 0 ? 0 : Thread.added_mpi_ticks);
  }
  Out.HelperMpiSeconds = L.Time.seconds(HelperTicks);
  Out.Events = H.event_count;
  Out.DroppedCalls = H.dropped_calls;
  Out.DroppedPaths = H.dropped_paths;
  Out.DroppedRequests = H.dropped_requests;
  Out.DroppedComms = H.dropped_comms;
  if (S.Usage.size() != 0) {
    auto Usage = S.Usage.at<sw_usage>(0);
    Out.QueueSeconds = 1e-9 * static_cast<double>(Usage.queueing_ns);
    Out.Processors = Usage.processors;
    Out.FirstProcessor = Usage.first_processor;
    Out.PeakBytes = Usage.peak_bytes;
  }
  uint64_t LastTicks = H.end.ticks;
  std::map<std::pair<uint32_t, uint16_t>, std::vector<int32_t>> Partners;
  bool Gaps = false;
  for (uint64_t I = 0; I < S.Table.size(); ++I) {
    auto C = S.Table.at<sw_call_stats>(I);
    if (C.count == 0 || !S.valid(C))
      continue;
    uint32_t Path = C.path == SW_NO_PATH ? None : L.PathMap[C.path];
    CallTotal &Total = Out.Totals[{Path, C.call, static_cast<uint16_t>(C.size_bucket)}];
    Total.Count += C.count;
    if (C.peer >= 0)
      Partners[{Path, C.call}].push_back(C.peer);
    if (C.peer == SW_PEER_NULL) // whatever it says, nothing moves
      Total.Nowhere += C.count;
    else
      Total.Bytes += C.bytes;
    Total.Seconds += L.Time.seconds(C.ticks);
    if (C.call == SW_CALL_SLEEP)
      Out.SleepSeconds += L.Time.seconds(C.ticks);
    Total.Bursts += C.bursts;
    Total.BurstCount += C.burst_count;
    Total.BurstMax = std::max(Total.BurstMax, C.burst_max);
    Total.BurstSeconds += L.Time.seconds(C.burst_ticks);
    if (C.peer >= 0 && isSend(C.call)) {
      Gaps |= C.pieces != 0;
      auto &[Messages, Bytes] = Out.Sent[C.peer];
      Messages += C.count;
      Bytes += C.bytes;
    }
    LastTicks = std::max(LastTicks, C.last_ticks);
  }
  for (auto &[Key, Peers] : Partners) {
    std::ranges::sort(Peers);
    Out.Partners[Key] = static_cast<uint32_t>(Peers.size() - std::ranges::unique(Peers).size());
  }
  if (Gaps)
    readSends(R);
  // A killed process has no last reading: its last call tells how far it came.
  uint64_t EndTicks = S.closed() ? H.end.ticks : LastTicks;
  Out.WallSeconds = EndTicks > H.begin.ticks ? L.Time.seconds(EndTicks - H.begin.ticks) : 0;
  Out.MpiSeconds = std::min(L.Time.seconds(MpiTicks), Out.WallSeconds);
  Out.EndNs = static_cast<int64_t>(L.Time.ns(EndTicks) - OriginNs);
  std::vector<Range> Ranges = rangesOf(S);
  auto ModuleOf = [&](uint64_t Address) -> const std::string * {
    for (const Range &M : Ranges)
      if (Address >= M.Begin && Address < M.End)
        return &T.Modules[M.Module].Path;
    return nullptr;
  };
  readEnding(S,
             {[&](uint64_t Ticks) { return static_cast<int64_t>(L.Time.ns(Ticks) - OriginNs); },
              [&](std::span<const uint64_t> Frames) { return pathOf(Ranges, Frames, 0); }, ModuleOf, L.PathMap,
              L.CommMap},
             Out);
}

/// What each send carried, to whom; sizes taken together.
void Reader::readSends(uint32_t R) {
  const Loaded &L = Shards[R];
  std::map<std::tuple<uint32_t, uint16_t, int32_t>, SendTotal> Sends;
  for (uint64_t I = 0; I < L.File.Table.size(); ++I) {
    auto C = L.File.Table.at<sw_call_stats>(I);
    if (C.count == 0 || C.peer < 0 || !L.File.valid(C) || !isSend(C.call))
      continue;
    uint32_t Path = C.path == SW_NO_PATH ? None : L.PathMap[C.path];
    SendTotal &S = Sends.try_emplace({Path, C.call, C.peer}, SendTotal{Path, C.call, C.peer}).first->second;
    S.Count += C.count;
    S.Bytes += C.bytes;
    S.Pieces += C.pieces;
    S.Span += C.span;
    S.Seconds += L.Time.seconds(C.ticks);
  }
  for (const auto &[Key, Total] : Sends)
    T.Ranks[R].SendsBesideGaps.push_back(Total);
}

bool Reader::decodeEvent(uint32_t R, uint64_t Number, Event &Out, uint64_t &BeginTicks, uint64_t &EndTicks) {
  const Loaded &L = Shards[R];
  sw_event E = L.File.event(Number);
  if (isVoid(E))
    return false;
  if (E.begin > E.end || (E.path != SW_NO_PATH && E.path >= L.PathMap.size()) ||
      (E.comm != SW_NO_COMM && E.comm >= L.CommMap.size()) || E.peer < SW_PEER_OTHER || E.peer >= T.WorldSize)
    return false;
  // An event is about a message or a collective, and either starts or completes it: what links to it relies on that.
  auto Has = [&](uint32_t Flag) { return (E.flags & Flag) != 0; };
  if (Has(SW_EV_SEND) + Has(SW_EV_RECV) + Has(SW_EV_COLLECTIVE) > 1 || (Has(SW_EV_START) && Has(SW_EV_COMPLETE)))
    return false;
  bool Run = Has(SW_EV_RUN);
  if (Run) {
    uint32_t What = E.flags & ~(SW_EV_RUN | SW_EV_BURST | SW_EV_OTHER_IO | SW_EV_PRINT);
    bool Numbered = E.seq != SW_NO_SEQ && E.repeat <= SW_NO_SEQ - E.seq;
    if ((What != SW_EV_SEND && What != SW_EV_RECV) || E.repeat == 0 || E.repeat > SW_NO_SEQ ||
        !(Numbered || E.peer == SW_PEER_NULL))
      return false;
  }
  double Begin = L.Time.ns(E.begin) - OriginNs, End = L.Time.ns(E.end) - OriginNs;
  constexpr double Limit = 1e18; // thirty years: beyond, the conversion to integers is undefined
  if (!(std::abs(Begin) < Limit && std::abs(End) < Limit))
    return false;
  BeginTicks = E.begin;
  EndTicks = E.end;
  Out = {static_cast<int64_t>(Begin),
         static_cast<int64_t>(End),
         Run ? 0 : E.request,
         E.address,
         Run || (E.flags & SW_EV_SEND) == 0 ? 0 : E.hash,
         E.flags,
         E.path == SW_NO_PATH ? None : L.PathMap[E.path],
         E.comm == SW_NO_COMM ? None : L.CommMap[E.comm],
         E.peer,
         E.tag,
         E.seq,
         E.bytes32,
         E.call,
         E.thread,
         None,
         0,
         Run ? static_cast<uint32_t>(E.repeat) : 1,
         1};
  if (Run && E.end > E.begin)
    Out.Busy =
        static_cast<float>(std::min(1.0, static_cast<double>(E.run_ticks) / static_cast<double>(E.end - E.begin)));
  return true;
}

/// A closed shard has a valid checksum, so a bad event means a writer that this reader does not understand.
void Reader::dropBroken() {
  std::vector<Loaded> Kept;
  for (uint32_t R = 0; R < Shards.size(); ++R) {
    Loaded &L = Shards[R];
    bool Good = true;
    Event Unused;
    uint64_t Begin, End;
    auto Check = [&](uint64_t From, uint64_t To) {
      for (uint64_t N = From; N < To && Good; ++N)
        if (!decodeEvent(R, N, Unused, Begin, End) && !isVoid(L.File.event(N))) {
          T.Problems.push_back({L.File.name(), L.File.eventOffset(N), "impossible event " + std::to_string(N)});
          Good = false;
        }
    };
    if (L.File.closed()) {
      Check(0, L.File.headEnd());
      Check(L.File.tailBegin(), L.File.eventCount());
    }
    if (Good)
      Kept.push_back(std::move(L));
  }
  Shards = std::move(Kept);
}

/// The event numbers of a range in the order of their calls' ends. Threads that record at the same time leave their
/// events in any order, and those of one call not one after the other.
std::vector<uint64_t> Reader::numbersOf(uint32_t R, uint64_t First, uint64_t Last) const {
  const Shard &S = Shards[R].File;
  std::vector<uint64_t> Numbers(Last > First ? Last - First : 0);
  std::iota(Numbers.begin(), Numbers.end(), First);
  if (S.Threads.size() == 0 && S.header().thread_level < ThreadSerialized)
    return Numbers;
  struct Key {
    uint64_t End, Begin, Number;
    uint16_t Thread;
  };
  std::vector<Key> Keys;
  Keys.reserve(Numbers.size());
  for (uint64_t N : Numbers) {
    sw_event E = S.event(N);
    Keys.push_back({E.end, E.begin, N, E.thread});
  }
  std::sort(Keys.begin(), Keys.end(), [](const Key &A, const Key &B) {
    return std::tie(A.End, A.Thread, A.Begin, A.Number) < std::tie(B.End, B.Thread, B.Begin, B.Number);
  });
  std::transform(Keys.begin(), Keys.end(), Numbers.begin(), [](const Key &K) { return K.Number; });
  return Numbers;
}

/// Decodes the given event numbers of each rank, without calls that begin after Until.
Window Reader::decode(std::vector<std::pair<uint64_t, uint64_t>> Ranges, int64_t Until) {
  Window W;
  auto Ranks = static_cast<uint32_t>(Shards.size());
  W.Events.resize(Ranks);
  W.GroupEnd.resize(Ranks);
  W.Begin = std::numeric_limits<int64_t>::max();
  W.End = std::numeric_limits<int64_t>::min();
  for (uint32_t R = 0; R < Ranks; ++R) {
    std::vector<Event> &Events = W.Events[R];
    Events.reserve(Ranges[R].second - Ranges[R].first);
    uint64_t LastBegin = 0, LastEnd = 0, Begin = 0, End = 0;
    Event E;
    std::vector<uint64_t> Numbers = numbersOf(R, Ranges[R].first, Ranges[R].second);
    for (uint64_t N : Numbers) {
      if (!decodeEvent(R, N, E, Begin, End)) {
        T.Ranks[R].BrokenEvents += !isVoid(Shards[R].File.event(N));
        continue;
      }
      if (E.Begin > Until)
        break;
      bool Same = !Events.empty() && Begin == LastBegin && End == LastEnd && Events.back().Call == E.Call &&
                  Events.back().Thread == E.Thread && !E.has(SW_EV_RUN) && !Events.back().has(SW_EV_RUN);
      if (!Same)
        W.GroupEnd[R].push_back(0);
      E.Group = static_cast<uint32_t>(W.GroupEnd[R].size() - 1);
      Events.push_back(E);
      W.GroupEnd[R].back() = static_cast<uint32_t>(Events.size());
      W.Threads |= Events.front().Thread != E.Thread;
      LastBegin = Begin;
      LastEnd = End;
    }
    if (!Events.empty()) {
      W.Begin = std::min(W.Begin, Events.front().Begin);
      W.End = std::max(W.End, Events.back().End);
    }
  }
  return W;
}

void Reader::makeWindows() {
  auto Ranks = static_cast<uint32_t>(Shards.size());
  constexpr int64_t Always = std::numeric_limits<int64_t>::max();
  bool Overflow = false;
  int64_t HeadUntil = Always;
  Event E;
  uint64_t Begin, End;
  std::vector<std::pair<uint64_t, uint64_t>> Head(Ranks);
  for (uint32_t R = 0; R < Ranks; ++R) {
    const Shard &S = Shards[R].File;
    Head[R] = {0, S.headEnd()};
    if (S.tailBegin() == S.headEnd())
      continue;
    Overflow = true;
    int64_t Last = std::numeric_limits<int64_t>::min();
    for (uint64_t N = S.headEnd(); N-- > 0 && Last == std::numeric_limits<int64_t>::min();)
      if (decodeEvent(R, N, E, Begin, End))
        Last = E.End;
    HeadUntil = std::min(HeadUntil, Last);
  }
  for (uint32_t R = 0; R < Ranks; ++R)
    if (const Shard &S = Shards[R].File; Overflow && S.tailBegin() == S.headEnd())
      Head[R].second = S.eventCount();
  T.Windows.push_back(decode(Head, HeadUntil));
  T.Windows.back().FromStart = true;
  T.Windows.back().ToEnd = !Overflow;
  if (!Overflow)
    return;

  // The tail begins after the first world synchronisation that every rank still holds. All ranks have passed it, and
  // numbers of collectives on the world agree, so nothing is cut but messages that were under way.
  auto WorldSync = [&](uint32_t R, uint64_t N, uint32_t &Seq) {
    constexpr uint32_t Wanted = SW_EV_COLLECTIVE | SW_EV_FULL_SYNC;
    if (!decodeEvent(R, N, E, Begin, End) || (E.Flags & Wanted) != Wanted ||
        (E.Flags & (SW_EV_START | SW_EV_COMPLETE)) != 0 || E.Comm == None || T.Comms[E.Comm].StableId != WorldId)
      return false;
    Seq = E.Seq;
    return true;
  };
  auto TailOf = [&](uint32_t R) {
    const Shard &S = Shards[R].File;
    return S.tailBegin() == S.headEnd() ? 0 : S.tailBegin();
  };
  uint32_t First = 0, Seq = 0;
  bool Found = true;
  for (uint32_t R = 0; R < Ranks && Found; ++R) {
    if (Shards[R].File.tailBegin() == Shards[R].File.headEnd())
      continue;
    uint64_t N = TailOf(R);
    while (N < Shards[R].File.eventCount() && !WorldSync(R, N, Seq))
      ++N;
    Found = N < Shards[R].File.eventCount();
    First = std::max(First, Seq);
  }
  std::vector<std::pair<uint64_t, uint64_t>> Tail(Ranks);
  for (uint32_t R = 0; R < Ranks && Found; ++R) {
    uint64_t N = TailOf(R), Count = Shards[R].File.eventCount();
    while (N < Count && !(WorldSync(R, N, Seq) && Seq >= First))
      ++N;
    Found = N < Count && Seq == First;
    Tail[R] = {N + 1, Count};
  }
  if (!Found) {
    T.Notes.push_back("the latest events hold no synchronisation of all ranks: only the beginning of the run was "
                      "analysed event by event");
    return;
  }
  T.Windows.push_back(decode(Tail, Always));
  T.Windows.back().ToEnd = true;
}

/// What a summary tells beyond the ranks whose own totals are known: of the rank with the most time in a call these are
/// in the summary.
void Reader::addRest(const Shard &S, const std::vector<uint32_t> &PathMap, const std::vector<uint32_t> &Full) {
  auto ToTotal = [](const sw_reduced &Of, const sw_totals &From) {
    CallTotal Total;
    Total.Count = From.count;
    (Of.peer == SW_PEER_NULL ? Total.Nowhere : Total.Bytes) = Of.peer == SW_PEER_NULL ? From.count : From.bytes;
    Total.Seconds = 1e-9 * static_cast<double>(From.ns);
    Total.Bursts = From.bursts;
    Total.BurstCount = From.burst_count;
    Total.BurstMax = From.burst_max;
    Total.BurstSeconds = 1e-9 * static_cast<double>(From.burst_ns);
    return Total;
  };
  auto Less = [](uint64_t A, uint64_t B) { return A > B ? A - B : 0; };
  auto Subtract = [&](CallTotal &From, const CallTotal &What) {
    From.Count = Less(From.Count, What.Count);
    From.Bytes = Less(From.Bytes, What.Bytes);
    From.Nowhere = Less(From.Nowhere, What.Nowhere);
    From.Seconds = std::max(0.0, From.Seconds - What.Seconds);
    From.Bursts = Less(From.Bursts, What.Bursts);
    From.BurstCount = Less(From.BurstCount, What.BurstCount);
    From.BurstSeconds = std::max(0.0, From.BurstSeconds - What.BurstSeconds);
  };
  std::map<CallKey, CallTotal> Group;
  for (uint64_t I = 0; I < S.Reduced.size(); ++I) {
    auto Entry = S.Reduced.at<sw_reduced>(I);
    CallKey Key{Entry.path == SW_NO_PATH ? None : PathMap[Entry.path], Entry.call, Entry.size_bucket};
    CallTotal All = ToTotal(Entry, Entry.all);
    uint32_t MostRank = T.RankIndex[static_cast<size_t>(Entry.most_rank)];
    if (MostRank != None && !std::binary_search(Full.begin(), Full.end(), MostRank)) {
      CallTotal Most = ToTotal(Entry, Entry.most);
      T.Ranks[MostRank].Totals[Key].add(Most);
      Subtract(All, Most);
    }
    Group[Key].add(All);
  }
  for (uint32_t R : Full)
    for (const auto &[Key, Total] : T.Ranks[R].Totals)
      if (auto It = Group.find(Key); It != Group.end())
        Subtract(It->second, Total);
  for (const auto &[Key, Total] : Group)
    if (Total.Count != 0)
      T.Rest[Key].add(Total);
}

/// Ranks whose shards were reduced to summaries; of some of them there is a shard, too.
void Reader::addSummaries() {
  std::set<int32_t> Own;
  for (const Rank &R : T.Ranks)
    Own.insert(R.World);
  for (const Shard &S : Summaries)
    for (uint64_t I = 0; I < S.Ranks.size(); ++I) {
      auto From = S.Ranks.at<sw_rank_summary>(I);
      if (T.RankIndex[static_cast<size_t>(From.rank)] != None)
        continue;
      T.RankIndex[static_cast<size_t>(From.rank)] = static_cast<uint32_t>(T.Ranks.size());
      Rank Out{};
      Out.World = From.rank;
      Out.Shard = S.name();
      Out.Host = "?";
      Out.State = SW_STATE_CLOSED;
      Out.ThreadLevel = From.thread_level;
      Out.WallSeconds = 1e-9 * static_cast<double>(From.wall_ns);
      Out.MpiSeconds = std::min(1e-9 * static_cast<double>(From.mpi_ns), Out.WallSeconds);
      Out.QueueSeconds = 1e-9 * static_cast<double>(From.queueing_ns);
      Out.Calls = From.call_count;
      Out.Events = From.event_count;
      Out.DroppedCalls = From.dropped_calls;
      Out.DroppedPaths = From.dropped_paths;
      Out.DroppedRequests = From.dropped_requests;
      Out.DroppedComms = From.dropped_comms;
      T.Ranks.push_back(std::move(Out));
      ++T.Reduced;
    }
  std::sort(T.Ranks.begin(), T.Ranks.end(), [](const Rank &A, const Rank &B) { return A.World < B.World; });
  for (uint32_t R = 0; R < T.Ranks.size(); ++R)
    T.RankIndex[static_cast<size_t>(T.Ranks[R].World)] = R;
  for (const Shard &S : Summaries) {
    std::vector<uint32_t> Full;
    for (uint64_t I = 0; I < S.Ranks.size(); ++I)
      if (int32_t World = S.Ranks.at<sw_rank_summary>(I).rank; Own.contains(World))
        Full.push_back(T.RankIndex[static_cast<size_t>(World)]);
    std::sort(Full.begin(), Full.end());
    addRest(S, mapPaths(S), Full);
    if (uint64_t Dropped = S.header().dropped_calls + S.header().dropped_paths)
      T.Notes.push_back(S.name() + ": the ranks differ in so many call paths that " + std::to_string(Dropped) +
                        " calls or paths found no room");
  }
  if (T.Reduced == 0)
    return;
  T.Notes.push_back(std::to_string(T.Reduced) +
                    (T.Reduced == 1 ? " rank is known by a summary only" : " ranks are known by summaries only") +
                    ": nothing is said of waiting, barriers, chains, duplicates, hand-made collectives, overlap and "
                    "placement, which need all events; of each call path, the seconds of the rank with the most are "
                    "known, and the sum over the others");
}

Trace Reader::read(const std::vector<std::string> &Files, uint64_t EndRealtimeNs) {
  open(Files);
  if (Shards.empty() && Summaries.empty())
    return std::move(T);
  readClocks();
  T.Ranks.resize(Shards.size());
  for (uint32_t R = 0; R < Shards.size(); ++R)
    readTables(R);
  size_t Before = Shards.size();
  dropBroken();
  if (Shards.size() != Before) {
    std::erase_if(T.Ranks, [&](const Rank &R) {
      return std::none_of(Shards.begin(), Shards.end(),
                          [&](const Loaded &L) { return L.File.header().world_rank == R.World; });
    });
    if (Shards.empty() && Summaries.empty())
      return std::move(T);
  }
  T.RankIndex.assign(static_cast<size_t>(T.WorldSize), None);
  for (uint32_t R = 0; R < T.Ranks.size(); ++R)
    T.RankIndex[static_cast<size_t>(T.Ranks[R].World)] = R;
  if (!Summaries.empty())
    addSummaries();
  for (int32_t World = 0; World < T.WorldSize; ++World)
    if (T.rankOf(World) == None)
      T.MissingRanks.push_back(World);
  const sw_header &H = Shards.empty() ? Summaries.front().header() : Shards.front().File.header();
  T.Flavour = H.flavour;
  T.MpiVersion = fieldText(H.mpi_version);
  T.Executable = fieldText(H.executable);
  T.Command = fieldText(H.command);
  T.Directory = fieldText(H.directory);
  T.BeginRealtimeNs = H.begin.realtime_ns;
  if (!Shards.empty())
    countUnfinished(T, EndRealtimeNs > H.begin.realtime_ns
                           ? T.Ranks.front().BeginNs + static_cast<int64_t>(EndRealtimeNs - H.begin.realtime_ns)
                           : 0);
  if (Summaries.empty())
    makeWindows();
  Shards.clear();
  for (Window &W : T.Windows) {
    match(T, W);
  }
  return std::move(T);
}

} // namespace

Trace readTrace(const std::vector<std::string> &Files, uint64_t EndRealtimeNs) {
  return Reader().read(Files, EndRealtimeNs);
}

} // namespace stridewise::merge
