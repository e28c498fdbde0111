#include "omp/OmpSites.h"
#include "omp/StdLocks.h"
#include "unit/Meter.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr unsigned CallDepth = 4; // callers of callers that are looked at

class SiteWalker {
public:
  SiteWalker(OmpSites &Sites, const FunctionDecl *F) : Sites(Sites), F(F) {}

  void walk(const Stmt *S, const CompoundStmt *Block = nullptr) {
    if (!S)
      return;
    Meter::count();
    if (const auto *C = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt *X : C->body()) {
        library(X, C);
        walk(X, C);
      }
      return;
    }
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      Sites.Constructs.push_back({S, F, Around, Block});
      return within(S, [&] { walk(constructBody(*D)); });
    }
    if (const auto *C = dyn_cast<CallExpr>(S))
      call(C, Block);
    if (const auto *L = dyn_cast<LambdaExpr>(S))
      return within(S, [&] { walk(L->getBody()); });
    if (isLoop(S) || isa<IfStmt, SwitchStmt, ConditionalOperator>(S))
      return within(S, [&] {
        for (const Stmt *X : bodies(S))
          library(X, nullptr);
        children(S);
      });
    children(S);
  }

private:
  template <typename Callback> void within(const Stmt *S, Callback CB) {
    Around.push_back(S);
    CB();
    Around.pop_back();
  }
  void children(const Stmt *S) {
    for (const Stmt *X : S->children())
      walk(X);
  }
  // Single statements that need no braces.
  static llvm::SmallVector<const Stmt *, 2> bodies(const Stmt *S) {
    if (const auto *L = dyn_cast<ForStmt>(S))
      return {L->getBody()};
    if (const auto *L = dyn_cast<CXXForRangeStmt>(S))
      return {L->getBody()};
    if (const auto *L = dyn_cast<WhileStmt>(S))
      return {L->getBody()};
    if (const auto *L = dyn_cast<DoStmt>(S))
      return {L->getBody()};
    if (const auto *I = dyn_cast<IfStmt>(S))
      return {I->getThen(), I->getElse()};
    return {};
  }
  void library(const Stmt *S, const CompoundStmt *Block) {
    if (takesScopedLock(S))
      Sites.ScopedLocks.push_back({S, F, Around, Block});
    else if (stdAtomicUpdate(S))
      Sites.StdAtomics.push_back({S, F, Around, Block});
  }
  void call(const CallExpr *C, const CompoundStmt *Block) {
    if (const FunctionDecl *Body = PathResolver::definition(C))
      Sites.Calls[Body->getCanonicalDecl()].push_back({C, F, Around, Block});
    else if (const FunctionDecl *D = C->getDirectCallee(); D && D->getIdentifier() && D->getName().starts_with("omp_"))
      Sites.RuntimeCalls[D->getCanonicalDecl()].push_back({C, F, Around, Block});
  }
  OmpSites &Sites;
  const FunctionDecl *F;
  std::vector<const Stmt *> Around;
};

} // namespace

bool isLoop(const Stmt *S) { return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S); }

OmpSites::OmpSites(ASTContext &Ctx) {
  if (!Ctx.getLangOpts().OpenMP || Ctx.getDiagnostics().hasUncompilableErrorOccurred())
    return;
  UnitFunctions Unit(Ctx);
  for (const FunctionDecl *F : Unit.Functions)
    SiteWalker(*this, F).walk(F->getBody());
}

llvm::ArrayRef<OmpSite> OmpSites::callsOf(const FunctionDecl *F) const {
  auto It = Calls.find(F->getCanonicalDecl());
  return It == Calls.end() ? llvm::ArrayRef<OmpSite>() : llvm::ArrayRef<OmpSite>(It->second);
}

bool OmpSites::anyAround(const OmpSite &Site, llvm::function_ref<bool(const Stmt *)> Is, unsigned Depth) const {
  Meter::count(Site.Around.size());
  if (llvm::any_of(Site.Around, Is))
    return true;
  return Depth && llvm::any_of(callsOf(Site.In), [&](const OmpSite &C) { return anyAround(C, Is, Depth - 1); });
}

bool OmpSites::isRepeated(const OmpSite &Site) const { return anyAround(Site, isLoop, CallDepth); }

bool OmpSites::runsInTeam(const OmpSite &Site) const {
  return anyAround(
      Site,
      [](const Stmt *S) {
        const auto *D = dyn_cast<OMPExecutableDirective>(S);
        return D && (isOpenMPParallelDirective(D->getDirectiveKind()) ||
                     isOpenMPTargetExecutionDirective(D->getDirectiveKind()) ||
                     isOpenMPTaskingDirective(D->getDirectiveKind()));
      },
      CallDepth);
}

const OMPExecutableDirective *OmpSites::region(const OmpSite &Site, const ASTContext &Ctx) {
  for (const Stmt *S : llvm::reverse(Site.Around))
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S); D && classify(*D, Ctx).StartsTeam)
      return D;
  return nullptr;
}

// Whether some declaration that the statement names is the one.
static bool anyName(const Stmt *S, llvm::function_ref<bool(const ValueDecl *)> Is) {
  if (!S)
    return false;
  Meter::count();
  if (const auto *D = dyn_cast<DeclRefExpr>(S))
    return Is(cast<ValueDecl>(D->getDecl()->getCanonicalDecl()));
  if (const auto *M = dyn_cast<MemberExpr>(S); M && Is(cast<ValueDecl>(M->getMemberDecl()->getCanonicalDecl())))
    return true;
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
    return anyName(constructBody(*D), Is);
  if (const auto *L = dyn_cast<LambdaExpr>(S); L && anyName(L->getBody(), Is))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *X) { return anyName(X, Is); });
}

bool mentions(const Stmt *S, const ValueDecl *V) {
  return anyName(S, [&](const ValueDecl *Named) { return Named == V->getCanonicalDecl(); });
}

void collectNames(const Stmt *S, llvm::DenseSet<const ValueDecl *> &Names) {
  anyName(S, [&](const ValueDecl *Named) {
    Names.insert(Named);
    return false;
  });
}

std::int64_t lineOf(SourceLocation L, const SourceManager &SM) {
  return static_cast<std::int64_t>(SM.getSpellingLineNumber(SM.getFileLoc(L)));
}

std::string directiveName(const OMPExecutableDirective &D) {
  return llvm::omp::getOpenMPDirectiveName(D.getDirectiveKind()).str();
}

std::string textOf(const Stmt *S, const ASTContext &Ctx) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  S->printPretty(OS, nullptr, Ctx.getPrintingPolicy());
  std::replace(Text.begin(), Text.end(), '\n', ' ');
  return Text;
}

} // namespace stridewise
