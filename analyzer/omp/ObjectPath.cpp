#include "omp/ObjectPath.h"
#include "library/LibraryCalls.h"
#include "unit/Meter.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace stridewise {

unsigned ObjectPath::hops() const {
  return llvm::count_if(Steps, [](const Step &S) { return S.isElement() && !S.Embedded; });
}

// Calls

const FunctionDecl *PathResolver::definition(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F)
    return nullptr;
  if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isVirtual()) {
    const auto *Callee = dyn_cast<MemberExpr>(C->getCallee()->IgnoreParens());
    if (!Callee || (!Callee->hasQualifier() && !M->hasAttr<FinalAttr>()))
      return nullptr;
  }
  const FunctionDecl *Body = nullptr;
  return F->hasBody(Body) && !Body->isDependentContext() ? Body : nullptr;
}

// Whether a statement ends the program or throws.
static bool leaves(const Stmt *S) {
  if (const auto *Block = dyn_cast_or_null<CompoundStmt>(S))
    return !Block->body_empty() && leaves(Block->body_back());
  const auto *E = dyn_cast_or_null<Expr>(S);
  E = E ? E->IgnoreParenCasts() : nullptr;
  if (const auto *Cleanups = dyn_cast_or_null<ExprWithCleanups>(E))
    E = Cleanups->getSubExpr()->IgnoreParenCasts();
  const auto *C = dyn_cast_or_null<CallExpr>(E);
  const FunctionDecl *Called = C ? C->getDirectCallee() : nullptr;
  return isa_and_nonnull<CXXThrowExpr>(E) || (Called && Called->isNoReturn());
}

// Whether a statement only checks something: assert, if (…) throw …, or a const method without a result.
static bool checks(const Stmt *S) {
  if (const auto *If = dyn_cast<IfStmt>(S))
    return !If->getElse() && leaves(If->getThen());
  const auto *E = dyn_cast<Expr>(S);
  if (!E || !E->getType()->isVoidType())
    return false;
  E = E->IgnoreParenCasts();
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return leaves(Choice->getTrueExpr()) || leaves(Choice->getFalseExpr());
  const auto *C = dyn_cast<CXXMemberCallExpr>(E);
  return C && C->getMethodDecl() && C->getMethodDecl()->isConst();
}

const Expr *PathResolver::returned(const FunctionDecl *F) {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(F->getBody());
  if (!Body)
    return nullptr;
  const Stmt *Last = nullptr;
  for (const Stmt *S : Body->body())
    if (const auto *D = dyn_cast<DeclStmt>(S)) {
      // Named intermediate values are looked through like any variable that is set once.
      if (!llvm::all_of(D->decls(), [](const Decl *X) {
            const auto *V = dyn_cast<VarDecl>(X);
            return isa<TypedefNameDecl, StaticAssertDecl>(X) || (V && V->getType()->isScalarType() && V->getInit());
          }))
        return nullptr;
    } else if (isa<NullStmt>(S) || (!Last && checks(S))) {
      continue;
    } else if (Last) {
      return nullptr;
    } else {
      Last = S;
    }
  const auto *R = dyn_cast_or_null<ReturnStmt>(Last);
  return R ? R->getRetValue() : nullptr;
}

const Expr *PathResolver::object(const CallExpr *C) {
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(C))
    return M->getImplicitObjectArgument();
  if (isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(C->getDirectCallee()) && C->getNumArgs())
    return C->getArg(0);
  return nullptr;
}

static const CXXRecordDecl *standardClass(QualType T) {
  const CXXRecordDecl *R = T.isNull() ? nullptr : T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && R->isInStdNamespace() ? R : nullptr;
}

bool PathResolver::isContainer(QualType T) {
  static const llvm::StringSet<> Names{"vector", "array", "valarray", "unique_ptr", "shared_ptr", "span"};
  const CXXRecordDecl *R = standardClass(T);
  return R && Names.contains(R->getName());
}

ContainerCall PathResolver::containerCall(const CallExpr *C) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(C->getDirectCallee());
  const Expr *O = object(C);
  if (!M || !O || M->isStatic() || !isContainer(M->getThisType()->getPointeeType()))
    return ContainerCall::None;
  switch (M->getOverloadedOperator()) {
  case OO_Subscript:
  case OO_Star:
    return ContainerCall::Element;
  case OO_Arrow:
    return ContainerCall::Pointer;
  case OO_None:
    break;
  default:
    return ContainerCall::None;
  }
  if (!M->getIdentifier())
    return ContainerCall::None;
  return llvm::StringSwitch<ContainerCall>(M->getName())
      .Cases("at", "front", ContainerCall::Element)
      .Cases("data", "begin", "cbegin", "get", ContainerCall::Pointer)
      .Cases("size", "empty", "capacity", "length", ContainerCall::Size)
      .Cases("resize", "assign", ContainerCall::Resize)
      .Default(ContainerCall::None);
}

