// The writes of SlotWrites.h in a unit of Fortran, by its text: elements of shared arrays that the thread's number or
// the counter of a shared loop chooses, less than a line apart, in regions and loops of one procedure.
//
// What optimisation leaves in a loop is told as in C: the compiler outlines regions, so that it no longer knows that
// two arrays of one type are different ones, unless both have memory that a name stands for.
#ifndef STRIDEWISE_CHECKS_OMP_FALSE_SHARING_FORTRANSLOTS_H
#define STRIDEWISE_CHECKS_OMP_FALSE_SHARING_FORTRANSLOTS_H

#include "unit/Unit.h"

namespace stridewise {

struct FortranSlot {
  bool ByThread = false;        // else by the iteration of a shared loop
  unsigned Write = 0, Loop = 0; // statements, by number
  std::string Array, Procedure; // "main program" for that one
  std::int64_t DistanceBytes = 0, ElementBytes = 0;
  bool Chunk = false;          // the schedule says how many iterations one thread gets in a row
  bool EveryIteration = false; // the shared loop itself repeats the write
  bool Adds = false, Sure = true;
  unsigned RegionLine = 0, RegionColumn = 0; // of the directive that starts the team
};

/// One for each array and loop, in the order of the source.
std::vector<FortranSlot> fortranSlots(Unit &U, double MinWrites, double LineBytes);

} // namespace stridewise
#endif
