#include "core/RegionRepeats.h"
#include "core/Strides.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace stridewise {
namespace {

// Whether the address moves on with the loop: by a stride of its own, or from row to row of an array of pointers to
// rows.
bool movesAlong(const SCEV *Address, Value *Pointer, const Loop *Along, StrideEngine &Engine) {
  Stride S = Engine.stride(Address, Along);
  if (S.K == Stride::Constant || S.K == Stride::Symbolic)
    return true;
  const auto *Row = dyn_cast<LoadInst>(getUnderlyingObject(Pointer));
  if (S.K != Stride::Unknown || !Row || !Along->contains(Row))
    return false;
  Stride Rows = Engine.stride(Engine.rewrite(const_cast<Value *>(Row->getPointerOperand())), Along);
  return Rows.K == Stride::Constant || Rows.K == Stride::Symbolic;
}

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
      Stride Across = Engine.stride(Address, Shared);
      if (Across.K != Stride::Constant && Across.K != Stride::Symbolic)
        continue;
      if (!movesAlong(Address, S->getPointerOperand(), Serial, Engine))
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
