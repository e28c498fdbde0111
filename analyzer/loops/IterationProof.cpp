#include "loops/IterationProof.h"
#include "loops/AddressDistance.h"
#include "loops/MemoryUpdates.h"
#include "unit/Meter.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxReferences = 300, MaxChain = 100;
constexpr unsigned MaxBehind = 4; // blocks behind a loop
constexpr unsigned MaxReduced = 8;
constexpr std::uint64_t MaxReducedBytes = 512; // of an array that each thread has a copy of

// Arrays that a block of the loop declares: their life begins in each iteration anew.
SmallPtrSet<const Value *, 4> ownArrays(const Loop &L) {
  SmallPtrSet<const Value *, 4> Own;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (const auto *II = dyn_cast<IntrinsicInst>(&I); II && II->getIntrinsicID() == Intrinsic::lifetime_start)
        Own.insert(getUnderlyingObject(II->getArgOperand(1)));
  return Own;
}

// A value that is carried from iteration to iteration, and what is made of it within the loop.
class CarriedValue {
public:
  CarriedValue(PHINode &P, const Loop &L) : L(L) { Work.push_back(&P); }
  /// A variable that stays in memory, since a call behind the loop is given its address.
  CarriedValue(AllocaInst &Variable, const Loop &L) : L(L), Variable(&Variable) {
    for (User *U : Variable.users())
      if (auto *I = dyn_cast<Instruction>(U); I && L.contains(I))
        addAccess(*I);
  }