bool PathResolver::isAllocation(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *N = dyn_cast<CXXNewExpr>(E))
    return N->getNumPlacementArgs() == 0 || N->passAlignment();
  const LibraryCall *Known = findLibraryCall(E);
  return Known && Known->Effects == LibAllocates;
}

void PathResolver::enter(const FunctionDecl *F, llvm::ArrayRef<const Expr *> Args, const Expr *Object,
                         std::optional<ObjectPath> This) {
  Frame New{F, std::move(This), {}};
  std::vector<std::pair<const VarDecl *, Binding>> Bound;
  for (unsigned I = 0, N = std::min<unsigned>(Args.size(), F->getNumParams()); I < N; ++I) {
    const ParmVarDecl *P = F->getParamDecl(I);
    Binding B;
    QualType T = P->getType();
    if (T->isReferenceType() || T->isRecordType())
      B.Target = lvalue(Args[I]);
    else if (Unit.Assigned.contains(P))
      B = {};
    else if (T->isPointerType())
      B.Target = pointee(Args[I]);
    else if (T->isIntegralOrEnumerationType())
      B.Value = integer(Args[I]);
    if (T->isReferenceType() && T->getPointeeType()->isIntegralOrEnumerationType() && !Args[I]->isGLValue())
      B.Value = integer(Args[I]);
    Bound.emplace_back(P, std::move(B));
  }
  if (Object)
    New.This = Object->getType()->isPointerType() ? pointee(Object) : lvalue(Object);
  else if (!New.This && isa<CXXMethodDecl>(F) && !Frames.empty())
    New.This = Frames.back().This; // a lambda sees the `this` around it
  for (auto &[V, B] : Bound) {
    auto It = Bindings.find(V);
    New.Saved.emplace_back(V, It == Bindings.end() ? std::nullopt : std::optional(It->second));
    Bindings[V] = std::move(B);
  }
  Frames.push_back(std::move(New));
}

void PathResolver::leave() {
  for (auto &[V, B] : llvm::reverse(Frames.back().Saved))
    if (B)
      Bindings[V] = std::move(*B);
    else
      Bindings.erase(V);
  Frames.pop_back();
}

bool PathResolver::isActive(const FunctionDecl *F) const {
  return llvm::any_of(Frames, [&](const Frame &X) { return X.F == F; });
}

void PathResolver::bind(const VarDecl *V, Poly P) { Bindings[V] = {std::move(P), std::nullopt}; }
void PathResolver::bind(const VarDecl *V, ObjectPath T) { Bindings[V] = {std::nullopt, std::move(T)}; }
void PathResolver::unbind(const VarDecl *V) { Bindings.erase(V); }

void PathResolver::hold(const ObjectPath &Where, Poly Value) {
  auto [It, New] = Contents.try_emplace(key(Where), Binding{Value, std::nullopt});
  if (!New && It->second.Value != Value)
    It->second = {};
}
void PathResolver::hold(const ObjectPath &Where, ObjectPath Target) {
  auto [It, New] = Contents.try_emplace(key(Where), Binding{std::nullopt, Target});
  if (!New && !(It->second.Target && key(*It->second.Target) == key(Target)))
    It->second = {};
}
void PathResolver::forget(const ObjectPath &Where) { Contents[key(Where)] = {}; }

const PathResolver::Binding *PathResolver::binding(const VarDecl *V) {
  auto It = Bindings.find(V);
  return It == Bindings.end() ? nullptr : &It->second;
}

const Expr *PathResolver::enterReturned(const CallExpr *C) {
  const FunctionDecl *F = definition(C);
  // Members of the library's classes (iterators) work on fields that nobody else names.
  bool Foreign = F && isa<CXXMethodDecl>(F) && Ctx.getSourceManager().isInSystemHeader(F->getLocation());
  const Expr *Value = F && !Foreign && !isActive(F) && Frames.size() < 12 ? returned(F) : nullptr;
  if (!Value)
    return nullptr;
  const Expr *O = object(C);
  llvm::ArrayRef<const Expr *> Args(C->getArgs(), C->getNumArgs());
  if (O && isa<CXXOperatorCallExpr>(C))
    Args = Args.drop_front();
  const auto *M = dyn_cast<CXXMethodDecl>(F);
  enter(F, Args, M && M->getParent()->isLambda() ? nullptr : O);
  return Value;
}

// Memory

static ObjectPath unknown(const Expr *E, ObjectPath::RootKind K = ObjectPath::Unknown) {
  ObjectPath P;
  P.Root = K;
  P.From = E;
  return P;
}

