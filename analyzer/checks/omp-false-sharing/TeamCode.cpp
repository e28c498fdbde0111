// What the walk of a team's code notes down.
#include "checks/omp-false-sharing/TeamCode.h"
#include "checks/omp-false-sharing/Bisection.h"
#include "checks/omp-false-sharing/ThreadQuery.h"
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "thresholds.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {

static constexpr unsigned MaxAccesses = 20000;

bool isCall(const Expr *E, llvm::function_ref<bool(llvm::StringRef)> Named) {
  const auto *C = dyn_cast_or_null<CallExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && F->isExternC() && Named(F->getName());
}

const VarDecl *variableOf(const Expr *E) {
  const auto *D = E ? dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()) : nullptr;
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V ? V->getCanonicalDecl() : nullptr;
}

void TeamCode::region(const OMPExecutableDirective &D) {
  Team = &D;
  makePrivate(D);
  if (classify(D, Ctx).SharesLoop)
    sharedLoop(D);
  else if (!classify(D, Ctx).OneThread)
    statement(constructBody(D));
  judge();
}

void TeamCode::orphan(const FunctionDecl *F) {
  IsOrphan = true;
  statement(F->getBody());
  judge();
}

void TeamCode::started(const ThreadStart &S, bool IsNumbered) {
  if (!enterThread(S, Paths, Unit, IsNumbered ? std::optional(Thread) : std::nullopt))
    return;
  if (S.Lambda)
    for (const LambdaCapture &C : S.Lambda->captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByCopy)
        if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()); V && !V->getType()->isPointerType())
          Private.insert(V->getCanonicalDecl());
  inlined(S.Runs);
  if (IsNumbered)
    judge();
  for (SlotWrite &W : Found)
    W.Started = true;
}

void TeamCode::touched(const Expr *E, ObjectPath P, bool Reads, bool Writes) { access(E, std::move(P), Reads, Writes); }

// Whether a function of the program's own says who calls it, or is taken to.
bool TeamCode::asksForThread(const FunctionDecl &Query, const Expr *Value) {
  const FunctionDecl *Body = nullptr;
  if (Query.hasBody(Body))
    return returnsThreadNumber(*Body, Unit);
  if (IsOrphan || Current->Parent || !queryElsewhere(Value))
    return false;
  MayAsk = true;
  if (!TrustsQueries || (Asked && Asked->getCanonicalDecl() != Query.getCanonicalDecl()))
    return false;
  Asked = &Query;
  return true;
}

// What a member function of the standard library does to its object: null when it changes nothing of its own.
std::optional<TeamCode::Special> TeamCode::changes(const CXXMethodDecl &M) {
  OverloadedOperatorKind Op = M.getOverloadedOperator();
  llvm::StringRef Name = M.getIdentifier() ? M.getName() : "";
  llvm::StringRef Class = M.getParent()->getIdentifier() ? M.getParent()->getName() : "";
  if (PathResolver::isContainer(M.getThisType()->getPointeeType()) && (Name == "push_back" || Name == "emplace_back"))
    return Growth;
  const bool Atomic = Class.contains("atomic");
  const bool Assigns =
      llvm::is_contained(
          {OO_PlusEqual, OO_MinusEqual, OO_StarEqual, OO_SlashEqual, OO_Equal, OO_PlusPlus, OO_MinusMinus}, Op) ||
      Name.starts_with("fetch_");
  if (!Assigns || (!Atomic && Class != "complex"))
    return std::nullopt;
  return Atomic ? Fixed : Plain;
}

void TeamCode::called(const Expr *Call, const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Args,
                      const Expr *Object) {
  // What std::max and operators of the library's numbers read through references.
  const auto *Member = dyn_cast_or_null<CXXMethodDecl>(Callee);
  const bool InStd = Callee && (Member ? Member->getParent()->isInStdNamespace() : Callee->isInStdNamespace());
  if (InStd)
    for (const Expr *A : Args)
      if (A->isGLValue())
        access(A, Paths.lvalue(A), true, false);
  // Operators of the library's numbers, and what changes a container's own fields.
  if (InStd && Member && Object)
    if (const std::optional<Special> Change = changes(*Member))
      return access(Call, Object->getType()->isPointerType() ? Paths.pointee(Object) : Paths.lvalue(Object), true, true,
                    *Change, Object->getType());
  if (calls(Call, Callee) == Brief)
    advances(*Callee, Args);
}

