// Elements of a shared array that several iterations of a shared loop give a value. Sums in elements that data choose,
// of which two iterations may have the same one: the cell that
// coordinates lie in, a key that is counted, several entries of a table for each iteration (the nodes of an element,
// both ends of an edge). One entry for each iteration may be a permutation, and a list of iterations that a table
// bounds, or that another loop picks, may be of one colour: both are silent. Scratch lines: elements that counters of
// loops within alone choose, so that all iterations set the same ones, each to values of its own, or to the better of
// that and what is there. Marks: elements that
// data choose, at which an iteration looks for its own number.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_SCATTEREDUPDATES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_SCATTEREDUPDATES_H

#include "omp/OmpSites.h"
#include <vector>

namespace stridewise {

struct ScatteredUpdate {
  const clang::Expr *E = nullptr;                       // the first update
  std::string Array;                                    // as the source has it: "grid->rho"
  const clang::OMPExecutableDirective *Share = nullptr; // what divides the loop
  bool Scratch = false;                                 // the same elements in each iteration
  bool Marks = false;                                   // the iteration's number, where data choose
  bool Static = false;                                  // declared in the loop, and one for all the same
  bool Extreme = false;                                 // the same elements, each kept if it is better
};

/// Of the code under a directive that starts a team, in its own text, each array once for each loop.
std::vector<ScatteredUpdate> findScatteredUpdates(const clang::OMPExecutableDirective &Region,
                                                  const clang::FunctionDecl *In, clang::ASTContext &Ctx);

} // namespace stridewise
#endif
