#include "mpi/ProcedureHeat.h"
#include "fortran/FortranLoops.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace stridewise {

// Deeper chains of calls are of unknown heat.
static constexpr unsigned DeepestCalls = 6;

static Heat heatOf(const DISubprogram *P, ArrayRef<const DISubprogram *> All, Unit &U, unsigned Depth) {
  if (isMainProgram(P))
    return Heat::Cold;
  const FortranText &Text = fortranText(U);
  std::vector<const FortranStatement *> Calls = Text.callsOf(P->getName());
  Heat Most = Calls.empty() || Depth == DeepestCalls ? Heat::Unknown : Heat::Cold;
  for (const FortranStatement *Call : Calls) {
    if (Text.isInLoop(*Call))
      return Heat::Hot;
    const DISubprogram *Around = nullptr; // the last one that begins before the call
    for (const DISubprogram *Other : All)
      if (Other->getLine() <= Call->Line && (!Around || Around->getLine() < Other->getLine()))
        Around = Other;
    if (!Around || Depth == DeepestCalls)
      Most = std::max(Most, Heat::Unknown);
    else if (Around != P)
      Most = std::max(Most, heatOf(Around, All, U, Depth + 1));
  }
  return Most;
}

Heat heatOf(const DISubprogram *P, Unit &U) {
  std::vector<const DISubprogram *> All;
  bool HasMain = false;
  if (Module *M = U.ir())
    for (const Function &F : *M)
      if (const DISubprogram *Own = F.getSubprogram(); Own && !F.isDeclaration()) {
        All.push_back(Own);
        HasMain |= isMainProgram(Own);
      }
  const Heat Known = P ? heatOf(P, All, U, 0) : Heat::Unknown;
  return Known == Heat::Cold && !HasMain ? Heat::Unknown : Known;
}

} // namespace stridewise
