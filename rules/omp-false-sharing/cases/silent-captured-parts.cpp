// flags: -pthread
// What a thread's function takes along as copies is its own, names of parts of a pair among it.
#include <thread>
#include <utility>
#include <vector>

std::pair<long, long> bounds(long count, int part) { return {count * part / 4, count * (part + 1) / 4}; }

void scale(double *values, long count) {
  std::vector<std::thread> team;
  for (int part = 0; part < 4; ++part) {
    auto [first, last] = bounds(count, part);
    team.emplace_back([values, first, last] {
      for (long i = first; i < last; ++i)
        values[i] *= 2.0;
    });
  }
  for (std::thread &member : team)
    member.join();
}
