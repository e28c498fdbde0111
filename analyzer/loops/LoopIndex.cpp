#include "loops/LoopIndex.h"
#include "unit/Counted.h"

using namespace llvm;

namespace stridewise {
namespace {

struct LoopsOfStatements {
  DenseMap<const FortranStatement *, std::vector<LoopCopy>> Copies;
};

LoopsOfStatements indexLoops(Unit &U) {
  LoopsOfStatements Index;
  if (!U.ir())
    return Index;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    for (const Loop *L : U.analyses().getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
      Meter::count();
      std::optional<FortranLoop> Known = fortranLoop(L, U);
      const Loop *Around = L->getParentLoop();
      if (Known && !(Around && Around->getStartLoc().get() == L->getStartLoc().get()))
        Index.Copies[Known->Statement].push_back({&F, L});
    }
  }
  for (auto &Each : Index.Copies)
    dropUncalled(Each.second);
  return Index;
}

} // namespace

ArrayRef<LoopCopy> fortranLoops(const FortranStatement &S, Unit &U) {
  const LoopsOfStatements &Index = U.fact<LoopsOfStatements>([&] { return indexLoops(U); });
  auto It = Index.Copies.find(&S);
  return It == Index.Copies.end() ? ArrayRef<LoopCopy>() : ArrayRef<LoopCopy>(It->second);
}

} // namespace stridewise
