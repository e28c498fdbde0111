// What takes the place of a critical section or an atomic update of Fortran, as edits of its directives.
#ifndef STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_FORTRANSECTIONFIX_H
#define STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_FORTRANSECTIONFIX_H

#include "fortran/Constructs.h"
#include "fortran/Updates.h"
#include "unit/Finding.h"

namespace stridewise {

/// A construct that holds nothing but these updates.
struct FortranProtected {
  const FortranConstruct &C;
  llvm::ArrayRef<FortranUpdate> Updates;
};

/// Clauses on the loop that is shared, and the construct goes. The caller knows that the loop looks at the variables
/// nowhere else.
std::optional<Fix> fortranReduction(const FortranProtected &P, const FortranConstruct &Share, llvm::StringRef Clauses,
                                    Unit &U);
/// An atomic update, where the section holds one statement that is of its form, on a variable that the region names
/// nowhere else, and that no other code can reach meanwhile.
std::optional<Fix> fortranAtomic(const FortranProtected &P, const FortranConstruct &Region, Unit &U);

} // namespace stridewise
#endif
