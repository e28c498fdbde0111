#include "checks/mpi-thread-level/ThreadedCalls.h"
#include "library/LibraryCalls.h"
#include "omp/OmpRegion.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;

namespace stridewise {

const char *name(ThreadLevel L) {
  switch (L) {
  case ThreadLevel::Single:
    return "MPI_THREAD_SINGLE";
  case ThreadLevel::Funneled:
    return "MPI_THREAD_FUNNELED";
  case ThreadLevel::Serialized:
    return "MPI_THREAD_SERIALIZED";
  case ThreadLevel::Multiple:
    return "MPI_THREAD_MULTIPLE";
  }
  llvm_unreachable("all levels handled");
}

namespace {

// Where a statement runs: in a team or thread that this function starts, and by how many of its threads at a time.
struct Context {
  bool Started = false;
  ThreadLevel Level = ThreadLevel::Multiple;
  // Sections of one construct run at the same time: the construct and the section that decide the level, if any.
  const Stmt *Sections = nullptr, *Section = nullptr;
};

struct CallSite {
  const CallExpr *Call;
  const MpiSignature *Sig; // null: a call of another function
  const FunctionDecl *Callee;
  Context C;
};

struct Body {
  const FunctionDecl *F;
  std::vector<CallSite> Sites;
};

class Collector : public Visitor<Collector> {
public:
  Collector(ASTContext &Ctx, ThreadFacts &Out) : Ctx(Ctx), Out(Out) { ShouldVisitTemplateInstantiations = true; }

  bool TraverseFunction(FunctionDecl *F, llvm::function_ref<bool()> Base) {
    if (!F->doesThisDeclarationHaveABody() || F->isDependentContext() || isBinding(*F))
      return true;
    Body *Outer = Current;
    Context Before = Now;
    Bodies.push_back(std::make_unique<Body>());
    Current = Bodies.back().get();
    Current->F = F;
    ByDecl[F->getCanonicalDecl()] = Current;
    Now = {};
    Base();
    Current = Outer;
    Now = Before;
    return true;
  }
  bool TraverseDecl(Decl *D) override {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    if (!F || isa<CXXConversionDecl, CXXDeductionGuideDecl>(F) || (Method && Method->getParent()->isLambda()))
      return Visitor::TraverseDecl(D);
    return TraverseFunction(F, [&] { return Visitor::TraverseDecl(F); });
  }

  bool TraverseStmt(Stmt *S) override {
    if (!S)
      return true;
    if (auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      Context Before = Now;
      enter(*D);
      if (isa<OMPSectionDirective>(D))
        Now.Section = D;
      bool Go = Visitor::TraverseStmt(S);
      Now = Before;
      return Go;
    }
    if (auto *If = dyn_cast<IfStmt>(S); If && asksForThreadZero(If->getCond())) {
      Context Before = Now;
      TraverseStmt(If->getCond());
      Now.Level = ThreadLevel::Funneled;
      TraverseStmt(If->getThen());
      Now = Before;
      return TraverseStmt(If->getElse());
    }
    // A lambda or function that a thread runs.
    if (auto *New = dyn_cast<CXXConstructExpr>(S); New && isThread(New->getType())) {
      Context Before = Now;
      Now = {true, ThreadLevel::Serialized};
      for (Expr *A : New->arguments())
        startsThread(A);
      Visitor::TraverseStmt(S);
      Now = Before;
      return true;
    }
    return Visitor::TraverseStmt(S);
  }

  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (const VarDecl *V = B->getOpcode() == BO_Assign ? variableOf(B->getLHS()) : nullptr)
      if (isThreadNumber(B->getRHS()))
        ThreadNumbers.insert(V);
    return true;
  }

  bool VisitCallExpr(CallExpr *E) override {
    if (!Current)
      return true;
    const FunctionDecl *F = E->getDirectCallee();
    if (!F)
      return true;
    if (const MpiSignature *Sig = findMpiCall(*E)) {
      if (Sig->Does == MpiDoes::Init || Sig->Does == MpiDoes::InitThread)
        request(E, Sig->Does == MpiDoes::InitThread);
      else if (!Sig->is(MpiTimer | MpiQuery | MpiLifecycle))
        Current->Sites.push_back({E, Sig, nullptr, Now});
      return true;
    }
    if (F->getIdentifier() && F->getName() == "pthread_create" && E->getNumArgs() == 4) {
      Context Before = Now;
      Now = {true, ThreadLevel::Serialized};
      startsThread(E->getArg(2));
      Now = Before;
    }
    if (!Ctx.getSourceManager().isInSystemHeader(F->getLocation()))
      Current->Sites.push_back({E, nullptr, F, Now});
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (isa<VarDecl>(E->getDecl()))
      ++Uses[E->getDecl()];
    return true;
  }

