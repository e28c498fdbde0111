#include "omp/OmpRegion.h"
#include "library/LibraryCalls.h"
#include "unit/Meter.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {

static bool isFalse(const Expr *E, const ASTContext &Ctx) {
  Expr::EvalResult R;
  return E && !E->isValueDependent() && E->EvaluateAsInt(R, Ctx) && R.Val.getInt() == 0;
}

static bool hasOneThread(const OMPExecutableDirective &D, const ASTContext &Ctx) {
  for (const OMPClause *C : D.clauses()) {
    if (const auto *N = dyn_cast<OMPNumThreadsClause>(C)) {
      Expr::EvalResult R;
      if (!N->getNumThreads()->isValueDependent() && N->getNumThreads()->EvaluateAsInt(R, Ctx) && R.Val.getInt() == 1)
        return true;
    } else if (const auto *I = dyn_cast<OMPIfClause>(C)) {
      bool Ours = I->getNameModifier() == OMPD_unknown || I->getNameModifier() == OMPD_parallel;
      if (Ours && isFalse(I->getCondition(), Ctx))
        return true;
    }
  }
  return false;
}

// One switch over directives, complexity 35.
OmpConstruct classify(const OMPExecutableDirective &D, const ASTContext &Ctx) {
  OpenMPDirectiveKind K = D.getDirectiveKind();
  OmpConstruct C;
  C.Device = isOpenMPTargetExecutionDirective(K) || isOpenMPTeamsDirective(K) ||
             isOpenMPTargetDataManagementDirective(K) || K == OMPD_distribute || K == OMPD_distribute_simd;
  if (isOpenMPParallelDirective(K))
    C.StartsTeam = !hasOneThread(D, Ctx);
  bool OneThreadTeam = isOpenMPParallelDirective(K) && !C.StartsTeam;
  bool Nowait = D.hasClausesOfKind<OMPNowaitClause>();
  switch (K) {
  case OMPD_parallel:
  case OMPD_simd:
  case OMPD_tile:
  case OMPD_unroll:
  case OMPD_reverse:
  case OMPD_interchange:
    break;
  case OMPD_for:
  case OMPD_for_simd:
    C.SharesLoop = true;
    C.EndsWithBarrier = C.CanTakeNowait = !Nowait;
    break;
  case OMPD_parallel_for:
  case OMPD_parallel_for_simd:
  case OMPD_parallel_loop:
    C.SharesLoop = !OneThreadTeam;
    break;
  case OMPD_single:
    C.OneThread = true;
    C.EndsWithBarrier = !Nowait;
    C.CanTakeNowait = !Nowait && !D.hasClausesOfKind<OMPCopyprivateClause>();
    break;
  case OMPD_sections:
    C.OneThread = true;
    C.EndsWithBarrier = C.CanTakeNowait = !Nowait;
    break;
  case OMPD_section:
  case OMPD_parallel_sections:
    C.OneThread = true;
    break;
  case OMPD_master:
  case OMPD_masked:
  case OMPD_parallel_master:
  case OMPD_parallel_masked:
    C.OneThread = true;
    C.SameThread = !D.hasClausesOfKind<OMPFilterClause>();
    break;
  case OMPD_critical:
  case OMPD_atomic:
  case OMPD_ordered:
    C.Exclusive = true;
    break;
  case OMPD_barrier:
    C.EndsWithBarrier = true;
    break;
  default:
    C.Tasks = isOpenMPTaskingDirective(K) || K == OMPD_taskwait || K == OMPD_taskgroup || K == OMPD_taskyield;
    C.Other = !C.Device && !C.Tasks;
    break;
  }
  return C;
}

const Stmt *constructBody(const OMPExecutableDirective &D) {
  if (!D.hasAssociatedStmt() || !D.getAssociatedStmt())
    return nullptr;
  const Stmt *S = D.getRawStmt();
  while (const auto *C = dyn_cast_or_null<CapturedStmt>(S))
    S = C->getCapturedStmt();
  return S;
}

static const Stmt *onlyStatement(const Stmt *S) {
  while (S) {
    if (const auto *C = dyn_cast<CompoundStmt>(S); C && C->size() == 1)
      S = C->body_front();
    else if (const auto *A = dyn_cast<AttributedStmt>(S))
      S = A->getSubStmt();
    else if (const auto *C = dyn_cast<CapturedStmt>(S))
      S = C->getCapturedStmt();
    else if (const auto *L = dyn_cast<OMPCanonicalLoop>(S))
      S = L->getLoopStmt();
    else
      break;
  }
  return S;
}

