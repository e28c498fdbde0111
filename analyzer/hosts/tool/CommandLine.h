// The tool's own options, and the translation of a foreign compiler's arguments into a clang invocation.
#ifndef STRIDEWISE_HOSTS_TOOL_COMMANDLINE_H
#define STRIDEWISE_HOSTS_TOOL_COMMANDLINE_H

#include "hosts/tool/Dialect.h"
#include "unit/Reporter.h"
#include "clang/Frontend/CompilerInvocation.h"

namespace stridewise {

struct CommandLine {
  bool Link = false;
  std::string Source, Output;
  std::vector<std::string> CompilerArgs;
  std::vector<std::string> Results; // with --link
  std::string Unread;               // with --link: a file of the names in units that were not, or not wholly, read
  std::string Bitcode;              // of a unit of Fortran, whose code flang made
  bool OpenMP = true;               // of a unit of Fortran: whether directives count
  std::string Preamble;             // precompiled header to use, where that changes nothing
  std::string MakePreamble;         // where to write the precompiled header that SOURCE is made to
  bool ListHeaders = false;         // only say what SOURCE includes
  std::string Dump;                 // the engine whose knowledge is wanted instead of findings
  Options Opts;
};

/// \returns an exit code when the process should end at once (help, version, misuse).
std::optional<int> parseCommandLine(int Argc, const char **Argv, CommandLine &Cmd);

/// Compiler arguments that clang can use: those it does not know, and those that ask for outputs or turn warnings into
/// errors, are left out.
std::vector<std::string> usableArguments(llvm::ArrayRef<std::string> Args);

/// Reads configuration and include folders through `Files`. Null, with the reason among the diagnostics, when the
/// arguments make no sense.
std::shared_ptr<clang::CompilerInvocation> makeInvocation(const CommandLine &Cmd, const Reading &How,
                                                          llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> Diags,
                                                          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace stridewise
#endif
