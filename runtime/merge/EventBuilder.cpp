#include "EventBuilder.h"

#include "payload_hash.h"

#include <array>
#include <bit>
#include <tuple>

namespace stridewise::merge {

constexpr size_t MostPending = 4; // requests named of a rank that waits for them

static uint64_t hashOf(const EventShape &S) {
  auto Pair = [](uint32_t A, uint32_t B) { return (static_cast<uint64_t>(A) << 32) | B; };
  uint64_t Hash = 0;
  for (uint64_t Part :
       {Pair(S.Flags, S.Path), Pair(S.Comm, static_cast<uint32_t>(S.Peer)), Pair(static_cast<uint32_t>(S.Tag), S.Bytes),
        Pair((static_cast<uint32_t>(S.Call) << 16) | S.Thread, S.Count),
        Pair(S.Buffer, std::bit_cast<uint32_t>(S.Busy))})
    Hash = std::rotl((Hash ^ Part) * 0x9e3779b97f4a7c15u, 29); // Fibonacci hashing, see FlatMap
  return Hash;
}

/// The number of a shape that an event had before, or of a new one.
uint32_t EventBuilder::shapeOf(const EventShape &S) {
  if (2 * (Events.shapes().size() + 1) > Shapes.size()) {
    std::vector<uint32_t> Old = std::move(Shapes);
    Shapes.assign(std::max<size_t>(64, 2 * Old.size()), 0);
    for (uint32_t Number = 0; Number < Events.shapes().size(); ++Number) {
      size_t Slot = hashOf(Events.shapes()[Number]) & (Shapes.size() - 1);
      while (Shapes[Slot] != 0)
        Slot = (Slot + 1) & (Shapes.size() - 1);
      Shapes[Slot] = Number + 1;
    }
  }
  size_t Slot = hashOf(S) & (Shapes.size() - 1);
  for (; Shapes[Slot] != 0; Slot = (Slot + 1) & (Shapes.size() - 1))
    if (Events.shapes()[Shapes[Slot] - 1] == S)
      return Shapes[Slot] - 1;
  uint32_t Number = Events.addShape(S);
  Shapes[Slot] = Number + 1;
  return Number;
}

/// 0 for 0, else a number that stands for the value on this rank: what is compared is whether two are equal.
uint32_t EventBuilder::numberOf(FlatMap<uint32_t> &Numbers, uint64_t Value) {
  if (Value == 0)
    return 0;
  auto [Number, New] = Numbers.insert(Value);
  if (New)
    *Number = static_cast<uint32_t>(Numbers.size());
  return *Number;
}

/// Of what completes a request, the event that started it.
uint32_t EventBuilder::startOf(const Decoded &D) {
  const uint32_t *Start = D.Request == 0 ? nullptr : Open.find(D.Request);
  if (!Start)
    return None;
  uint32_t Found = *Start;
  Open.erase(D.Request);
  return Found;
}

bool EventBuilder::hasZeros(const Decoded &D) {
  if (D.Hash == 0)
    return false;
  static const std::array<unsigned char, SW_HASH_BYTES> Zeros{};
  uint64_t Bytes = std::min<uint64_t>(D.Shape.Bytes, Zeros.size());
  auto [Hash, New] = ZeroHashes.insert(Bytes);
  if (New)
    *Hash = sw_hash_bytes(Zeros.data(), Bytes);
  return *Hash == D.Hash;
}

void EventBuilder::add(const Decoded &D) {
  EventShape S = D.Shape;
  bool Same = !Events.empty() && D.BeginTicks == LastBegin && D.EndTicks == LastEnd && LastShape.Call == S.Call &&
              LastShape.Thread == S.Thread && !S.has(SW_EV_RUN) && !LastShape.has(SW_EV_RUN);
  if (!Same)
    GroupEnd.push_back(0);
  if (hasZeros(D))
    S.Flags |= ZeroPayload;
  auto Index = static_cast<uint32_t>(Events.size());
  uint32_t Start = S.has(SW_EV_COMPLETE) ? startOf(D) : None;
  S.Buffer = S.has(SW_EV_COMPLETE) ? 0 : numberOf(Buffers, D.Address);
  if (S.has(SW_EV_START) && D.Request != 0)
    Open[D.Request] = Index;
  Events.add(D.Begin, D.End, shapeOf(S), D.Seq, static_cast<uint32_t>(GroupEnd.size() - 1), Start,
             numberOf(Payloads, D.Hash));
  GroupEnd.back() = Index + 1;
  LastBegin = D.BeginTicks;
  LastEnd = D.EndTicks;
  LastShape = S;
}

std::vector<PendingRequest> EventBuilder::pending() const {
  std::vector<std::tuple<bool, int64_t, uint64_t, uint32_t>> Order;
  Open.forEach([&](uint64_t Request, uint32_t Index) {
    Event E = Events[Index];
    Order.emplace_back(!E.has(SW_EV_RECV), E.Begin, Request, Index);
  });
  std::sort(Order.begin(), Order.end());
  if (Order.size() > MostPending)
    Order.resize(MostPending);
  std::vector<PendingRequest> Requests;
  for (const auto &[Sends, Begin, Request, Index] : Order) {
    Event E = Events[Index];
    Requests.push_back({E.Path, E.Peer, E.Tag, E.Call, E.has(SW_EV_RECV)});
  }
  return Requests;
}

} // namespace stridewise::merge
