// The memory references of a nest's innermost loop: loads, stores, memory intrinsics, and pointers passed to calls;
// which of them run only when data says so; and which share their cache lines.
#include "fortran/ArrayAssignments.h"
#include "library/LibraryCalls.h"
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Meter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxReferences = 1500;
using limits::loops::SmallLocalBytes;

// Which blocks of E run only when data that varies in the nest says so.
class Guards {
public:
  Guards(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM, StrideEngine &Engine)
      : N(N), F(F), FAM(FAM), Engine(Engine), DT(FAM.getResult<DominatorTreeAnalysis>(F)) {}

  bool isGuarded(BasicBlock *BB) {
    const Loop *E = N.inner();
    if (const BasicBlock *Latch = E->getLoopLatch(); Latch && DT.dominates(BB, Latch))
      return false;
    auto [It, New] = Known.try_emplace(BB, false);
    if (!New)
      return It->second;
    const PostDominatorTree &PDT = FAM.getResult<PostDominatorTreeAnalysis>(F);
    bool Guarded = false;
    for (auto *Node = DT.getNode(BB); Node && Node->getIDom() && !Guarded; Node = Node->getIDom()) {
      BasicBlock *Decider = Node->getIDom()->getBlock();
      if (!E->contains(Decider))
        break;
      if (!PDT.dominates(BB, Decider))
        if (Value *C = condition(*Decider))
          if (readsVaryingData(C)) {
            Guarded = true;
            Chooses |= !isa<FCmpInst>(C);
          }
    }
    return Known[BB] = Guarded;
  }
  // Whether some condition asks for more than how large a number is: marks and indices choose few of the iterations.
  bool Chooses = false;

private:
  static Value *condition(BasicBlock &BB) {
    if (auto *Br = dyn_cast<BranchInst>(BB.getTerminator()))
      return Br->isConditional() ? Br->getCondition() : nullptr;
    auto *Sw = dyn_cast<SwitchInst>(BB.getTerminator());
    return Sw ? Sw->getCondition() : nullptr;
  }

  // A table of constants holds the same for every iteration of the nest where only the loops in its body choose the
  // element: directions, taps, components.
  bool varies(LoadInst &Load) {
    const SCEV *Address = Engine.rewrite(Load.getPointerOperand());
    const auto *Table = dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
    if (Table && Table->isConstant())
      return any_of(N.Loops, [&](const Loop *L) { return Engine.varies(Address, L); });
    return Engine.varies(Address);
  }

  bool readsVaryingData(Value *Condition) {
    SmallVector<Value *, 8> Work{Condition};
    SmallPtrSet<Value *, 16> Seen;
    while (!Work.empty() && Seen.size() < 200) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !N.inner()->contains(I) || !Seen.insert(I).second)
        continue;
      if (auto *Load = dyn_cast<LoadInst>(I)) {
        if (varies(*Load))
          return true;
        continue;
      }
      if (isa<CallBase>(I) && I->mayReadFromMemory())
        return true;
      if (isa<PHINode>(I) && Engine.loops().isLoopHeader(I->getParent()))
        continue;
      Work.append(I->op_begin(), I->op_end());
    }
    return false;
  }

  const LoopNest &N;
  Function &F;
  FunctionAnalysisManager &FAM;
  StrideEngine &Engine;
  const DominatorTree &DT;
  DenseMap<BasicBlock *, bool> Known;
};

class Collector {
public:
  Collector(LoopNest &N, Function &F, FunctionAnalysisManager &FAM, StrideEngine &Engine)
      : N(N), Engine(Engine), DL(F.getParent()->getDataLayout()), TLI(FAM.getResult<TargetLibraryAnalysis>(F)),
        Guard(N, F, FAM, Engine) {}

  bool chooses() const { return Guard.Chooses; }
  bool collect() {
    for (BasicBlock *BB : N.inner()->blocks())
      for (Instruction &I : *BB) {
        Meter::count();
        visit(I);
        if (N.References.size() > MaxReferences)
          return false;
      }
    return true;
  }

private:
  void visit(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      return add(I, L->getPointerOperand(), DL.getTypeStoreSize(L->getType()), true, false);
    if (auto *S = dyn_cast<StoreInst>(&I))
      return add(I, S->getPointerOperand(), DL.getTypeStoreSize(S->getValueOperand()->getType()), false, true);
    if (auto *X = dyn_cast<AtomicRMWInst>(&I))
      return add(I, X->getPointerOperand(), DL.getTypeStoreSize(X->getType()), true, true);
    if (auto *M = dyn_cast<AnyMemIntrinsic>(&I)) {
      auto *Length = dyn_cast<ConstantInt>(M->getLength());
      uint64_t Bytes = Length ? std::min<uint64_t>(Length->getLimitedValue(), PageBytes) : CacheLineBytes;
      add(I, M->getDest(), Bytes, false, true);
      if (auto *T = dyn_cast<AnyMemTransferInst>(M))
        add(I, T->getSource(), Bytes, true, false);
      return;
    }
    if (auto *C = dyn_cast<CallBase>(&I))
      visitCall(*C);
  }