static ObjectPath element(ObjectPath P, Poly Index, bool Embedded) {
  P.Steps.push_back({nullptr, std::move(Index), Embedded});
  return P;
}

ObjectPath PathResolver::advance(ObjectPath P, const Poly &By) {
  if (!P.Steps.empty() && P.Steps.back().isElement())
    P.Steps.back().Index = P.Steps.back().Index + By;
  else if (By.asConstant() != 0)
    return element(std::move(P), By, /*Embedded=*/true);
  return P;
}

static ObjectPath variablePath(const VarDecl *V, const Expr *From) {
  ObjectPath P;
  P.Root = ObjectPath::Variable;
  P.Var = V->getCanonicalDecl();
  P.From = From;
  return P;
}

static bool keepsPlace(CastKind K) {
  return K == CK_LValueToRValue || K == CK_NoOp || K == CK_LValueBitCast || K == CK_UncheckedDerivedToBase ||
         K == CK_DerivedToBase || K == CK_BaseToDerived;
}

// A variable, or what a reference is bound to.
ObjectPath PathResolver::variable(const DeclRefExpr *D) {
  const auto *V = dyn_cast<VarDecl>(D->getDecl());
  if (!V)
    return unknown(D);
  bool Reference = V->getType()->isReferenceType();
  if (const Binding *B = binding(V); B && B->Target && (Reference || V->getType()->isRecordType()))
    return *B->Target;
  if (Reference && !isa<ParmVarDecl>(V) && V->getInit() && Nesting < MostNested) {
    ++Nesting;
    ObjectPath P = lvalue(V->getInit());
    --Nesting;
    return P;
  }
  return variablePath(V, D);
}

ObjectPath PathResolver::member(const MemberExpr *M) {
  if (const auto *V = dyn_cast<VarDecl>(M->getMemberDecl()))
    return variablePath(V, nullptr);
  const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
  if (!F)
    return unknown(M);
  ObjectPath P = M->isArrow() ? pointee(M->getBase()) : lvalue(M->getBase());
  P.Steps.push_back({F->getCanonicalDecl(), {}, false});
  return F->getType()->isReferenceType() ? element(std::move(P), {}, false) : P;
}

// v[i], v.at(i), v.front(), *p
ObjectPath PathResolver::containerElement(const CallExpr *C) {
  const Expr *O = object(C);
  ObjectPath P = O->getType()->isPointerType() ? pointee(O) : lvalue(O);
  bool HasIndex = C->getNumArgs() > (isa<CXXOperatorCallExpr>(C) ? 1u : 0u);
  const CXXRecordDecl *R = standardClass(cast<CXXMethodDecl>(C->getDirectCallee())->getThisType()->getPointeeType());
  return element(std::move(P), HasIndex ? integer(C->getArg(C->getNumArgs() - 1)) : Poly(),
                 R && R->getName() == "array");
}

ObjectPath PathResolver::lvalue(const Expr *E) {
  Meter::count();
  E = E->IgnoreParens();
  if (const auto *C = dyn_cast<FullExpr>(E))
    return lvalue(C->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return lvalue(M->getSubExpr());
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    return keepsPlace(C->getCastKind()) ? lvalue(C->getSubExpr()) : unknown(E);
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return variable(D);
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return member(M);
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return advance(pointee(A->getBase()), integer(A->getIdx()));
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_Deref)
      return pointee(U->getSubExpr());
    if (U->isPrefix() || U->getOpcode() == UO_Extension)
      return lvalue(U->getSubExpr());
    return unknown(E);
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp())
      return lvalue(B->getLHS());
    return B->getOpcode() == BO_Comma ? lvalue(B->getRHS()) : unknown(E);
  }
  if (const auto *C = dyn_cast<CallExpr>(E))
    return containerCall(C) == ContainerCall::Element
               ? containerElement(C)
               : through(C, &PathResolver::lvalue, unknown(E, ObjectPath::Result));
  if (const auto *C = dyn_cast<CXXConstructExpr>(E);
      C && C->getNumArgs() == 1 && C->getConstructor()->isCopyOrMoveConstructor())
    return lvalue(C->getArg(0));
  if (isa<CXXThisExpr>(E))
    return pointee(E);
  return unknown(E, isa<StringLiteral>(E) ? ObjectPath::Literal : ObjectPath::Unknown);
}