// Generators that keep their state where an argument says.
void TeamCode::advances(const FunctionDecl &Generator, llvm::ArrayRef<const Expr *> Args) {
  for (unsigned I = 0; I < Args.size() && I < Generator.getNumParams(); ++I) {
    QualType T = Generator.getParamDecl(I)->getType();
    if ((!T->isPointerType() && !T->isLValueReferenceType()) || T->getPointeeType().isConstQualified())
      continue;
    access(Args[I], Args[I]->isGLValue() ? Paths.lvalue(Args[I]) : Paths.pointee(Args[I]), true, true, Fixed,
           T->getPointeeType());
  }
}

bool TeamCode::walksInto(const Expr *, const FunctionDecl *Body, llvm::ArrayRef<const Expr *>, const Expr *) {
  return !Ctx.getSourceManager().isInSystemHeader(Body->getLocation()) && Accesses.size() < MaxAccesses;
}

void TeamCode::inlined(const FunctionDecl *Body) {
  Functions.push_back(Body);
  statement(Body->getBody());
  Functions.pop_back();
}

void TeamCode::declared(const VarDecl *V) {
  if (!V->isStaticLocal())
    Private.insert(V->getCanonicalDecl());
}

void TeamCode::assigned(const Expr *Target, const VarDecl *Declared, const Expr *Value) {
  const VarDecl *V = Target ? variableOf(Target) : Declared;
  if (!V || !V->getType()->isIntegralOrEnumerationType() || Unit.AddressTaken.contains(V))
    return;
  const FunctionDecl *Query = queryOf(Value);
  const bool IsOnlyQuery = Declared && !Declared->isStaticLocal() && !Unit.Assigned.contains(V);
  if (!isOwn(V) && (!Query || !IsOnlyQuery))
    return;
  const Expr *Whole = unmasked(Value);
  const Poly Number =
      Query && asksForThread(*Query, Value) ? Poly::symbol(Thread) : Paths.integer(Whole ? Whole : Value);
  if (Paths.dependsOn(Number, Thread))
    Paths.bind(V, Number);
  else if (Target && Paths.dependsOn(Paths.integer(Target), Thread))
    Paths.unbind(V);
}

bool TeamCode::isListed(const CounterRange &R) const {
  return llvm::all_of(std::initializer_list<const Poly *>{&R.Begin, &R.End}, [&](const Poly *End) {
    const std::set<SymbolId> Of = End->symbols();
    return Of.size() == 1 && Paths.symbol(*Of.begin()).Loaded && Paths.symbol(*Of.begin()).Loaded->Steps.size() &&
           Paths.symbol(*Of.begin()).Loaded->Steps.back().isElement();
  });
}

// number & 63, number % 64: neighbours stay neighbours.
const Expr *TeamCode::unmasked(const Expr *Number) const {
  if (const VarDecl *V = variableOf(Number); V && V->getInit() && !Unit.Assigned.contains(V))
    Number = V->getInit();
  const auto *B = dyn_cast_or_null<BinaryOperator>(Number ? Number->IgnoreParenImpCasts() : nullptr);
  if (!B || (B->getOpcode() != BO_And && B->getOpcode() != BO_Rem))
    return nullptr;
  Expr::EvalResult By;
  if (B->getRHS()->isValueDependent() || !B->getRHS()->EvaluateAsInt(By, Ctx))
    return nullptr;
  const llvm::APSInt &Mask = By.Val.getInt();
  if (B->getOpcode() == BO_And ? !Mask.isMask() : !Mask.isStrictlyPositive())
    return nullptr;
  return B->getLHS();
}

