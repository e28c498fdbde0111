// Edits of OpenMP directives as they stand in a file. Nothing is offered for what a macro wrote, for a directive that
// goes on in the next line, or where a comment stands on its line.
#ifndef STRIDEWISE_OMP_DIRECTIVEEDITS_H
#define STRIDEWISE_OMP_DIRECTIVEEDITS_H

#include "unit/Finding.h"
#include "clang/AST/StmtOpenMP.h"

namespace stridewise {

/// Adds a clause behind the directive's last one.
std::optional<Edit> addClause(const clang::OMPExecutableDirective &D, llvm::StringRef Clause,
                              const clang::ASTContext &Ctx);
/// Removes the directive's line; what stands under it stays.
std::optional<Edit> removeDirective(const clang::OMPExecutableDirective &D, const clang::ASTContext &Ctx);
/// Takes the word `parallel` out of a combined directive, which then shares its loop among the team around it.
std::optional<Edit> withoutTeam(const clang::OMPExecutableDirective &D, const clang::ASTContext &Ctx);
/// Replaces a clause by another text.
std::optional<Edit> replaceClause(const clang::OMPClause &C, llvm::StringRef By, const clang::ASTContext &Ctx);

} // namespace stridewise
#endif
