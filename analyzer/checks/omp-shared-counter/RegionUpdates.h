// Updates of one scalar by all threads of a region, in its text and in the functions that it calls.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_REGIONUPDATES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_REGIONUPDATES_H

#include "omp/OmpSites.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace stridewise {

/// How many calls the walk follows from the text of a region. Locks are looked for as far.
constexpr unsigned DeepestSharedCall = 3;

/// One scalar that all threads mean: a variable, or what constant steps lead to from a variable or from the object of
/// the enclosing method (`stats.hits`, `*count`, `sum[0]`, `this->calls`).
struct SharedPlace {
  struct Step {
    const clang::FieldDecl *Field = nullptr; // null: an element, by its number
    std::int64_t Index = 0;
    bool operator==(const Step &O) const { return Field == O.Field && Index == O.Index; }
  };
  const clang::VarDecl *Base = nullptr; // null: the object of the method that the region stands in
  llvm::SmallVector<Step, 2> Steps;
  bool operator==(const SharedPlace &O) const { return Base == O.Base && Steps == O.Steps; }
  /// Declared where the finding should point.
  const clang::ValueDecl *declaration() const {
    for (const Step &S : llvm::reverse(Steps))
      if (S.Field)
        return S.Field;
    return Base;
  }
};

/// How the threads update it.
struct SharedUpdate {
  SharedPlace Place;
  const clang::Expr *E = nullptr;
  const clang::Expr *Target = nullptr;
  const clang::FunctionDecl *Callee = nullptr; // whose body it stands in; null for the text of the region
  const clang::Expr *Call = nullptr;           // the call in the text of the region that leads there
  bool Counter = false, Conditional = false;
  clang::BinaryOperatorKind Operator = clang::BO_Add;
  bool Scratch = false;     // each iteration gives it a value first
  bool Kept = false;        // a function gives it a value that may be the same for all threads
  llvm::StringRef Extremum; // "max" or "min"; empty for operations
  bool State = false;       // the new value depends on the old one in a way that no reduction has: random numbers
};

/// Of the code under a directive that starts a team: the places that every thread updates without protection, each
/// with one update. Atomic types, threadprivate and thread_local variables, clauses and constructs are respected.
std::vector<SharedUpdate> findSharedUpdates(const clang::OMPExecutableDirective &Region,
                                            const clang::FunctionDecl *Method, clang::ASTContext &Ctx);

/// Whether the code holds a lock somewhere, or calls functions of the unit that do.
bool mayHoldLock(const clang::Stmt *S);
/// Whether a statement is a call without a value that may be a lock: nobody knows what is behind it.
bool mayTakeLock(const clang::Stmt *S);

} // namespace stridewise
#endif
