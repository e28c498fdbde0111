#pragma once
#include <omp.h>
#include <cstddef>
#include <functional>
#include <memory>

namespace tasks {

struct Box {
  int x0, x1, y0, y1, z0, z1;
};

// threads over planes, the body sees single points
template <typename Body>
void for_box(const Box& b, Body body) {
#pragma omp parallel for schedule(static)
  for (int z = b.z0; z < b.z1; ++z)
    for (int y = b.y0; y < b.y1; ++y)
      for (int x = b.x0; x < b.x1; ++x)
        body(x, y, z);
}

// threads over x planes
template <typename Body>
void for_planes(const Box& b, Body body) {
#pragma omp parallel for schedule(static)
  for (int x = b.x0; x < b.x1; ++x)
    for (int y = b.y0; y < b.y1; ++y)
      for (int z = b.z0; z < b.z1; ++z)
        body(x, y, z);
}

// zeroed by the threads that work on it later
template <typename T>
std::unique_ptr<T[]> alloc_parallel(std::size_t n) {
  std::unique_ptr<T[]> p(new T[n]);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) p[i] = T();
  return p;
}

}  // namespace tasks
