#include "loops/CallHeat.h"
#include "loops/SameArguments.h"
#include "thresholds.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "unit/Visitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

using limits::loops::RareStep;

// One node for a function, its redeclarations and its instantiations.
const FunctionDecl *node(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  return F->getCanonicalDecl();
}

bool isRemainder(const Expr *E) {
  const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  return Binary && Binary->getOpcode() == BO_Rem;
}

bool asksForRareStep(const Expr *Test, const ASTContext &Ctx);

// The same, or a test for one number.
bool asksForRare(const Expr *Test, const ASTContext &Ctx) {
  const auto *Binary = dyn_cast<BinaryOperator>(Test->IgnoreParenImpCasts());
  return asksForRareStep(Test, Ctx) ||
         (Binary && Binary->getOpcode() == BO_EQ && Binary->getLHS()->getType()->isIntegerType() &&
          !isRemainder(Binary->getLHS()) && !isRemainder(Binary->getRHS()));
}

// Whether few of the numbers that a loop counts pass a test: each so many steps.
bool asksForRareStep(const Expr *Test, const ASTContext &Ctx) {
  Test = Test->IgnoreParenImpCasts();
  const auto *Binary = dyn_cast<BinaryOperator>(Test);
  if (Binary && Binary->getOpcode() == BO_LAnd)
    return asksForRareStep(Binary->getLHS(), Ctx) || asksForRareStep(Binary->getRHS(), Ctx);
  // Every so many steps, and one more: the first or the last.
  if (Binary && Binary->getOpcode() == BO_LOr)
    return (asksForRareStep(Binary->getLHS(), Ctx) && asksForRare(Binary->getRHS(), Ctx)) ||
           (asksForRare(Binary->getLHS(), Ctx) && asksForRareStep(Binary->getRHS(), Ctx));
  const Expr *Rest = nullptr;
  if (Binary && Binary->getOpcode() == BO_EQ)
    Rest = Binary->getLHS()->IgnoreParenImpCasts();
  else if (const auto *Not = dyn_cast<UnaryOperator>(Test); Not && Not->getOpcode() == UO_LNot)
    Rest = Not->getSubExpr()->IgnoreParenImpCasts();
  const auto *Remainder = dyn_cast_or_null<BinaryOperator>(Rest);
  if (!Remainder || Remainder->getOpcode() != BO_Rem || Remainder->isValueDependent())
    return false;
  Expr::EvalResult Every;
  return !Remainder->getRHS()->EvaluateAsInt(Every, Ctx) || Every.Val.getInt().getExtValue() >= RareStep;
}

// How many iterations the condition lets a counter from zero have; nullopt where no constant says it.
std::optional<std::uint64_t> constantTrips(const ForStmt *Loop, const ASTContext &Ctx) {
  const auto *Compares = dyn_cast_or_null<BinaryOperator>(Loop->getCond());
  Expr::EvalResult Bound;
  if (!Compares || (Compares->getOpcode() != BO_LT && Compares->getOpcode() != BO_LE) ||
      Compares->getRHS()->isValueDependent() || !Compares->getRHS()->EvaluateAsInt(Bound, Ctx) ||
      Bound.Val.getInt().isNegative())
    return std::nullopt;
  return Bound.Val.getInt().getLimitedValue();
}

// Whether the code has a loop, or a nest of them, of more than a cell's few components.
bool holdsLoop(const Stmt *S, const ASTContext &Ctx, std::uint64_t Around = 1) {
  if (!S)
    return false;
  if (const auto *Region = dyn_cast<CapturedStmt>(S))
    return holdsLoop(Region->getCapturedStmt(), Ctx, Around);
  if (isa<WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return true;
  if (const auto *Loop = dyn_cast<ForStmt>(S)) {
    const std::optional<std::uint64_t> Trips = constantTrips(Loop, Ctx);
    if (!Trips || *Trips * Around > limits::loops::MaxAbsorbedTrips)
      return true;
    Around *= std::max<std::uint64_t>(*Trips, 1);
  }
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return holdsLoop(Child, Ctx, Around); });
}

struct Edge {
  std::string Caller, Callee;
  unsigned Loops; // around the call
};

// Recursion, and what is deeper, is deep.
constexpr unsigned MaxDepth = 4;

