// stridewise-analyze: one translation unit a process, so that a crash or a hang is one unit's error; and the link phase
// over the results of all units. The command line tool `stridewise lint` drives it; its output is described in
// docs/architecture.md.
#include "fortran/CommonBlocks.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranCode.h"
#include "fortran/FortranLoops.h"
#include "fortran/TypeBound.h"
#include "hosts/Runner.h"
#include "hosts/tool/BrokenFunctions.h"
#include "hosts/tool/CommandLine.h"
#include "hosts/tool/CompilerHeaders.h"
#include "hosts/tool/Dialect.h"
#include "hosts/tool/Dump.h"
#include "hosts/tool/FortranOptions.h"
#include "hosts/tool/HeaderCost.h"
#include "hosts/tool/Inputs.h"
#include "hosts/tool/Json.h"
#include "hosts/tool/Preamble.h"
#include "hosts/tool/Process.h"
#include "hosts/tool/Reach.h"
#include "hosts/tool/ReadHeaders.h"
#include "mpi/RankFacts.h"
#include "unit/Check.h"
#include "unit/CodeUse.h"
#include "unit/Instantiations.h"
#include "unit/Ir.h"
#include "unit/Meter.h"
#include "unit/OwnDecls.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>

using namespace clang;
using namespace stridewise;
namespace json = llvm::json;

