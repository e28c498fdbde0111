#include "hosts/tool/ReadHeaders.h"
#include "hosts/tool/CompilerHeaders.h"
#include "hosts/tool/Dialect.h"
#include "hosts/tool/Inputs.h"
#include "hosts/tool/Json.h"
#include "hosts/tool/Preamble.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

class HeadersAction : public PreprocessOnlyAction {
public:
  explicit HeadersAction(PreambleNotes &Notes) : Notes(Notes) {}
  void ExecuteAction() override {
    Preprocessor &PP = getCompilerInstance().getPreprocessor();
    PP.setPredefines(PP.getPredefines() + predeclared(PP.getLangOpts(), Reading()));
    Notes.watch(PP);
    PreprocessOnlyAction::ExecuteAction();
  }

private:
  PreambleNotes &Notes;
};

class PreambleAction : public GeneratePCHAction {
public:
  explicit PreambleAction(PreambleNotes &Notes) : Notes(Notes) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef File) override {
    Preprocessor &PP = CI.getPreprocessor();
    PP.setPredefines(PP.getPredefines() + predeclared(CI.getLangOpts(), Reading()));
    Notes.watch(PP);
    return GeneratePCHAction::CreateASTConsumer(CI, File);
  }

private:
  PreambleNotes &Notes;
};

} // namespace

int readHeaders(const CommandLine &Cmd) {
  auto Files = llvm::makeIntrusiveRefCnt<RecordingFileSystem>();
  Files->ignore(Cmd.Source);
  Reading How;
  auto &Errors = *new ErrorCollector(How);
  auto &CI = *new CompilerInstance; // neither is freed: the process ends here
  CI.createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
  std::shared_ptr<CompilerInvocation> Invocation = makeInvocation(Cmd, How, CI.getDiagnosticsPtr(), Files);
  if (!Invocation)
    return 2;
  FrontendOptions &Front = Invocation->getFrontendOpts();
  Front.ProgramAction = Cmd.ListHeaders ? frontend::RunPreprocessorOnly : frontend::GeneratePCH;
  Front.OutputFile = Cmd.MakePreamble;
  Invocation->getLangOpts().PCHInstantiateTemplates = true; // once, not in each unit
  CI.setInvocation(std::move(Invocation));
  DiagnosticsEngine &Diags = CI.getDiagnostics();
  ProcessWarningOptions(Diags, CI.getDiagnosticOpts(), /*ReportDiags=*/false);
  demoteErrors(Diags);
  CI.createFileManager(withHeadersOfGcc(Cmd.CompilerArgs, CI.getHeaderSearchOpts(),
                                        createVFSFromCompilerInvocation(CI.getInvocation(), Diags, Files)));
  PreambleNotes Notes;
  PreambleAction Make(Notes);
  HeadersAction List(Notes);
  FrontendAction *A = &Make;
  if (Cmd.ListHeaders)
    A = &List;
  bool Made = CI.ExecuteAction(*A) && !Errors.any();
  json::Object Known = Notes.toJson();
  Known["inputs"] = Files->toJson();
  if (!Made) {
    llvm::errs() << "stridewise-analyze: these headers cannot be precompiled\n";
    return 2;
  }
  return writeOutput(Cmd.ListHeaders ? Cmd.Output : Cmd.MakePreamble + Preamble::Ending.str(), std::move(Known));
}

} // namespace stridewise
