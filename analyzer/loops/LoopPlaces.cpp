#include "loops/LoopPlaces.h"
#include "fortran/FortranLoops.h"
#include "loops/ArrayNames.h"
#include "loops/LoopInterchange.h"

namespace stridewise {

static std::optional<LoopPlace> ofFortran(const llvm::Loop *L, Unit &U) {
  std::optional<FortranLoop> Found = fortranLoop(L, U);
  if (!Found || Found->IsSection || isOnDevice(L, U))
    return std::nullopt;
  const FortranStatement &S = *Found->Statement;
  return LoopPlace{&S.Counters[Found->Number], headerOf(S, U), rangeOf(S, U), Found->Counter, procedureAround(L)};
}

std::optional<LoopPlace> loopPlace(const llvm::Loop *L, Unit &U) {
  if (U.isFortran())
    return ofFortran(L, U);
  const clang::Stmt *S = U.loopStatement(L);
  if (!S)
    return std::nullopt;
  return LoopPlace{S, loopHeader(S), S->getSourceRange(), counterName(S),
                   Unit::functionName(U.functionAt(S->getBeginLoc()))};
}

} // namespace stridewise
