#include "core/TeamSync.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

constexpr unsigned MaxNodes = 4000, MaxAccesses = 20000;

// A loop whose iterations the team divides.
struct SharedLoop {
  bool Known = false;   // bounds and schedule are understood
  bool Default = false; // no schedule clause
  std::vector<CounterRange> Ranges;
  std::vector<SymbolId> Counters; // number of the iteration, per collapsed loop
  std::optional<Poly> Chunk;
};

struct TeamAccess {
  enum Runner { Every, One, Master, Shared };
  ObjectPath P;
  QualType Type;
  bool Reads, Writes;
  Runner By;
  const SharedLoop *Loop = nullptr;
};

struct Node {
  std::vector<TeamAccess> Accesses;
  llvm::DenseSet<const VarDecl *> PrivateWrites;
  bool Opaque = false; // code that the unit does not show, or that synchronises or tells the time
  bool Work = false;   // anything beyond the control of loops
  // Of a barrier:
  const OMPExecutableDirective *Barrier = nullptr;
  bool Fixed = false; // begin and end of the region
  bool Explicit = false;
  const Stmt *Loop = nullptr;
  const FunctionDecl *Function = nullptr;
  std::vector<unsigned> Succ, Pred;
  bool isBarrier() const { return Fixed || Barrier; }
};

// Builds the graph of one parallel region, or of a function with orphaned constructs.
class GraphBuilder : public AccessWalker {
public:
  GraphBuilder(ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit, const FunctionDecl *F)
      : AccessWalker(Ctx, Paths), Unit(Unit), Functions{F} {}

