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

// Polynomials

Poly Poly::constant(std::int64_t C) {
  Poly P;
  P.add({}, C);
  return P;
}

Poly Poly::symbol(SymbolId S) {
  Poly P;
  P.add({S}, 1);
  return P;
}

void Poly::add(const Monomial &M, std::int64_t C) {
  // Coefficients wrap as the machine's would; nothing here decides about overflow.
  auto Sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(Terms[M]) + static_cast<std::uint64_t>(C));
  if (Sum)
    Terms[M] = Sum;
  else
    Terms.erase(M);
}

Poly operator+(const Poly &A, const Poly &B) {
  Poly R = A;
  for (const auto &[M, C] : B.Terms)
    R.add(M, C);
  return R;
}

Poly operator*(const Poly &A, const Poly &B) {
  Poly R;
  for (const auto &[MA, CA] : A.Terms)
    for (const auto &[MB, CB] : B.Terms) {
      Poly::Monomial M;
      std::merge(MA.begin(), MA.end(), MB.begin(), MB.end(), std::back_inserter(M));
      R.add(M, static_cast<std::int64_t>(static_cast<std::uint64_t>(CA) * static_cast<std::uint64_t>(CB)));
    }
  return R;
}

Poly operator-(const Poly &A, const Poly &B) { return A + Poly::constant(-1) * B; }

std::optional<std::int64_t> Poly::asConstant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

bool Poly::mentions(SymbolId S) const {
  return llvm::any_of(Terms, [&](const auto &T) { return llvm::is_contained(T.first, S); });
}

std::set<SymbolId> Poly::symbols() const {
  std::set<SymbolId> All;
  for (const auto &[M, C] : Terms)
    All.insert(M.begin(), M.end());
  return All;
}

std::optional<std::int64_t> Poly::coefficient(SymbolId S) const {
  std::int64_t Found = 0;
  for (const auto &[M, C] : Terms)
    if (llvm::is_contained(M, S)) {
      if (M.size() != 1)
        return std::nullopt;
      Found = C;
    }
  return Found;
}

std::size_t Poly::degree() const {
  std::size_t D = 0;
  for (const auto &[M, C] : Terms)
    D = std::max(D, M.size());
  return D;
}

unsigned ObjectPath::hops() const {
  return llvm::count_if(Steps, [](const Step &S) { return S.isElement() && !S.Embedded; });
}

std::optional<std::int64_t> CounterRange::trips() const {
  std::optional<std::int64_t> Distance = (End - Begin).asConstant();
  if (!Distance)
    return std::nullopt;
  if (Step < 0)
    return *Distance >= 0 ? 0 : (-*Distance - Step - 1) / -Step;
  return *Distance <= 0 ? 0 : (*Distance + Step - 1) / Step;
}

// The unit

