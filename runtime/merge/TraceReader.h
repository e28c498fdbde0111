// Makes a trace of the shards of one job.
#ifndef STRIDEWISE_MERGE_TRACEREADER_H
#define STRIDEWISE_MERGE_TRACEREADER_H

#include "Trace.h"

#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace stridewise::merge {

/// Turns a rank's ticks into nanoseconds on rank 0's monotonic clock.
class Clock {
public:
  Clock() = default;
  Clock(const sw_header &H, double NsPerTick)
      : BeginTicks(H.begin.ticks),
        BeginNs(static_cast<double>(H.begin.monotonic_ns) + static_cast<double>(H.clock_offset_ns)),
        NsPerTick(NsPerTick) {}
  double ns(uint64_t Ticks) const { return BeginNs + NsPerTick * signedDifference(Ticks); }
  double seconds(uint64_t Ticks) const { return NsPerTick * 1e-9 * static_cast<double>(Ticks); }
  double beginNs() const { return BeginNs; }

  /// The tick of a shard with two usable readings, else 0.
  static double tickOf(const sw_header &H) {
    if (H.end.ticks <= H.begin.ticks || H.end.monotonic_ns <= H.begin.monotonic_ns)
      return 0;
    return static_cast<double>(H.end.monotonic_ns - H.begin.monotonic_ns) /
           static_cast<double>(H.end.ticks - H.begin.ticks);
  }

private:
  double signedDifference(uint64_t Ticks) const {
    return Ticks >= BeginTicks ? static_cast<double>(Ticks - BeginTicks) : -static_cast<double>(BeginTicks - Ticks);
  }
  uint64_t BeginTicks = 0;
  double BeginNs = 0, NsPerTick = 1;
};

/// Where a module is in a process.
struct Range {
  uint64_t Begin, End, Bias;
  uint32_t Module;
};

struct Loaded {
  merge::Shard File;
  std::vector<uint32_t> PathMap, CommMap;
  Clock Time;
  uint64_t HeadEnd = 0, TailBegin = 0; // event numbers
};

/// An event of a shard with the numbers of the trace; what the shard means by its own is beside it.
struct Decoded {
  EventShape Shape;
  int64_t Begin, End; // nanoseconds
  uint64_t BeginTicks, EndTicks;
  uint64_t Request, Address, Hash; // 0 if there is none
  uint32_t Seq;
};

class Reader {
public:
  Trace read(const std::vector<std::string> &Files, uint64_t EndRealtimeNs);

private:
  void open(const std::vector<std::string> &Files);
  void readClocks();
  void readTables(uint32_t R);
  void readCommunicators(uint32_t R);
  void readHeader(uint32_t R);
  void readTotals(uint32_t R);
  void readSends(uint32_t R);
  void readEnd(uint32_t R);
  std::vector<uint32_t> mapPaths(const Shard &S);
  std::vector<Range> rangesOf(const Shard &S);
  uint32_t pathOf(const std::vector<Range> &Ranges, std::span<const uint64_t> Frames, uint32_t Flags,
                  uint32_t Phase = None);
  std::vector<uint32_t> mapPhases(const Shard &S);
  void readPhases(uint32_t R);
  void addSummaries();
  void addRest(const Shard &S, const std::vector<uint32_t> &PathMap, const std::vector<uint32_t> &Full);
  void makeWindows();
  std::vector<uint64_t> numbersOf(uint32_t R, uint64_t First, uint64_t Last) const;
  Window decode(const std::vector<std::pair<uint64_t, uint64_t>> &Ranges, int64_t Until);
  bool decodeRank(Window &W, uint32_t R, std::pair<uint64_t, uint64_t> Range, int64_t Until);
  bool isWorldSync(uint32_t R, uint64_t Number, uint32_t &Seq) const;
  bool findTail(std::vector<std::pair<uint64_t, uint64_t>> &Tail);
  bool isPossible(const Loaded &L, const sw_event &E) const;
  bool decodeEvent(uint32_t R, uint64_t Number, Decoded &Out) const;
  uint64_t firstBroken(uint32_t R) const;
  void dropBroken();

  Trace T;
  std::vector<Loaded> Shards; // in the order of T.Ranks
  std::vector<Shard> Summaries;
  double OriginNs = 0;
  std::map<std::pair<std::string, std::string>, uint32_t> ModuleIndex;
  std::map<std::pair<std::vector<Frame>, uint32_t>, uint32_t> PathIndex; // by frames and phase
  std::map<std::string, uint32_t> PhaseIndex;
  std::unordered_map<uint64_t, uint32_t> CommIndex;
};

} // namespace stridewise::merge
#endif
