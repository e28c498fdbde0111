// Ranges whose walk is counted as steps of the rule or the engine that runs.
#ifndef STRIDEWISE_UNIT_COUNTED_H
#define STRIDEWISE_UNIT_COUNTED_H

#include "unit/Meter.h"
#include <iterator>

namespace stridewise {

/// The range itself; one step for each of its elements is counted at once.
template <typename Range> Range counted(Range &&R) {
  Meter::count(static_cast<std::uint64_t>(std::distance(std::begin(R), std::end(R))));
  return std::forward<Range>(R);
}

} // namespace stridewise
#endif
