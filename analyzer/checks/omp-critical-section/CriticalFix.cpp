#include "checks/omp-critical-section/CriticalFix.h"
#include "omp/DirectiveEdits.h"
#include "unit/FixSafety.h"
#include "unit/Meter.h"
#include "unit/Reporter.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

bool namedByClause(const OMPExecutableDirective &D, const ValueDecl *V) {
  return llvm::any_of(D.clauses(), [&](const OMPClause *C) {
    return llvm::any_of(C->children(), [&](const Stmt *X) { return mentions(X, V); });
  });
}

// A number of the function's own that nothing but its name leads to.
bool isHidden(const ValueDecl *Root, const UnitFunctions &Unit) {
  const auto *V = dyn_cast<VarDecl>(Root);
  if (!V || !V->hasLocalStorage())
    return false;
  QualType T = V->getType();
  return T->isArithmeticType() && !T.isVolatileQualified() && !Unit.AddressTaken.contains(V->getCanonicalDecl());
}

unsigned usesOf(const Stmt *S, const ValueDecl *V) {
  if (!S)
    return 0;
  if (const auto *D = dyn_cast<DeclRefExpr>(S))
    return D->getDecl()->getCanonicalDecl() == V->getCanonicalDecl();
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
    return usesOf(constructBody(*D), V) + namedByClause(*D, V);
  if (const auto *X = dyn_cast<LambdaExpr>(S))
    return usesOf(X->getBody(), V);
  unsigned Sum = 0;
  for (const Stmt *X : S->children())
    Sum += usesOf(X, V);
  return Sum;
}

// Whether nothing but the section has to do with its variables while the team is at work.
bool areOwned(const LockedUpdates &L, const SectionReach &At, ASTContext &Ctx) {
  UnitFunctions Unit(Ctx);
  return llvm::all_of(L.Updates, [&](const ScalarUpdate &U) {
    if ((U.K != ScalarUpdate::Operation && U.K != ScalarUpdate::Extremum) || !isHidden(U.Root, Unit) ||
        namedByClause(*At.Share, U.Root))
      return false;
    // Threads that are past the loop, or not yet there, must not look at the variable.
    return At.Region == At.Share || usesOf(constructBody(*At.Region), U.Root) == usesOf(L.Body, U.Root);
  });
}

// A condition on the running value, and code that another construct runs, know only this thread's part.
bool looksAtPart(const LockedUpdates &L, const SectionReach &At) {
  bool Within = false;
  for (const Stmt *S : L.Site->Around) {
    const auto *I = Within ? dyn_cast<IfStmt>(S) : nullptr;
    if (I && llvm::any_of(L.Updates, [&](const ScalarUpdate &U) { return mentions(I->getCond(), U.Root); }))
      return true;
    if (Within && isa<OMPExecutableDirective>(S))
      return true;
    Within |= S == At.Share;
  }
  return false;
}

std::optional<Fix> reduction(const LockedUpdates &L, const SectionReach &At, ASTContext &Ctx) {
  const auto *D = L.isLock() ? nullptr : dyn_cast<OMPExecutableDirective>(L.Site->S);
  // Of a template's instances, another one may be for a type that has no reduction.
  if (!D || !At.Direct || !At.Share || At.Tasks || L.Site->In->isTemplateInstantiation() || !isReducible(L, At))
    return std::nullopt;
  if (!areOwned(L, At, Ctx) || looksAtPart(L, At))
    return std::nullopt;
  std::optional<Edit> Clause = addClause(*At.Share, reductionClauses(L), Ctx), Gone = removeDirective(*D, Ctx);
  if (!Clause || !Gone || Clause->File != Gone->File)
    return std::nullopt;
  Fix X = safeFix("use a reduction", {std::move(*Clause), std::move(*Gone)},
                  "only this section touches the variable in the region, and integers are exact in any order");
  for (const ScalarUpdate &U : L.Updates)
    if (!U.Root->getType()->isIntegralOrEnumerationType())
      doubt(X, "a floating-point result is rounded in another order");
  doubtOtherCode(X, L.Site->In, Ctx);
  return X;
}

// Whether no other code can reach the variable under the same lock.
bool isAlone(const LockedUpdates &L, llvm::ArrayRef<LockedUpdates> All) {
  const auto *V = dyn_cast<VarDecl>(L.Updates[0].Root);
  QualType T = V ? V->getType() : QualType();
  if (!V || (!V->hasLocalStorage() && V->isExternallyVisible()) || T->isPointerType() || T->isReferenceType())
    return false;
  return llvm::none_of(All, [&](const LockedUpdates &Other) {
    Meter::count();
    return &Other != &L && Other.excludes(L);
  });
}