  // Several sections of one construct that come to MPI come to it at the same time.
  void raiseSections() {
    std::map<const Stmt *, std::set<const Stmt *>> Communicating;
    for (const auto &B : Bodies)
      for (const CallSite &S : B->Sites)
        if (S.C.Sections && (S.Sig || neededBy(S.Callee)))
          Communicating[S.C.Sections].insert(S.C.Section);
    Needs.clear();
    for (const auto &B : Bodies)
      for (CallSite &S : B->Sites)
        if (S.C.Sections && Communicating[S.C.Sections].size() > 1)
          S.C.Level = ThreadLevel::Multiple;
  }

  void finish() {
    raiseSections();
    for (const auto &B : Bodies) {
      for (const CallSite &S : B->Sites) {
        if (!S.C.Started)
          continue;
        if (S.Sig) {
          Out.Calls.push_back({S.Call, B->F, S.C.Level, S.Sig->Name, {}, nullptr});
          continue;
        }
        if (const CallSite *Inner = neededBy(S.Callee); Inner) {
          Out.Calls.push_back({S.Call,
                               B->F,
                               std::min(S.C.Level, Needs[S.Callee->getCanonicalDecl()].first),
                               Inner->Sig->Name,
                               {},
                               Inner->Call});
        } else if (!ByDecl.count(S.Callee->getCanonicalDecl()) && S.Callee->isExternallyVisible() &&
                   S.Callee->getIdentifier()) {
          Out.Calls.push_back({S.Call, B->F, S.C.Level, {}, S.Callee->getQualifiedNameAsString(), nullptr});
        }
      }
      if (B->F->isExternallyVisible())
        if (const CallSite *Inner = neededBy(B->F))
          Out.Functions[B->F->getQualifiedNameAsString()] = {Needs[B->F->getCanonicalDecl()].first, Inner->Sig->Name};
    }
    for (auto &[Request, Provided] : Requests) {
      // One use is the request itself.
      Request.Checked = !Provided || Provided->hasGlobalStorage() || Uses[Provided] > 1;
      Out.Requests.push_back(Request);
    }
  }

private:
  // The C++ bindings of old repeat every call as members of classes.
  static bool isBinding(const FunctionDecl &F) {
    for (const DeclContext *C = F.getDeclContext(); C; C = C->getParent())
      if (const auto *N = dyn_cast<NamespaceDecl>(C); N && N->getName() == "MPI")
        return true;
    return false;
  }

  void enter(const OMPExecutableDirective &D) {
    OmpConstruct C = classify(D, Ctx);
    if (C.StartsTeam)
      Now = {true, ThreadLevel::Multiple};
    if (C.SameThread || C.Exclusive)
      Now.Sections = nullptr;
    if (C.SameThread)
      Now.Level = ThreadLevel::Funneled;
    else if (C.Exclusive)
      Now.Level = std::min(Now.Level, ThreadLevel::Serialized);
    else if (D.getDirectiveKind() == llvm::omp::OMPD_sections ||
             D.getDirectiveKind() == llvm::omp::OMPD_parallel_sections) {
      if (Now.Level > ThreadLevel::Serialized)
        Now.Sections = &D;
      Now.Level = std::min(Now.Level, ThreadLevel::Serialized);
    } else if (C.OneThread)
      Now.Level = std::min(Now.Level, ThreadLevel::Serialized);
    else if (C.Tasks && Now.Started)
      Now.Level = std::max(Now.Level, ThreadLevel::Serialized);
  }

  // The number of the thread, or what may be it: the answer of a function that the unit does not show and that is told
  // nothing. Programs wrap the question.
  bool isThreadNumber(const Expr *E, unsigned Depth = 0) const {
    E = E->IgnoreParenImpCasts();
    if (Depth > 3)
      return false;
    if (const auto *Call = dyn_cast<CallExpr>(E)) {
      const FunctionDecl *F = Call->getDirectCallee();
      if (!F || !F->getIdentifier() || Call->getNumArgs() || !Call->getType()->isIntegerType())
        return false;
      const FunctionDecl *Definition = F->getDefinition();
      return F->getName() == "omp_get_thread_num" || (!Definition && !findLibraryCall(F)) ||
             (Definition && returnsThreadNumber(*Definition, Depth));
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        return ThreadNumbers.contains(V) || (V->getInit() && isThreadNumber(V->getInit(), Depth + 1));
    return false;
  }

  bool returnsThreadNumber(const FunctionDecl &F, unsigned Depth) const {
    struct Returns : Visitor<Returns> {
      llvm::SmallVector<const Expr *, 2> Values;
      llvm::DenseMap<const VarDecl *, const Expr *> Assigned;
      bool VisitReturnStmt(ReturnStmt *R) override {
        if (R->getRetValue())
          Values.push_back(R->getRetValue()->IgnoreParenImpCasts());
        return true;
      }
      bool VisitBinaryOperator(BinaryOperator *B) override {
        if (const VarDecl *V = B->getOpcode() == BO_Assign ? variableOf(B->getLHS()) : nullptr)
          Assigned[V] = B->getRHS();
        return true;
      }
    } In;
    In.TraverseStmt(F.getBody());
    return !In.Values.empty() && llvm::all_of(In.Values, [&](const Expr *E) {
      const Expr *Value = In.Assigned.lookup(variableOf(E));
      return isThreadNumber(Value ? Value : E, Depth + 1);
    });
  }

  static const VarDecl *variableOf(const Expr *E) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  }
  bool asksForThreadZero(const Expr *E) const {
    if (!E)
      return false;
    E = E->IgnoreParenImpCasts();
    if (const auto *Not = dyn_cast<UnaryOperator>(E); Not && Not->getOpcode() == UO_LNot)
      return isThreadNumber(Not->getSubExpr());
    const auto *Op = dyn_cast<BinaryOperator>(E);
    if (Op && Op->getOpcode() == BO_LAnd)
      return asksForThreadZero(Op->getLHS()) || asksForThreadZero(Op->getRHS());
    return Op && Op->getOpcode() == BO_EQ && (isThreadNumber(Op->getLHS()) || isThreadNumber(Op->getRHS()));
  }

