// The facts of a unit, from its code: arrays with their keys, loops that a team shares, serial loops whose iterations
// are independent, calls.
#ifndef STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_UNITLOOPSBUILDER_H
#define STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_UNITLOOPSBUILDER_H

#include "checks/omp-serial-loop/LoopFacts.h"
#include "checks/omp-serial-loop/SourceView.h"

namespace stridewise {

/// A serial loop in the unit that made the facts, by SerialLoop::Number.
struct SerialSource {
  SourceLoop Place;
  LoopClauses Clauses;
  std::optional<Edit> Directive;
};

struct UnitLoopsWithSource {
  UnitLoops Facts;
  std::vector<SerialSource> Serial;
};

struct SerialLimits {
  double LeastMicroseconds = 0, HeavyCycles = 0;
};

UnitLoopsWithSource collectUnitLoops(Unit &U, const SerialLimits &Limits);

} // namespace stridewise
#endif
