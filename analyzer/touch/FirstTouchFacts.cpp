// The facts of touch/FirstTouch.h: what runs under which loops, branches and teams, and what calls pass on.
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "touch/FirstTouchBuilder.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {

namespace {

template <typename Callback> void forEachPart(const Expr *E, Callback CB) {
  E = E->IgnoreParenImpCasts();
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Comma) {
    forEachPart(B->getLHS(), CB);
    forEachPart(B->getRHS(), CB);
  } else {
    CB(E);
  }
}

} // namespace

TouchNames::TouchNames(ASTContext &Ctx) : Ctx(Ctx), Generator(Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  Main = placeOf(Ctx, SM.getLocForStartOfFile(SM.getMainFileID())).File;
}

std::string TouchNames::of(const NamedDecl *D) {
  std::string &Name = Known[D->getCanonicalDecl()];
  if (Name.empty()) {
    Name = Generator.getName(D);
    if (Name.empty())
      Name = D->getQualifiedNameAsString();
    if (!D->isExternallyVisible())
      Name += "@" + Main + ":" + std::to_string(Ctx.getSourceManager().getFileOffset(D->getLocation()));
  }
  return Name;
}

const FunctionDecl *TouchNames::implementation(const FunctionDecl *F, const UnitFunctions &Unit) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(F);
  if (!M || !M->isPureVirtual())
    return F;
  if (!std::exchange(Searched, true))
    for (const FunctionDecl *X : Unit.Functions)
      if (const auto *Y = dyn_cast<CXXMethodDecl>(X))
        for (const CXXMethodDecl *Base : Y->overridden_methods())
          Implementations[Base->getCanonicalDecl()].push_back(X);
  auto It = Implementations.find(M->getCanonicalDecl());
  return It != Implementations.end() && It->second.size() == 1 ? It->second.front() : F;
}

void TouchBuilder::run(const FunctionDecl *F) {
  Function = F;
  if (const auto *C = dyn_cast<CXXConstructorDecl>(F))
    for (const CXXCtorInitializer *I : C->inits())
      initializer(I);
  statement(F->getBody());
  compareUses();
}

// in >> a[i], scanf("%lf", &a[i]): whoever runs this writes the element first.
void TouchBuilder::readsInput(const Expr *Call, llvm::ArrayRef<const Expr *> Args) {
  for (Loop &L : Loops)
    L.Input = true;
  if (By != Runs::Serial)
    return;
  for (const Expr *A : Args)
    if (receives(A))
      if (Location L = objectOf(A->isGLValue() ? Paths.lvalue(A) : Paths.pointee(A)); !L.empty())
        add(TouchEvent::Foreign, std::move(L), Call->getExprLoc());
}

// The object of a member call, or the one that a call makes; else nothing.
TouchEvent::Argument TouchBuilder::object(const Expr *Call, const FunctionDecl *Callee, const Expr *Object, bool Made) {
  TouchEvent::Argument This;
  if (Object) {
    const auto *M = dyn_cast_or_null<CXXMethodDecl>(Callee);
    This.Where = toLocation(Object->getType()->isPointerType() ? Paths.pointee(Object) : Paths.lvalue(Object));
    This.Reference = true;
    This.Const = M && M->isConst();
  } else if (Made || isa<CXXConstructExpr>(Call)) {
    This.Where = {temporary(Call)};
    This.Reference = true;
  }
  return This;
}

void TouchBuilder::called(const Expr *Call, const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Args,
                          const Expr *Object) {
  if (libraryCall(Call, Callee, Args, Object))
    return;
  const CXXConstructorDecl *Made = isa<CallExpr>(Call) ? constructorMade(cast<CallExpr>(Call)) : nullptr;
  Callee = Made ? Made : Ids.implementation(Callee, Unit);
  CallEffect Effect = effectOf(Callee, Ctx);
  const LibraryCall *Known = Callee ? findLibraryCall(Callee) : nullptr;
  if (Effect == CallEffect::Nothing || (Known && Known->onlyDoes(LibReads | LibOutput)))
    return;
  const auto *C = dyn_cast<CallExpr>(Call);
  const bool Message = C && findMpiCall(*C);
  const bool User = Callee && !Message && !Ctx.getSourceManager().isInSystemHeader(Callee->getLocation());
  if (!User && Effect == CallEffect::Unknown && llvm::any_of(Args, receives))
    readsInput(Call, Args);
  for (const Expr *A : Args)
    if (isLambda(A))
      spoilCaptures(A);
  TouchEvent E;
  E.K = TouchEvent::Call;
  E.Callee = User ? Ids.of(Callee) : std::string();
  E.Message = Message;
  E.InLoop = isRepeated();
  E.Arguments.push_back(object(Call, Callee, Object, Made));
  for (unsigned I = 0; I < Args.size(); ++I) {
    QualType T = Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : Args[I]->getType();
    E.Arguments.push_back(argument(Args[I], T));
  }
  if (Call->getType()->isPointerType() || Call->getType()->isRecordType())
    E.Object = {temporary(Call)};
  add(std::move(E), Call->getExprLoc());

  if (By == Runs::Shared)
    passesElements(Args);
}

