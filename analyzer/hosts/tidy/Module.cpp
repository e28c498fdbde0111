// The clang-tidy module: clang-tidy --load=stridewise-tidy.so --checks=-*,stridewise-*
//
// clang-tidy asks for its checks one by one; each of ours is the same adapter with another slug. Adapters of one unit
// share the Unit, so that code is generated once, and their findings: only the last one knows which of them supersede
// others, and has all of them printed.
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "hosts/Runner.h"
#include "unit/Check.h"
#include "unit/FixSafety.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"

using namespace clang;

namespace stridewise {
namespace {

class Adapter : public tidy::ClangTidyCheck, Sink {
public:
  Adapter(llvm::StringRef Name, tidy::ClangTidyContext *Context)
      : ClangTidyCheck(Name, Context), Slug(Name.drop_front(llvm::StringRef("stridewise-").size())) {
    Opts.Rules = {Slug};
    // What lint shows by default.
    llvm::StringRef Least = Options.getLocalOrGlobal("StridewiseMinConfidence", "medium");
    if (std::optional<Confidence> Level = parseConfidence(Least))
      Opts.Least = *Level;
    else
      configurationDiag("'StridewiseMinConfidence' is none of low, medium, high: '%0'") << Least;
    if (const RuleInfo *R = findRule(Slug))
      for (const ThresholdInfo &T : R->Thresholds)
        if (auto Text = Options.get(T.Name)) {
          double Value = 0;
          if (llvm::StringRef(*Text).getAsDouble(Value))
            configurationDiag("option '%0' of '%1' is no number: '%2'") << T.Name << Name << *Text;
          else
            Opts.Thresholds[Slug + "." + T.Name] = Value;
        }
  }

  void storeOptions(tidy::ClangTidyOptions::OptionMap &Map) override {
    static constexpr llvm::StringLiteral Names[] = {"low", "medium", "high"};
    Options.store(Map, "StridewiseMinConfidence", Names[static_cast<int>(Opts.Least)]);
    if (const RuleInfo *R = findRule(Slug))
      for (const ThresholdInfo &T : R->Thresholds) {
        auto It = Opts.Thresholds.find(Slug + "." + T.Name);
        std::string Text;
        llvm::raw_string_ostream(Text) << llvm::format("%.15g", It == Opts.Thresholds.end() ? T.Value : It->second);
        Options.store(Map, T.Name, Text);
      }
  }

  void registerPPCallbacks(const SourceManager &, Preprocessor *P, Preprocessor *) override { PP = P; }

  void registerMatchers(ast_matchers::MatchFinder *Finder) override {
    Finder->addMatcher(ast_matchers::translationUnitDecl().bind("unit"), this);
  }

  void check(const ast_matchers::MatchFinder::MatchResult &Result) override { Ctx = Result.Context; }

  void onEndOfTranslationUnit() override {
    if (Ctx) {
      Reporter R(*Ctx, Opts, *this);
      runChecks(sharedUnit(), R);
    }
    if (--Waiting == 0) {
      if (Ctx)
        show(Ctx->getSourceManager());
      All.clear();
      Shared.reset();
    }
    Ctx = nullptr;
  }

  void onStartOfTranslationUnit() override { ++Waiting; }

private:
  Unit &sharedUnit() {
    if (!Shared)
      Shared = std::make_unique<Unit>(*Ctx, PP);
    return *Shared;
  }

  /// A finding that waits for those of the other checks. The reporter's own does not outlive its check.
  struct Held {
    Adapter *Of;
    std::unique_ptr<Finding> F;
    Resolved R;
  };

  void emit(const Resolved &R, const SourceManager &) override {
    All.push_back({this, std::make_unique<Finding>(*R.F), R});
    All.back().R.F = All.back().F.get();
  }

  static void show(const SourceManager &SM) {
    std::vector<Resolved> Found;
    for (const Held &H : All)
      Found.push_back(H.R);
    std::vector<bool> Dropped = superseded(Found);
    for (size_t I = 0; I < All.size(); ++I)
      if (!Dropped[I])
        All[I].Of->print(All[I].R, SM);
  }

  void print(const Resolved &R, const SourceManager &SM) {
    // Texts are arguments, not formats: they may hold percent signs. Notes belong to the diagnostic before them.
    addFixes(diag(R.Loc, "%0") << R.Message, *R.F, SM);
    for (const Related &Other : R.F->Relateds)
      if (Other.Where.isValid())
        diag(SM.getFileLoc(Other.Where), "%0", DiagnosticIDs::Note) << Other.Label;
    if (!R.Advice.empty())
      diag(R.Loc, "%0", DiagnosticIDs::Note) << R.Advice;
  }

  static void addFixes(const DiagnosticBuilder &D, const Finding &F, const SourceManager &SM) {
    // What one unit cannot prove is no fix-it: `clang-tidy --fix` would make it unasked.
    for (const Fix &X : F.Fixes)
      for (const Edit &E : provenHere(X, SM) ? X.Edits : std::vector<Edit>())
        if (auto FE = SM.getFileManager().getOptionalFileRef(E.File))
          if (FileID File = SM.translateFile(*FE); File.isValid()) {
            SourceLocation Start = SM.getLocForStartOfFile(File);
            D << FixItHint::CreateReplacement(
                CharSourceRange::getCharRange(Start.getLocWithOffset(E.Begin), Start.getLocWithOffset(E.End)),
                E.Replacement);
          }
  }

  static inline std::unique_ptr<Unit> Shared;
  static inline unsigned Waiting = 0;
  static inline std::vector<Held> All;
  std::string Slug;
  stridewise::Options Opts;
  ASTContext *Ctx = nullptr;
  Preprocessor *PP = nullptr;
};

class Module : public tidy::ClangTidyModule {
public:
  void addCheckFactories(tidy::ClangTidyCheckFactories &Factories) override {
    for (const CheckRegistry::Entry &E : CheckRegistry::all())
      Factories.registerCheckFactory("stridewise-" + E.Slug, [](llvm::StringRef Name, tidy::ClangTidyContext *Context) {
        return std::make_unique<Adapter>(Name, Context);
      });
  }
};

const tidy::ClangTidyModuleRegistry::Add<Module> Registered("stridewise", "Performance advice for HPC code.");

} // namespace
} // namespace stridewise
