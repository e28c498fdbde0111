#include "checks/build-unoptimised/BuildFacts.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {
// Whether evaluating an expression, or running a function, can be noticed afterwards. What is not seen can be, but for
// functions that are declared not to.
class Effects : public Visitor<Effects> {
public:
  explicit Effects(ASTContext &Ctx) : Ctx(Ctx) {}
  bool has(const Expr *Condition) {
    Found = false;
    Own = nullptr;
    TraverseStmt(const_cast<Expr *>(Condition));
    return Found;
  }

  // The one is not evaluated, the other is written here and run elsewhere.
  bool TraverseStmt(Stmt *S) override {
    return (S && isa<UnaryExprOrTypeTraitExpr, LambdaExpr>(S)) || Visitor::TraverseStmt(S);
  }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc) override { return true; }
  bool VisitBinaryOperator(BinaryOperator *E) override { return !E->isAssignmentOp() || changes(E->getLHS()); }
  bool VisitUnaryOperator(UnaryOperator *E) override {
    return !E->isIncrementDecrementOp() || changes(E->getSubExpr());
  }
  bool VisitCXXNewExpr(CXXNewExpr *) override { return stop(); }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *) override { return stop(); }
  bool VisitCXXThrowExpr(CXXThrowExpr *) override { return stop(); }
  bool VisitAtomicExpr(AtomicExpr *) override { return stop(); }
  bool VisitGCCAsmStmt(GCCAsmStmt *) override { return stop(); }
  bool VisitCallExpr(CallExpr *E) override {
    if (E->isTypeDependent() || isa<CXXPseudoDestructorExpr>(E->getCallee()->IgnoreParens()))
      return true; // of a template: its arguments are looked at
    const FunctionDecl *F = E->getDirectCallee();
    return (F && !runs(*F)) || stop();
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    const CXXConstructorDecl *C = E->getConstructor();
    return C->isTrivial() || C->isImplicit() || !runs(*C) || stop();
  }

private:
  static constexpr unsigned Deepest = 6;

  bool stop() {
    Found = true;
    return false;
  }
  // Variables of the function that is looked through live no longer than it.
  bool changes(const Expr *Target) {
    Target = Target->IgnoreParenImpCasts();
    while (true) {
      if (const auto *Member = dyn_cast<MemberExpr>(Target); Member && !Member->isArrow())
        Target = Member->getBase()->IgnoreParenImpCasts();
      else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Target);
               Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        Target = Element->getBase()->IgnoreParenImpCasts();
      else
        break;
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(Target);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    bool Local = V && Own && V->hasLocalStorage() && !V->getType()->isReferenceType() && V->getDeclContext() == Own;
    return Local || stop();
  }
  // True when running F can be noticed.
  bool runs(const FunctionDecl &F) {
    if (F.hasAttr<ConstAttr>() || F.hasAttr<PureAttr>())
      return false;
    if (unsigned Id = F.getBuiltinID(); Id && (Ctx.BuiltinInfo.isConst(Id) || Ctx.BuiltinInfo.isPure(Id) ||
                                               Ctx.BuiltinInfo.isConstWithoutErrnoAndExceptions(Id)))
      return false;
    const FunctionDecl *Definition = nullptr;
    if (!F.hasBody(Definition)) {
      const auto *Method = dyn_cast<CXXMethodDecl>(&F);
      return !(Method && Method->isConst());
    }
    auto [It, New] = Known.try_emplace(Definition, false); // a function that comes back to itself adds nothing
    if (!New)
      return It->second;
    if (Depth >= Deepest)
      return true;
    Effects Inside(Ctx);
    Inside.Own = Definition;
    Inside.Depth = Depth + 1;
    Inside.Known = Known;
    Inside.TraverseStmt(Definition->getBody());
    return Known[Definition] = Inside.Found;
  }

  ASTContext &Ctx;
  const FunctionDecl *Own = nullptr; // null for a condition
  unsigned Depth = 0;
  bool Found = false;
  llvm::DenseMap<const FunctionDecl *, bool> Known;
};