namespace {
const VarDecl *variableOf(const Expr *E) {
  const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

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
    if (const VarDecl *V = variableOf(E)) {
      Out.Assigned.insert(V);
      Out.Sources[V].push_back(Source);
    }
  }
  void taken(const Expr *E) {
    if (const VarDecl *V = variableOf(E)) {
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
  for (Decl *D : Ctx.getTranslationUnitDecl()->decls())
    if (!SM.isInSystemHeader(D->getLocation()))
      Scan.TraverseDecl(D);
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
    } else if (isa<NullStmt>(S)) {
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

template <typename Result>
Result PathResolver::through(const CallExpr *C, Result (PathResolver::*What)(const Expr *), Result Otherwise) {
  const FunctionDecl *F = definition(C);
  // Members of the library's classes (iterators) work on fields that nobody else names.
  bool Foreign = F && isa<CXXMethodDecl>(F) && Ctx.getSourceManager().isInSystemHeader(F->getLocation());
  const Expr *Value = F && !Foreign && !isActive(F) && Frames.size() < 12 ? returned(F) : nullptr;
  if (!Value)
    return Otherwise;
  const Expr *O = object(C);
  llvm::ArrayRef<const Expr *> Args(C->getArgs(), C->getNumArgs());
  if (O && isa<CXXOperatorCallExpr>(C))
    Args = Args.drop_front();
  const auto *M = dyn_cast<CXXMethodDecl>(F);
  enter(F, Args, M && M->getParent()->isLambda() ? nullptr : O);
  Result R = (this->*What)(Value);
  leave();
  return R;
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

ObjectPath PathResolver::lvalue(const Expr *E) {
  Meter::count();
  E = E->IgnoreParens();
  if (const auto *C = dyn_cast<FullExpr>(E))
    return lvalue(C->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return lvalue(M->getSubExpr());
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_LValueToRValue || C->getCastKind() == CK_NoOp || C->getCastKind() == CK_LValueBitCast ||
        C->getCastKind() == CK_UncheckedDerivedToBase || C->getCastKind() == CK_DerivedToBase ||
        C->getCastKind() == CK_BaseToDerived)
      return lvalue(C->getSubExpr());
    return unknown(E);
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (!V)
      return unknown(E);
    bool Reference = V->getType()->isReferenceType();
    if (const Binding *B = binding(V); B && B->Target && (Reference || V->getType()->isRecordType()))
      return *B->Target;
    if (Reference && !isa<ParmVarDecl>(V) && V->getInit() && Nesting < 12) {
      ++Nesting;
      ObjectPath P = lvalue(V->getInit());
      --Nesting;
      return P;
    }
    ObjectPath P;
    P.Root = ObjectPath::Variable;
    P.Var = V->getCanonicalDecl();
    P.From = E;
    return P;
  }
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (const auto *V = dyn_cast<VarDecl>(M->getMemberDecl())) {
      ObjectPath P;
      P.Root = ObjectPath::Variable;
      P.Var = V->getCanonicalDecl();
      return P;
    }
    if (!F)
      return unknown(E);
    ObjectPath P = M->isArrow() ? pointee(M->getBase()) : lvalue(M->getBase());
    P.Steps.push_back({F->getCanonicalDecl(), {}, false});
    if (F->getType()->isReferenceType())
      return element(std::move(P), {}, false);
    return P;
  }
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
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    if (containerCall(C) == ContainerCall::Element) {
      const Expr *O = object(C);
      ObjectPath P = O->getType()->isPointerType() ? pointee(O) : lvalue(O);
      bool HasIndex = C->getNumArgs() > (isa<CXXOperatorCallExpr>(C) ? 1u : 0u);
      const CXXRecordDecl *R =
          standardClass(cast<CXXMethodDecl>(C->getDirectCallee())->getThisType()->getPointeeType());
      return element(std::move(P), HasIndex ? integer(C->getArg(C->getNumArgs() - 1)) : Poly(),
                     R && R->getName() == "array");
    }
    return through(C, &PathResolver::lvalue, unknown(E, ObjectPath::Result));
  }
  if (isa<CXXConstructExpr>(E)) {
    const auto *C = cast<CXXConstructExpr>(E);
    if (C->getNumArgs() == 1 && C->getConstructor()->isCopyOrMoveConstructor())
      return lvalue(C->getArg(0));
  }
  if (isa<CXXThisExpr>(E))
    return pointee(E);
  return unknown(E, isa<StringLiteral>(E) ? ObjectPath::Literal : ObjectPath::Unknown);
}

ObjectPath PathResolver::pointee(const Expr *E) {
  Meter::count();
  E = E->IgnoreParens();
  if (const auto *C = dyn_cast<FullExpr>(E))
    return pointee(C->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return pointee(M->getSubExpr());
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    switch (C->getCastKind()) {
    case CK_ArrayToPointerDecay:
      return element(lvalue(C->getSubExpr()), {}, /*Embedded=*/true);
    case CK_LValueToRValue: {
      const Expr *Sub = C->getSubExpr();
      const VarDecl *V = variableOf(Sub);
      const Binding *B = V ? binding(V) : nullptr;
      if (B && B->Target && !V->getType()->isReferenceType())
        return *B->Target;
      // A pointer that is set once stands for what it was set to.
      if (V && !B && V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getType()->isPointerType() && V->getInit() &&
          !Unit.Assigned.contains(V) && Nesting < 12) {
        ++Nesting;
        ObjectPath P = pointee(V->getInit());
        --Nesting;
        if (P.Root != ObjectPath::Unknown && P.Root != ObjectPath::Result && P.Root != ObjectPath::Literal)
          return P;
      }
      ObjectPath Place = lvalue(Sub);
      if (auto It = Contents.empty() ? Contents.end() : Contents.find(key(Place));
          It != Contents.end() && It->second.Target)
        return *It->second.Target;
      return element(std::move(Place), {}, false);
    }
    case CK_NoOp:
    case CK_BitCast:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
    case CK_BaseToDerived:
    case CK_ConstructorConversion:
    case CK_UserDefinedConversion:
      return pointee(C->getSubExpr());
    case CK_NullToPointer:
      return unknown(E, ObjectPath::Literal);
    default:
      return unknown(E);
    }
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_AddrOf)
      return lvalue(U->getSubExpr());
    if (U->isIncrementDecrementOp())
      return element(lvalue(U->getSubExpr()), {}, false);
    return unknown(E);
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAdditiveOp() && B->getType()->isPointerType()) {
      bool Left = B->getLHS()->getType()->isPointerType();
      Poly By = integer(Left ? B->getRHS() : B->getLHS());
      return advance(pointee(Left ? B->getLHS() : B->getRHS()),
                     B->getOpcode() == BO_Sub ? Poly::constant(-1) * By : By);
    }
    if (B->getOpcode() == BO_Assign)
      return pointee(B->getRHS());
    return B->getOpcode() == BO_Comma ? pointee(B->getRHS()) : unknown(E);
  }
  if (isa<CXXThisExpr>(E)) {
    if (!Frames.empty() && Frames.back().This)
      return *Frames.back().This;
    return unknown(E, ObjectPath::This);
  }
  if (isAllocation(E))
    return element(unknown(E, ObjectPath::Result), {}, false);
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    if (containerCall(C) == ContainerCall::Pointer) {
      const Expr *O = object(C);
      return element(O->getType()->isPointerType() ? pointee(O) : lvalue(O), {}, false);
    }
    ObjectPath Fresh = element(unknown(E, ObjectPath::Result), {}, false);
    ObjectPath P = through(C, &PathResolver::pointee, Fresh);
    // What a wrapper allocates belongs to the call, not to the one place in the wrapper.
    return P.Root == ObjectPath::Result ? Fresh : P;
  }
  if (const auto *C = dyn_cast<AbstractConditionalOperator>(E)) {
    for (auto [Null, Other] :
         {std::pair(C->getTrueExpr(), C->getFalseExpr()), std::pair(C->getFalseExpr(), C->getTrueExpr())})
      if (Null->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNotNull))
        return pointee(Other);
    return unknown(E);
  }
  if (const auto *L = dyn_cast<InitListExpr>(E))
    return L->getNumInits() == 1 ? pointee(L->getInit(0)) : unknown(E);
  if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() >= 1)
    return pointee(C->getArg(0));
  if (E->isGLValue() && E->getType()->isPointerType())
    return element(lvalue(E), {}, false);
  return unknown(E);
}