  ReductionKind kind() {
    while (!Work.empty()) {
      Instruction *X = Work.pop_back_val();
      if (!Chain.insert(X).second)
        continue;
      if (Chain.size() > MaxChain)
        return ReductionKind::None;
      for (User *U : X->users())
        if (auto *I = dyn_cast<Instruction>(U); I && L.contains(I) && !follow(I, X))
          return ReductionKind::None;
    }
    return mergesItself() && isKeptInOrder() ? Kind : ReductionKind::None;
  }
  bool contains(const Value *V) const { return Chain.contains(V); }

private:
  void addAccess(Instruction &I) {
    if (isa<LoadInst>(I) && I.getType() == Variable->getAllocatedType())
      Work.push_back(&I);
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->getPointerOperand() == Variable)
      Stores.push_back(Store);
    else if (!isa<LoadInst>(I) || I.getType() != Variable->getAllocatedType())
      Strange = true;
  }
  // Each store in memory is of what the variable has become since it was read before, in the same block.
  bool isKeptInOrder() const {
    return !Strange && all_of(Stores, [&](const StoreInst *Store) {
      unsigned Reads = 0, Writes = 0;
      for (const Instruction &I : *Store->getParent()) {
        Reads += isa<LoadInst>(I) && cast<LoadInst>(I).getPointerOperand() == Variable && !Writes;
        Writes += isa<StoreInst>(I) && cast<StoreInst>(I).getPointerOperand() == Variable;
      }
      return Reads == 1 && Writes == 1 && Chain.contains(Store->getValueOperand());
    });
  }
  bool combines(ReductionKind As, Instruction *I) {
    const bool Ok = Kind == ReductionKind::None || Kind == As;
    Kind = As;
    Work.push_back(I);
    return Ok;
  }
  bool follow(Instruction *I, const Value *X) {
    switch (I->getOpcode()) {
    case Instruction::PHI:
      Work.push_back(I);
      return true;
    case Instruction::FAdd:
    case Instruction::Add:
      return I->getOperand(0) != I->getOperand(1) && combines(ReductionKind::Sum, I);
    case Instruction::FSub:
    case Instruction::Sub:
      return I->getOperand(0) == X && I->getOperand(1) != X && combines(ReductionKind::Sum, I);
    case Instruction::FMul:
    case Instruction::Mul:
      return I->getOperand(0) != I->getOperand(1) && combines(ReductionKind::Product, I);
    case Instruction::ICmp:
    case Instruction::FCmp:
      return choosesBy(*cast<CmpInst>(I));
    case Instruction::Select:
      return choice(*cast<SelectInst>(I), X);
    case Instruction::Call:
      return call(*cast<CallInst>(I), X);
    case Instruction::Store:
      return Variable && is_contained(Stores, cast<StoreInst>(I)) && I->getOperand(0) == X;
    default:
      return false;
    }
  }
  // A comparison that selects between the very values it compares.
  static bool choosesBy(const CmpInst &C) {
    return !C.user_empty() && all_of(C.users(), [&](const User *U) {
      const auto *S = dyn_cast<SelectInst>(U);
      return S && S->getCondition() == &C && extremeOf(*S) != ReductionKind::None;
    });
  }
  static ReductionKind extremeOf(const SelectInst &S) {
    const auto *C = dyn_cast<CmpInst>(S.getCondition());
    if (!C)
      return ReductionKind::None;
    const Value *A = C->getOperand(0), *B = C->getOperand(1);
    const bool Same = S.getTrueValue() == A && S.getFalseValue() == B,
               Swapped = S.getTrueValue() == B && S.getFalseValue() == A;
    if ((!Same && !Swapped) || A == B)
      return ReductionKind::None;
    bool Greater;
    switch (CmpInst::getStrictPredicate(C->getPredicate())) {
    case CmpInst::FCMP_OGT:
    case CmpInst::FCMP_UGT:
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_UGT:
      Greater = true;
      break;
    case CmpInst::FCMP_OLT:
    case CmpInst::FCMP_ULT:
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_ULT:
      Greater = false;
      break;
    default:
      return ReductionKind::None;
    }
    return Greater == Same ? ReductionKind::Greatest : ReductionKind::Least;
  }
  bool choice(SelectInst &S, const Value *X) {
    const ReductionKind Extreme = extremeOf(S);
    if (Extreme != ReductionKind::None)
      return combines(Extreme, &S);
    // `if (c) sum += x`: the sum or the sum before.
    if (S.getCondition() == X)
      return false;
    Work.push_back(&S);
    return true;
  }
  bool call(CallInst &C, const Value *X) {
    const auto *I = dyn_cast<IntrinsicInst>(&C);
    if (!I)
      return false;
    switch (I->getIntrinsicID()) {
    case Intrinsic::fmuladd:
    case Intrinsic::fma:
      return C.getArgOperand(2) == X && C.getArgOperand(0) != X && C.getArgOperand(1) != X &&
             combines(ReductionKind::Sum, &C);
    case Intrinsic::maxnum:
    case Intrinsic::maximum:
    case Intrinsic::smax:
    case Intrinsic::umax:
      return combines(ReductionKind::Greatest, &C);
    case Intrinsic::minnum:
    case Intrinsic::minimum:
    case Intrinsic::smin:
    case Intrinsic::umin:
      return combines(ReductionKind::Least, &C);
    default:
      return I->isAssumeLikeIntrinsic();
    }
  }
  // Where paths come together, each brings the value as it has become; another one would depend on who comes last.
  bool mergesItself() const {
    return all_of(Chain, [&](const Value *V) {
      auto Carries = [&](const Value *In) {
        const auto *I = dyn_cast<Instruction>(In);
        return Chain.contains(In) || (I && !L.contains(I)) || isa<Constant, Argument>(In);
      };
      if (const auto *P = dyn_cast<PHINode>(V))
        return all_of(P->incoming_values(), [&](const Use &In) {
          return Chain.contains(In) ||
                 (P->getParent() == L.getHeader() && Carries(In) && !L.contains(P->getIncomingBlock(In)));
        });
      if (const auto *S = dyn_cast<SelectInst>(V); S && extremeOf(*S) == ReductionKind::None)
        return Chain.contains(S->getTrueValue()) && Chain.contains(S->getFalseValue());
      return true;
    });
  }

  const Loop &L;
  const AllocaInst *Variable = nullptr;
  SmallVector<const StoreInst *, 2> Stores; // to it
  bool Strange = false;                     // something else is done with it
  ReductionKind Kind = ReductionKind::None;
  SmallVector<Instruction *, 8> Work;
  SmallPtrSet<const Value *, 16> Chain;
};

