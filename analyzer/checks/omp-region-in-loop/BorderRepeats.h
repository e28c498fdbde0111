// Regions over borders, and the calls of the program that come by them: which of them are opened several times in each
// step, joined over units.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_BORDERREPEATS_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_BORDERREPEATS_H

#include "unit/Summary.h"

namespace stridewise {

struct BorderRegion {
  Place Where;
  unsigned EndLine = 0;
  std::string Function;  // as findings call it
  std::string Procedure; // as the linker does
  std::string Work;      // of one opening
  std::string Remedy;
  unsigned Arrays = 0; // whose borders it goes over
  unsigned Loops = 0;  // around it in its procedure, of one thread
  std::optional<Place> Loop;
  bool Silenced = false;
};

struct BorderCall {
  std::string Callee, Caller;
  unsigned Loops = 0; // around it, of one thread
  std::optional<Place> Loop;
  bool InTeam = false;
};

struct UnitBorders {
  std::string File;
  std::vector<std::string> Defined; // the procedures that the unit defines
  std::vector<BorderRegion> Regions;
  std::vector<BorderCall> Calls;
};

struct BorderRepeat {
  const BorderRegion *Region;
  Place Loop;         // the innermost one that is known
  unsigned Loops = 0; // around it, where calls are nested deepest
};

/// Regions that loops of one thread open, here or around calls; not those whose procedures some team runs. Of
/// procedures that several files define nothing is known: they belong to several programs.
std::vector<BorderRepeat> borderRepeats(llvm::ArrayRef<const UnitBorders *> Units);

llvm::json::Value toJson(const UnitBorders &Unit);
UnitBorders unitBordersFromJson(const stored::Value &V);

} // namespace stridewise
#endif
