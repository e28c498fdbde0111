#include "loops/SetUp.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopNest.h"
#include "thresholds.h"

using namespace llvm;

namespace stridewise {

using limits::loops::WorkDepth;

static bool isInMain(const Loop *Inner, Unit &U) {
  if (U.isFortran())
    return isInMainProgram(Inner);
  const clang::Stmt *Statement = U.loopStatement(Inner);
  const clang::FunctionDecl *In = Statement ? U.functionAt(Statement->getBeginLoc()) : nullptr;
  return In && In->isMain();
}

bool isSetUp(const Loop *Inner, Unit &U) {
  if (!isInMain(Inner, U) || Inner->getLoopDepth() >= WorkDepth)
    return false;
  return any_of(*U.ir(), [&](Function &F) {
    return !F.isDeclaration() &&
           any_of(loopNests(F, U.analyses()), [](const LoopNest &N) { return N.inner()->getLoopDepth() >= WorkDepth; });
  });
}

} // namespace stridewise
