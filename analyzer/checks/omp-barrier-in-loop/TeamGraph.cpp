#include "checks/omp-barrier-in-loop/TeamGraph.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

constexpr unsigned MaxNodes = 4000, MaxAccesses = 20000;

// Builds the graph of one parallel region, or of a function with orphaned constructs.
class GraphBuilder : public AccessWalker {
public:
  GraphBuilder(ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit, const FunctionDecl *F)
      : AccessWalker(Ctx, Paths), Unit(Unit), Functions{F} {}

  TeamGraph G;

  void region(const OMPExecutableDirective &D) {
    begin(/*Opaque=*/false);
    for (const VarDecl *V : privateVariables(D))
      Private.insert(V);
    statement(constructBody(D));
    end(/*Opaque=*/false);
  }

  void orphan(const FunctionDecl *F) {
    IsOrphan = true; // each thread has its own parameters
    begin(/*Opaque=*/true);
    std::vector<unsigned> *Saved = std::exchange(Returns, &OrphanReturns);
    statement(F->getBody());
    Returns = Saved;
    for (unsigned N : OrphanReturns)
      edge(N, Current);
    end(/*Opaque=*/true);
  }

protected:
  void touched(const Expr *E, ObjectPath P, bool Reads, bool Writes) override {
    if (P.Root == ObjectPath::Literal)
      return;
    if (E->getType().isVolatileQualified() || E->getType()->isAtomicType())
      node().Opaque = true; // synchronisation made by hand
    if (P.Root == ObjectPath::Variable && P.Var->getType().isConstQualified() && P.Steps.empty() && !Writes)
      return;
    if (isPrivate(P)) {
      if (Writes)
        node().PrivateWrites.insert(P.Var);
      return;
    }
    if (P.Root == ObjectPath::Result && !P.hops())
      return; // a temporary
    // What a thread's own pointer, or a field of its own object, points at may be anything.
    if (isOwn(P))
      P.Root = ObjectPath::Unknown;
    if (++Count > MaxAccesses)
      G.Failed = true;
    else
      node().Accesses.push_back({std::move(P), E->getType().getNonReferenceType(), Reads, Writes, By, Sharing});
  }

  void called(const Expr *Call, const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Args,
              const Expr *Object) override {
    CallEffect Effect = effectOf(Callee, Ctx);
    if (Effect == CallEffect::Unknown) {
      node().Opaque = true;
      return;
    }
    if (Effect == CallEffect::Nothing)
      return;
    const auto *M = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (Object)
      effect(Object, !M || !M->isConst());
    for (unsigned I = 0; I < Args.size(); ++I) {
      QualType T = Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : QualType();
      bool Const =
          !T.isNull() && (T->isReferenceType() || T->isPointerType()) && T->getPointeeType().isConstQualified();
      effect(Args[I], !Const);
    }
  }

  bool walksInto(const Expr *, const FunctionDecl *Body, llvm::ArrayRef<const Expr *>, const Expr *) override {
    if (Ctx.getSourceManager().isInSystemHeader(Body->getLocation()))
      return false;
    return G.Nodes.size() < MaxNodes && !G.Failed;
  }

  void inlined(const FunctionDecl *Body) override {
    G.Inlined.insert(Body->getCanonicalDecl());
    std::vector<unsigned> Here;
    std::vector<unsigned> *SavedReturns = std::exchange(Returns, &Here);
    Jumps *SavedJumps = std::exchange(Targets, nullptr);
    Functions.push_back(Body);
    statement(Body->getBody());
    Functions.pop_back();
    Targets = SavedJumps;
    Returns = SavedReturns;
    if (!Here.empty()) {
      follow();
      for (unsigned N : Here)
        edge(N, Current);
    }
  }

  void declared(const VarDecl *V) override {
    if (!V->isStaticLocal())
      Private.insert(V->getCanonicalDecl());
    else if (V->getInit() && !V->getType().isConstQualified() && !V->hasConstantInitialization())
      node().Opaque = true;
  }

