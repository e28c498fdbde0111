// Bits in two places, each of which costs a whole word.
#include <vector>

// expect: mem-struct-padding high "Site"
struct Site {
  unsigned alive : 1;
  unsigned type : 3;
  double weight;
  unsigned bin : 12;
};

double total(const std::vector<Site> &sites) {
  double sum = 0;
  for (const Site &s : sites)
    sum += s.alive ? s.weight * s.bin : s.type;
  return sum;
}
