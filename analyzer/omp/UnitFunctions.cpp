#include "omp/UnitFunctions.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {

const VarDecl *UnitFunctions::variableOf(const Expr *E) {
  const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

namespace {
class UnitScan : public Visitor<UnitScan> {
public:
  UnitScan(UnitFunctions &Out, const SourceManager &SM) : Out(Out), SM(SM) { ShouldVisitTemplateInstantiations = true; }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (F->doesThisDeclarationHaveABody() && !F->isDependentContext() && !F->isImplicit() &&
        !SM.isInSystemHeader(F->getLocation()))
      Out.Functions.push_back(F);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) override {
    if (V->hasGlobalStorage() && !V->isLocalVarDecl() && !V->getDeclContext()->isDependentContext() &&
        !SM.isInSystemHeader(V->getLocation()))
      Out.Globals.push_back(V);
    if (V->getType()->isReferenceType() && !V->getType()->getPointeeType().isConstQualified() && V->getInit())
      taken(V->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isAssignmentOp())
      assigned(B->getLHS(), B->getOpcode() == BO_Assign ? B->getRHS() : nullptr);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    if (U->isIncrementDecrementOp())
      assigned(U->getSubExpr());
    else if (U->getOpcode() == UO_AddrOf)
      taken(U->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *C) override {
    arguments(C->getDirectCallee(), llvm::ArrayRef(C->getArgs(), C->getNumArgs()),
              isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(C->getDirectCallee()));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) override {
    arguments(C->getConstructor(), llvm::ArrayRef(C->getArgs(), C->getNumArgs()), false);
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *A) override {
    for (Expr *E : A->outputs())
      assigned(E);
    return true;
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective *D) override {
    for (const OMPClause *C : D->clauses())
      if (const auto *R = dyn_cast<OMPReductionClause>(C))
        for (const Expr *E : R->varlists())
          assigned(E);
      else if (const auto *L = dyn_cast<OMPLastprivateClause>(C))
        for (const Expr *E : L->varlists())
          assigned(E);
      else if (const auto *L = dyn_cast<OMPLinearClause>(C))
        for (const Expr *E : L->varlists())
          assigned(E);
    return true;
  }

private:
  void assigned(const Expr *E, const Expr *Source = nullptr) {
    if (const VarDecl *V = UnitFunctions::variableOf(E)) {
      Out.Assigned.insert(V);
      Out.Sources[V].push_back(Source);
    }
  }
  void taken(const Expr *E) {
    if (const VarDecl *V = UnitFunctions::variableOf(E)) {
      Out.AddressTaken.insert(V);
      // Through the address, scalars and pointers may change; arrays and records keep their place.
      if (V->getType()->isScalarType()) {
        Out.Assigned.insert(V);
        Out.Sources[V].push_back(nullptr);
      }
    }
  }
  void arguments(const FunctionDecl *F, llvm::ArrayRef<const Expr *> Args, bool SkipObject) {
    for (unsigned I = SkipObject, N = Args.size(); I < N; ++I) {
      unsigned P = I - SkipObject;
      if (!Args[I]->isGLValue())
        continue;
      if (!F || P >= F->getNumParams() ||
          (F->getParamDecl(P)->getType()->isReferenceType() &&
           !F->getParamDecl(P)->getType()->getPointeeType().isConstQualified()))
        taken(Args[I]);
    }
  }
  UnitFunctions &Out;
  const SourceManager &SM;
};
} // namespace

UnitFunctions::UnitFunctions(ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  UnitScan Scan(*this, SM);
  for (Decl *D : ownDecls(Ctx))
    Scan.TraverseDecl(D);
}

} // namespace stridewise
