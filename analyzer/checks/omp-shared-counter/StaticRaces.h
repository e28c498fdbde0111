// Variables with one place in memory for all threads that procedures set, and the calls by which teams come to them:
// joined over units.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_STATICRACES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_STATICRACES_H

#include "unit/Summary.h"

namespace stridewise {

struct StaticRace {
  std::string Procedure; // as the linker calls it
  std::string Function;  // as findings do
  std::string Variable;
  std::string Module; // of another file, which declares it; empty where the unit does
  enum Kind { Counts, Updates, Sets } K = Sets;
  bool Sure = false; // no condition around it
  Place Where;
  unsigned EndLine = 0;
  bool Silenced = false;
};

struct StaticCall {
  std::string Callee, Caller;
  std::optional<Place> Region; // of all threads of which the call is; nothing outside of regions
  bool Sure = false;
};

struct UnitStatics {
  std::string File;
  std::vector<std::string> Defined; // procedures
  std::vector<std::string> Shared;  // variables of its modules that no thread has for itself: "module%variable"
  std::vector<StaticRace> Races;
  std::vector<StaticCall> Calls;
};

struct ReachedRace {
  const StaticRace *Race;
  Place Region;
  bool Sure = false; // no condition on the way, either
};

/// The races whose procedures some team runs, each once. Of procedures that several files define nothing is known: they
/// belong to several programs.
std::vector<ReachedRace> reachedRaces(llvm::ArrayRef<const UnitStatics *> Units);

llvm::json::Value toJson(const UnitStatics &Unit);
UnitStatics unitStaticsFromJson(const stored::Value &V);

} // namespace stridewise
#endif
