// The rule in Fortran: the first index is the contiguous one.
#ifndef STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_FORTRANORDER_H
#define STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_FORTRANORDER_H

#include "unit/Finding.h"
#include "unit/Unit.h"

namespace stridewise {

/// Each place once; the rule's name is left to the caller.
std::vector<Finding> fortranOrders(Unit &U, double MinRatio, double MinFootprint);

} // namespace stridewise
#endif