class Judge {
public:
  Judge(const Loop &L, Function &F, FunctionAnalysisManager &FAM, function_ref<bool(const DebugLoc &)> IsOfLoop)
      : L(L), F(F), FAM(FAM), IsOfLoop(IsOfLoop), Engine(StrideEngine::get(F, FAM)) {}

  IterationProof judge() {
    if (!isCounted() || !hasNoEffects() || !carriesNothing() || !isLeftAlone() || !storesWithin())
      return Proof;
    std::optional<std::vector<Reference>> Found = accessesOf(L, F, FAM);
    if (!Found)
      return Proof;
    Proof.References = std::move(*Found);
    llvm::erase_if(Proof.References, [&](const Reference &R) { return InMemory.contains(R.Pointer); });
    leaveOutLocals();
    Proof.Independent = meetNowhere(Proof.References);
    return Proof;
  }

private:
  bool isCounted() const {
    const SCEV *Count = Engine.backedges(&L);
    return L.getExitingBlock() && L.getLoopLatch() && Count && !Engine.varies(Count, &L);
  }
  // A function of mathematics, from numbers to a number: each thread has an errno of its own.
  static bool writesErrnoAtMost(const CallBase &C) {
    return C.getType()->isFloatingPointTy() &&
           none_of(C.args(), [](const Use &A) { return A->getType()->isPointerTy(); });
  }
  bool hasNoEffects() const {
    const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
    for (const BasicBlock *BB : L.blocks())
      for (const Instruction &I : *BB) {
        Meter::count();
        if (I.isVolatile() || I.isAtomic() || isa<FenceInst, AllocaInst, InvokeInst, ResumeInst>(I))
          return false;
        const auto *C = dyn_cast<CallBase>(&I);
        if (!C)
          continue;
        if (const auto *II = dyn_cast<IntrinsicInst>(C); II && (II->isAssumeLikeIntrinsic() || isa<MemIntrinsic>(II)))
          continue;
        if (!isHarmlessCall(*C, TLI) || (C->mayWriteToMemory() && !writesErrnoAtMost(*C)))
          return false;
      }
    return true;
  }
  // False for a value that is no sum, or for too many of them.
  bool addUp(ReductionKind Kind) {
    Proof.Reduction = Proof.Reduction == ReductionKind::None || Proof.Reduction == Kind ? Kind : ReductionKind::Several;
    return Kind != ReductionKind::None && ++Proof.Reduced <= MaxReduced;
  }
  bool carriesNothing() {
    for (PHINode &P : const_cast<Loop &>(L).getHeader()->phis()) {
      if (Engine.scalarEvolution().isSCEVable(P.getType()) && Engine.step(Engine.rewrite(&P), &L))
        continue;
      Carried.emplace_back(P, L);
      if (!addUp(Carried.back().kind()))
        return false;
    }
    for (AllocaInst *Variable : keptVariables()) {
      Carried.emplace_back(*Variable, L);
      if (!addUp(Carried.back().kind()))
        return false;
      InMemory.insert(Variable);
    }
    return true;
  }
  // Numbers in memory that the loop changes, and that it has not for each iteration.
  SmallSetVector<AllocaInst *, 2> keptVariables() const {
    SmallSetVector<AllocaInst *, 2> Out;
    const SmallPtrSet<const Value *, 4> Own = ownArrays(L);
    for (const BasicBlock *BB : L.blocks())
      for (const Instruction &I : *BB)
        if (const auto *Store = dyn_cast<StoreInst>(&I))
          if (auto *Variable = const_cast<AllocaInst *>(dyn_cast<AllocaInst>(Store->getPointerOperand()));
              Variable && !Own.contains(Variable) && Variable->getAllocatedType()->isSingleValueType() &&
              Store->getValueOperand()->getType() == Variable->getAllocatedType())
            Out.insert(Variable);
    return Out;
  }
  // Nothing that an iteration computed is used behind the loop, but for what all of them added up.
  bool isLeftAlone() const {
    for (const BasicBlock *BB : L.blocks())
      for (const Instruction &I : *BB)
        for (const User *U : I.users())
          if (const auto *X = dyn_cast<Instruction>(U); X && !L.contains(X) && !isDebug(*X))
            if (none_of(Carried, [&](const CarriedValue &C) { return C.contains(&I); }))
              return false;
    return true;
  }
  // A counter in memory that each iteration counts on is stored behind the loop, or behind one around it, and may have
  // left no trace in it.
  bool storesWithin() const {
    for (const Loop *Around = &L; Around; Around = Around->getParentLoop()) {
      SmallVector<BasicBlock *, 2> Exits;
      Around->getExitBlocks(Exits);
      for (const BasicBlock *BB : Exits)
        for (unsigned K = 0; BB && K < MaxBehind; ++K, BB = BB->getSingleSuccessor())
          for (const Instruction &I : *BB)
            if (const auto *Store = dyn_cast<StoreInst>(&I);
                Store && !L.contains(BB) && isOfLoop(*Store) && !isResult(*Store))
              return false;
    }
    return true;
  }
  // A store that was moved so far that nobody knows where it comes from is of another loop if its values are.
  bool isOfLoop(const StoreInst &Store) const {
    if (const DebugLoc &At = Store.getDebugLoc(); At && At.getLine())
      return IsOfLoop(At);
    SmallSetVector<const Value *, 8> Values;
    Values.insert(Store.getValueOperand());
    bool Elsewhere = false;
    for (unsigned K = 0; K < Values.size() && K < MaxChain; ++K)
      if (const auto *P = dyn_cast<PHINode>(Values[K])) {
        Values.insert(P->op_begin(), P->op_end());
      } else if (const auto *I = dyn_cast<Instruction>(Values[K])) {
        const Loop *In = Engine.loops().getLoopFor(I->getParent());
        if (!In || In->contains(&L) || L.contains(In) || IsOfLoop(I->getDebugLoc()))
          return true;
        Elsewhere = true;
      }
    return !Elsewhere;
  }
  bool isResult(const StoreInst &Store) const {
    if (any_of(Carried, [&](const CarriedValue &C) { return C.contains(Store.getValueOperand()); }))
      return true;
    const auto *Merged = dyn_cast<PHINode>(Store.getValueOperand());
    return Merged && any_of(Merged->incoming_values(), [&](const Use &In) {
             return any_of(Carried, [&](const CarriedValue &C) { return C.contains(In); });
           });
  }
  static bool isDebug(const Instruction &I) { return isa<DbgInfoIntrinsic>(I); }