  static bool isThread(QualType T) {
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    return R && R->isInStdNamespace() && R->getIdentifier() && (R->getName() == "thread" || R->getName() == "jthread");
  }
  void startsThread(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_AddrOf)
      E = Unary->getSubExpr()->IgnoreParenImpCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    if (const auto *F = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr; F && Current)
      Started.emplace_back(F, Current->F);
  }

  void request(CallExpr *E, bool Threads) {
    LevelRequest Q;
    Q.Where = E;
    Q.In = Current->F;
    Q.Threads = Threads;
    const VarDecl *Provided = nullptr;
    if (Threads && E->getNumArgs() == 4) {
      Expr::EvalResult Value;
      Q.Known = E->getArg(2)->EvaluateAsInt(Value, Ctx);
      if (Q.Known)
        Q.Level = static_cast<ThreadLevel>(std::clamp<std::int64_t>(Value.Val.getInt().getExtValue(), 0, 3));
      if (const auto *Unary = dyn_cast<UnaryOperator>(E->getArg(3)->IgnoreParenImpCasts()))
        if (const auto *Ref = dyn_cast<DeclRefExpr>(Unary->getSubExpr()->IgnoreParenImpCasts()))
          Provided = dyn_cast<VarDecl>(Ref->getDecl());
    }
    Requests.emplace_back(Q, Provided);
  }

  // The MPI call that makes a function need most when threads call it; null when it makes none outside its own teams.
  const CallSite *neededBy(const FunctionDecl *F) {
    F = F->getCanonicalDecl();
    if (auto It = Needs.find(F); It != Needs.end())
      return It->second.second;
    Needs[F] = {ThreadLevel::Single, nullptr};
    auto Found = ByDecl.find(F);
    if (Found == ByDecl.end())
      return nullptr;
    std::pair<ThreadLevel, const CallSite *> Most{ThreadLevel::Single, nullptr};
    for (const CallSite &S : Found->second->Sites) {
      if (S.C.Started)
        continue;
      const CallSite *Inner = S.Sig ? &S : neededBy(S.Callee);
      if (!Inner)
        continue;
      ThreadLevel Level = S.Sig ? S.C.Level : std::min(S.C.Level, Needs[S.Callee->getCanonicalDecl()].first);
      if (Level > Most.first)
        Most = {Level, Inner};
    }
    Needs[F] = Most;
    return Most.second;
  }

public:
  // Functions that a thread runs from its start.
  void addThreads() {
    for (auto [F, From] : Started)
      if (const CallSite *Inner = neededBy(F))
        Out.Calls.push_back({Inner->Call, F, ThreadLevel::Serialized, Inner->Sig->Name, {}, nullptr});
  }

private:
  ASTContext &Ctx;
  ThreadFacts &Out;
  std::vector<std::unique_ptr<Body>> Bodies;
  std::map<const FunctionDecl *, Body *> ByDecl;
  std::map<const FunctionDecl *, std::pair<ThreadLevel, const CallSite *>> Needs;
  std::vector<std::pair<const FunctionDecl *, const FunctionDecl *>> Started;
  std::vector<std::pair<LevelRequest, const VarDecl *>> Requests;
  llvm::DenseMap<const ValueDecl *, unsigned> Uses;
  llvm::DenseSet<const VarDecl *> ThreadNumbers; // that are assigned
  Body *Current = nullptr;
  Context Now;
};

} // namespace

ThreadFacts collectThreadFacts(ASTContext &Ctx) {
  ThreadFacts Out;
  Collector C(Ctx, Out);
  for (Decl *D : ownDecls(Ctx))
    C.TraverseDecl(D);
  C.finish();
  C.addThreads();
  return Out;
}

} // namespace stridewise
