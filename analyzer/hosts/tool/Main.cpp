// stridewise-analyze: one translation unit a process, so that a crash or a hang is one unit's error; and the link phase
// over the results of all units. The command line tool `stridewise lint` drives it; its output is described in
// docs/architecture.md.
#include "core/Check.h"
#include "core/Instantiations.h"
#include "hosts/Runner.h"
#include "hosts/tool/CommandLine.h"
#include "hosts/tool/Inputs.h"
#include "hosts/tool/Json.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TargetSelect.h"
#include <chrono>

using namespace clang;
using namespace stridewise;
namespace json = llvm::json;

namespace {

// Collects the compiler's errors; warnings are the compiler's own business.
class ErrorCollector : public DiagnosticConsumer {
public:
  explicit ErrorCollector(json::Array &Out) : Out(Out) {}
  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < DiagnosticsEngine::Error || Out.size() >= 20)
      return;
    llvm::SmallString<256> Text;
    Info.FormatDiagnostic(Text);
    json::Object O{{"message", json::fixUTF8(Text)}};
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      PresumedLoc P = Info.getSourceManager().getPresumedLoc(Info.getLocation());
      if (P.isValid()) {
        O["file"] = json::fixUTF8(P.getFilename());
        O["line"] = P.getLine();
        O["column"] = P.getColumn();
      }
    }
    Out.push_back(std::move(O));
  }

private:
  json::Array &Out;
};

class JsonSink : public Sink {
public:
  JsonSink(json::Array &Out, ASTContext &Ctx) : Out(Out), Templates(Ctx) {}
  void emit(const Resolved &R, const SourceManager &SM) override {
    json::Object O = findingToJson(R, SM);
    if (std::vector<std::string> Names = Templates.at(R.Loc); !Names.empty())
      O["instantiations"] = json::Array(Names);
    Out.push_back(std::move(O));
  }

private:
  json::Array &Out;
  Instantiations Templates;
};

struct UnitResult {
  json::Array Findings;
  json::Array Suppressions;
  json::Object Summaries, Stats;
  bool Analysed = false;
};

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, const Options &Opts, UnitResult &Result)
      : CI(CI), Opts(Opts), Result(Result), Created(std::chrono::steady_clock::now()) {}

  void HandleTranslationUnit(ASTContext &Ctx) override {
    JsonSink Out(Result.Findings, Ctx);
    auto Owned = std::make_unique<Unit>(Ctx, &CI.getPreprocessor());
    Unit &U = *Owned;
    U.setBuildOptions(buildOptionsOf(CI));
    Reporter R(Ctx, Opts, Out);
    std::map<std::string, double> Seconds;
    auto Start = std::chrono::steady_clock::now();
    Seconds["parse"] = std::chrono::duration<double>(Start - Created).count();
    llvm::Module *M = U.ir();
    Seconds["ir"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
    runChecks(U, R, &Result.Summaries, &Seconds);
    Result.Suppressions = toJson(ownSuppressions(Ctx.getSourceManager()));
    unsigned Functions = 0, Loops = 0;
    if (M)
      for (llvm::Function &F : *M)
        if (!F.isDeclaration()) {
          ++Functions;
          Loops += U.analyses().getResult<llvm::LoopAnalysis>(F).getLoopsInPreorder().size();
        }
    Result.Stats["functions"] = Functions;
    Result.Stats["loops"] = Loops;
    Result.Stats["mpi_calls"] = U.mpiCalls();
    Result.Stats["suppressed"] = R.suppressedCount();
    Result.Stats["ir"] = M ? std::string("ok") : U.irProblem().str();
    if (Opts.Profile) {
      json::Object PerRule;
      for (const auto &[Slug, Value] : Seconds)
        PerRule[Slug] = Value;
      Result.Stats["rule_seconds"] = std::move(PerRule);
    }
    Result.Analysed = true;
    llvm::BuryPointer(std::move(Owned)); // goes with the process, which is quicker
  }

private:
  CompilerInstance &CI;
  const Options &Opts;
  UnitResult &Result;
  std::chrono::steady_clock::time_point Created; // just before the parser starts
};

class Action : public ASTFrontendAction {
public:
  Action(const Options &Opts, UnitResult &Result) : Opts(Opts), Result(Result) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    return std::make_unique<Consumer>(CI, Opts, Result);
  }

private:
  const Options &Opts;
  UnitResult &Result;
};

int writeOutput(llvm::StringRef File, json::Object O) {
  std::error_code EC;
  llvm::raw_fd_ostream OS(File.empty() ? "-" : File, EC);
  if (!EC) {
    OS << json::Value(std::move(O)) << '\n';
    OS.close();
    EC = OS.error();
    OS.clear_error();
  }
  if (!EC)
    return 0;
  llvm::errs() << "stridewise-analyze: cannot write '" << File << "': " << EC.message() << '\n';
  return 2;
}

