// R13: a critical section, or a lock, around an update that an atomic construct or a reduction does.
//
// Core/CriticalUpdate reads what the section does; here it is asked how often the team comes by: in every iteration of
// a loop, or once per thread after it, which is how a sum made by hand should end and is silent.
// Known false positives: sections that few iterations reach, behind a condition (confidence medium).
#include "core/Check.h"
#include "core/CriticalUpdate.h"
#include "core/RegionWork.h"
#include "core/Reporter.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-critical-section";

// How a team reaches the section.
struct Reach {
  const OMPExecutableDirective *Region = nullptr, *Share = nullptr; // Share distributes the innermost shared loop
  const Stmt *Loop = nullptr;                                       // innermost loop within the region
  bool Direct = true;                                               // the region is in the section's own function
  bool Guarded = false, OneThread = false, Tasks = false;
};

std::optional<Reach> reachOf(llvm::ArrayRef<const Stmt *> Around, bool Direct, const ASTContext &Ctx) {
  Reach R;
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

bool mentionedOutside(const Stmt *S, const ValueDecl *V, llvm::ArrayRef<const Stmt *> Except) {
  if (!S || llvm::is_contained(Except, S))
    return false;
  if (const auto *D = dyn_cast<DeclRefExpr>(S))
    return D->getDecl()->getCanonicalDecl() == V->getCanonicalDecl();
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
    return mentionedOutside(constructBody(*D), V, Except);
  if (const auto *L = dyn_cast<LambdaExpr>(S))
    return mentions(L, V);
  return llvm::any_of(S->children(), [&](const Stmt *X) { return mentionedOutside(X, V, Except); });
}

class CriticalSection : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    OmpSites Sites(U.ast());
    if (Sites.Constructs.empty())
      return;
    Ctx = &U.ast();
    RegionWork Work(U);
    All = lockedUpdates(Sites, *Ctx);
    for (const LockedUpdates &L : All) {
      if (L.Updates.empty())
        continue;
      std::optional<Reach> Found = reachOf(L.Site->Around, true, *Ctx);
      if (!Found && !OmpSites::region(*L.Site, *Ctx))
        for (const OmpSite &Call : Sites.callsOf(L.Site->In)) {
          std::vector<const Stmt *> Path = Call.Around;
          Path.insert(Path.end(), L.Site->Around.begin(), L.Site->Around.end());
          if (!Found)
            Found = reachOf(Path, false, *Ctx);
        }
      if (Found)
        report(L, *Found, Work, R);
    }
  }