void TeamCode::loop(const Stmt *S) {
  enterLoop(S);
  const Stmt *Body = nullptr;
  const VarDecl *Bound = nullptr;
  if (const auto *F = dyn_cast<ForStmt>(S)) {
    Level *Here = std::exchange(Current, Current->Parent); // the start runs before the loop
    statement(F->getInit());
    Current = Here;
    if (std::optional<CounterRange> R = Paths.range(S)) {
      Current->Trips = R->trips();
      Current->Listed = isListed(*R);
      Bound = bindCounter(*R);
    } else {
      Bound = strideLoop(F);
    }
    if (F->getCond())
      operand(F->getCond());
    if (F->getInc() && !Bound)
      operand(F->getInc());
    Body = F->getBody();
  } else if (const auto *R = dyn_cast<CXXForRangeStmt>(S)) {
    Bound = rangeLoop(R);
    Body = R->getBody();
  } else if (const auto *W = dyn_cast<WhileStmt>(S)) {
    if (isBisection(*W))
      Current->Trips = limits::omp_false_sharing::BisectionTrips;
    operand(W->getCond());
    Body = W->getBody();
  } else {
    operand(cast<DoStmt>(S)->getCond());
    Body = cast<DoStmt>(S)->getBody();
  }
  statement(Body);
  if (Bound)
    Paths.unbind(Bound);
  leaveLoop();
}

void TeamCode::arm(const Stmt *S) {
  Arms.push_back(depth());
  Path.push_back(++ArmsSeen);
  statement(S);
  Path.pop_back();
  Arms.pop_back();
}

void TeamCode::branch(const IfStmt *S) {
  statement(S->getInit());
  operand(S->getCond());
  bool Saved = OneThread;
  OneThread |= picksThread(S->getCond());
  arm(S->getThen());
  OneThread = Saved;
  arm(S->getElse());
}

void TeamCode::select(const SwitchStmt *S) {
  operand(S->getCond());
  arm(S->getBody());
}

void TeamCode::jump(const Stmt *S) {
  if (!isa<ReturnStmt>(S) || Functions.size() == 1)
    Current->Jumps = true;
}

void TeamCode::strange(const Stmt *S) {
  Current->Blocks = true;
  for (const Stmt *X : S->children())
    if (X)
      statement(X);
}

void TeamCode::directive(const OMPExecutableDirective *D) {
  OmpConstruct C = classify(*D, Ctx);
  if (C.StartsTeam || C.Device || C.Tasks || C.Exclusive || isOpenMPParallelDirective(D->getDirectiveKind())) {
    Current->Blocks = true;
    if (!C.Exclusive)
      Current->Heavy.push_back(Path);
    return;
  }
  if (C.OneThread)
    return;
  std::vector<const VarDecl *> Added = makePrivate(*D);
  if (C.SharesLoop)
    sharedLoop(*D);
  else
    statement(constructBody(*D));
  for (const VarDecl *V : Added)
    Private.erase(V);
}

unsigned TeamCode::depth() const {
  unsigned D = 0;
  for (const Level *L = Current; L->Parent; L = L->Parent)
    ++D;
  return D;
}

bool TeamCode::within(const Level *L, const Level *Outer) {
  for (; L; L = L->Parent)
    if (L == Outer)
      return true;
  return false;
}

void TeamCode::enterLoop(const Stmt *S) {
  Levels.push_back(std::make_unique<Level>());
  Level *L = Levels.back().get();
  L->S = S;
  L->Parent = Current;
  Current->Inner.push_back(L);
  L->Counter = Paths.counter("team " + std::to_string(Levels.size()), {});
  L->Under = Path;
  Current = L;
}

std::vector<const VarDecl *> TeamCode::makePrivate(const OMPExecutableDirective &D) {
  llvm::DenseSet<const VarDecl *> Copies;
  for (const OMPClause *C : D.clauses())
    if (const auto *F = dyn_cast<OMPFirstprivateClause>(C))
      for (const Expr *E : F->varlists())
        if (const VarDecl *V = variableOf(E); V && V->getType()->isPointerType())
          Copies.insert(V);
  std::vector<const VarDecl *> Added;
  for (const VarDecl *V : privateVariables(D))
    if (!Copies.contains(V) && Private.insert(V).second)
      Added.push_back(V);
  return Added;
}

const VarDecl *TeamCode::bindCounter(const CounterRange &R) {
  if (Unit.AddressTaken.contains(R.Counter))
    return nullptr;
  Current->Counter = Paths.counter("team " + std::to_string(Levels.size()) + "b", R.Begin);
  Paths.bind(R.Counter, R.Begin + Poly::constant(R.Step) * Poly::symbol(*Current->Counter));
  return R.Counter;
}

