// The trace file: one JSON object, read by stridewise/runs/mpi/trace.py.

#include "Analyses.h"
#include "Endings.h"
#include "Json.h"

#include <algorithm>
#include <cinttypes>

namespace stridewise::merge {
namespace {

constexpr int TraceVersion = 1;

std::string hex(uint64_t Value) {
  char Buffer[20];
  std::snprintf(Buffer, sizeof Buffer, "%016" PRIx64, Value);
  return Buffer;
}

const char *stateName(uint32_t State) {
  static const char *const Names[] = {"opened", "running", "finalizing", "closed"};
  return State < 4 ? Names[State] : "unknown";
}

const char *flavourName(uint32_t Flavour) {
  return Flavour == SW_MPI_OPENMPI ? "openmpi" : Flavour == SW_MPI_MPICH ? "mpich" : "unknown";
}

const char *kindName(ChainSite::Kind Kind) {
  static const char *const Names[] = {"cannot-tell", "unsafe-ring", "send-order-chain", "pipeline"};
  return Names[Kind];
}

void writePath(Json &J, std::string_view Key, uint32_t Path) {
  J.key(Key);
  if (Path == None)
    J.null();
  else
    J.value(Path);
}

void writeJob(Json &J, const Trace &T) {
  J.key("job").object();
  J.member("id", hex(T.JobId)).member("flavour", flavourName(T.Flavour)).member("mpi", T.MpiVersion);
  J.member("executable", T.Executable).member("command", T.Command).member("directory", T.Directory);
  J.member("begin_realtime_ns", T.BeginRealtimeNs).member("world_size", T.WorldSize);
  J.key("missing_ranks").list(T.MissingRanks);
  if (T.Reduced != 0)
    J.member("reduced_ranks", T.Reduced);
  J.endObject();
}

void writeSummary(Json &J, const Trace &T, const Efficiency &Pop) {
  double Wall = 0, MaxWork = 0, SumWork = 0, MaxMpi = 0;
  for (const Rank &R : T.Ranks) {
    double Work = R.workSeconds();
    Wall = std::max(Wall, R.WallSeconds);
    MaxMpi = std::max(MaxMpi, R.MpiSeconds);
    MaxWork = std::max(MaxWork, Work);
    SumWork += Work;
  }
  double MeanWork = T.Ranks.empty() ? 0 : SumWork / static_cast<double>(T.Ranks.size());
  auto Ratio = [&](std::string_view Name, double Part, double Whole) {
    J.key(Name);
    if (Whole > 0)
      J.value(Part / Whole);
    else
      J.null();
  };
  // The POP model: parallel efficiency = load balance x communication efficiency, and that one = serialisation x
  // transfer efficiency.
  J.key("summary").object();
  J.member("wall_seconds", Wall).member("mpi_seconds", MaxMpi);
  Ratio("parallel_efficiency", MeanWork, Wall);
  Ratio("load_balance", MeanWork, MaxWork);
  Ratio("communication_efficiency", MaxWork, Wall);
  Ratio("serialisation_efficiency", Pop.Serialisation, Pop.Known ? 1 : 0);
  Ratio("transfer_efficiency", Pop.Transfer, Pop.Known ? 1 : 0);
  J.endObject();
}

void writeRanks(Json &J, const Trace &T) {
  J.key("ranks").array();
  for (const Rank &R : T.Ranks) {
    J.object();
    J.member("rank", R.World).member("shard", R.Shard).member("host", R.Host).member("pid", R.Pid);
    J.member("state", stateName(R.State)).member("thread_level", R.ThreadLevel);
    J.member("wall_seconds", R.WallSeconds).member("mpi_seconds", R.MpiSeconds);
    J.member("queue_seconds", R.QueueSeconds).member("sleep_seconds", R.SleepSeconds);
    J.member("helper_mpi_seconds", R.HelperMpiSeconds).member("processors", R.Processors);
    J.member("first_processor", R.FirstProcessor).member("peak_bytes", R.PeakBytes);
    J.member("clock_error_seconds", R.ClockErrorSeconds).member("calls", R.Calls).member("events", R.Events);
    J.member("dropped_calls", R.DroppedCalls).member("dropped_paths", R.DroppedPaths);
    J.member("dropped_requests", R.DroppedRequests).member("dropped_comms", R.DroppedComms);
    J.member("broken_events", R.BrokenEvents);
    J.endObject();
  }
  J.endArray();
}

void writePaths(Json &J, const Trace &T) {
  J.key("modules").array();
  for (const Module &M : T.Modules)
    J.object().member("path", M.Path).member("build_id", M.BuildId).endObject();
  J.endArray();
  J.key("paths").array();
  for (const CallPath &P : T.Paths) {
    J.object().member("cut", P.Cut).member("fortran", P.Fortran);
    if (P.Phase != None)
      J.member("phase", P.Phase);
    J.key("frames").array();
    for (const Frame &F : P.Frames) {
      J.array();
      if (F.Module == None)
        J.null();
      else
        J.value(F.Module);
      J.value(F.Address).endArray();
    }
    J.endArray().endObject();
  }
  J.endArray();
}

void writePhases(Json &J, const Trace &T) {
  J.key("phases").array();
  for (const Phase &P : T.Phases) {
    J.object().member("name", P.Name).member("count", P.Count).key("seconds").array();
    for (const auto &[Rank, Seconds] : P.Seconds)
      J.array().value(Rank).value(Seconds).endArray();
    J.endArray().endObject();
  }
  J.endArray();
}

void writeCalls(Json &J, const Trace &T) {
  struct Line {
    uint64_t Count = 0, Bytes = 0, Nowhere = 0;
    std::vector<uint32_t> Ranks;
    std::vector<double> Seconds;
    std::vector<uint64_t> Counts, Moved;
    uint32_t Partners = 0; // of the rank with the most
  };
  std::map<std::pair<uint32_t, uint16_t>, Line> Lines;
  for (size_t R = 0; R < T.Ranks.size(); ++R)
    for (const auto &[Key, Total] : T.Ranks[R].Totals) {
      Line &L = Lines[{Key.Path, Key.Call}];
      if (L.Ranks.empty() || L.Ranks.back() != R) {
        L.Ranks.push_back(static_cast<uint32_t>(R));
        L.Seconds.push_back(0);
        L.Counts.push_back(0);
        L.Moved.push_back(0);
        if (auto Named = T.Ranks[R].Partners.find({Key.Path, Key.Call}); Named != T.Ranks[R].Partners.end())
          L.Partners = std::max(L.Partners, Named->second);
      }
      L.Count += Total.Count;
      L.Bytes += Total.Bytes;
      L.Nowhere += Total.Nowhere;
      L.Seconds.back() += Total.Seconds;
      L.Counts.back() += Total.Count;
      L.Moved.back() += Total.Bytes;
    }
  for (const auto &[Key, Total] : T.Rest) {
    Line &L = Lines[{Key.Path, Key.Call}];
    L.Count += Total.Count;
    L.Bytes += Total.Bytes;
    L.Nowhere += Total.Nowhere;
  }
  J.key("calls").array();
  for (const auto &[Key, L] : Lines) {
    J.object();
    writePath(J, "path", Key.first);
    J.member("call", callName(Key.second)).member("count", L.Count).member("bytes", L.Bytes);
    if (L.Nowhere != 0)
      J.member("nowhere", L.Nowhere);
    if (L.Ranks.size() != T.Ranks.size()) // only those that made such calls
      J.key("ranks").list(L.Ranks);
    J.key("rank_seconds").list(L.Seconds).key("rank_counts").list(L.Counts).key("rank_bytes").list(L.Moved);
    auto Most = T.Largest.find(Key);
    if (Most == T.Largest.end()) {
      J.member("partners", L.Partners).endObject();
      continue;
    }
    const Extreme &Of = Most->second;
    J.member("partners", std::max(L.Partners, Of.Partners));
    J.key("largest").object().member("count", Of.Count).member("bytes", Of.Bytes).member("ranks", Of.Ranks).endObject();
    J.endObject();
  }
  J.endArray();
}

void writeWindows(Json &J, const Trace &T) {
  J.key("windows").array();
  for (const Window &W : T.Windows) {
    uint64_t Events = 0;
    for (const auto &PerRank : W.Events)
      for (const Event &E : PerRank)
        Events += E.Count;
    uint64_t Messages = 0;
    for (const Message &M : W.Messages)
      Messages += M.Count;
    bool Empty = Events == 0;
    J.object().member("from_start", W.FromStart).member("to_end", W.ToEnd);
    J.member("begin_seconds", Empty ? 0 : 1e-9 * static_cast<double>(W.Begin));
    J.member("end_seconds", Empty ? 0 : 1e-9 * static_cast<double>(W.End));
    J.member("events", Events).member("messages", Messages).member("collectives", W.Instances.size());
    J.member("contradictions", W.Forced).endObject();
  }
  J.endArray();
}

void writeBarriers(Json &J, const std::vector<BarrierSite> &Sites) {
  J.key("barriers").array();
  for (const BarrierSite &B : Sites) {
    J.object();
    J.member("verdict", B.redundant() ? "redundant" : B.Instances == 0 ? "cannot-tell" : "needed");
    J.key("paths").list(B.Paths);
    J.member("instances", B.Instances).member("redundant", B.Redundant).member("undecided", B.Undecided);
    J.member("whole_run_instances", B.WholeRunInstances);
    J.key("kept").array();
    for (const auto &[Reason, Why] : B.Kept) {
      J.object().member("reason", Reason).member("count", Why.Count);
      writePath(J, "path_before", Why.PathBefore);
      writePath(J, "path_after", Why.PathAfter);
      J.member("rank_before", Why.RankBefore).member("rank_after", Why.RankAfter).endObject();
    }
    J.endArray();
    J.key("notes").list(std::vector<std::string>(B.Notes.begin(), B.Notes.end()));
    J.key("rank_seconds").list(B.RankSeconds).key("rank_counts").list(B.RankCounts);
    J.member("gain_seconds", B.GainSeconds).endObject();
  }
  J.endArray();
}

void writeBursts(Json &J, const Trace &T, const std::vector<BurstSite> &Sites) {
  auto Dense = [&](std::string_view Key, const auto &Sparse) {
    J.key(Key).array();
    auto Next = Sparse.begin();
    for (uint32_t R = 0; R < T.Ranks.size(); ++R) {
      bool Here = Next != Sparse.end() && Next->first == R;
      J.value(Here ? Next->second : decltype(Next->second)());
      if (Here)
        ++Next;
    }
    J.endArray();
  };
  J.key("bursts").array();
  for (const BurstSite &B : Sites) {
    J.object().member("path", B.Path).member("messages", B.Messages).member("bursts", B.Bursts);
    J.member("longest", B.Longest).member("bytes_per_message", B.BytesPerMessage);
    J.member("seconds_per_message", B.SecondsPerMessage);
    J.member("receive_seconds_per_message", B.ReceiveSecondsPerMessage);
    Dense("rank_messages", B.RankMessages);
    Dense("rank_seconds", B.RankSeconds);
    J.key("receive_paths").list(B.ReceivePaths);
    Dense("rank_receives", B.RankReceives);
    Dense("rank_receive_seconds", B.RankReceiveSeconds);
    J.endObject();
  }
  J.endArray();
}

void writeChains(Json &J, const std::vector<ChainSite> &Sites) {
  J.key("chains").array();
  for (const ChainSite &C : Sites) {
    J.object().member("kind", kindName(C.What));
    J.key("send_paths").list(C.SendPaths).key("receive_paths").list(C.ReceivePaths);
    J.member("data_length", C.DataLength).member("rendezvous_length", C.RendezvousLength).member("ranks", C.Ranks);
    J.member("instances", C.Instances).member("whole_run_instances", C.WholeRunInstances);
    J.member("overlapped", C.Overlapped).member("seconds_per_message", C.SecondsPerMessage);
    J.key("rank_seconds").list(C.RankSeconds).key("rank_send_seconds").list(C.RankSendSeconds);
    J.endObject();
  }
  J.endArray();
}

constexpr size_t MostNamed = 8; // culprits and causes of a wait site

/// The largest values of a map, as pairs of key and value.
template <typename Key, typename Value, typename Size>
std::vector<std::pair<Key, Value>> largest(const std::map<Key, Value> &All, Size Of) {
  std::vector<std::pair<Key, Value>> Sorted(All.begin(), All.end());
  size_t Count = std::min(MostNamed, Sorted.size());
  std::partial_sort(Sorted.begin(), Sorted.begin() + static_cast<std::ptrdiff_t>(Count), Sorted.end(),
                    [&](const auto &A, const auto &B) { return Of(A.second) > Of(B.second); });
  Sorted.resize(Count);
  return Sorted;
}

const char *kindName(WaitSite::Kind Kind) {
  static const char *const Names[] = {"late-sender",  "late-receiver",     "wait-at-barrier", "wait-at-nxn",
                                      "early-reduce", "late-contribution", "late-broadcast",  "wait-at-finalize"};
  return Names[Kind];
}

/// Ranks are indexes into "ranks"; only those that waited are named.
void writeWaits(Json &J, const std::vector<WaitSite> &Sites) {
  static const char *const Causes[] = {"computation", "transfer", "start-up"};
  J.key("waits").array();
  for (const WaitSite &S : Sites) {
    J.object().member("kind", kindName(S.What)).member("path", S.Path).member("calls", S.Calls);
    J.member("longest_seconds", S.Longest);
    J.key("waiting").array();
    for (const auto &[R, Seconds] : S.RankSeconds)
      J.array().value(R).value(Seconds).endArray();
    J.endArray().member("culprit_count", S.CulpritSeconds.size()).key("culprits").array();
    for (const auto &[R, Seconds] : largest(S.CulpritSeconds, [](double Seconds) { return Seconds; }))
      J.array().value(R).value(Seconds).endArray();
    J.endArray().key("causes").array();
    for (const auto &[Key, Why] : largest(S.Causes, [](const WaitCause &C) { return C.Seconds; })) {
      const auto &[What, R, Before, After] = Key;
      J.object().member("kind", Causes[What]).member("rank", R);
      writePath(J, "path_before", Before);
      writePath(J, "path_after", After);
      J.member("seconds", Why.Seconds).member("calls", Why.Calls).member("depth", Why.Depth).endObject();
    }
    J.endArray().endObject();
  }
  J.endArray();
}

/// Pairs of an index into "ranks" and seconds.
void writeSparse(Json &J, std::string_view Key, const SparseSeconds &Seconds) {
  J.key(Key).array();
  for (const auto &[R, Value] : Seconds)
    J.array().value(R).value(Value).endArray();
  J.endArray();
}

void writeDuplicates(Json &J, const std::vector<DuplicateSite> &Sites) {
  J.key("duplicates").array();
  for (const DuplicateSite &S : Sites) {
    J.object().member("path", S.Path).member("messages", S.Messages).member("compared", S.Compared);
    J.member("whole_run_messages", S.WholeRunMessages).member("at_once", S.AtOnce).member("constant", S.Constant);
    J.member("bytes", S.Bytes).member("sampled", S.Sampled).key("receive_paths").list(S.ReceivePaths);
    writeSparse(J, "own", S.RankSeconds);
    J.endObject();
  }
  J.endArray();
}

void writeFans(Json &J, const std::vector<FanSite> &Sites) {
  static const char *const Names[] = {"broadcast", "scatter", "gather", "reduce", "all-to-all"};
  J.key("fans").array();
  for (const FanSite &S : Sites) {
    J.object().member("kind", Names[S.What]).member("path", S.Path).member("rounds", S.Rounds);
    J.member("whole_run_rounds", S.WholeRunRounds).member("partners", S.Partners).member("bytes", S.Bytes);
    J.member("even", S.Even).member("root_count", S.Roots.size()).member("first_root", *S.Roots.begin());
    J.member("seconds_per_message", S.SecondsPerMessage);
    writeSparse(J, "own", S.RankSeconds);
    J.endObject();
  }
  J.endArray();
}

void writeOverlaps(Json &J, const std::vector<OverlapSite> &Sites) {
  J.key("overlaps").array();
  for (const OverlapSite &S : Sites) {
    J.object().member("path", S.Path).member("calls", S.Calls).member("bytes", S.Bytes);
    J.member("seconds", S.Seconds).member("waiting_seconds", S.Waiting).member("before_seconds", S.Before);
    J.member("after_seconds", S.After).member("hideable_seconds", S.Hideable);
    writeSparse(J, "own", S.RankSeconds);
    J.endObject();
  }
  J.endArray();
}

void writeGathers(Json &J, const std::vector<GatherSite> &Sites) {
  J.key("gathers").array();
  for (const GatherSite &S : Sites) {
    J.object().member("path", S.Path).member("root", S.Root).member("instances", S.Instances);
    J.member("whole_run_instances", S.WholeRunInstances).member("bytes_per_rank", S.BytesPerRank);
    J.member("after_seconds", S.AfterSeconds).member("effects", S.Effects).endObject();
  }
  J.endArray();
}

/// Of offsets only the largest are named.
void writeHalos(Json &J, const std::vector<HaloSite> &Sites) {
  J.key("halos").array();
  for (const HaloSite &S : Sites) {
    J.object().member("path", S.Path).member("call", callName(S.Call)).member("gaps", S.Gaps);
    J.member("messages", S.Messages).member("bytes", S.Bytes).member("pieces", S.Pieces).member("span", S.Span);
    J.member("pairs", S.Pairs).member("partners", S.Partners).key("offsets").array();
    for (const auto &[Offset, Sent] : largest(S.Offsets, [](const auto &Sent) { return Sent.second; }))
      J.array().value(Offset).value(Sent.first).value(Sent.second).endArray();
    J.endArray();
    writeSparse(J, "own", S.RankSeconds);
    J.endObject();
  }
  J.endArray();
}

void writeThreads(Json &J, const std::vector<ThreadSite> &Sites) {
  J.key("threads").array();
  for (const ThreadSite &S : Sites) {
    J.object().member("path", S.Path).member("calls", S.Calls).member("concurrent", S.Concurrent);
    J.key("ranks").list(std::vector<uint32_t>(S.Ranks.begin(), S.Ranks.end())).endObject();
  }
  J.endArray();
}

void writeMachine(Json &J, const MachineCosts &M) {
  J.key("machine").object().member("latency_seconds", M.Latency).member("send_seconds", M.CallSeconds);
  J.member("bytes_per_second", M.BytesPerSecond).member("barrier_seconds", M.BarrierSeconds);
  J.member("samples", M.Samples).endObject();
}

/// Rows: source, target (indexes into "ranks"), messages, bytes.
void writeTraffic(Json &J, const Trace &T) {
  J.key("traffic").array();
  if (T.Reduced != 0) { // known of a few ranks only
    J.endArray();
    return;
  }
  for (uint32_t R = 0; R < T.Ranks.size(); ++R)
    for (const auto &[Peer, Sent] : T.Ranks[R].Sent)
      if (uint32_t To = T.rankOf(Peer); To != None)
        J.array().value(R).value(To).value(Sent.first).value(Sent.second).endArray();
  J.endArray();
}

} // namespace

std::string traceJson(const Trace &T, const Results &R) {
  Json J;
  J.object().member("version", TraceVersion).member("tool", "stridewise-merge");
  writeJob(J, T);
  writeSummary(J, T, R.Pop);
  writeRanks(J, T);
  writePaths(J, T);
  writePhases(J, T);
  writeCalls(J, T);
  writeWindows(J, T);
  writeBarriers(J, R.Barriers);
  writeBursts(J, T, R.Bursts);
  writeChains(J, R.Chains);
  writeWaits(J, R.Waits);
  writeDuplicates(J, R.Duplicates);
  writeFans(J, R.Fans);
  writeOverlaps(J, R.Overlaps);
  writeGathers(J, R.Gathers);
  writeHalos(J, R.Halos);
  writeThreads(J, R.Threads);
  writeMachine(J, R.Machine);
  writeTraffic(J, T);
  writeEndings(J, T);
  J.key("problems").array();
  for (const Problem &P : T.Problems)
    J.object().member("shard", P.Shard).member("offset", P.Offset).member("text", P.Text).endObject();
  J.endArray();
  J.key("notes").list(T.Notes);
  J.endObject();
  return J.take() + "\n";
}

} // namespace stridewise::merge
