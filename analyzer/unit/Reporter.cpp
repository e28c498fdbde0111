#include "unit/Reporter.h"
#include "unit/OwnDecls.h"
#include "unit/Suppressions.h"
#include "unit/Unit.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace clang;

namespace stridewise {

bool matchesRules(llvm::ArrayRef<std::string> Globs, llvm::StringRef Slug) {
  // As in clang-tidy: later globs win, a leading '-' excludes; a list that starts with an exclusion starts from all.
  bool On = Globs.empty() || llvm::StringRef(Globs.front()).starts_with("-");
  for (llvm::StringRef G : Globs) {
    bool Exclude = G.consume_front("-");
    auto Pattern = llvm::GlobPattern::create(G);
    if (!Pattern) {
      llvm::consumeError(Pattern.takeError());
      continue;
    }
    if (Pattern->match(Slug))
      On = !Exclude;
  }
  return On;
}

struct Reporter::Comments {
  std::map<FileID, std::vector<SilentLines>> Files;
};

Reporter::Reporter(ASTContext &Ctx, const Options &Opts, Sink &Out)
    : Ctx(Ctx), Opts(Opts), Out(Out), Filter(Opts.HeaderFilter), Marks(std::make_unique<Comments>()) {}
Reporter::~Reporter() = default;

bool Reporter::wants(llvm::StringRef Slug) const {
  return matchesRules(Opts.Rules, Slug) && !llvm::is_contained(Opts.Without, Slug);
}

double Reporter::threshold(llvm::StringRef Slug, llvm::StringRef Name) const {
  if (auto It = Opts.Thresholds.find((Slug + "." + Name).str()); It != Opts.Thresholds.end())
    return It->second;
  if (const RuleInfo *R = findRule(Slug))
    for (const ThresholdInfo &T : R->Thresholds)
      if (Name == T.Name)
        return T.Value;
  llvm::report_fatal_error(llvm::Twine("rule '") + Slug + "' declares no threshold '" + Name + "'");
}

bool Reporter::isSuppressed(llvm::StringRef Slug, SourceLocation Loc) {
  const SourceManager &SM = Ctx.getSourceManager();
  auto [File, Offset] = SM.getDecomposedLoc(Loc);
  auto [It, New] = Marks->Files.try_emplace(File);
  if (New)
    It->second = silentLines(suppressionsIn(SM.getBufferData(File)));
  unsigned Line = SM.getLineNumber(File, Offset);
  std::string Name = ("stridewise-" + Slug).str();
  return llvm::any_of(It->second, [&](const SilentLines &M) {
    return Line >= M.First && Line <= M.Last && (M.Names.empty() || matchesRules(M.Names, Name));
  });
}

// --- devices ---------------------------------------------------------------------------------------------------------

// What rules of memory and of threads say holds for processors: their caches, their lines, their teams.
static bool isAboutProcessors(llvm::StringRef Slug) {
  return Slug.starts_with("mem-") || Slug.starts_with("omp-") || Slug == "build-missed-vectorization";
}

namespace {
using Stretch = std::tuple<FileID, unsigned, unsigned>; // offsets in a file

struct TargetFinder : Visitor<TargetFinder> {
  const SourceManager &SM;
  std::vector<Stretch> &Regions;
  llvm::MapVector<const FunctionDecl *, Stretch> Declared;                  // for devices, by `omp declare target`
  std::vector<std::pair<const FunctionDecl *, SourceLocation>> Calls, Uses; // uses: calls, and addresses that are taken
  llvm::MapVector<const FunctionDecl *, Stretch> Bodies;
  TargetFinder(const SourceManager &SM, std::vector<Stretch> &Out) : SM(SM), Regions(Out) {}

  std::optional<Stretch> stretch(SourceLocation First, SourceLocation Last) const {
    auto [File, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(First));
    auto [Same, End] = SM.getDecomposedLoc(SM.getExpansionLoc(Last));
    return File == Same ? std::optional(Stretch(File, Begin, End)) : std::nullopt;
  }

  bool VisitOMPExecutableDirective(OMPExecutableDirective *D) override {
    if (!isOpenMPTargetExecutionDirective(D->getDirectiveKind()) || !D->hasAssociatedStmt())
      return true;
    const Stmt *Body = D; // a directive within ends with its line, what it is about does not
    while (const auto *Each = dyn_cast<OMPExecutableDirective>(Body)) {
      if (!Each->hasAssociatedStmt())
        break;
      Body = Each->getAssociatedStmt();
      while (const auto *Captured = dyn_cast<CapturedStmt>(Body))
        Body = Captured->getCapturedStmt();
      Body = Body->IgnoreContainers();
    }
    if (std::optional<Stretch> S = stretch(D->getBeginLoc(), Body->getEndLoc()))
      Regions.push_back(*S);
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (F->hasAttr<OMPDeclareTargetDeclAttr>() && F->doesThisDeclarationHaveABody())
      if (std::optional<Stretch> S = stretch(F->getBeginLoc(), F->getEndLoc()))
        Declared[F->getCanonicalDecl()] = *S;
    if (F->doesThisDeclarationHaveABody() && !F->isMain())
      if (std::optional<Stretch> S = stretch(F->getBeginLoc(), F->getEndLoc()))
        Bodies[node(F)] = *S;
    return true;
  }