  // By the language's rules on aliasing: where a container ends is no number that it holds.
  bool areOfOtherTypes(const Reference &A, const Reference &B) const {
    const std::optional<MemoryLocation> AtA = MemoryLocation::getOrNone(A.At), AtB = MemoryLocation::getOrNone(B.At);
    if (!AtA || !AtB)
      return false;
    SimpleAAQueryInfo Query(FAM.getResult<AAManager>(F));
    return FAM.getResult<TypeBasedAA>(F).alias(*AtA, *AtB, Query, nullptr) == AliasResult::NoAlias;
  }

  // --- arrays of the function ----------------------------------------------------------------------------------

  // Small arrays that are only added to, and those that each iteration fills for itself.
  void leaveOutLocals() {
    SmallPtrSet<const Value *, 4> Left;
    SmallSetVector<const AllocaInst *, 4> Written;
    for (const Reference &R : Proof.References)
      if (const auto *Array = dyn_cast<AllocaInst>(getUnderlyingObject(R.Pointer)); Array && R.Writes)
        Written.insert(Array);
    for (const AllocaInst *Array : Written)
      if (isFilledAnew(*Array) || isAddedTo(*Array))
        Left.insert(Array);
    llvm::erase_if(Proof.References, [&](const Reference &R) { return Left.contains(getUnderlyingObject(R.Pointer)); });
  }

