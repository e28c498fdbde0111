// Where a unit starts threads of its own, with pthread_create, thrd_create, std::thread, std::jthread or std::async,
// and what each of them runs.
#ifndef STRIDEWISE_CHECKS_OMP_FALSE_SHARING_STARTEDTHREADS_H
#define STRIDEWISE_CHECKS_OMP_FALSE_SHARING_STARTEDTHREADS_H

#include "omp/ObjectPath.h"

namespace stridewise {

struct ThreadStart {
  const clang::Expr *At = nullptr;            // the call or construction
  const clang::FunctionDecl *In = nullptr;    // the function that starts it
  const clang::Stmt *Loop = nullptr;          // starts one thread in each iteration, and joins none
  const clang::FunctionDecl *Runs = nullptr;  // the thread's function, with its body
  const clang::LambdaExpr *Lambda = nullptr;  // of which Runs is the body
  const clang::Expr *Object = nullptr;        // of a member function
  std::vector<const clang::Expr *> Arguments; // of Runs
  bool Copies = false;                        // the thread gets copies of what std::ref does not name
  unsigned Group = 0;                         // threads of one number run at the same time
};

/// In source order. Threads whose function the unit does not show are left out.
std::vector<ThreadStart> startedThreads(const clang::FunctionDecl *F);

/// Lets the names that the thread's function uses stand for what the thread gets. With `Number`, the counter of the
/// loop around the start stands for that symbol, also where the starting function keeps it in memory for the thread:
/// false when the loop does not count by one.
bool enterThread(const ThreadStart &S, PathResolver &Paths, const UnitFunctions &Unit, std::optional<SymbolId> Number);

} // namespace stridewise
#endif
