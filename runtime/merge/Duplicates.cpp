// Messages that carry nothing new. A message repeats the one before if both go to the same rank with the same tag from
// the same buffer and have the same size and payload; what goes there from other buffers in between lands elsewhere and
// changes nothing. Payloads are compared by the interposer's hashes.
//
// A field at rest repeats itself from step to step by accident. So repetitions count where the program hardly computed
// in between (it cannot have meant to send news), and apart from them those on channels that never carried anything
// else. Zeros are no data yet (the border of an initial guess), and their like says nothing. An echo, which answers
// each message with one of the same size and never changes, is a measurement: left out.

#include "Analyses.h"
#include "payload_hash.h"
#include "thresholds.h"

#include <cmath>
#include <unordered_map>

namespace stridewise::merge {
namespace {

// Computation between the two messages: this part of what lies before a message with news on the same channel in the
// mean, and a larger one where it is as good as nothing.
using namespace limits::mpi_duplicate_exchange;

struct Channel {
  uint32_t Payload = 0;
  double Computed = 0; // on this rank, when the last message was sent
  uint64_t Messages = 0, Same = 0, Answered = 0, News = 0;
  double BeforeNews = 0;
};

struct Repetition {
  uint32_t Event;
  size_t Channel;
  double Gap;
};

uint64_t mix(uint64_t A, uint64_t B) {
  return (A ^ (B + 0x9e3779b97f4a7c15u + (A << 6) + (A >> 2))) * 0xd6e8feb86659fd93u;
}

uint64_t keyOf(const Event &E) {
  uint64_t Key = mix(E.Comm, static_cast<uint32_t>(E.Peer));
  return mix(mix(mix(Key, static_cast<uint32_t>(E.Tag)), E.Buffer), E.Bytes);
}

/// Collects repetitions of one rank in one window after the other.
class Duplicates {
public:
  Duplicates(const Trace &T, const WholeRun &Whole, const CallWaits &Calls) : T(T), Calls(Calls), Whole(Whole) {}
  void add(size_t Index, uint32_t R);
  std::vector<DuplicateSite> sites();

private:
  struct Seen {
    std::vector<Channel> Channels;
    std::vector<Repetition> Found;
  };
  Seen follow(const Window &W, uint32_t R);
  void charge(size_t Index, uint32_t R, const Repetition &Again, bool AtOnce);

