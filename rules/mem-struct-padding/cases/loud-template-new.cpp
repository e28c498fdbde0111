#include <cstddef>

// expect: mem-struct-padding high "Entry<double>"
template <typename Value> struct Entry {
  int key;
  Value value;
  int next;
  Value weight;
};

Entry<double> *make_table(std::size_t size) {
  auto *table = new Entry<double>[size];
  for (std::size_t n = 0; n < size; ++n) {
    table[n].key = -1;
    table[n].next = -1;
    table[n].value = 0.0;
    table[n].weight = 1.0;
  }
  return table;
}
