// Bits together, and bits that need words of their own wherever they stand.
#include <cstdint>
#include <vector>

struct Site {
  double weight;
  unsigned alive : 1;
  unsigned type : 3;
  unsigned bin : 12;
};

struct Wide {
  std::uint64_t key : 40;
  double weight;
  std::uint64_t value : 40;
};

double total(const std::vector<Site> &sites, const std::vector<Wide> &wide) {
  double sum = 0;
  for (const Site &s : sites)
    sum += s.alive ? s.weight * s.bin : s.type;
  for (const Wide &w : wide)
    sum += w.weight * double(w.key + w.value);
  return sum;
}
