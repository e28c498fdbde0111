#include "fortran/FortranMpi.h"
#include "library/MpiCall.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Copied = "stridewise.copied_buffer";

// mpi_send_ and pmpi_send_ are MPI_Send; null for what is no call of MPI. Fortran does not tell capitals.
const MpiSignature *signatureOf(StringRef Symbol) {
  static const StringMap<const MpiSignature *> ByName = [] {
    StringMap<const MpiSignature *> Names;
    forEachMpiCall([&](const MpiSignature &S) { Names[StringRef(S.Name).lower()] = &S; });
    return Names;
  }();
  if (!Symbol.consume_back("_"))
    return nullptr;
  Symbol.consume_back("_");
  if (Symbol.starts_with("pmpi_"))
    Symbol = Symbol.drop_front();
  return ByName.lookup(Symbol);
}

// The addresses that stand for something else (stubs/mpif.h, stubs/mpi_f08.f90), as C has them.
Constant *meaningOf(const Value *Address) {
  const auto *G = dyn_cast<GlobalVariable>(Address->stripPointerCasts());
  if (!G)
    return nullptr;
  StringRef Name = G->getName();
  if (!Name.consume_front("_QMmpi_f08Empi_") && !(Name.consume_front("mpi_is_") && Name.consume_back("_")))
    return nullptr;
  std::optional<std::int64_t> Number = StringSwitch<std::optional<std::int64_t>>(Name)
                                           .Cases("status_ignore", "statuses_ignore", "errcodes_ignore", 1)
                                           .Case("in_place", -1)
                                           .Case("bottom", 0)
                                           .Default(std::nullopt);
  if (!Number)
    return nullptr;
  auto *Pointer = PointerType::get(G->getContext(), 0);
  auto *Wide = IntegerType::getInt64Ty(G->getContext());
  return ConstantExpr::getIntToPtr(ConstantInt::getSigned(Wide, *Number), Pointer);
}

// What the address was loaded from, where that may be the descriptor of a copy which was made for the call.
bool mayBeCopy(const Value *Address) {
  SmallVector<const Value *, 4> Work{Address};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const Value *V = getUnderlyingObject(Work.pop_back_val(), /*MaxLookup=*/0);
    if (!Seen.insert(V).second)
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(V)) {
      Work.push_back(Load->getPointerOperand());
    } else if (const auto *P = dyn_cast<PHINode>(V)) {
      return isa<AllocaInst>(getUnderlyingObject(P->getIncomingValue(0)));
    } else if (const auto *S = dyn_cast<SelectInst>(V)) {
      return isa<AllocaInst>(getUnderlyingObject(S->getTrueValue()));
    }
  }
  return false;
}

class Translator {
public:
  explicit Translator(Module &M) : M(M) {}

  void run() {
    SmallVector<std::pair<Function *, const MpiSignature *>, 32> Found;
    for (Function &F : M)
      if (const MpiSignature *Sig = F.isDeclaration() ? signatureOf(F.getName()) : nullptr)
        Found.emplace_back(&F, Sig);
    for (auto [F, Sig] : Found)
      for (User *Use : make_early_inc_range(F->users()))
        if (auto *C = dyn_cast<CallInst>(Use); C && C->getCalledOperand() == F)
          translate(*C, *Sig);
  }

private:
  void translate(CallInst &C, const MpiSignature &Sig) {
    IRBuilder<> B(&C);
    StringRef Passing = Sig.Passing;
    SmallVector<Value *, 12> Arguments;
    unsigned Next = 0;
    for (unsigned K = 0; K < Passing.size(); ++K) {
      if (Passing[K] == '-') {
        Arguments.push_back(ConstantPointerNull::get(B.getPtrTy()));
        continue;
      }
      // Keywords, or a call that is no call of MPI.
      if (Next >= C.arg_size() || !C.getArgOperand(Next)->getType()->isPointerTy())
        return;
      Value *Address = C.getArgOperand(Next++);
      if (Passing[K] == 'p')
        Arguments.push_back(pointer(Address, int(K) == Sig.Buffer || int(K) == Sig.RecvBuffer, B));
      else
        Arguments.push_back(B.CreateLoad(Passing[K] == 'l' ? B.getInt64Ty() : B.getInt32Ty(), Address));
    }
    SmallVector<Type *, 12> Types;
    for (Value *V : Arguments)
      Types.push_back(V->getType());
    Type *Result = C.getType()->isVoidTy() ? B.getInt32Ty() : C.getType();
    FunctionCallee Callee = M.getOrInsertFunction(Sig.Name, FunctionType::get(Result, Types, /*isVarArg=*/false));
    CallInst *New = B.CreateCall(Callee, Arguments);
    // The error code, where somebody takes it.
    if (C.getType()->isVoidTy() && Next < C.arg_size() && C.getArgOperand(Next)->getType()->isPointerTy())
      B.CreateStore(New, C.getArgOperand(Next));
    C.replaceAllUsesWith(New);
    C.eraseFromParent();
  }

  Value *pointer(Value *Address, bool IsBuffer, IRBuilder<> &B) {
    if (Constant *Meaning = meaningOf(Address))
      return Meaning;
    if (!IsBuffer || !mayBeCopy(Address))
      return Address;
    return B.CreateCall(M.getOrInsertFunction(Copied, FunctionType::get(B.getPtrTy(), {B.getPtrTy()}, false)),
                        {Address});
  }

  Module &M;
};

} // namespace

const MpiSignature *fortranMpiCall(StringRef Name) { return signatureOf((Name + "_").str()); }

void translateMpi(Module &M) { Translator(M).run(); }

bool isCopiedBuffer(const Value *Buffer) {
  const auto *C = dyn_cast<CallInst>(getUnderlyingObject(Buffer));
  const Function *Callee = C ? C->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == Copied;
}

} // namespace stridewise
