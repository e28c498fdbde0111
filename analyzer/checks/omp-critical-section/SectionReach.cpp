#include "checks/omp-critical-section/SectionReach.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

// Calls between a team's loop and the function of the section, beside the one of that function.
constexpr unsigned DeepestCall = 2;
// Calls that are looked at on the way.
constexpr unsigned MostWays = 1000;

std::optional<SectionReach> along(llvm::ArrayRef<const Stmt *> Around, bool Direct, const ASTContext &Ctx) {
  SectionReach R;
  R.Direct = Direct;
  for (const Stmt *S : Around) {
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      OmpConstruct C = classify(*D, Ctx);
      if (C.Device)
        return std::nullopt;
      if (C.StartsTeam) {
        R = {D};
        R.Direct = Direct;
      }
      if (C.SharesLoop)
        R.Share = D;
      R.OneThread |= C.OneThread && !isa<OMPSectionDirective>(D);
      R.Tasks |= C.Tasks;
      R.Guarded = false;
    } else if (R.Region && isLoop(S)) {
      R.Loop = S;
      R.Guarded = false;
    } else if (R.Region && isa<IfStmt, SwitchStmt, ConditionalOperator>(S)) {
      R.Guarded = true;
    } else if (isa<LambdaExpr>(S)) {
      return std::nullopt; // runs elsewhere
    }
  }
  if (!R.Region || !R.Loop || (R.OneThread && !R.Tasks))
    return std::nullopt;
  return R;
}

// The same in code of which only other units know who runs it: a section is for teams. A loop around it, or around the
// calls that lead to it, is what threads come by in.
std::optional<SectionReach> alongOrphan(llvm::ArrayRef<const Stmt *> Around, const ASTContext &Ctx) {
  SectionReach R;
  R.Direct = false;
  for (const Stmt *S : Around) {
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      const OmpConstruct C = classify(*D, Ctx);
      if (C.Device || C.StartsTeam || C.OneThread || C.Tasks)
        return std::nullopt;
      if (C.SharesLoop)
        R.Share = D;
      R.Guarded = false;
    } else if (isLoop(S)) {
      R.Loop = S;
      R.Guarded = false;
    } else if (isa<LambdaExpr>(S)) {
      return std::nullopt;
    } else if (R.Loop && isa<IfStmt, SwitchStmt, ConditionalOperator>(S)) {
      R.Guarded = true;
    }
  }
  return R.Loop ? std::optional(R) : std::nullopt;
}

bool mentionedOutside(const Stmt *S, const ValueDecl *V, llvm::ArrayRef<const Stmt *> Except) {
  if (!S || llvm::is_contained(Except, S))
    return false;
  if (const auto *D = dyn_cast<DeclRefExpr>(S))
    return D->getDecl()->getCanonicalDecl() == V->getCanonicalDecl();
  if (const auto *M = dyn_cast<MemberExpr>(S); M && M->getMemberDecl()->getCanonicalDecl() == V->getCanonicalDecl())
    return true;
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
    return mentionedOutside(constructBody(*D), V, Except);
  if (const auto *L = dyn_cast<LambdaExpr>(S))
    return mentions(L, V);
  return llvm::any_of(S->children(), [&](const Stmt *X) { return mentionedOutside(X, V, Except); });
}

} // namespace

// The way from a loop of a team to the section, through calls of the unit's functions; `Path` is what stands around the
// section from the function F on.
static std::optional<SectionReach> reachFrom(const FunctionDecl *F, const std::vector<const Stmt *> &Path,
                                             const OmpSites &Sites, unsigned Left, unsigned &Ways,
                                             const ASTContext &Ctx) {
  for (const OmpSite &Call : Sites.callsOf(F)) {
    if (++Ways > MostWays)
      return std::nullopt;
    std::vector<const Stmt *> Longer = Call.Around;
    Longer.insert(Longer.end(), Path.begin(), Path.end());
    std::optional<SectionReach> Found = along(Longer, false, Ctx);
    if (!Found && Left && Call.In && Call.In != F)
      Found = reachFrom(Call.In, Longer, Sites, Left - 1, Ways, Ctx);
    else if (Found)
      Found->Call = dyn_cast<CallExpr>(Call.S);
    if (Found)
      return Found;
  }
  return std::nullopt;
}

// The loop that comes by in code without a region, where no caller in the unit has one either.
static std::optional<SectionReach> orphanReach(const FunctionDecl *F, const std::vector<const Stmt *> &Path,
                                               const OmpSites &Sites, unsigned Left, unsigned &Ways,
                                               const ASTContext &Ctx) {
  std::optional<SectionReach> Found = alongOrphan(Path, Ctx);
  for (const OmpSite &Call : Sites.callsOf(F)) {
    if (++Ways > MostWays || OmpSites::region(Call, Ctx))
      return std::nullopt;
    std::vector<const Stmt *> Longer = Call.Around;
    Longer.insert(Longer.end(), Path.begin(), Path.end());
    if (Left && Call.In && Call.In != F)
      if (std::optional<SectionReach> Above = orphanReach(Call.In, Longer, Sites, Left - 1, Ways, Ctx); !Found)
        Found = Above;
  }
  return Found;
}

