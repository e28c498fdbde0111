#include "unit/Visitor.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace stridewise {

struct VisitorBase::Walk : RecursiveASTVisitor<Walk> {
  using Base = RecursiveASTVisitor<Walk>;
  VisitorBase &V;
  explicit Walk(VisitorBase &V) : V(V) {}

  bool shouldVisitTemplateInstantiations() const { return V.ShouldVisitTemplateInstantiations; }
  bool shouldVisitImplicitCode() const { return V.ShouldVisitImplicitCode; }
  bool shouldVisitLambdaBody() const { return V.ShouldVisitLambdaBody; }

  bool TraverseDecl(Decl *D) { return V.TraverseDecl(D); }
  bool TraverseStmt(Stmt *S, DataRecursionQueue *Queue = nullptr) {
    return V.HasOwnTraverseStmt ? V.TraverseStmt(S) : Base::TraverseStmt(S, Queue);
  }
  bool TraverseTypeLoc(TypeLoc L) { return V.TraverseTypeLoc(L); }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc L) { return V.TraverseDecltypeTypeLoc(L); }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc &A) { return V.TraverseTemplateArgumentLoc(A); }
  bool TraverseConstructorInitializer(CXXCtorInitializer *I) { return V.TraverseConstructorInitializer(I); }
  bool dataTraverseStmtPre(Stmt *S) { return V.dataTraverseStmtPre(S); }
  bool dataTraverseStmtPost(Stmt *S) { return V.dataTraverseStmtPost(S); }

  bool VisitDecl(Decl *D) { return V.VisitDecl(D); }
#define DECL(CLASS, BASE)                                                                                              \
  bool Visit##CLASS##Decl(CLASS##Decl *D) { return V.Visit##CLASS##Decl(D); }
#define ABSTRACT_DECL(DECL) DECL
#include "clang/AST/DeclNodes.inc"
  bool VisitStmt(Stmt *S) { return V.VisitStmt(S); }
#define STMT(CLASS, BASE)                                                                                              \
  bool Visit##CLASS(CLASS *S) { return V.Visit##CLASS(S); }
#define ABSTRACT_STMT(STMT) STMT
#include "clang/AST/StmtNodes.inc"
  bool VisitArrayTypeLoc(ArrayTypeLoc L) { return V.VisitArrayTypeLoc(L); }
};

VisitorBase::~VisitorBase() = default;

// A declaration of a function that is defined elsewhere: it has no code, not even in default arguments.
static bool isPrototype(const FunctionDecl &F) {
  return !F.isImplicit() && !F.isThisDeclarationADefinition() && !F.isLateTemplateParsed() &&
         F.getTemplatedKind() == FunctionDecl::TK_NonTemplate &&
         llvm::none_of(F.parameters(), [](const ParmVarDecl *P) { return P->hasDefaultArg(); });
}

bool VisitorBase::TraverseDecl(Decl *D) {
  Walk W(*this);
  if (D && !ShouldVisitPrototypes && (D->getKind() == Decl::Function || D->getKind() == Decl::CXXMethod))
    if (auto *F = cast<FunctionDecl>(D); isPrototype(*F))
      return isa<CXXMethodDecl>(F) ? W.WalkUpFromCXXMethodDecl(cast<CXXMethodDecl>(F)) : W.WalkUpFromFunctionDecl(F);
  return W.Base::TraverseDecl(D);
}
bool VisitorBase::TraverseStmt(Stmt *S) { return Walk(*this).Base::TraverseStmt(S); }
bool VisitorBase::TraverseTypeLoc(TypeLoc L) { return Walk(*this).Base::TraverseTypeLoc(L); }
bool VisitorBase::TraverseDecltypeTypeLoc(DecltypeTypeLoc L) { return Walk(*this).Base::TraverseDecltypeTypeLoc(L); }
bool VisitorBase::TraverseTemplateArgumentLoc(const TemplateArgumentLoc &A) {
  return Walk(*this).Base::TraverseTemplateArgumentLoc(A);
}
bool VisitorBase::TraverseConstructorInitializer(CXXCtorInitializer *I) {
  return Walk(*this).Base::TraverseConstructorInitializer(I);
}

} // namespace stridewise
