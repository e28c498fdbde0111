#include "checks/build-unoptimised/BuildFacts.h"
#include "fortran/FortranLoops.h"
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

// The loop's function in the unit's own file, and whether the loop is of the unit's own code at all.
static std::optional<CodePlace> functionAround(const llvm::Loop &L, Unit &U, bool &Own) {
  const SourceManager &SM = U.sources();
  if (U.isFortran()) {
    const llvm::DILocation *At = L.getStartLoc().get();
    Own = fortranLoop(&L, U).has_value();
    if (!Own)
      return std::nullopt;
    const llvm::DISubprogram *P = At->getScope()->getSubprogram();
    return CodePlace{procedureRange(P, U).getBegin(), procedureName(P)};
  }
  // Code of system headers, which inlining may have left in its own functions, is nobody's loop.
  SourceLocation Where = U.locate(L.getStartLoc(), /*Outermost=*/true);
  Own = Where.isValid() && !SM.isInSystemHeader(Where);
  const FunctionDecl *Around = Own ? U.functionAt(Where) : nullptr;
  if (!Around || !SM.isInMainFile(SM.getFileLoc(Where)))
    return std::nullopt;
  return CodePlace{Around->getLocation(), Unit::functionName(Around)};
}

static void findMain(Unit &U, BuildFacts &Facts) {
  ASTContext &Ctx = U.ast();
  if (U.isFortran()) {
    for (const llvm::Function &F : *U.ir())
      if (const llvm::DISubprogram *P = F.getSubprogram(); !F.isDeclaration() && isMainProgram(P))
        Facts.Main = CodePlace{procedureRange(P, U).getBegin(), procedureName(P)};
    return;
  }
  // Preparing the search by names costs nothing for a unit of C; lookups in C++ find extern "C++" main as well.
  for (NamedDecl *D : Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("main")))
    if (auto *F = dyn_cast<FunctionDecl>(D); F && F->isMain())
      if (const FunctionDecl * Definition;
          F->hasBody(Definition) && U.sources().isInMainFile(Definition->getLocation()))
        Facts.Main = CodePlace{Definition->getLocation(), "main"};
}

BuildFacts buildFacts(Unit &U) {
  BuildFacts Facts;
  ASTContext &Ctx = U.ast();
  const SourceManager &SM = U.sources();
  Facts.Optimised =
      U.isFortran() ? U.buildOptions() && U.buildOptions()->OptimizationLevel : Ctx.getLangOpts().Optimize;
  const TargetOptions &Target = Ctx.getTargetInfo().getTargetOpts();
  Facts.ForProcessor = namesProcessor(Target);
  Facts.Processor = Target.CPU.empty() ? Ctx.getTargetInfo().getTriple().getArchName().str() : Target.CPU;
  llvm::Module *M = U.ir();
  if (M || !U.isFortran())
    findMain(U, Facts);
  if (!M)
    return Facts;
  for (llvm::Function &F : *M) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage())
      continue;
    for (llvm::Loop *L : U.analyses().getResult<llvm::LoopAnalysis>(F).getLoopsInPreorder()) {
      bool Own = false;
      std::optional<CodePlace> Around = functionAround(*L, U, Own);
      if (!Own)
        continue;
      ++Facts.Loops;
      Facts.FloatLoops += L->isInnermost() && computes(*L);
      Facts.Nested |= L->getLoopDepth() > 1;
      if (Around && (!Facts.FirstWithLoop || SM.isBeforeInTranslationUnit(Around->At, Facts.FirstWithLoop->At)))
        Facts.FirstWithLoop = std::move(Around);
    }
  }
  return Facts;
}

} // namespace stridewise
