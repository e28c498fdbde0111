// Loops of a Fortran unit that stay scalar: what the text calls them, and what to write about them.
#ifndef STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_FORTRANVECTORS_H
#define STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_FORTRANVECTORS_H

#include "checks/build-missed-vectorization/Vectorization.h"
#include "unit/Finding.h"

namespace stridewise {

struct FortranScalarLoop {
  const ScalarLoop *Loop = nullptr;
  Finding Said;                   // without its confidence
  std::string In;                 // the procedure, as the linker knows it
  std::optional<unsigned> Around; // loops of the procedure around it; none for what a team shares
  bool Repeated = false;
};

/// Whether the loop is one that the text has, and neither the programmer nor a directive has spoken of its vectors.
bool mayBecomeVectors(const llvm::Loop *L, Unit &U);

std::vector<FortranScalarLoop> describeFortran(const std::vector<ScalarLoop> &Loops, Unit &U);

} // namespace stridewise
#endif
