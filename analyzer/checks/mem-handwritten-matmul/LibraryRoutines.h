// Functions that are a program's own copy of a BLAS or LAPACK routine: to write one by hand is what they are for.
#ifndef STRIDEWISE_CHECKS_MEM_HANDWRITTEN_MATMUL_LIBRARYROUTINES_H
#define STRIDEWISE_CHECKS_MEM_HANDWRITTEN_MATMUL_LIBRARYROUTINES_H

#include "clang/AST/ASTContext.h"

namespace stridewise {

/// By its name (cblas_sgemm, dpotrf_; my_dgemm with as many parameters as that needs), its parameters (sizes, leading
/// dimensions, scale factors and three matrices), a translation of Fortran's (f2c), or the folder of its file
/// (src/lapack/).
bool isLibraryRoutine(const clang::FunctionDecl &F, clang::ASTContext &Ctx);

/// A procedure of Fortran, by its name and the folder of its file.
bool isLibraryProcedure(llvm::StringRef Name, unsigned Parameters, llvm::StringRef File);

} // namespace stridewise
#endif
