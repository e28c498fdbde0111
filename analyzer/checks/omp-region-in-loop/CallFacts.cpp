#include "checks/omp-region-in-loop/CallFacts.h"
#include "omp/OmpSites.h"
#include "unit/OwnDecls.h"
#include "unit/Reporter.h"
#include "unit/Visitor.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include <map>

using namespace clang;

namespace stridewise {
namespace {

// One node for a function, its redeclarations and its instantiations.
const FunctionDecl *node(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  return F->getCanonicalDecl();
}

class Collector : public Visitor<Collector> {
public:
  explicit Collector(ASTContext &Ctx) : Ctx(Ctx), SM(Ctx.getSourceManager()) {}

  bool TraverseDecl(Decl *D) override {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    if (!F)
      return Visitor::TraverseDecl(D);
    const Walk Outside = std::exchange(Here, Walk{node(F), {}, 0});
    if (F->isThisDeclarationADefinition() && F->isExternallyVisible() && !F->isMain() && !F->isInlined())
      Out.Defined.push_back(callName(F, Ctx));
    const bool Continue = Visitor::TraverseDecl(D);
    Here = Outside;
    return Continue;
  }

  bool TraverseStmt(Stmt *S) override {
    const auto *Directive = dyn_cast_or_null<OMPExecutableDirective>(S);
    const bool Team = Directive && (isOpenMPParallelDirective(Directive->getDirectiveKind()) ||
                                    isOpenMPTargetExecutionDirective(Directive->getDirectiveKind()) ||
                                    isOpenMPTaskingDirective(Directive->getDirectiveKind()));
    const bool Loop = S && isLoop(S);
    Here.Teams += Team;
    if (Loop)
      Here.Loops.push_back(S);
    const bool Continue = Visitor::TraverseStmt(S);
    if (Loop)
      Here.Loops.pop_back();
    Here.Teams -= Team;
    return Continue;
  }

  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *F = E->getDirectCallee();
    if (!F || !Here.In || F->getBuiltinID() || SM.isInSystemHeader(F->getLocation()))
      return true;
    auto [It, New] = Calls.try_emplace({node(F), Here.In});
    BorderCall &Call = It->second;
    Call.InTeam |= Here.Teams > 0;
    if (New || Here.Loops.size() > Call.Loops) {
      Call.Loops = unsigned(Here.Loops.size());
      if (!Here.Loops.empty())
        Call.Loop = placeOf(Ctx, Here.Loops.back()->getBeginLoc());
    }
    if (New)
      Order.push_back(It->first);
    return true;
  }

  UnitBorders run() {
    Out.File = placeOf(Ctx, SM.getLocForStartOfFile(SM.getMainFileID())).File;
    for (Decl *D : ownDecls(Ctx))
      TraverseDecl(D);
    for (const auto &Key : Order) {
      BorderCall Call = Calls[Key];
      Call.Callee = callName(Key.first, Ctx);
      Call.Caller = callName(Key.second, Ctx);
      Out.Calls.push_back(std::move(Call));
    }
    return std::move(Out);
  }

private:
  using Pair = std::pair<const FunctionDecl *, const FunctionDecl *>; // callee and caller
  struct Walk {
    const FunctionDecl *In = nullptr;
    std::vector<const Stmt *> Loops;
    unsigned Teams = 0;
  };
  ASTContext &Ctx;
  const SourceManager &SM;
  Walk Here;
  std::map<Pair, BorderCall> Calls;
  std::vector<Pair> Order; // of the source
  UnitBorders Out;
};

} // namespace

std::string callName(const FunctionDecl *F, const ASTContext &Ctx) {
  F = node(F);
  std::string Name = F->getQualifiedNameAsString();
  if (!F->isExternallyVisible())
    Name += " in " + placeOf(Ctx, F->getLocation()).File;
  return Name;
}

UnitBorders callFacts(ASTContext &Ctx) { return Collector(Ctx).run(); }

} // namespace stridewise