// Integers

SymbolId PathResolver::intern(SymbolInfo Info) {
  auto [It, New] = ByKey.try_emplace(Info.Key, Symbols.size());
  if (New)
    Symbols.push_back(std::move(Info));
  return It->second;
}

SymbolId PathResolver::threadNumber() {
  SymbolInfo Info;
  Info.Key = "thread";
  return intern(std::move(Info));
}

SymbolId PathResolver::counter(std::string Key, const Poly &Range) {
  SymbolInfo Info;
  Info.Key = "counter " + Key;
  Info.Inputs = Range.symbols();
  return intern(std::move(Info));
}

bool PathResolver::dependsOn(const Poly &P, SymbolId S) const {
  std::set<SymbolId> Seen = P.symbols();
  std::vector<SymbolId> Work(Seen.begin(), Seen.end());
  while (!Work.empty()) {
    SymbolId X = Work.back();
    Work.pop_back();
    if (X == S)
      return true;
    for (SymbolId I : Symbols[X].Inputs)
      if (Seen.insert(I).second)
        Work.push_back(I);
  }
  return false;
}

std::string PathResolver::key(const Poly &P) const {
  std::string S;
  for (const auto &[M, C] : P.terms()) {
    S += (S.empty() ? "" : "+") + std::to_string(C);
    for (SymbolId X : M)
      S += "*" + std::to_string(X);
  }
  return S;
}

std::string PathResolver::key(const ObjectPath &P) const {
  const void *Root = P.Root == ObjectPath::Variable ? static_cast<const void *>(P.Var) : P.From;
  if (P.Root == ObjectPath::This)
    Root = nullptr;
  std::string S = std::to_string(P.Root) + "@" + llvm::utohexstr(reinterpret_cast<std::uintptr_t>(Root));
  for (const ObjectPath::Step &X : P.Steps)
    if (X.Field)
      S += "." + llvm::utohexstr(reinterpret_cast<std::uintptr_t>(X.Field));
    else
      S += "[" + key(X.Index) + "]";
  return S;
}

Poly PathResolver::opaque(const Expr *E, std::string Key, llvm::ArrayRef<Poly> From) {
  SymbolInfo Info;
  Info.Opaque = true;
  if (Key.empty())
    Info.Key = "?" + llvm::utohexstr(reinterpret_cast<std::uintptr_t>(E));
  else
    Info.Key = Key + "(";
  for (const Poly &P : From) {
    if (!Key.empty())
      Info.Key += key(P) + ",";
    std::set<SymbolId> S = P.symbols();
    Info.Inputs.insert(S.begin(), S.end());
  }
  return Poly::symbol(intern(std::move(Info)));
}

