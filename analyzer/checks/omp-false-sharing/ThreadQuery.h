// Functions of the program's own that say which thread of the team calls them, here or in another unit.
#ifndef STRIDEWISE_CHECKS_OMP_FALSE_SHARING_THREADQUERY_H
#define STRIDEWISE_CHECKS_OMP_FALSE_SHARING_THREADQUERY_H

#include "omp/ObjectPath.h"

namespace stridewise {

/// Whether the function returns omp_get_thread_num(), or a variable that gets nothing but that or a constant.
bool returnsThreadNumber(const clang::FunctionDecl &F, const UnitFunctions &Unit);

/// The function without parameters of which a value is the result; null for any other value.
const clang::FunctionDecl *queryOf(const clang::Expr *Value);

/// The same, where the function is one of another unit of the program.
const clang::FunctionDecl *queryElsewhere(const clang::Expr *Value);

} // namespace stridewise
#endif
