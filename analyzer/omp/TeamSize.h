// Loops that make one iteration per thread of a team: merging what the threads have gathered, setting up or freeing
// what each of them owns. They are a few dozen iterations long, whatever the size of the problem.
#ifndef STRIDEWISE_OMP_TEAMSIZE_H
#define STRIDEWISE_OMP_TEAMSIZE_H

#include "unit/Unit.h"

namespace stridewise {

/// Whether an expression is a call that gives a number of threads.
bool isTeamSizeCall(const clang::Expr *E);

/// The branch that a team of one thread alone comes by: what `else` leads to behind `threads > 1`. The number is asked
/// for there, or kept in a variable of the function. Null where no such thing is asked.
const clang::Stmt *branchOfOneThread(const clang::IfStmt &If, const clang::ASTContext &Ctx);

/// True for a loop that is bounded by a number of threads: what omp_get_max_threads and its like return, directly or
/// kept in a variable or a field, or handed to a function of this unit's own by all of its callers.
bool countsThreads(const clang::Stmt *Loop, Unit &U);

} // namespace stridewise
#endif