namespace {

constexpr unsigned MaxReadings = 5; // of a unit, each without errors of the one before

json::Object problem(llvm::StringRef Rule, llvm::StringRef Why) {
  return json::Object{{"rule", Rule.str()}, {"message", Why.str()}};
}

// What each account took, of those that took anything.
void addCosts(json::Object &Stats, const Meter &Costs) {
  auto Add = [&](llvm::StringRef Kind, const std::map<std::string, Meter::Account> &Accounts) {
    json::Object Seconds, Steps;
    for (const auto &[Name, A] : Accounts) {
      Seconds[Name] = A.Seconds;
      Steps[Name] = static_cast<std::int64_t>(A.Steps);
    }
    Stats[(Kind + "_seconds").str()] = std::move(Seconds);
    Stats[(Kind + "_steps").str()] = std::move(Steps);
  };
  Add("rule", Costs.rules());
  Add("engine", Costs.engines());
}

class JsonSink : public Sink {
public:
  JsonSink(json::Array &Out, json::Array &Problems, ASTContext &Ctx) : Out(Out), Problems(Problems), Templates(Ctx) {}
  void emit(const Resolved &R, const SourceManager &SM) override {
    json::Object O = findingToJson(R, SM);
    if (std::vector<std::string> Names = Templates.at(R.Loc); !Names.empty())
      O["instantiations"] = json::Array(Names);
    Out.push_back(std::move(O));
  }
  void gaveUp(llvm::StringRef Rule, llvm::StringRef Why) override { Problems.push_back(problem(Rule, Why)); }

private:
  json::Array &Out, &Problems;
  Instantiations Templates;
};

struct UnitResult {
  json::Array Findings;
  json::Array Suppressions, Problems;
  json::Array Unread; // functions that no check saw
  json::Object Summaries, Stats;
  std::vector<std::string> Wrappers, Foreign, Ranks, Asked;
  std::string Dump;                // what the engine knows that was asked for
  std::vector<std::string> NotRun; // rules that lacked the unit's code
  bool Analysed = false;
  bool LacksBindings = false; // of MPI for C++, perhaps: it has errors without them
};

// Runs the checks, once it is known whether there is code to run them on.
void examine(Unit &U, const CommandLine &Cmd, JsonSink &Out, Meter &Costs, UnitResult &Result) {
  const Options &Opts = Cmd.Opts;
  for (const std::string &Slug : Opts.Without)
    Out.gaveUp(Slug, outOfTime(Opts));
  Reporter R(U.ast(), Opts, Out);
  lackedCode(); // by a check only
  Costs.limitProcessorTime(Opts.RuleSeconds);
  Result.NotRun = runChecks(U, R, &Result.Summaries, &Costs);
  if (json::Value Reach = reachFacts(U); Reach.kind() != json::Value::Null)
    Result.Summaries[ReachFacts] = std::move(Reach);
  Result.Wrappers = U.ownWrappers();
  Result.Foreign = U.foreignFunctions();
  if (U.mpiCalls()) {
    const RankFacts &Ranks = ranksOf(U);
    Result.Ranks = Ranks.toTell();
    Result.Asked = Ranks.asked();
  }
  Result.Suppressions = toJson(ownSuppressions(U.sources()));
  unsigned Functions = 0, Loops = 0;
  llvm::Module *M = U.ir();
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
  if (Opts.Profile)
    addCosts(Result.Stats, Costs);
  Result.Analysed = true;
}

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, const CommandLine &Cmd, const Reading &How, const ErrorCollector &Errors, bool Last,
           Preamble *Before, UnitResult &Result)
      : CI(CI), Cmd(Cmd), Opts(Cmd.Opts), How(How), Errors(Errors), Last(Last), Before(Before), Result(Result),
        Costs(Opts.Profile, Opts.RuleSteps) {
    if (CI.getLangOpts().CPlusPlus && !How.MpiBindings)
      watchMpiBindings(CI, LeftOut);
  }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    if (Before) {
      Feed.add(Group);
      for (Decl *D : Group)
        Before->sawCode(D, CI);
    }
    return true;
  }
  void HandleInterestingDecl(DeclGroupRef Group) override { Feed.add(Group); } // of the precompiled header

  void HandleTranslationUnit(ASTContext &Ctx) override {
    if (Errors.any() && !How.MpiBindings && (LeftOut || (Before && Ctx.getLangOpts().CPlusPlus))) {
      Result.LacksBindings = true;
      return;
    }
    if (Before && (Errors.any() || !Before->isSound(Ctx.getSourceManager())))
      return; // to be read without
    if (Errors.any() && !Last && Errors.next() != How)
      return; // to be read in that way
    takeWhatIsSound(Ctx);
    if (Before)
      limitToOwnDecls(Ctx, Before->ownDecls(CI));
    else
      limitToOwnDecls(Ctx);
    Costs.chargeEngine("parse");
    JsonSink Out(Result.Findings, Result.Problems, Ctx);
    auto Owned = std::make_unique<Unit>(Ctx, &CI.getPreprocessor());
    Unit &U = *Owned;
    U.setBuildOptions(buildOptionsOf(CI));
    U.setWrappers(Opts.Wrappers);
    U.setKnownRanks(Opts.Ranks);
    if (Before)
      U.setCodeFeed(&Feed);
    bool Crashed = false;
    if (!Errors.any()) {
      U.ir();
    } else {
      // What has errors elsewhere may break what code generation relies on: that costs the code, not the unit.
      llvm::CrashRecoveryContext::Enable();
      llvm::CrashRecoveryContext Guard;
      Crashed = !Guard.RunSafely([&] { U.ir(); });
      llvm::CrashRecoveryContext::Disable();
    }
    if (!Cmd.Dump.empty()) {
      llvm::raw_string_ostream OS(Result.Dump);
      dump(Cmd.Dump, U, OS);
      Result.Analysed = true;
      llvm::BuryPointer(std::move(Owned));
      return;
    }
    examine(U, Cmd, Out, Costs, Result);
    if (Crashed)
      Result.Stats["ir"] = "code generation failed";
    llvm::BuryPointer(std::move(Owned)); // goes with the process, which is quicker
  }

