// Barriers in serial loops of a region of Fortran that nothing on either side needs, by the text.
//
// A loop counts where all of it is understood: shared loops, `single` and `master`, assignments, branches and loops
// without barriers of their own. Variables of different names are different ones, as the language has it; a file that
// names pointers, targets or shared storage is left alone.
#ifndef STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_FORTRANBARRIERS_H
#define STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_FORTRANBARRIERS_H

#include "unit/Unit.h"

namespace stridewise {

struct FortranConstruct;

struct FortranBarrier {
  const FortranConstruct *Barrier = nullptr; // or the construct at whose end it is
  unsigned Loop = 0;                         // statement that repeats it, by number
  bool Adjacent = false;                     // another barrier stands beside it
  bool NeedsStatic = false;                  // so it is once the loops on both sides have a static schedule
  std::string Procedure;                     // "main program" for that one
};

std::vector<FortranBarrier> fortranBarriers(Unit &U);

} // namespace stridewise
#endif
