#include "loops/LoopReuse.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include <cmath>
#include <numeric>

using namespace llvm;

namespace stridewise {
namespace {

using limits::loops::NearRows;

class Reuse {
public:
  Reuse(const LoopNest &N, unsigned Level, StrideEngine &Engine)
      : N(N), Level(Level), Engine(Engine), SE(Engine.scalarEvolution()) {}

  std::vector<double> run() {
    std::vector<double> Lines;
    for (const ReferenceGroup &G : N.Groups)
      Lines.push_back(places(G) * linesPerIteration(G.Strides[Level], G.Footprint));
    // The first of a cluster carries the lines of the one that needs most; the others find them in the cache.
    std::vector<unsigned> Leader(N.Groups.size());
    std::iota(Leader.begin(), Leader.end(), 0u);
    for (unsigned I = 0; I < N.Groups.size(); ++I)
      for (unsigned K = 0; K < I; ++K)
        if (Leader[K] == K && share(N.Groups[K], N.Groups[I])) {
          Lines[K] = std::max(Lines[K], Lines[I]);
          Lines[I] = 0;
          Leader[I] = K;
          break;
        }
    return Lines;
  }

private:
  const SCEV *address(const ReferenceGroup &G) const { return N.References[G.Members.front()].Address; }

  // Separate runs of lines that absorbed loops make an iteration touch.
  double places(const ReferenceGroup &G) {
    double Places = 1;
    for (const Loop *L = N.References[G.Members.front()].In; L && L != N.inner(); L = L->getParentLoop()) {
      Stride S = Engine.stride(address(G), L);
      bool Jumps = S.K == Stride::Symbolic || (S.K == Stride::Constant && std::abs(S.Bytes) > CacheLineBytes);
      const SCEV *Step = Jumps ? Engine.step(address(G), L) : nullptr;
      if (Jumps && !(Step && isNear(Step, G)))
        Places *= std::max(1u, Engine.tripCount(L));
    }
    return Places;
  }

  bool share(const ReferenceGroup &A, const ReferenceGroup &B) {
    if (A.Strides[Level].K != Stride::Constant || !(A.Strides[Level] == B.Strides[Level]))
      return false;
    if (!address(A)->getType()->isPointerTy() || !address(B)->getType()->isPointerTy() ||
        SE.getPointerBase(address(A)) != SE.getPointerBase(address(B)))
      return false;
    const SCEV *Distance = SE.getMinusSCEV(address(A), address(B));
    return !isa<SCEVCouldNotCompute>(Distance) && isNear(Distance, A);
  }

  // Within a few rows of the nest and there a few iterations ahead, or off by what the program looks up while it runs.
  bool isNear(const SCEV *Distance, const ReferenceGroup &G) {
    auto IsAhead = [&](const SCEV *S) {
      const auto *C = dyn_cast<SCEVConstant>(S);
      auto Step = static_cast<double>(std::abs(G.Strides[Level].Bytes));
      if (!C || Step == 0 || C->getAPInt().abs().getLimitedValue() >= PageBytes)
        return false;
      double Rest = std::fmod(static_cast<double>(C->getAPInt().abs().getLimitedValue()), Step);
      return std::min(Rest, Step - Rest) < CacheLineBytes;
    };
    if (IsAhead(Distance) || Engine.varies(Distance))
      return true;
    const SCEV *Address = address(G);
    for (const Loop *L : N.Loops) {
      const SCEV *Step = Engine.step(Address, L);
      if (!Step || Step->isZero() || Step->getType() != Distance->getType())
        continue;
      for (int Rows = -NearRows; Rows <= NearRows; ++Rows)
        if (IsAhead(SE.getMinusSCEV(Distance, SE.getMulExpr(SE.getConstant(Step->getType(), Rows, true), Step))))
          return true;
    }
    return false;
  }

  const LoopNest &N;
  const unsigned Level;
  StrideEngine &Engine;
  ScalarEvolution &SE;
};

} // namespace

std::vector<double> fetchedLines(const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  return Reuse(N, Level, Engine).run();
}

} // namespace stridewise
