// A set of numbers that is most often small and is emptied often.
#ifndef STRIDEWISE_MERGE_NUMBERSET_H
#define STRIDEWISE_MERGE_NUMBERSET_H

#include "FlatMap.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stridewise::merge {

class NumberSet {
public:
  bool contains(uint32_t Number) const {
    return std::find(Few.begin(), Few.end(), Number) != Few.end() || Many.contains(Number);
  }
  void insert(uint32_t Number) {
    if (contains(Number))
      return;
    if (Few.size() < MostFew)
      Few.push_back(Number);
    else
      Many[Number] = true;
  }
  size_t size() const { return Few.size() + Many.size(); }
  void clear() {
    Few.clear();
    if (Many.size() != 0)
      Many = {};
  }

private:
  static constexpr size_t MostFew = 16; // looked through one by one
  std::vector<uint32_t> Few;
  FlatMap<bool> Many;
};

} // namespace stridewise::merge
#endif