// An element whose address goes to a function that works on it.
void TouchBuilder::passesElements(llvm::ArrayRef<const Expr *> Args) {
  for (const Expr *A : Args) {
    if (!A->getType()->isPointerType() && !A->isGLValue())
      continue;
    ObjectPath P = A->getType()->isPointerType() && !A->isGLValue() ? Paths.pointee(A) : Paths.lvalue(A);
    if (Location L = objectOf(P); !L.empty() && followsTeam(P))
      teamUse(P, std::move(L));
  }
}

bool TouchBuilder::walksInto(const Expr *Call, const FunctionDecl *Body, llvm::ArrayRef<const Expr *> Args,
                             const Expr *Object) {
  if (Ctx.getSourceManager().isInSystemHeader(Body->getLocation()) || isa<CXXConstructorDecl>(Body))
    return false;
  const auto *M = dyn_cast<CXXMethodDecl>(Body);
  // A lambda names the variables of the function that it stands in: it is walked from there.
  if ((M && M->getParent()->isLambda()) || llvm::any_of(Args, isLambda))
    return true;
  // Accessors; what a function allocates is the business of the resolver.
  if (PathResolver::returned(Body))
    return !Call->getType()->isPointerType() || Paths.pointee(Call).Root != ObjectPath::Result;
  // Functions that call each other twice in loops are walked twice as often with each level.
  if (Loops.empty() || Walked >= MostWalked)
    return false;
  // Work on the elements that the loops around the call choose.
  auto Chosen = [&](const Expr *A) {
    if (A->getType()->isIntegralOrEnumerationType())
      return dependsOnLoops(Paths.integer(A));
    if (!A->getType()->isPointerType() && !A->isGLValue())
      return false;
    ObjectPath P = A->getType()->isPointerType() ? Paths.pointee(A) : Paths.lvalue(A);
    return llvm::any_of(P.Steps, [&](const ObjectPath::Step &S) { return S.isElement() && dependsOnLoops(S.Index); });
  };
  bool Walks = (Object && Chosen(Object)) || llvm::any_of(Args, Chosen);
  Walked += Walks;
  return Walks;
}

void TouchBuilder::assigned(const Expr *Target, const VarDecl *Declared, const Expr *Value) {
  QualType T = Target ? Target->getType() : Declared->getType();
  if (T->isReferenceType() || (Declared && Declared->isStaticLocal()))
    return;
  if (Target)
    follow(Target, Value);
  Location Holder = Target ? toLocation(Paths.lvalue(Target)) : Location{root(Declared)};
  if (!Holder.empty())
    give(std::move(Holder), T, Value, Declared ? Declared->getLocation() : Target->getExprLoc());
}

// A local number or pointer that is set anew in an iteration stands for what it was set to, to the end of the block of
// the loop or branch that sets it. One that is counted up as well does not.
void TouchBuilder::follow(const Expr *Target, const Expr *Value) {
  const VarDecl *V = UnitFunctions::variableOf(Target);
  if (!V || Loops.empty() || !V->hasLocalStorage() || isa<ParmVarDecl>(V))
    return;
  auto It = Unit.Sources.find(V);
  if (It == Unit.Sources.end() || llvm::is_contained(It->second, nullptr))
    return;
  if (V->getType()->isIntegralOrEnumerationType()) {
    Poly Now = Paths.integer(Value);
    if (llvm::any_of(Now.symbols(), [&](SymbolId S) { return Paths.symbol(S).Var == V; }))
      return Paths.unbind(V);
    Paths.bind(V, std::move(Now));
  } else if (V->getType()->isPointerType()) {
    ObjectPath To = Paths.pointee(Value);
    // An element's address. Pointers that are copied may be exchanged, which the resolver follows.
    const bool Element =
        llvm::any_of(To.Steps, [](const ObjectPath::Step &S) { return S.isElement() && S.Index.asConstant() != 0; });
    if (!Element ||
        (To.Root != ObjectPath::This && (To.Root != ObjectPath::Variable || To.Var == V->getCanonicalDecl())))
      return Paths.unbind(V);
    Paths.bind(V, std::move(To));
  } else {
    return;
  }
  Followed.push_back(V);
}