  static bool calls(const Stmt *S) {
    return S && (isa<CallExpr, CXXConstructExpr, LambdaExpr>(S) || llvm::any_of(S->children(), calls));
  }
  // i = n - 2: a local integer gets a value.
  static bool setsInteger(const Stmt *S) {
    if (calls(S))
      return false;
    if (const auto *D = dyn_cast<DeclStmt>(S))
      return llvm::all_of(D->decls(), [](const Decl *X) {
        const auto *V = dyn_cast<VarDecl>(X);
        return V && V->getType()->isIntegralOrEnumerationType();
      });
    const auto *B = dyn_cast<BinaryOperator>(S);
    const auto *Ref = B && B->isAssignmentOp() ? dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens()) : nullptr;
    return Ref && Ref->getType()->isIntegralOrEnumerationType();
  }

  void statement(const Stmt *S) override {
    if (G.Failed)
      return;
    if (S && (isa<Expr>(S) || isa<DeclStmt>(S)) && !Control) {
      const auto *D = dyn_cast<DeclStmt>(S);
      if (!D || llvm::any_of(D->decls(), [&](const Decl *X) {
            const auto *V = dyn_cast<VarDecl>(X);
            return V && V->getInit() && !V->getInit()->isEvaluatable(Ctx);
          })) {
        node().Work = true;
        node().Busy |= !setsInteger(S);
      }
    }
    AccessWalker::statement(S);
  }

  void loop(const Stmt *S) override {
    if (Sharing || By != TeamAccess::Every)
      if (std::optional<CounterRange> R = Paths.range(S))
        return countedLoop(cast<ForStmt>(S), *R);
    LoopStack.push_back(S);
    bool Outer = std::exchange(Control, true);
    const Stmt *Body = nullptr;
    const Expr *Cond = nullptr, *Inc = nullptr;
    if (const auto *F = dyn_cast<ForStmt>(S)) {
      statement(F->getInit());
      if (F->getConditionVariableDeclStmt())
        statement(F->getConditionVariableDeclStmt());
      Cond = F->getCond();
      Inc = F->getInc();
      Body = F->getBody();
    } else if (const auto *W = dyn_cast<WhileStmt>(S)) {
      Cond = W->getCond();
      Body = W->getBody();
    } else if (const auto *D = dyn_cast<DoStmt>(S)) {
      Cond = D->getCond();
      Body = D->getBody();
    } else {
      Body = rangeLoop(cast<CXXForRangeStmt>(S), "range " + std::to_string(Unique++));
    }
    follow();
    unsigned Header = Current;
    bool TestsFirst = !isa<DoStmt>(S);
    if (TestsFirst && Cond)
      operand(Cond);
    unsigned Tested = Current;
    follow();
    Control = false;
    Jumps Mine;
    Jumps *SavedTargets = std::exchange(Targets, &Mine);
    statement(Body);
    Targets = SavedTargets;
    Control = true;
    follow();
    for (unsigned N : Mine.Continues)
      edge(N, Current);
    if (Inc)
      operand(Inc);
    if (!TestsFirst)
      operand(Cond);
    edge(Current, Header);
    unsigned Last = Current;
    markEveryTime(S, Header, Last);
    Current = open();
    const std::optional<CounterRange> Range = Paths.range(S);
    const bool Runs = !TestsFirst || (Range && Range->trips().value_or(0) > 0);
    edge(Runs ? Last : Tested, Current);
    for (unsigned N : Mine.Breaks)
      edge(N, Current);
    Control = Outer;
    LoopStack.pop_back();
  }

  void branch(const IfStmt *S) override {
    statement(S->getInit());
    if (S->getConditionVariableDeclStmt())
      statement(S->getConditionVariableDeclStmt());
    operand(S->getCond());
    unsigned Test = Current;
    follow();
    statement(S->getThen());
    unsigned ThenEnd = Current, ElseEnd = Test;
    if (S->getElse()) {
      Current = open();
      edge(Test, Current);
      statement(S->getElse());
      ElseEnd = Current;
    }
    Current = open();
    edge(ThenEnd, Current);
    edge(ElseEnd, Current);
  }

  void select(const SwitchStmt *S) override {
    operand(S->getCond());
    Jumps Mine;
    Jumps *SavedTargets = std::exchange(Targets, &Mine);
    std::optional<unsigned> SavedSwitch = std::exchange(Switch, Current);
    unsigned Test = Current;
    Current = open();
    statement(S->getBody());
    Switch = SavedSwitch;
    Targets = SavedTargets;
    unsigned Last = Current;
    Current = open();
    edge(Last, Current);
    edge(Test, Current);
    for (unsigned N : Mine.Breaks)
      edge(N, Current);
    if (Targets)
      Targets->Continues.insert(Targets->Continues.end(), Mine.Continues.begin(), Mine.Continues.end());
  }

  void label(const SwitchCase *S) override {
    follow();
    if (Switch)
      edge(*Switch, Current);
    statement(S->getSubStmt());
  }

  void jump(const Stmt *S) override {
    std::vector<unsigned> *To = isa<ReturnStmt>(S)  ? Returns
                                : !Targets          ? nullptr
                                : isa<BreakStmt>(S) ? &Targets->Breaks
                                                    : &Targets->Continues;
    if (!To) {
      G.Failed = true;
      return;
    }
    To->push_back(Current);
    Current = open(); // not reached
  }

  void strange(const Stmt *) override { G.Failed = true; }

  void directive(const OMPExecutableDirective *D) override {
    OmpConstruct C = classify(*D, Ctx);
    if (D->getDirectiveKind() == OMPD_barrier)
      return barrier(D, /*Explicit=*/true);
    if (C.Device || C.Tasks || C.Other)
      node().Opaque = true;
    node().Work = node().Busy = true;
    for (const OMPClause *X : D->clauses())
      clause(X);
    const Stmt *Body = constructBody(*D);
    std::vector<const VarDecl *> Added;
    for (const VarDecl *V : privateVariables(*D))
      if (Private.insert(V).second)
        Added.push_back(V);

    TeamAccess::Runner SavedBy = By;
    const SharedLoop *SavedSharing = Sharing;
    if (C.SharesLoop && !C.StartsTeam) {
      sharedLoop(*D);
    } else {
      if (C.OneThread && !C.StartsTeam)
        By = C.SameThread ? TeamAccess::Master : TeamAccess::One;
      statement(Body);
    }
    By = SavedBy;
    Sharing = SavedSharing;

    for (const VarDecl *V : Added)
      Private.erase(V);
    if (!C.StartsTeam)
      for (const Expr *E : resultVariables(*D))
        touched(E, Paths.lvalue(E), true, true);
    if (C.EndsWithBarrier)
      barrier(D, /*Explicit=*/false);
  }