std::vector<const ForStmt *> sharedLoops(const OMPExecutableDirective &D) {
  std::vector<const ForStmt *> Loops;
  const auto *L = dyn_cast<OMPLoopDirective>(&D);
  const Stmt *S = constructBody(D);
  for (unsigned I = 0, N = L ? L->getLoopsNumber() : 0; I < N; ++I) {
    const auto *F = dyn_cast_or_null<ForStmt>(onlyStatement(S));
    if (!F)
      return {};
    Loops.push_back(F);
    S = F->getBody();
  }
  return Loops;
}

// Also of elements that a reduction names: `sum[:n]`.
static const VarDecl *variable(const Expr *E) {
  while (const auto *Section = dyn_cast<ArraySectionExpr>(E->IgnoreParenImpCasts()))
    E = Section->getBase();
  const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V ? V->getCanonicalDecl() : nullptr;
}

std::vector<const VarDecl *> privateVariables(const OMPExecutableDirective &D) {
  std::vector<const VarDecl *> All;
  auto Add = [&](const auto *Clause) {
    if (Clause)
      for (const Expr *E : Clause->varlists())
        if (const VarDecl *V = variable(E))
          All.push_back(V);
  };
  for (const OMPClause *C : D.clauses()) {
    Add(dyn_cast<OMPPrivateClause>(C));
    Add(dyn_cast<OMPFirstprivateClause>(C));
    Add(dyn_cast<OMPLastprivateClause>(C));
    Add(dyn_cast<OMPReductionClause>(C));
    Add(dyn_cast<OMPLinearClause>(C));
  }
  for (const ForStmt *F : sharedLoops(D))
    if (const auto *B = dyn_cast_or_null<BinaryOperator>(F->getInit()))
      if (const VarDecl *V = variable(B->getLHS()))
        All.push_back(V);
  return All;
}

std::vector<const Expr *> resultVariables(const OMPExecutableDirective &D) {
  std::vector<const Expr *> All;
  auto Add = [&](const auto *Clause) {
    if (Clause)
      All.insert(All.end(), Clause->varlist_begin(), Clause->varlist_end());
  };
  for (const OMPClause *C : D.clauses()) {
    Add(dyn_cast<OMPLastprivateClause>(C));
    Add(dyn_cast<OMPReductionClause>(C));
    Add(dyn_cast<OMPLinearClause>(C));
  }
  return All;
}

CallEffect effectOf(const FunctionDecl *F, const ASTContext &Ctx) {
  if (!F)
    return CallEffect::Unknown;
  // What the program defines does what its body does, even under the name of a library's function.
  const FunctionDecl *Body = nullptr;
  const bool Own = F->hasBody(Body) && !Ctx.getSourceManager().isInSystemHeader(Body->getLocation());
  if (const unsigned ID = Own ? 0 : F->getBuiltinID()) {
    const Builtin::Context &B = Ctx.BuiltinInfo;
    if (B.isConst(ID) || B.isConstWithoutErrnoAndExceptions(ID) || B.isPure(ID))
      return CallEffect::Nothing;
  }
  if (F->hasAttr<ConstAttr>() || F->hasAttr<PureAttr>())
    return CallEffect::Nothing;
  if (const LibraryCall *Known = findLibraryCall(F)) {
    if (Known->onlyDoes(LibPure | LibQueries))
      return CallEffect::Nothing;
    return Known->onlyDoes(LibMemory | LibCalls) ? CallEffect::ThroughArguments : CallEffect::Unknown;
  }
  if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && !M->isStatic() && M->getParent()->isInStdNamespace()) {
    static const llvm::StringSet<> Values{"pair",          "tuple",        "complex",  "optional", "initializer_list",
                                          "basic_string",  "bitset",       "deque",    "list",     "reference_wrapper",
                                          "map",           "set",          "multimap", "multiset", "basic_string_view",
                                          "unordered_map", "unordered_set"};
    if (PathResolver::isContainer(M->getThisType()->getPointeeType()) ||
        (M->getParent()->getIdentifier() && Values.contains(M->getParent()->getName())))
      return CallEffect::ThroughArguments;
  }
  return CallEffect::Unknown;
}

// The walk

void AccessWalker::operand(const Expr *E) {
  if (E->isGLValue())
    address(E);
  else
    expression(E);
}

