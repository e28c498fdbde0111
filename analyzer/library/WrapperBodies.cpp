#include "library/MpiCall.h"
#include "library/ThinWrappers.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

// The bodies that functions of other units get.

using namespace llvm;

namespace stridewise {

static constexpr StringLiteral PassedArguments = "stridewise.passed", WrapperName = "stridewise.wrapper";

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

static Type *typeOf(StringRef Name, LLVMContext &C) {
  unsigned Bits = 0;
  if (Name == "ptr")
    return PointerType::getUnqual(C);
  if (Name == "double" || Name == "float")
    return Name == "double" ? Type::getDoubleTy(C) : Type::getFloatTy(C);
  return Name.consume_front("i") && !Name.getAsInteger(10, Bits) && Bits && Bits <= 64 ? IntegerType::get(C, Bits)
                                                                                       : nullptr;
}

// What the function computes before it asks the others, of what it reads.
static Value *ownPart(Type *T, Function &F, IRBuilder<> &B) {
  SmallVector<Type *, 8> Types;
  SmallVector<Value *, 8> Values;
  for (Argument &A : F.args()) {
    Types.push_back(A.getType());
    Values.push_back(&A);
  }
  FunctionCallee Own =
      F.getParent()->getOrInsertFunction((F.getName() + ".own").str(), FunctionType::get(T, Types, false));
  auto *Part = cast<Function>(Own.getCallee());
  Part->setOnlyReadsMemory();
  Part->setDoesNotThrow();
  Part->setWillReturn();
  Part->setNoSync();
  return B.CreateCall(Own, Values);
}

// A variable of the function's own, into which an argument goes where it is named.
static Value *variable(StringRef Text, Function &F, IRBuilder<> &B) {
  const bool Computed = Text.consume_front("="), Behind = Text.consume_front("*");
  auto [Number, TypeText] = Text.split('.');
  Type *T = typeOf(TypeText, F.getContext());
  if (!T)
    return nullptr;
  AllocaInst *Slot = B.CreateAlloca(T);
  unsigned From = 0;
  if (Computed)
    B.CreateStore(ownPart(T, F, B), Slot);
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

// What lies so many bytes behind where an argument points, or behind where that points in turn.
static Value *member(StringRef Text, Type *T, Function &F, IRBuilder<> &B) {
  SmallVector<StringRef, 3> Parts;
  Text.split(Parts, '.');
  unsigned From = 0;
  if (Parts.size() < 2 || Parts.front().getAsInteger(10, From) || From >= F.arg_size() ||
      !F.getArg(From)->getType()->isPointerTy())
    return nullptr;
  Value *At = F.getArg(From);
  for (std::size_t K = 1; K < Parts.size(); ++K) {
    std::int64_t Offset = 0;
    if (Parts[K].getAsInteger(10, Offset))
      return nullptr;
    Value *Place = B.CreateConstGEP1_64(B.getInt8Ty(), At, std::uint64_t(Offset));
    At = load(K + 1 < Parts.size() ? PointerType::getUnqual(F.getContext()) : T, Place, F, B);
  }
  return At;
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
