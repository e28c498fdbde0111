#include "checks/omp-false-sharing/StartedThreads.h"
#include "unit/Visitor.h"

using namespace clang;

namespace stridewise {
namespace {

const Expr *plain(const Expr *E) {
  while (true) {
    const Expr *Inner = E->IgnoreParenCasts()->IgnoreImplicit();
    if (const auto *C = dyn_cast<CXXConstructExpr>(Inner);
        C && C->getNumArgs() == 1 && C->getConstructor()->isCopyOrMoveConstructor())
      Inner = C->getArg(0);
    if (Inner == E)
      return E;
    E = Inner;
  }
}

bool isStandard(QualType T, llvm::ArrayRef<llvm::StringRef> Names) {
  const CXXRecordDecl *R = T.isNull() ? nullptr : T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && R->isInStdNamespace() && llvm::is_contained(Names, R->getName());
}

// The object of std::ref and std::cref; null for anything else.
const Expr *referred(const Expr *E) {
  const auto *C = dyn_cast<CallExpr>(plain(E));
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->isInStdNamespace() && F->getIdentifier() && (F->getName() == "ref" || F->getName() == "cref") &&
                 C->getNumArgs() == 1
             ? C->getArg(0)
             : nullptr;
}

class StartScan : public Visitor<StartScan> {
public:
  explicit StartScan(const FunctionDecl *In) : In(In) {}
  std::vector<ThreadStart> Found;

  bool TraverseStmt(Stmt *S) override {
    const bool IsLoop = isa_and_nonnull<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
    if (IsLoop) {
      Loops.push_back({S, Found.size()});
    }
    const bool Result = Visitor::TraverseStmt(S);
    if (IsLoop) {
      // A loop that also waits for its threads starts the same ones again.
      if (Loops.back().Joins)
        for (std::size_t I = Loops.back().First; I < Found.size(); ++I)
          if (Found[I].Loop == S)
            Found[I].Loop = nullptr;
      Loops.pop_back();
    }
    return Result;
  }

  bool VisitCallExpr(CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F || !F->getIdentifier())
      return true;
    const llvm::StringRef Name = F->getName();
    if (const auto *M = dyn_cast<CXXMethodDecl>(F)) {
      const QualType Class = M->getThisType()->getPointeeType();
      if (isStandard(Class, {"thread", "jthread", "future"})) {
        if (Name == "join" || Name == "get" || Name == "wait")
          joined();
      } else if (Name == "emplace_back" && C->getNumArgs() > 0) {
        const auto *R = dyn_cast<ClassTemplateSpecializationDecl>(M->getParent());
        if (R && R->getTemplateArgs().size() && R->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
            isStandard(R->getTemplateArgs()[0].getAsType(), {"thread", "jthread"}))
          starts(C, {C->getArgs(), C->getNumArgs()}, /*Copies=*/true);
      }
      return true;
    }
    const llvm::ArrayRef<Expr *> Args(C->getArgs(), C->getNumArgs());
    if (F->isExternC()) {
      if (Name == "pthread_create" && Args.size() == 4)
        starts(C, {Args[2], Args[3]}, /*Copies=*/false);
      else if (Name == "thrd_create" && Args.size() == 3)
        starts(C, {Args[1], Args[2]}, /*Copies=*/false);
      else if (Name == "pthread_join" || Name == "thrd_join")
        joined();
    } else if (F->isInStdNamespace() && Name == "async" && !Args.empty()) {
      const bool Policy = Args[0]->getType()->isEnumeralType();
      starts(C, Args.drop_front(Policy), /*Copies=*/true);
    }
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *C) override {
    if (isStandard(C->getType(), {"thread", "jthread"}) && C->getNumArgs() > 0 &&
        !C->getConstructor()->isCopyOrMoveConstructor())
      starts(C, {C->getArgs(), C->getNumArgs()}, /*Copies=*/true);
    return true;
  }

private:
  struct Around {
    const Stmt *S;
    std::size_t First;
    bool Joins = false;
  };

  void joined() {
    ++Group;
    for (Around &L : Loops)
      L.Joins = true;
  }

  void starts(const Expr *At, llvm::ArrayRef<const Expr *> Args, bool Copies) {
    ThreadStart S;
    S.At = At;
    S.In = In;
    S.Loop = Loops.empty() ? nullptr : Loops.back().S;
    S.Copies = Copies;
    S.Group = Group;
    const Expr *Callable = plain(Args.front());
    Args = Args.drop_front();
    while (Args.size() && isa<CXXDefaultArgExpr>(Args.back()))
      Args = Args.drop_back();
    if (const auto *U = dyn_cast<UnaryOperator>(Callable); U && U->getOpcode() == UO_AddrOf)
      Callable = plain(U->getSubExpr());
    if (const Expr *R = referred(Callable))
      Callable = plain(R);
    const auto *D = dyn_cast<DeclRefExpr>(Callable);
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    if (V && V->getInit())
      Callable = plain(V->getInit());
    if ((S.Lambda = dyn_cast<LambdaExpr>(Callable))) {
      S.Runs = S.Lambda->getCallOperator();
    } else if (D && isa<FunctionDecl>(D->getDecl())) {
      const FunctionDecl *Body = nullptr;
      if (cast<FunctionDecl>(D->getDecl())->hasBody(Body))
        S.Runs = Body;
      const auto *M = dyn_cast_or_null<CXXMethodDecl>(S.Runs);
      if (M && !M->isStatic()) {
        if (Args.empty())
          return;
        S.Object = Args.front();
        if (const Expr *R = referred(S.Object))
          S.Object = R;
        Args = Args.drop_front();
      }
    }
    if (!S.Runs || !S.Runs->hasBody() || S.Runs->isDependentContext())
      return;
    S.Arguments.assign(Args.begin(), Args.end());
    Found.push_back(std::move(S));
  }