Poly PathResolver::integer(const Expr *E) {
  Meter::count();
  E = E->IgnoreParens();
  Expr::EvalResult Constant;
  if (!E->isValueDependent() && E->getType()->isIntegralOrEnumerationType() && E->EvaluateAsInt(Constant, Ctx) &&
      Constant.Val.getInt().isRepresentableByInt64())
    return Poly::constant(Constant.Val.getInt().getExtValue());
  if (const auto *C = dyn_cast<FullExpr>(E))
    return integer(C->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return integer(M->getSubExpr());
  if (const auto *C = dyn_cast<CastExpr>(E))
    switch (C->getCastKind()) {
    case CK_LValueToRValue:
    case CK_IntegralCast:
    case CK_NoOp:
      return integer(C->getSubExpr());
    case CK_PointerToIntegral: {
      // A number that travels as a pointer.
      const VarDecl *V = variableOf(C->getSubExpr());
      const Binding *B = V ? binding(V) : nullptr;
      return B && B->Value ? *B->Value : opaque(E, "", {});
    }
    case CK_FloatingToIntegral:
    case CK_IntegralToBoolean:
    case CK_IntegralToFloating:
    default:
      return opaque(E, "", {});
    }
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && !B->isAssignmentOp() && B->getOpcode() != BO_Comma) {
    if (B->getLHS()->getType()->isPointerType() || B->getRHS()->getType()->isPointerType())
      return opaque(E, "", {});
    Poly L = integer(B->getLHS()), R = integer(B->getRHS());
    std::optional<std::int64_t> Shift = R.asConstant();
    bool Small = L.terms().size() * R.terms().size() <= 64 && L.degree() + R.degree() <= 12;
    if (B->getOpcode() == BO_Add && Small)
      return L + R;
    if (B->getOpcode() == BO_Sub && Small)
      return L - R;
    if (B->getOpcode() == BO_Mul && Small)
      return L * R;
    if (B->getOpcode() == BO_Shl && Shift && *Shift >= 0 && *Shift < 31)
      return L * Poly::constant(std::int64_t(1) << *Shift);
    return opaque(E, "op" + std::to_string(B->getOpcode()), {L, R});
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_Minus)
      return Poly::constant(-1) * integer(U->getSubExpr());
    if (U->getOpcode() == UO_Plus)
      return integer(U->getSubExpr());
    if (U->getOpcode() != UO_Deref)
      return opaque(E, "", {});
  }
  if (const auto *C = dyn_cast<ConditionalOperator>(E))
    return opaque(E, "?:", {integer(C->getCond()), integer(C->getTrueExpr()), integer(C->getFalseExpr())});
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    if (containerCall(C) == ContainerCall::Size) {
      const Expr *O = object(C);
      SymbolInfo Info;
      Info.Loaded = O->getType()->isPointerType() ? pointee(O) : lvalue(O);
      Info.Key = "size " + C->getDirectCallee()->getNameAsString() + key(*Info.Loaded);
      return Poly::symbol(intern(std::move(Info)));
    }
    // The number of the calling thread: one value per thread, the same in the whole region.
    if (const FunctionDecl *F = C->getDirectCallee();
        F && F->isExternC() && F->getIdentifier() && F->getName() == "omp_get_thread_num")
      return Poly::symbol(threadNumber());
    std::vector<Poly> Args;
    for (const Expr *A : C->arguments())
      if (A->getType()->isIntegralOrEnumerationType() && Args.size() < 8)
        Args.push_back(integer(A));
    if (containerCall(C) != ContainerCall::Element)
      return through(C, &PathResolver::integer, opaque(E, "", Args));
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl())) {
      if (const Binding *B = binding(V); B && B->Value)
        return *B->Value;
      if (V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getInit() && !Unit.Assigned.contains(V) && !binding(V) &&
          V->getType()->isIntegralOrEnumerationType() && Nesting < 12) {
        ++Nesting;
        Poly P = integer(V->getInit());
        --Nesting;
        return P;
      }
    }
  if (!E->isGLValue())
    return opaque(E, "", {});
  ObjectPath P = lvalue(E);
  if (P.Root == ObjectPath::Unknown || P.Root == ObjectPath::Result)
    return opaque(E, "", {});
  if (auto It = Contents.empty() ? Contents.end() : Contents.find(key(P)); It != Contents.end() && It->second.Value)
    return *It->second.Value;
  SymbolInfo Info;
  Info.Key = "v " + key(P);
  if (P.isPlainVariable())
    Info.Var = P.Var;
  for (const ObjectPath::Step &S : P.Steps)
    for (SymbolId X : S.Index.symbols())
      Info.Inputs.insert(X);
  Info.Loaded = std::move(P);
  return Poly::symbol(intern(std::move(Info)));
}

