// Naps until a file is there, asked by opening a stream.
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

using namespace std::chrono_literals;

void wait_for(const std::string &name) {
  while (!std::ifstream(name).good())
    std::this_thread::sleep_for(100ms);
}

bool open_with_patience(const std::string &name, double value) {
  for (int attempt = 0; attempt < 5; attempt++) {
    std::ofstream out(name);
    if (out) {
      out << value << '\n';
      return true;
    }
    std::this_thread::sleep_for(1s);
  }
  return false;
}
