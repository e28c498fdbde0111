#include "checks/omp-false-sharing/SlotWrites.h"
#include "checks/omp-false-sharing/StartedThreads.h"
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "unit/Counted.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

constexpr unsigned MaxAccesses = 20000;
// An inner loop of more iterations is work beside which one write does not show.
constexpr std::int64_t ShortLoopTrips = 64;
// So is a body of more memory accesses, where one iteration of a shared loop writes once.
constexpr unsigned LongBodyAccesses = 32;
// Iterations of a small shared loop are divided among this many threads or more.
constexpr std::int64_t FewThreads = 4, ManyThreads = 16;

bool isCall(const Expr *E, llvm::function_ref<bool(llvm::StringRef)> Named) {
  const auto *C = dyn_cast_or_null<CallExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && F->isExternC() && Named(F->getName());
}
bool isTeamSizeCall(const Expr *E) {
  return isCall(E, [](llvm::StringRef N) {
    return N == "omp_get_num_threads" || N == "omp_get_max_threads" || N == "omp_get_num_procs";
  });
}

const VarDecl *variableOf(const Expr *E) {
  const auto *D = E ? dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()) : nullptr;
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V ? V->getCanonicalDecl() : nullptr;
}

// Walks the code of one team.
class TeamCode : public AccessWalker {
public:
  TeamCode(ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit, const FunctionDecl *F,
           const SlotLimits &Limits)
      : AccessWalker(Ctx, Paths), Unit(Unit), Functions{F}, Limits(Limits), Thread(Paths.threadNumber()) {}

  std::vector<SlotWrite> Found;

  void region(const OMPExecutableDirective &D) {
    Team = &D;
    makePrivate(D);
    if (classify(D, Ctx).SharesLoop)
      sharedLoop(D);
    else if (!classify(D, Ctx).OneThread)
      statement(constructBody(D));
    judge();
  }

  void orphan(const FunctionDecl *F) {
    IsOrphan = true;
    statement(F->getBody());
    judge();
  }