  std::vector<Node> Nodes;
  std::vector<std::unique_ptr<SharedLoop>> Loops;
  llvm::DenseSet<const FunctionDecl *> Inlined;
  bool Failed = false;

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
      Failed = true;
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
    return Nodes.size() < MaxNodes && !Failed;
  }

  void inlined(const FunctionDecl *Body) override {
    Inlined.insert(Body->getCanonicalDecl());
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

  void statement(const Stmt *S) override {
    if (Failed)
      return;
    if (S && (isa<Expr>(S) || isa<DeclStmt>(S)) && !Control) {
      const auto *D = dyn_cast<DeclStmt>(S);
      if (!D || llvm::any_of(D->decls(), [&](const Decl *X) {
            const auto *V = dyn_cast<VarDecl>(X);
            return V && V->getInit() && !V->getInit()->isEvaluatable(Ctx);
          }))
        node().Work = true;
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
    Current = open();
    edge(TestsFirst ? Tested : Last, Current);
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
      Failed = true;
      return;
    }
    To->push_back(Current);
    Current = open(); // not reached
  }

  void strange(const Stmt *) override { Failed = true; }

  void directive(const OMPExecutableDirective *D) override {
    OmpConstruct C = classify(*D, Ctx);
    if (D->getDirectiveKind() == OMPD_barrier)
      return barrier(D, /*Explicit=*/true);
    if (C.Device || C.Tasks || C.Other)
      node().Opaque = true;
    node().Work = true;
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

  Node &node() { return Nodes[Current]; }
  unsigned open() {
    Nodes.emplace_back();
    if (Nodes.size() > MaxNodes)
      Failed = true;
    return Nodes.size() - 1;
  }
  void edge(unsigned A, unsigned B) {
    Nodes[A].Succ.push_back(B);
    Nodes[B].Pred.push_back(A);
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
      Failed = true; // not conforming, or a nested team
      return;
    }
    follow();
    node().Barrier = D;
    node().Explicit = Explicit;
    node().Loop = LoopStack.empty() ? nullptr : LoopStack.back();
    node().Function = Functions.back();
    follow();
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
    Loops.push_back(std::make_unique<SharedLoop>());
    SharedLoop *L = Loops.back().get();
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

// Judges the barriers of one graph.
class Judge {
public:
  Judge(GraphBuilder &G, const PathResolver &Paths, const UnitFunctions &Unit, const ASTContext &Ctx)
      : Nodes(G.Nodes), Paths(Paths), Unit(Unit), Ctx(Ctx) {}

  struct Group {
    std::vector<unsigned> Nodes;
    BarrierVerdict Verdict;
  };

  /// Removes what can go, one after another, so that the verdicts hold together.
  std::vector<BarrierVerdict> run(llvm::DenseSet<const OMPExecutableDirective *> &Needed) {
    std::vector<Group> Groups;
    for (unsigned I = 0; I < Nodes.size(); ++I) {
      const Node &N = Nodes[I];
      if (!N.Barrier || !reached(I))
        continue;
      auto It = llvm::find_if(Groups, [&](const Group &G) { return G.Verdict.Barrier == N.Barrier; });
      if (It == Groups.end()) {
        Groups.emplace_back();
        It = std::prev(Groups.end());
        It->Verdict.Barrier = N.Barrier;
        It->Verdict.Explicit = N.Explicit;
        It->Verdict.Function = N.Function;
      }
      It->Nodes.push_back(I);
      if (N.Loop)
        It->Verdict.Loop = N.Loop;
    }
    std::vector<BarrierVerdict> Result;
    // What is surest goes first: a written barrier beside another one, then written ones, then those that nowait
    // removes.
    for (int Pass = 0; Pass < 3; ++Pass)
      for (Group &G : Groups) {
        if (G.Nodes.empty() || (Pass < 2) != G.Verdict.Explicit)
          continue;
        if (!G.Verdict.Explicit && !classify(*G.Verdict.Barrier, Ctx).CanTakeNowait)
          continue;
        if (!removable(G) || (Pass == 0 && !G.Verdict.Adjacent))
          continue;
        if (Needed.contains(G.Verdict.Barrier))
          continue;
        Result.push_back(G.Verdict);
        Removed.insert(G.Nodes.begin(), G.Nodes.end());
        G.Nodes.clear();
      }
    for (const Group &G : Groups)
      if (!G.Nodes.empty())
        Needed.insert(G.Verdict.Barrier);
    return Result;
  }

private:
  struct Stretch {
    std::vector<unsigned> Nodes;
    bool Opaque = false, Empty = true;
  };

  bool reached(unsigned Target) {
    if (Reachable.empty()) {
      std::vector<unsigned> Work{0};
      Reachable.insert(0);
      while (!Work.empty()) {
        unsigned N = Work.back();
        Work.pop_back();
        for (unsigned S : Nodes[N].Succ)
          if (Reachable.insert(S).second)
            Work.push_back(S);
      }
    }
    return Reachable.contains(Target);
  }

  // The code between the barriers of the group and their next ones, in one direction.
  Stretch stretch(const std::vector<unsigned> &From, bool Forward) {
    Stretch S;
    llvm::DenseSet<unsigned> Seen;
    std::vector<unsigned> Work(From);
    while (!Work.empty()) {
      unsigned N = Work.back();
      Work.pop_back();
      for (unsigned X : Forward ? Nodes[N].Succ : Nodes[N].Pred) {
        if (!reached(X) || !Seen.insert(X).second)
          continue;
        const Node &Next = Nodes[X];
        bool Gone = Removed.contains(X) || llvm::is_contained(From, X);
        if (Next.isBarrier() && !Gone)
          continue;
        S.Nodes.push_back(X);
        S.Opaque |= Next.Opaque;
        S.Empty &= !Next.Work && !Next.Opaque && llvm::none_of(Next.Accesses, [&](const TeamAccess &A) {
          return A.Writes || !A.P.isPlainVariable() || !A.P.Var->hasLocalStorage() ||
                 Unit.AddressTaken.contains(A.P.Var);
        });
        Work.push_back(X);
      }
    }
    return S;
  }

  bool removable(Group &G) {
    BarrierVerdict &V = G.Verdict;
    V.Adjacent = V.AssumesDistinct = V.NeedsStatic = false;
    Stretch Before = stretch(G.Nodes, false), After = stretch(G.Nodes, true);
    if (Before.Empty || After.Empty) {
      V.Adjacent = true;
    } else if (Before.Opaque || After.Opaque) {
      return false;
    }
    Writes.clear();
    PrivateWrites.clear();
    for (const Stretch *S : {&Before, &After})
      for (unsigned N : S->Nodes) {
        for (const TeamAccess &A : Nodes[N].Accesses)
          if (A.Writes)
            Writes.push_back(&A);
        PrivateWrites.insert(Nodes[N].PrivateWrites.begin(), Nodes[N].PrivateWrites.end());
      }
    for (unsigned B : Before.Nodes)
      for (const TeamAccess &X : Nodes[B].Accesses)
        for (unsigned A : After.Nodes)
          for (const TeamAccess &Y : Nodes[A].Accesses)
            if ((X.Writes || Y.Writes) && conflict(X, Y, V))
              return false;
    return true;
  }

  enum Overlap { Apart, AssumedApart, Same };

  bool conflict(const TeamAccess &X, const TeamAccess &Y, BarrierVerdict &V) {
    if (X.By == TeamAccess::Master && Y.By == TeamAccess::Master)
      return false;
    switch (overlap(X, Y)) {
    case Apart:
      return false;
    case AssumedApart:
      V.AssumesDistinct = true;
      return false;
    case Same:
      break;
    }
    return !sameThread(X, Y, V);
  }

  static bool reachesOut(const ObjectPath &P) {
    return P.hops() || P.Root != ObjectPath::Variable || P.Var->getType()->isReferenceType();
  }

  // Whether the root owns its memory: a variable that is an array, a record or a container of its own, or a pointer
  // that the language (restrict) or the program (fresh memory) makes the only way to it.
  bool ownsMemory(const ObjectPath &P) const {
    if (P.Root != ObjectPath::Variable || P.Var->getType()->isReferenceType())
      return false;
    QualType T = P.Var->getType();
    if (T.isRestrictQualified())
      return true;
    if (PathResolver::isContainer(T))
      return P.hops() <= 1;
    if (T->isPointerType() && P.hops() == 1 && !isa<ParmVarDecl>(P.Var)) {
      bool Fresh = P.Var->getInit() && PathResolver::isAllocation(P.Var->getInit());
      auto It = Unit.Sources.find(P.Var);
      if (It != Unit.Sources.end())
        Fresh = llvm::all_of(It->second, [](const Expr *E) { return E && PathResolver::isAllocation(E); });
      return Fresh;
    }
    return !P.hops();
  }

  // A local pointer that was set more than once, or by unknown means, may point into another one's memory.
  bool isLoosePointer(const ObjectPath &P) const {
    return P.Root == ObjectPath::Variable && P.hops() && P.Var->hasLocalStorage() && !isa<ParmVarDecl>(P.Var) &&
           P.Var->getType()->isPointerType() && !ownsMemory(P);
  }

  Overlap overlap(const TeamAccess &X, const TeamAccess &Y) const {
    const ObjectPath &A = X.P, &B = Y.P;
    if (A.Root == ObjectPath::Unknown || B.Root == ObjectPath::Unknown || A.Root == ObjectPath::Result ||
        B.Root == ObjectPath::Result) {
      const ObjectPath &Known = A.Root == ObjectPath::Variable ? A : B;
      bool Safe = Known.isPlainVariable() && Known.Var->hasLocalStorage() && !Known.Var->getType()->isReferenceType() &&
                  !Unit.AddressTaken.contains(Known.Var);
      return Safe ? Apart : Same;
    }
    bool SameRoot = A.Root == B.Root && A.Var == B.Var;
    if (!SameRoot) {
      if (!reachesOut(A) && !reachesOut(B))
        return Apart;
      if (differentTypes(X.Type, Y.Type))
        return Apart;
      for (const ObjectPath *P : {&A, &B})
        if (moves(*P) || isLoosePointer(*P))
          return Same;
      if (ownsMemory(A) && ownsMemory(B))
        return Apart;
      for (auto [Direct, Far] : {std::pair(&A, &B), std::pair(&B, &A)}) {
        if (reachesOut(*Direct) || !reachesOut(*Far))
          continue;
        if (Direct->Var->getType()->isScalarType() && !Unit.AddressTaken.contains(Direct->Var) &&
            Direct->Var->hasLocalStorage())
          return Apart;
        if (Unit.AddressTaken.contains(Direct->Var) && Direct->Var->getType()->isScalarType())
          return Same;
      }
      if (ownsMemory(A) && A.Var->getType().isRestrictQualified())
        return Apart;
      if (ownsMemory(B) && B.Var->getType().isRestrictQualified())
        return Apart;
      return AssumedApart;
    }
    std::size_t Common = std::min(A.Steps.size(), B.Steps.size());
    for (std::size_t I = 0; I < Common; ++I) {
      const ObjectPath::Step &S = A.Steps[I], &T = B.Steps[I];
      if (S.Field && T.Field && S.Field != T.Field) {
        if (S.Field->getParent()->isUnion() || T.Field->getParent() != S.Field->getParent())
          return Same;
        bool Further = false;
        for (const ObjectPath *P : {&A, &B})
          for (std::size_t K = I + 1; K < P->Steps.size(); ++K)
            Further |= P->Steps[K].isElement() && !P->Steps[K].Embedded;
        if (!Further || differentTypes(X.Type, Y.Type))
          return Apart;
        return moves(A) || moves(B) ? Same : AssumedApart;
      }
      if (S.isElement() != T.isElement())
        return Same;
      if (S.isElement()) {
        std::optional<std::int64_t> Distance = (S.Index - T.Index).asConstant();
        bool Last = I + 1 == A.Steps.size() && I + 1 == B.Steps.size();
        // Both names are for one iteration or one thread each; only indices without them are the same for all.
        if (Last && Distance && *Distance && S.Index.asConstant() && T.Index.asConstant())
          return Apart;
      }
    }
    if (A.Steps.size() == B.Steps.size())
      return Same;
    // One is a part of the other, or lies behind it.
    const ObjectPath &Long = A.Steps.size() > B.Steps.size() ? A : B;
    QualType Short = A.Steps.size() > B.Steps.size() ? Y.Type : X.Type;
    const ObjectPath::Step &Next = Long.Steps[Common];
    if (Next.isElement() && !Next.Embedded && Short->isPointerType())
      return Apart; // the pointer itself, which those who go through it read too
    return Same;
  }

  bool differentTypes(QualType A, QualType B) const {
    if (A.isNull() || B.isNull() || !A->isScalarType() || !B->isScalarType())
      return false;
    A = Ctx.getCanonicalType(A).getUnqualifiedType();
    B = Ctx.getCanonicalType(B).getUnqualifiedType();
    if (A->isCharType() || B->isCharType() || (A->isIntegerType() && B->isIntegerType()) ||
        (A->isPointerType() && B->isPointerType()))
      return false;
    return A != B;
  }

  // Whether what the path goes through changes in the code on either side.
  bool moves(const ObjectPath &P) const {
    if (P.Root == ObjectPath::Variable && P.hops() && variableChanges(P.Var))
      return true;
    for (std::size_t I = 0; I < P.Steps.size(); ++I)
      if (P.Steps[I].isElement() && !P.Steps[I].Embedded && I && P.Steps[I - 1].Field &&
          fieldChanges(P.Steps[I - 1].Field))
        return true;
    return false;
  }
  bool variableChanges(const VarDecl *V) const {
    return PrivateWrites.contains(V) || llvm::any_of(Writes, [&](const TeamAccess *W) {
             return W->P.Root == ObjectPath::Unknown || (W->P.isPlainVariable() && W->P.Var == V);
           });
  }
  bool fieldChanges(const FieldDecl *F) const {
    return llvm::any_of(Writes, [&](const TeamAccess *W) {
      return W->P.Root == ObjectPath::Unknown || (!W->P.Steps.empty() && W->P.Steps.back().Field == F);
    });
  }

  bool steady(SymbolId S) const {
    const SymbolInfo &I = Paths.symbol(S);
    llvm::StringRef Key = I.Key;
    if (Key == "thread")
      return true;
    if (I.Opaque && (Key.starts_with("?") || Key.starts_with("any")))
      return false;
    if (I.Var && variableChanges(I.Var))
      return false;
    if (I.Loaded && !I.Var) {
      const ObjectPath &P = *I.Loaded;
      if (moves(P))
        return false;
      if (P.Root == ObjectPath::Unknown || P.Root == ObjectPath::Result)
        return false;
      if (Key.starts_with("size ")) {
        // Elements may change, the container itself not.
        if (llvm::any_of(Writes, [&](const TeamAccess *W) {
              return W->P.Root == ObjectPath::Unknown ||
                     (W->P.Root == P.Root && W->P.Var == P.Var && W->P.Steps.size() <= P.Steps.size());
            }))
          return false;
      } else if (P.Steps.empty() || !P.Steps.back().Field) {
        if (llvm::any_of(Writes, [&](const TeamAccess *W) {
              return W->P.Root == ObjectPath::Unknown || (W->P.Root == P.Root && W->P.Var == P.Var) ||
                     (reachesOut(W->P) && W->Type->isIntegerType());
            }))
          return false;
      } else if (fieldChanges(P.Steps.back().Field)) {
        return false;
      }
    }
    return llvm::all_of(I.Inputs, [&](SymbolId X) { return steady(X); });
  }
  bool steady(const Poly &P, const std::vector<SymbolId> &Except = {}) const {
    return llvm::all_of(P.symbols(), [&](SymbolId S) { return llvm::is_contained(Except, S) || steady(S); });
  }

  // Whether accesses that may name the same element can only come from one thread.
  bool sameThread(const TeamAccess &X, const TeamAccess &Y, BarrierVerdict &V) const {
    std::vector<SymbolId> Owners;
    bool Default = false;
    if (X.By == TeamAccess::Shared && Y.By == TeamAccess::Shared) {
      const SharedLoop &L = *X.Loop, &M = *Y.Loop;
      if (!L.Known || !M.Known || L.Ranges.size() != M.Ranges.size() || L.Chunk != M.Chunk)
        return false;
      if (L.Chunk && !steady(*L.Chunk))
        return false;
      for (std::size_t I = 0; I < L.Ranges.size(); ++I)
        if (!L.Ranges[I].sameTrips(M.Ranges[I]) || !steady(L.Ranges[I].End - L.Ranges[I].Begin))
          return false;
      Owners = L.Counters;
      Default = L.Default || M.Default;
    } else if (X.By == TeamAccess::Every && Y.By == TeamAccess::Every) {
      Owners = {ThreadSymbol};
    } else {
      return false;
    }
    if (X.P.Root == ObjectPath::Unknown || X.P.Root == ObjectPath::Result || Y.P.Root == ObjectPath::Unknown ||
        X.P.Root != Y.P.Root || X.P.Var != Y.P.Var || moves(X.P) || moves(Y.P))
      return false;

    // The owner can be read off the indices, dimension by dimension …
    std::vector<SymbolId> Open = Owners;
    bool AllEqual = X.P.Steps.size() == Y.P.Steps.size();
    std::size_t Common = std::min(X.P.Steps.size(), Y.P.Steps.size());
    std::set<SymbolId> Mentioned;
    for (std::size_t I = 0; I < Common; ++I) {
      const ObjectPath::Step &S = X.P.Steps[I], &T = Y.P.Steps[I];
      if (!S.isElement() || !T.isElement()) {
        if (S.Field != T.Field)
          return false;
        continue;
      }
      bool Equal = S.Index == T.Index && steady(S.Index);
      AllEqual &= Equal;
      if (!Equal)
        continue;
      std::set<SymbolId> In = S.Index.symbols();
      Mentioned.insert(In.begin(), In.end());
      for (SymbolId O : Owners) {
        std::optional<std::int64_t> C = S.Index.coefficient(O);
        bool Alone = C && *C && llvm::all_of(In, [&](SymbolId Other) {
                       return Other == O || (!llvm::is_contained(Owners, Other) && !isCounter(Other) &&
                                             !restsOnCounter(Other, Owners));
                     });
        if (Alone)
          llvm::erase(Open, O);
      }
    }
    bool Owned = Open.empty();
    // … or both name the same set of elements per iteration, and iterations of a correct loop share none.
    if (!Owned && AllEqual && X.By == TeamAccess::Shared)
      Owned = llvm::all_of(Owners, [&](SymbolId O) { return Mentioned.contains(O); });
    if (Owned && Default)
      V.NeedsStatic = true;
    return Owned;
  }
  bool isCounter(SymbolId S) const { return llvm::StringRef(Paths.symbol(S).Key).starts_with("counter "); }
  bool restsOnCounter(SymbolId S, const std::vector<SymbolId> &Owners) const {
    return llvm::any_of(Paths.symbol(S).Inputs, [&](SymbolId I) {
      return isCounter(I) || llvm::is_contained(Owners, I) || restsOnCounter(I, Owners);
    });
  }

public:
  SymbolId ThreadSymbol = 0;

private:
  const std::vector<Node> &Nodes;
  const PathResolver &Paths;
  const UnitFunctions &Unit;
  const ASTContext &Ctx;
  llvm::DenseSet<unsigned> Removed, Reachable;
  std::vector<const TeamAccess *> Writes;
  llvm::DenseSet<const VarDecl *> PrivateWrites;
};

// Parallel regions and orphaned constructs of a function, as they are written.
struct Constructs : RecursiveASTVisitor<Constructs> {
  const ASTContext &Ctx;
  std::vector<const OMPExecutableDirective *> Regions;
  bool Orphans = false, HasLoop = false;
  unsigned InRegion = 0;
  explicit Constructs(const ASTContext &Ctx) : Ctx(Ctx) {}
  bool dataTraverseStmtPre(Stmt *S) {
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      OpenMPDirectiveKind K = D->getDirectiveKind();
      if (K == OMPD_parallel && !InRegion)
        Regions.push_back(D);
      OmpConstruct C = classify(*D, Ctx);
      Orphans |= !InRegion && C.EndsWithBarrier;
      InRegion += isOpenMPParallelDirective(K) || C.Device;
    }
    HasLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
    return true;
  }
  bool dataTraverseStmtPost(Stmt *S) {
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
      InRegion -= isOpenMPParallelDirective(D->getDirectiveKind()) || classify(*D, Ctx).Device;
    return true;
  }
};

} // namespace