void TouchBuilder::unfollow(std::size_t From) {
  for (; Followed.size() > From; Followed.pop_back())
    Paths.unbind(Followed.back());
}

bool TouchBuilder::isGiven(const VarDecl *V, const Stmt *In) const {
  const SourceManager &SM = Ctx.getSourceManager();
  auto Inside = [&](const Expr *E) {
    if (!E)
      return false;
    const SourceLocation At = SM.getExpansionLoc(E->getExprLoc());
    return !SM.isBeforeInTranslationUnit(At, SM.getExpansionLoc(In->getBeginLoc())) &&
           !SM.isBeforeInTranslationUnit(SM.getExpansionLoc(In->getEndLoc()), At);
  };
  auto It = Unit.Sources.find(V);
  return It != Unit.Sources.end() && llvm::any_of(It->second, Inside);
}

// In a later iteration the variable is what the loop sets it to.
void TouchBuilder::unfollowChanged(const Stmt *In) {
  for (const VarDecl *V : Followed)
    if (isGiven(V, In))
      Paths.unbind(V);
}

void TouchBuilder::declared(const VarDecl *V) {
  if (By != Runs::Serial) {
    TeamLocals.insert(V->getCanonicalDecl());
    return;
  }
  if (V->hasLocalStorage() && Paths.depth() == 0 && V->getType()->isArrayType())
    if (std::optional<TouchEvent> E = inPlace(V, {root(V)}, V->getNameAsString()))
      add(std::move(*E), V->getLocation());
}

void TouchBuilder::loop(const Stmt *S) {
  unfollowChanged(S);
  const std::size_t FollowedBefore = Followed.size();
  Loop L;
  L.S = S;
  L.ArmsAround = Arms.size();
  std::vector<const VarDecl *> Bound;
  const Stmt *Body = nullptr;
  if (const auto *F = dyn_cast<ForStmt>(S)) {
    statement(F->getInit());
    if (std::optional<CounterRange> R = Paths.range(S)) {
      L.Range = R;
      L.Counter = Paths.counter(std::to_string(LastLoop++), R->Begin);
      bindCounters(F, *R, *L.Counter, Bound);
    }
    if (F->getCond())
      operand(F->getCond());
    if (F->getInc())
      operand(F->getInc());
    Body = F->getBody();
  } else if (const auto *R = dyn_cast<CXXForRangeStmt>(S)) {
    operand(R->getRangeInit());
    L.Counter = Paths.counter(std::to_string(LastLoop++), {});
    const VarDecl *V = R->getLoopVariable();
    ObjectPath Element = Paths.rangeElement(R, Poly::symbol(*L.Counter));
    if (V->getType()->isReferenceType()) {
      Paths.bind(V, Element);
      Bound.push_back(V);
    } else if (Element.Root != ObjectPath::Unknown) {
      touched(R->getRangeInit(), Element, true, false);
    }
    Body = R->getBody();
  } else if (const auto *W = dyn_cast<WhileStmt>(S)) {
    operand(W->getCond());
    Body = W->getBody();
  } else {
    operand(cast<DoStmt>(S)->getCond());
    Body = cast<DoStmt>(S)->getBody();
  }
  L.Shared = std::exchange(NextIsShared, false);
  Loops.push_back(std::move(L));
  statement(Body);
  Loops.pop_back();
  unfollow(FollowedBefore);
  for (const VarDecl *V : Bound)
    Paths.unbind(V);
}

void TouchBuilder::branch(const IfStmt *S) {
  statement(S->getInit());
  operand(S->getCond());
  // What never runs touches nothing.
  if (std::optional<bool> Holds = decided(S->getCond())) {
    statement(*Holds ? S->getThen() : S->getElse());
    return;
  }
  unsigned Id = LastBranch++;
  const std::size_t FollowedBefore = Followed.size();
  Arms.push_back({Id, 0, S->getElse() != nullptr});
  const bool One = picksOne(S->getCond());
  if (One)
    Loops.back().Once = true;
  statement(S->getThen());
  if (One)
    Loops.back().Once = false;
  unfollow(FollowedBefore);
  Arms.back().Arm = 1;
  statement(S->getElse());
  unfollow(FollowedBefore);
  Arms.pop_back();
  unfollowChanged(S);
}

