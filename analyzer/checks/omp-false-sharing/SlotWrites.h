// Writes by which threads take cache lines from each other: elements less than a line apart, chosen by the thread's
// number or by the counter of a shared loop that is handed out in small pieces, or parts of one object that threads of
// different functions write, again and again in a loop of the threads' code. The threads are those of an OpenMP team,
// or threads that the program starts by itself (StartedThreads.h).
//
// A write counts where the compiler has to leave it. Its address does not change in the loop and nothing there may read
// or write the same memory (by type, as compilers judge it: a shared `double` slot beside reads of other doubles stays,
// an `int` slot beside them goes to a register): then the value lives in a register and memory is written once, after
// the loop.
#ifndef STRIDEWISE_CHECKS_OMP_FALSE_SHARING_SLOTWRITES_H
#define STRIDEWISE_CHECKS_OMP_FALSE_SHARING_SLOTWRITES_H

#include "omp/OmpRegion.h"

namespace stridewise {

struct SlotWrite {
  enum Chooser {
    Thread,    // element of the thread's number
    Iteration, // element of the shared loop's iteration
    Part       // part of one object: another thread writes the part beside it
  } By = Thread;
  const clang::Expr *Write = nullptr;
  const clang::Stmt *Loop = nullptr; // repeats the write: a loop, or of what each call writes (Called), the function
  bool Called = false;
  const clang::FunctionDecl *Function = nullptr;
  std::string Array;
  std::int64_t DistanceBytes = 0;            // from one thread's element to the next one's
  std::string Row;                           // of a Thread: the length of its row, where only a run knows it
  const clang::RecordDecl *Record = nullptr; // of which the threads' elements are made
  const clang::OMPExecutableDirective *Shared = nullptr; // of an Iteration
  std::int64_t Chunk = 0;             // of an Iteration: how many one thread gets in a row; 0: few in all
  bool EveryIteration = false;        // the shared loop itself is what repeats it
  bool Adds = false;                  // += and the like
  bool Started = false;               // by threads that the program starts by itself
  const clang::Expr *Other = nullptr; // of a Part: the write beside it
  const clang::OMPExecutableDirective *Team = nullptr; // whose threads write, where it is in sight
  bool Sure = true;
  /// The function of another unit that has to return the thread's number for this to be so; null for none.
  const clang::FunctionDecl *Asked = nullptr;
};

struct SlotLimits {
  double MinWrites = 0; // per thread, where the number is known
  double LineBytes = 0;
};

/// One for each array and loop, in source order. `Numbers` are the unit's functions that return the thread's number.
std::vector<SlotWrite> slotWrites(clang::ASTContext &Ctx, const SlotLimits &Limits,
                                  std::vector<const clang::FunctionDecl *> &Numbers);

} // namespace stridewise
#endif