  // In each iteration something is stored before anything is read, and the loop alone knows the array: what its first
  // iteration reads it has stored itself, and so do the others, which take the same way.
  bool isFilledAnew(const AllocaInst &Array) const {
    SmallVector<const Instruction *, 8> Reads, Writes;
    if (!isKnownBy(Array, Reads, Writes))
      return false;
    const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    return all_of(Reads,
                  [&](const Instruction *Read) {
                    return any_of(Writes, [&](const Instruction *Write) {
                      return fills(*Write, *Read) && comesBefore(*Write, *Read, DT);
                    });
                  }) &&
           none_of(concat<const Instruction *>(Reads, Writes),
                   [&](const Instruction *I) { return Engine.varies(Engine.rewrite(placeIn(*I)), &L); });
  }
  static Value *placeIn(const Instruction &I) {
    if (const auto *Set = dyn_cast<MemSetInst>(&I))
      return Set->getRawDest();
    return const_cast<Value *>(getLoadStorePointerOperand(&I));
  }
  // The element that is read, or some of them in a row.
  bool fills(const Instruction &Write, const Instruction &Read) const {
    const SCEV *To = Engine.rewrite(placeIn(Write));
    if (isa<MemSetInst>(Write) || To == Engine.rewrite(placeIn(Read)))
      return true;
    for (const Loop *In = Engine.loops().getLoopFor(Write.getParent()); In && In != &L; In = In->getParentLoop())
      if (Engine.varies(To, In))
        return true;
    return false;
  }
  // Whether only the loop reads and writes the array, and knows where it is.
  bool isKnownBy(const AllocaInst &Array, SmallVectorImpl<const Instruction *> &Reads,
                 SmallVectorImpl<const Instruction *> &Writes) const {
    SmallVector<const Value *, 8> Work{&Array};
    while (!Work.empty())
      for (const User *U : Work.pop_back_val()->users()) {
        const auto *I = dyn_cast<Instruction>(U);
        if (!I)
          return false;
        if (isa<GetElementPtrInst, BitCastInst>(I)) {
          Work.push_back(I);
          continue;
        }
        if (const auto *II = dyn_cast<IntrinsicInst>(I); II && II->isAssumeLikeIntrinsic())
          continue;
        const bool Stores = isa<StoreInst>(I) && getUnderlyingObject(cast<StoreInst>(I)->getPointerOperand()) == &Array;
        const bool Sets = isa<MemSetInst>(I);
        if (!L.contains(I) || (!isa<LoadInst>(I) && !Stores && !Sets))
          return false;
        (isa<LoadInst>(I) ? Reads : Writes).push_back(I);
      }
    return true;
  }
  // In each iteration: by itself, or in a loop that none of them leaves out, or all.
  bool comesBefore(const Instruction &First, const Instruction &Then, const DominatorTree &DT) const {
    if (DT.dominates(&First, &Then))
      return true;
    const Loop *In = Engine.loops().getLoopFor(First.getParent());
    if (!In || In == &L || !L.contains(In))
      return false;
    while (In->getParentLoop() != &L && !In->getParentLoop()->contains(&Then))
      In = In->getParentLoop();
    const BranchInst *Guard = In->getLoopGuardBranch();
    const auto *Asks = Guard ? dyn_cast<ICmpInst>(Guard->getCondition()) : nullptr;
    return Asks && !In->contains(&Then) && DT.dominates(Guard, &Then) &&
           none_of(Asks->operands(), [&](const Use &Op) { return Engine.varies(Op.get(), &L); });
  }

  // A small array whose elements are added to and nothing else: a copy for each thread, added up behind the loop.
  bool isAddedTo(const AllocaInst &Array) {
    const std::optional<TypeSize> Size = Array.getAllocationSize(F.getParent()->getDataLayout());
    if (!Size || Size->isScalable() || Size->getFixedValue() > MaxReducedBytes)
      return false;
    const bool Added = all_of(Proof.References, [&](const Reference &R) {
      return getUnderlyingObject(R.Pointer) != &Array || isAddition(R);
    });
    return Added && addUp(ReductionKind::Sum);
  }
  bool isAddition(const Reference &R) const {
    return updateOf(R.Address, Proof.References) != Update::None && all_of(Proof.References, [&](const Reference &X) {
             const auto *Store = X.Address == R.Address ? dyn_cast<StoreInst>(X.At) : nullptr;
             return !Store || isSum(Store->getValueOperand());
           });
  }
  static bool isSum(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (const auto *II = dyn_cast_or_null<IntrinsicInst>(I))
      return II->getIntrinsicID() == Intrinsic::fmuladd;
    return I && (I->getOpcode() == Instruction::FAdd || I->getOpcode() == Instruction::FSub ||
                 I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub);
  }

