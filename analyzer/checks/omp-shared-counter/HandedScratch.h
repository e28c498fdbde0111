// Records and arrays of which a team has one, that each iteration of a shared loop has a function fill and then reads;
// and those that such a function keeps from call to call. Functions of other units are known when units are joined.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_HANDEDSCRATCH_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_HANDEDSCRATCH_H

#include "checks/omp-shared-counter/ArgumentUses.h"
#include "omp/OmpSites.h"
#include "unit/Summary.h"

namespace stridewise {

struct HandedScratch {
  const clang::Expr *E = nullptr; // the argument, or the store in the function
  const clang::VarDecl *Variable = nullptr;
  std::string Name;                           // as the source has it
  const clang::CallExpr *Call = nullptr;      // in the text of the region
  const clang::FunctionDecl *Keeps = nullptr; // the function whose own variable it is
  bool Returned = false;                      // it gives its address away
  bool Pointer = false;                       // what a pointer leads to
  bool Sure = false;                          // each iteration comes by
  bool Read = false;                          // by what follows the call
  ArgumentUse Use;                            // On: what only other units show
};

/// Of the code under a directive that starts a team, in its own text.
std::vector<HandedScratch> findHandedScratch(const clang::OMPExecutableDirective &Region, clang::ASTContext &Ctx,
                                             ArgumentUses &Uses);

/// Which remedy of the rule's does what the program means.
const char *remedyOf(const HandedScratch &X);

/// A call of one unit whose function is another one's.
struct HandedCall {
  Place Where, Region;
  std::string Function, Variable, Remedy;
  bool Sure = false, Read = false, Silenced = false;
  std::vector<HandedOn> On;
};

struct UnitHanded {
  std::vector<HandedCall> Calls;
  std::map<std::string, std::map<unsigned, ArgumentUse>> Functions;
};

/// Those that race, with whether that is certain. Of functions that several units define nothing is known.
std::vector<std::pair<const HandedCall *, bool>> handedRaces(llvm::ArrayRef<UnitHanded> Units);

llvm::json::Object toJson(const UnitHanded &Unit);
UnitHanded unitHandedFromJson(const stored::Value &V);

} // namespace stridewise
#endif