ObjectPath PathResolver::rangeElement(const CXXForRangeStmt *S, Poly Index) {
  const Expr *Range = S->getRangeInit();
  QualType T = Range->getType().getNonReferenceType();
  if (!Range->isGLValue() || !(T->isArrayType() || isContainer(T)))
    return unknown(Range);
  const CXXRecordDecl *R = standardClass(T);
  return element(lvalue(Range), std::move(Index), T->isArrayType() || (R && R->getName() == "array"));
}

std::optional<CounterRange> PathResolver::range(const Stmt *Loop) {
  const auto *For = dyn_cast_or_null<ForStmt>(Loop);
  if (!For || !For->getCond() || !For->getInc())
    return std::nullopt;
  CounterRange R;
  const Expr *Begin = nullptr;
  if (const auto *D = dyn_cast_or_null<DeclStmt>(For->getInit())) {
    // Of several counters the one that the condition names counts.
    for (const Decl *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X); V && V->getInit() && V->getType()->isIntegralOrEnumerationType()) {
        const auto *C = dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
        if (!D->isSingleDecl() && C && variableOf(C->getLHS()) != V && variableOf(C->getRHS()) != V)
          continue;
        R.Counter = V;
        Begin = V->getInit();
        break;
      }
  } else if (const auto *B = dyn_cast_or_null<BinaryOperator>(For->getInit()); B && B->getOpcode() == BO_Assign) {
    R.Counter = variableOf(B->getLHS());
    Begin = B->getRHS();
  }
  if (!R.Counter || !R.Counter->getType()->isIntegralOrEnumerationType())
    return std::nullopt;

  const auto *Cond = dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
  if (!Cond || !(Cond->isRelationalOp() || Cond->getOpcode() == BO_NE))
    return std::nullopt;
  BinaryOperatorKind Op = Cond->getOpcode();
  const Expr *End = Cond->getRHS();
  if (variableOf(Cond->getLHS()) != R.Counter) {
    if (variableOf(Cond->getRHS()) != R.Counter)
      return std::nullopt;
    End = Cond->getLHS();
    if (Op != BO_NE)
      Op = BinaryOperator::reverseComparisonOp(Op);
  }

  const Expr *Inc = For->getInc()->IgnoreParenImpCasts();
  while (const auto *Comma = dyn_cast<BinaryOperator>(Inc)) {
    if (Comma->getOpcode() != BO_Comma)
      break;
    Inc = (variableOf(Comma->getLHS()) == R.Counter ? Comma->getLHS() : Comma->getRHS())->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(Comma->getLHS()->IgnoreParenImpCasts());
        U && variableOf(U->getSubExpr()) == R.Counter)
      Inc = U;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(Inc);
      U && U->isIncrementDecrementOp() && variableOf(U->getSubExpr()) == R.Counter) {
    R.Step = U->isIncrementOp() ? 1 : -1;
  } else if (const auto *A = dyn_cast<BinaryOperator>(Inc); A && variableOf(A->getLHS()) == R.Counter) {
    std::optional<std::int64_t> By;
    if (A->getOpcode() == BO_AddAssign || A->getOpcode() == BO_SubAssign) {
      By = integer(A->getRHS()).asConstant();
      if (By && A->getOpcode() == BO_SubAssign)
        By = -*By;
    } else if (A->getOpcode() == BO_Assign) {
      unbind(R.Counter);
      Poly Now = integer(A->getRHS());
      By = (Now - integer(A->getLHS())).asConstant();
    }
    if (!By || !*By)
      return std::nullopt;
    R.Step = *By;
  } else {
    return std::nullopt;
  }
  bool Up = R.Step > 0;
  if (Op != BO_NE && Up != (Op == BO_LT || Op == BO_LE))
    return std::nullopt;
  R.Begin = integer(Begin);
  R.End = integer(End);
  if (Op == BO_LE)
    R.End = R.End + Poly::constant(1);
  if (Op == BO_GE)
    R.End = R.End - Poly::constant(1);
  return R;
}

} // namespace stridewise