private:
  struct Jumps {
    std::vector<unsigned> Breaks, Continues;
  };

  TeamNode &node() { return G.Nodes[Current]; }
  unsigned open() {
    G.Nodes.emplace_back();
    if (G.Nodes.size() > MaxNodes)
      G.Failed = true;
    return G.Nodes.size() - 1;
  }
  void edge(unsigned A, unsigned B) {
    G.Nodes[A].Succ.push_back(B);
    G.Nodes[B].Pred.push_back(A);
  }
  void follow() {
    unsigned Next = open();
    edge(Current, Next);
    Current = Next;
  }
  void begin(bool Opaque) {
    Current = open();
    (Opaque ? node().Opaque : node().Fixed) = true;
    follow();
  }
  void end(bool Opaque) {
    follow();
    (Opaque ? node().Opaque : node().Fixed) = true;
  }
  void barrier(const OMPExecutableDirective *D, bool Explicit) {
    if (By != TeamAccess::Every || Sharing) {
      G.Failed = true; // not conforming, or a nested team
      return;
    }
    follow();
    node().Barrier = D;
    node().Explicit = Explicit;
    node().Loop = LoopStack.empty() ? nullptr : LoopStack.back();
    node().Function = Functions.back();
    follow();
  }

  // Finds the barriers of a loop that each of its iterations meets. One way from header to latch holds them all; of its
  // nodes those are met always that no way around them leads past.
  void markEveryTime(const Stmt *Loop, unsigned Header, unsigned Last) {
    std::vector<unsigned> Came(G.Nodes.size() - Header, 0), Way;
    std::vector<unsigned> Work{Header};
    llvm::DenseSet<unsigned> Seen{Header};
    while (!Work.empty() && !Seen.contains(Last)) {
      unsigned N = Work.back();
      Work.pop_back();
      for (unsigned X : G.Nodes[N].Succ)
        if (X >= Header && Seen.insert(X).second) {
          Came[X - Header] = N;
          Work.push_back(X);
        }
    }
    if (!Seen.contains(Last))
      return;
    for (unsigned N = Last; N != Header; N = Came[N - Header])
      Way.push_back(N);
    Way.push_back(Header);
    std::reverse(Way.begin(), Way.end());
    llvm::DenseMap<unsigned, unsigned> Position;
    for (unsigned I = 0; I < Way.size(); ++I)
      Position[Way[I]] = I;
    Seen.clear();
    unsigned Farthest = 0;
    for (unsigned I = 0; I < Way.size(); ++I) {
      TeamNode &N = G.Nodes[Way[I]];
      if (N.Barrier && N.Loop == Loop && Farthest <= I)
        N.EveryTime = true;
      Work.assign(1, Way[I]);
      while (!Work.empty()) {
        unsigned From = Work.back();
        Work.pop_back();
        for (unsigned X : G.Nodes[From].Succ) {
          if (X < Header)
            continue;
          if (auto It = Position.find(X); It != Position.end())
            Farthest = std::max(Farthest, It->second);
          else if (Seen.insert(X).second)
            Work.push_back(X);
        }
      }
    }
  }

  // Variables of which each thread has its own.
  bool isOwn(const ObjectPath &P) const {
    if (P.Root != ObjectPath::Variable)
      return false;
    return Private.contains(P.Var) ||
           (isa<ParmVarDecl>(P.Var) && !P.Var->getType()->isReferenceType() && !IsOrphan && Functions.size() > 1 &&
            P.Var->getDeclContext() != Functions.front()) ||
           P.Var->getTSCSpec() != TSCS_unspecified;
  }

  // These, and what lies in them; not what they point at.
  bool isPrivate(const ObjectPath &P) const {
    bool OwnParameter =
        IsOrphan && P.Root == ObjectPath::Variable && isa<ParmVarDecl>(P.Var) && !P.Var->getType()->isReferenceType();
    if (!isOwn(P) && !OwnParameter)
      return false;
    QualType T = P.Var->getType();
    for (const ObjectPath::Step &S : P.Steps) {
      if (S.isElement() && !S.Embedded && !PathResolver::isContainer(T))
        return ownsTarget(P.Var) && &S == &P.Steps.front();
      if (S.Field)
        T = S.Field->getType();
      else
        T = {};
    }
    return true;
  }

  // A pointer that only ever holds memory that its thread allocated.
  bool ownsTarget(const VarDecl *V) const {
    if (!V->getType()->isPointerType() || isa<ParmVarDecl>(V) || Unit.AddressTaken.contains(V))
      return false;
    unsigned Allocations = 0;
    if (V->getInit()) {
      if (PathResolver::isAllocation(V->getInit()))
        ++Allocations;
      else if (!V->getInit()->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNotNull))
        return false;
    }
    if (auto It = Unit.Sources.find(V); It != Unit.Sources.end())
      for (const Expr *E : It->second) {
        if (!E || !PathResolver::isAllocation(E))
          return false;
        ++Allocations;
      }
    return Allocations > 0;
  }

  // A value that a call may read or write through: the object itself, and what it points at.
  void effect(const Expr *E, bool Writes) {
    QualType T = E->getType();
    if (E->isGLValue())
      touched(E, Paths.lvalue(E), true, Writes);
    if (T->isPointerType() || (T->isRecordType() && !E->isGLValue())) {
      ObjectPath P = Paths.pointee(E);
      if (P.Root == ObjectPath::Literal)
        return;
      anyElement(P);
      touched(E, std::move(P), true, Writes);
    } else if (E->isGLValue() && PathResolver::isContainer(T)) {
      ObjectPath P = Paths.lvalue(E);
      P.Steps.push_back({nullptr, {}, false});
      anyElement(P);
      touched(E, std::move(P), true, Writes);
    }
  }
  // The call may touch any element from there on.
  void anyElement(ObjectPath &P) {
    if (P.Steps.empty() || !P.Steps.back().isElement())
      return;
    SymbolInfo Any;
    Any.Key = "any " + std::to_string(Unique++);
    Any.Opaque = true;
    P.Steps.back().Index = Poly::symbol(Paths.intern(std::move(Any)));
  }

  void clause(const OMPClause *C) {
    if (const auto *S = dyn_cast<OMPScheduleClause>(C); S && S->getChunkSize())
      operand(S->getChunkSize());
    else if (const auto *F = dyn_cast<OMPFirstprivateClause>(C))
      for (const Expr *E : F->varlists())
        touched(E, Paths.lvalue(E), true, false);
  }

  void sharedLoop(const OMPExecutableDirective &D) {
    G.Loops.push_back(std::make_unique<SharedLoop>());
    SharedLoop *L = G.Loops.back().get();
    std::vector<const ForStmt *> For = sharedLoops(D);
    // Which iterations a thread gets is promised for plain loops only.
    L->Known = !For.empty() && !D.hasClausesOfKind<OMPOrderedClause>() && !isOpenMPSimdDirective(D.getDirectiveKind());
    const auto *S = D.getSingleClause<OMPScheduleClause>();
    if (S && (S->getFirstScheduleModifier() == OMPC_SCHEDULE_MODIFIER_simd ||
              S->getSecondScheduleModifier() == OMPC_SCHEDULE_MODIFIER_simd))
      L->Known = false;
    L->Default = !S;
    if (S && S->getScheduleKind() != OMPC_SCHEDULE_static)
      L->Known = false;
    if (S && S->getChunkSize())
      L->Chunk = Paths.integer(S->getChunkSize());
    for (const ForStmt *F : For) {
      // The bounds are read by every thread.
      if (const auto *Init = dyn_cast_or_null<BinaryOperator>(F->getInit()))
        operand(Init->getRHS());
      else if (const auto *DS = dyn_cast_or_null<DeclStmt>(F->getInit()))
        for (const Decl *X : DS->decls())
          if (const auto *V = dyn_cast<VarDecl>(X)) {
            Private.insert(V->getCanonicalDecl());
            if (V->getInit())
              operand(V->getInit());
          }
      if (F->getCond())
        operand(F->getCond());
      std::optional<CounterRange> R = Paths.range(F);
      if (!R) {
        L->Known = false;
        break;
      }
      SymbolId N = Paths.counter("shared " + std::to_string(L->Ranges.size()), {});
      L->Counters.push_back(N);
      Paths.bind(R->Counter, R->Begin + Poly::constant(R->Step) * Poly::symbol(N));
      L->Ranges.push_back(*R);
    }
    By = TeamAccess::Shared;
    Sharing = L;
    Depth = 0;
    const Stmt *Body = For.empty() ? constructBody(D) : For.back()->getBody();
    if (For.empty() && isa_and_nonnull<CXXForRangeStmt>(Body)) {
      Body = rangeLoop(cast<CXXForRangeStmt>(Body), "shared 0");
    }
    Jumps Mine;
    Jumps *SavedTargets = std::exchange(Targets, &Mine);
    statement(Body);
    Targets = SavedTargets;
    if (!Mine.Continues.empty()) {
      follow();
      for (unsigned N : Mine.Continues)
        edge(N, Current);
    }
    for (const CounterRange &R : L->Ranges)
      Paths.unbind(R.Counter);
  }

  // The loop's variable stands for an element of the range. Returns the body.
  const Stmt *rangeLoop(const CXXForRangeStmt *S, std::string Counter) {
    operand(S->getRangeInit());
    const VarDecl *V = S->getLoopVariable();
    Private.insert(V->getCanonicalDecl());
    if (V->getType()->isReferenceType())
      Paths.bind(V, Paths.rangeElement(S, Poly::symbol(Paths.counter(std::move(Counter), {}))));
    return S->getBody();
  }

  // A serial loop inside an iteration: equal ranges at equal depth get equal counters, so that equal sets of elements
  // have equal indices.
  void countedLoop(const ForStmt *S, const CounterRange &R) {
    Private.insert(R.Counter->getCanonicalDecl());
    bool Outer = std::exchange(Control, true);
    statement(S->getInit());
    operand(S->getCond());
    Control = false;
    Poly Trips = R.End - R.Begin;
    SymbolId N = Paths.counter(std::to_string(Depth) + ":" + Paths.key(Trips) + ":" + std::to_string(R.Step), Trips);
    bool Steady = !Unit.AddressTaken.contains(R.Counter);
    if (Steady)
      Paths.bind(R.Counter, R.Begin + Poly::constant(R.Step) * Poly::symbol(N));
    ++Depth;
    Jumps Mine;
    Jumps *SavedTargets = std::exchange(Targets, &Mine);
    statement(S->getBody());
    Targets = SavedTargets;
    --Depth;
    Control = Outer;
    if (!Mine.Breaks.empty() || !Mine.Continues.empty()) {
      follow();
      for (unsigned X : Mine.Breaks)
        edge(X, Current);
      for (unsigned X : Mine.Continues)
        edge(X, Current);
    }
    Paths.unbind(R.Counter);
  }

  const UnitFunctions &Unit;
  std::vector<const FunctionDecl *> Functions;
  std::vector<const Stmt *> LoopStack;
  llvm::DenseSet<const VarDecl *> Private;
  TeamAccess::Runner By = TeamAccess::Every;
  const SharedLoop *Sharing = nullptr;
  std::vector<unsigned> OrphanReturns;
  std::vector<unsigned> *Returns = nullptr;
  Jumps *Targets = nullptr;
  std::optional<unsigned> Switch;
  unsigned Current = 0, Count = 0, Unique = 0, Depth = 0;
  bool Control = false, IsOrphan = false;
};

} // namespace

TeamGraph teamGraph(ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit, const FunctionDecl *F,
                    const OMPExecutableDirective *Region) {
  GraphBuilder Builder(Ctx, Paths, Unit, F);
  if (Region)
    Builder.region(*Region);
  else
    Builder.orphan(F);
  return std::move(Builder.G);
}

} // namespace stridewise
