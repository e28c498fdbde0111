#include <cstddef>
#include <vector>

class Volume {
public:
  static constexpr std::size_t N = 640;
  double &operator()(std::size_t i, std::size_t j, std::size_t k) { return values_[(i * N + j) * N + k]; }
  double operator()(std::size_t i, std::size_t j, std::size_t k) const { return values_[(i * N + j) * N + k]; }

private:
  std::vector<double> values_ = std::vector<double>(N * N * N);
};

void smooth(const Volume &in, Volume &out) {
  // expect: mem-unblocked-stencil high "after 12 MiB of other data" "planes"
  for (std::size_t i = 1; i < Volume::N - 1; ++i)
    for (std::size_t j = 1; j < Volume::N - 1; ++j)
      for (std::size_t k = 1; k < Volume::N - 1; ++k)
        out(i, j, k) = (in(i - 1, j, k) + in(i + 1, j, k) + in(i, j - 1, k) + in(i, j + 1, k) + in(i, j, k - 1) +
                        in(i, j, k + 1)) /
                       6;
}
