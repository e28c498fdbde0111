// Variables with one place in memory that a function of C or C++ sets for its own use in each call.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_KEPTSCRATCH_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_KEPTSCRATCH_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace stridewise {

/// Whether the assignment is the first that the function does with the variable, static or global, gives it a value
/// that arguments or variables of the call lead to, and the function reads it afterwards. Not where its address is
/// given away.
bool isKeptScratch(const clang::BinaryOperator &Assignment, const clang::VarDecl *V, const clang::FunctionDecl &F);

} // namespace stridewise
#endif
