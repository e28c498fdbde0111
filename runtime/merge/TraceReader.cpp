// What a job's shards say of ranks, paths and totals; events are in Windows.cpp, reduced ranks in Summaries.cpp.

#include "TraceReader.h"

#include "Endings.h"
#include "Matching.h"
#include "Parallel.h"
#include "thresholds.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace stridewise::merge {

void Reader::open(const std::vector<std::string> &Files) {
  std::vector<std::optional<Shard>> Opened(Files.size());
  std::vector<Problem> Whys(Files.size());
  forEachIndex(Files.size(), [&](size_t I) { Opened[I] = Shard::open(Files[I], Whys[I]); });
  std::vector<Loaded> All;
  for (size_t I = 0; I < Files.size(); ++I)
    if (Opened[I])
      All.push_back(Loaded{std::move(*Opened[I]), {}, {}, {}, 0, 0});
    else
      T.Problems.push_back(std::move(Whys[I]));
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
    if (Tick == 0 || H.end.monotonic_ns - H.begin.monotonic_ns < limits::merge::ClockReadingNs) {
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
uint32_t Reader::pathOf(const std::vector<Range> &Ranges, std::span<const uint64_t> Frames, uint32_t Flags,
                        uint32_t Phase) {
  CallPath Path;
  Path.Phase = Phase;
  Path.Cut = Flags & 1;
  Path.Fortran = Flags & 2;
  for (uint64_t Address : Frames) {
    Frame Found{None, Address};
    for (const Range &M : Ranges)
      if (Address >= M.Begin && Address < M.End)
        Found = {M.Module, Address - M.Bias};
    Path.Frames.push_back(Found);
  }
  auto [It, New] = PathIndex.try_emplace(std::pair(Path.Frames, Phase), static_cast<uint32_t>(T.Paths.size()));
  if (New)
    T.Paths.push_back(std::move(Path));
  return It->second;
}

/// Number in the trace of each phase of a shard: phases are one where they have one name.
std::vector<uint32_t> Reader::mapPhases(const Shard &S) {
  std::vector<uint32_t> Map;
  for (uint64_t I = 0; I < S.Phases.size(); ++I) {
    auto P = S.Phases.at<sw_phase>(I);
    bool Guess = (P.flags & SW_PHASE_GUESSED) != 0 && (P.flags & SW_PHASE_SURE) == 0;
    std::string Name = Guess ? "MPI_Pcontrol(1)" : fieldText(P.name);
    auto [It, New] = PhaseIndex.try_emplace(Name, static_cast<uint32_t>(T.Phases.size()));
    if (New)
      T.Phases.push_back({Name, 0, {}});
    Map.push_back(It->second);
  }
  return Map;
}

/// How long the rank was in each phase.
void Reader::readPhases(uint32_t R) {
  const Shard &S = Shards[R].File;
  std::vector<uint32_t> Map = mapPhases(S);
  uint64_t End = S.header().end.ticks;
  for (uint64_t I = 0; I < S.Phases.size(); ++I) {
    auto P = S.Phases.at<sw_phase>(I);
    uint64_t Ticks = P.ticks + (P.begin_ticks != 0 && End > P.begin_ticks ? End - P.begin_ticks : 0);
    T.Phases[Map[I]].Count += P.count;
    T.Phases[Map[I]].Seconds[R] += std::min(Shards[R].Time.seconds(Ticks), T.Ranks[R].WallSeconds);
  }
}

/// Number in the trace of each call path of a shard.
std::vector<uint32_t> Reader::mapPaths(const Shard &S) {
  std::vector<Range> Ranges = rangesOf(S);
  std::vector<uint32_t> Phases = mapPhases(S);
  std::vector<uint32_t> Map;
  for (uint64_t I = 0; I < S.Paths.size(); ++I) {
    auto P = S.Paths.at<sw_path>(I);
    uint32_t Phase = P.flags >> SW_PATH_PHASE;
    Map.push_back(pathOf(Ranges, std::span(P.frames, P.depth), P.flags,
                         Phase == 0 || Phase > Phases.size() ? None : Phases[Phase - 1]));
  }
  return Map;
}

/// Communicators have one number over all ranks.
void Reader::readCommunicators(uint32_t R) {
  Loaded &L = Shards[R];
  const Shard &S = L.File;
  for (uint64_t I = 0; I < S.Comms.size(); ++I) {
    auto C = S.Comms.at<sw_comm>(I);
    auto [It, New] = CommIndex.try_emplace(C.stable_id, static_cast<uint32_t>(T.Comms.size()));
    if (New)
      T.Comms.push_back({C.stable_id, C.size});
    // MPI_COMM_SELF has one id for as many communicators as ranks; nothing is matched across them.
    else if (T.Comms[It->second].Size != C.size)
      T.Notes.push_back("rank " + std::to_string(S.header().world_rank) + ": communicator " +
                        std::to_string(C.stable_id) + " has another size than elsewhere");
    L.CommMap.push_back(It->second);
  }
}

/// What the shard says of its rank as a whole.
void Reader::readHeader(uint32_t R) {
  const Loaded &L = Shards[R];
  const Shard &S = L.File;
  const sw_header &H = S.header();
  Rank &Out = T.Ranks[R];
  Out.World = H.world_rank;
  Out.Shard = S.name();
  Out.Host = fieldText(H.host);
  Out.Pid = H.pid;
  Out.State = H.state;
  Out.ThreadLevel = H.thread_level;
  Out.BeginNs = wholeNs(L.Time.beginNs() - OriginNs);
  Out.ClockErrorSeconds = 1e-9 * static_cast<double>(H.clock_error_ns);
  Out.Calls = H.call_count;
  uint64_t HelperTicks = 0;
  for (uint64_t I = 0; I < S.Threads.size(); ++I) {
    auto Thread = S.Threads.at<sw_thread_totals>(I);
    Out.Calls += Thread.call_count;
    HelperTicks += I == 0 ? 0 : Thread.mpi_ticks + Thread.added_mpi_ticks;
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
}

/// The totals of each call, and how long the rank was watched, which they may have to tell.
void Reader::readTotals(uint32_t R) {
  const Loaded &L = Shards[R];
  const Shard &S = L.File;
  const sw_header &H = S.header();
  Rank &Out = T.Ranks[R];
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
  uint64_t MpiTicks = H.mpi_ticks + (S.Threads.size() == 0 ? 0 : S.Threads.at<sw_thread_totals>(0).mpi_ticks);
  Out.WallSeconds = EndTicks > H.begin.ticks ? L.Time.seconds(EndTicks - H.begin.ticks) : 0;
  Out.MpiSeconds = std::min(L.Time.seconds(MpiTicks), Out.WallSeconds);
  Out.EndNs = wholeNs(L.Time.ns(EndTicks) - OriginNs);
}

void Reader::readEnd(uint32_t R) {
  const Loaded &L = Shards[R];
  const Shard &S = L.File;
  std::vector<Range> Ranges = rangesOf(S);
  auto ModuleOf = [&](uint64_t Address) -> const std::string * {
    for (const Range &M : Ranges)
      if (Address >= M.Begin && Address < M.End)
        return &T.Modules[M.Module].Path;
    return nullptr;
  };
  readEnding(S,
             {[&](uint64_t Ticks) { return wholeNs(L.Time.ns(Ticks) - OriginNs); },
              [&](std::span<const uint64_t> Frames) { return pathOf(Ranges, Frames, 0); }, ModuleOf, L.PathMap,
              L.CommMap},
             T.Ranks[R]);
}

void Reader::readTables(uint32_t R) {
  Shards[R].PathMap = mapPaths(Shards[R].File);
  readCommunicators(R);
  readHeader(R);
  readTotals(R);
  readEnd(R);
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
  for (uint32_t R = 0; R < Shards.size(); ++R)
    readPhases(R);
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

Trace readTrace(const std::vector<std::string> &Files, uint64_t EndRealtimeNs) {
  return Reader().read(Files, EndRealtimeNs);
}

} // namespace stridewise::merge
