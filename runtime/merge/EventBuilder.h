// Makes the event list of one rank from its shard's events, one after the other.
#ifndef STRIDEWISE_MERGE_EVENTBUILDER_H
#define STRIDEWISE_MERGE_EVENTBUILDER_H

#include "FlatMap.h"
#include "TraceReader.h"

namespace stridewise::merge {

class EventBuilder {
public:
  EventBuilder(EventList &Events, std::vector<uint32_t> &GroupEnd) : Events(Events), GroupEnd(GroupEnd) {}
  void add(const Decoded &D);
  /// Requests that were started and not completed: receives first, then by the time of their start.
  std::vector<PendingRequest> pending() const;

private:
  uint32_t shapeOf(const EventShape &S);
  uint32_t numberOf(FlatMap<uint32_t> &Numbers, uint64_t Value);
  uint32_t startOf(const Decoded &D);
  bool hasZeros(const Decoded &D);

  EventList &Events;
  std::vector<uint32_t> &GroupEnd;
  uint64_t LastBegin = 0, LastEnd = 0; // ticks
  EventShape LastShape;
  std::vector<uint32_t> Shapes; // hash table of shapes' numbers plus one
  FlatMap<uint32_t> Buffers, Payloads, Open;
  FlatMap<uint64_t> ZeroHashes; // by bytes
};

} // namespace stridewise::merge
#endif
