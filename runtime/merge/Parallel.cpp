#include "Parallel.h"

#include <algorithm>
#include <thread>

namespace stridewise::merge {

unsigned workers() {
  static const unsigned Count = std::clamp(std::thread::hardware_concurrency(), 1u, MostWorkers);
  return Count;
}

} // namespace stridewise::merge