private:
  // The engine forgets errors that leave the tree as another compiler has it, or that cost whole functions: what is
  // left has none.
  void takeWhatIsSound(ASTContext &Ctx) {
    if (Errors.refusedMain())
      for (Decl *D : Ctx.getTranslationUnitDecl()->decls())
        if (auto *F = dyn_cast<FunctionDecl>(D); F && F->isMain())
          F->setInvalidDecl(false);
    if (!Errors.allPlaced())
      return;
    if (Errors.any())
      for (const FunctionDecl *F : removeBrokenFunctions(Ctx, Errors.places()))
        Result.Unread.push_back(
            json::Object{{"function", json::fixUTF8(Unit::functionName(F))},
                         {"line", Ctx.getSourceManager().getPresumedLoc(F->getLocation()).getLine()}});
    CI.getDiagnostics().Reset(/*soft=*/true);
  }

  CompilerInstance &CI;
  const CommandLine &Cmd;
  const Options &Opts;
  const Reading &How;
  const ErrorCollector &Errors;
  bool Last; // the unit is read in no other way
  Preamble *Before;
  bool LeftOut = false; // MPI's bindings for C++
  CodeFeed Feed;
  UnitResult &Result;
  Meter Costs; // begins just before the parser starts
};

class Action : public ASTFrontendAction {
public:
  Action(const CommandLine &Cmd, const Reading &How, const ErrorCollector &Errors, bool Last, Preamble *Before,
         UnitResult &Result)
      : Cmd(Cmd), How(How), Errors(Errors), Last(Last), Before(Before), Result(Result) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    Preprocessor &PP = CI.getPreprocessor();
    PP.setPredefines(PP.getPredefines() + predeclared(CI.getLangOpts(), How));
    if (Before)
      Before->watch(CI);
    parseLibraryTemplatesLate(CI);
    return std::make_unique<Consumer>(CI, Cmd, How, Errors, Last, Before, Result);
  }

private:
  const CommandLine &Cmd;
  const Reading &How;
  const ErrorCollector &Errors;
  bool Last;
  Preamble *Before;
  UnitResult &Result;
};

// Reads the unit in one way. `Next` is how to read it where that one failed.
std::string read(const CommandLine &Cmd, llvm::StringRef Source, const Reading &How, bool Last,
                 llvm::IntrusiveRefCntPtr<RecordingFileSystem> Files, Preamble *Before, UnitResult &Result,
                 json::Array &Diagnostics, Reading &Next) {
  // Neither is freed: the process ends with the unit.
  auto &Errors = *new ErrorCollector(How);
  auto &CI = *new CompilerInstance;
  CI.createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
  std::string Status = "failed";
  if (std::shared_ptr<CompilerInvocation> Invocation = makeInvocation(Cmd, How, CI.getDiagnosticsPtr(), Files)) {
    if (Before)
      Invocation->getPreprocessorOpts().ImplicitPCHInclude = Before->file();
    CI.setInvocation(std::move(Invocation));
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    ProcessWarningOptions(Diags, CI.getDiagnosticOpts(), /*ReportDiags=*/false);
    demoteErrors(Diags);
    Diags.setFatalsAsError(true); // a missing header hides no other error
    CI.createFileManager(withHeadersOfGcc(Cmd.CompilerArgs, CI.getHeaderSearchOpts(),
                                          createVFSFromCompilerInvocation(CI.getInvocation(), Diags, Files)));
    // Asked of the compiler's file system: an -ivfsoverlay may hold files that are not on disk.
    if (CI.getVirtualFileSystem().exists(Source)) {
      auto &A = *new Action(Cmd, How, Errors, Last, Before, Result);
      CI.ExecuteAction(A);
      Status = !Result.Analysed ? "failed" : Errors.any() ? "errors" : "ok";
    } else {
      Errors.shown().push_back(json::Object{{"message", ("file not found: " + Source).str()}});
    }
  }
  Diagnostics = std::move(Errors.shown());
  Next = Errors.next();
  if (Result.LacksBindings) {
    Next = How;
    Next.MpiBindings = true;
  }
  return Status;
}

