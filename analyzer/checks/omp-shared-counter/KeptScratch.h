// Variables with one place in memory that a function of C or C++ sets for its own use in each call.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_KEPTSCRATCH_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_KEPTSCRATCH_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

namespace stridewise {

/// Whether the assignment is the first that the function does with the variable, static or global, gives it a value
/// that arguments or variables of the call lead to, and the function reads it afterwards. Not where its address is
/// given away.
bool isKeptScratch(const clang::BinaryOperator &Assignment, const clang::VarDecl *V, const clang::FunctionDecl &F);

/// The same of an array, static or global, whose elements the function sets in a loop of its own from a constant on:
/// the variable; null for anything else.
const clang::VarDecl *keptScratchArray(const clang::BinaryOperator &Assignment, const clang::FunctionDecl &F,
                                       const clang::ASTContext &Ctx);

/// The functions of the unit that a call may lead to: the one that it names, or those of the table that it takes one
/// of, `physics[p](…)`, by the table's initial value.
llvm::SmallVector<const clang::FunctionDecl *, 4> calledFunctions(const clang::CallExpr &Call);

} // namespace stridewise
#endif