  // A template and what is made of it have one text.
  static const FunctionDecl *node(const FunctionDecl *F) {
    if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
      F = Pattern;
    return F->getCanonicalDecl();
  }

  bool VisitCallExpr(CallExpr *E) override {
    if (const FunctionDecl *F = E->getDirectCallee()) {
      Calls.emplace_back(F->getCanonicalDecl(), E->getBeginLoc());
      Uses.emplace_back(node(F), E->getBeginLoc());
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (const auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
      Uses.emplace_back(node(F), E->getBeginLoc());
    return true;
  }

  // A header's text stands where it is included.
  static bool holds(llvm::ArrayRef<Stretch> Stretches, SourceLocation Loc, const SourceManager &SM) {
    for (Loc = SM.getExpansionLoc(Loc); Loc.isValid(); Loc = SM.getIncludeLoc(SM.getFileID(Loc))) {
      auto [File, Offset] = SM.getDecomposedLoc(Loc);
      for (const auto &[In, Begin, End] : Stretches)
        if (In == File && Begin <= Offset && Offset <= End)
          return true;
    }
    return false;
  }

  // A function that is declared for devices is theirs when no code of processors calls it here.
  void addFunctions() {
    for (bool Changed = true; std::exchange(Changed, false);) {
      std::vector<Stretch> Device = Regions;
      for (const auto &[F, S] : Declared)
        Device.push_back(S);
      for (const auto &[F, Where] : Calls)
        if (Declared.count(F) && !holds(Device, Where, SM)) {
          Declared.erase(F);
          Changed = true;
        }
    }
    for (const auto &[F, S] : Declared)
      Regions.push_back(S);
    addUsed();
  }

  // A function that only code of devices uses, be it declared for them or not, is theirs, too.
  void addUsed() {
    if (Regions.empty())
      return;
    std::map<std::tuple<FileID, unsigned>, std::pair<unsigned, const FunctionDecl *>> At; // bodies by where they begin
    for (const auto &[F, S] : Bodies)
      At[{std::get<0>(S), std::get<1>(S)}] = {std::get<2>(S), F};
    // What uses it outside of regions; null for what belongs to no function.
    llvm::MapVector<const FunctionDecl *, llvm::SmallPtrSet<const FunctionDecl *, 4>> Users;
    for (const auto &[F, Where] : Uses) {
      if (!Bodies.count(F))
        continue;
      auto &Of = Users[F];
      if (holds(Regions, Where, SM))
        continue;
      auto [File, Offset] = SM.getDecomposedLoc(SM.getExpansionLoc(Where));
      auto It = At.upper_bound({File, Offset});
      const bool Within = It != At.begin() && std::get<0>((--It)->first) == File && Offset <= It->second.first;
      const FunctionDecl *By = Within ? It->second.second : nullptr;
      if (By != F)
        Of.insert(By);
    }
    llvm::SmallPtrSet<const FunctionDecl *, 16> Theirs;
    for (bool Changed = true; std::exchange(Changed, false);)
      for (const auto &[F, By] : Users)
        if (!Theirs.contains(F) && llvm::all_of(By, [&](const FunctionDecl *User) { return Theirs.contains(User); })) {
          Theirs.insert(F);
          Regions.push_back(Bodies[F]);
          Changed = true;
        }
  }
};
} // namespace

bool Reporter::runsOnDevice(SourceLocation Loc) {
  if (!Ctx.getLangOpts().OpenMP)
    return false;
  const SourceManager &SM = Ctx.getSourceManager();
  if (!Targets) {
    Targets.emplace();
    TargetFinder Search(SM, *Targets);
    if (Ctx.Idents.find("target") != Ctx.Idents.end()) // names of directives are identifiers
      for (Decl *D : ownDecls(Ctx))
        Search.TraverseDecl(D);
    Search.addFunctions();
  }
  return TargetFinder::holds(*Targets, Loc, SM);
}

bool Reporter::silences(llvm::StringRef Slug, SourceLocation Loc) {
  return Loc.isValid() && isSuppressed(Slug, Ctx.getSourceManager().getFileLoc(Loc));
}

void Reporter::report(Finding F) {
  const SourceManager &SM = Ctx.getSourceManager();
  if (F.Range.getBegin().isInvalid() || !wants(F.Rule) || F.Conf < Opts.Least)
    return;
  SourceLocation Loc = SM.getFileLoc(F.Range.getBegin());
  FileID File = SM.getFileID(Loc);
  if (!Opts.SystemHeaders && SM.isInSystemHeader(Loc))
    return;
  if (File != SM.getMainFileID() && !Filter.match(SM.getFilename(Loc)))
    return;
  auto [Slot, Offset] = SM.getDecomposedLoc(Loc);
  auto Key =
      std::tuple(SM.getFilename(Loc).str(), SM.getLineNumber(Slot, Offset), SM.getColumnNumber(Slot, Offset), F.Rule);
  if (!Seen.insert(Key).second) {
    // Of several copies of one place (instantiations, inlined calls) the surest speaks.
    auto Before = llvm::find_if(
        Pending, [&](const Finding &P) { return P.Rule == F.Rule && SM.getFileLoc(P.Range.getBegin()) == Loc; });
    if (Before != Pending.end() && Before->Conf < F.Conf)
      *Before = std::move(F);
    return;
  }
  if (isAboutProcessors(F.Rule) && runsOnDevice(F.Range.getBegin()))
    return;
  if (isSuppressed(F.Rule, Loc)) {
    ++Suppressed;
    return;
  }
  Pending.push_back(std::move(F));
}

static Place toPlace(const SourceManager &SM, const LangOptions &LO, SourceRange R) {
  SourceLocation B = SM.getFileLoc(R.getBegin());
  SourceLocation E = SM.getFileLoc(R.getEnd().isValid() ? R.getEnd() : R.getBegin());
  SourceLocation After = Lexer::getLocForEndOfToken(E, 0, SM, LO);
  if (After.isInvalid() || SM.getFileID(After) != SM.getFileID(B))
    After = B;
  Place P;
  if (auto FE = SM.getFileEntryRefForID(SM.getFileID(B))) {
    llvm::SmallString<256> Path(FE->getFileEntry().tryGetRealPathName());
    if (Path.empty())
      Path = FE->getName();
    SM.getFileManager().makeAbsolutePath(Path);
    P.File = std::string(Path);
  }
  P.Line = SM.getSpellingLineNumber(B);
  P.Column = SM.getSpellingColumnNumber(B);
  P.EndLine = SM.getSpellingLineNumber(After);
  P.EndColumn = SM.getSpellingColumnNumber(After);
  return P;
}

Place placeOf(const ASTContext &Ctx, SourceRange R) { return toPlace(Ctx.getSourceManager(), Ctx.getLangOpts(), R); }

std::vector<bool> superseded(llvm::ArrayRef<Resolved> All) {
  std::vector<bool> Dropped(All.size());
  for (const Resolved &By : All) {
    llvm::ArrayRef<const char *> Rules = findRule(By.F->Rule)->Supersedes;
    if (Rules.empty())
      continue;
    for (size_t I = 0; I < All.size(); ++I) {
      const Resolved &X = All[I];
      if (X.Where.File == By.Where.File && (By.F->Conf != Confidence::Low || X.F->Conf == Confidence::Low) &&
          (X.Where.Line == By.Where.Line || (By.ScopeBegin <= X.Where.Line && X.Where.Line <= By.ScopeEnd)) &&
          llvm::is_contained(Rules, llvm::StringRef(X.F->Rule)))
        Dropped[I] = true;
    }
  }
  return Dropped;
}

void Sink::gaveUp(llvm::StringRef Rule, llvm::StringRef Why) {
  llvm::errs() << "stridewise: " << Rule << " says nothing of this unit: " << Why << '\n';
}

void Reporter::drop(llvm::StringRef Slug, llvm::StringRef Why) {
  llvm::erase_if(Pending, [&](const Finding &F) { return F.Rule == Slug; });
  Out.gaveUp(Slug, Why);
}

void Reporter::flush() {
  const SourceManager &SM = Ctx.getSourceManager();
  std::vector<Resolved> All;
  for (const Finding &F : Pending) {
    const RuleInfo *R = findRule(F.Rule);
    if (!R)
      llvm::report_fatal_error(llvm::Twine("no rule folder for '") + F.Rule + "'");
    Resolved X;
    X.F = &F;
    X.Message = fillTemplate(R->StaticMessage, F.Args);
    X.Advice = fillTemplate(R->StaticAdvice, F.Args);
    X.Loc = SM.getFileLoc(F.Range.getBegin());
    X.Where = toPlace(SM, Ctx.getLangOpts(), F.Range);
    Place Scope = F.Scope.isValid() ? toPlace(SM, Ctx.getLangOpts(), F.Scope) : X.Where;
    X.ScopeBegin = Scope.Line;
    X.ScopeEnd = Scope.EndLine;
    All.push_back(std::move(X));
  }
  llvm::sort(All, [](const Resolved &A, const Resolved &B) {
    return std::tie(A.Where.File, A.Where.Line, A.Where.Column, A.F->Rule) <
           std::tie(B.Where.File, B.Where.Line, B.Where.Column, B.F->Rule);
  });
  std::vector<bool> Dropped = Opts.DropSuperseded ? superseded(All) : std::vector<bool>(All.size());
  for (size_t I = 0; I < All.size(); ++I)
    if (!Dropped[I])
      Out.emit(All[I], SM);
  Pending.clear();
}

} // namespace stridewise
