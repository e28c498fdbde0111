// What is worked out from a matched trace. Every result is per call path; seconds are per rank and for the whole run.
#ifndef STRIDEWISE_MERGE_ANALYSES_H
#define STRIDEWISE_MERGE_ANALYSES_H

#include "Trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace stridewise::merge {

/// Why a barrier stays, with the first instance as example.
struct Witness {
  uint64_t Count = 0;
  uint32_t PathBefore = None, PathAfter = None; // the two calls that only the barrier orders
  int32_t RankBefore = -1, RankAfter = -1;      // world ranks
};

/// A place that all members reach together: one call path, or several when ranks take different branches to it.
struct BarrierSite {
  std::vector<uint32_t> Paths; // the most used first
  uint64_t Instances = 0, Redundant = 0, Undecided = 0;
  uint64_t WholeRunInstances = 0;
  std::map<std::string, Witness> Kept; // by reason
  std::set<std::string> Notes;         // what makes the verdict less sure
  std::vector<double> RankSeconds;
  std::vector<uint64_t> RankCounts;
  double GainSeconds = 0;
  bool redundant() const { return Redundant == Instances && Instances != 0; }
};

struct BurstSite {
  uint32_t Path;
  uint16_t SizeBucket;
  uint64_t Messages = 0, Bursts = 0, Longest = 0; // of bursts of two or more
  double BytesPerMessage = 0;
  double SecondsPerMessage = 0;        // mean of a following message, sender's side
  double ReceiveSecondsPerMessage = 0; // the same on the receiver's side; 0 if unknown
  std::vector<uint64_t> RankMessages;  // following messages: those that one message per burst would save
  std::vector<double> RankSeconds;     // time in following messages, sender's side
  std::vector<uint64_t> RankReceives;  // following messages received
  std::vector<double> RankReceiveSeconds;
  std::vector<uint32_t> ReceivePaths;
};

struct ChainSite {
  enum Kind { CannotTell, Deadlock, UnsafeRing, SendOrderChain, Pipeline };
  std::vector<uint32_t> SendPaths, ReceivePaths;
  Kind What = CannotTell;
  uint32_t DataLength = 0, RendezvousLength = 0; // longest dependence chain, in messages
  uint32_t Ranks = 0;                            // that take part
  bool Overlapped = false;                       // a pipeline whose instances run at the same time
  uint64_t Instances = 0, WholeRunInstances = 0;
  double SecondsPerMessage = 0;
  std::vector<double> RankSeconds; // waiting in these calls
  std::vector<double> RankSendSeconds;
};

/// What made an awaited rank late.
struct WaitCause {
  enum Kind : uint8_t {
    Computation, // it computed longer than the waiting rank, most of it between two calls
    Transfer,    // its own calls of MPI took longer, without waiting
    StartUp      // it left MPI_Init later
  };
  double Seconds = 0;
  uint64_t Calls = 0;
  uint32_t Depth = 0; // the longest chain of wait states from the cause to here, without this one
};

/// Waiting of one kind at one call path. Kinds are Scalasca's; a reduction's root waits for its first sender (early
/// reduce) and, which Scalasca does not count, for the others behind it (late contribution).
struct WaitSite {
  enum Kind : uint8_t { LateSender, LateReceiver, Barrier, NxN, EarlyReduce, LateContribution, LateBroadcast };
  Kind What = LateSender;
  uint32_t Path = None;
  uint64_t Calls = 0;                                                                    // that waited, in the windows
  double Longest = 0;                                                                    // seconds, of one call
  std::map<uint32_t, double> RankSeconds;                                                // by rank that waits
  std::map<uint32_t, double> CulpritSeconds;                                             // by rank that is awaited
  std::map<std::tuple<WaitCause::Kind, uint32_t, uint32_t, uint32_t>, WaitCause> Causes; // kind, rank, paths around it
};

/// The two parts of the POP model's communication efficiency.
struct Efficiency {
  double Serialisation = 0, Transfer = 0;
  bool Known = false;
};

struct Results {
  std::vector<BarrierSite> Barriers;
  std::vector<BurstSite> Bursts;
  std::vector<ChainSite> Chains;
  std::vector<WaitSite> Waits;
  Efficiency Pop;
};

std::vector<BarrierSite> findBarriers(const Trace &T);
std::vector<BurstSite> findBursts(const Trace &T);
std::vector<ChainSite> findChains(const Trace &T);
std::vector<WaitSite> findWaits(const Trace &T);
Efficiency findEfficiency(const Trace &T);

/// The paths of Uses, largest use first.
template <typename Use> std::vector<uint32_t> mostUsedFirst(const std::map<uint32_t, Use> &Uses) {
  std::vector<uint32_t> Paths;
  for (const auto &[Path, Count] : Uses)
    Paths.push_back(Path);
  std::sort(Paths.begin(), Paths.end(), [&](uint32_t A, uint32_t B) {
    Use OfA = Uses.at(A), OfB = Uses.at(B);
    return OfA != OfB ? OfA > OfB : A < B;
  });
  return Paths;
}

/// Seconds of each path on each rank, in windows.
class WindowSeconds {
public:
  explicit WindowSeconds(const Trace &T);
  double of(uint32_t Path, uint32_t Rank) const {
    auto It = Seconds.find((static_cast<uint64_t>(Path) << 32) | Rank);
    return It == Seconds.end() ? 0 : It->second;
  }

private:
  std::unordered_map<uint64_t, double> Seconds;
};

std::string traceJson(const Trace &T, const Results &R);

} // namespace stridewise::merge
#endif
