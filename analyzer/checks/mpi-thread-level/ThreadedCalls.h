// MPI calls that threads of a process may make: in OpenMP regions, in the bodies of threads, through functions of the
// unit; and the thread level that the program asks for.
#ifndef STRIDEWISE_CHECKS_MPI_THREAD_LEVEL_THREADEDCALLS_H
#define STRIDEWISE_CHECKS_MPI_THREAD_LEVEL_THREADEDCALLS_H

#include "library/MpiCall.h"
#include "clang/AST/ASTContext.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace stridewise {

/// MPI's thread levels, with its numbers.
enum class ThreadLevel { Single, Funneled, Serialized, Multiple };
const char *name(ThreadLevel L); // as in MPI's header

struct ThreadedCall {
  const clang::CallExpr *Where = nullptr; // in the region: the MPI call, or the call that leads to it
  const clang::FunctionDecl *In = nullptr;
  ThreadLevel Need = ThreadLevel::Multiple;
  std::string Mpi;                        // its name; empty when another unit has to tell
  std::string Callee;                     // of another unit
  const clang::CallExpr *Inner = nullptr; // the MPI call itself, if it is in a function that Where calls
};

struct LevelRequest {
  const clang::CallExpr *Where = nullptr;
  const clang::FunctionDecl *In = nullptr;
  ThreadLevel Level = ThreadLevel::Single;
  bool Known = true;    // the level is a constant
  bool Checked = true;  // something reads what the library provides
  bool Threads = false; // MPI_Init_thread
};

struct ThreadFacts {
  std::vector<ThreadedCall> Calls;
  std::vector<LevelRequest> Requests;
  /// What a function that other units may call needs when several threads call it, by its name.
  std::map<std::string, std::pair<ThreadLevel, std::string>> Functions;
};
ThreadFacts collectThreadFacts(clang::ASTContext &Ctx);

} // namespace stridewise
#endif
