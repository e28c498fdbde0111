#include "checks/mpi-fusable-collectives/ZeroGather.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

// MPICH and its descendants number the predefined operations; Open MPI has an object for each.
bool isSum(const Value *Operation) {
  if (const auto *C = dyn_cast_or_null<ConstantInt>(Operation))
    return C->getZExtValue() == 0x58000003;
  const auto *G = Operation ? dyn_cast<GlobalValue>(Operation->stripPointerCasts()) : nullptr;
  return G && G->getName() == "ompi_mpi_op_sum";
}

bool isZero(const Value *V) {
  const auto *C = dyn_cast<Constant>(V);
  return C && C->isZeroValue();
}

// Where an instruction writes, as far as one address says it.
Value *written(Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getPointerOperand();
  if (auto *Memory = dyn_cast<MemIntrinsic>(&I))
    return Memory->getDest();
  return nullptr;
}

const SCEV *wide(StrideEngine &E, const SCEV *S) {
  ScalarEvolution &SE = E.scalarEvolution();
  Type *Word = Type::getInt64Ty(SE.getContext());
  return S && S->getType()->isIntegerTy() && S->getType()->getIntegerBitWidth() <= 64
             ? E.simplify(SE.getNoopOrSignExtend(S, Word))
             : nullptr;
}

// Bytes of a message whose length is known at run time only.
const SCEV *bytesOf(MpiFunction &M, const MpiSite &S) {
  StrideEngine &E = M.engine();
  std::optional<std::uint64_t> Element = M.typeBytes(S.arg(S.Sig->Type));
  Value *Count = S.arg(S.Sig->Count);
  const SCEV *Elements = Element && Count ? wide(E, E.rewrite(Count)) : nullptr;
  if (!Elements)
    return nullptr;
  ScalarEvolution &SE = E.scalarEvolution();
  return E.simplify(SE.getMulExpr(Elements, SE.getConstant(Elements->getType(), *Element)));
}

// Where an instruction begins to write, with the loop around it that moves it along.
const SCEV *startOf(StrideEngine &E, Instruction &I) {
  Value *Where = written(I);
  const SCEV *S = Where ? E.rewrite(Where) : isa<CallBase>(I) ? E.rewrite(&I) : nullptr;
  const auto *Moves = isa<StoreInst>(I) ? dyn_cast_or_null<SCEVAddRecExpr>(S) : nullptr;
  return Moves && Moves->getLoop() == E.loops().getLoopFor(I.getParent()) ? Moves->getStart() : S;
}

// How many bytes an instruction sets to zero, with the loop around it that moves it along; null where it writes
// something else, or nobody knows.
const SCEV *zeroBytes(MpiFunction &M, Instruction &I, const TargetLibraryInfo &TLI) {
  StrideEngine &E = M.engine();
  ScalarEvolution &SE = E.scalarEvolution();
  LibFunc Allocates;
  if (auto *Set = dyn_cast<MemSetInst>(&I))
    return isZero(Set->getValue()) ? wide(E, E.rewrite(Set->getLength())) : nullptr;
  if (auto *Call = dyn_cast<CallBase>(&I); Call && TLI.getLibFunc(*Call, Allocates) && Allocates == LibFunc_calloc) {
    const SCEV *Count = wide(E, E.rewrite(Call->getArgOperand(0))), *Size = wide(E, E.rewrite(Call->getArgOperand(1)));
    return Count && Size ? E.simplify(SE.getMulExpr(Count, Size)) : nullptr;
  }
  auto *Store = dyn_cast<StoreInst>(&I);
  const Loop *L = Store && isZero(Store->getValueOperand()) ? E.loops().getLoopFor(I.getParent()) : nullptr;
  const SCEV *Step = L ? E.step(E.rewrite(Store->getPointerOperand()), L) : nullptr;
  const SCEV *Again = Step ? wide(E, E.backedges(L)) : nullptr;
  const std::uint64_t Element = Store ? I.getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType()) : 0;
  if (!Again || Step != SE.getConstant(Step->getType(), Element))
    return nullptr;
  const SCEV *Trips = SE.getAddExpr(Again, SE.getOne(Again->getType()));
  return E.simplify(SE.getMulExpr(Trips, SE.getConstant(Trips->getType(), Element)));
}

// What is passed on the way to a loop or past it, where it has no iteration: its guard, or its head.
const Instruction &start(const Loop &L) {
  if (const BranchInst *Guard = L.getLoopGuardBranch())
    return *Guard;
  return *L.getHeader()->getTerminator();
}

