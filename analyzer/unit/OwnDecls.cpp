#include "unit/OwnDecls.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {

static bool isLimited(llvm::ArrayRef<Decl *> Scope) {
  return Scope.size() != 1 || !isa<TranslationUnitDecl>(Scope.front());
}

std::vector<Decl *> ownDecls(ASTContext &Ctx) {
  std::vector<Decl *> Own = Ctx.getTraversalScope();
  if (isLimited(Own))
    return Own;
  Own.clear();
  for (Decl *D : Ctx.getTranslationUnitDecl()->decls())
    if (!Ctx.getSourceManager().isInSystemHeader(D->getLocation()))
      Own.push_back(D);
  return Own;
}

void limitToOwnDecls(ASTContext &Ctx) { Ctx.setTraversalScope(ownDecls(Ctx)); }

void limitToOwnDecls(ASTContext &Ctx, std::vector<Decl *> Precompiled) {
  for (Decl *D : Ctx.getTranslationUnitDecl()->noload_decls())
    if (!D->isFromASTFile() && !Ctx.getSourceManager().isInSystemHeader(D->getLocation()))
      Precompiled.push_back(D);
  Ctx.setTraversalScope(Precompiled);
}

} // namespace stridewise
