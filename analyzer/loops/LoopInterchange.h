// Loops in the source: what a `for` counts, and the exchange of two nested headers as a source edit.
#ifndef STRIDEWISE_LOOPS_LOOPINTERCHANGE_H
#define STRIDEWISE_LOOPS_LOOPINTERCHANGE_H

#include "unit/Finding.h"
#include "unit/Unit.h"
#include "clang/AST/StmtOpenMP.h"
#include <optional>

namespace stridewise {

/// The variable that a loop statement counts with; null when there is none (while loops, unusual headers).
const clang::VarDecl *loopVariable(const clang::Stmt *Loop);
/// From the keyword to the closing parenthesis of the header.
clang::SourceRange loopHeader(const clang::Stmt *Loop);
/// True when Inner is the only statement of Outer, directly or through loops that hold nothing else.
bool isPerfectNest(const clang::Stmt *Outer, const clang::Stmt *Inner);
/// Exchanges the headers of two nested loops; expressions that stand around the inner one get loops of their own, which
/// makes the fix unsafe. Nothing when the source forbids it: other statements or scalars between the loops, a bound
/// that uses the other variable, side effects, macros, pragmas, a variable that is used after its loop. Says nothing
/// about dependences. `Shared` divides the outer loop among threads, and the inner one afterwards, whose iterations are
/// independent of each other: only if nothing in the unit counts on who has which iteration. The caller says what that
/// leaves open.
std::optional<Fix> exchangeHeaders(const clang::Stmt *Outer, const clang::Stmt *Inner, Unit &U,
                                   const clang::OMPLoopDirective *Shared = nullptr);

/// Makes the outermost of three loops, of which each holds nothing but the next, the innermost one; the others keep
/// their order. Refuses what exchangeHeaders refuses of any two of them, and says nothing about dependences either.
std::optional<Fix> moveInnermost(const clang::Stmt *Outer, const clang::Stmt *Middle, const clang::Stmt *Inner,
                                 Unit &U);

} // namespace stridewise
#endif