// What the value of a pointer variable, or of a pointer in memory, points at.
ObjectPath PathResolver::loadedPointer(const Expr *From) {
  const VarDecl *V = UnitFunctions::variableOf(From);
  const Binding *B = V ? binding(V) : nullptr;
  if (B && B->Target && !V->getType()->isReferenceType())
    return *B->Target;
  // A pointer that is set once stands for what it was set to.
  if (V && !B && V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getType()->isPointerType() && V->getInit() &&
      !Unit.Assigned.contains(V) && Nesting < MostNested) {
    ++Nesting;
    ObjectPath P = pointee(V->getInit());
    --Nesting;
    if (P.Root != ObjectPath::Unknown && P.Root != ObjectPath::Result && P.Root != ObjectPath::Literal)
      return P;
  }
  ObjectPath Place = lvalue(From);
  if (auto It = Contents.empty() ? Contents.end() : Contents.find(key(Place));
      It != Contents.end() && It->second.Target)
    return *It->second.Target;
  return element(std::move(Place), {}, false);
}

ObjectPath PathResolver::castPointer(const CastExpr *C) {
  switch (C->getCastKind()) {
  case CK_ArrayToPointerDecay:
    return element(lvalue(C->getSubExpr()), {}, /*Embedded=*/true);
  case CK_LValueToRValue:
    return loadedPointer(C->getSubExpr());
  case CK_NoOp:
  case CK_BitCast:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_BaseToDerived:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
    return pointee(C->getSubExpr());
  case CK_NullToPointer:
    return unknown(C, ObjectPath::Literal);
  default:
    return unknown(C);
  }
}

ObjectPath PathResolver::computedPointer(const BinaryOperator *B) {
  if (B->isAdditiveOp() && B->getType()->isPointerType()) {
    bool Left = B->getLHS()->getType()->isPointerType();
    Poly By = integer(Left ? B->getRHS() : B->getLHS());
    return advance(pointee(Left ? B->getLHS() : B->getRHS()), B->getOpcode() == BO_Sub ? Poly::constant(-1) * By : By);
  }
  return B->getOpcode() == BO_Assign || B->getOpcode() == BO_Comma ? pointee(B->getRHS()) : unknown(B);
}

ObjectPath PathResolver::returnedPointer(const CallExpr *C) {
  if (containerCall(C) == ContainerCall::Pointer) {
    const Expr *O = object(C);
    return element(O->getType()->isPointerType() ? pointee(O) : lvalue(O), {}, false);
  }
  ObjectPath Fresh = element(unknown(C, ObjectPath::Result), {}, false);
  ObjectPath P = through(C, &PathResolver::pointee, Fresh);
  // What a wrapper allocates belongs to the call, not to the one place in the wrapper.
  return P.Root == ObjectPath::Result ? Fresh : P;
}

// One of two pointers, of which one is null.
ObjectPath PathResolver::chosenPointer(const AbstractConditionalOperator *C) {
  for (auto [Null, Other] :
       {std::pair(C->getTrueExpr(), C->getFalseExpr()), std::pair(C->getFalseExpr(), C->getTrueExpr())})
    if (Null->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNotNull))
      return pointee(Other);
  return unknown(C);
}

ObjectPath PathResolver::pointee(const Expr *E) {
  Meter::count();
  E = E->IgnoreParens();
  if (const auto *C = dyn_cast<FullExpr>(E))
    return pointee(C->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return pointee(M->getSubExpr());
  if (const auto *C = dyn_cast<CastExpr>(E))
    return castPointer(C);
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_AddrOf)
      return lvalue(U->getSubExpr());
    return U->isIncrementDecrementOp() ? element(lvalue(U->getSubExpr()), {}, false) : unknown(E);
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return computedPointer(B);
  if (isa<CXXThisExpr>(E))
    return !Frames.empty() && Frames.back().This ? *Frames.back().This : unknown(E, ObjectPath::This);
  if (isAllocation(E))
    return element(unknown(E, ObjectPath::Result), {}, false);
  if (const auto *C = dyn_cast<CallExpr>(E))
    return returnedPointer(C);
  if (const auto *C = dyn_cast<AbstractConditionalOperator>(E))
    return chosenPointer(C);
  if (const auto *L = dyn_cast<InitListExpr>(E))
    return L->getNumInits() == 1 ? pointee(L->getInit(0)) : unknown(E);
  if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() >= 1)
    return pointee(C->getArg(0));
  if (E->isGLValue() && E->getType()->isPointerType())
    return element(lvalue(E), {}, false);
  return unknown(E);
}

ObjectPath PathResolver::pointeeAt(const Expr *E, const Poly &Elements) { return advance(pointee(E), Elements); }

ObjectPath PathResolver::rangeElement(const CXXForRangeStmt *S, Poly Index) {
  const Expr *Range = S->getRangeInit();
  QualType T = Range->getType().getNonReferenceType();
  if (!Range->isGLValue() || !(T->isArrayType() || isContainer(T)))
    return unknown(Range);
  const CXXRecordDecl *R = standardClass(T);
  return element(lvalue(Range), std::move(Index), T->isArrayType() || (R && R->getName() == "array"));
}

} // namespace stridewise
