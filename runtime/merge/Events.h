// The events of one rank, close together in memory: what an event says is mostly what many others say, too.
#ifndef STRIDEWISE_MERGE_EVENTS_H
#define STRIDEWISE_MERGE_EVENTS_H

#include "shard_format.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace stridewise::merge {

constexpr uint32_t None = UINT32_MAX;

/// Beside the flags of sw_event_flags, in Event::Flags: the payload is all zeros, of a large one what was hashed.
constexpr uint32_t ZeroPayload = 1u << 31;

/// What events of one call site have in common.
struct EventShape {
  uint32_t Flags = 0, Path = None, Comm = None;
  int32_t Peer = SW_PEER_NONE, Tag = 0; // Peer is a world rank
  uint32_t Bytes = 0;
  uint16_t Call = 0, Thread = 0;
  uint32_t Count = 1;  // messages, 1 but for runs
  float Busy = 1;      // share of the time from Begin to End that was spent in MPI, 1 but for runs
  uint32_t Buffer = 0; // number of the user's buffer on its rank, 0 if none; not of what completes a request
  bool operator==(const EventShape &) const = default;
  bool has(uint32_t Flag) const { return (Flags & Flag) != 0; }
};

/// One recorded event, or a run of messages (see sw_event), as a value; times in nanoseconds on rank 0's clock since
/// the first rank left MPI_Init.
struct Event : EventShape {
  int64_t Begin, End;
  uint32_t Payload; // number of a send's payload on its rank, 0 if its hash was not taken
  uint32_t Start;   // of what completes a request: the event that started it, None if the window does not hold it
  uint32_t Link;    // message of a SEND or RECV, instance of a COLLECTIVE, or None
  uint32_t Group;   // number of the MPI call that it belongs to, within rank and window; a run counts as one call
  double callNs() const { return static_cast<double>(End - Begin) * static_cast<double>(Busy); }
};

/// Events in the order of their calls' ends. An element is made up when it is asked for: keep it as a value or as a
/// reference to const.
class EventList {
public:
  size_t size() const { return Records.size(); }
  bool empty() const { return Records.empty(); }
  Event operator[](size_t I) const {
    const Record &R = Records[I];
    const EventShape &S = Shapes[R.Shape];
    int64_t End = R.Duration == TooLong ? longEnd(I) : R.Begin + R.Duration;
    return {S,      R.Begin, End, Payloads.empty() ? 0 : Payloads[I], S.has(SW_EV_COMPLETE) ? start(I) : None,
            R.Link, R.Group};
  }
  Event front() const { return (*this)[0]; }
  Event back() const { return (*this)[size() - 1]; }

  class Iterator {
  public:
    Iterator(const EventList &Of, size_t I) : Of(&Of), I(I) {}
    Event operator*() const { return (*Of)[I]; }
    Iterator &operator++() {
      ++I;
      return *this;
    }
    bool operator!=(const Iterator &Other) const { return I != Other.I; }

  private:
    const EventList *Of;
    size_t I;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  void link(uint32_t I, uint32_t To) { Records[I].Link = To; }
  void unlinkAll() {
    for (Record &R : Records)
      R.Link = None;
  }
  /// The number in its channel or on its communicator, see sw_event; until the window's events are linked.
  uint32_t seq(uint32_t I) const { return Records[I].Link; }
  uint32_t shape(uint32_t I) const { return Records[I].Shape; }
  const std::vector<EventShape> &shapes() const { return Shapes; }

  void reserve(size_t Events) { Records.reserve(Events); }
  /// Returns the number of a shape for add().
  uint32_t addShape(const EventShape &S) {
    Shapes.push_back(S);
    return static_cast<uint32_t>(Shapes.size() - 1);
  }
  void setShapes(std::vector<EventShape> From) { Shapes = std::move(From); }
  /// `Start`: of what completes a request, the event that started it, else None.
  void add(int64_t Begin, int64_t End, uint32_t Shape, uint32_t Seq, uint32_t Group, uint32_t Start, uint32_t Payload) {
    auto Index = static_cast<uint32_t>(Records.size());
    auto Duration = static_cast<uint64_t>(End - Begin);
    if (Duration >= TooLong)
      Long.emplace_back(Index, End);
    if (Index % BlockSize == 0)
      Blocks.push_back({0, static_cast<uint32_t>(Starts.size())});
    if (Start != None) {
      Blocks.back().Has |= uint64_t(1) << Index % BlockSize;
      Starts.push_back(Start);
    }
    if (Payload != 0 && Payloads.empty())
      Payloads.resize(Index, 0);
    Records.push_back({Begin, static_cast<uint32_t>(std::min<uint64_t>(Duration, TooLong)), Shape, Seq, Group});
    if (Payload != 0 || !Payloads.empty())
      Payloads.push_back(Payload);
  }
  /// No more are added.
  void finish() { Starts.shrink_to_fit(); }

private:
  static constexpr uint32_t TooLong = UINT32_MAX; // nanoseconds: 4 s
  struct Record {
    int64_t Begin;
    uint32_t Duration, Shape; // TooLong: the end is in Long
    uint32_t Link, Group;
  };
  /// Which events of 64 in a row have a start, and how many starts come before theirs.
  struct Block {
    uint64_t Has;
    uint32_t Before;
  };
  static constexpr size_t BlockSize = std::numeric_limits<decltype(Block::Has)>::digits;
  // Out of line and pure, so that who does not ask for them does not pay for them.
  [[gnu::pure, gnu::noinline]] int64_t longEnd(size_t I) const {
    return std::ranges::lower_bound(Long, static_cast<uint32_t>(I), {}, &std::pair<uint32_t, int64_t>::first)->second;
  }
  [[gnu::pure, gnu::noinline]] uint32_t start(size_t I) const {
    const Block &B = Blocks[I / BlockSize];
    uint64_t Bit = uint64_t(1) << I % BlockSize;
    return B.Has & Bit ? Starts[B.Before + static_cast<uint32_t>(std::popcount(B.Has & (Bit - 1)))] : None;
  }

  std::vector<Record> Records;
  std::vector<uint32_t> Payloads; // none as long as no hash was taken
  std::vector<EventShape> Shapes;
  std::vector<std::pair<uint32_t, int64_t>> Long; // by event: its end
  std::vector<uint32_t> Starts;                   // see Event::Start, of those that have one
  std::vector<Block> Blocks;                      // of all events
};

} // namespace stridewise::merge
#endif