  // Two references that meet in elements that are added to, which data choose, and never read otherwise.
  bool meetInSums(const Reference &X, const Reference &Y, ArrayRef<Reference> Refs) const {
    const SCEV *Base = Engine.scalarEvolution().getPointerBase(X.Address);
    const bool Chosen = !Engine.step(X.Address, &L) && !Engine.step(Y.Address, &L);
    return Chosen && Engine.scalarEvolution().getPointerBase(Y.Address) == Base &&
           all_of(Refs, [&](const Reference &R) {
             return Engine.scalarEvolution().getPointerBase(R.Address) != Base ||
                    (isa<LoadInst, StoreInst>(R.At) && isAddition(R) && isFloatingPoint(R));
           });
  }
  static bool isFloatingPoint(const Reference &R) { return getLoadStoreType(R.At)->isFloatingPointTy(); }

  bool meetNowhere(ArrayRef<Reference> Refs) {
    for (std::size_t X = 0; X < Refs.size(); ++X)
      for (std::size_t Y = X; Y < Refs.size(); ++Y) {
        if ((!Refs[X].Writes && !Refs[Y].Writes) || areOfOtherTypes(Refs[X], Refs[Y]))
          continue;
        if (!Meter::spend())
          return false;
        if (meetWithinIteration(Refs[X], Refs[Y], &L, Engine))
          continue;
        if (!meetInSums(Refs[X], Refs[Y], Refs))
          return false;
        Proof.Scatters = true;
      }
    return true;
  }

  const Loop &L;
  Function &F;
  FunctionAnalysisManager &FAM;
  function_ref<bool(const DebugLoc &)> IsOfLoop;
  StrideEngine &Engine;
  IterationProof Proof;
  SmallVector<CarriedValue, 2> Carried;
  SmallPtrSet<const Value *, 2> InMemory; // what is carried in it
};

} // namespace

std::optional<std::vector<Reference>> accessesOf(const Loop &L, Function &F, FunctionAnalysisManager &FAM) {
  StrideEngine &Engine = StrideEngine::get(F, FAM);
  const DataLayout &DL = F.getParent()->getDataLayout();
  const SmallPtrSet<const Value *, 4> Own = ownArrays(L);
  std::vector<Reference> Refs;
  auto Add = [&](Instruction &I, Value *Pointer, std::uint64_t Bytes, bool Reads, bool Writes) {
    if (!Own.contains(getUnderlyingObject(Pointer)))
      Refs.push_back({&I, Pointer, Engine.rewrite(Pointer), static_cast<unsigned>(Bytes), Reads, Writes, false, false,
                      Engine.loops().getLoopFor(I.getParent())});
  };
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      Meter::count();
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Add(I, Load->getPointerOperand(), DL.getTypeStoreSize(Load->getType()), true, false);
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        Add(I, Store->getPointerOperand(), DL.getTypeStoreSize(Store->getValueOperand()->getType()), false, true);
      else if (auto *M = dyn_cast<MemIntrinsic>(&I)) {
        const auto *Length = dyn_cast<ConstantInt>(M->getLength());
        if (!Length)
          return std::nullopt; // as long as the program says: nobody knows what it reaches
        Add(I, M->getDest(), Length->getLimitedValue(), false, true);
        if (auto *T = dyn_cast<MemTransferInst>(M))
          Add(I, T->getSource(), Length->getLimitedValue(), true, false);
      }
      if (Refs.size() > MaxReferences)
        return std::nullopt;
    }
  return Refs;
}

IterationProof proveIterations(const Loop &L, Function &F, FunctionAnalysisManager &FAM,
                               function_ref<bool(const DebugLoc &)> IsOfLoop) {
  return Judge(L, F, FAM, IsOfLoop).judge();
}

} // namespace stridewise
