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

} // namespace

std::optional<ZeroGather> zeroGather(MpiFunction &M, const MpiSite &Sum, AAResults &AA, const DominatorTree &DT,
                                     const TargetLibraryInfo &TLI) {
  const MpiDoes Does = Sum.Sig->Does;
  if ((Does != MpiDoes::Allreduce && Does != MpiDoes::Reduce) || Sum.is(MpiNonblocking) ||
      !isSum(Sum.arg(Sum.Sig->Type + 1)))
    return std::nullopt;
  Value *Count = Sum.arg(Sum.Sig->Count);
  if (!Count || (isa<ConstantInt>(Count) && cast<ConstantInt>(Count)->isOne()))
    return std::nullopt;
  Value *Buffer = Sum.arg(Sum.Sig->Buffer);
  // A constant address is no memory: MPI_IN_PLACE.
  if (Buffer && isa<Constant>(Buffer) && !isa<GlobalValue>(getUnderlyingObject(Buffer)))
    Buffer = Sum.arg(Sum.Sig->RecvBuffer);
  if (!Buffer)
    return std::nullopt;
  const Value *Array = getUnderlyingObject(Buffer);
  const MemoryLocation Whole = MemoryLocation::getBeforeOrAfter(Array);
  ZeroGather Found{nullptr, nullptr};
  // In front of the sum on every path, and again before each sum of a loop.
  const LoopInfo &Loops = M.engine().loops();
  const Loop *Home = Loops.getLoopFor(Sum.Call->getParent());
  auto Precedes = [&](const Instruction &I) {
    return DT.dominates(&I, Sum.Call) && (!Home || Home->contains(I.getParent()));
  };
  const SCEV *Bytes = bytesOf(M, Sum);
  if (!Bytes)
    return std::nullopt;
  auto SetsAll = [&](Instruction &I) {
    return zeroBytes(M, I, TLI) == Bytes && startOf(M.engine(), I) == M.engine().rewrite(Buffer);
  };
  auto *Allocation = const_cast<CallBase *>(dyn_cast<CallBase>(Array));
  if (Allocation && SetsAll(*Allocation) && Precedes(*Allocation))
    Found.Zeros = Allocation;
  SmallVector<Instruction *, 8> Writes;
  for (BasicBlock &Block : M.function())
    for (Instruction &I : Block) {
      if (!I.mayWriteToMemory() || &I == Sum.Call || &I == Array)
        continue;
      Value *Where = written(I);
      if (Where ? getUnderlyingObject(Where) != Array &&
                      AA.alias(Whole, MemoryLocation::getBeforeOrAfter(Where)) == AliasResult::NoAlias
                : !isModSet(AA.getModRefInfo(&I, Whole)))
        continue;
      if (Where && getUnderlyingObject(Where) == Array && SetsAll(I)) {
        const Loop *L = isa<StoreInst>(I) ? Loops.getLoopFor(&Block) : nullptr;
        const Instruction &Fill = L ? start(*L) : I;
        if ((!L || !L->contains(Sum.Call)) && Precedes(Fill))
          Found.Zeros = &Fill;
      } else {
        Writes.push_back(&I);
      }
    }
  if (!Found.Zeros)
    return std::nullopt;
  for (Instruction *I : Writes) {
    // What was there before the zeros is gone.
    if (!M.reaches(I, Sum.Call, [&](const Instruction &At) { return &At == Found.Zeros; }))
      continue;
    Value *Where = written(*I);
    if (!Where || getUnderlyingObject(Where) != Array || !M.dependsOnRank(M.engine().rewrite(Where)))
      return std::nullopt;
    // What is added to what is there counts more than once.
    if (auto *Store = dyn_cast<StoreInst>(I)) {
      auto *Operation = dyn_cast<Instruction>(Store->getValueOperand());
      if (Operation && any_of(Operation->operands(), [&](const Use &Operand) {
            const auto *Load = dyn_cast<LoadInst>(Operand.get());
            return Load && getUnderlyingObject(Load->getPointerOperand()) == Array;
          }))
        return std::nullopt;
    }
    Found.Part = I;
  }
  return Found.Part ? std::optional(Found) : std::nullopt;
}

} // namespace stridewise
