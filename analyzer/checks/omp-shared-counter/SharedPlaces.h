// Which object a piece of a region's code means, as far as it is the same one for all threads of the team.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_SHAREDPLACES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_SHAREDPLACES_H

#include "checks/omp-shared-counter/RegionUpdates.h"

namespace stridewise {

/// Where the walk through a region is, and what it knows there.
struct UpdateContext {
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Private, Counters; // Counters: of the loops around
  // Integers of the thread that are no number of a thread: arguments and elements that its counters lead to.
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Plain;
  llvm::SmallVector<std::pair<const clang::VarDecl *, SharedPlace>, 4>
      Bound;                                                 // references; pointers, by what they point to
  std::optional<SharedPlace> This;                           // the object of the method
  llvm::SmallVector<const clang::FunctionDecl *, 4> Callees; // the functions around, the innermost last
  const clang::Expr *Call = nullptr;                         // the outermost of their calls
  bool Conditional = false, Counter = false;
  bool Shares = false; // within a loop that the team divides
};

/// The variable that an expression names, as its first declaration; null for anything else.
const clang::VarDecl *namedVariable(const clang::Expr *E);
/// Whether the code gives the variable another value, or its address away.
bool isChanged(const clang::VarDecl *Variable, const clang::Stmt *Code);

/// What a call of the library's function objects leaves in another state: generators of random numbers, by themselves
/// and as arguments of distributions.
llvm::SmallVector<const clang::Expr *, 2> advancedBy(const clang::CXXOperatorCallExpr &Call);

/// Adds the variable that a loop counts with.
void addCounter(const clang::ForStmt &Loop, llvm::SmallPtrSetImpl<const clang::VarDecl *> &Counters);

class SharedPlaces {
protected:
  using Context = UpdateContext;
  SharedPlaces(const clang::Stmt *Body, clang::ASTContext &Ctx) : Ctx(Ctx), Body(Body) {}

  /// Whether all threads mean the same object by the variable.
  bool isSharedVariable(const clang::VarDecl *V, const Context &C) const;
  /// The place of an lvalue; none where each thread, or each iteration, means another one.
  std::optional<SharedPlace> placeOf(const clang::Expr *E, const Context &C) const;
  /// What a pointer points to.
  std::optional<SharedPlace> pointee(const clang::Expr *E, const Context &C) const;
  bool means(const clang::Expr *E, const SharedPlace &P, const Context &C) const;
  bool mentions(const clang::Expr *E, const SharedPlace &P, const Context &C) const;

  clang::ASTContext &Ctx;
  const clang::Stmt *Body;                           // of the region
  llvm::SmallPtrSet<const clang::VarDecl *, 16> Own; // declared in the region and in the functions that it calls
};

} // namespace stridewise
#endif
