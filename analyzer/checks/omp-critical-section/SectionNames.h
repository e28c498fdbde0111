// What the expressions of a critical section name, and whether they change anything.
#ifndef STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_SECTIONNAMES_H
#define STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_SECTIONNAMES_H

#include "omp/OmpSites.h"

namespace stridewise {

/// Without parentheses, implicit conversions and temporaries.
const clang::Expr *strip(const clang::Expr *E);
/// Whether both are written alike.
bool same(const clang::Stmt *A, const clang::Stmt *B, const clang::ASTContext &Ctx);
/// The variable, or the member of this object, that an expression names or names a part of; else null.
const clang::ValueDecl *rootOf(const clang::Expr *E);
/// Whether a statement may read what the target names: it mentions the same variable, and not only another field of it.
bool mayName(const clang::Stmt *S, const clang::Expr *Target);
/// The same, for what only says which element: the subscripts of an expression.
bool subscriptsMayName(const clang::Expr *E, const clang::Expr *Target);

constexpr unsigned DeepestShown = 4;
/// Whether evaluating the expression changes nothing but what `Depth` levels of shown functions keep to themselves.
bool isPure(const clang::Stmt *S, const clang::ASTContext &Ctx, unsigned Depth = DeepestShown);

} // namespace stridewise
#endif