std::map<std::string, unsigned> depthsOf(llvm::ArrayRef<Edge> Edges) {
  std::map<std::string, unsigned> Depths;
  std::multimap<std::string, const Edge *> From;
  std::vector<std::string> Work;
  for (const Edge &E : Edges)
    From.emplace(E.Caller, &E);
  auto Deepen = [&](const Edge &E, unsigned Base) {
    unsigned &Depth = Depths[E.Callee];
    if (unsigned Now = std::min(Base + E.Loops, MaxDepth); Now > Depth) {
      Depth = Now;
      Work.push_back(E.Callee);
    }
  };
  for (const Edge &E : Edges)
    Deepen(E, 0);
  while (!Work.empty()) {
    const std::string Caller = std::move(Work.back());
    Work.pop_back();
    auto [First, Last] = From.equal_range(Caller);
    for (auto It = First; It != Last; ++It)
      Deepen(*It->second, Depths[Caller]);
  }
  return Depths;
}

} // namespace

void forEachCall(llvm::ArrayRef<const stored::Value *> Calls,
                 llvm::function_ref<void(llvm::StringRef, llvm::StringRef, unsigned)> Take) {
  for (const stored::Value *V : Calls)
    if (const stored::Array *Edges = V->getAsArray())
      for (const stored::Value &Edge : *Edges)
        if (const stored::Array *Parts = Edge.getAsArray(); Parts && Parts->size() == 3) {
          auto Callee = (*Parts)[0].getAsString(), Caller = (*Parts)[1].getAsString();
          if (Callee && Caller)
            Take(*Callee, *Caller, static_cast<unsigned>((*Parts)[2].getAsInteger().value_or(0)));
        }
}

class CallCollector : public Visitor<CallCollector> {
public:
  CallCollector(CallHeat &Out, const ASTContext &Ctx) : Out(Out), Ctx(Ctx), SM(Ctx.getSourceManager()), Arguments(SM) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(Decl *D) override {
    if (!D ||
        (D->getDeclContext() && D->getDeclContext()->isTranslationUnit() && SM.isInSystemHeader(D->getLocation())))
      return true;
    auto *F = dyn_cast<FunctionDecl>(D);
    if (!F)
      return Visitor::TraverseDecl(D);
    const FunctionDecl *Around = Current;
    const unsigned AroundLoops = Loops, AroundDepth = Depth;
    const bool AroundRare = std::exchange(Rare, false);
    const std::vector<const Stmt *> AroundStack = std::exchange(Stack, {});
    Current = node(F);
    Loops = Depth = 0;
    Out.HasMain |= F->isMain();
    bool Continue = Visitor::TraverseDecl(D);
    Current = Around;
    Loops = AroundLoops;
    Depth = AroundDepth;
    Rare = AroundRare;
    Stack = AroundStack;
    return Continue;
  }

  bool TraverseStmt(Stmt *S) override {
    if (auto *If = dyn_cast_or_null<IfStmt>(S); If && Loops && asksForRareStep(If->getCond(), Ctx)) {
      const unsigned AroundLoops = Loops, AroundDepth = Depth;
      bool Continue = TraverseStmt(If->getCond());
      const std::vector<const Stmt *> AroundStack = std::exchange(Stack, {});
      Loops = Depth = 0;
      Rare = true;
      Continue = Continue && TraverseStmt(If->getThen());
      Rare = false;
      Stack = AroundStack;
      Loops = AroundLoops;
      Depth = AroundDepth;
      return Continue && TraverseStmt(If->getElse());
    }
    const bool Loop = S && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
    const bool Counts = Loop && !Dealt.contains(S);
    if (const auto *Directive = dyn_cast_or_null<OMPLoopDirective>(S); Directive && Directive->hasAssociatedStmt())
      Dealt.insert(Directive->getInnermostCapturedStmt()->getCapturedStmt()->IgnoreContainers());
    if (Loop && Rare && !Loops)
      Out.RareLoops.insert(S);
    Loops += Loop;
    Depth += Counts;
    if (Loop)
      Stack.push_back(S);
    bool Continue = Visitor::TraverseStmt(S);
    if (Loop)
      Stack.pop_back();
    Loops -= Loop;
    Depth -= Counts;
    return Continue;
  }