bool isFailure(const Stmt *S) {
  const auto *E = dyn_cast_or_null<Expr>(S);
  const auto *Call = E ? dyn_cast<CallExpr>(E->IgnoreParenCasts()) : nullptr;
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() && Callee->getName() == "__assert_fail";
}

// A function with a loop of its own, or with a directive of OpenMP: what calls it in a loop is no innermost loop.
bool holdsLoop(const Stmt *S) {
  return S && (isa<ForStmt, WhileStmt, CXXForRangeStmt, OMPExecutableDirective>(S) ||
               llvm::any_of(S->children(), holdsLoop));
}

class Assertions : public Visitor<Assertions> {
public:
  Assertions(const FunctionDecl *F, Effects &Changes, LiveAssertions &To)
      : Function(F), Changes(Changes), To(To), Out(To.InLoops) {}

  // The two forms of the macro.
  bool VisitConditionalOperator(ConditionalOperator *E) override { return tests(E->getCond(), E->getFalseExpr()); }
  bool VisitIfStmt(IfStmt *S) override { return tests(S->getCond(), S->getElse()); }

  // A do loop is no loop where it is the wrapper of a macro.
  bool TraverseStmt(Stmt *S) override {
    if (S && isa<ForStmt, WhileStmt, CXXForRangeStmt>(S))
      return inLoop(S, [&] { return Visitor::TraverseStmt(S); });
    return Visitor::TraverseStmt(S);
  }

  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *Callee = E->getDirectCallee();
    bool Fails = isFailure(E);
    if (Fails && !Loops.empty())
      Open.push_back({E, Loops.back(), Function, static_cast<unsigned>(Loops.size())});
    Away |= !Fails && !(Callee && (Callee->hasBody() || Callee->getBuiltinID() || Callee->isDependentContext()));
    Away |= Callee && Callee->hasBody() && hasLoop(*Callee);
    return true;
  }

private:
  bool tests(const Expr *Condition, const Stmt *Otherwise) {
    if (!To.Changing && isFailure(Otherwise) && Changes.has(Condition))
      To.Changing = Condition;
    return true;
  }

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

  // Each function is looked through once.
  bool hasLoop(const FunctionDecl &F) {
    auto [It, New] = To.HoldsLoop.try_emplace(F.getCanonicalDecl(), false);
    return New ? It->second = holdsLoop(F.getBody()) : It->second;
  }

  const FunctionDecl *Function;
  Effects &Changes;
  LiveAssertions &To;
  std::vector<LiveAssertion> &Out;
  std::vector<LiveAssertion> Open;
  llvm::SmallVector<const Stmt *, 8> Loops;
  unsigned Seen = 0;
  bool Away = false;
};

void collect(llvm::ArrayRef<Decl *> Decls, Effects &Changes, LiveAssertions &Out) {
  for (Decl *D : Decls) {
    if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
      D = T->getTemplatedDecl();
    else if (auto *T = dyn_cast<ClassTemplateDecl>(D))
      D = T->getTemplatedDecl();
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->doesThisDeclarationHaveABody())
        Assertions(F, Changes, Out).TraverseStmt(F->getBody());
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, RecordDecl>(D)) {
      const auto *DC = cast<DeclContext>(D);
      collect(std::vector<Decl *>(DC->decls_begin(), DC->decls_end()), Changes, Out);
    }
  }
}
} // namespace

LiveAssertions liveAssertions(Unit &U) {
  LiveAssertions Out;
  ASTContext &Ctx = U.ast();
  bool Used = false;
  for (NamedDecl *D : Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("__assert_fail")))
    Used |= D->isReferenced() || D->isUsed();
  Effects Changes(Ctx);
  // <assert.h> declares it inside extern "C", which a lookup by name sees through.
  if (Used)
    collect(ownDecls(Ctx), Changes, Out);
  return Out;
}

} // namespace stridewise