  void visitCall(CallBase &C) {
    if (auto *II = dyn_cast<IntrinsicInst>(&C); II && (II->isAssumeLikeIntrinsic() || !II->mayReadOrWriteMemory()))
      return;
    if (isWarning(C))
      return;
    bool Formula = false;
    if (!isHarmlessCall(C, TLI) && !isErrorPath(C)) {
      Formula = isFormula(C);
      N.AsksFormulas = Formula && (N.AsksFormulas || !N.OpaqueCall);
      N.OpaqueCall = &C;
    }
    for (unsigned K = 0; K < C.arg_size(); ++K)
      if (C.getArgOperand(K)->getType()->isPointerTy())
        add(C, C.getArgOperand(K), 8, !C.onlyWritesMemory(K),
            !Formula && !C.onlyReadsMemory() && !C.onlyReadsMemory(K));
  }

  // A number for numbers that differ from iteration to iteration, also such as the iteration has put into an array of
  // the function's own, and an object at most that stays: a generator of random numbers gets none, or the same.
  bool isFormula(const CallBase &C) {
    const Function *Callee = C.getCalledFunction();
    if (!C.getType()->isFloatingPointTy() || (Callee && (!Callee->isDeclaration() || findLibraryCall(Callee))))
      return false;
    bool Changes = false;
    for (Value *A : C.args()) {
      const bool Number = A->getType()->isIntegerTy() || A->getType()->isFloatingPointTy();
      const bool Object =
          A->getType()->isPointerTy() && none_of(N.Loops, [&](const Loop *L) { return Engine.varies(A, L); });
      if (!Number && !Object)
        return false;
      Changes |= Number ? !N.inner()->isLoopInvariant(A) : isFilledEachTime(*A);
    }
    return Changes;
  }

  bool isFilledEachTime(const Value &Array) const {
    const auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(&Array));
    return Local && any_of(N.inner()->blocks(), [&](const BasicBlock *BB) {
             return any_of(*BB, [&](const Instruction &I) {
               const auto *Store = dyn_cast<StoreInst>(&I);
               return Store && getUnderlyingObject(Store->getPointerOperand()) == Local;
             });
           });
  }

  // A message that a number is out of its range: in which order the messages come does not matter.
  bool isWarning(const CallBase &C) {
    const LibraryCall *Known = C.getCalledFunction() ? findLibraryCall(C.getCalledFunction()) : nullptr;
    return Known && Known->does(LibOutput) && Guard.isGuarded(const_cast<BasicBlock *>(C.getParent())) &&
           !Guard.Chooses;
  }

  // A guarded message that says nothing of this iteration ("bad input"): its order among the iterations is immaterial.
  bool isErrorPath(CallBase &C) {
    if (!C.getType()->isVoidTy() || !Guard.isGuarded(C.getParent()))
      return false;
    return none_of(C.args(),
                   [&](Value *A) { return any_of(N.Loops, [&](const Loop *L) { return Engine.varies(A, L); }); });
  }

  void add(Instruction &I, Value *Pointer, uint64_t Bytes, bool Reads, bool Writes) {
    bool Local = false;
    if (auto *A = dyn_cast<AllocaInst>(getUnderlyingObject(Pointer))) {
      auto Size = A->getAllocationSize(DL);
      Local = Size && !Size->isScalable() && Size->getFixedValue() <= SmallLocalBytes;
    }
    N.References.push_back({&I, Pointer, Engine.rewrite(Pointer), static_cast<unsigned>(Bytes), Reads, Writes,
                            Guard.isGuarded(I.getParent()), Local, Engine.loops().getLoopFor(I.getParent())});
  }

  LoopNest &N;
  StrideEngine &Engine;
  const DataLayout &DL;
  const TargetLibraryInfo &TLI;
  Guards Guard;
};

