// The same as ThreadedCalls.h of a Fortran unit, as its text tells it: directives, and calls by their names.
#ifndef STRIDEWISE_CHECKS_MPI_THREAD_LEVEL_FORTRANTHREADS_H
#define STRIDEWISE_CHECKS_MPI_THREAD_LEVEL_FORTRANTHREADS_H

#include "checks/mpi-thread-level/ThreadedCalls.h"
#include "fortran/SourceText.h"
#include "unit/Unit.h"

namespace stridewise {

struct FortranThreadedCall {
  const FortranStatement *Where = nullptr; // the call of MPI, or the one that leads to it
  std::string In;                          // the procedure
  ThreadLevel Need = ThreadLevel::Multiple;
  std::string Mpi;
};

struct FortranLevelRequest {
  const FortranStatement *Where = nullptr;
  ThreadLevel Level = ThreadLevel::Single;
  bool Known = true, Threads = false;
};

struct FortranThreads {
  std::vector<FortranThreadedCall> Calls;
  std::vector<FortranLevelRequest> Requests;
};

/// Nothing of a unit whose directives do not count, or that asks which thread it is on: that may choose one.
FortranThreads fortranThreads(Unit &U);

} // namespace stridewise
#endif