std::vector<BarrierVerdict> needlessBarriers(ASTContext &Ctx) {
  // Code that does not compile may hide accesses.
  if (!Ctx.getLangOpts().OpenMP || Ctx.getDiagnostics().hasUncompilableErrorOccurred())
    return {};
  UnitFunctions Unit(Ctx);
  llvm::DenseSet<const OMPExecutableDirective *> Needed;
  std::vector<BarrierVerdict> Found;
  llvm::DenseSet<const FunctionDecl *> Inlined;
  std::vector<const FunctionDecl *> Orphaned;

  auto Study = [&](const FunctionDecl *F, const OMPExecutableDirective *Region) {
    PathResolver Paths(Ctx, Unit);
    GraphBuilder G(Ctx, Paths, Unit, F);
    if (Region)
      G.region(*Region);
    else
      G.orphan(F);
    Inlined.insert(G.Inlined.begin(), G.Inlined.end());
    if (G.Failed) {
      for (const Node &N : G.Nodes)
        if (N.Barrier)
          Needed.insert(N.Barrier);
      return;
    }
    Judge J(G, Paths, Unit, Ctx);
    J.ThreadSymbol = Paths.threadNumber();
    for (BarrierVerdict &V : J.run(Needed))
      Found.push_back(std::move(V));
  };

  for (const FunctionDecl *F : Unit.Functions) {
    Constructs C(Ctx);
    C.TraverseStmt(F->getBody());
    for (const OMPExecutableDirective *D : C.Regions)
      Study(F, D);
    if (C.Orphans)
      Orphaned.push_back(F);
  }
  // Callers that the unit does not show: what they do around the call is unknown.
  for (const FunctionDecl *F : Orphaned)
    if (F->isExternallyVisible() || !Inlined.contains(F->getCanonicalDecl()))
      Study(F, nullptr);

  // One verdict per barrier: every context has to agree, and some context has to repeat it.
  std::vector<BarrierVerdict> Result;
  for (const BarrierVerdict &V : Found) {
    if (Needed.contains(V.Barrier))
      continue;
    auto It = llvm::find_if(Result, [&](const BarrierVerdict &R) { return R.Barrier == V.Barrier; });
    if (It == Result.end()) {
      Result.push_back(V);
      continue;
    }
    It->Adjacent &= V.Adjacent;
    It->AssumesDistinct |= V.AssumesDistinct;
    It->NeedsStatic |= V.NeedsStatic;
    if (!It->Loop)
      It->Loop = V.Loop;
  }
  llvm::erase_if(Result, [](const BarrierVerdict &V) { return !V.Loop; });
  return Result;
}

} // namespace stridewise