void AccessWalker::touch(const Expr *E, bool Reads, bool Writes) {
  address(E);
  touched(E, Paths.lvalue(E), Reads, Writes);
}

void AccessWalker::address(const Expr *E) {
  E = E->IgnoreParens();
  if (isa<DeclRefExpr, CXXThisExpr, StringLiteral>(E))
    return;
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return operand(M->getBase());
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    operand(A->getBase());
    return expression(A->getIdx());
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
    return operand(U->getSubExpr());
  if (const auto *C = dyn_cast<CastExpr>(E); C && C->getSubExpr()->isGLValue())
    return address(C->getSubExpr());
  if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
    expression(C->getCond());
    operand(C->getTrueExpr());
    return operand(C->getFalseExpr());
  }
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return operand(M->getSubExpr());
  expression(E);
}

// One dispatch over kinds of expressions, complexity 38.
void AccessWalker::expression(const Expr *E) {
  Meter::count();
  E = E->IgnoreParens();
  if (E->isTypeDependent() || isa<UnaryExprOrTypeTraitExpr, IntegerLiteral, FloatingLiteral, StringLiteral>(E))
    return;
  if (const auto *F = dyn_cast<FullExpr>(E))
    return operand(F->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return operand(M->getSubExpr());
  if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
    return operand(B->getSubExpr());
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    return operand(D->getExpr());
  if (const auto *D = dyn_cast<CXXDefaultInitExpr>(E))
    return operand(D->getExpr());
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_LValueToRValue)
      return touch(C->getSubExpr(), /*Reads=*/true, /*Writes=*/false);
    return operand(C->getSubExpr());
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp()) {
    operand(B->getRHS());
    touch(B->getLHS(), B->isCompoundAssignmentOp(), /*Writes=*/true);
    if (B->getOpcode() == BO_Assign)
      assigned(B->getLHS(), nullptr, B->getRHS());
    return;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->isIncrementDecrementOp())
      return touch(U->getSubExpr(), /*Reads=*/true, /*Writes=*/true);
    return operand(U->getSubExpr());
  }
  if (const auto *A = dyn_cast<AtomicExpr>(E)) {
    for (const Stmt *S : A->children())
      operand(cast<Expr>(S));
    const QualType T = A->getPtr()->getType()->getPointeeType();
    if (T.isNull())
      return;
    if (T.isConstQualified() || A->getOp() == AtomicExpr::AO__c11_atomic_load ||
        A->getOp() == AtomicExpr::AO__atomic_load || A->getOp() == AtomicExpr::AO__atomic_load_n)
      return touched(A->getPtr(), Paths.pointee(A->getPtr()), /*Reads=*/true, /*Writes=*/false);
    return updated(A->getPtr(), Paths.pointee(A->getPtr()), T);
  }
  if (const auto *C = dyn_cast<CallExpr>(E))
    return call(C);
  if (const auto *C = dyn_cast<CXXConstructExpr>(E))
    return construct(C, nullptr);
  if (const auto *L = dyn_cast<LambdaExpr>(E)) {
    for (const Expr *I : L->capture_inits())
      if (I)
        operand(I);
    return;
  }
  if (const auto *N = dyn_cast<CXXNewExpr>(E)) {
    if (auto Size = N->getArraySize(); Size && *Size)
      expression(*Size);
    if (N->getInitializer() && !isa<CXXConstructExpr>(N->getInitializer()))
      operand(N->getInitializer());
    if (const CXXConstructExpr *C = N->getConstructExpr())
      construct(C, nullptr);
    return;
  }
  if (isa<CXXThrowExpr, CoawaitExpr, CoyieldExpr>(E))
    return strange(E);
  if (isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(E))
    return address(E);
  for (const Stmt *S : E->children())
    if (const auto *X = dyn_cast_or_null<Expr>(S))
      operand(X);
    else if (S)
      statement(S);
}

static bool isPlainAssignment(const CXXMethodDecl *M) {
  return M && (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator()) && (M->isTrivial() || M->isImplicit());
}

