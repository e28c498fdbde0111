// The functions of a unit, and how their variables are written.
#ifndef STRIDEWISE_OMP_UNITFUNCTIONS_H
#define STRIDEWISE_OMP_UNITFUNCTIONS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace stridewise {

/// Facts about the whole unit: its user functions and how their variables are written.
class UnitFunctions {
public:
  explicit UnitFunctions(clang::ASTContext &Ctx);
  /// The variable that an expression is the name of; else null.
  static const clang::VarDecl *variableOf(const clang::Expr *E);
  std::vector<const clang::FunctionDecl *> Functions; // with bodies, not dependent, outside system headers; in order
  llvm::DenseSet<const clang::VarDecl *> Assigned;    // after their declaration
  /// What is assigned to them; null for changes that are no plain assignment.
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::Expr *>> Sources;
  llvm::DenseSet<const clang::VarDecl *> AddressTaken; // or bound to a reference that is not const
  std::vector<const clang::VarDecl *> Globals;         // variables of static storage duration that the user wrote
};

} // namespace stridewise
#endif
