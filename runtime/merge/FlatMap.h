// A hash map of numbers that keeps its entries in one array: for loops over all events, where the nodes of
// std::unordered_map cost more than the rest.
#ifndef STRIDEWISE_MERGE_FLATMAP_H
#define STRIDEWISE_MERGE_FLATMAP_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stridewise::merge {

/// Open addressing with linear probing, at most half full. References are valid until the next insertion or erasure.
template <typename Value> class FlatMap {
public:
  size_t size() const { return Count; }

  Value *find(uint64_t Key) {
    if (Count == 0)
      return nullptr;
    Slot &S = Slots[slotOf(Key)];
    return S.Used ? &S.Content : nullptr;
  }

  const Value *find(uint64_t Key) const { return const_cast<FlatMap *>(this)->find(Key); }
  bool contains(uint64_t Key) const { return find(Key) != nullptr; }

  /// The entry of Key, and whether it is new (and empty).
  std::pair<Value *, bool> insert(uint64_t Key) {
    if (2 * (Count + 1) > Slots.size())
      grow();
    Slot &S = Slots[slotOf(Key)];
    bool New = !S.Used;
    if (New) {
      S.Used = true;
      S.Key = Key;
      S.Content = Value();
      ++Count;
    }
    return {&S.Content, New};
  }
  Value &operator[](uint64_t Key) { return *insert(Key).first; }

  void erase(uint64_t Key) {
    if (Count == 0)
      return;
    size_t Hole = slotOf(Key);
    if (!Slots[Hole].Used)
      return;
    // What stands behind the hole and would be looked for from before it moves there, so that no search ends early.
    for (size_t Next = step(Hole); Slots[Next].Used; Next = step(Next))
      if (size_t Home = homeOf(Slots[Next].Key); ((Next - Home) & Mask) >= ((Next - Hole) & Mask)) {
        Slots[Hole] = std::move(Slots[Next]);
        Hole = Next;
      }
    Slots[Hole].Used = false;
    --Count;
  }

  /// Calls Visit(key, value) for each entry, in no particular order.
  template <typename Function> void forEach(Function Visit) const {
    for (const Slot &S : Slots)
      if (S.Used)
        Visit(S.Key, S.Content);
  }
  template <typename Function> void forEach(Function Visit) {
    for (Slot &S : Slots)
      if (S.Used)
        Visit(S.Key, S.Content);
  }

private:
  struct Slot {
    uint64_t Key = 0;
    Value Content{};
    bool Used = false;
  };
  static constexpr unsigned FirstBits = 4;

  size_t step(size_t Index) const { return (Index + 1) & Mask; }
  /// Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): the upper bits of a product.
  size_t homeOf(uint64_t Key) const { return static_cast<size_t>((Key * 0x9e3779b97f4a7c15u) >> (64 - Bits)); }
  /// Where Key is, or belongs.
  size_t slotOf(uint64_t Key) const {
    size_t Index = homeOf(Key);
    while (Slots[Index].Used && Slots[Index].Key != Key)
      Index = step(Index);
    return Index;
  }
  void grow() {
    std::vector<Slot> Old = std::move(Slots);
    Bits = Old.empty() ? FirstBits : Bits + 1;
    Mask = (size_t(1) << Bits) - 1;
    Slots.assign(Mask + 1, Slot());
    for (Slot &S : Old)
      if (S.Used)
        Slots[slotOf(S.Key)] = std::move(S);
  }

  std::vector<Slot> Slots;
  size_t Count = 0, Mask = 0;
  unsigned Bits = 0;
};

} // namespace stridewise::merge
#endif
