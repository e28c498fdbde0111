#include "library/MpiCall.h"
#include "library/MpiResult.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace stridewise {

static const MpiSignature Table[] = {
#include "mpi_table.inc"
};

const MpiSignature *findMpiCall(llvm::StringRef Name) {
  static const llvm::StringMap<const MpiSignature *> ByName = [] {
    llvm::StringMap<const MpiSignature *> M;
    for (const MpiSignature &S : Table)
      M[S.Name] = &S;
    return M;
  }();
  if (!Name.starts_with("MPI_") && !Name.starts_with("PMPI_"))
    return nullptr;
  return ByName.lookup(Name.starts_with("P") ? Name.drop_front() : Name);
}

const MpiSignature *findMpiCall(const llvm::CallBase &C) {
  const auto *F = llvm::dyn_cast<llvm::Function>(C.getCalledOperand()->stripPointerCasts());
  return F ? findMpiCall(F->getName()) : nullptr;
}

const MpiSignature *findMpiCall(const clang::CallExpr &C) {
  const clang::FunctionDecl *F = C.getDirectCallee();
  return F && F->getIdentifier() ? findMpiCall(F->getName()) : nullptr;
}

static bool isRunByFailure(const llvm::BasicBlock &BB) {
  const llvm::BasicBlock *Before = BB.getSinglePredecessor();
  const std::optional<unsigned> Arm = Before ? failureArm(*Before->getTerminator()) : std::nullopt;
  return Arm && Before->getTerminator()->getSuccessor(*Arm) == &BB;
}

bool isErrorPath(const llvm::BasicBlock &BB) {
  return isRunByFailure(BB) || llvm::any_of(BB, [](const llvm::Instruction &I) {
           const auto *C = llvm::dyn_cast<llvm::CallBase>(&I);
           const MpiSignature *Sig = C ? findMpiCall(*C) : nullptr;
           return Sig && Sig->Does == MpiDoes::Abort;
         });
}

void forEachMpiCall(llvm::function_ref<void(const MpiSignature &)> Take) {
  for (const MpiSignature &S : Table)
    Take(S);
}

llvm::StringRef mpiCallThat(MpiDoes Does, bool Varying) {
  const auto *Found = llvm::find_if(Table, [&](const MpiSignature &S) {
    return S.Does == Does && !S.is(MpiNonblocking | MpiPersistent) && S.is(MpiVarying) == Varying;
  });
  assert(Found != std::end(Table) && "no such call");
  return Found->Name;
}

static bool isHandle(clang::QualType T, llvm::StringRef Name) {
  const auto *Alias = T->getAs<clang::TypedefType>();
  return Alias && Alias->getDecl()->getName() == Name;
}

bool isCommunicatorType(clang::QualType T) { return isHandle(T, "MPI_Comm"); }
bool isDatatypeType(clang::QualType T) { return isHandle(T, "MPI_Datatype"); }

bool declaresMpi(clang::ASTContext &Ctx) {
  return !Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("MPI_Comm")).empty();
}

} // namespace stridewise