std::optional<SectionReach> reachOf(const LockedUpdates &L, const OmpSites &Sites, const ASTContext &Ctx) {
  std::optional<SectionReach> Found = along(L.Site->Around, true, Ctx);
  if (Found || OmpSites::region(*L.Site, Ctx))
    return Found;
  unsigned Ways = 0;
  Found = reachFrom(L.Site->In, L.Site->Around, Sites, DeepestCall, Ways, Ctx);
  // A block that ends the loop, or the function, comes by once.
  const CompoundStmt *Block = L.Site->Block;
  const bool Once = Block && !Block->body_empty() && isa<BreakStmt, ReturnStmt, GotoStmt>(Block->body_back());
  if (!Found && !Once && !Sites.runsInTeam(*L.Site)) {
    Ways = 0;
    Found = orphanReach(L.Site->In, L.Site->Around, Sites, DeepestCall, Ways, Ctx);
  }
  // Which lock of many it is, is asked of the call of its own function.
  if (Found && Found->Call && Found->Call->getDirectCallee() &&
      Found->Call->getDirectCallee()->getCanonicalDecl() != L.Site->In->getCanonicalDecl())
    Found->Call = nullptr;
  return Found;
}

bool isPrivate(const ScalarUpdate &U, const LockedUpdates &L, const SectionReach &At, const ASTContext &Ctx) {
  const auto *Root = dyn_cast<VarDecl>(U.Root);
  if (!Root)
    return false;
  if (isa<DeclRefExpr>(U.Target)) {
    for (const Stmt *S : L.Site->Around)
      if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
        if (llvm::is_contained(privateVariables(*D), Root->getCanonicalDecl()))
          return true;
    if (!At.Direct)
      return Root->hasLocalStorage() && !Root->getType()->isReferenceType();
  }
  bool Inside = At.Direct && Root->hasLocalStorage() &&
                Ctx.getSourceManager().isBeforeInTranslationUnit(At.Region->getBeginLoc(), Root->getBeginLoc());
  return Inside && !Root->getType()->isPointerType() && !Root->getType()->isReferenceType();
}

// Whether the loop does nothing else with what the section updates; Conditions: those around the section may ask for
// it, as the second look of an extremum does.
static bool isOnlyUpdated(const LockedUpdates &L, const SectionReach &At, bool Conditions) {
  if (!At.Direct || At.Tasks)
    return false;
  std::vector<const Stmt *> Except{L.Site->S, L.Release};
  for (const Stmt *S : L.Site->Around)
    if (const auto *I = dyn_cast<IfStmt>(S); I && Conditions)
      Except.push_back(I->getCond());
  for (const ScalarUpdate &U : L.Updates)
    if (L.isLock())
      Except.push_back(U.From);
  const auto IsMentioned = [&](const ValueDecl *V) { return mentionedOutside(constructBody(At.reducer()), V, Except); };
  return llvm::none_of(
      L.Updates, [&](const ScalarUpdate &U) { return IsMentioned(U.Root) || llvm::any_of(U.Notes, IsMentioned); });
}

bool isOnlyGathered(const LockedUpdates &L, const SectionReach &At) {
  return isOnlyUpdated(L, At, /*Conditions=*/false);
}

// Whether code of a team names the variable other than to add to it; InTeam: the statement is such code.
static bool isNamedByTeam(const Stmt *S, const ValueDecl *V, bool InTeam, const ASTContext &Ctx) {
  if (!S)
    return false;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
    return InTeam && Ref->getDecl()->getCanonicalDecl() == V->getCanonicalDecl();
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
    const Stmt *Body = constructBody(*D);
    if (isa<OMPAtomicDirective>(D) && D->clauses().empty()) {
      const auto *E = dyn_cast_or_null<Expr>(Body);
      E = E ? E->IgnoreParenImpCasts() : nullptr;
      if (const auto *B = dyn_cast_or_null<BinaryOperator>(E); B && B->isCompoundAssignmentOp())
        return isNamedByTeam(B->getRHS(), V, InTeam, Ctx);
      if (const auto *Count = dyn_cast_or_null<UnaryOperator>(E); Count && Count->isIncrementDecrementOp())
        return false;
    }
    return isNamedByTeam(Body, V, InTeam || classify(*D, Ctx).StartsTeam, Ctx);
  }
  return llvm::any_of(S->children(), [&](const Stmt *X) { return isNamedByTeam(X, V, InTeam, Ctx); });
}

bool isOnlyGatheredByTeams(const LockedUpdates &L, const SectionReach &At, const OmpSites &Sites,
                           const UnitFunctions &Unit, const ASTContext &Ctx) {
  const ScalarUpdate &U = L.Updates.front();
  const auto *V = dyn_cast_or_null<VarDecl>(U.Root);
  if (L.Updates.size() != 1 || At.Direct || At.Tasks || !V || !V->hasGlobalStorage() ||
      V->getTSCSpec() != TSCS_unspecified || V->hasAttr<OMPThreadPrivateDeclAttr>() || !isa<DeclRefExpr>(U.Target))
    return false;
  return llvm::none_of(Unit.Functions, [&](const FunctionDecl *F) {
    // Where only other units start a team, all of this one may run in it.
    const bool InTeam =
        !At.Region || llvm::any_of(Sites.callsOf(F), [&](const OmpSite &Call) { return Sites.runsInTeam(Call); });
    return isNamedByTeam(F->getBody(), V, InTeam, Ctx);
  });
}

static bool reduces(const LockedUpdates &L, const SectionReach &At, llvm::function_ref<bool(const Expr *)> IsVariable) {
  return llvm::all_of(L.Updates, [&](const ScalarUpdate &U) { return !U.Reduction.empty() && IsVariable(U.Target); }) &&
         isOnlyUpdated(L, At, /*Conditions=*/true);
}

bool isReducible(const LockedUpdates &L, const SectionReach &At) {
  return reduces(L, At, [](const Expr *E) { return isa<DeclRefExpr>(E) && E->getType()->isScalarType(); });
}

bool isReducibleByLocal(const LockedUpdates &L, const SectionReach &At) {
  return reduces(L, At, [](const Expr *E) {
    const auto *M = dyn_cast<MemberExpr>(E);
    return isa<DeclRefExpr>(E) || (M && isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()));
  });
}

} // namespace stridewise
