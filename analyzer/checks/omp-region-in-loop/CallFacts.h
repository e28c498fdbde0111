// The calls of a unit of C or C++ as BorderRepeats joins them.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_CALLFACTS_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_CALLFACTS_H

#include "checks/omp-region-in-loop/BorderRepeats.h"
#include "clang/AST/ASTContext.h"

namespace stridewise {

/// A function's name among those of all units.
std::string callName(const clang::FunctionDecl *F, const clang::ASTContext &Ctx);
/// The calls of functions of the project, and the functions that the unit defines; no regions.
UnitBorders callFacts(clang::ASTContext &Ctx);

} // namespace stridewise
#endif