// The array that is summed; null where it is none, or nobody knows.
Value *summed(const MpiSite &Sum) {
  const MpiDoes Does = Sum.Sig->Does;
  if ((Does != MpiDoes::Allreduce && Does != MpiDoes::Reduce) || Sum.is(MpiNonblocking) ||
      !isSum(Sum.arg(Sum.Sig->Type + 1)))
    return nullptr;
  const auto *Count = dyn_cast_or_null<ConstantInt>(Sum.arg(Sum.Sig->Count));
  if (Count && Count->isOne())
    return nullptr;
  Value *Buffer = Sum.arg(Sum.Sig->Buffer);
  // A constant address is no memory: MPI_IN_PLACE.
  return Buffer && isa<Constant>(Buffer) && !isa<GlobalValue>(getUnderlyingObject(Buffer))
             ? Sum.arg(Sum.Sig->RecvBuffer)
             : Buffer;
}

// What is written into the array that a call sums.
class Writes {
public:
  Writes(MpiFunction &M, const MpiSite &Sum, Value *Buffer, const SCEV *Bytes, AAResults &AA, const DominatorTree &DT,
         const TargetLibraryInfo &TLI)
      : M(M), Sum(Sum), Buffer(Buffer), Array(getUnderlyingObject(Buffer)),
        Whole(MemoryLocation::getBeforeOrAfter(Array)), Bytes(Bytes), AA(AA), DT(DT), TLI(TLI),
        Home(M.engine().loops().getLoopFor(Sum.Call->getParent())) {
    for (BasicBlock &Block : M.function())
      for (Instruction &I : Block)
        if (setsAll(I))
          note(I);
        else if (&I != Sum.Call && &I != Array && mayWrite(I))
          Others.push_back(&I);
  }

  bool areGathered() const {
    bool HasPart = false;
    for (Instruction *I : Others) {
      // What was there before the zeros is gone.
      if (!Zeros || !M.reaches(I, Sum.Call, [&](const Instruction &At) { return &At == Zeros; }))
        continue;
      if (!isOwnPart(*I) || addsToArray(*I))
        return false;
      HasPart = true;
    }
    return HasPart;
  }

private:
  bool setsAll(Instruction &I) const {
    const Value *Where = written(I);
    return (&I == Array || (Where && getUnderlyingObject(Where) == Array)) && zeroBytes(M, I, TLI) == Bytes &&
           startOf(M.engine(), I) == M.engine().rewrite(Buffer);
  }

  // Zeros count in front of the sum on every path, and again before each sum of a loop.
  void note(Instruction &I) {
    const Loop *L = isa<StoreInst>(I) ? M.engine().loops().getLoopFor(I.getParent()) : nullptr;
    const Instruction &Fill = L ? start(*L) : I;
    if ((!L || !L->contains(Sum.Call)) && DT.dominates(&Fill, Sum.Call) && (!Home || Home->contains(Fill.getParent())))
      Zeros = &Fill;
  }

  bool mayWrite(Instruction &I) const {
    Value *Where = written(I);
    if (!I.mayWriteToMemory() || !Where)
      return I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, Whole));
    return getUnderlyingObject(Where) == Array ||
           AA.alias(Whole, MemoryLocation::getBeforeOrAfter(Where)) != AliasResult::NoAlias;
  }

  bool isOwnPart(Instruction &I) const {
    Value *Where = written(I);
    return Where && getUnderlyingObject(Where) == Array && M.dependsOnRank(M.engine().rewrite(Where));
  }

  // What is added to what is there may be of two ranks.
  bool addsToArray(Instruction &I) const {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Operation = Store ? dyn_cast<Instruction>(Store->getValueOperand()) : nullptr;
    return Operation && any_of(Operation->operands(), [&](const Use &Operand) {
             const auto *Load = dyn_cast<LoadInst>(Operand.get());
             return Load && getUnderlyingObject(Load->getPointerOperand()) == Array;
           });
  }

  MpiFunction &M;
  const MpiSite &Sum;
  Value *Buffer;
  const Value *Array;
  MemoryLocation Whole;
  const SCEV *Bytes;
  AAResults &AA;
  const DominatorTree &DT;
  const TargetLibraryInfo &TLI;
  const Loop *Home;
  const Instruction *Zeros = nullptr;
  SmallVector<Instruction *, 8> Others;
};

} // namespace

bool isZeroGather(MpiFunction &M, const MpiSite &Sum, AAResults &AA, const DominatorTree &DT,
                  const TargetLibraryInfo &TLI) {
  Value *Buffer = summed(Sum);
  const SCEV *Bytes = Buffer ? bytesOf(M, Sum) : nullptr;
  return Bytes && Writes(M, Sum, Buffer, Bytes, AA, DT, TLI).areGathered();
}

} // namespace stridewise