private:
  void report(const LockedUpdates &L, const Reach &At, RegionWork &Work, Reporter &R) {
    const SourceManager &SM = Ctx->getSourceManager();
    for (const ScalarUpdate &U : L.Updates) {
      if (isPrivate(U, L, At))
        return;
      // Other code under the same lock keeps the variable consistent with something else.
      for (const LockedUpdates &Other : All)
        if (&Other != &L && Other.isLock() == L.isLock() && Other.Name == L.Name && Other.Updates.empty() &&
            mentions(Other.Body, U.Root))
          return;
    }
    std::optional<LoopWork> Inner = Work.largest(At.Loop);
    std::optional<LoopWork> Shared = At.Share ? Work.largest(*At.Share) : std::nullopt;
    double MinTrips = R.threshold(Slug, "min_iterations");
    if (!At.Share && !At.Tasks && Inner && Inner->Trips > 0 && Inner->Trips < MinTrips)
      return; // each thread hands over a few results of its own
    bool Reducible = reducible(L, At);
    bool Updates = llvm::all_of(L.Updates, [](const ScalarUpdate &U) {
      return U.K == ScalarUpdate::Operation || U.K == ScalarUpdate::Extremum;
    });
    Finding F;
    F.Rule = Slug;
    F.Conf = Confidence::High;
    if (!Updates || At.Guarded || !At.Share || (Inner && (Inner->UnknownDepth > 1 || Inner->UnknownCalls)) ||
        (!Reducible && L.Updates.size() > 1))
      F.Conf = Confidence::Medium;
    double Most = R.threshold(Slug, "max_iteration_us") * CyclesPerMicrosecond;
    if ((Shared && Shared->Trips > 0 && Shared->Trips < MinTrips) || (Inner && Inner->Cycles > Most))
      F.Conf = Confidence::Low;
    F.Range = {L.Site->S->getBeginLoc(), L.isLock() ? L.Site->S->getEndLoc() : L.Site->S->getBeginLoc()};
    F.Function = Unit::functionName(L.Site->In);
    F.Scope = At.Loop->getSourceRange();
    F.Args = {{"lock", std::string(L.isLock() ? "lock" : "critical section")},
              {"loop_line", lineOf(At.Loop->getBeginLoc(), SM)},
              {"variable", variables(L)},
              {"remedy", remedy(L, At, Reducible)}};
    F.Relateds.push_back({At.Loop->getBeginLoc(), "the loop that comes by in every iteration"});
    if (std::optional<Fix> X = atomicFix(L))
      F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }

  bool isPrivate(const ScalarUpdate &U, const LockedUpdates &L, const Reach &At) const {
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
                  Ctx->getSourceManager().isBeforeInTranslationUnit(At.Region->getBeginLoc(), Root->getBeginLoc());
    return Inside && !Root->getType()->isPointerType() && !Root->getType()->isReferenceType();
  }

  bool reducible(const LockedUpdates &L, const Reach &At) const {
    if (!At.Direct || At.Tasks)
      return false;
    std::vector<const Stmt *> Except{L.Site->S, L.Release};
    for (const Stmt *S : L.Site->Around)
      if (const auto *I = dyn_cast<IfStmt>(S))
        Except.push_back(I->getCond());
    for (const ScalarUpdate &U : L.Updates)
      if (L.isLock())
        Except.push_back(U.From);
    return llvm::all_of(L.Updates, [&](const ScalarUpdate &U) {
      return !U.Reduction.empty() && isa<DeclRefExpr>(U.Target) &&
             !mentionedOutside(constructBody(At.Share ? *At.Share : *At.Region), U.Root, Except);
    });
  }

  std::string variables(const LockedUpdates &L) const {
    std::string Text;
    for (std::size_t I = 0; I < L.Updates.size(); ++I)
      Text += (I == 0 ? "'" : I + 1 == L.Updates.size() ? "' and '" : "', '") + textOf(L.Updates[I].Target, *Ctx);
    return Text + "'";
  }

  std::string remedy(const LockedUpdates &L, const Reach &At, bool Reducible) const {
    std::string Without = L.isLock() ? "drop the lock" : "delete the critical construct";
    if (Reducible) {
      std::map<std::string, std::string> Clauses;
      for (const ScalarUpdate &U : L.Updates) {
        std::string &List = Clauses[U.Reduction];
        List += (List.empty() ? "" : ", ") + U.Root->getNameAsString();
      }
      std::string Text;
      for (const auto &[Operator, List] : Clauses)
        Text += (Text.empty() ? "" : " ") + ("reduction(" + Operator + ":" + List + ")");
      const OMPExecutableDirective &To = At.Share ? *At.Share : *At.Region;
      return "add " + Text + " to the '" + directiveName(To) + "' at line " +
             std::to_string(lineOf(To.getBeginLoc(), Ctx->getSourceManager())) + " and " + Without;
    }
    const ScalarUpdate &U = L.Updates.front();
    std::string Instead = L.isLock() ? " instead of taking the lock" : " instead of critical";
    if (L.Updates.size() > 1)
      return "put '#pragma omp atomic' before each update" + Instead;
    switch (U.K) {
    case ScalarUpdate::Store:
      return "use '#pragma omp atomic write'" + Instead;
    case ScalarUpdate::Capture:
      return "take the value with '#pragma omp atomic capture'" + Instead;
    case ScalarUpdate::Extremum:
      return "keep one extremum per thread (reduction(" + U.Reduction + ":…)) or use '#pragma omp atomic compare'" +
             Instead;
    case ScalarUpdate::Operation:
      break;
    }
    bool Element = !isa<DeclRefExpr, MemberExpr>(U.Target);
    return "use '#pragma omp atomic'" + Instead + (Element ? ", or an array reduction when the array is small" : "");
  }

  // Only for a variable that no other code can reach under the same lock.
  std::optional<Fix> atomicFix(const LockedUpdates &L) const {
    const auto *D = dyn_cast<OMPCriticalDirective>(L.Site->S);
    if (!D || L.Updates.size() != 1 || !L.Updates[0].Atomic || D->getBeginLoc().isMacroID())
      return std::nullopt;
    const auto *V = dyn_cast<VarDecl>(L.Updates[0].Root);
    QualType T = V ? V->getType() : QualType();
    if (!V || (!V->hasLocalStorage() && V->isExternallyVisible()) || T->isPointerType() || T->isReferenceType())
      return std::nullopt;
    for (const LockedUpdates &Other : All)
      if (&Other != &L && !Other.isLock() && Other.Name == L.Name)
        return std::nullopt;
    const SourceManager &SM = Ctx->getSourceManager();
    auto [File, Begin] = SM.getDecomposedLoc(D->getBeginLoc());
    const auto *Braces = dyn_cast<CompoundStmt>(L.Body);
    const Stmt *From = L.Updates[0].From;
    for (SourceLocation X : {L.Body->getBeginLoc(), L.Body->getEndLoc(), From->getBeginLoc(), From->getEndLoc()})
      if (X.isMacroID() || SM.getFileID(X) != File)
        return std::nullopt;
    llvm::StringRef Text = SM.getBufferData(File);
    std::size_t Word = Text.find("critical", Begin), Body = SM.getFileOffset(L.Body->getBeginLoc());
    if (Word == llvm::StringRef::npos || Word > Body)
      return std::nullopt;
    std::size_t End = Text.slice(0, Body).rfind('\n');
    if (End == llvm::StringRef::npos || End < Word)
      return std::nullopt;
    // Name and hint go with it; what else stands on the line stays out of reach.
    llvm::StringRef Rest = Text.slice(Word, End);
    if (Rest.contains("//") || Rest.contains("/*") || Rest.contains('\n'))
      return std::nullopt;
    std::string Name = placeOf(*Ctx, SourceRange(D->getBeginLoc())).File;
    Fix X{"use an atomic update", {{Name, unsigned(Word), unsigned(End), "atomic"}}};
    if (Braces) {
      unsigned Open = SM.getFileOffset(Braces->getLBracLoc()), Close = SM.getFileOffset(Braces->getRBracLoc());
      unsigned First = SM.getFileOffset(From->getBeginLoc());
      std::size_t Semicolon = Text.find(';', SM.getFileOffset(From->getEndLoc()));
      if (Semicolon == llvm::StringRef::npos || Semicolon > Close)
        return std::nullopt;
      bool Blank = Text.slice(Open + 1, First).trim().empty() && Text.slice(Semicolon + 1, Close).trim().empty();
      X.Edits.push_back({Name, Open, Blank ? First : Open + 1, ""});
      X.Edits.push_back({Name, Blank ? unsigned(Semicolon + 1) : Close, Close + 1, ""});
    }
    return X;
  }

  ASTContext *Ctx = nullptr;
  std::vector<LockedUpdates> All;
};

STRIDEWISE_CHECK("omp-critical-section", CriticalSection)

} // namespace
} // namespace stridewise
