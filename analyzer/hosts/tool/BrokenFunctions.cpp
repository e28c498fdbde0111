#include "hosts/tool/BrokenFunctions.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace clang;

namespace stridewise {
namespace {

// Whether a function's tree has holes, or names a declaration that has.
class Doubt : public Visitor<Doubt> {
public:
  Doubt() { ShouldVisitImplicitCode = ShouldVisitPrototypes = true; }
  bool Found = false;

  bool VisitExpr(Expr *E) override { return note(E->containsErrors() || isBroken(E->getType())); }
  bool VisitDeclRefExpr(DeclRefExpr *E) override { return note(E->getDecl()->isInvalidDecl()); }
  bool VisitMemberExpr(MemberExpr *E) override { return note(E->getMemberDecl()->isInvalidDecl()); }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override { return note(E->getConstructor()->isInvalidDecl()); }
  // Their expressions stand elsewhere.
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *E) override {
    return note(!E->getExpr() || E->getExpr()->containsErrors());
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *E) override {
    return note(!E->getExpr() || E->getExpr()->containsErrors());
  }
  bool VisitDecl(Decl *D) override { return note(D->isInvalidDecl()); }
  bool VisitVarDecl(VarDecl *D) override { return note(isBroken(D->getType())); }

private:
  bool note(bool Broken) {
    Found |= Broken;
    return !Found;
  }
  static bool isBroken(QualType T) {
    while (!T.isNull() && !T->getPointeeType().isNull())
      T = T->getPointeeType();
    if (T.isNull())
      return true;
    const TagDecl *Tag = T->getBaseElementTypeUnsafe()->getAsTagDecl();
    return Tag && Tag->isInvalidDecl();
  }
};

class Definitions : public Visitor<Definitions> {
public:
  Definitions() {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitLambdaBody = false;
  }
  llvm::SetVector<FunctionDecl *> All;

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (F->doesThisDeclarationHaveABody() && !F->isDefaulted())
      All.insert(F);
    return true;
  }
};

} // namespace

std::vector<const FunctionDecl *> removeBrokenFunctions(ASTContext &Ctx, llvm::ArrayRef<SourceLocation> Errors) {
  const SourceManager &SM = Ctx.getSourceManager();
  llvm::DenseMap<FileID, std::set<unsigned>> Offsets;
  for (SourceLocation E : Errors) {
    auto [File, Offset] = SM.getDecomposedExpansionLoc(E);
    Offsets[File].insert(Offset);
  }
  auto Contains = [&](SourceRange R) {
    auto [File, Begin] = SM.getDecomposedExpansionLoc(R.getBegin());
    auto [EndFile, End] = SM.getDecomposedExpansionLoc(R.getEnd());
    if (File != EndFile)
      return true; // it includes files; rare enough to be given up
    auto It = Offsets.find(File);
    if (It == Offsets.end())
      return false;
    auto First = It->second.lower_bound(Begin);
    return First != It->second.end() && *First <= End;
  };
  Definitions Found;
  Found.TraverseDecl(Ctx.getTranslationUnitDecl());
  std::vector<FunctionDecl *> Broken;
  for (FunctionDecl *F : Found.All) {
    if (F->isInvalidDecl() || Contains(F->getSourceRange())) {
      Broken.push_back(F);
      continue;
    }
    Doubt Search;
    if (!F->isDependentContext())
      Search.TraverseDecl(F);
    if (Search.Found)
      Broken.push_back(F);
  }
  std::vector<const FunctionDecl *> Lost;
  llvm::DenseSet<std::pair<FileID, unsigned>> Said;
  for (FunctionDecl *F : Broken) {
    F->setBody(nullptr);
    SourceLocation At = SM.getExpansionLoc(F->getLocation());
    if (!SM.isInSystemHeader(At) && Said.insert(SM.getDecomposedLoc(At)).second)
      Lost.push_back(F);
  }
  llvm::sort(Lost, [&](const FunctionDecl *A, const FunctionDecl *B) {
    return SM.isBeforeInTranslationUnit(SM.getExpansionLoc(A->getLocation()), SM.getExpansionLoc(B->getLocation()));
  });
  return Lost;
}

} // namespace stridewise