  bool VisitCallExpr(CallExpr *E) override {
    if (const FunctionDecl *F = E->getDirectCallee()) {
      call(F, E);
      if (const auto *Ref = dyn_cast<DeclRefExpr>(E->getCallee()->IgnoreParenImpCasts()))
        Direct.insert(Ref);
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    call(E->getConstructor(), E);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (const auto *F = dyn_cast<FunctionDecl>(E->getDecl()); F && !Direct.contains(E))
      Out.To[node(F)].Escapes = true;
    return true;
  }

private:
  void call(const FunctionDecl *F, const Expr *E) {
    if (SM.isInSystemHeader(F->getLocation()) || F->getBuiltinID())
      return;
    CallHeat::Calls &C = Out.To[node(F)];
    C.InLoop |= Loops > 0;
    for (const Stmt *Loop : Stack)
      if (Arguments.hold(E, Loop)) {
        C.Again = true;
        Out.Steps[Loop].push_back(F);
      }
    C.Rare |= Rare;
    if (Current) {
      unsigned &Deepest = C.Callers[Current];
      Deepest = std::max(Deepest, Depth);
    } else
      C.Escapes = true;
  }

  CallHeat &Out;
  const ASTContext &Ctx;
  const SourceManager &SM;
  const FunctionDecl *Current = nullptr;
  std::vector<const Stmt *> Stack; // the loops around, the outermost first
  SameArguments Arguments;
  unsigned Loops = 0, Depth = 0; // all loops around; those that no team shares
  bool Rare = false;             // behind a test that few of the iterations pass: the loops around do not count
  llvm::DenseSet<const Stmt *> Dealt;
  llvm::DenseSet<const DeclRefExpr *> Direct;
};

CallHeat::CallHeat(ASTContext &Ctx) : Ctx(Ctx) { CallCollector(*this, Ctx).TraverseDecl(Ctx.getTranslationUnitDecl()); }

Heat CallHeat::of(const FunctionDecl *F) {
  llvm::DenseSet<const FunctionDecl *> Active;
  return F ? compute(node(F), Active) : Heat::Unknown;
}

bool CallHeat::isCalled(const FunctionDecl *F) const { return To.count(node(F)); }

bool CallHeat::runsNowAndThen(const FunctionDecl *F) const {
  const auto It = To.find(node(F));
  return It != To.end() && It->second.Rare && !It->second.InLoop && !It->second.Escapes;
}

Heat CallHeat::compute(const FunctionDecl *F, llvm::DenseSet<const FunctionDecl *> &Active) {
  if (auto It = Known.find(F); It != Known.end())
    return It->second;
  if (F->isMain())
    return Known[F] = Heat::Cold;
  auto It = To.find(F);
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  bool Elsewhere =
      It == To.end() || It->second.Escapes || (Method && Method->isVirtual()) || (F->isExternallyVisible() && !HasMain);
  Heat H = Elsewhere ? Heat::Unknown : Heat::Cold;
  if (It != To.end() && It->second.InLoop)
    H = Heat::Hot;
  // A recursive call says nothing new.
  if (H != Heat::Hot && It != To.end() && Active.insert(F).second)
    for (const auto &[Caller, Around] : llvm::DenseMap<const FunctionDecl *, unsigned>(It->second.Callers))
      if (!Active.contains(Caller))
        H = std::max(H, compute(Caller, Active));
  return Known[F] = H;
}

bool CallHeat::isSteps(const Stmt *Loop) const {
  const auto It = Steps.find(Loop);
  return It != Steps.end() && llvm::any_of(It->second, [this](const FunctionDecl *F) {
           const FunctionDecl *Body = F->getDefinition();
           return !Body || holdsLoop(Body->getBody(), Ctx);
         });
}

std::string CallHeat::name(const FunctionDecl *F) const {
  F = node(F);
  std::string Name = F->getQualifiedNameAsString();
  if (!F->isExternallyVisible())
    Name += " in " + placeOf(Ctx, F->getLocation()).File;
  return Name;
}

unsigned CallHeat::depth(const FunctionDecl *F) {
  if (Depths.empty()) {
    std::vector<Edge> Edges;
    for (const auto &[Callee, C] : To)
      for (const auto &[Caller, Around] : C.Callers)
        Edges.push_back({name(Caller), name(Callee), Around});
    Depths = depthsOf(Edges);
  }
  auto It = F ? Depths.find(name(F)) : Depths.end();
  return It == Depths.end() ? 0 : It->second;
}

json::Value CallHeat::toJson() const {
  std::map<std::pair<std::string, std::string>, unsigned> Edges;
  for (const auto &[F, C] : To) {
    std::string Name = name(F);
    if (C.InLoop)
      Edges[{Name, ""}] = 0;
    if (C.Escapes)
      Edges[{Name, CallsFromAnywhere.str()}] = 0;
    if (C.Rare)
      Edges[{Name, CallsNowAndThen.str()}] = 0;
    if (C.Again)
      Edges[{Name, CallsAgain.str()}] = 0;
    for (const auto &[Caller, Around] : C.Callers) {
      unsigned &Deepest = Edges[{Name, name(Caller)}];
      Deepest = std::max(Deepest, Around);
    }
  }
  json::Array Out;
  for (const auto &[Names, Around] : Edges)
    Out.push_back(json::Array{Names.first, Names.second, Around});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

// What is called as `From` says, and all that is called from there.
static std::set<std::string> reached(llvm::ArrayRef<const stored::Value *> Calls, llvm::StringRef From) {
  std::set<std::string> Hot;
  std::multimap<std::string, std::string> Callees;
  std::vector<std::string> Work;
  forEachCall(Calls, [&](llvm::StringRef Callee, llvm::StringRef Caller, unsigned) {
    if (Caller != From)
      Callees.emplace(Caller.str(), Callee.str());
    else if (Hot.insert(Callee.str()).second)
      Work.push_back(Callee.str());
  });
  while (!Work.empty()) {
    std::string F = std::move(Work.back());
    Work.pop_back();
    auto [First, Last] = Callees.equal_range(F);
    for (auto It = First; It != Last; ++It)
      if (Hot.insert(It->second).second)
        Work.push_back(It->second);
  }
  return Hot;
}

std::set<std::string> hotFunctions(llvm::ArrayRef<const stored::Value *> Calls) { return reached(Calls, ""); }

std::set<std::string> functionsRunAgain(llvm::ArrayRef<const stored::Value *> Calls) {
  return reached(Calls, CallsAgain);
}

namespace {

using CallersByName = std::map<std::string, std::set<std::string>>;

CallersByName callersIn(llvm::ArrayRef<const stored::Value *> Calls) {
  CallersByName Callers;
  forEachCall(Calls, [&](llvm::StringRef Callee, llvm::StringRef Caller, unsigned) {
    if (Caller != CallsAgain)
      Callers[Callee.str()].insert(Caller.str());
  });
  return Callers;
}

// Adds what only those call that are there already.
void close(std::set<std::string> &Functions, const CallersByName &Callers) {
  for (bool Grows = true; Grows;) {
    Grows = false;
    for (const auto &[Function, From] : Callers)
      if (!Functions.contains(Function) && llvm::all_of(From, [&](const std::string &Caller) {
            return Caller == Function || Functions.contains(Caller);
          }))
        Grows |= Functions.insert(Function).second;
  }
}

} // namespace

std::set<std::string> functionsRunOnce(llvm::ArrayRef<const stored::Value *> Calls, bool Strictly) {
  std::set<std::string> Once{"main"};
  if (!Strictly)
    Once.insert(CallsNowAndThen.str());
  close(Once, callersIn(Calls));
  return Once;
}

std::set<std::string> functionsThatReport(llvm::ArrayRef<const stored::Value *> Calls) {
  const std::set<std::string> Once = functionsRunOnce(Calls);
  const CallersByName Callers = callersIn(Calls);
  std::set<std::string> Reports;
  for (const auto &[Function, From] : Callers)
    if (From.contains(CallsNowAndThen.str()) && Once.contains(Function))
      Reports.insert(Function);
  close(Reports, Callers);
  return Reports;
}

std::map<std::string, unsigned> callDepths(llvm::ArrayRef<const stored::Value *> Calls) {
  std::vector<Edge> Edges;
  forEachCall(Calls, [&](llvm::StringRef Callee, llvm::StringRef Caller, unsigned Around) {
    if (!Caller.empty())
      Edges.push_back({Caller.str(), Callee.str(), Around});
  });
  return depthsOf(Edges);
}

} // namespace stridewise
