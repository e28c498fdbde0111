#include "hosts/tool/CommandLine.h"
#include "hosts/Runner.h"
#include "hosts/tool/Dump.h"
#include "unit/Check.h"
#include "clang/Basic/Version.h"
#include "clang/Driver/Options.h"
#include "clang/Frontend/Utils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
namespace options = clang::driver::options;

namespace stridewise {

constexpr unsigned MaxErrors = 1000; // more, and the text is hardly what the compiler thinks it is

static constexpr llvm::StringLiteral Help = R"(usage: stridewise-analyze [options] SOURCE -- COMPILER ARGUMENTS
       stridewise-analyze --link [options] RESULT.json ...

Analyses one C or C++ translation unit and writes its findings as JSON, or joins such results for findings that need
the whole program. Most people want 'stridewise lint', which runs this tool for a compile database.

options:
  -o FILE                 write to FILE instead of standard output
  --rules=GLOBS           only these rules, comma separated; -GLOB excludes
  --header-filter=REGEX   report findings in headers whose path matches (default: .*)
  --threshold=R.N=VALUE   set threshold N of rule R
  --min-confidence=LEVEL  report from this confidence on: low (default), medium, high
  --profile               add the processor seconds and the steps of each rule and engine to the statistics
  --rule-steps=N          a rule that counts more steps than this in a unit says nothing of it, but that
  --rule-seconds=N        end with status 3 when one rule takes more processor time, and name the rule
  --mpi-rank=NAME=COMM    what other units know to be the rank, as "mpi_ranks" of their results
  --mpi-wrapper=NAME=CALL a function of another unit that is one MPI call, as "mpi_wrappers" of that unit's result
  --without=RULES         leave these rules out, since they ran out of time before, and say so in the result
  --keeps-traps           the build's compiler does no arithmetic that the program does not: gcc, but for some options
  --bitcode=FILE          SOURCE is Fortran, and flang made this LLVM bitcode of it
  --unread=FILE           of --link: the names, a line each, that the text of units has which could not be analysed
  --no-openmp             of Fortran: the build takes OpenMP's directives for comments
  --make-preamble=FILE    precompile SOURCE, a header, into FILE, and write what must be known of it to FILE.json
  --list-headers          preprocess SOURCE, a header, and say which headers include which
  --preamble=FILE         use such a file instead of reading its headers, where that cannot change the result
  --dump ENGINE           print what an engine knows, not findings: loops, regions, messages or touches
  --list-checks           print the rules that have a static detector
  --help, --version

example: stridewise-analyze -o out.json solver.c -- -O2 -fopenmp -Iinclude
)";

std::optional<int> parseCommandLine(int Argc, const char **Argv, CommandLine &Cmd) {
  auto Misuse = [](const llvm::Twine &Why) {
    llvm::errs() << "stridewise-analyze: " << Why << "; see --help\n";
    return 2;
  };
  std::vector<std::string> Positional;
  for (int I = 1; I < Argc; ++I) {
    llvm::StringRef A = Argv[I];
    if (A == "--") {
      Cmd.CompilerArgs.assign(Argv + I + 1, Argv + Argc);
      break;
    }
    if (A == "--help" || A == "-h") {
      llvm::outs() << Help;
      return 0;
    }
    if (A == "--version") {
      llvm::outs() << "stridewise-analyze " STRIDEWISE_VERSION "\n";
      return 0;
    }
    if (A == "--list-checks") {
      for (const CheckRegistry::Entry &E : CheckRegistry::all())
        llvm::outs() << E.Slug << '\n';
      return 0;
    }
    if (A == "--link") {
      Cmd.Link = true;
    } else if (A == "--list-headers") {
      Cmd.ListHeaders = true;
    } else if (A == "--profile") {
      Cmd.Opts.Profile = true;
    } else if (A == "-o") {
      if (++I == Argc)
        return Misuse("-o needs a file name");
      Cmd.Output = Argv[I];
    } else if (A.consume_front("--bitcode=")) {
      Cmd.Bitcode = A.str();
    } else if (A.consume_front("--unread=")) {
      Cmd.Unread = A.str();
    } else if (A == "--no-openmp") {
      Cmd.OpenMP = false;
    } else if (A.consume_front("--preamble=")) {
      Cmd.Preamble = A.str();
    } else if (A.consume_front("--make-preamble=")) {
      Cmd.MakePreamble = A.str();
    } else if (A == "--dump") {
      if (++I == Argc || !llvm::is_contained(dumpedEngines(), llvm::StringRef(Argv[I])))
        return Misuse("--dump needs one of " + llvm::join(dumpedEngines(), ", "));
      Cmd.Dump = Argv[I];
    } else if (A.starts_with("--")) {
      auto [Name, Value] = A.drop_front(2).split('=');
      if (std::string Problem = parseOption(Name, Value, Cmd.Opts); !Problem.empty())
        return Misuse(Problem);
    } else {
      Positional.push_back(A.str());
    }
  }
  if (Cmd.Link) {
    Cmd.Results = std::move(Positional);
    return std::nullopt;
  }
  if (Positional.size() != 1)
    return Misuse("exactly one source file is needed");
  Cmd.Source = Positional.front();
  return std::nullopt;
}

