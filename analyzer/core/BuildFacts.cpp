#include "core/BuildFacts.h"
#include "clang/AST/RecursiveASTVisitor.h"
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

namespace {
class Assertions : public RecursiveASTVisitor<Assertions> {
public:
  Assertions(const FunctionDecl *F, std::vector<LiveAssertion> &Out) : Function(F), Out(Out) {}

  bool TraverseForStmt(ForStmt *S) {
    return inLoop(S, [&] { return RecursiveASTVisitor::TraverseForStmt(S); });
  }
  bool TraverseWhileStmt(WhileStmt *S) {
    return inLoop(S, [&] { return RecursiveASTVisitor::TraverseWhileStmt(S); });
  }
  // A do loop is no loop where it is the wrapper of a macro.
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *S) {
    return inLoop(S, [&] { return RecursiveASTVisitor::TraverseCXXForRangeStmt(S); });
  }

  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    bool Fails = Callee && Callee->getIdentifier() && Callee->getName() == "__assert_fail";
    if (Fails && !Loops.empty())
      Open.push_back({E, Loops.back(), Function, static_cast<unsigned>(Loops.size())});
    Away |= !Fails && !(Callee && (Callee->hasBody() || Callee->getBuiltinID() || Callee->isDependentContext()));
    return true;
  }

private:
  template <typename Body> bool inLoop(const Stmt *S, Body Visit) {
    std::size_t Before = Open.size();
    unsigned Count = ++Seen;
    Loops.push_back(S);
    bool Outside = std::exchange(Away, false);
    bool Result = Visit();
    Loops.pop_back();
    // Only an innermost loop keeps its assertions: the others' cost is shared by the iterations inside.
    for (LiveAssertion &A : Open)
      A.CallsAway |= A.Loop == S && Away;
    if (Seen == Count)
      Out.insert(Out.end(), Open.begin() + static_cast<std::ptrdiff_t>(Before), Open.end());
    Open.resize(Before);
    Away |= Outside;
    return Result;
  }

  const FunctionDecl *Function;
  std::vector<LiveAssertion> &Out;
  std::vector<LiveAssertion> Open;
  llvm::SmallVector<const Stmt *, 8> Loops;
  unsigned Seen = 0;
  bool Away = false;
};

void collect(const DeclContext *DC, const SourceManager &SM, std::vector<LiveAssertion> &Out) {
  for (Decl *D : DC->decls()) {
    if (isa<TranslationUnitDecl>(DC) && SM.isInSystemHeader(D->getLocation()))
      continue;
    if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
      D = T->getTemplatedDecl();
    else if (auto *T = dyn_cast<ClassTemplateDecl>(D))
      D = T->getTemplatedDecl();
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->doesThisDeclarationHaveABody())
        Assertions(F, Out).TraverseStmt(F->getBody());
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, RecordDecl>(D)) {
      collect(cast<DeclContext>(D), SM, Out);
    }
  }
}
} // namespace

std::vector<LiveAssertion> liveAssertions(Unit &U) {
  std::vector<LiveAssertion> Out;
  ASTContext &Ctx = U.ast();
  bool Used = false;
  for (NamedDecl *D : Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("__assert_fail")))
    Used |= D->isReferenced() || D->isUsed();
  // <assert.h> declares it inside extern "C", which a lookup by name sees through.
  if (Used)
    collect(Ctx.getTranslationUnitDecl(), U.sources(), Out);
  return Out;
}

} // namespace stridewise
