#include "Endings.h"

#include "Json.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>

namespace stridewise::merge {
namespace {

bool finished(const Rank &R) { return R.State == SW_STATE_CLOSED; }

/// The thread whose call stands for the rank: the one that MPI was initialised by, unless it is outside MPI and another
/// is not.
const LastCall *mainCall(const Rank &R) {
  const LastCall *Found = nullptr;
  for (const LastCall &C : R.LastCalls)
    if (!Found || (C.InProgress && !Found->InProgress))
      Found = &C;
  return Found;
}

/// Whether a module belongs to the system, or to Stridewise.
bool isSystem(const std::string *Path) {
  if (!Path)
    return false;
  for (std::string_view Folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"})
    if (Path->starts_with(Folder))
      return true;
  return Path->find("/libstridewise_") != std::string::npos;
}

/// Of each of the shard's communicators, how many collectives were begun; and the members, where they are known.
std::vector<uint64_t> readCollectives(const Shard &S, const ShardMaps &Maps, Rank &Out) {
  std::vector<uint64_t> Begun(S.Comms.size());
  for (uint64_t I = 0; I < S.Comms.size(); ++I) {
    auto C = S.Comms.at<sw_comm>(I);
    Begun[I] = C.collectives;
    Out.Collectives[Maps.Comms[I]] = C.collectives;
    if (C.members_first == UINT64_MAX)
      continue;
    std::vector<int32_t> &Members = Out.Members[Maps.Comms[I]];
    for (uint32_t M = 0; M < C.size; ++M)
      Members.push_back(S.Members.at<int32_t>(C.members_first + M));
  }
  return Begun;
}

bool isSensible(const sw_progress &P, const Shard &S, const ShardMaps &Maps) {
  return (P.path == SW_NO_PATH || P.path < Maps.Paths.size()) && (P.comm == SW_NO_COMM || P.comm < Maps.Comms.size()) &&
         P.peer >= SW_PEER_OTHER && P.peer < S.header().world_size && (P.end == 0 || P.end >= P.begin);
}

LastCall lastCall(const sw_progress &P, uint32_t Thread, const ShardMaps &Maps, const std::vector<uint64_t> &Begun) {
  LastCall C;
  C.Thread = Thread;
  C.Call = P.call;
  C.Path = P.path == SW_NO_PATH ? Maps.PathOf(std::span(&P.pc, 1)) : Maps.Paths[P.path];
  C.Comm = P.comm == SW_NO_COMM ? None : Maps.Comms[P.comm];
  C.InProgress = P.end == 0;
  C.HasPeer = P.what & SW_PROGRESS_PEER;
  C.HasTag = P.what & SW_PROGRESS_TAG;
  C.Peer = P.peer;
  C.Tag = P.tag;
  if (P.what & SW_PROGRESS_COLLECTIVE && C.Comm != None)
    C.Collective = Begun[P.comm];
  C.Begin = Maps.Ns(P.begin);
  C.End = P.end ? Maps.Ns(P.end) : C.Begin;
  return C;
}

/// What ended a rank that could still tell.
Fate fateOf(const sw_fate &F, const ShardMaps &Maps) {
  Fate End;
  End.Kind = static_cast<enum sw_fate_kind>(F.kind);
  End.Signal = F.signal;
  End.Code = F.code;
  End.Sender = F.sender;
  End.Address = F.address;
  End.Time = Maps.Ns(F.clock.ticks);
  // What strikes in memcpy or abort is about their caller.
  std::span<const uint64_t> Frames(F.frames, F.depth);
  while (!Frames.empty() && isSystem(Maps.ModuleOf(Frames.front())))
    Frames = Frames.subspan(1);
  if (Frames.size() != F.depth)
    if (const std::string *Path = Maps.ModuleOf(F.frames[0]))
      End.Library = Path->substr(Path->find_last_of('/') + 1);
  if (Frames.empty())
    Frames = std::span<const uint64_t>(F.frames, F.depth);
  if (!Frames.empty())
    End.Path = Maps.PathOf(Frames);
  return End;
}

} // namespace

void readEnding(const Shard &S, const ShardMaps &Maps, Rank &Out) {
  std::vector<uint64_t> Begun = readCollectives(S, Maps, Out);
  uint64_t Latest = 0;
  for (uint64_t I = 0; I < S.Progress.size(); ++I) {
    auto P = S.Progress.at<sw_progress>(I);
    if (P.begin == 0 || !isSensible(P, S, Maps))
      continue;
    LastCall C = lastCall(P, static_cast<uint32_t>(I), Maps, Begun);
    Latest = std::max({Latest, P.begin, P.end});
    Out.EndNs = std::max(Out.EndNs, C.End);
    Out.LastCalls.push_back(C);
  }
  if (S.closed() || S.Fate.size() == 0)
    return;
  auto F = S.Fate.at<sw_fate>(0);
  bool Sensible = F.kind >= SW_FATE_SIGNAL && F.kind <= SW_FATE_EXIT && F.depth <= SW_FATE_FRAMES;
  // Of a signal that the program has dealt with: its rank went on.
  if (!Sensible || F.clock.ticks < Latest)
    return;
  Fate End = fateOf(F, Maps);
  Out.EndNs = std::max(Out.EndNs, End.Time);
  Out.End = End;
}

void countUnfinished(Trace &T, int64_t EndNs) {
  int64_t Known = 0, Sent = std::numeric_limits<int64_t>::max();
  for (const Rank &R : T.Ranks) {
    Known = std::max(Known, R.EndNs);
    if (R.End && R.End->Kind == SW_FATE_SIGNAL && R.End->Sender != 0)
      Sent = std::min(Sent, R.End->Time);
  }
  bool Told = Sent != std::numeric_limits<int64_t>::max();
  int64_t Silent = Told ? Sent : EndNs > 0 ? std::max(EndNs, Known) : Known;
  for (Rank &R : T.Ranks) {
    if (finished(R))
      continue;
    const LastCall *Last = mainCall(R);
    int64_t End = R.End ? R.End->Time : R.EndNs;
    if (!R.End && Last && Last->InProgress)
      End = std::max(End, Silent);
    R.EndNs = End;
    R.WallSeconds = std::max(R.WallSeconds, 1e-9 * static_cast<double>(End - R.BeginNs));
    for (const LastCall &C : R.LastCalls) {
      if (!C.InProgress)
        continue;
      double Seconds = 1e-9 * static_cast<double>(std::max<int64_t>(0, End - C.Begin));
      CallTotal Total;
      Total.Count = 1;
      Total.Seconds = Seconds;
      R.Totals[{C.Path, C.Call, 0}].add(Total);
      if (C.Thread == 0)
        R.MpiSeconds = std::min(R.MpiSeconds + Seconds, R.WallSeconds);
    }
  }
}

namespace {

/// Members of a communicator as world ranks; empty if nobody has noted them.
std::vector<int32_t> membersOf(const Trace &T, uint32_t Comm) {
  for (const Rank &R : T.Ranks)
    if (auto It = R.Members.find(Comm); It != R.Members.end())
      return It->second;
  std::vector<int32_t> All;
  if (T.Comms[Comm].Size == static_cast<uint32_t>(T.WorldSize))
    for (int32_t World = 0; World < T.WorldSize; ++World)
      All.push_back(World);
  return All;
}

/// Requests that the rank has started and not completed, by the events that are kept.
std::vector<PendingRequest> pendingOf(const Trace &T, uint32_t R) {
  if (T.Windows.empty() || !T.Windows.back().ToEnd || R >= T.Windows.back().Pending.size())
    return {};
  return T.Windows.back().Pending[R];
}

void writeIndex(Json &J, std::string_view Key, uint32_t Index) {
  J.key(Key);
  if (Index == None)
    J.null();
  else
    J.value(Index);
}

void writeLast(Json &J, const Trace &T, uint32_t R, const LastCall &C) {
  J.key("last").object().member("call", callName(C.Call));
  writeIndex(J, "path", C.Path);
  J.member("in_progress", C.InProgress).member("seconds", 1e-9 * static_cast<double>(C.Begin));
  J.member("end_seconds", 1e-9 * static_cast<double>(C.InProgress ? T.Ranks[R].EndNs : C.End));
  if (C.HasPeer)
    J.member("peer", C.Peer);
  if (C.HasTag)
    J.member("tag", C.Tag);
  bool Waits = std::string_view(callName(C.Call)).starts_with("MPI_Wait");
  J.key("pending").array();
  if (C.InProgress && Waits)
    for (const PendingRequest &P : pendingOf(T, R)) {
      J.object().member("call", callName(P.Call));
      writeIndex(J, "path", P.Path);
      J.member("receive", P.Receive).member("peer", P.Peer).member("tag", P.Tag).endObject();
    }
  J.endArray().endObject();
}

void writeFate(Json &J, const Fate &F) {
  static const char *const Kinds[] = {"", "signal", "abort", "exit"};
  J.key("fate").object().member("kind", Kinds[F.Kind]).member("signal", F.Signal).member("code", F.Code);
  J.member("sender", F.Sender).member("address", F.Address).member("library", F.Library);
  writeIndex(J, "path", F.Path);
  J.member("seconds", 1e-9 * static_cast<double>(F.Time)).endObject();
}

/// Collectives in which some members wait when the run ends, and others are not.
void writeStalls(Json &J, const Trace &T) {
  std::map<std::pair<uint32_t, uint64_t>, std::vector<std::pair<uint32_t, const LastCall *>>> Waiting;
  for (uint32_t R = 0; R < T.Ranks.size(); ++R)
    if (!finished(T.Ranks[R]))
      for (const LastCall &C : T.Ranks[R].LastCalls)
        if (C.InProgress && C.Collective != UINT64_MAX && T.Comms[C.Comm].Size > 1)
          Waiting[{C.Comm, C.Collective}].push_back({R, &C});
  J.key("stalls").array();
  for (const auto &[Key, Came] : Waiting) {
    std::vector<int32_t> Here, Absent, Passed;
    for (const auto &[R, C] : Came)
      Here.push_back(T.Ranks[R].World);
    for (int32_t World : membersOf(T, Key.first)) {
      if (World < 0 || std::find(Here.begin(), Here.end(), World) != Here.end())
        continue;
      uint32_t R = T.rankOf(World);
      uint64_t Begun = 0;
      if (R != None)
        if (auto It = T.Ranks[R].Collectives.find(Key.first); It != T.Ranks[R].Collectives.end())
          Begun = It->second;
      (Begun > Key.second ? Passed : Absent).push_back(World);
    }
    J.object().member("comm_size", T.Comms[Key.first].Size).member("number", Key.second);
    J.key("came").list(Here).key("absent").list(Absent).key("passed").list(Passed).endObject();
  }
  J.endArray();
}

} // namespace

void writeEndings(Json &J, const Trace &T) {
  J.key("endings").array();
  for (uint32_t R = 0; R < T.Ranks.size(); ++R) {
    const Rank &From = T.Ranks[R];
    if (finished(From))
      continue;
    J.object().member("rank", R).member("end_seconds", 1e-9 * static_cast<double>(From.EndNs));
    J.member("finalizing", From.State == SW_STATE_FINALIZING);
    if (From.End)
      writeFate(J, *From.End);
    if (const LastCall *Last = mainCall(From))
      writeLast(J, T, R, *Last);
    J.endObject();
  }
  J.endArray();
  writeStalls(J, T);
}

} // namespace stridewise::merge
