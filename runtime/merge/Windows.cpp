// The events of a job's shards, as one window where all are there, else as one of the beginning and one of the end.

#include "EventBuilder.h"
#include "Parallel.h"
#include "TraceReader.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

bool Reader::decodeEvent(uint32_t R, uint64_t Number, Decoded &Out) const {
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
  EventShape S{E.flags & ~ZeroPayload,
               E.path == SW_NO_PATH ? None : L.PathMap[E.path],
               E.comm == SW_NO_COMM ? None : L.CommMap[E.comm],
               E.peer,
               E.tag,
               E.bytes32,
               E.call,
               E.thread,
               Run ? static_cast<uint32_t>(E.repeat) : 1,
               1};
  if (Run && E.end > E.begin)
    S.Busy = static_cast<float>(std::min(1.0, static_cast<double>(E.run_ticks) / static_cast<double>(E.end - E.begin)));
  Out = {S,
         static_cast<int64_t>(Begin),
         static_cast<int64_t>(End),
         E.begin,
         E.end,
         Run ? 0 : E.request,
         E.address,
         Run || (E.flags & SW_EV_SEND) == 0 ? 0 : E.hash,
         E.seq};
  return true;
}

/// The number of the first event of a shard that cannot be, UINT64_MAX if there is none.
uint64_t Reader::firstBroken(uint32_t R) const {
  const Shard &S = Shards[R].File;
  Decoded Unused;
  for (auto [From, To] : {std::pair(uint64_t(0), S.headEnd()), std::pair(S.tailBegin(), S.eventCount())})
    for (uint64_t N = From; N < To; ++N)
      if (!decodeEvent(R, N, Unused) && !isVoid(S.event(N)))
        return N;
  return UINT64_MAX;
}

/// A closed shard has a valid checksum, so a bad event means a writer that this reader does not understand.
void Reader::dropBroken() {
  std::vector<uint64_t> Broken(Shards.size(), UINT64_MAX);
  forEachIndex(Shards.size(), [&](size_t R) {
    if (Shards[R].File.closed())
      Broken[R] = firstBroken(static_cast<uint32_t>(R));
    Shards[R].File.forget();
  });
  std::vector<Loaded> Kept;
  for (size_t R = 0; R < Shards.size(); ++R) {
    Loaded &L = Shards[R];
    if (Broken[R] == UINT64_MAX)
      Kept.push_back(std::move(L));
    else
      T.Problems.push_back(
          {L.File.name(), L.File.eventOffset(Broken[R]), "impossible event " + std::to_string(Broken[R])});
  }
  Shards = std::move(Kept);
}

/// Whether the events of a shard may be in another order than their calls' ends.
static bool areMixed(const Shard &S) { return S.Threads.size() != 0 || S.header().thread_level >= ThreadSerialized; }

/// The event numbers of a range in the order of their calls' ends. Threads that record at the same time leave their
/// events in any order, and those of one call not one after the other.
std::vector<uint64_t> Reader::numbersOf(uint32_t R, uint64_t First, uint64_t Last) const {
  const Shard &S = Shards[R].File;
  std::vector<uint64_t> Numbers(Last > First ? Last - First : 0);
  struct Key {
    uint64_t End, Begin, Number;
    uint16_t Thread;
  };
  std::vector<Key> Keys;
  Keys.reserve(Numbers.size());
  for (uint64_t N = First; N < Last; ++N) {
    sw_event E = S.event(N);
    Keys.push_back({E.end, E.begin, N, E.thread});
  }
  std::sort(Keys.begin(), Keys.end(), [](const Key &A, const Key &B) {
    return std::tie(A.End, A.Thread, A.Begin, A.Number) < std::tie(B.End, B.Thread, B.Begin, B.Number);
  });
  std::transform(Keys.begin(), Keys.end(), Numbers.begin(), [](const Key &K) { return K.Number; });
  return Numbers;
}

/// Decodes the given event numbers of one rank, without calls that begin after Until. Returns whether several threads
/// have made them.
bool Reader::decodeRank(Window &W, uint32_t R, std::pair<uint64_t, uint64_t> Range, int64_t Until) {
  const Shard &S = Shards[R].File;
  EventList &Events = W.Events[R];
  uint64_t Count = Range.second - std::min(Range.first, Range.second);
  Events.reserve(Count);
  EventBuilder Build(Events, W.GroupEnd[R]);
  std::vector<uint64_t> Numbers;
  if (areMixed(S))
    Numbers = numbersOf(R, Range.first, Range.second);
  bool Threads = false;
  uint16_t FirstThread = 0;
  Decoded D;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t N = Numbers.empty() ? Range.first + I : Numbers[I];
    if (!decodeEvent(R, N, D)) {
      T.Ranks[R].BrokenEvents += !isVoid(S.event(N));
      continue;
    }
    if (D.Begin > Until)
      break;
    if (Events.empty())
      FirstThread = D.Shape.Thread;
    Threads |= FirstThread != D.Shape.Thread;
    Build.add(D);
  }
  W.GroupEnd[R].shrink_to_fit();
  Events.finish();
  if (!S.closed())
    W.Pending[R] = Build.pending();
  S.forget();
  return Threads;
}

Window Reader::decode(const std::vector<std::pair<uint64_t, uint64_t>> &Ranges, int64_t Until) {
  Window W;
  size_t Ranks = Shards.size();
  W.Events.resize(Ranks);
  W.GroupEnd.resize(Ranks);
  W.Pending.resize(Ranks);
  W.Begin = std::numeric_limits<int64_t>::max();
  W.End = std::numeric_limits<int64_t>::min();
  std::vector<uint8_t> Threads(Ranks);
  forEachIndex(Ranks, [&](size_t R) { Threads[R] = decodeRank(W, static_cast<uint32_t>(R), Ranges[R], Until); });
  for (size_t R = 0; R < Ranks; ++R) {
    W.Threads |= Threads[R] != 0;
    if (!W.Events[R].empty()) {
      W.Begin = std::min(W.Begin, W.Events[R].front().Begin);
      W.End = std::max(W.End, W.Events[R].back().End);
    }
  }
  return W;
}

/// Whether an event is a blocking synchronisation of all ranks; its number among the world's collectives in Seq.
bool Reader::isWorldSync(uint32_t R, uint64_t Number, uint32_t &Seq) const {
  constexpr uint32_t Wanted = SW_EV_COLLECTIVE | SW_EV_FULL_SYNC;
  Decoded E;
  if (!decodeEvent(R, Number, E) || (E.Shape.Flags & Wanted) != Wanted || E.Shape.has(SW_EV_START | SW_EV_COMPLETE) ||
      E.Shape.Comm == None || T.Comms[E.Shape.Comm].StableId != WorldId)
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
  Decoded E;
  std::vector<std::pair<uint64_t, uint64_t>> Head(Ranks);
  for (uint32_t R = 0; R < Ranks; ++R) {
    const Shard &S = Shards[R].File;
    Head[R] = {0, S.headEnd()};
    if (S.tailBegin() == S.headEnd())
      continue;
    Overflow = true;
    int64_t Last = std::numeric_limits<int64_t>::min();
    for (uint64_t N = S.headEnd(); N-- > 0 && Last == std::numeric_limits<int64_t>::min();)
      if (decodeEvent(R, N, E))
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
