#include "library/ThinWrappers.h"
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace stridewise {

// Integers pass through changes of their width: a layer may have a type of its own for counts.
static Value *withoutCasts(Value *V) {
  while (isa<SExtInst, ZExtInst, TruncInst, FreezeInst>(V))
    V = cast<Instruction>(V)->getOperand(0);
  return V;
}

static std::string typeName(const Type *T) {
  if (T->isPointerTy())
    return "ptr";
  return T->isIntegerTy()  ? "i" + std::to_string(T->getIntegerBitWidth())
         : T->isDoubleTy() ? "double"
         : T->isFloatTy()  ? "float"
                           : "";
}

// How a function of one collective call uses a variable of its own: for the number that goes in, the one that comes
// out, or both.
struct Variable {
  const AllocaInst *Slot = nullptr;
  const Argument *From = nullptr; // whose value is stored there before the call
  bool Behind = false;            // not its own value, but the number behind it
  bool Computed = false;          // of what the function reads, by itself
  const Argument *To = nullptr;   // behind which its value is stored after the call
  bool Returned = false;
};

// Whether the instruction can run before the call and cannot run behind it.
static bool isAhead(const Instruction &I, const CallBase &Mpi) {
  return I.getParent() == Mpi.getParent() ? I.comesBefore(&Mpi)
                                          : !isPotentiallyReachable(&Mpi, &I) && isPotentiallyReachable(&I, &Mpi);
}

// Of a function that adds up what this rank has before it asks the others: `double dot(a, b)`. It returns the number.
static std::optional<Variable> computedOf(AllocaInst &Slot, const CallBase &Mpi) {
  const Type *T = Slot.getAllocatedType();
  Variable Out{&Slot};
  for (User *U : Slot.users()) {
    auto *I = cast<Instruction>(U);
    if (I == &Mpi || I->isLifetimeStartOrEnd())
      continue;
    const auto *Store = dyn_cast<StoreInst>(I);
    const auto *Load = dyn_cast<LoadInst>(I);
    if ((Store && Store->getPointerOperand() != &Slot) || (!Store && !Load) || getLoadStoreType(I) != T)
      return std::nullopt;
    if (isAhead(*I, Mpi))
      Out.Computed |= Store != nullptr;
    else if (Load && Load->hasOneUse() && isa<ReturnInst>(Load->user_back()))
      Out.Returned = true;
    else
      return std::nullopt;
  }
  return T->isFloatingPointTy() && (Out.Computed || Out.Returned) ? std::optional(Out) : std::nullopt;
}

// Nothing where the variable is used for anything else.
static std::optional<Variable> passingOf(Value *V, const CallBase &Mpi) {
  auto *Slot = dyn_cast<AllocaInst>(V);
  if (!Slot || Slot->isArrayAllocation() || typeName(Slot->getAllocatedType()).empty())
    return std::nullopt;
  Variable Out{Slot};
  for (User *U : Slot->users()) {
    auto *I = cast<Instruction>(U);
    if (I == &Mpi || I->isLifetimeStartOrEnd())
      continue;
    auto *Store = dyn_cast<StoreInst>(I);
    auto *Load = dyn_cast<LoadInst>(I);
    if (I->getParent() != Mpi.getParent())
      return std::nullopt;
    if (Store && Store->getPointerOperand() == Slot && !Out.From && Store->comesBefore(&Mpi)) {
      Value *Given = Store->getValueOperand();
      if (auto *Read = dyn_cast<LoadInst>(Given); Read && Read->isSimple()) {
        Given = Read->getPointerOperand();
        Out.Behind = true;
      }
      Out.From = dyn_cast<Argument>(Given);
      if (!Out.From)
        return std::nullopt;
    } else if (Load && Mpi.comesBefore(Load) && Load->hasOneUse() && Load->getType() == Slot->getAllocatedType()) {
      auto *Use = cast<Instruction>(Load->user_back());
      auto *Back = dyn_cast<StoreInst>(Use);
      Out.Returned |= isa<ReturnInst>(Use);
      if (Back && Back->getValueOperand() == Load)
        Out.To = dyn_cast<Argument>(Back->getPointerOperand());
      if (!isa<ReturnInst>(Use) && !Out.To)
        return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return Out;
}

static std::optional<Variable> variableOf(Value *V, const CallBase &Mpi) {
  std::optional<Variable> Out = passingOf(V, Mpi);
  auto *Slot = dyn_cast<AllocaInst>(V);
  if (Out || !Slot || Slot->isArrayAllocation())
    return Out;
  const MpiSignature *Sig = findMpiCall(Mpi);
  return Sig && Sig->Does == MpiDoes::Allreduce ? computedOf(*Slot, Mpi) : std::nullopt;
}

// Of Fortran, where a call hands its error code over: a variable of the function's own or of the program, or what the
// last argument names.
static const StoreInst *errorOf(const CallBase &Mpi) {
  for (const User *U : Mpi.users())
    if (const auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Mpi)
      if (isa<AllocaInst, GlobalVariable, Argument>(Store->getPointerOperand()))
        return Store;
  return nullptr;
}

static bool isOfVariable(const Instruction &I, const CallBase &Mpi) {
  const auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return false;
  if (Store == errorOf(Mpi))
    return true;
  for (Value *V : Mpi.args())
    if (std::optional<Variable> Own = variableOf(V, Mpi))
      if (Store->getPointerOperand() == Own->Slot || (Own->To && Store->getPointerOperand() == Own->To))
        return true;
  return false;
}

// A buffer of the function's own whose elements go, after the call, one by one to where an argument points.
struct Copied {
  const Argument *To;
  const Instruction *By;
};

// `for (i = 0; i < count; i++) to[i] = buffer[i]`, with the count of the call.
static bool copiesAll(const GetElementPtrInst &From, const GetElementPtrInst &To, const Value *Count) {
  const auto *Index =
      From.getNumIndices() ? dyn_cast<PHINode>(withoutCasts(From.getOperand(From.getNumOperands() - 1))) : nullptr;
  const BasicBlock *Body = From.getParent();
  if (!Index || Index->getParent() != Body || Index->getNumIncomingValues() != 2 ||
      Index->getBasicBlockIndex(Body) < 0 || To.getNumIndices() != 1 || withoutCasts(To.getOperand(1)) != Index ||
      To.getResultElementType() != From.getResultElementType())
    return false;
  const Value *Next = Index->getIncomingValueForBlock(Body);
  const auto *First = dyn_cast<ConstantInt>(Index->getIncomingValue(1 - unsigned(Index->getBasicBlockIndex(Body))));
  const auto *Step = dyn_cast<BinaryOperator>(Next);
  const auto *End = dyn_cast<BranchInst>(Body->getTerminator());
  const auto *Test = End && End->isConditional() ? dyn_cast<ICmpInst>(End->getCondition()) : nullptr;
  return First && First->isZero() && Step && Step->getOpcode() == Instruction::Add && Step->getOperand(0) == Index &&
         match(Step->getOperand(1), PatternMatch::m_One()) && Test && Test->getOperand(0) == Next &&
         withoutCasts(Test->getOperand(1)) == Count;
}

static std::optional<Copied> copiedTo(Value *Buffer, const CallBase &Mpi) {
  const MpiSignature *Sig = findMpiCall(Mpi);
  const auto *Slot = dyn_cast<AllocaInst>(Buffer);
  if (!Slot || !Slot->getAllocatedType()->isArrayTy() || Sig->Count < 0)
    return std::nullopt;
  const Value *Count = withoutCasts(Mpi.getArgOperand(unsigned(Sig->Count)));
  std::optional<Copied> Out;
  for (const User *U : Slot->users()) {
    const auto *I = cast<Instruction>(U);
    if (I == &Mpi || I->isLifetimeStartOrEnd())
      continue;
    const auto *From = dyn_cast<GetElementPtrInst>(I);
    const auto *Load = From && From->hasOneUse() ? dyn_cast<LoadInst>(From->user_back()) : nullptr;
    const auto *Store = Load && Load->hasOneUse() ? dyn_cast<StoreInst>(Load->user_back()) : nullptr;
    const auto *To = Store ? dyn_cast<GetElementPtrInst>(Store->getPointerOperand()) : nullptr;
    const auto *Array = To ? dyn_cast<Argument>(To->getPointerOperand()) : nullptr;
    if (Out || !Array || Store->getValueOperand() != Load || !copiesAll(*From, *To, Count))
      return std::nullopt;
    Out = Copied{Array, Store};
  }
  return Out;
}

// Where the function has loaded a value from before: a variable of the unit, or a member of what an argument points to,
// or a member of such a member, as Fortran's objects are handed over by descriptors: "m0.0.8". A variable that other
// units do not see goes by a name that it has nowhere else.
static std::string placeOf(const LoadInst &Load) {
  if (!Load.isSimple() || typeName(Load.getType()).empty())
    return "";
  if (const auto *G = dyn_cast<GlobalVariable>(Load.getPointerOperand()))
    return "l" + (G->hasLocalLinkage()
                      ? G->getName() + ".of." + utohexstr(xxh3_64bits(G->getParent()->getSourceFileName()))
                      : G->getName())
                     .str();
  std::string Offsets;
  for (const LoadInst *Member = &Load; Member && Member->isSimple();) {
    APInt Offset(64, 0);
    const Value *Base =
        Member->getPointerOperand()->stripAndAccumulateConstantOffsets(Load.getModule()->getDataLayout(), Offset, true);
    const bool Deep = !Offsets.empty();
    Offsets = "." + std::to_string(Offset.getSExtValue()) + Offsets;
    if (const auto *A = dyn_cast<Argument>(Base))
      return "m" + std::to_string(A->getArgNo()) + Offsets;
    Member = Deep ? nullptr : dyn_cast<LoadInst>(Base);
  }
  return "";
}

static std::string originOf(Value *V, const CallBase &Mpi) {
  const Type *Wanted = V->getType();
  V = withoutCasts(V);
  if (std::optional<Variable> Own = variableOf(V, Mpi))
    return "v" +
           std::string(Own->Computed ? "="
                       : Own->Behind ? "*"
                                     : "") +
           (Own->From ? std::to_string(Own->From->getArgNo()) : "") + "." + typeName(Own->Slot->getAllocatedType());
  if (std::optional<Copied> Copy = copiedTo(V, Mpi))
    return "a" + std::to_string(Copy->To->getArgNo());
  if (const auto *A = dyn_cast<Argument>(V))
    return "a" + std::to_string(A->getArgNo());
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return Load->getType() == Wanted ? placeOf(*Load) : "";
  if (isa<ConstantPointerNull>(V))
    return "n";
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return C->getBitWidth() <= 64 ? "c" + std::to_string(C->getSExtValue()) : "";
  if (const auto *G = dyn_cast<GlobalVariable>(V))
    return G->hasExternalLinkage() && G->isDeclaration() ? "g" + G->getName().str() : "";
  if (const auto *E = dyn_cast<ConstantExpr>(V); E && E->getOpcode() == Instruction::IntToPtr)
    if (const auto *C = dyn_cast<ConstantInt>(E->getOperand(0)))
      return "p" + std::to_string(C->getSExtValue());
  return "";
}

// The store that takes what the call has brought out of a buffer of the function's own.
static const Instruction *copyOf(const CallBase &Mpi) {
  for (Value *V : Mpi.args())
    if (std::optional<Copied> Copy = copiedTo(V, Mpi))
      return Copy->By;
  return nullptr;
}

// The one MPI call outside of what ends the program.
static const CallBase *mpiCallOf(Function &F) {
  const CallBase *Mpi = nullptr;
  for (Instruction &I : instructions(F))
    if (const auto *C = dyn_cast<CallBase>(&I); C && findMpiCall(*C) && !isErrorPath(*I.getParent())) {
      if (Mpi)
        return nullptr;
      Mpi = C;
    }
  return !Mpi || (findMpiCall(*Mpi)->Traits & MpiLifecycle) ? nullptr : Mpi;
}

// `if (to != MPI_PROC_NULL)` or `if (to >= 0)` around the call: it is passed by for what is no rank, to which MPI would
// send nothing either.
static bool isLeftOutForNoRank(const BasicBlock &Asks, const CallBase &Mpi) {
  const auto *Branch = dyn_cast<BranchInst>(Asks.getTerminator());
  const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  const MpiSignature *Sig = findMpiCall(Mpi);
  const auto *Bound = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
  if (!Bound || Sig->Peer < 0 || (Sig->Traits & MpiCollective) ||
      withoutCasts(Compare->getOperand(0)) != withoutCasts(Mpi.getArgOperand(unsigned(Sig->Peer))))
    return false;
  const bool CallsIfTrue = Branch->getSuccessor(0) == Mpi.getParent();
  if (!CallsIfTrue && Branch->getSuccessor(1) != Mpi.getParent())
    return false;
  const ConstantRange Calls = ConstantRange::makeExactICmpRegion(
      CallsIfTrue ? Compare->getPredicate() : Compare->getInversePredicate(), Bound->getValue());
  const unsigned Bits = Bound->getBitWidth();
  return Calls.contains(ConstantRange(APInt::getZero(Bits), APInt::getSignedMinValue(Bits)));
}

// The one MPI call that runs whenever the function returns. What runs besides it runs on what it returned: the report
// of an error; or in front of it, when the program is to end; or it takes the result out of a buffer.
static const CallBase *onlyCall(Function &F) {
  const CallBase *Mpi = mpiCallOf(F);
  if (!Mpi)
    return nullptr;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  const Instruction *Copy = copyOf(*Mpi);
  const bool Computes = any_of(Mpi->args(), [&](const Use &U) {
    std::optional<Variable> Own = variableOf(U.get(), *Mpi);
    return Own && Own->Computed;
  });
  if (any_of(LI.getLoopsInPreorder(),
             [&](const Loop *L) { return Computes ? L->contains(Mpi) : !Copy || L->getHeader() != Copy->getParent(); }))
    return nullptr;
  const BasicBlock *Asks = Mpi->getParent()->getSinglePredecessor();
  const bool Guarded = Asks && isLeftOutForNoRank(*Asks, *Mpi);
  for (BasicBlock &BB : F) {
    if (!DT.isReachableFromEntry(&BB) || isa<UnreachableInst>(BB.getTerminator()) || isErrorPath(BB))
      continue;
    if (isa<ReturnInst>(BB.getTerminator()) && !DT.dominates(Guarded ? Asks : Mpi->getParent(), &BB))
      return nullptr;
    bool Behind = &BB != Mpi->getParent() && DT.dominates(Mpi->getParent(), &BB);
    bool Always = Guarded || !Behind || all_of(F, [&](const BasicBlock &End) {
                    return !isa<ReturnInst>(End.getTerminator()) || DT.dominates(&BB, &End);
                  });
    for (Instruction &I : BB)
      if (Always && &I != Mpi && I.mayHaveSideEffects() && !isa<DbgInfoIntrinsic>(I) && !I.isLifetimeStartOrEnd() &&
          !isOfVariable(I, *Mpi))
        return nullptr;
  }
  return Mpi;
}

// Whether the call's error code is stored behind an argument of the function: ">r.3" of the fourth one.
static std::string errorBehind(const CallBase &Mpi) {
  const StoreInst *Error = errorOf(Mpi);
  const auto *To = Error ? dyn_cast<Argument>(Error->getPointerOperand()) : nullptr;
  return To ? ">r." + std::to_string(To->getArgNo()) : "";
}

// "" unless the function returns nothing, what the call returned, a constant, or the number that the call has brought.
// What it stores behind an argument comes after that: "c0>1.0" stores the variable at the call's argument 1 behind the
// function's argument 0.
static std::string returns(const Function &F, const CallBase &Mpi) {
  for (const Use &U : Mpi.args())
    if (std::optional<Variable> Own = variableOf(U.get(), Mpi)) {
      const std::string At = std::to_string(Mpi.getArgOperandNo(&U));
      if (Own->Returned)
        return Own->To ? "" : "v" + At;
      if (Own->To)
        return F.getReturnType()->isVoidTy() ? "c0>" + At + "." + std::to_string(Own->To->getArgNo()) + errorBehind(Mpi)
                                             : "";
    }
  std::string All = F.getReturnType()->isVoidTy() ? "c0" + errorBehind(Mpi) : "";
  for (const BasicBlock &BB : F) {
    const auto *R = dyn_cast<ReturnInst>(BB.getTerminator());
    if (!R || !R->getReturnValue())
      continue;
    Value *V = withoutCasts(R->getReturnValue());
    const auto *C = dyn_cast<ConstantInt>(V);
    std::string This = V == &Mpi ? "r" : C && C->getBitWidth() <= 64 ? "c" + std::to_string(C->getSExtValue()) : "";
    if (This.empty() || (!All.empty() && All != This))
      return "";
    All = This;
  }
  return All;
}

std::vector<std::string> thinWrappers(Module &M) {
  std::vector<std::string> Out;
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasExternalLinkage() || F.isVarArg() || findMpiCall(F.getName()))
      continue;
    const CallBase *C = onlyCall(F);
    if (!C || C->getFunctionType()->isVarArg())
      continue;
    std::string Returns = returns(F, *C), Arguments;
    bool Plain = !Returns.empty() && !typeName(C->getType()).empty();
    for (const Use &U : C->args()) {
      std::string Origin = originOf(U.get(), *C), T = typeName(U->getType());
      Plain &= !Origin.empty() && !T.empty();
      Arguments += (Arguments.empty() ? "" : ",") + T + " " + Origin;
    }
    if (Plain)
      Out.push_back(
          (F.getName() + "=" + findMpiCall(*C)->Name + ":" + typeName(C->getType()) + " " + Returns + ":" + Arguments)
              .str());
  }
  return Out;
}

std::vector<std::string> foreignFunctions(const Module &M) {
  std::vector<std::string> Out;
  for (const Function &F : M)
    if (F.isDeclaration() && !F.use_empty() && !F.isIntrinsic() && !F.getName().starts_with("__") &&
        !findMpiCall(F.getName()) && !findLibraryCall(&F) && !isStandardCxx(F))
      Out.push_back(F.getName().str());
  return Out;
}

} // namespace stridewise
