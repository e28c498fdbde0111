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

} // namespace stridewise
#endif