const VarDecl *TeamCode::strideLoop(const ForStmt *F) {
  const VarDecl *V = nullptr;
  const Expr *Begin = nullptr;
  if (const auto *D = dyn_cast_or_null<DeclStmt>(F->getInit()); D && D->isSingleDecl()) {
    V = dyn_cast<VarDecl>(D->getSingleDecl());
    Begin = V ? V->getInit() : nullptr;
  } else if (const auto *B = dyn_cast_or_null<BinaryOperator>(F->getInit()); B && B->getOpcode() == BO_Assign) {
    V = variableOf(B->getLHS());
    Begin = B->getRHS();
  }
  const auto *Inc = F->getInc() ? dyn_cast<BinaryOperator>(F->getInc()->IgnoreParenImpCasts()) : nullptr;
  bool Adds = Inc && Inc->getOpcode() == BO_AddAssign;
  if (const auto *Sum = Inc && Inc->getOpcode() == BO_Assign
                            ? dyn_cast<BinaryOperator>(Inc->getRHS()->IgnoreParenImpCasts())
                            : nullptr)
    Adds = Sum->getOpcode() == BO_Add && V &&
           (variableOf(Sum->getLHS()) == V->getCanonicalDecl() || variableOf(Sum->getRHS()) == V->getCanonicalDecl());
  if (!V || !Begin || !Adds || variableOf(Inc->getLHS()) != V->getCanonicalDecl() ||
      !V->getType()->isIntegralOrEnumerationType() || Unit.AddressTaken.contains(V))
    return nullptr;
  Poly Start = Paths.integer(Begin);
  Current->Counter = Paths.counter("team " + std::to_string(Levels.size()) + "s", Start);
  Paths.bind(V, Start + Poly::symbol(*Current->Counter));
  return V;
}

const VarDecl *TeamCode::rangeLoop(const CXXForRangeStmt *S) {
  operand(S->getRangeInit());
  const VarDecl *V = S->getLoopVariable();
  Private.insert(V->getCanonicalDecl());
  ObjectPath Element = Paths.rangeElement(S, Poly::symbol(*Current->Counter));
  if (!V->getType()->isReferenceType()) {
    access(S->getRangeInit(), Element, true, false, Plain, V->getType());
    return nullptr;
  }
  Paths.bind(V, Element);
  return V;
}

void TeamCode::sharedLoop(const OMPExecutableDirective &D) {
  std::vector<const ForStmt *> For = sharedLoops(D);
  std::vector<const VarDecl *> Bound;
  Level *Before = Current;
  const Stmt *Body = constructBody(D);
  if (For.empty()) {
    enterLoop(Body);
    Current->Shared = &D;
    if (const auto *R = dyn_cast_or_null<CXXForRangeStmt>(Body)) {
      if (const VarDecl *V = rangeLoop(R))
        Bound.push_back(V);
      Body = R->getBody();
    } else {
      Current->Heavy.push_back(Path);
    }
  }
  for (const ForStmt *F : For) {
    enterLoop(F);
    Current->Shared = &D;
    if (const auto *DS = dyn_cast_or_null<DeclStmt>(F->getInit()))
      for (const Decl *X : DS->decls())
        if (const auto *V = dyn_cast<VarDecl>(X))
          Private.insert(V->getCanonicalDecl());
    if (std::optional<CounterRange> R = Paths.range(F)) {
      Current->Trips = R->trips();
      if (const VarDecl *V = bindCounter(*R))
        Bound.push_back(V);
    }
    Body = F->getBody();
  }
  statement(Body);
  for (const VarDecl *V : Bound)
    Paths.unbind(V);
  Current = Before;
}

bool TeamCode::meansOneThread(const Expr *A, const Expr *B) const {
  if (!A->getType()->isIntegralOrEnumerationType())
    return false;
  const Poly X = Paths.integer(A), Y = B ? Paths.integer(B) : Poly();
  if (!Paths.dependsOn(X, Thread) && !Paths.dependsOn(Y, Thread))
    return false;
  return (!dependsOnCounters(X, &Root) && !dependsOnCounters(Y, &Root)) || llvm::any_of(Levels, [&](const auto &L) {
           return L->Counter && (X.mentions(*L->Counter) || Y.mentions(*L->Counter));
         });
}

