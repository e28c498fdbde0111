#include "checks/build-unoptimised/BuildFacts.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "llvm/IR/Instructions.h"

using namespace clang;

namespace stridewise {

// A command that names no processor leaves the target's baseline and no feature beyond it.
static bool namesProcessor(const TargetOptions &Target) {
  if (!Target.CPU.empty() && Target.CPU != "x86-64" && Target.CPU != "generic")
    return true;
  return llvm::any_of(Target.FeaturesAsWritten, [](llvm::StringRef F) {
    return F.starts_with("+avx") || F.starts_with("+sse4") || F.starts_with("+sve") || F.starts_with("+fma");
  });
}

static bool computes(const llvm::Loop &L) {
  return llvm::any_of(L.blocks(), [](const llvm::BasicBlock *BB) {
    return llvm::any_of(*BB, [](const llvm::Instruction &I) {
      const auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I);
      llvm::Type *T = Store ? Store->getValueOperand()->getType() : I.getType();
      return llvm::isa<llvm::BinaryOperator, llvm::LoadInst, llvm::StoreInst>(I) && T->isFPOrFPVectorTy();
    });
  });
}

BuildFacts buildFacts(Unit &U) {
  BuildFacts Facts;
  ASTContext &Ctx = U.ast();
  const SourceManager &SM = U.sources();
  Facts.Optimised = Ctx.getLangOpts().Optimize;
  const TargetOptions &Target = Ctx.getTargetInfo().getTargetOpts();
  Facts.ForProcessor = namesProcessor(Target);
  Facts.Processor = Target.CPU.empty() ? Ctx.getTargetInfo().getTriple().getArchName().str() : Target.CPU;
  // Preparing the search by names costs nothing for a unit of C; lookups in C++ find extern "C++" main as well.
  for (NamedDecl *D : Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("main")))
    if (auto *F = dyn_cast<FunctionDecl>(D); F && F->isMain())
      if (const FunctionDecl * Definition; F->hasBody(Definition) && SM.isInMainFile(Definition->getLocation()))
        Facts.Main = Definition;
  llvm::Module *M = U.ir();
  if (!M)
    return Facts;
  for (llvm::Function &F : *M) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage())
      continue;
    for (llvm::Loop *L : U.analyses().getResult<llvm::LoopAnalysis>(F).getLoopsInPreorder()) {
      // Code of system headers, which inlining may have left in its own functions, is nobody's loop.
      SourceLocation Where = U.locate(L->getStartLoc(), /*Outermost=*/true);
      if (Where.isInvalid() || SM.isInSystemHeader(Where))
        continue;
      ++Facts.Loops;
      Facts.FloatLoops += L->isInnermost() && computes(*L);
      Facts.Nested |= L->getLoopDepth() > 1;
      const FunctionDecl *Around = U.functionAt(Where);
      if (Around && SM.isInMainFile(SM.getFileLoc(Where)) &&
          (!Facts.FirstWithLoop ||
           SM.isBeforeInTranslationUnit(Around->getBeginLoc(), Facts.FirstWithLoop->getBeginLoc())))
        Facts.FirstWithLoop = Around;
    }
  }
  return Facts;
}

} // namespace stridewise
