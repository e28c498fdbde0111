// The C++ library's sleep in a member function.
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

class Recorder {
public:
  explicit Recorder(const std::string &name) : out(name, std::ios::binary) {}
  void frame(const std::vector<float> &f) {
    out.write(reinterpret_cast<const char *>(f.data()), static_cast<std::streamsize>(f.size() * sizeof(float)));
    // expect: run-sleep-in-loop high "sleep_for" "20 ms"
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

private:
  std::ofstream out;
};

void simulate(std::vector<float> &f, int steps) {
  Recorder r("frames.bin");
  for (int s = 0; s < steps; ++s) {
    for (float &x : f)
      x = x * 0.99f + 0.5f;
    r.frame(f);
  }
}