int analyse(const CommandLine &Cmd) {
  auto Start = std::chrono::steady_clock::now();
  json::Array Diagnostics;
  UnitResult Result;
  llvm::SmallString<256> Source(Cmd.Source);
  llvm::sys::fs::make_absolute(Source);
  llvm::sys::path::remove_dots(Source, /*remove_dot_dot=*/true);
  std::string Status = "failed";
  auto Files = llvm::makeIntrusiveRefCnt<RecordingFileSystem>();

  auto *Errors = new ErrorCollector(Diagnostics);
  CompilerInstance CI;
  CI.createDiagnostics(Errors, /*ShouldOwnClient=*/true);
  if (std::shared_ptr<CompilerInvocation> Invocation = makeInvocation(Cmd, CI.getDiagnosticsPtr(), Files)) {
    CI.setInvocation(std::move(Invocation));
    CI.createFileManager(createVFSFromCompilerInvocation(CI.getInvocation(), CI.getDiagnostics(), Files));
    // Asked of the compiler's file system: an -ivfsoverlay may hold files that are not on disk.
    if (CI.getVirtualFileSystem().exists(Source)) {
      Action A(Cmd.Opts, Result);
      CI.ExecuteAction(A);
      Status = !Result.Analysed ? "failed" : Diagnostics.empty() ? "ok" : "errors";
    } else {
      Diagnostics.push_back(json::Object{{"message", ("file not found: " + Source).str()}});
    }
  }
  Result.Stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  return writeOutput(Cmd.Output, json::Object{{"version", 1},
                                              {"unit", Source.str()},
                                              {"status", Status},
                                              {"diagnostics", std::move(Diagnostics)},
                                              {"findings", std::move(Result.Findings)},
                                              {"suppressions", std::move(Result.Suppressions)},
                                              {"summaries", std::move(Result.Summaries)},
                                              {"inputs", Files->toJson()},
                                              {"stats", std::move(Result.Stats)}});
}

class JsonLinkReporter : public LinkReporter {
public:
  JsonLinkReporter(const Options &Opts) : Opts(Opts) {}
  void report(LinkFinding F) override {
    if (matchesRules(Opts.Rules, F.Rule))
      Findings.push_back(linkFindingToJson(F));
  }
  void withdrawFixes(llvm::StringRef Rule, const Place &Where, llvm::StringRef Why) override {
    Withdrawn.push_back(json::Object{{"rule", Rule.str()}, {"location", toJson(Where)}, {"why", Why.str()}});
  }
  json::Array Findings, Withdrawn;

private:
  const Options &Opts;
};

int link(const CommandLine &Cmd) {
  std::map<std::string, std::vector<json::Value>> BySlug;
  int Exit = 0;
  for (const std::string &File : Cmd.Results) {
    auto Fail = [&](const llvm::Twine &Why) {
      llvm::errs() << "stridewise-analyze: cannot use result '" << File << "': " << Why << '\n';
      Exit = 2;
    };
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    if (!Buffer) {
      Fail(Buffer.getError().message());
      continue;
    }
    auto Parsed = json::parse((*Buffer)->getBuffer());
    if (!Parsed) {
      Fail(llvm::toString(Parsed.takeError()));
      continue;
    }
    const json::Object *Summaries = Parsed->getAsObject() ? Parsed->getAsObject()->getObject("summaries") : nullptr;
    if (!Summaries) {
      Fail("it is no unit result");
      continue;
    }
    for (const auto &[Slug, Value] : *Summaries)
      BySlug[Slug.str()].push_back(Value);
  }
  JsonLinkReporter R(Cmd.Opts);
  for (const CheckRegistry::Entry &E : CheckRegistry::all())
    if (auto It = BySlug.find(E.Slug); It != BySlug.end())
      E.Make()->link(It->second, R);
  int Written = writeOutput(
      Cmd.Output,
      json::Object{{"version", 1}, {"findings", std::move(R.Findings)}, {"withdrawn", std::move(R.Withdrawn)}});
  return std::max(Exit, Written);
}

} // namespace

int main(int Argc, const char **Argv) {
  llvm::InitLLVM X(Argc, Argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmParser();
  CommandLine Cmd;
  if (std::optional<int> Exit = parseCommandLine(Argc, Argv, Cmd))
    return *Exit;
  int Exit = Cmd.Link ? link(Cmd) : analyse(Cmd);
  // The output is written and closed: nothing that a destructor could add.
  llvm::errs().flush();
  llvm::sys::Process::Exit(Exit, /*NoCleanup=*/true);
}