// The stride of the loop around E between iterations of E that have the same counter.
Stride atSameCounter(const LoopNest &N, const SCEV *Address, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  // In a row of a table that the counter chooses, the stride is that within the row.
  if (const SCEV *Entry = Address->getType()->isPointerTy() ? Engine.loadedFrom(SE.getPointerBase(Address)) : nullptr;
      Entry && atSameCounter(N, Entry, Engine).K == Stride::Zero)
    Address = SE.removePointerBase(Address);
  const SCEV *Outer = Engine.step(Address, N.Loops[1]), *Own = Engine.step(Address, N.inner());
  if (!Outer || !Own || Outer->getType() != Own->getType())
    return Engine.stride(Address, N.Loops[1]);
  const SCEV *Step =
      SE.getMinusSCEV(Outer, SE.getMulExpr(SE.getConstant(Own->getType(), N.Shift, /*isSigned=*/true), Own));
  if (Step->isZero())
    return {};
  if (const auto *C = dyn_cast<SCEVConstant>(Step); C && C->getAPInt().getSignificantBits() <= 63)
    return {Stride::Constant, C->getAPInt().getSExtValue()};
  return {Stride::Symbolic, 0};
}

// A group of its own for one reference; absorbed loops widen it when they walk contiguously and repeat it when not.
ReferenceGroup makeGroup(const LoopNest &N, unsigned Index, StrideEngine &Engine) {
  const Reference &R = N.References[Index];
  ReferenceGroup G;
  G.Members.push_back(Index);
  for (const Loop *L : N.Loops)
    G.Strides.push_back(Engine.stride(R.Address, L));
  if (N.Shift)
    G.Strides[1] = atSameCounter(N, R.Address, Engine);
  G.Footprint = R.Bytes;
  G.Guarded = R.Guarded;
  G.Small = sizeOfArray(R).value_or(2 * FirstLevelBytes) <= FirstLevelBytes;
  for (const Loop *L = R.In; L != N.inner(); L = L->getParentLoop()) {
    Stride S = Engine.stride(R.Address, L);
    double Trips = std::max(1u, Engine.tripCount(L));
    if (S.K == Stride::Constant && std::abs(S.Bytes) <= std::max<double>(CacheLineBytes, G.Footprint))
      G.Footprint += std::abs(S.Bytes) * (Trips - 1);
    else if (S.K != Stride::Zero)
      G.Repeats *= Trips;
  }
  return G;
}

void groupReferences(LoopNest &N, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  std::multimap<const SCEV *, unsigned> ByBase;
  for (unsigned K = 0; K < N.References.size(); ++K) {
    if (N.References[K].Local)
      continue;
    Meter::count();
    ReferenceGroup G = makeGroup(N, K, Engine);
    const SCEV *Address = N.References[K].Address, *Base = SE.getPointerBase(Address);
    bool Merged = false;
    auto [First, Last] = ByBase.equal_range(Base);
    for (auto It = First; It != Last && !Merged; ++It) {
      Meter::count();
      ReferenceGroup &H = N.Groups[It->second];
      const SCEV *Other = N.References[H.Members[0]].Address;
      if (H.Strides != G.Strides || Other->getType() != Address->getType())
        continue;
      const auto *Apart = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Address, Other));
      if (!Apart || Apart->getAPInt().abs().getLimitedValue() >= std::max(CacheLineBytes, H.Footprint + CacheLineBytes))
        continue;
      Merged = true;
      H.Members.push_back(K);
      // The span from the first byte to the last, so that the fields of a record count as one wide access.
      double Distance = Apart->getAPInt().abs().getLimitedValue();
      H.Footprint = std::max({H.Footprint, G.Footprint, Distance + G.Footprint});
      H.Repeats = std::max(H.Repeats, G.Repeats);
      H.Guarded &= G.Guarded;
    }
    if (Merged)
      continue;
    ByBase.emplace(Base, N.Groups.size());
    N.Groups.push_back(std::move(G));
  }
}

} // namespace

bool isHarmlessCall(const CallBase &C, const TargetLibraryInfo &TLI) {
  if (C.onlyReadsMemory() || C.onlyAccessesInaccessibleMemory() || isOfTemporary(C))
    return true;
  // Mathematical functions write errno at most.
  LibFunc LF;
  const Function *Callee = C.getCalledFunction();
  if (!Callee)
    return false;
  if (C.getType()->isFloatingPointTy() && TLI.getLibFunc(*Callee, LF))
    return true;
  const LibraryCall *Known = findLibraryCall(Callee);
  return Known && Known->does(LibPure);
}

bool collectReferences(LoopNest &N, Function &F, FunctionAnalysisManager &FAM, StrideEngine &Engine) {
  Collector All(N, F, FAM, Engine);
  if (!All.collect())
    return false;
  groupReferences(N, Engine);
  N.OnlyGuarded = !All.chooses() && none_of(N.Groups, [&](const ReferenceGroup &G) {
    return !G.Guarded && iterationCost(G.Strides[0], G.Footprint) >= 1;
  });
  return true;
}

} // namespace stridewise
