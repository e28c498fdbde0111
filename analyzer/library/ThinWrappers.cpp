#include "library/ThinWrappers.h"
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace stridewise {

static constexpr StringLiteral PassedArguments = "stridewise.passed", WrapperName = "stridewise.wrapper";

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
  const Argument *To = nullptr;   // behind which its value is stored after the call
  bool Returned = false;
};

// Nothing where the variable is used for anything else.
static std::optional<Variable> variableOf(Value *V, const CallBase &Mpi) {
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

// Where the function has loaded a value from before: a variable of the unit, or a member of what an argument points to.
// A variable that other units do not see goes by a name that it has nowhere else.
static std::string placeOf(const LoadInst &Load) {
  if (!Load.isSimple() || typeName(Load.getType()).empty())
    return "";
  if (const auto *G = dyn_cast<GlobalVariable>(Load.getPointerOperand()))
    return "l" + (G->hasLocalLinkage()
                      ? G->getName() + ".of." + utohexstr(xxh3_64bits(G->getParent()->getSourceFileName()))
                      : G->getName())
                     .str();
  APInt Offset(64, 0);
  const Value *Base =
      Load.getPointerOperand()->stripAndAccumulateConstantOffsets(Load.getModule()->getDataLayout(), Offset, true);
  const auto *A = dyn_cast<Argument>(Base);
  return A ? "m" + std::to_string(A->getArgNo()) + "." + std::to_string(Offset.getSExtValue()) : "";
}

static std::string originOf(Value *V, const CallBase &Mpi) {
  const Type *Wanted = V->getType();
  V = withoutCasts(V);
  if (std::optional<Variable> Own = variableOf(V, Mpi))
    return "v" + std::string(Own->Behind ? "*" : "") + (Own->From ? std::to_string(Own->From->getArgNo()) : "") + "." +
           typeName(Own->Slot->getAllocatedType());
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
  if (any_of(LI.getLoopsInPreorder(), [&](const Loop *L) { return !Copy || L->getHeader() != Copy->getParent(); }))
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

std::optional<unsigned> passedArgument(const CallBase &C, unsigned Position) {
  const MDNode *Passed = C.getMetadata(PassedArguments);
  if (!Passed)
    return Position;
  if (Position >= Passed->getNumOperands())
    return std::nullopt;
  const std::int64_t Number = mdconst::extract<ConstantInt>(Passed->getOperand(Position))->getSExtValue();
  return Number < 0 ? std::nullopt : std::optional(unsigned(Number));
}

StringRef wrapperOf(const CallBase &C) {
  const MDNode *Name = C.getMetadata(WrapperName);
  return Name ? cast<MDString>(Name->getOperand(0))->getString() : StringRef();
}

std::vector<std::string> foreignFunctions(const Module &M) {
  std::vector<std::string> Out;
  for (const Function &F : M)
    if (F.isDeclaration() && !F.use_empty() && !F.isIntrinsic() && !F.getName().starts_with("__") &&
        !findMpiCall(F.getName()) && !findLibraryCall(&F) && !isStandardCxx(F))
      Out.push_back(F.getName().str());
  return Out;
}

// --- the bodies ------------------------------------------------------------------------------------------------------

static Type *typeOf(StringRef Name, LLVMContext &C) {
  unsigned Bits = 0;
  if (Name == "ptr")
    return PointerType::getUnqual(C);
  if (Name == "double" || Name == "float")
    return Name == "double" ? Type::getDoubleTy(C) : Type::getFloatTy(C);
  return Name.consume_front("i") && !Name.getAsInteger(10, Bits) && Bits && Bits <= 64 ? IntegerType::get(C, Bits)
                                                                                       : nullptr;
}

// A variable of the function's own, into which an argument goes where it is named.
static Value *variable(StringRef Text, Function &F, IRBuilder<> &B) {
  const bool Behind = Text.consume_front("*");
  auto [Number, TypeText] = Text.split('.');
  Type *T = typeOf(TypeText, F.getContext());
  if (!T)
    return nullptr;
  AllocaInst *Slot = B.CreateAlloca(T);
  unsigned From = 0;
  if (Number.empty())
    return Slot;
  if (Number.getAsInteger(10, From) || From >= F.arg_size() ||
      (Behind ? !F.getArg(From)->getType()->isPointerTy() : F.getArg(From)->getType() != T))
    return nullptr;
  Value *Given = F.getArg(From);
  B.CreateStore(Behind ? B.CreateLoad(T, Given) : Given, Slot);
  return Slot;
}

// A load of a handle or a number, which a store of floating-point numbers does not change: as the compiler would have
// marked it, by the root of the marks that the unit's own code has.
static LoadInst *load(Type *T, Value *From, Function &F, IRBuilder<> &B) {
  LoadInst *Load = B.CreateLoad(T, From);
  MDNode *Mark = nullptr;
  for (Function &Other : *F.getParent())
    for (Instruction &I : instructions(Other))
      if (MDNode *Found = Mark ? nullptr : I.getMetadata(LLVMContext::MD_tbaa))
        Mark = Found;
  // An access names its type, a type what it is a kind of.
  const auto *Access = Mark && Mark->getNumOperands() > 1 ? dyn_cast<MDNode>(Mark->getOperand(1)) : nullptr;
  auto *Kind = const_cast<MDNode *>(Access);
  while (Kind && Kind->getNumOperands() > 1) {
    auto *Wider = dyn_cast<MDNode>(Kind->getOperand(1));
    if (!Wider || Wider->getNumOperands() == 1)
      break;
    Kind = Wider;
  }
  if (Kind && (T->isPointerTy() || T->isIntegerTy(32))) {
    MDBuilder Make(F.getContext());
    MDNode *Own = Make.createTBAAScalarTypeNode(T->isPointerTy() ? "any pointer" : "int", Kind);
    Load->setMetadata(LLVMContext::MD_tbaa, Make.createTBAAStructTagNode(Own, Own, 0));
  }
  return Load;
}

// What lies so many bytes behind where an argument points.
static Value *member(StringRef Text, Type *T, Function &F, IRBuilder<> &B) {
  auto [Number, OffsetText] = Text.split('.');
  unsigned From = 0;
  std::int64_t Offset = 0;
  if (Number.getAsInteger(10, From) || From >= F.arg_size() || !F.getArg(From)->getType()->isPointerTy() ||
      OffsetText.getAsInteger(10, Offset))
    return nullptr;
  return load(T, B.CreateConstGEP1_64(B.getInt8Ty(), F.getArg(From), std::uint64_t(Offset)), F, B);
}

// The number of the function's argument that an argument of the call is, or holds; -1.
static int passedIn(StringRef Origin) {
  int Number = -1;
  if (!Origin.consume_front("a") && !Origin.consume_front("v"))
    return -1;
  return Origin.split('.').first.getAsInteger(10, Number) ? -1 : Number;
}

static Value *valueOf(StringRef Origin, Type *T, Function &F, IRBuilder<> &B) {
  char Kind = Origin.empty() ? 0 : Origin.front();
  StringRef Rest = Origin.drop_front(Kind ? 1 : 0);
  std::int64_t Number = 0;
  if (Kind == 'n')
    return T->isPointerTy() ? ConstantPointerNull::get(cast<PointerType>(T)) : nullptr;
  if (Kind == 'g')
    return T->isPointerTy() ? F.getParent()->getOrInsertGlobal(Rest, B.getInt8Ty()) : nullptr;
  if (Kind == 'v')
    return T->isPointerTy() ? variable(Rest, F, B) : nullptr;
  if (Kind == 'l')
    return load(T, F.getParent()->getOrInsertGlobal(Rest, T), F, B);
  if (Kind == 'm')
    return member(Rest, T, F, B);
  if (Rest.getAsInteger(10, Number))
    return nullptr;
  if (Kind == 'c')
    return T->isIntegerTy() ? ConstantInt::getSigned(T, Number) : nullptr;
  if (Kind == 'p')
    return T->isPointerTy() ? ConstantExpr::getIntToPtr(B.getInt64(std::uint64_t(Number)), T) : nullptr;
  if (Kind != 'a' || Number < 0 || std::size_t(Number) >= F.arg_size())
    return nullptr;
  Value *V = F.getArg(unsigned(Number));
  if (V->getType() == T)
    return V;
  return V->getType()->isIntegerTy() && T->isIntegerTy() ? B.CreateIntCast(V, T, /*isSigned=*/true) : nullptr;
}

// The variable of the function's own that stands at a position of the call.
static AllocaInst *slotAt(StringRef Position, ArrayRef<Value *> Values) {
  unsigned At = 0;
  return Position.getAsInteger(10, At) || At >= Values.size() ? nullptr : dyn_cast<AllocaInst>(Values[At]);
}

// What goes behind arguments of the function: ">1.0>r.2", what the call has left in a variable, and its own result.
static void storeBack(StringRef Returns, Function &F, CallInst *Call, ArrayRef<Value *> Values, IRBuilder<> &B) {
  SmallVector<StringRef, 3> Stores;
  Returns.split(Stores, '>');
  for (StringRef Back : drop_begin(Stores)) {
    auto [Position, Argument] = Back.split('.');
    unsigned To = 0;
    if (Argument.getAsInteger(10, To) || To >= F.arg_size() || !F.getArg(To)->getType()->isPointerTy())
      continue;
    if (AllocaInst *Slot = slotAt(Position, Values))
      B.CreateStore(B.CreateLoad(Slot->getAllocatedType(), Slot), F.getArg(To));
    else if (Position == "r")
      B.CreateStore(Call, F.getArg(To));
  }
}

static bool unfold(Function &F, StringRef Text) {
  SmallVector<StringRef, 3> Parts;
  Text.split(Parts, ':');
  if (Parts.size() != 3 || !findMpiCall(Parts[0]))
    return false;
  LLVMContext &C = F.getContext();
  auto [TypeText, Returns] = Parts[1].split(' ');
  Type *Result = typeOf(TypeText, C), *Wanted = F.getReturnType();
  if (!Result || !(Wanted->isVoidTy() || Wanted->isIntegerTy() || Returns.starts_with("v")))
    return false;
  F.setSubprogram(nullptr); // so that what is inlined gets the place of the call
  IRBuilder<> B(BasicBlock::Create(C, "entry", &F));
  SmallVector<StringRef, 16> Arguments;
  Parts[2].split(Arguments, ',', -1, /*KeepEmpty=*/false);
  SmallVector<Type *, 16> Types;
  SmallVector<Value *, 16> Values;
  SmallVector<Metadata *, 16> Passed;
  for (StringRef Each : Arguments) {
    auto [Name, Origin] = Each.split(' ');
    Type *T = typeOf(Name, C);
    Value *V = T ? valueOf(Origin, T, F, B) : nullptr;
    if (!V) {
      F.deleteBody();
      return false;
    }
    Types.push_back(T);
    Values.push_back(V);
    Passed.push_back(ConstantAsMetadata::get(ConstantInt::getSigned(B.getInt32Ty(), passedIn(Origin))));
  }
  FunctionType *Signature = FunctionType::get(Result, Types, false);
  FunctionCallee Callee = F.getParent()->getOrInsertFunction(Parts[0], Signature);
  CallInst *Call = B.CreateCall(Signature, Callee.getCallee(), Values);
  Call->setMetadata(PassedArguments, MDNode::get(C, Passed));
  Call->setMetadata(WrapperName, MDNode::get(C, MDString::get(C, F.getName())));
  std::int64_t Number = 0;
  storeBack(Returns, F, Call, Values, B);
  if (StringRef Position = Returns; Position.consume_front("v")) {
    AllocaInst *Slot = slotAt(Position, Values);
    if (!Slot || Slot->getAllocatedType() != Wanted) {
      F.deleteBody();
      return false;
    }
    B.CreateRet(B.CreateLoad(Wanted, Slot));
  } else if (Wanted->isVoidTy())
    B.CreateRetVoid();
  else if (Returns == "r" && Result->isIntegerTy())
    B.CreateRet(B.CreateIntCast(Call, Wanted, /*isSigned=*/true));
  else
    B.CreateRet(Returns.consume_front("c") && !Returns.getAsInteger(10, Number) ? ConstantInt::getSigned(Wanted, Number)
                                                                                : Constant::getNullValue(Wanted));
  F.setLinkage(GlobalValue::AvailableExternallyLinkage);
  F.addFnAttr(Attribute::AlwaysInline);
  return true;
}

std::vector<std::string> unfoldWrappers(Module &M, ArrayRef<std::string> Wrappers) {
  std::vector<std::string> Out;
  for (StringRef Each : Wrappers) {
    auto [Name, Text] = Each.split('=');
    Function *F = M.getFunction(Name);
    if (F && F->isDeclaration() && !F->isVarArg() && unfold(*F, Text))
      Out.push_back(Name.str());
  }
  return Out;
}

void foldWrappers(Module &M, ArrayRef<std::string> Unfolded) {
  for (StringRef Name : Unfolded)
    if (Function *F = M.getFunction(Name)) {
      F->deleteBody();
      F->removeFnAttr(Attribute::AlwaysInline);
    }
}

} // namespace stridewise
