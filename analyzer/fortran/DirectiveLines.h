// Edits of directives of OpenMP as they stand in a Fortran file, in free and in fixed form. Nothing is offered for a
// directive that goes on in the next line, where a comment stands on its line, where lines would become too long, and
// in files that have lines for the preprocessor, which may make other code of them.
#ifndef STRIDEWISE_FORTRAN_DIRECTIVELINES_H
#define STRIDEWISE_FORTRAN_DIRECTIVELINES_H

#include "fortran/Constructs.h"
#include "unit/Finding.h"

namespace stridewise {

/// Adds a clause behind the directive's last one.
std::optional<Edit> addFortranClause(const FortranConstruct &C, llvm::StringRef Clause, Unit &U);
/// The same at the directive that ends the construct: `nowait`. Nothing where none does.
std::optional<Edit> addFortranEndClause(const FortranConstruct &C, llvm::StringRef Clause, Unit &U);
/// Replaces the directive's clause of that name, with what stands in its brackets.
std::optional<Edit> replaceFortranClause(const FortranConstruct &C, llvm::StringRef Name, llvm::StringRef By, Unit &U);
/// Removes the line of the directive, and that of the one that ends it where there is one.
std::optional<std::vector<Edit>> removeFortranDirective(const FortranConstruct &C, Unit &U);
/// The same, but that another directive stands in the first one's stead: "atomic".
std::optional<std::vector<Edit>> replaceFortranDirective(const FortranConstruct &C, llvm::StringRef By, Unit &U);

} // namespace stridewise
#endif
