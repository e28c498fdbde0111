// The rule in Fortran: the first index is the contiguous one.
#ifndef STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_FORTRANORDER_H
#define STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_FORTRANORDER_H

#include "checks/mem-strided-inner-loop/NestOrders.h"
#include "unit/Finding.h"
#include "unit/Unit.h"

namespace stridewise {

/// Each place once; the rule's name is left to the caller.
std::vector<Finding> fortranOrders(Unit &U, const OrderLimits &Limits);

} // namespace stridewise
#endif
