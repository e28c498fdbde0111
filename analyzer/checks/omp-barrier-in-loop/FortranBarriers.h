// Barriers of a region of Fortran that nothing on either side needs, by the text: in its serial loops, and those that
// it meets once.
//
// A loop or region counts where all of it is understood: shared loops, `single` and `master`, assignments, branches and
// loops without barriers of their own. Variables of different names are different ones, as the language has it; a file
// that names pointers, targets or shared storage is left alone.
#ifndef STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_FORTRANBARRIERS_H
#define STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_FORTRANBARRIERS_H

#include "unit/Unit.h"
#include <optional>
#include <vector>

namespace stridewise {

struct FortranConstruct;

struct FortranBarrier {
  const FortranConstruct *Barrier = nullptr;    // or the construct at whose end it is
  std::vector<const FortranConstruct *> Others; // of the same region, that go with it
  const FortranConstruct *Region = nullptr;
  std::optional<unsigned> Loop; // statement that repeats it, by number
  bool Adjacent = false;        // another barrier stands beside it
  bool NeedsStatic = false;     // so it is once the loops on both sides have a static schedule
};

std::vector<FortranBarrier> fortranBarriers(Unit &U);

} // namespace stridewise
#endif
