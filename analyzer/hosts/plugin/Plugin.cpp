// The clang plugin: clang -fplugin=stridewise-clang.so [-fplugin-arg-stridewise-rules=GLOBS] …; docs/compile-time.md.
// Findings appear as warnings of the compiler, after the unit was compiled; they never change the outcome.
#include "hosts/Runner.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace clang;

namespace stridewise {
namespace {

class DiagnosticSink : public Sink {
public:
  explicit DiagnosticSink(DiagnosticsEngine &Diags)
      : Diags(Diags), Warning(Diags.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Warning, "%0 [stridewise-%1]")),
        Note(Diags.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Note, "%0")) {}

  void emit(const Resolved &R, const SourceManager &SM) override {
    // -Werror is meant for the language's own warnings; advice must not break a build.
    bool AsErrors = Diags.getWarningsAsErrors();
    Diags.setWarningsAsErrors(false);
    {
      auto D = Diags.Report(R.Loc, Warning);
      D << R.Message << R.F->Rule;
    }
    for (const Related &Other : R.F->Relateds)
      if (Other.Where.isValid())
        Diags.Report(SM.getFileLoc(Other.Where), Note) << Other.Label;
    if (!R.Advice.empty())
      Diags.Report(R.Loc, Note) << R.Advice;
    Diags.setWarningsAsErrors(AsErrors);
  }

private:
  DiagnosticsEngine &Diags;
  unsigned Warning, Note;
};

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, Options Opts) : CI(CI), Opts(std::move(Opts)) {}
  void HandleTranslationUnit(ASTContext &Ctx) override {
    DiagnosticSink Out(CI.getDiagnostics());
    Unit U(Ctx, CI.hasPreprocessor() ? &CI.getPreprocessor() : nullptr);
    U.setBuildOptions(buildOptionsOf(CI));
    Reporter R(Ctx, Opts, Out);
    runChecks(U, R);
  }

private:
  CompilerInstance &CI;
  Options Opts;
};

class Action : public PluginASTAction {
public:
  Action() { // what lint shows by default
    Opts.Least = Confidence::Medium;
    Opts.DropSuperseded = true;
  }

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    return std::make_unique<Consumer>(CI, Opts);
  }
  bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Args) override {
    for (llvm::StringRef Arg : Args) {
      auto [Name, Value] = Arg.split('=');
      if (std::string Problem = parseOption(Name, Value, Opts); !Problem.empty()) {
        DiagnosticsEngine &D = CI.getDiagnostics();
        D.Report(D.getCustomDiagID(DiagnosticsEngine::Error, "stridewise: %0")) << Problem;
        return false;
      }
    }
    return true;
  }
  ActionType getActionType() override { return AddAfterMainAction; }

private:
  Options Opts;
};

const FrontendPluginRegistry::Add<Action> Registered("stridewise", "performance advice for HPC code");

} // namespace
} // namespace stridewise