void AccessWalker::call(const CallExpr *C) {
  const Expr *Object = PathResolver::object(C);
  llvm::ArrayRef<const Expr *> Args(C->getArgs(), C->getNumArgs());
  if (Object && isa<CXXOperatorCallExpr>(C))
    Args = Args.drop_front();
  const FunctionDecl *F = C->getDirectCallee();
  if (Object)
    operand(Object);
  else if (!F)
    operand(C->getCallee());
  for (const Expr *A : Args)
    operand(A);
  switch (PathResolver::containerCall(C)) {
  case ContainerCall::Element:
  case ContainerCall::Pointer:
    return;
  case ContainerCall::Size:
    return touched(Object, Object->getType()->isPointerType() ? Paths.pointee(Object) : Paths.lvalue(Object), true,
                   false);
  case ContainerCall::Resize:
  case ContainerCall::None:
    break;
  }
  // An assignment of a whole object, when the language wrote it.
  if (Object && Args.size() == 1 && isPlainAssignment(dyn_cast_or_null<CXXMethodDecl>(F))) {
    touched(Args[0], Paths.lvalue(Args[0]), true, false);
    touched(Object, Paths.lvalue(Object), false, true);
    return assigned(Object, nullptr, Args[0]);
  }
  const FunctionDecl *Body = PathResolver::definition(C);
  if (Body && !Paths.isActive(Body) && Paths.depth() < 10 && walksInto(C, Body, Args, Object)) {
    const auto *M = dyn_cast<CXXMethodDecl>(Body);
    Paths.enter(Body, Args, M && (M->getParent()->isLambda() || M->isStatic()) ? nullptr : Object);
    inlined(Body);
    Paths.leave();
    return;
  }
  called(C, F, Args, Object);
}

void AccessWalker::construct(const CXXConstructExpr *C, const VarDecl *Into) {
  llvm::ArrayRef<const Expr *> Args(C->getArgs(), C->getNumArgs());
  for (const Expr *A : Args)
    operand(A);
  const CXXConstructorDecl *D = C->getConstructor();
  if (Args.size() == 1 && D->isCopyOrMoveConstructor() && (D->isTrivial() || D->isImplicit() || D->isDefaulted())) {
    touched(Args[0], Paths.lvalue(Args[0]), true, false);
    return;
  }
  if (D->isTrivial() || D->isImplicit() || D->isDefaulted())
    return;
  const FunctionDecl *Body = nullptr;
  if (D->hasBody(Body) && !Body->isDependentContext() && !Paths.isActive(Body) && Paths.depth() < 10 &&
      walksInto(C, Body, Args, nullptr)) {
    ObjectPath This;
    if (Into) {
      This.Root = ObjectPath::Variable;
      This.Var = Into->getCanonicalDecl();
    }
    Paths.enter(Body, Args, nullptr, This);
    for (const CXXCtorInitializer *I : cast<CXXConstructorDecl>(Body)->inits())
      if (I->getInit())
        operand(I->getInit());
    inlined(Body);
    Paths.leave();
    return;
  }
  called(C, D, Args, nullptr);
}

void AccessWalker::declaration(const VarDecl *V) {
  if (const Expr *Init = V->getInit(); Init && !Init->isTypeDependent() && !V->isStaticLocal()) {
    const auto *C = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
    if (C && V->getType()->isRecordType())
      construct(C, V);
    else
      operand(Init);
    assigned(nullptr, V, Init);
  }
  declared(V);
}

void AccessWalker::statement(const Stmt *S) {
  Meter::count();
  if (!S)
    return;
  if (const auto *E = dyn_cast<Expr>(S))
    return operand(E);
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
    return directive(D);
  switch (S->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    for (const Stmt *X : cast<CompoundStmt>(S)->body())
      statement(X);
    return;
  case Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        declaration(V);
    return;
  case Stmt::ForStmtClass:
  case Stmt::WhileStmtClass:
  case Stmt::DoStmtClass:
  case Stmt::CXXForRangeStmtClass:
    return loop(S);
  case Stmt::IfStmtClass:
    return branch(cast<IfStmt>(S));
  case Stmt::SwitchStmtClass:
    return select(cast<SwitchStmt>(S));
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    return label(cast<SwitchCase>(S));
  case Stmt::ReturnStmtClass:
    if (const Expr *E = cast<ReturnStmt>(S)->getRetValue())
      operand(E);
    return jump(S);
  case Stmt::BreakStmtClass:
  case Stmt::ContinueStmtClass:
    return jump(S);
  case Stmt::NullStmtClass:
    return;
  case Stmt::AttributedStmtClass:
    return statement(cast<AttributedStmt>(S)->getSubStmt());
  case Stmt::CapturedStmtClass:
    return statement(cast<CapturedStmt>(S)->getCapturedStmt());
  case Stmt::OMPCanonicalLoopClass:
    return statement(cast<OMPCanonicalLoop>(S)->getLoopStmt());
  default:
    return strange(S);
  }
}

} // namespace stridewise