// The unit's text alone: flang read it, and made the code that --bitcode names.
std::string readFortran(const CommandLine &Cmd, llvm::StringRef Source,
                        llvm::IntrusiveRefCntPtr<RecordingFileSystem> Files, UnitResult &Result,
                        json::Array &Diagnostics) {
  auto &CI = *new CompilerInstance; // goes with the process
  CI.createDiagnostics(new IgnoringDiagConsumer);
  CI.getTargetOpts().Triple = llvm::sys::getDefaultTargetTriple();
  const BuildOptions Asked = backEndOptions(Cmd.CompilerArgs, CI.getTargetOpts().CPU);
  TargetInfo *Target = TargetInfo::CreateTargetInfo(CI.getDiagnostics(), CI.getInvocation().TargetOpts);
  if (!Target) {
    // A processor that clang calls by another name, or does not know.
    CI.getTargetOpts().CPU = llvm::sys::getHostCPUName();
    Target = TargetInfo::CreateTargetInfo(CI.getDiagnostics(), CI.getInvocation().TargetOpts);
  }
  CI.setTarget(Target);
  // As for C: the text may be an editor's, or that of another revision.
  for (std::size_t K = 0; K + 1 < Cmd.CompilerArgs.size(); ++K)
    if (Cmd.CompilerArgs[K] == "-ivfsoverlay")
      CI.getHeaderSearchOpts().VFSOverlayFiles.push_back(Cmd.CompilerArgs[K + 1]);
  CI.createFileManager(createVFSFromCompilerInvocation(CI.getInvocation(), CI.getDiagnostics(), Files));
  CI.createSourceManager(CI.getFileManager());
  llvm::Expected<FileEntryRef> Text = CI.getFileManager().getFileRef(Source, /*OpenFile=*/true);
  if (!Text) {
    Diagnostics.push_back(json::Object{{"message", llvm::toString(Text.takeError()) + ": " + Source.str()}});
    return "failed";
  }
  SourceManager &SM = CI.getSourceManager();
  SM.setMainFileID(SM.createFileID(*Text, SourceLocation(), SrcMgr::C_User));
  constexpr int OpenMpVersion = 51; // clang's default: directives count
  CI.getLangOpts().OpenMP = llvm::is_contained(Cmd.CompilerArgs, "-fopenmp") ? OpenMpVersion : 0;
  CI.createPreprocessor(TU_Complete);
  CI.createASTContext();
  Meter Costs(Cmd.Opts.Profile, Cmd.Opts.RuleSteps);
  JsonSink Out(Result.Findings, Result.Problems, CI.getASTContext());
  auto &U = *new Unit(CI.getASTContext(), &CI.getPreprocessor());
  U.setBuildOptions(Asked);
  fortranText(U, fixedForm(Cmd.CompilerArgs));
  U.setFortranCode([&](llvm::LLVMContext &LC, std::string &Problem) -> std::unique_ptr<llvm::Module> {
    llvm::SMDiagnostic Error;
    std::unique_ptr<llvm::Module> M = llvm::parseIRFile(Cmd.Bitcode, Error, LC);
    if (!M) {
      Problem = "cannot read its code: " + Error.getMessage().str();
      return nullptr;
    }
    U.setReferences(referencesOf(*M));
    splitCommonBlocks(*M, U);
    prepareFunctions(*M);
    prepareFortran(*M, llvm::is_contained(Cmd.CompilerArgs, "-ffast-math"));
    callBoundProcedures(*M, U);
    rememberCalls(*M, U);
    return M;
  });
  U.setFortranOpenMP(Cmd.OpenMP);
  U.setWrappers(Cmd.Opts.Wrappers);
  U.setKnownRanks(Cmd.Opts.Ranks);
  if (!U.ir()) {
    Diagnostics.push_back(json::Object{{"message", U.irProblem()}});
    return "failed";
  }
  if (!Cmd.Dump.empty()) {
    llvm::raw_string_ostream OS(Result.Dump);
    dump(Cmd.Dump, U, OS);
    Result.Analysed = true;
    return "ok";
  }
  examine(U, Cmd, Out, Costs, Result);
  return "ok";
}