// Whether a condition holds in one iteration of the innermost loop: as often as its counter equals a number.
bool TouchBuilder::picksOne(const Expr *Cond) {
  const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
  if (!B || B->getOpcode() != BO_EQ || Loops.empty() || !Loops.back().Counter || Loops.back().Once ||
      !B->getLHS()->getType()->isIntegralOrEnumerationType())
    return false;
  const std::optional<std::int64_t> Times =
      (Paths.integer(B->getLHS()) - Paths.integer(B->getRHS())).coefficient(*Loops.back().Counter);
  return Times && *Times != 0;
}

// Whether what is walked runs again and again.
bool TouchBuilder::isRepeated() const {
  return llvm::any_of(Loops, [](const Loop &L) { return !L.Once; });
}

// The outcome of a condition that is the same in every run: a constant, or a variable of this unit that nobody sets.
std::optional<bool> TouchBuilder::decided(const Expr *Cond) const {
  Cond = Cond->IgnoreParenImpCasts();
  if (Cond->isValueDependent())
    return std::nullopt;
  if (bool Holds = false; Cond->EvaluateAsBooleanCondition(Holds, Ctx))
    return Holds;
  if (const auto *U = dyn_cast<UnaryOperator>(Cond); U && U->getOpcode() == UO_LNot) {
    const std::optional<bool> Inner = decided(U->getSubExpr());
    return Inner ? std::optional(!*Inner) : std::nullopt;
  }
  const auto *D = dyn_cast<DeclRefExpr>(Cond);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  if (!V || !V->hasGlobalStorage() || V->isExternallyVisible() || V->isStaticLocal() ||
      !V->getType()->isIntegralOrEnumerationType() || V->getType().isVolatileQualified() ||
      Unit.Assigned.contains(V->getCanonicalDecl()) || Unit.AddressTaken.contains(V->getCanonicalDecl()))
    return std::nullopt;
  const Expr *Init = V->getAnyInitializer();
  Expr::EvalResult R;
  if (!Init)
    return false;
  if (Init->isValueDependent() || !Init->EvaluateAsInt(R, Ctx))
    return std::nullopt;
  return R.Val.getInt() != 0;
}

void TouchBuilder::select(const SwitchStmt *S) {
  operand(S->getCond());
  std::optional<unsigned> Saved = std::exchange(Switch, LastBranch++);
  std::size_t Size = Arms.size(), FollowedBefore = Followed.size();
  Arms.push_back({*Switch, 0, true});
  statement(S->getBody());
  Arms.resize(Size);
  unfollow(FollowedBefore);
  unfollowChanged(S);
  Switch = Saved;
}

void TouchBuilder::label(const SwitchCase *S) {
  if (Switch && !Arms.empty() && Arms.back().Branch == *Switch)
    ++Arms.back().Arm;
  statement(S->getSubStmt());
}

void TouchBuilder::jump(const Stmt *S) {
  const auto *R = dyn_cast<ReturnStmt>(S);
  if (R && R->getRetValue() && Paths.depth() == 0)
    give({"ret"}, R->getRetValue()->getType(), R->getRetValue(), R->getBeginLoc());
}

void TouchBuilder::strange(const Stmt *S) {
  for (const Stmt *X : S->children())
    if (X)
      statement(X);
}

void TouchBuilder::directive(const OMPExecutableDirective *D) {
  OmpConstruct C = classify(*D, Ctx);
  Runs Saved = By;
  bool SavedTeam = InTeam;
  std::vector<const VarDecl *> Added;
  if (C.StartsTeam || C.SharesLoop)
    for (const VarDecl *V : privateVariables(*D))
      if (!V->getType()->isPointerType() && TeamLocals.insert(V).second)
        Added.push_back(V);
  // A region within a region is run by the thread that comes to it: teams of teams have to be asked for.
  const bool Nested = C.StartsTeam && InTeam && By != Runs::Serial;
  if (C.StartsTeam && !Nested) {
    By = By == Runs::One ? Runs::One : Runs::Team;
    InTeam = true;
  }
  if (C.Device || C.OneThread || C.Tasks)
    By = Runs::One;
  else if (C.SharesLoop && By != Runs::One && !Nested)
    By = Runs::Shared;
  const Stmt *Body = constructBody(*D);
  if (C.SharesLoop && By == Runs::Shared && !Nested) {
    const auto *S = D->getSingleClause<OMPScheduleClause>();
    const bool Around = std::exchange(
        Dealt, S && (S->getScheduleKind() == OMPC_SCHEDULE_dynamic || S->getScheduleKind() == OMPC_SCHEDULE_guided));
    sharedNest(*D, Body);
    Dealt = Around;
  } else {
    statement(Body);
  }
  By = Saved;
  InTeam = SavedTeam;
  for (const VarDecl *V : Added)
    TeamLocals.erase(V);
}

