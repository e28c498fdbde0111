// What keeps a loop scalar, and what to write about it, in the source's own names.
#ifndef STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_VECTORADVICE_H
#define STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_VECTORADVICE_H

#include "checks/build-missed-vectorization/Vectorization.h"
#include "clang/AST/Stmt.h"

namespace stridewise {

struct VectorAdvice {
  std::string Reason, Remedy;
};

VectorAdvice vectorAdvice(const ScalarLoop &S, const clang::Stmt *Loop, Unit &U);

/// "min" or "max" for the choice of one of two numbers by their comparison, "+" or "*": the operator of OpenMP's clause
/// by which all the results of the loop are combined; else empty.
llvm::StringRef reductionOperator(const ScalarLoop &S);

} // namespace stridewise
#endif