struct Span {
  std::size_t Begin, End;
};

// From the word `critical` to the end of its line, unless something else stands there.
std::optional<Span> directiveWords(llvm::StringRef Text, std::size_t Begin, std::size_t Body) {
  std::size_t Word = Text.find("critical", Begin);
  if (Word == llvm::StringRef::npos || Word > Body)
    return std::nullopt;
  std::size_t End = Text.slice(0, Body).rfind('\n');
  if (End == llvm::StringRef::npos || End < Word)
    return std::nullopt;
  // Name and hint go with it; what else stands on the line stays out of reach.
  llvm::StringRef Rest = Text.slice(Word, End);
  if (Rest.contains("//") || Rest.contains("/*") || Rest.contains('\n'))
    return std::nullopt;
  return Span{Word, End};
}

// An atomic construct has no block: its braces go, with the blanks inside them. False where they cannot.
bool removeBraces(Fix &X, const std::string &File, const CompoundStmt &Braces, const Stmt &From, llvm::StringRef Text,
                  const SourceManager &SM) {
  unsigned Open = SM.getFileOffset(Braces.getLBracLoc()), Close = SM.getFileOffset(Braces.getRBracLoc());
  unsigned First = SM.getFileOffset(From.getBeginLoc());
  std::size_t Semicolon = Text.find(';', SM.getFileOffset(From.getEndLoc()));
  if (Semicolon == llvm::StringRef::npos || Semicolon > Close)
    return false;
  bool Blank = Text.slice(Open + 1, First).trim().empty() && Text.slice(Semicolon + 1, Close).trim().empty();
  X.Edits.push_back({File, Open, Blank ? First : Open + 1, ""});
  X.Edits.push_back({File, Blank ? unsigned(Semicolon + 1) : Close, Close + 1, ""});
  return true;
}

std::optional<Fix> atomic(const LockedUpdates &L, llvm::ArrayRef<LockedUpdates> All, const ASTContext &Ctx) {
  const auto *D = dyn_cast<OMPCriticalDirective>(L.Site->S);
  if (!D || L.Updates.size() != 1 || !L.Updates[0].Atomic || D->getBeginLoc().isMacroID() || !isAlone(L, All))
    return std::nullopt;
  const SourceManager &SM = Ctx.getSourceManager();
  auto [File, Begin] = SM.getDecomposedLoc(D->getBeginLoc());
  const Stmt *From = L.Updates[0].From;
  for (SourceLocation X : {L.Body->getBeginLoc(), L.Body->getEndLoc(), From->getBeginLoc(), From->getEndLoc()})
    if (X.isMacroID() || SM.getFileID(X) != File)
      return std::nullopt;
  llvm::StringRef Text = SM.getBufferData(File);
  std::optional<Span> Words = directiveWords(Text, Begin, SM.getFileOffset(L.Body->getBeginLoc()));
  if (!Words)
    return std::nullopt;
  std::string Name = placeOf(Ctx, SourceRange(D->getBeginLoc())).File;
  Fix X = safeFix("use an atomic update", {{Name, unsigned(Words->Begin), unsigned(Words->End), "atomic"}},
                  "no other section excludes this one, and the update touches nothing else");
  doubtOtherCode(X, L.Site->In, Ctx);
  if (const auto *Braces = dyn_cast<CompoundStmt>(L.Body); Braces && !removeBraces(X, Name, *Braces, *From, Text, SM))
    return std::nullopt;
  return X;
}

} // namespace

std::string reductionClauses(const LockedUpdates &L) {
  std::map<std::string, std::string> Clauses;
  for (const ScalarUpdate &U : L.Updates) {
    std::string &List = Clauses[U.Reduction];
    List += (List.empty() ? "" : ", ") + U.Root->getNameAsString();
  }
  std::string Text;
  for (const auto &[Operator, List] : Clauses)
    Text += (Text.empty() ? "" : " ") + ("reduction(" + Operator + ":" + List + ")");
  return Text;
}

std::optional<Fix> withoutLock(const LockedUpdates &L, const SectionReach &At, llvm::ArrayRef<LockedUpdates> All,
                               ASTContext &Ctx) {
  std::optional<Fix> X = reduction(L, At, Ctx);
  return X ? X : atomic(L, All, Ctx);
}

} // namespace stridewise