  // What one of several threads runs: with `Number` those that a loop starts, the counter being their number.
  void started(const ThreadStart &S, bool IsNumbered) {
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

  // A write that threads of one start repeat, to memory that others may share.
  struct Repeated {
    SlotWrite Write;
    std::string Object; // equal for equal objects
    std::int64_t Begin = 0, End = 0;
    std::int64_t Alignment = 1;
  };
  // The writes to fixed places of named objects.
  std::vector<Repeated> repeated() {
    number();
    std::vector<Repeated> Out;
    for (const Access &A : Accesses) {
      if (!A.Writes || A.Own || !A.In->Parent || A.P.Root != ObjectPath::Variable)
        continue;
      Repeated R;
      if (!place(A, R) || !settle(A, R.Write))
        continue;
      R.Write.By = SlotWrite::Part;
      R.Write.Started = true;
      R.Write.Array = A.P.Var->getNameAsString();
      Out.push_back(std::move(R));
    }
    return Out;
  }

protected:
  void touched(const Expr *E, ObjectPath P, bool Reads, bool Writes) override {
    access(E, std::move(P), Reads, Writes);
  }
  void updated(const Expr *E, ObjectPath P, QualType T) override { access(E, std::move(P), true, true, Fixed, T); }

  void called(const Expr *Call, const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Args,
              const Expr *Object) override {
    // What std::max and operators of the library's numbers read through references.
    const auto *Member = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (Callee && (Member ? Member->getParent()->isInStdNamespace() : Callee->isInStdNamespace()))
      for (const Expr *A : Args)
        if (A->isGLValue())
          access(A, Paths.lvalue(A), true, false);
    // Operators of the library's numbers, and what changes a container's own fields.
    if (const CXXMethodDecl *M = Member; M && Object && M->getParent()->isInStdNamespace()) {
      OverloadedOperatorKind Op = M->getOverloadedOperator();
      llvm::StringRef Name = M->getIdentifier() ? M->getName() : "";
      llvm::StringRef Class = M->getParent()->getIdentifier() ? M->getParent()->getName() : "";
      bool Grows = PathResolver::isContainer(M->getThisType()->getPointeeType()) &&
                   (Name == "push_back" || Name == "emplace_back");
      bool Atomic = Class.contains("atomic");
      bool Assigns = Op == OO_PlusEqual || Op == OO_MinusEqual || Op == OO_StarEqual || Op == OO_SlashEqual ||
                     Op == OO_Equal || Op == OO_PlusPlus || Op == OO_MinusMinus || Name.starts_with("fetch_");
      if (Grows || (Assigns && (Atomic || Class == "complex"))) {
        access(Call, Object->getType()->isPointerType() ? Paths.pointee(Object) : Paths.lvalue(Object), true, true,
               Grows    ? Growth
               : Atomic ? Fixed
                        : Plain,
               Object->getType());
        return;
      }
    }
    // Generators that keep their state where an argument says.
    if (calls(Call, Callee) == Brief)
      for (unsigned I = 0; I < Args.size() && I < Callee->getNumParams(); ++I) {
        QualType T = Callee->getParamDecl(I)->getType();
        if ((!T->isPointerType() && !T->isLValueReferenceType()) || T->getPointeeType().isConstQualified())
          continue;
        access(Args[I], Args[I]->isGLValue() ? Paths.lvalue(Args[I]) : Paths.pointee(Args[I]), true, true, Fixed,
               T->getPointeeType());
      }
  }

  bool walksInto(const Expr *, const FunctionDecl *Body, llvm::ArrayRef<const Expr *>, const Expr *) override {
    return !Ctx.getSourceManager().isInSystemHeader(Body->getLocation()) && Accesses.size() < MaxAccesses;
  }
  void inlined(const FunctionDecl *Body) override {
    Functions.push_back(Body);
    statement(Body->getBody());
    Functions.pop_back();
  }

  void declared(const VarDecl *V) override {
    if (!V->isStaticLocal())
      Private.insert(V->getCanonicalDecl());
  }
  // tid = omp_get_thread_num(), of a variable that was declared before.
  void assigned(const Expr *Target, const VarDecl *Declared, const Expr *Value) override {
    const VarDecl *V = Target ? variableOf(Target) : Declared;
    if (!V || !V->getType()->isIntegralOrEnumerationType() || !isOwn(V) || Unit.AddressTaken.contains(V))
      return;
    Poly Number = Paths.integer(Value);
    if (Paths.dependsOn(Number, Thread))
      Paths.bind(V, Number);
    else if (Target && Paths.dependsOn(Paths.integer(Target), Thread))
      Paths.unbind(V);
  }

  void loop(const Stmt *S) override {
    enterLoop(S);
    const Stmt *Body = nullptr;
    const VarDecl *Bound = nullptr;
    if (const auto *F = dyn_cast<ForStmt>(S)) {
      Level *Here = std::exchange(Current, Current->Parent); // the start runs before the loop
      statement(F->getInit());
      Current = Here;
      if (std::optional<CounterRange> R = Paths.range(S)) {
        Current->Trips = R->trips();
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

  void branch(const IfStmt *S) override {
    statement(S->getInit());
    operand(S->getCond());
    bool Saved = OneThread;
    OneThread |= picksThread(S->getCond());
    Arms.push_back(depth());
    statement(S->getThen());
    OneThread = Saved;
    statement(S->getElse());
    Arms.pop_back();
  }
  void select(const SwitchStmt *S) override {
    operand(S->getCond());
    Arms.push_back(depth());
    statement(S->getBody());
    Arms.pop_back();
  }
  void jump(const Stmt *S) override {
    if (!isa<ReturnStmt>(S) || Functions.size() == 1)
      Current->Jumps = true;
  }
  void strange(const Stmt *S) override {
    Current->Blocks = true;
    for (const Stmt *X : S->children())
      if (X)
        statement(X);
  }

  void directive(const OMPExecutableDirective *D) override {
    OmpConstruct C = classify(*D, Ctx);
    if (C.StartsTeam || C.Device || C.Tasks || C.Exclusive || isOpenMPParallelDirective(D->getDirectiveKind())) {
      Current->Blocks = true;
      if (!C.Exclusive)
        Current->Heavy = true;
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

private:
  // A loop of the team's code; the root stands for the code outside of all loops.
  struct Level {
    const Stmt *S = nullptr;
    Level *Parent = nullptr;
    std::vector<Level *> Inner;
    std::optional<SymbolId> Counter;
    std::optional<std::int64_t> Trips;
    const OMPExecutableDirective *Shared = nullptr;
    bool Jumps = false;   // an iteration may end early
    bool Blocks = false;  // calls code that may read or write any memory
    bool Heavy = false;   // calls something long
    bool Unknown = false; // calls code of unknown length
    llvm::DenseSet<const VarDecl *> Assigned;
  };
  enum Special { Plain, Fixed, Growth };
  struct Access {
    const Expr *E;
    ObjectPath P;
    QualType Type;
    Level *In;
    bool Reads, Writes, Own, Alone; // Own: memory of the thread; Alone: by one thread
    unsigned Condition;             // number of loops around the innermost branch that it depends on
    Special Kind;
    const FunctionDecl *Function;
  };

  unsigned depth() const {
    unsigned D = 0;
    for (const Level *L = Current; L->Parent; L = L->Parent)
      ++D;
    return D;
  }
  static bool within(const Level *L, const Level *Outer) {
    for (; L; L = L->Parent)
      if (L == Outer)
        return true;
    return false;
  }
  void enterLoop(const Stmt *S) {
    Levels.push_back(std::make_unique<Level>());
    Level *L = Levels.back().get();
    L->S = S;
    L->Parent = Current;
    Current->Inner.push_back(L);
    L->Counter = Paths.counter("team " + std::to_string(Levels.size()), {});
    Current = L;
  }
  void leaveLoop() { Current = Current->Parent; }

  // A pointer that each thread has a copy of still points at what all share.
  std::vector<const VarDecl *> makePrivate(const OMPExecutableDirective &D) {
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

  const VarDecl *bindCounter(const CounterRange &R) {
    if (Unit.AddressTaken.contains(R.Counter))
      return nullptr;
    Current->Counter = Paths.counter("team " + std::to_string(Levels.size()) + "b", R.Begin);
    Paths.bind(R.Counter, R.Begin + Poly::constant(R.Step) * Poly::symbol(*Current->Counter));
    return R.Counter;
  }

  // for (i = tid; i < n; i += threads): the iterations are handed out one by one.
  const VarDecl *strideLoop(const ForStmt *F) {
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

  const VarDecl *rangeLoop(const CXXForRangeStmt *S) {
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

  void sharedLoop(const OMPExecutableDirective &D) {
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
        Current->Heavy = true;
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

  // tid == 0, or t == tid in a loop over t: no other thread, or no other iteration. Where the counter decides by its
  // remainder, or by what lies in its place, each thread has its turns.
  bool meansOneThread(const Expr *A, const Expr *B) const {
    if (!A->getType()->isIntegralOrEnumerationType())
      return false;
    const Poly X = Paths.integer(A), Y = B ? Paths.integer(B) : Poly();
    if (!Paths.dependsOn(X, Thread) && !Paths.dependsOn(Y, Thread))
      return false;
    return (!dependsOnCounters(X, &Root) && !dependsOnCounters(Y, &Root)) || llvm::any_of(Levels, [&](const auto &L) {
             return L->Counter && (X.mentions(*L->Counter) || Y.mentions(*L->Counter));
           });
  }

  // if (tid == 0): no other thread runs it.
  bool picksThread(const Expr *Cond) {
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

  // Memory

  // Variables of which each thread has its own.
  bool isOwn(const VarDecl *V) const {
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

  void access(const Expr *E, ObjectPath P, bool Reads, bool Writes, Special Kind = Plain, QualType Type = {}) {
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
                        Arms.empty() ? 0 : Arms.back(), Kind, Functions.back()});
  }

  enum Length { Brief, Other };
  Length calls(const Expr *Call, const FunctionDecl *F) {
    const LibraryCall *Known = findLibraryCall(F);
    switch (effectOf(F, Ctx)) {
    case CallEffect::Nothing:
      // Mathematical functions may write errno.
      if (unsigned ID = F->getBuiltinID(); ID && Ctx.getLangOpts().MathErrno && !Ctx.BuiltinInfo.isConst(ID) &&
                                           Ctx.BuiltinInfo.isConstWithoutErrnoAndExceptions(ID))
        Current->Blocks = true;
      return Other;
    case CallEffect::ThroughArguments:
      if (Known && Known->Cost >= LibraryCost::Conversion)
        Current->Blocks = Current->Heavy = true;
      return Other;
    case CallEffect::Unknown:
      break;
    }
    Current->Blocks = true;
    const auto *C = dyn_cast<CallExpr>(Call);
    if (!F || !Ctx.getSourceManager().isInSystemHeader(F->getLocation())) {
      (C && findMpiCall(*C) ? Current->Heavy : Current->Unknown) = true;
      return Other;
    }
    const auto *M = dyn_cast<CXXMethodDecl>(F);
    // Generators of numbers, those of C++ by their operator().
    const bool IsShort = Known ? Known->does(LibRandom | LibQueries | LibClock) && Known->Cost <= LibraryCost::Runtime
                               : M && M->getOverloadedOperator() == OO_Call;
    if (IsShort)
      return Brief;
    if (!isa<CXXConstructorDecl>(F))
      Current->Heavy = true;
    return Other;
  }

  // Judgement

  // The type of the elements that the step `At` chooses among.
  QualType elementAt(const Access &A, std::size_t At) const {
    if (At + 1 == A.P.Steps.size())
      return A.Type;
    if (const FieldDecl *F = A.P.Steps[At + 1].Field)
      return Ctx.getRecordType(F->getParent());
    QualType T = A.P.Root == ObjectPath::Variable ? A.P.Var->getType().getNonReferenceType() : QualType();
    for (std::size_t I = 0; I <= At; ++I) {
      const ObjectPath::Step &S = A.P.Steps[I];
      if (S.Field) {
        T = S.Field->getType().getNonReferenceType();
      } else if (T.isNull()) {
        return {};
      } else if (T->isPointerType()) {
        T = T->getPointeeType();
      } else if (const ArrayType *Array = Ctx.getAsArrayType(T)) {
        T = Array->getElementType();
      } else if (const auto *C = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
                 C && C->getTemplateArgs().size() && C->getTemplateArgs()[0].getKind() == TemplateArgument::Type) {
        T = C->getTemplateArgs()[0].getAsType();
        if (const ArrayType *Array = Ctx.getAsArrayType(T))
          T = Array->getElementType();
      } else {
        return {};
      }
    }
    return T;
  }

  static const Level *sharedAround(const Level *L) {
    for (; L; L = L->Parent)
      if (L->Shared)
        return L;
    return nullptr;
  }

  bool mentionsShared(const Poly &P, const Level *From) const {
    for (const Level *L = From; L; L = L->Parent)
      if (L->Shared && L->Counter && P.mentions(*L->Counter))
        return true;
    return false;
  }

  bool isTeamSize(const Expr *E) const {
    if (!E)
      return false;
    if (isTeamSizeCall(E))
      return true;
    const VarDecl *V = variableOf(E);
    if (!V)
      return false;
    if (V->getInit() && isTeamSizeCall(V->getInit()))
      return true;
    if (auto It = Unit.Sources.find(V); It != Unit.Sources.end() && llvm::any_of(It->second, isTeamSizeCall))
      return true;
    if (const auto *N = Team ? Team->getSingleClause<OMPNumThreadsClause>() : nullptr)
      return variableOf(N->getNumThreads()) == V;
    return false;
  }

  // The next loop outside that the same directive collapses with this one.
  static const Level *collapsedWith(const Level *L) {
    return L->Parent && L->Parent->Shared == L->Shared ? L->Parent : nullptr;
  }

  // Iterations that are divided among the threads: those of collapsed loops multiply.
  static std::optional<std::int64_t> dividedTrips(const Level *Innermost) {
    std::int64_t All = 1;
    for (const Level *L = Innermost; L; L = collapsedWith(L)) {
      if (!L->Trips || *L->Trips < 0 || llvm::MulOverflow(All, *L->Trips, All))
        return std::nullopt;
    }
    return All;
  }

  // How far the element moves over `Iterations` consecutive iterations of collapsed loops; nothing when not known.
  std::optional<std::int64_t> distanceOf(std::int64_t Iterations, const Level *Innermost, const Poly &Index,
                                         std::int64_t Size) const {
    const Level *L = Innermost;
    while (const Level *Outer = collapsedWith(L)) {
      if (!L->Trips || *L->Trips < 1 || Iterations < *L->Trips)
        break;
      Iterations /= *L->Trips;
      L = Outer;
    }
    const std::optional<std::int64_t> Factor = Index.coefficient(*L->Counter);
    return Factor ? std::optional(std::abs(*Factor) * Size * Iterations) : std::nullopt;
  }

  // How many iterations of the shared loop a thread gets in a row: 0 when only the number of all of them is known to
  // be small; nothing when that is not to be known or large. `Apart` says how far apart the elements of two threads
  // are that get such chunks.
  std::optional<std::int64_t> chunk(const Level *L, std::int64_t Distance,
                                    llvm::function_ref<std::optional<std::int64_t>(std::int64_t)> Apart,
                                    bool &Sure) const {
    const auto *S = L->Shared->getSingleClause<OMPScheduleClause>();
    OpenMPScheduleClauseKind K = S ? S->getScheduleKind() : OMPC_SCHEDULE_static;
    if (K == OMPC_SCHEDULE_dynamic || (K == OMPC_SCHEDULE_static && S && S->getChunkSize())) {
      std::int64_t Size = 1;
      if (S->getChunkSize()) {
        Expr::EvalResult R;
        if (S->getChunkSize()->isValueDependent() || !S->getChunkSize()->EvaluateAsInt(R, Ctx))
          return std::nullopt;
        Size = R.Val.getInt().getExtValue();
      }
      const std::optional<std::int64_t> Far = Apart(Size);
      if (!Far || static_cast<double>(*Far) >= Limits.LineBytes)
        return std::nullopt;
      return Size;
    }
    if (K != OMPC_SCHEDULE_static)
      return std::nullopt;
    // One block for each thread.
    const auto *F = dyn_cast<ForStmt>(L->S);
    const auto *Cond =
        F ? dyn_cast_or_null<BinaryOperator>(F->getCond() ? F->getCond()->IgnoreParenImpCasts() : nullptr) : nullptr;
    if (Cond && !collapsedWith(L) && (isTeamSize(Cond->getRHS()) || isTeamSize(Cond->getLHS())))
      return 1;
    const std::optional<std::int64_t> Trips = dividedTrips(L);
    if (!Trips || *Trips < 2 || static_cast<double>(*Trips * Distance) > Limits.LineBytes * ManyThreads)
      return std::nullopt;
    Sure &= static_cast<double>(*Trips * Distance) <= Limits.LineBytes * FewThreads;
    return 0;
  }

  // Whether compilers take the two types for different memory.
  bool differ(QualType A, QualType B) const {
    A = Ctx.getCanonicalType(A).getUnqualifiedType();
    B = Ctx.getCanonicalType(B).getUnqualifiedType();
    if (A->isAnyCharacterType() || B->isAnyCharacterType() || A->isRecordType() || B->isRecordType())
      return false;
    if (A->isPointerType() && B->isPointerType())
      return false;
    auto Signed = [&](QualType T) {
      return T->isUnsignedIntegerType() && !T->isBooleanType() && !T->isEnumeralType()
                 ? Ctx.getCanonicalType(Ctx.getCorrespondingSignedType(T))
                 : CanQualType::CreateUnsafe(T);
    };
    return Signed(A) != Signed(B);
  }

  // Parts of two declared arrays, reached through no pointer.
  static bool areDistinct(const ObjectPath &A, const ObjectPath &B) {
    return A.Root == ObjectPath::Variable && B.Root == ObjectPath::Variable && !A.hops() && !B.hops() &&
           A.Var->getCanonicalDecl() != B.Var->getCanonicalDecl() && !A.Var->getType()->isReferenceType() &&
           !B.Var->getType()->isReferenceType();
  }

  bool varies(const ObjectPath &P, const Level *L) const {
    for (const ObjectPath::Step &S : P.Steps) {
      if (!S.isElement())
        continue;
      for (SymbolId X : S.Index.symbols()) {
        const SymbolInfo &I = Paths.symbol(X);
        if (X == Thread)
          continue;
        if (I.Var ? L->Assigned.contains(I.Var->getCanonicalDecl()) : I.Opaque || I.Loaded)
          return true;
      }
      if (dependsOnCounters(S.Index, L))
        return true;
    }
    return P.Root == ObjectPath::Variable && P.hops() && L->Assigned.contains(P.Var->getCanonicalDecl());
  }
  bool dependsOnCounters(const Poly &P, const Level *L) const {
    if (L->Counter && Paths.dependsOn(P, *L->Counter))
      return true;
    return llvm::any_of(L->Inner, [&](const Level *X) { return dependsOnCounters(P, X); });
  }

  static bool any(const Level *L, bool Level::*What) {
    return L->*What || llvm::any_of(L->Inner, [&](const Level *X) { return any(X, What); });
  }

  enum Fate { Stays, MayStay, Goes };
  // What becomes of a write in the code of loop L at a level of optimisation that moves it.
  Fate fate(const Access &A, const Level *L) const {
    unsigned Depth = 0;
    for (const Level *X = L; X->Parent; X = X->Parent)
      ++Depth;
    if (A.Kind != Plain || !Ctx.getLangOpts().Optimize || A.Condition >= Depth || any(L, &Level::Blocks) ||
        any(L, &Level::Jumps) || varies(A.P, L))
      return Stays;
    Fate Result = Goes;
    for (const Access &B : Accesses) {
      if (!Meter::spend())
        return Goes;
      if (!within(B.In, L) || differ(A.Type, B.Type) ||
          Element[&B - Accesses.data()] == Element[&A - Accesses.data()] || areDistinct(A.P, B.P))
        continue;
      const FieldDecl *Mine = A.P.Steps.back().Field, *Other = B.P.Steps.empty() ? nullptr : B.P.Steps.back().Field;
      if (Mine && Other && Mine != Other && Mine->getParent() == Other->getParent())
        continue;
      // A shared number may be read before the loop, once the compiler sees whose it is.
      if (!B.P.isPlainVariable())
        return Stays;
      Result = MayStay;
    }
    return Result;
  }

  void number() {
    llvm::StringMap<unsigned> Known;
    for (const Access &A : Accesses)
      Element.push_back(Known.try_emplace(Paths.key(A.P), Known.size()).first->second);
  }

  // Where in its object a write goes, when all steps behind the last pointer have known offsets.
  bool place(const Access &A, Repeated &R) const {
    std::size_t First = 0;
    for (std::size_t I = 0; I < A.P.Steps.size(); ++I)
      if (A.P.Steps[I].isElement() && !A.P.Steps[I].Embedded)
        First = I;
    ObjectPath Object = A.P;
    Object.Steps.resize(First);
    for (std::size_t I = First; I < A.P.Steps.size(); ++I) {
      const ObjectPath::Step &S = A.P.Steps[I];
      if (S.Field) {
        if (S.Field->isBitField() || S.Field->getParent()->isInvalidDecl() || S.Field->getParent()->isUnion())
          return false;
        R.Begin += Ctx.toCharUnitsFromBits(Ctx.getFieldOffset(S.Field)).getQuantity();
        continue;
      }
      const QualType Element = elementAt(A, I);
      const std::optional<std::int64_t> Index = S.Index.asConstant();
      if (!Index || Element.isNull() || Element->isIncompleteType() || Element->isDependentType() ||
          Element->isVariableArrayType())
        return false;
      R.Begin += *Index * Ctx.getTypeSizeInChars(Element).getQuantity();
    }
    if (A.Type->isIncompleteType() || A.Type->isDependentType())
      return false;
    R.End = R.Begin + Ctx.getTypeSizeInChars(A.Type).getQuantity();
    R.Object = Paths.key(Object);
    if (!A.P.hops())
      R.Alignment = Ctx.getDeclAlign(A.P.Var).getQuantity();
    return true;
  }

  void judge() {
    number();
    for (const Access &A : Accesses)
      if (A.Writes && !A.Own && !A.Alone && A.In->Parent)
        judge(A);
  }

  void judge(const Access &A) {
    if (A.P.Root != ObjectPath::Variable && A.P.Root != ObjectPath::This)
      return;
    SlotWrite W;
    if (!chooses(A, W) || !settle(A, W))
      return;
    for (const SlotWrite &Known : counted(Found))
      if (Known.Array == W.Array && (Known.Loop == W.Loop || Known.Write == W.Write))
        return;
    Found.push_back(std::move(W));
  }

  // Whether the write stays in a loop and is done often enough.
  bool settle(const Access &A, SlotWrite &W) const {
    // The innermost loop in which the write stays.
    Level *Home = nullptr;
    for (Level *L = A.In; L->Parent && !Home; L = L->Parent) {
      Fate F = fate(A, L);
      if (F == Goes)
        continue;
      W.Sure &= F == Stays;
      Home = L;
    }
    if (!Home || !Home->S)
      return false;
    // Often enough, and not beside long work.
    std::int64_t Writes = 1;
    bool Known = true;
    for (const Level *L = Home; L->Parent; L = L->Parent) {
      Known &= L->Trips.has_value();
      if (L->Trips && Writes < (std::int64_t(1) << 40))
        Writes *= std::max<std::int64_t>(*L->Trips, 1);
    }
    if (Known && static_cast<double>(Writes) < Limits.MinWrites)
      return false;
    if (any(Home, &Level::Heavy) || work(Home) > ShortLoopTrips)
      return false;
    W.EveryIteration = Home->Shared != nullptr && W.By == SlotWrite::Iteration;
    if (any(Home, &Level::Unknown)) {
      if (W.EveryIteration)
        return false;
      W.Sure = false;
    }
    if (W.EveryIteration) {
      if (llvm::count_if(Accesses, [&](const Access &X) { return within(X.In, Home); }) > LongBodyAccesses)
        return false;
      // Handing out short iterations at run time costs more than the lines do: omp-costly-schedule.
      const auto *S = Home->Shared->getSingleClause<OMPScheduleClause>();
      if (!S || S->getScheduleKind() != OMPC_SCHEDULE_static)
        return false;
      W.Sure &= !any(Home, &Level::Blocks);
    }
    if (A.Kind == Growth || IsOrphan)
      W.Sure = false;
    W.Write = A.E;
    W.Loop = Home->S;
    W.Function = A.Function;
    W.Adds = A.Reads;
    return true;
  }

  // Iterations of the loops inside, where they are few.
  static std::int64_t work(const Level *L) {
    std::int64_t Sum = 0;
    for (const Level *X : L->Inner) {
      if (!X->Trips || *X->Trips > ShortLoopTrips)
        return ShortLoopTrips + 1;
      Sum += *X->Trips * std::max<std::int64_t>(1, work(X));
    }
    return Sum;
  }

  // Fills in how neighbouring threads' elements lie. False when they share no lines, or nothing is known.
  bool chooses(const Access &A, SlotWrite &W) const {
    std::optional<std::size_t> ByThread, ByLoop;
    const Level *Shared = sharedAround(A.In);
    for (std::size_t I = 0; I < A.P.Steps.size(); ++I) {
      const ObjectPath::Step &S = A.P.Steps[I];
      if (!S.isElement())
        continue;
      if (Paths.dependsOn(S.Index, Thread)) {
        if (ByThread)
          return false;
        ByThread = I;
      }
      if (mentionsShared(S.Index, A.In)) {
        if (ByLoop)
          return false;
        ByLoop = I;
      }
    }
    if (ByThread.has_value() == ByLoop.has_value())
      return false;
    std::size_t At = ByThread ? *ByThread : *ByLoop;
    for (std::size_t I = At + 1; I < A.P.Steps.size(); ++I)
      if (A.P.Steps[I].isElement() && !A.P.Steps[I].Embedded)
        return false; // memory of each thread's own
    QualType Element = elementAt(A, At);
    if (Element.isNull() || Element->isIncompleteType() || Element->isDependentType() || Element->isVariableArrayType())
      return false;
    SymbolId Chooser = ByThread ? Thread : *Shared->Counter;
    std::optional<std::int64_t> Factor = A.P.Steps[At].Index.coefficient(Chooser);
    if (!Factor || !*Factor)
      return false;
    W.DistanceBytes = std::abs(*Factor) * Ctx.getTypeSizeInChars(Element).getQuantity();
    if (static_cast<double>(W.DistanceBytes) >= Limits.LineBytes)
      return false;
    W.By = ByThread ? SlotWrite::Thread : SlotWrite::Iteration;
    W.Record = Element->getAsRecordDecl();
    W.Array = nameOf(A.P, At);
    if (ByThread)
      return !W.Array.empty();
    W.Shared = Shared->Shared;
    const Poly &Index = A.P.Steps[At].Index;
    const std::int64_t Size = Ctx.getTypeSizeInChars(Element).getQuantity();
    const auto Apart = [&](std::int64_t Iterations) { return distanceOf(Iterations, Shared, Index, Size); };
    std::optional<std::int64_t> Chunk = chunk(Shared, W.DistanceBytes, Apart, W.Sure);
    W.Chunk = Chunk.value_or(0);
    return Chunk && !W.Array.empty();
  }

  static std::string nameOf(const ObjectPath &P, std::size_t At) {
    for (std::size_t I = At; I-- > 0;)
      if (P.Steps[I].Field)
        return P.Steps[I].Field->getNameAsString();
    return P.Root == ObjectPath::Variable ? P.Var->getNameAsString() : std::string();
  }

  const UnitFunctions &Unit;
  std::vector<const FunctionDecl *> Functions;
  const SlotLimits &Limits;
  SymbolId Thread;
  const OMPExecutableDirective *Team = nullptr;
  bool IsOrphan = false, OneThread = false;
  Level Root;
  Level *Current = &Root;
  std::vector<std::unique_ptr<Level>> Levels;
  std::vector<Access> Accesses;
  std::vector<unsigned> Element; // of each access: equal for equal paths
  std::vector<unsigned> Arms;
  llvm::DenseSet<const VarDecl *> Private;
};

// The parallel regions of a function, and whether it holds team code outside of them.
struct RegionScan : Visitor<RegionScan> {
  std::vector<const OMPExecutableDirective *> Regions;
  bool Orphan = false;
  unsigned Inside = 0;
  bool TraverseStmt(Stmt *S) override {
    const auto *D = dyn_cast_or_null<OMPExecutableDirective>(S);
    bool Region = D && isOpenMPParallelDirective(D->getDirectiveKind());
    if (Region)
      Regions.push_back(D);
    else if (!Inside && D && (D->getDirectiveKind() == OMPD_for || D->getDirectiveKind() == OMPD_for_simd))
      Orphan = true;
    else if (const auto *C = dyn_cast_or_null<CallExpr>(S); !Inside && C)
      Orphan |= isCall(C, [](llvm::StringRef N) { return N == "omp_get_thread_num"; });
    Inside += Region;
    bool Result = Visitor::TraverseStmt(S);
    Inside -= Region;
    return Result;
  }
};

} // namespace

// Whether the unit names any way to start a thread by itself.
static bool namesThreads(const ASTContext &Ctx) {
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"pthread_create", "thrd_create", "thread", "async"},
                      [&](llvm::StringRef Name) { return Ctx.Idents.find(Name) != Ctx.Idents.end(); });
}

// Two threads that run at the same time write parts of one object that lie in one line.
static std::optional<std::int64_t> betweenParts(const TeamCode::Repeated &A, const TeamCode::Repeated &B,
                                                const SlotLimits &Limits) {
  const auto Line = static_cast<std::int64_t>(Limits.LineBytes);
  const std::int64_t Distance = std::abs(A.Begin - B.Begin);
  if (A.Object != B.Object || (A.Begin < B.End && B.Begin < A.End) || Distance >= Line ||
      (A.Alignment % Line == 0 && A.Begin / Line != B.Begin / Line))
    return std::nullopt;
  return Distance;
}

static void startedWrites(const FunctionDecl *F, ASTContext &Ctx, const UnitFunctions &Unit, const SlotLimits &Limits,
                          llvm::function_ref<void(SlotWrite)> Take) {
  const std::vector<ThreadStart> Starts = startedThreads(F);
  std::vector<std::pair<unsigned, std::vector<TeamCode::Repeated>>> Singles;
  for (const ThreadStart &S : Starts) {
    PathResolver Paths(Ctx, Unit);
    TeamCode T(Ctx, Paths, Unit, F, Limits);
    T.started(S, S.Loop != nullptr);
    for (SlotWrite &W : T.Found)
      Take(std::move(W));
    if (!S.Loop)
      Singles.emplace_back(S.Group, T.repeated());
  }
  for (std::size_t I = 0; I < Singles.size(); ++I)
    for (std::size_t J = I + 1; J < Singles.size() && Singles[J].first == Singles[I].first; ++J)
      for (const TeamCode::Repeated &A : Singles[I].second)
        for (const TeamCode::Repeated &B : Singles[J].second)
          if (const std::optional<std::int64_t> Distance = Meter::spend() ? betweenParts(A, B, Limits) : std::nullopt) {
            SlotWrite W = A.Write;
            W.Other = B.Write.Write;
            W.DistanceBytes = *Distance;
            // A line may end between two parts of an object that begins anywhere.
            W.Sure &= B.Write.Sure && 2 * static_cast<double>(*Distance) < Limits.LineBytes;
            Take(std::move(W));
          }
}

std::vector<SlotWrite> slotWrites(ASTContext &Ctx, const SlotLimits &Limits) {
  std::vector<SlotWrite> All;
  const bool Threads = namesThreads(Ctx);
  if (!Ctx.getLangOpts().OpenMP && !Threads)
    return All;
  std::optional<UnitFunctions> Unit;
  UnitFunctions &Known = Unit.emplace(Ctx);
  llvm::DenseSet<const Expr *> Taken;
  auto Take = [&](TeamCode &T) {
    for (SlotWrite &W : T.Found)
      if (Taken.insert(W.Write).second)
        All.push_back(std::move(W));
  };
  std::vector<const FunctionDecl *> Orphans;
  for (const FunctionDecl *F : Known.Functions) {
    if (Threads)
      startedWrites(F, Ctx, Known, Limits, [&](SlotWrite W) {
        if (Taken.insert(W.Write).second)
          All.push_back(std::move(W));
      });
    if (!Ctx.getLangOpts().OpenMP)
      continue;
    RegionScan Scan;
    Scan.TraverseStmt(F->getBody());
    for (const OMPExecutableDirective *D : Scan.Regions) {
      if (!classify(*D, Ctx).StartsTeam || classify(*D, Ctx).Device)
        continue;
      PathResolver Paths(Ctx, Known);
      TeamCode T(Ctx, Paths, Known, F, Limits);
      T.region(*D);
      Take(T);
    }
    if (Scan.Orphan)
      Orphans.push_back(F);
  }
  // Functions that run inside of teams; what a region above showed already is known better.
  for (const FunctionDecl *F : Orphans) {
    PathResolver Paths(Ctx, Known);
    TeamCode T(Ctx, Paths, Known, F, Limits);
    T.orphan(F);
    Take(T);
  }
  return All;
}

} // namespace stridewise
