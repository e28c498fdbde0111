// The runs of messages of one call path, and how long the chains are that they form.
#ifndef STRIDEWISE_MERGE_CHAINRUNS_H
#define STRIDEWISE_MERGE_CHAINRUNS_H

#include "Analyses.h"
#include "Walk.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace stridewise::merge {

/// A cycle that was met, per send path.
struct Cycles {
  uint64_t Count = 0;
  uint32_t Longest = 0;
};

struct Run {
  uint32_t Origin = None; // run with which the data chain began
  uint32_t Rank = 0;
  uint32_t Partner = None;           // run of the same pair
  uint32_t First = 0, Count = 0;     // messages: a range in WindowChains::RunMessages
  uint32_t Data = 0, Rendezvous = 0; // messages in the longest chain that ends (data) or begins (rendezvous) here
  uint32_t AwaitedFirst = 0, AwaitedCount = 0; // send runs that a synchronous send from here waits for: in Awaited
  uint8_t Mark[2] = {0, 0};
  bool Send = false;
  bool Leads = false; // the first of its pair
};

/// One end of a message on its rank.
struct End {
  uint32_t Event;
  uint32_t Message : 31; // NoMessage for MPI_PROC_NULL, which moves nothing but keeps the alternation of sends and
  uint32_t Send : 1;     // receives at the edge of a domain
};
constexpr uint32_t NoMessage = UINT32_MAX >> 1;

/// The ends of all ranks, by rank and in the order of the program.
struct EndsByRank {
  std::vector<End> All;
  std::vector<size_t> Begin; // by rank, and the end
  std::span<End> of(uint32_t R) { return std::span(All).subspan(Begin[R], Begin[R + 1] - Begin[R]); }
};

/// The messages of one path on one window.
struct Verdict {
  uint32_t Data = 0, Rendezvous = 0, Ranks = 0;
  bool DataCycle = false;
  uint64_t Instances = 0, Runs = 0; // of the channel with the most: long chains, and all
  uint64_t Overlapping = 0, Timed = 0;
};

/// Ranks that exchange with each other.
class RankSets {
public:
  explicit RankSets(size_t Ranks);
  uint32_t find(uint32_t R);
  void unite(uint32_t A, uint32_t B) { Parent[find(A)] = find(B); }

private:
  std::vector<uint32_t> Parent;
};

/// Numbers of messages, ascending. Where the messages of a receive path are those of a send path, it is one list.
using MessageList = std::shared_ptr<std::vector<uint32_t>>;

class WindowChains {
public:
  explicit WindowChains(const Window &W) : W(W) {
    findSyncs();
    simulate();
    sortMessages();
    findNulls();
    RunOfSend.assign(W.Messages.size(), None);
    RunOfReceive.assign(W.Messages.size(), None);
  }

  std::map<uint32_t, MessageList> BySend, ByReceive; // by path
  std::unordered_map<uint32_t, Cycles> CyclesOf;     // by send path

  Verdict judge(const std::vector<uint32_t> &Messages);
  Event sendEvent(uint32_t M) const { return W.Events[W.Messages[M].Source][W.Messages[M].SendStart]; }
  uint32_t receivePath(uint32_t M) const {
    const Message &Msg = W.Messages[M];
    uint32_t I = Msg.RecvPost != None ? Msg.RecvPost : Msg.RecvDone;
    return I == None ? None : W.Events[Msg.Target][I].Path;
  }

  /// Whether the messages of a receive path are those of one send path, so that nothing new can be learnt.
  bool sameAsSend(const MessageList &Messages) const {
    return BySend.at(sendEvent(Messages->front()).Path) == Messages;
  }
  /// Gives back what only judge() needs.
  void finish();

private:
  void findSyncs();
  void simulate();
  void sortMessages();
  void findNulls();
  void release(Walk &Scheduler);
  uint32_t awaitedBy(const Walk &Scheduler, uint32_t R) const;
  uint32_t noteCycle(const Walk &Scheduler, const std::vector<uint32_t> &Cycle);
  void addRuns(uint32_t R, std::span<const End> Ends);
  void addRun(uint32_t R, bool Send, bool Neutral, uint32_t &Open);
  EndsByRank endsOf(const std::vector<uint32_t> &Messages, RankSets &Sets) const;
  void measure(RankSets &Sets, const std::vector<uint32_t> &Sizes, Verdict &V);
  void findOverlaps(Verdict &V) const;
  void successors(const Run &S, bool Rendezvous, std::vector<uint32_t> &Out) const;
  uint32_t length(uint32_t Index, bool Rendezvous, bool &Cycle);
  uint32_t awaitedRanks(uint32_t Index) const;
  uint32_t epoch(uint32_t R, uint32_t Group) const;
  bool completesBefore(uint32_t Earlier, bool EarlierIsSend, uint32_t Later) const;
  std::span<const uint32_t> messagesOf(const Run &R) const { return std::span(RunMessages).subspan(R.First, R.Count); }

  const Window &W;
  std::unordered_map<uint32_t, uint32_t> Sofar; // messages of a run that the simulation has let go
  std::vector<std::vector<uint32_t>> Syncs;     // groups of world synchronisations, per rank
  mutable std::vector<uint32_t> LastEpoch;      // per rank, the latest answer: the next one is most often the same
  std::unordered_map<uint32_t, std::vector<std::pair<uint32_t, End>>> Nulls; // by path: rank and end
  std::vector<Run> Runs;
  std::vector<uint32_t> RunMessages, Awaited;
  std::vector<uint32_t> RunOfSend, RunOfReceive;
  std::vector<std::vector<uint32_t>> Edges; // of the runs that a search is at; kept for their memory
};

} // namespace stridewise::merge
#endif
