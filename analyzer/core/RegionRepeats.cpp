#include "core/RegionRepeats.h"
#include "core/Strides.h"

using namespace llvm;

namespace stridewise {
namespace {

// Whether what the shared loop stores moves on with the serial loop as well, by a step of its own, while the shared
// loop's bounds stay: the two run over one array together.
bool runsOverData(const Loop *Shared, const Loop *Serial, StrideEngine &Engine) {
  const SCEV *Count = Engine.backedges(Shared);
  if (!Count || Engine.varies(Count, Serial))
    return false;
  bool Any = false;
  for (BasicBlock *BB : Shared->blocks())
    for (Instruction &I : *BB) {
      auto *S = dyn_cast<StoreInst>(&I);
      if (!S)
        continue;
      const SCEV *Address = Engine.rewrite(S->getPointerOperand());
      Stride Across = Engine.stride(Address, Shared), Along = Engine.stride(Address, Serial);
      if (Across.K != Stride::Constant && Across.K != Stride::Symbolic)
        continue;
      if (Along.K != Stride::Constant && Along.K != Stride::Symbolic)
        return false; // the same elements again: a step in time, or beyond analysis
      Any = true;
    }
  return Any;
}

} // namespace

std::optional<RegionRepeat> repeatOf(const clang::OMPExecutableDirective &D, double MinOpenings, RegionWork &Work) {
  std::vector<const clang::ForStmt *> For = sharedLoops(D);
  const clang::Stmt *Outermost = For.empty() ? constructBody(D) : For.front();
  if (!Outermost || !isLoop(Outermost))
    return std::nullopt;
  std::optional<LoopWork> All = Work.largest(D);
  std::optional<RegionRepeat> Result;
  for (const RegionWork::Copy &C : Work.copies(Outermost, &D)) {
    StrideEngine &Engine = StrideEngine::get(*C.F, Work.unit().analyses());
    RegionRepeat Here;
    for (const Loop *L = C.L->getParentLoop(); L && !Here.Loop; L = L->getParentLoop()) {
      double Trips = Engine.tripCount(L);
      if (Trips > 0 && Trips < MinOpenings)
        continue;
      Here.Loop = Work.unit().loopStatement(L);
      Here.Openings = Trips;
      Here.Spatial = runsOverData(C.L, L, Engine);
      if (!Here.Loop)
        break;
    }
    if (!Here.Loop)
      return std::nullopt;
    Here.Work = For.size() > 1 && All ? *All : Work.work(C);
    if (!Result || (!Here.Spatial && Result->Spatial) || Here.Work.total() > Result->Work.total())
      Result = Here;
    if (!Here.Work.known())
      Result = Here;
  }
  return Result;
}

} // namespace stridewise
