#include "loops/CallHeat.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

// One node for a function, its redeclarations and its instantiations.
const FunctionDecl *node(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  return F->getCanonicalDecl();
}

} // namespace

class CallCollector : public Visitor<CallCollector> {
public:
  CallCollector(CallHeat &Out, const SourceManager &SM) : Out(Out), SM(SM) { ShouldVisitTemplateInstantiations = true; }

  bool TraverseDecl(Decl *D) override {
    if (!D ||
        (D->getDeclContext() && D->getDeclContext()->isTranslationUnit() && SM.isInSystemHeader(D->getLocation())))
      return true;
    auto *F = dyn_cast<FunctionDecl>(D);
    if (!F)
      return Visitor::TraverseDecl(D);
    const FunctionDecl *Around = Current;
    unsigned AroundLoops = Loops;
    Current = node(F);
    Loops = 0;
    Out.HasMain |= F->isMain();
    bool Continue = Visitor::TraverseDecl(D);
    Current = Around;
    Loops = AroundLoops;
    return Continue;
  }

  bool TraverseStmt(Stmt *S) override {
    bool Loop = S && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
    Loops += Loop;
    bool Continue = Visitor::TraverseStmt(S);
    Loops -= Loop;
    return Continue;
  }

  bool VisitCallExpr(CallExpr *E) override {
    if (const FunctionDecl *F = E->getDirectCallee()) {
      call(F);
      if (const auto *Ref = dyn_cast<DeclRefExpr>(E->getCallee()->IgnoreParenImpCasts()))
        Direct.insert(Ref);
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    call(E->getConstructor());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (const auto *F = dyn_cast<FunctionDecl>(E->getDecl()); F && !Direct.contains(E))
      Out.To[node(F)].Escapes = true;
    return true;
  }

private:
  void call(const FunctionDecl *F) {
    if (SM.isInSystemHeader(F->getLocation()) || F->getBuiltinID())
      return;
    CallHeat::Calls &C = Out.To[node(F)];
    C.InLoop |= Loops > 0;
    if (Current)
      C.Callers.insert(Current);
    else
      C.Escapes = true;
  }

  CallHeat &Out;
  const SourceManager &SM;
  const FunctionDecl *Current = nullptr;
  unsigned Loops = 0;
  llvm::DenseSet<const DeclRefExpr *> Direct;
};

CallHeat::CallHeat(ASTContext &Ctx) : Ctx(Ctx) {
  CallCollector(*this, Ctx.getSourceManager()).TraverseDecl(Ctx.getTranslationUnitDecl());
}

Heat CallHeat::of(const FunctionDecl *F) {
  llvm::DenseSet<const FunctionDecl *> Active;
  return F ? compute(node(F), Active) : Heat::Unknown;
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
    for (const FunctionDecl *Caller :
         llvm::SmallVector<const FunctionDecl *>(It->second.Callers.begin(), It->second.Callers.end()))
      if (!Active.contains(Caller))
        H = std::max(H, compute(Caller, Active));
  return Known[F] = H;
}

std::string CallHeat::name(const FunctionDecl *F) const {
  F = node(F);
  std::string Name = F->getQualifiedNameAsString();
  if (!F->isExternallyVisible())
    Name += " in " + placeOf(Ctx, F->getLocation()).File;
  return Name;
}

json::Value CallHeat::toJson() const {
  std::set<std::pair<std::string, std::string>> Edges;
  for (const auto &[F, C] : To) {
    std::string Name = name(F);
    if (C.InLoop)
      Edges.emplace(Name, "");
    for (const FunctionDecl *Caller : C.Callers)
      Edges.emplace(Name, name(Caller));
  }
  json::Array Out;
  for (const auto &[Callee, Caller] : Edges)
    Out.push_back(json::Array{Callee, Caller});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

std::set<std::string> hotFunctions(llvm::ArrayRef<const stored::Value *> Calls) {
  std::set<std::string> Hot;
  std::multimap<std::string, std::string> Callees;
  std::vector<std::string> Work;
  for (const stored::Value *V : Calls)
    if (const stored::Array *Edges = V->getAsArray())
      for (const stored::Value &Edge : *Edges)
        if (const stored::Array *Pair = Edge.getAsArray(); Pair && Pair->size() == 2) {
          auto Callee = (*Pair)[0].getAsString(), Caller = (*Pair)[1].getAsString();
          if (!Callee || !Caller)
            continue;
          if (Caller->empty() && Hot.insert(Callee->str()).second)
            Work.push_back(Callee->str());
          else if (!Caller->empty())
            Callees.emplace(Caller->str(), Callee->str());
        }
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

} // namespace stridewise
