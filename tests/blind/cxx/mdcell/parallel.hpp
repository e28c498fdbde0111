#pragma once
// Loop templates used all over the program.
#include <omp.h>
#include <utility>
#include <vector>

namespace md {

template <class F>
inline void parallel_for(int n, F &&f) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) f(i);
}

template <class F>
inline void parallel_for_irregular(int n, F &&f) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < n; ++i) f(i);
}

template <class F>
inline double parallel_sum(int n, F &&f) {
  double s = 0.0;
#pragma omp parallel for reduction(+ : s) schedule(static)
  for (int i = 0; i < n; ++i) s += f(i);
  return s;
}

// one value per thread, each on its own line
template <class T>
class PerThread {
  struct alignas(64) Slot {
    T v;
  };
  Slot slots_[256];

 public:
  PerThread() {
    for (auto &s : slots_) s.v = T();
  }
  T &mine() { return slots_[omp_get_thread_num()].v; }
  T sum() const {
    T t = T();
    for (auto &s : slots_) t += s.v;
    return t;
  }
};

}  // namespace md