// Dialects that clang has under another name.
static const char *inClangsWords(const std::string &A) {
  if (A == "-fplan9-extensions")
    return "-fms-extensions";
  if (A == "-fconcepts" || A == "-fconcepts-ts")
    return "-std=gnu++20";
  return A.c_str();
}

std::vector<std::string> usableArguments(llvm::ArrayRef<std::string> Args) {
  // GCC's names that clang's option table accepts in another sense, or whose input files are absent here.
  auto Unwanted = [](const llvm::opt::Option &O, llvm::StringRef Spelling) {
    if (O.getKind() == llvm::opt::Option::UnknownClass || O.getKind() == llvm::opt::Option::InputClass)
      return true;
    for (unsigned Id : {options::OPT_o, options::OPT_c, options::OPT_S, options::OPT_E, options::OPT_emit_llvm,
                        options::OPT_fsyntax_only, options::OPT_save_temps, options::OPT_save_temps_EQ,
                        options::OPT_M_Group, options::OPT_pipe, options::OPT_L, options::OPT_l})
      if (O.matches(Id))
        return true;
    // Clang reads UTF-8 only, and takes other bytes in comments and strings as they are.
    return llvm::any_of(std::initializer_list<llvm::StringRef>{"-Werror", "-Wfatal-errors", "-pedantic-errors",
                                                               "-fprofile", "-flto", "-Wl,", "-Wa,", "-fsanitize",
                                                               "-finput-charset", "-fexec-charset",
                                                               "-fwide-exec-charset", "-traditional", "-fopenacc"},
                        [&](llvm::StringRef Start) { return Spelling.starts_with(Start); });
  };
  std::vector<const char *> Raw;
  for (const std::string &A : Args)
    Raw.push_back(inClangsWords(A));
  unsigned MissingIndex = 0, MissingCount = 0;
  llvm::opt::InputArgList List = driver::getDriverOptTable().ParseArgs(Raw, MissingIndex, MissingCount,
                                                                       llvm::opt::Visibility(options::ClangOption));
  std::vector<std::string> Out;
  for (const llvm::opt::Arg *A : List) {
    if (Unwanted(A->getOption(), A->getSpelling()))
      continue;
    llvm::opt::ArgStringList Rendered;
    A->render(List, Rendered);
    Out.insert(Out.end(), Rendered.begin(), Rendered.end());
  }
  return Out;
}

// The folder of Clang's own headers beside an analyser that was installed with them; empty if there is none.
static std::string ownHeaders() {
  static int Here;
  llvm::SmallString<256> Folder(llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, &Here)));
  llvm::sys::path::append(Folder, STRIDEWISE_HEADERS);
  llvm::sys::path::remove_dots(Folder, /*remove_dot_dot=*/true);
  return llvm::sys::fs::is_directory(Folder) ? std::string(Folder) : std::string();
}

// Else they lie beside its driver: that of the build, or one of this machine, which an analyser that was built
// elsewhere finds here.
static std::string driver() {
  llvm::SmallString<256> Real;
  if (llvm::sys::fs::can_execute(STRIDEWISE_CLANG))
    return STRIDEWISE_CLANG;
  for (const char *Name : {"clang-" CLANG_VERSION_MAJOR_STRING, "clang"})
    if (auto Path = llvm::sys::findProgramByName(Name); Path && !llvm::sys::fs::real_path(*Path, Real))
      return std::string(Real);
  return STRIDEWISE_CLANG;
}

std::shared_ptr<CompilerInvocation> makeInvocation(const CommandLine &Cmd, const Reading &How,
                                                   llvm::IntrusiveRefCntPtr<DiagnosticsEngine> Diags,
                                                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  // The name of the driver decides where clang looks for its own headers.
  std::vector<std::string> Args{driver(), "-w"};
  if (std::string Headers = ownHeaders(); !Headers.empty())
    Args.insert(Args.end(), {"-resource-dir", std::move(Headers)});
  for (std::string &A : usableArguments(Cmd.CompilerArgs))
    if (llvm::none_of(How.WithoutPrefixes,
                      [&](llvm::StringRef Start) { return llvm::StringRef(A).starts_with(Start); }))
      Args.push_back(std::move(A));
  Args.insert(Args.end(), How.Arguments.begin(), How.Arguments.end());
  Args.insert(Args.end(), {"-fsyntax-only", Cmd.Source});
  std::vector<const char *> Raw;
  for (const std::string &A : Args)
    Raw.push_back(A.c_str());
  CreateInvocationOptions Options;
  Options.Diags = std::move(Diags);
  Options.VFS = std::move(Files);
  Options.RecoverOnError = true;
  std::shared_ptr<CompilerInvocation> Invocation = createInvocation(Raw, Options);
  if (Invocation) {
    Invocation->getFrontendOpts().DisableFree = true; // the process ends with the unit
    Invocation->getDiagnosticOpts().ShowCarets = false;
    Invocation->getDiagnosticOpts().ErrorLimit = MaxErrors;
    Invocation->getFrontendOpts().ProgramAction = frontend::ParseSyntaxOnly;
  }
  return Invocation;
}

} // namespace stridewise
