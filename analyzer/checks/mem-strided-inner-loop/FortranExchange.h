// The exchange of nested DO headers in the text of a Fortran file. It moves what headers count; names, labels and ends
// of the loops stay where they are.
#ifndef STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_FORTRANEXCHANGE_H
#define STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_FORTRANEXCHANGE_H

#include "fortran/Constructs.h"
#include "unit/Finding.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace stridewise {

/// Makes the outermost of these DO loops, outermost first, the innermost one; the others keep their order. Nothing
/// where the text forbids it: other statements, directives or preprocessor lines between the headers, a bound that
/// names another one's counter, counters that are used behind their loops or that others see, lines that would become
/// too long. Says nothing about dependences, nor of what leaves the loops in the middle. Where a team shares the
/// outermost loop, it shares the new outermost one afterwards, whose iterations must be independent of each other.
std::optional<Fix> exchangeFortranLoops(llvm::ArrayRef<const FortranStatement *> Nest, Unit &U);

} // namespace stridewise
#endif
