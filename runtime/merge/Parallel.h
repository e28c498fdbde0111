// Work on several processors. Each piece writes to a place of its own, so that results do not depend on their number.
#ifndef STRIDEWISE_MERGE_PARALLEL_H
#define STRIDEWISE_MERGE_PARALLEL_H

#include <array>
#include <atomic>
#include <cstddef>
#include <pthread.h>

namespace stridewise::merge {

constexpr unsigned MostWorkers = 4; // each has tables of its own while it reads a rank

/// How many threads to use: as many as there are processors for this process, up to MostWorkers.
unsigned workers();

/// Calls Work(index) once for each index below Count, in any order, on several threads.
template <typename Function> void forEachIndex(size_t Count, Function Work) {
  struct Shared {
    Function &Work;
    std::atomic<size_t> Next;
    size_t Count;
    void run() {
      for (size_t I = Next.fetch_add(1); I < Count; I = Next.fetch_add(1))
        Work(I);
    }
  } All{Work, 0, Count};
  size_t Wanted = Count < workers() ? Count : workers(), Started = 0;
  std::array<pthread_t, MostWorkers> Helpers{};
  for (; Started + 1 < Wanted; ++Started) {
    auto Run = [](void *Argument) -> void * {
      static_cast<Shared *>(Argument)->run();
      return nullptr;
    };
    if (pthread_create(&Helpers[Started], nullptr, Run, &All) != 0)
      break; // no more threads for this process: those that there are do it
  }
  All.run();
  for (size_t I = 0; I < Started; ++I)
    pthread_join(Helpers[I], nullptr);
}

} // namespace stridewise::merge
#endif
