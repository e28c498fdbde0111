// Parallel loops, each with a team of its own, put into one region: as an edit, with its proof.
#ifndef STRIDEWISE_OMP_ONEREGION_H
#define STRIDEWISE_OMP_ONEREGION_H

#include "unit/Finding.h"
#include "clang/AST/StmtOpenMP.h"
#include <optional>

namespace stridewise {

/// One region around combined directives that follow each other in a block. The barrier at the end of each loop stays.
/// Nothing where a clause is for teams alone, or where something between them is no declaration of a value that each
/// thread can compute for itself.
std::optional<Fix> fuseRegions(llvm::ArrayRef<const clang::OMPExecutableDirective *> Run,
                               const clang::CompoundStmt *Block, const clang::FunctionDecl *In, clang::ASTContext &Ctx);

/// One region around a serial loop that holds nothing but combined directives and such declarations; each thread then
/// counts the iterations of the serial loop for itself.
std::optional<Fix> hoistRegion(const clang::Stmt *Loop, const clang::FunctionDecl *In, clang::ASTContext &Ctx);

} // namespace stridewise
#endif
