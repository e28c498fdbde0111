// flags: -fopenmp
// An image is smoothed through a class with operator(); the team is opened for each row.
#include <cstdio>
#include <vector>

class Image {
public:
  float &operator()(int y, int x) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  float operator()(int y, int x) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
  static constexpr int height = 160, width = 900;

private:
  std::vector<float> pixels = std::vector<float>(static_cast<std::size_t>(height) * width);
};

static void smooth(const Image &from, Image &to) {
  for (int y = 1; y < from.height - 1; ++y) {
    // expect: omp-region-in-loop high "about 2 us of work"
#pragma omp parallel for
    for (int x = 1; x < from.width - 1; ++x)
      to(y, x) = 0.25f * (from(y - 1, x) + from(y + 1, x) + from(y, x - 1) + from(y, x + 1));
  }
}

// One region per step over the whole image: the usual way.
static void blend(Image &a, const Image &b) {
#pragma omp parallel for
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x)
      a(y, x) = 0.5f * (a(y, x) + b(y, x));
}

int main() {
  Image now, next;
  for (int y = 0; y < now.height; ++y)
    for (int x = 0; x < now.width; ++x)
      now(y, x) = next(y, x) = static_cast<float>((x * y) % 13);
  for (int step = 0; step < 10; ++step) {
    smooth(now, next);
    blend(now, next);
  }
  double sum = 0;
  for (int y = 0; y < now.height; ++y)
    for (int x = 0; x < now.width; ++x)
      sum += now(y, x);
  std::printf("%.4f\n", sum);
}
