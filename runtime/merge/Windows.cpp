// The events of a job's shards, as one window where all are there, else as one of the beginning and one of the end.

#include "TraceReader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace stridewise::merge {
namespace {

constexpr uint64_t WorldId = 1;

// Of struct sw_header: the value that MPI_THREAD_SERIALIZED has in Open MPI and in MPICH.
constexpr uint32_t ThreadSerialized = 2;

/// A slot that no event has come to lie in.
bool isVoid(const sw_event &E) { return E.begin == 0; }

} // namespace

/// Whether an event's numbers exist, and it is one that this reader understands.
bool Reader::isPossible(const Loaded &L, const sw_event &E) const {
  if (E.begin > E.end || (E.path != SW_NO_PATH && E.path >= L.PathMap.size()) ||
      (E.comm != SW_NO_COMM && E.comm >= L.CommMap.size()) || E.peer < SW_PEER_OTHER || E.peer >= T.WorldSize)
    return false;
  // An event is about a message or a collective, and either starts or completes it: what links to it relies on that.
  auto Has = [&](uint32_t Flag) { return (E.flags & Flag) != 0; };
  if (Has(SW_EV_SEND) + Has(SW_EV_RECV) + Has(SW_EV_COLLECTIVE) > 1 || (Has(SW_EV_START) && Has(SW_EV_COMPLETE)))
    return false;
  if (!Has(SW_EV_RUN))
    return true;
  uint32_t What = E.flags & ~(SW_EV_RUN | SW_EV_BURST | SW_EV_OTHER_IO | SW_EV_PRINT);
  bool Numbered = E.seq != SW_NO_SEQ && E.repeat <= SW_NO_SEQ - E.seq;
  return (What == SW_EV_SEND || What == SW_EV_RECV) && E.repeat != 0 && E.repeat <= SW_NO_SEQ &&
         (Numbered || E.peer == SW_PEER_NULL);
}

bool Reader::decodeEvent(uint32_t R, uint64_t Number, Event &Out, uint64_t &BeginTicks, uint64_t &EndTicks) {
  const Loaded &L = Shards[R];
  sw_event E = L.File.event(Number);
  if (isVoid(E))
    return false;
  if (!isPossible(L, E))
    return false;
  bool Run = (E.flags & SW_EV_RUN) != 0;
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

/// Whether an event is a blocking synchronisation of all ranks; its number among the world's collectives in Seq.
bool Reader::isWorldSync(uint32_t R, uint64_t Number, uint32_t &Seq) {
  constexpr uint32_t Wanted = SW_EV_COLLECTIVE | SW_EV_FULL_SYNC;
  Event E;
  uint64_t Begin, End;
  if (!decodeEvent(R, Number, E, Begin, End) || (E.Flags & Wanted) != Wanted ||
      (E.Flags & (SW_EV_START | SW_EV_COMPLETE)) != 0 || E.Comm == None || T.Comms[E.Comm].StableId != WorldId)
    return false;
  Seq = E.Seq;
  return true;
}

/// The tail begins after the first world synchronisation that every rank still holds. All ranks have passed it, and
/// numbers of collectives on the world agree, so nothing is cut but messages that were under way.
bool Reader::findTail(std::vector<std::pair<uint64_t, uint64_t>> &Tail) {
  auto Whole = [&](uint32_t R) { return Shards[R].File.tailBegin() == Shards[R].File.headEnd(); };
  uint32_t First = 0, Seq = 0;
  for (uint32_t R = 0; R < Shards.size(); ++R) {
    if (Whole(R))
      continue;
    uint64_t N = Shards[R].File.tailBegin(), Count = Shards[R].File.eventCount();
    while (N < Count && !isWorldSync(R, N, Seq))
      ++N;
    if (N >= Count)
      return false;
    First = std::max(First, Seq);
  }
  for (uint32_t R = 0; R < Shards.size(); ++R) {
    uint64_t N = Whole(R) ? 0 : Shards[R].File.tailBegin(), Count = Shards[R].File.eventCount();
    while (N < Count && !(isWorldSync(R, N, Seq) && Seq >= First))
      ++N;
    if (N >= Count || Seq != First)
      return false;
    Tail[R] = {N + 1, Count};
  }
  return true;
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

  std::vector<std::pair<uint64_t, uint64_t>> Tail(Ranks);
  if (!findTail(Tail)) {
    T.Notes.push_back("the latest events hold no synchronisation of all ranks: only the beginning of the run was "
                      "analysed event by event");
    return;
  }
  T.Windows.push_back(decode(Tail, Always));
  T.Windows.back().ToEnd = true;
}

} // namespace stridewise::merge
