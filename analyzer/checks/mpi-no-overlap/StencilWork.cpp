#include "checks/mpi-no-overlap/StencilWork.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include <map>

using namespace llvm;

namespace stridewise {
namespace {

// References of a nest, and places that it reads of one array, beyond which nothing is said.
constexpr std::size_t MaxReferences = 300, MaxTaps = 40;

bool isReal(const Reference &R) { return isa<LoadInst>(R.At) && R.At->getType()->isFloatingPointTy(); }

// Whether the one is, in a neighbouring iteration of some loop of the nest, what the other one is now.
bool isNeighbour(const LoopNest &N, StrideEngine &E, const SCEV *A, const SCEV *B) {
  ScalarEvolution &SE = E.scalarEvolution();
  const SCEV *Apart = SE.getMinusSCEV(A, B);
  if (isa<SCEVCouldNotCompute>(Apart) || Apart->isZero())
    return false;
  Apart = E.simplify(Apart);
  return any_of(N.Loops, [&](const Loop *L) {
    const SCEV *Step = E.step(A, L);
    if (!Step || Step->isZero() || Step->getType() != Apart->getType())
      return false;
    for (std::int64_t Far = 1; Far <= limits::mpi_no_overlap::FarthestTap; ++Far)
      for (std::int64_t Way : {Far, -Far})
        if (Apart == E.simplify(SE.getMulExpr(Step, SE.getConstant(Step->getType(), std::uint64_t(Way), true))))
          return true;
    return false;
  });
}

} // namespace

bool isStencil(const LoopNest &N, StrideEngine &E) {
  if (N.OpaqueCall || N.References.size() > MaxReferences ||
      none_of(N.References, [](const Reference &R) { return R.Writes && !R.Local; }))
    return false;
  std::map<const SCEV *, SmallVector<const SCEV *, 8>> Taps, Written;
  for (const Reference &R : N.References) {
    const SCEV *Base = E.scalarEvolution().getPointerBase(R.Address);
    if (R.Writes)
      Written[Base].push_back(R.Address);
    else if (isReal(R) && Taps[Base].size() < MaxTaps && !is_contained(Taps[Base], R.Address))
      Taps[Base].push_back(R.Address);
  }
  const auto HasNeighbour = [&](const SCEV *One, ArrayRef<const SCEV *> All) {
    return any_of(All, [&](const SCEV *Other) { return isNeighbour(N, E, One, Other); });
  };
  bool Found = false;
  for (const auto &[Base, At] : Taps) {
    // Arrays of one common block have one base.
    if (any_of(Written[Base], [&](const SCEV *W) { return HasNeighbour(W, At); }))
      return false;
    Found |= count_if(At, [&](const SCEV *One) { return HasNeighbour(One, At); }) >= limits::mpi_no_overlap::FewestTaps;
  }
  return Found;
}

bool holdsStencil(const Loop &L, Function &F, Unit &U) {
  return any_of(loopNests(F, U.analyses()), [&](const LoopNest &N) {
    return L.contains(N.inner()) && isStencil(N, StrideEngine::get(F, U.analyses()));
  });
}

} // namespace stridewise
