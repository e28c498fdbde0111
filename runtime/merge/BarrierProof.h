// Which barriers of a window order nothing that messages, other synchronisations and program order do not order
// already.
#ifndef STRIDEWISE_MERGE_BARRIERPROOF_H
#define STRIDEWISE_MERGE_BARRIERPROOF_H

#include "Analyses.h"

#include <set>
#include <unordered_map>

namespace stridewise::merge {

constexpr uint32_t ExactRanks = 128; // beyond, clocks would be too large

struct Decision {
  enum Kind { Kept, Removed, Undecided } What = Undecided;
  std::string Reason;
  Witness Why;
};

class BarrierProof {
public:
  BarrierProof(const Trace &T, const Window &W, const std::vector<bool> &Polls, bool SharedMemory)
      : T(T), W(W), Ranks(static_cast<uint32_t>(W.Events.size())), Exact(Ranks <= ExactRanks), Polls(Polls),
        SharedMemory(SharedMemory) {}

  void run();

  std::vector<Decision> Decisions; // per instance; meaningful for candidates
  std::vector<bool> Candidate;
  std::vector<bool> OneRankWorks, BeforeEnd;
  bool Wildcards = false, OneSided = false, Files = false;
  /// Receivers that several senders could run ahead of without bound once the given barriers are gone.
  bool feedsFlood(const std::vector<uint32_t> &Instances, Witness &Why) const;

private:
  struct State {
    std::vector<uint32_t> Clock, Progress, Snapshot;
    size_t ArenaSize = 0;
  };
  struct Pattern {
    uint32_t LastDone; // done node of the latest wildcard receive, plus one
    uint32_t Path;
  };
  struct Channel {
    uint64_t Messages = 0;
    uint32_t FirstReceived = 0, LastSent = 0, KeptBefore = 0;
    bool Throttled = false;
  };

  /// A place in Window::Order.
  struct Cursor {
    size_t Index = 0;
    uint32_t Done = 0; // nodes of that stretch
  };
  bool atEnd(const Cursor &C) const { return C.Index == W.Order.size(); }
  void advance(Cursor &C) const {
    if (++C.Done == W.Order[C.Index].Nodes)
      C = {C.Index + 1, 0};
  }

  void prepare();
  void startNodeOf(uint32_t R, uint32_t Group);
  void doneNodeOf(uint32_t R, uint32_t Group);
  void remember(uint32_t R, uint32_t Group);
  void decide(uint32_t Inst, Cursor Position);
  bool veto(uint32_t Inst, Decision &D);
  void lookAhead(uint32_t Inst, Cursor Next, Decision &D);
  bool conflicts(uint32_t R, uint32_t Group, bool Done, Decision &D);
  bool sendConflicts(uint32_t R, const Event &E, Decision &D);
  bool receiveConflicts(uint32_t R, const Event &E, Decision &D);
  bool ordered(uint32_t After, uint32_t Before, uint32_t NodePlusOne) const {
    return Clock[size_t(After) * Ranks + Before] >= NodePlusOne;
  }
  bool anySource(uint32_t R, const Event &E) const;
  bool anyTag(uint32_t R, const Event &E) const;
  Channel &channelOf(uint32_t From, uint32_t To) {
    auto [Found, New] = ChannelAt.insert(pairKey(From, To));
    if (New)
      *Found = &Channels[pairKey(From, To)];
    return **Found;
  }
  uint32_t snapshot(uint32_t R);
  void join(uint32_t R, uint32_t Snap);
  void pruneInFlight();
  void compact();
  void noteWork(uint32_t Inst);

  const Trace &T;
  const Window &W;
  const uint32_t Ranks;
  const bool Exact;
  const std::vector<bool> &Polls;
  const bool SharedMemory;

  std::vector<uint32_t> Clock;    // Ranks x Ranks: nodes of the second rank known to precede, plus one
  std::vector<uint32_t> Progress; // nodes done
  std::vector<uint32_t> Snapshot; // of the clock row, None when the row has changed since
  std::vector<uint32_t> Arena;    // snapshots
  std::vector<uint32_t> MessageSnapshot, PartSnapshot;
  FlatMap<uint32_t> PostSnapshot; // by message, of synchronous sends
  std::vector<uint32_t> JoinSnapshot, JoinEpoch;
  uint32_t Epoch = 1;
  std::vector<uint32_t> Arrived, LookArrived, LookEpoch;
  std::vector<bool> Removed;
  std::vector<uint32_t> InFlight, OpenInstances;
  size_t PruneAt = 1024;

  std::vector<std::unordered_map<uint64_t, Pattern>> ByTag; // per rank, by communicator and tag
  std::vector<std::unordered_map<uint32_t, Pattern>> ByComm;
  std::unordered_map<uint64_t, uint32_t> SoleSource; // by rank and communicator; None when there are several
  std::vector<bool> HasWildcard;
  std::vector<uint32_t> LastOneSided, LastFile, SinceKept;
  uint32_t KeptSyncs = 0;
  std::vector<uint32_t> AtBarrier;                             // progress when the barrier under judgement was complete
  std::unordered_map<uint32_t, std::vector<uint32_t>> Pending; // by target, when judged
  bool FileBefore = false;
  std::unordered_map<uint64_t, Channel> Channels; // by sender and receiver
  FlatMap<Channel *> ChannelAt;                   // the same: finds them faster
  uint64_t Budget = 0;
};

/// Seconds that the removal of the given instances could save, shared out over them by their waiting time.
std::map<uint32_t, double> gainWithout(const Window &W, const std::set<uint32_t> &Removed);

} // namespace stridewise::merge
#endif
