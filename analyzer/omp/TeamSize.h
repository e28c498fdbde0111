// Loops that make one iteration per thread of a team: merging what the threads have gathered, setting up or freeing
// what each of them owns. They are a few dozen iterations long, whatever the size of the problem.
#ifndef STRIDEWISE_OMP_TEAMSIZE_H
#define STRIDEWISE_OMP_TEAMSIZE_H

#include "unit/Unit.h"

namespace stridewise {

/// True for a loop that is bounded by a number of threads: what omp_get_max_threads and its like return, directly or
/// kept in a variable or a field, or handed to a function of this unit's own by all of its callers.
bool countsThreads(const clang::Stmt *Loop, Unit &U);

} // namespace stridewise
#endif