int analyse(const CommandLine &Cmd) {
  auto Start = std::chrono::steady_clock::now();
  json::Array Diagnostics;
  UnitResult Result;
  llvm::SmallString<256> Source(Cmd.Source);
  llvm::sys::fs::make_absolute(Source);
  llvm::sys::path::remove_dots(Source, /*remove_dot_dot=*/true);
  auto Files = llvm::makeIntrusiveRefCnt<RecordingFileSystem>();
  std::string Status;
  Reading How, Next;
  if (!Cmd.Bitcode.empty())
    Status = readFortran(Cmd, Source, Files, Result, Diagnostics);
  std::unique_ptr<Preamble> Before = Cmd.Preamble.empty() ? nullptr : Preamble::load(Cmd.Preamble);
  if (Before) {
    Files->ignore(llvm::StringRef(Cmd.Preamble).rsplit('.').first); // and the text that it was made of
    Status = read(Cmd, Source, How, /*Last=*/false, Files, Before.get(), Result, Diagnostics, Next);
  }
  std::string NotUsed = Before && !Result.Analysed ? Before->problem() : "";
  if (Before && !Result.Analysed) {
    NotUsed = NotUsed.empty() ? "the unit has errors" : NotUsed;
    How.MpiBindings = Result.LacksBindings;
    Before.reset();
  }
  for (unsigned Left = Cmd.Bitcode.empty() && !Before ? MaxReadings : 0; Left--; How = Next) {
    Result = UnitResult();
    Status = read(Cmd, Source, How, /*Last=*/!Left, Files, nullptr, Result, Diagnostics, Next);
    if (Result.Analysed || Next == How)
      break;
  }
  if (!Cmd.Dump.empty()) {
    for (const json::Value &D : Diagnostics)
      llvm::errs() << "stridewise-analyze: " << llvm::formatv("{0}", D) << '\n';
    int Written = writeOutput(Cmd.Output, [&](llvm::raw_ostream &OS) { OS << Result.Dump; });
    return Result.Analysed ? Written : 2;
  }
  if (!Cmd.Preamble.empty())
    Result.Stats["preamble"] = json::Object{{"used", Before != nullptr}, {"why_not", json::fixUTF8(NotUsed)}};
  Result.Stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  return writeOutput(Cmd.Output, json::Object{{"version", 1},
                                              {"unit", Source.str()},
                                              {"status", Status},
                                              {"diagnostics", std::move(Diagnostics)},
                                              {"unread", std::move(Result.Unread)},
                                              {"not_run", json::Array(Result.NotRun)},
                                              {"findings", std::move(Result.Findings)},
                                              {"problems", std::move(Result.Problems)},
                                              {"suppressions", std::move(Result.Suppressions)},
                                              {"summaries", std::move(Result.Summaries)},
                                              {"mpi_wrappers", json::Array(Result.Wrappers)},
                                              {"foreign", json::Array(Result.Foreign)},
                                              {"mpi_ranks", json::Array(Result.Ranks)},
                                              {"mpi_asked", json::Array(Result.Asked)},
                                              {"inputs", Files->toJson(Before ? &Before->inputs() : nullptr)},
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
    Withdrawn.push_back(note(Rule, Where, Why));
  }
  void doubtFixes(llvm::StringRef Rule, const Place &Where, llvm::StringRef Why) override {
    Doubted.push_back(note(Rule, Where, Why));
  }
  void runsOnce(const Place &Function) override { Once.push_back(toJson(Function)); }
  void sendsOnce(const Place &Call) override { SentOnce.push_back(toJson(Call)); }
  void take(JsonLinkReporter Other) {
    std::move(Other.Once.begin(), Other.Once.end(), std::back_inserter(Once));
    std::move(Other.SentOnce.begin(), Other.SentOnce.end(), std::back_inserter(SentOnce));
    std::move(Other.Findings.begin(), Other.Findings.end(), std::back_inserter(Findings));
    std::move(Other.Withdrawn.begin(), Other.Withdrawn.end(), std::back_inserter(Withdrawn));
    std::move(Other.Doubted.begin(), Other.Doubted.end(), std::back_inserter(Doubted));
  }
  json::Array Findings, Withdrawn, Doubted, Once, SentOnce;

private:
  static json::Object note(llvm::StringRef Rule, const Place &Where, llvm::StringRef Why) {
    return json::Object{{"rule", Rule.str()}, {"location", toJson(Where)}, {"why", Why.str()}};
  }
  const Options &Opts;
};

// Reads one result after another and keeps of each what the rules need; the texts are not held.
int link(const CommandLine &Cmd) {
  stored::Store Facts;
  std::map<std::string, std::vector<stored::Value>> BySlug;
  int Exit = 0;
  for (const std::string &File : Cmd.Results) {
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    std::vector<std::pair<std::string, stored::Value>> Read;
    std::string Why = Buffer
                          ? Facts.read((*Buffer)->getBuffer(), "summaries",
                                       [&](llvm::StringRef Slug, stored::Value V) { Read.emplace_back(Slug.str(), V); })
                          : Buffer.getError().message();
    if (!Why.empty()) {
      llvm::errs() << "stridewise-analyze: cannot use result '" << File << "': " << Why << '\n';
      Exit = 2;
      continue;
    }
    for (auto &[Slug, V] : Read)
      BySlug[Slug].push_back(V);
  }
  JsonLinkReporter R(Cmd.Opts);
  json::Array Problems;
  Meter Costs(Cmd.Opts.Profile, Cmd.Opts.RuleSteps);
  Costs.limitProcessorTime(Cmd.Opts.RuleSeconds);
  for (const std::string &Slug : Cmd.Opts.Without)
    Problems.push_back(problem(Slug, outOfTime(Cmd.Opts)));
  for (const CheckRegistry::Entry &E : CheckRegistry::all()) {
    auto It = BySlug.find(E.Slug);
    if (It == BySlug.end() || llvm::is_contained(Cmd.Opts.Without, E.Slug))
      continue;
    JsonLinkReporter Mine(Cmd.Opts);
    if (Costs.rule(E.Slug, [&] { E.Make()->link(It->second, Mine); }))
      R.take(std::move(Mine));
    else
      Problems.push_back(problem(E.Slug, OutOfSteps));
  }
  json::Object Stats;
  if (Cmd.Opts.Profile) {
    addCosts(Stats, Costs);
    Stats["summary_bytes"] = static_cast<std::int64_t>(Facts.bytes());
  }
  json::Array Unreached;
  llvm::StringSet<> Named;
  if (llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> Unread = llvm::MemoryBuffer::getFile(Cmd.Unread);
      !Cmd.Unread.empty() && Unread)
    for (llvm::line_iterator Word(**Unread); !Word.is_at_eof(); ++Word)
      Named.insert(*Word);
  for (const auto &[Where, Alone] : unreachedFunctions(BySlug[ReachFacts.str()], Named))
    Unreached.push_back(json::Object{{"place", toJson(Where)}, {"alone", Alone}});
  int Written = writeOutput(Cmd.Output, json::Object{{"version", 1},
                                                     {"findings", std::move(R.Findings)},
                                                     {"withdrawn", std::move(R.Withdrawn)},
                                                     {"doubted", std::move(R.Doubted)},
                                                     {"once", std::move(R.Once)},
                                                     {"sent_once", std::move(R.SentOnce)},
                                                     {"unreached", std::move(Unreached)},
                                                     {"problems", std::move(Problems)},
                                                     {"stats", std::move(Stats)}});
  return std::max(Exit, Written);
}

} // namespace

int main(int Argc, const char **Argv) {
  endWithParent();
  growHeapInLargePages();
  llvm::InitLLVM X(Argc, Argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmParser();
  CommandLine Cmd;
  if (std::optional<int> Exit = parseCommandLine(Argc, Argv, Cmd))
    return *Exit;
  bool Headers = Cmd.ListHeaders || !Cmd.MakePreamble.empty();
  int Exit = Cmd.Link ? link(Cmd) : Headers ? readHeaders(Cmd) : analyse(Cmd);
  // The output is written and closed: nothing that a destructor could add.
  llvm::errs().flush();
  llvm::sys::Process::Exit(Exit, /*NoCleanup=*/true);
}
