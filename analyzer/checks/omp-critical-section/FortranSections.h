// The rule in Fortran: sections by the text, what loops cost by flang's code.
#ifndef STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_FORTRANSECTIONS_H
#define STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_FORTRANSECTIONS_H

#include "unit/Finding.h"
#include "unit/Unit.h"

namespace stridewise {

class Reporter;

void fortranSections(Unit &U, Reporter &R);

} // namespace stridewise
#endif