// The loops that the directive distributes, then the body of the innermost.
void TouchBuilder::sharedNest(const OMPExecutableDirective &D, const Stmt *Body) {
  std::vector<const ForStmt *> Nest = sharedLoops(D);
  if (Nest.empty()) {
    NextIsShared = isa_and_nonnull<CXXForRangeStmt>(Body);
    statement(Body);
    NextIsShared = false;
    return;
  }
  std::vector<const VarDecl *> Bound;
  for (const ForStmt *F : Nest) {
    Loop L;
    L.S = F;
    L.ArmsAround = Arms.size();
    L.Shared = true;
    statement(F->getInit());
    if (std::optional<CounterRange> R = Paths.range(F)) {
      L.Range = R;
      L.Counter = Paths.counter(std::to_string(LastLoop++), {});
      bindCounters(F, *R, *L.Counter, Bound);
    }
    if (F->getCond())
      operand(F->getCond());
    Loops.push_back(std::move(L));
  }
  unfollowChanged(Nest.back());
  const std::size_t FollowedBefore = Followed.size();
  statement(Nest.back()->getBody());
  unfollow(FollowedBefore);
  Loops.resize(Loops.size() - Nest.size());
  for (const VarDecl *V : Bound)
    Paths.unbind(V);
}

// The counter, and other variables that step along with it: for (int ii = 0, k = 64 * box; ii < n; ii++, k++).
void TouchBuilder::bindCounters(const ForStmt *F, const CounterRange &R, SymbolId Counter,
                                std::vector<const VarDecl *> &Bound) {
  auto Bind = [&](const VarDecl *V, const Poly &Begin, std::int64_t Step) {
    Paths.bind(V, Begin + Poly::constant(Step) * Poly::symbol(Counter));
    Bound.push_back(V);
  };
  Bind(R.Counter, R.Begin, R.Step);
  std::vector<std::pair<const VarDecl *, const Expr *>> Others;
  if (const auto *D = dyn_cast_or_null<DeclStmt>(F->getInit())) {
    for (const Decl *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X); V && V->getInit() && V != R.Counter)
        Others.emplace_back(V, V->getInit());
  } else if (const auto *E = dyn_cast_or_null<Expr>(F->getInit())) {
    forEachPart(E, [&](const Expr *Part) {
      const auto *B = dyn_cast<BinaryOperator>(Part);
      const auto *Ref = B && B->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens()) : nullptr;
      if (const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr; V && V != R.Counter)
        Others.emplace_back(V, B->getRHS());
    });
  }
  for (auto [V, Begin] : Others)
    forEachPart(F->getInc(), [&, V = V, Begin = Begin](const Expr *Part) {
      const auto *U = dyn_cast<UnaryOperator>(Part);
      const auto *Ref =
          U && U->isIncrementDecrementOp() ? dyn_cast<DeclRefExpr>(U->getSubExpr()->IgnoreParens()) : nullptr;
      if (!Ref || Ref->getDecl() != V)
        return;
      const std::int64_t Step = U->isIncrementOp() ? 1 : -1;
      if (V->getType()->isIntegralOrEnumerationType()) {
        Bind(V, Paths.integer(Begin), Step);
      } else if (V->getType()->isPointerType() && !isGiven(V, F->getBody())) {
        // for (i = 0, p = sites; i < n; i++, p++)
        Paths.bind(V, Paths.pointeeAt(Begin, Poly::constant(Step) * Poly::symbol(Counter)));
        Bound.push_back(V);
      }
    });
}