  const Trace &T;
  const CallWaits &Calls;
  const WholeRun &Whole;
  std::map<uint32_t, DuplicateSite> Sites;
  std::map<uint32_t, std::map<uint32_t, uint64_t>> ReceivePaths;
  FlatMap<uint64_t> SeenOn; // by path and rank: messages in the windows
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> DuplicatesOn;
};

/// The channels of a rank's sends, and the messages that carry what the one before carried.
Duplicates::Seen Duplicates::follow(const Window &W, uint32_t R) {
  Seen Out;
  FlatMap<size_t> Find;
  FlatMap<uint32_t> LastReceived; // by peer: bytes of the latest message from a peer, until one is sent
  double Computed = 0;
  int64_t LastEnd = W.Begin;
  for (uint32_t I = 0; I < W.Events[R].size(); ++I) {
    const Event &E = W.Events[R][I];
    Computed += static_cast<double>(std::max<int64_t>(0, E.Begin - LastEnd));
    LastEnd = std::max(LastEnd, E.End);
    if (E.has(SW_EV_RECV) && !E.has(SW_EV_START | SW_EV_SENDRECV) && E.Peer >= 0)
      LastReceived[static_cast<uint32_t>(E.Peer)] = E.Bytes;
    if (!E.has(SW_EV_SEND) || E.has(SW_EV_COMPLETE) || E.Peer < 0 || E.Path == None)
      continue;
    auto [Index, New] = Find.insert(keyOf(E));
    if (New) {
      *Index = Out.Channels.size();
      Out.Channels.emplace_back();
    }
    Channel &C = Out.Channels[*Index];
    SeenOn[pairKey(E.Path, R)] += E.Count;
    if (E.Payload == 0 || E.has(ZeroPayload)) {
      C.Payload = 0;
      C.Computed = Computed;
      continue;
    }
    ++Sites[E.Path].Compared;
    ++C.Messages;
    if (!New && C.Payload != E.Payload) {
      ++C.News;
      C.BeforeNews += Computed - C.Computed;
    }
    if (C.Payload == E.Payload) {
      Out.Found.push_back({I, *Index, Computed - C.Computed});
      ++C.Same;
      if (const uint32_t *Reply = LastReceived.find(static_cast<uint32_t>(E.Peer)); Reply && *Reply == E.Bytes)
        ++C.Answered;
    }
    LastReceived.erase(static_cast<uint32_t>(E.Peer));
    C.Payload = E.Payload;
    C.Computed = Computed;
  }
  return Out;
}

/// Counts a repetition and its time at its place.
void Duplicates::charge(size_t Index, uint32_t R, const Repetition &Again, bool AtOnce) {
  const Window &W = T.Windows[Index];
  const Event &E = W.Events[R][Again.Event];
  auto OwnSeconds = [&](uint32_t Rank, uint32_t I) { return ownSeconds(W, Calls[Index], Rank, I); };
  DuplicateSite &Site = Sites[E.Path];
  ++Site.Messages;
  ++DuplicatesOn[{E.Path, R}];
  ++(AtOnce ? Site.AtOnce : Site.Constant);
  Site.Bytes += E.Bytes;
  Site.Sampled |= E.Bytes > SW_HASH_BYTES;
  uint32_t Done = E.Link == None ? None : W.Messages[E.Link].SendDone;
  double Seconds = OwnSeconds(R, Again.Event);
  if (Done != None && Done != Again.Event)
    Seconds += OwnSeconds(R, Done);
  Site.RankSeconds[R] += Seconds * Whole.factor(E.Path, R);
  if (E.Link == None)
    return;
  const Message &M = W.Messages[E.Link];
  uint32_t Received = M.RecvDone;
  if (Received == None || W.Events[M.Target][Received].Path == None)
    return;
  uint32_t Path = W.Events[M.Target][Received].Path;
  ++ReceivePaths[E.Path][Path];
  // Of a Sendrecv this is the other half of its time.
  Site.RankSeconds[M.Target] += OwnSeconds(M.Target, Received) * Whole.factor(Path, M.Target);
}

void Duplicates::add(size_t Index, uint32_t R) {
  const Window &W = T.Windows[Index];
  Seen Here = follow(W, R);
  for (const Repetition &Again : Here.Found) {
    const Channel &C = Here.Channels[Again.Channel];
    const Event &E = W.Events[R][Again.Event];
    bool Always = C.Same + 1 == C.Messages;
    if ((Always && 2 * C.Answered > C.Same) || (E.Link != None && W.Messages[E.Link].Following))
      continue;
    double Usual = C.BeforeNews / static_cast<double>(std::max<uint64_t>(1, C.News));
    bool AtOnce = !Always && Again.Gap <= std::max(AtOnceShare * Usual, std::min(ShortNs, ShortShare * Usual));
    if (AtOnce || Always)
      charge(Index, R, Again, AtOnce);
  }
}

std::vector<DuplicateSite> Duplicates::sites() {
  for (const auto &[Key, Count] : DuplicatesOn) {
    const auto &[Path, R] = Key;
    uint64_t InWindows = SeenOn[pairKey(Path, R)];
    double Factor = InWindows == 0
                        ? 1
                        : std::max(1.0, static_cast<double>(T.totalOf(R, Path).Count) / static_cast<double>(InWindows));
    Sites[Path].WholeRunMessages += static_cast<uint64_t>(std::llround(static_cast<double>(Count) * Factor));
  }
  std::vector<DuplicateSite> Result;
  for (auto &[Path, Site] : Sites) {
    if (Site.Messages == 0)
      continue;
    Site.Path = Path;
    Site.ReceivePaths = mostUsedFirst(ReceivePaths[Path]);
    Result.push_back(std::move(Site));
  }
  return Result;
}

} // namespace

std::vector<DuplicateSite> findDuplicates(const Trace &T, const WholeRun &Whole, const CallWaits &Calls) {
  Duplicates Found(T, Whole, Calls);
  for (size_t Index = 0; Index < T.Windows.size(); ++Index)
    for (uint32_t R = 0; R < T.Windows[Index].Events.size(); ++R)
      Found.add(Index, R);
  return Found.sites();
}

} // namespace stridewise::merge
