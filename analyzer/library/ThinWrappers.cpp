#include "library/ThinWrappers.h"
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

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
      Out.From = dyn_cast<Argument>(Store->getValueOperand());
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

static bool isOfVariable(const Instruction &I, const CallBase &Mpi) {
  const auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return false;
  for (Value *V : Mpi.args())
    if (std::optional<Variable> Own = variableOf(V, Mpi))
      if (Store->getPointerOperand() == Own->Slot || (Own->To && Store->getPointerOperand() == Own->To))
        return true;
  return false;
}

static std::string originOf(Value *V, unsigned Position, const CallBase &Mpi) {
  V = withoutCasts(V);
  if (std::optional<Variable> Own = variableOf(V, Mpi)) {
    if (Own->From && Own->From->getArgNo() != Position)
      return "";
    return "v" + (Own->From ? std::to_string(Own->From->getArgNo()) : "") + "." +
           typeName(Own->Slot->getAllocatedType());
  }
  if (const auto *A = dyn_cast<Argument>(V)) // in another place the text of the call would name another argument
    return A->getArgNo() == Position ? "a" + std::to_string(Position) : "";
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

// The one MPI call that runs whenever the function returns. What runs besides it runs on what it returned: the report
// of an error.
static const CallBase *onlyCall(Function &F) {
  const CallBase *Mpi = nullptr;
  for (Instruction &I : instructions(F))
    if (const auto *C = dyn_cast<CallBase>(&I); C && findMpiCall(*C)) {
      if (Mpi)
        return nullptr;
      Mpi = C;
    }
  if (!Mpi || (findMpiCall(*Mpi)->Traits & MpiLifecycle))
    return nullptr;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  if (!LI.empty())
    return nullptr;
  for (BasicBlock &BB : F) {
    if (!DT.isReachableFromEntry(&BB) || isa<UnreachableInst>(BB.getTerminator()))
      continue;
    if (isa<ReturnInst>(BB.getTerminator()) && !DT.dominates(Mpi->getParent(), &BB))
      return nullptr;
    bool Behind = &BB != Mpi->getParent() && DT.dominates(Mpi->getParent(), &BB);
    bool Always = !Behind || all_of(F, [&](const BasicBlock &End) {
      return !isa<ReturnInst>(End.getTerminator()) || DT.dominates(&BB, &End);
    });
    for (Instruction &I : BB)
      if (Always && &I != Mpi && I.mayHaveSideEffects() && !isa<DbgInfoIntrinsic>(I) && !I.isLifetimeStartOrEnd() &&
          !isOfVariable(I, *Mpi))
        return nullptr;
  }
  return Mpi;
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
        return F.getReturnType()->isVoidTy() ? "c0>" + At + "." + std::to_string(Own->To->getArgNo()) : "";
    }
  std::string All = F.getReturnType()->isVoidTy() ? "c0" : "";
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
      std::string Origin = originOf(U.get(), C->getArgOperandNo(&U), *C), T = typeName(U->getType());
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
  auto [Number, TypeText] = Text.split('.');
  Type *T = typeOf(TypeText, F.getContext());
  if (!T)
    return nullptr;
  AllocaInst *Slot = B.CreateAlloca(T);
  unsigned From = 0;
  if (Number.empty())
    return Slot;
  if (Number.getAsInteger(10, From) || From >= F.arg_size() || F.getArg(From)->getType() != T)
    return nullptr;
  B.CreateStore(F.getArg(From), Slot);
  return Slot;
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
  IRBuilder<> B(BasicBlock::Create(C, "entry", &F));
  SmallVector<StringRef, 16> Arguments;
  Parts[2].split(Arguments, ',', -1, /*KeepEmpty=*/false);
  SmallVector<Type *, 16> Types;
  SmallVector<Value *, 16> Values;
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
  }
  FunctionType *Signature = FunctionType::get(Result, Types, false);
  FunctionCallee Callee = F.getParent()->getOrInsertFunction(Parts[0], Signature);
  CallInst *Call = B.CreateCall(Signature, Callee.getCallee(), Values);
  std::int64_t Number = 0;
  const auto slotAt = [&](StringRef Position) {
    unsigned At = 0;
    return Position.getAsInteger(10, At) || At >= Values.size() ? nullptr : dyn_cast<AllocaInst>(Values[At]);
  };
  if (auto [Before, Back] = Returns.split('>'); !Back.empty()) {
    auto [Position, Argument] = Back.split('.');
    unsigned To = 0;
    if (AllocaInst *Slot = slotAt(Position);
        Slot && !Argument.getAsInteger(10, To) && To < F.arg_size() && F.getArg(To)->getType()->isPointerTy())
      B.CreateStore(B.CreateLoad(Slot->getAllocatedType(), Slot), F.getArg(To));
  }
  if (StringRef Position = Returns; Position.consume_front("v")) {
    AllocaInst *Slot = slotAt(Position);
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
