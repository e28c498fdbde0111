// Tracks in a detector, kept in a vector: an object takes 40 bytes where 32 would do.
#include <cstdio>
#include <memory>
#include <vector>

// expect: mem-struct-padding high "Track"
class Track {
public:
  Track(int number, double momentum)
      : detector(number % 8), momentum(momentum), good(number % 3 != 0), length(number) {}
  void bend(double field) {
    length += field * momentum;
    hits++;
  }
  double weight() const { return good ? length * hits + detector : 0.0; }

private:
  int detector;
  double momentum;
  bool good;
  double length;
  int hits = 0;
};

// Two counters of different threads must not share a line: the gap is meant.
struct alignas(64) Counter {
  int seen = 0;
  double sum = 0.0;
};

// One pair of small fields: another order saves nothing.
struct Settings {
  double field = 0.5;
  bool verbose = false;
  int level = 2;
};

// Falling alignment already.
template <typename T> struct Sample {
  double time;
  T value;
  int channel;
  bool valid;
};

class Event {
public:
  explicit Event(int tracks) {
    all.reserve(static_cast<std::size_t>(tracks));
    for (int k = 0; k < tracks; k++)
      all.emplace_back(k, 0.5 * (k % 7));
  }
  void propagate(const Settings &settings) {
    for (Track &t : all)
      t.bend(settings.field);
  }
  double total() const {
    double sum = 0.0;
    for (const Track &t : all)
      sum += t.weight();
    return sum;
  }

private:
  std::vector<Track> all;
};

int main() {
  Settings settings;
  Event event(100000);
  std::vector<Counter> counters(4);
  std::vector<Sample<float>> samples(1000, Sample<float>{0.5, 2.0f, 3, true});
  auto more = std::make_unique<Sample<double>[]>(1000);
  for (int step = 0; step < 8; step++) {
    event.propagate(settings);
    counters[static_cast<std::size_t>(step % 4)].seen++;
  }
  double sum = event.total() + counters[1].sum + more[3].time;
  for (const auto &s : samples)
    sum += s.valid ? s.time * static_cast<double>(s.value) + s.channel : 0.0;
  std::printf("%.3f %d\n", sum, counters[2].seen);
}