TouchEvent::Argument TouchBuilder::argument(const Expr *A, QualType T) {
  TouchEvent::Argument X;
  if (T->isReferenceType()) {
    X.Where = toLocation(Paths.lvalue(A));
    X.Reference = true;
    X.Const = T->getPointeeType().isConstQualified();
    if (!T->getPointeeType()->isPointerType() && !T->getPointeeType()->isRecordType() &&
        !T->getPointeeType()->isArrayType())
      X.Where.clear(); // numbers
  } else if (T->isPointerType() && A->getType()->isPointerType()) {
    ObjectPath P = Paths.pointee(A);
    X.Where = toLocation(P);
    X.Const = T->getPointeeType().isConstQualified();
    if (T->isFunctionPointerType())
      X.Where.clear();
  } else if (T->isRecordType() && A->IgnoreParenImpCasts()->isGLValue()) {
    X.Where = toLocation(Paths.lvalue(A));
    X.Reference = true;
    X.Const = true;
  } else if (T->isIntegralOrEnumerationType()) {
    if (std::optional<std::int64_t> C = Paths.integer(A).asConstant())
      X.Value = *C;
  }
  return X;
}

bool TouchBuilder::isLambda(const Expr *A) {
  const CXXRecordDecl *R = A->getType()->getAsCXXRecordDecl();
  return R && R->isLambda();
}

// Unknown code may run the lambda.
void TouchBuilder::spoilCaptures(const Expr *A) {
  for (const LambdaCapture &C : A->getType()->getAsCXXRecordDecl()->captures()) {
    if (!C.capturesVariable())
      continue;
    const auto *V = dyn_cast<VarDecl>(C.getCapturedVar());
    if (!V)
      continue;
    ObjectPath P;
    P.Root = ObjectPath::Variable;
    P.Var = V->getCanonicalDecl();
    Location L = toLocation(P);
    if (V->getType()->isPointerType())
      L.push_back("*");
    add(TouchEvent::Foreign, std::move(L), A->getExprLoc());
  }
}

// Whether a call may store a value there: through a pointer or reference that is not const and no stream.
bool TouchBuilder::receives(const Expr *A) {
  QualType T = A->getType();
  if (A->isGLValue())
    return T->isArithmeticType() && !T.isConstQualified();
  const Expr *Plain = A->IgnoreParenImpCasts();
  if (!T->isPointerType() || isa<StringLiteral>(Plain))
    return false;
  QualType Pointee = Plain->getType()->isPointerType() ? Plain->getType()->getPointeeType() : T->getPointeeType();
  return !T->getPointeeType().isConstQualified() && Pointee->isArithmeticType() && !Pointee.isConstQualified();
}

TouchFacts collectTouches(ASTContext &Ctx, TouchSilencer Suppressed) {
  TouchFacts Facts;
  if (!Ctx.getLangOpts().OpenMP)
    return Facts;
  UnitFunctions Unit(Ctx);
  TouchNames Ids(Ctx);
  for (const VarDecl *V : Unit.Globals) {
    QualType T = V->getType();
    if (V->hasDefinition() == VarDecl::DeclarationOnly || V != V->getCanonicalDecl() || T->isIncompleteType() ||
        T->isDependentType() || !(T->isArrayType() || T->isRecordType()) || V->getTSCSpec() != TSCS_unspecified)
      continue;
    // Data that the program's file brings along is not fresh.
    if (const Expr *Init = V->getAnyInitializer(); Init && T->isArrayType())
      continue;
    TouchEvent E{};
    E.K = TouchEvent::Allocate;
    E.InPlace = true;
    E.Object = {"g" + Ids.of(V)};
    E.Name = V->getNameAsString();
    E.Bytes = Ctx.getTypeSizeInChars(T).getQuantity();
    E.Range = V->getLocation();
    E.Where = placeOf(Ctx, E.Range);
    Facts.Globals.push_back(std::move(E));
  }
  for (const VarDecl *V : Unit.Globals)
    if (std::optional<TouchEvent> E = allocatedAtTheStart(*V, Ids, Unit, Ctx))
      Facts.Globals.push_back(std::move(*E));
  for (const FunctionDecl *F : Unit.Functions) {
    if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->getParent()->isLambda())
      continue; // walked where it is called
    PathResolver Paths(Ctx, Unit);
    FunctionTouches T;
    T.Id = Ids.of(F);
    T.Name = Unit::functionName(F);
    Place Scope = placeOf(Ctx, F->getSourceRange());
    T.ScopeBegin = Scope.Line;
    T.ScopeEnd = Scope.EndLine;
    TouchBuilder(Ctx, Paths, Unit, Ids, Suppressed, T).run(F);
    if (!T.Events.empty())
      Facts.Functions.push_back(std::move(T));
  }
  return Facts;
}

} // namespace stridewise
