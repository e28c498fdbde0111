// The timeline file: what each rank was at, call by call, and who sent to whom. Read by
// stridewise/runs/mpi/timeline.py.
//
// A line of JSON that says what follows, then arrays of numbers in little endian, one after the other: of each rank the
// columns of its calls (begin, end: int64; bytes: uint64; path, count: uint32; peer: int32; call, thread: uint16), then
// those of the messages (begin, end: int64; bytes: uint64; source, target, count, unused: uint32). Times are those of
// events, in nanoseconds.

#include "Timeline.h"
#include "Json.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace stridewise::merge {
namespace {

static_assert(std::endian::native == std::endian::little, "the columns are written as they lie in memory");

constexpr int TimelineVersion = 1;

/// All events of one call of MPI as one.
struct Calls {
  std::vector<int64_t> Begin, End;
  std::vector<uint64_t> Bytes;
  std::vector<uint32_t> Path, Count;
  std::vector<int32_t> Peer;
  std::vector<uint16_t> Call, Thread;

  void add(const Window &W, uint32_t R, uint32_t Group) {
    uint32_t First = W.groupBegin(R, Group), Last = W.GroupEnd[R][Group];
    const Event &E = W.Events[R][First];
    int64_t Until = E.End;
    uint64_t Size = 0;
    for (uint32_t I = First; I < Last; ++I) {
      const Event &Each = W.Events[R][I];
      Until = std::max(Until, Each.End);
      if (Each.has(SW_EV_SEND) || Each.has(SW_EV_RECV) || Each.has(SW_EV_COLLECTIVE))
        Size += static_cast<uint64_t>(Each.Bytes) * Each.Count;
    }
    Begin.push_back(E.Begin);
    End.push_back(Until);
    Bytes.push_back(Size);
    Path.push_back(E.Path);
    Count.push_back(E.Count);
    Peer.push_back(E.Peer);
    Call.push_back(E.Call);
    Thread.push_back(E.Thread);
  }
};

struct Sent {
  std::vector<int64_t> Begin, End;
  std::vector<uint64_t> Bytes;
  std::vector<uint32_t> Source, Target, Count, Unused;

  void add(const Window &W, const Message &M) {
    if (M.SendStart == None || (M.RecvDone == None && M.RecvPost == None))
      return;
    const Event &S = W.Events[M.Source][M.SendStart];
    const Event &E = W.Events[M.Target][M.RecvDone == None ? M.RecvPost : M.RecvDone];
    Begin.push_back(S.Begin);
    End.push_back(E.End);
    Bytes.push_back(S.Bytes);
    Source.push_back(M.Source);
    Target.push_back(M.Target);
    Count.push_back(M.Count);
    Unused.push_back(0);
  }
};

template <typename T> void column(std::string &Out, const std::vector<T> &Values) {
  Out.append(reinterpret_cast<const char *>(Values.data()), Values.size() * sizeof(T));
}

/// Messages by the size of their payload, over all ranks: the bucket B holds sizes from 2^(B-1) to 2^B - 1 bytes.
void writeSizes(Json &J, const Trace &T) {
  std::map<uint16_t, std::pair<uint64_t, uint64_t>> Sizes;
  auto Add = [&](const CallKey &Key, const CallTotal &Total) {
    if (!isSend(Key.Call))
      return;
    auto &[Count, Bytes] = Sizes[Key.SizeBucket];
    Count += Total.Count - Total.Nowhere;
    Bytes += Total.Bytes;
  };
  for (const Rank &R : T.Ranks)
    for (const auto &[Key, Total] : R.Totals)
      Add(Key, Total);
  for (const auto &[Key, Total] : T.Rest)
    Add(Key, Total);
  J.key("sizes").array();
  for (const auto &[Bucket, Sum] : Sizes)
    J.array().value(Bucket).value(Sum.first).value(Sum.second).endArray();
  J.endArray();
}

} // namespace

std::string timeline(const Trace &T) {
  std::vector<Calls> PerRank(T.Ranks.size());
  Sent All;
  uint16_t Highest = 0;
  for (const Window &W : T.Windows) {
    for (uint32_t R = 0; R < T.Ranks.size(); ++R)
      for (uint32_t Group = 0; Group < W.groups(R); ++Group)
        PerRank[R].add(W, R, Group);
    for (const Message &M : W.Messages)
      All.add(W, M);
  }
  for (const Calls &C : PerRank)
    for (uint16_t Call : C.Call)
      Highest = std::max(Highest, Call);
  Json J;
  J.object().member("version", TimelineVersion);
  J.key("calls").array();
  for (uint32_t Call = 0; Call <= Highest; ++Call)
    J.value(callName(static_cast<uint16_t>(Call)));
  J.endArray();
  J.key("ranks").array();
  for (uint32_t R = 0; R < T.Ranks.size(); ++R) {
    const Rank &One = T.Ranks[R];
    J.object().member("rank", One.World).member("calls", PerRank[R].Begin.size());
    J.member("begin_ns", One.BeginNs).member("end_ns", One.BeginNs + wholeNs(1e9 * One.WallSeconds));
    J.endObject();
  }
  J.endArray();
  J.member("messages", All.Begin.size());
  writeSizes(J, T);
  J.endObject();
  std::string Out = J.take();
  Out += '\n';
  for (const Calls &C : PerRank) {
    column(Out, C.Begin);
    column(Out, C.End);
    column(Out, C.Bytes);
    column(Out, C.Path);
    column(Out, C.Count);
    column(Out, C.Peer);
    column(Out, C.Call);
    column(Out, C.Thread);
  }
  column(Out, All.Begin);
  column(Out, All.End);
  column(Out, All.Bytes);
  column(Out, All.Source);
  column(Out, All.Target);
  column(Out, All.Count);
  column(Out, All.Unused);
  return Out;
}

} // namespace stridewise::merge