  const FunctionDecl *In;
  std::vector<Around> Loops;
  unsigned Group = 0;
};

// Counters that go up or down by one stand for the symbol.
const VarDecl *bindCounter(const Stmt *Loop, PathResolver &Paths, SymbolId Number) {
  if (const auto *Range = dyn_cast_or_null<CXXForRangeStmt>(Loop)) {
    const VarDecl *V = Range->getLoopVariable();
    ObjectPath Element = Paths.rangeElement(Range, Poly::symbol(Number));
    if (!V->getType()->isReferenceType() || Element.Root != ObjectPath::Variable)
      return nullptr;
    Paths.bind(V, std::move(Element));
    return V;
  }
  std::optional<CounterRange> R = Paths.range(Loop);
  if (!R || std::abs(R->Step) != 1 || R->trips() == 1)
    return nullptr;
  Paths.bind(R->Counter, Poly::symbol(Number));
  return R->Counter;
}

// What the starting function stores in places of which each thread has one: ids[i] = i, work[i].sum = &sums[i].
class Contents : public Visitor<Contents> {
public:
  Contents(PathResolver &Paths, SymbolId Number) : Paths(Paths), Number(Number) {}
  // Only the innermost counter is the thread's number: others count repetitions, or elements.
  bool TraverseStmt(Stmt *S) override {
    if (!isa_and_nonnull<ForStmt, CXXForRangeStmt>(S))
      return Visitor::TraverseStmt(S);
    const Stmt *Outer = std::exchange(Loop, S);
    if (Counter)
      Paths.unbind(Counter);
    Counter = bindCounter(S, Paths, Number);
    const bool Result = Visitor::TraverseStmt(S);
    if (Counter)
      Paths.unbind(Counter);
    Loop = Outer;
    Counter = Loop ? bindCounter(Loop, Paths, Number) : nullptr;
    return Result;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (!B->isAssignmentOp() || !Counter)
      return true;
    const ObjectPath P = Paths.lvalue(B->getLHS());
    const QualType T = B->getLHS()->getType();
    const bool Own =
        llvm::any_of(P.Steps, [&](const ObjectPath::Step &S) { return S.isElement() && S.Index.mentions(Number); });
    const bool Known = B->getOpcode() == BO_Assign;
    if (Known && T->isIntegralOrEnumerationType()) {
      Poly Value = Paths.integer(B->getRHS());
      if (Own || Value.mentions(Number))
        Paths.hold(P, std::move(Value));
    } else if (Own && Known && T->isPointerType()) {
      Paths.hold(P, Paths.pointee(B->getRHS()));
    } else if (Own) {
      Paths.forget(P);
    }
    return true;
  }

private:
  PathResolver &Paths;
  SymbolId Number;
  const Stmt *Loop = nullptr;
  const VarDecl *Counter = nullptr;
};

} // namespace

std::vector<ThreadStart> startedThreads(const FunctionDecl *F) {
  StartScan Scan(F);
  Scan.TraverseStmt(F->getBody());
  return std::move(Scan.Found);
}

bool enterThread(const ThreadStart &S, PathResolver &Paths, const UnitFunctions &Unit, std::optional<SymbolId> Number) {
  if (Number) {
    Contents(Paths, *Number).TraverseStmt(S.In->getBody());
    if (!bindCounter(S.Loop, Paths, *Number))
      return false;
  }
  Paths.enter(S.Runs, {}, S.Object);
  for (unsigned I = 0; I < S.Arguments.size() && I < S.Runs->getNumParams(); ++I) {
    const ParmVarDecl *P = S.Runs->getParamDecl(I);
    const QualType T = P->getType();
    const Expr *A = S.Arguments[I];
    if (Unit.Assigned.contains(P))
      continue;
    if (T->isReferenceType()) {
      const Expr *Of = S.Copies ? referred(A) : A;
      if (Of)
        Paths.bind(P, Paths.lvalue(Of));
      else if (T->getPointeeType()->isIntegralOrEnumerationType())
        Paths.bind(P, Paths.integer(A));
    } else if (T->isPointerType()) {
      // (void *)(intptr_t)i: the number itself.
      const auto *Cast = dyn_cast<CastExpr>(A->IgnoreParens());
      while (Cast && Cast->getCastKind() != CK_IntegralToPointer)
        Cast = dyn_cast<CastExpr>(Cast->getSubExpr()->IgnoreParens());
      if (Cast)
        Paths.bind(P, Paths.integer(Cast->getSubExpr()));
      else if (ObjectPath Of = Paths.pointee(A); Of.Root != ObjectPath::Unknown)
        Paths.bind(P, std::move(Of));
    } else if (T->isIntegralOrEnumerationType()) {
      Paths.bind(P, Paths.integer(A));
    }
  }
  return true;
}

} // namespace stridewise