bool TeamCode::picksThread(const Expr *Cond) {
  Cond = Cond->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Cond); U && U->getOpcode() == UO_LNot)
    return meansOneThread(U->getSubExpr(), nullptr);
  const auto *B = dyn_cast<BinaryOperator>(Cond);
  if (!B)
    return false;
  if (B->getOpcode() == BO_LAnd)
    return picksThread(B->getLHS()) || picksThread(B->getRHS());
  return B->getOpcode() == BO_EQ && meansOneThread(B->getLHS(), B->getRHS());
}

bool TeamCode::isOwn(const VarDecl *V) const {
  V = V->getCanonicalDecl();
  if (Private.contains(V) || V->getTSCSpec() != TSCS_unspecified || V->hasAttr<OMPThreadPrivateDeclAttr>())
    return true;
  if (!V->hasLocalStorage() || V->getType()->isReferenceType())
    return false;
  // Locals of called functions, and of the function itself where all of it runs in the team.
  return V->getDeclContext() != Functions.front()
             ? Functions.size() > 1 && llvm::is_contained(llvm::drop_begin(Functions), V->getDeclContext())
             : IsOrphan;
}

void TeamCode::access(const Expr *E, ObjectPath P, bool Reads, bool Writes, Special Kind, QualType Type) {
  if (P.Root == ObjectPath::Literal || Accesses.size() >= MaxAccesses)
    return;
  bool Own = P.Root == ObjectPath::Variable && isOwn(P.Var);
  // What the caller of a function in the team passes belongs to all, as far as one sees.
  if (Own && P.hops() && IsOrphan && isa<ParmVarDecl>(P.Var) && P.Var->getDeclContext() == Functions.front())
    Own = false;
  if (P.Root == ObjectPath::Variable && P.Steps.empty() && Writes)
    for (Level *L = Current; L; L = L->Parent)
      L->Assigned.insert(P.Var->getCanonicalDecl());
  if (Own && !P.hops())
    return; // in registers or on the thread's stack
  if (P.Root == ObjectPath::Result && !P.hops())
    return; // a temporary
  if (Type.isNull())
    Type = E->getType();
  if (Type.isVolatileQualified() || Type->isAtomicType())
    Kind = Fixed;
  Accesses.push_back({E, std::move(P), Type.getNonReferenceType(), Current, Reads, Writes, Own, OneThread,
                      Arms.empty() ? 0 : Arms.back(), Path, Kind, Functions.back()});
}

TeamCode::Length TeamCode::calls(const Expr *Call, const FunctionDecl *F) {
  const LibraryCall *Known = findLibraryCall(F);
  switch (effectOf(F, Ctx)) {
  case CallEffect::Nothing:
    // Mathematical functions may write errno.
    if (unsigned ID = F->getBuiltinID(); ID && Ctx.getLangOpts().MathErrno && !Ctx.BuiltinInfo.isConst(ID) &&
                                         Ctx.BuiltinInfo.isConstWithoutErrnoAndExceptions(ID))
      Current->Blocks = true;
    return Other;
  case CallEffect::ThroughArguments:
    if (Known && Known->Cost >= LibraryCost::Conversion) {
      Current->Blocks = true;
      Current->Heavy.push_back(Path);
    }
    return Other;
  case CallEffect::Unknown:
    break;
  }
  Current->Blocks = true;
  Current->Clock |= Known && Known->does(LibClock);
  const auto *C = dyn_cast<CallExpr>(Call);
  if (!F || !Ctx.getSourceManager().isInSystemHeader(F->getLocation())) {
    if (C && findMpiCall(*C))
      Current->Heavy.push_back(Path);
    else if (!F || !F->getBuiltinID()) // an instruction, of an atomic exchange and the like
      Current->Unknown = true;
    return Other;
  }
  const auto *M = dyn_cast<CXXMethodDecl>(F);
  // Generators of numbers, those of C++ by their operator().
  const bool IsShort = Known ? Known->does(LibRandom | LibQueries | LibClock) && Known->Cost <= LibraryCost::Runtime
                             : M && M->getOverloadedOperator() == OO_Call;
  if (IsShort)
    return Brief;
  if (!isa<CXXConstructorDecl>(F))
    Current->Heavy.push_back(Path);
  return Other;
}

} // namespace stridewise
