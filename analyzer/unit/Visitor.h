// clang's walk over the syntax tree, compiled once: each instance of clang::RecursiveASTVisitor takes a compiler some
// seconds. What clang 20 calls DynamicRecursiveASTVisitor, for clang 19.
#ifndef STRIDEWISE_UNIT_VISITOR_H
#define STRIDEWISE_UNIT_VISITOR_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/AST/TypeLoc.h"

namespace stridewise {

/// The functions mean what they do in clang::RecursiveASTVisitor; one that returns false ends the walk.
class VisitorBase {
public:
  virtual ~VisitorBase();

  /// Where a walk begins. Who overrides one goes on by calling that of the base.
  virtual bool TraverseDecl(clang::Decl *D);
  virtual bool TraverseStmt(clang::Stmt *S);
  virtual bool TraverseTypeLoc(clang::TypeLoc L);
  virtual bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc L);
  virtual bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc &A);
  virtual bool TraverseConstructorInitializer(clang::CXXCtorInitializer *I);

  virtual bool dataTraverseStmtPre(clang::Stmt *) { return true; }
  virtual bool dataTraverseStmtPost(clang::Stmt *) { return true; }

  virtual bool VisitDecl(clang::Decl *) { return true; }
#define DECL(CLASS, BASE)                                                                                              \
  virtual bool Visit##CLASS##Decl(clang::CLASS##Decl *) { return true; }
#define ABSTRACT_DECL(DECL) DECL
#include "clang/AST/DeclNodes.inc"
  virtual bool VisitStmt(clang::Stmt *) { return true; }
#define STMT(CLASS, BASE)                                                                                              \
  virtual bool Visit##CLASS(clang::CLASS *) { return true; }
#define ABSTRACT_STMT(STMT) STMT
#include "clang/AST/StmtNodes.inc"
  virtual bool VisitArrayTypeLoc(clang::ArrayTypeLoc) { return true; }

protected:
  VisitorBase() = default;

  bool ShouldVisitTemplateInstantiations = false;
  bool ShouldVisitImplicitCode = false;
  bool ShouldVisitLambdaBody = true;
  /// Parameters and types of functions that are only declared, most of a header: no code.
  bool ShouldVisitPrototypes = false;
  /// Whether TraverseStmt is overridden. Where it is not, a queue takes the place of deep recursion.
  bool HasOwnTraverseStmt = false;

private:
  struct Walk;
};

/// Base of a visitor: `struct Calls : Visitor<Calls>`.
template <typename Derived> class Visitor : public VisitorBase {
protected:
  Visitor() {
    HasOwnTraverseStmt = !std::is_same_v<decltype(&Derived::TraverseStmt), bool (VisitorBase::*)(clang::Stmt *)>;
  }
};

} // namespace stridewise
#endif
