// stridewise-share-cc, stridewise-share-c++: compilers that instrument a program for `stridewise run --sharing`. Clang
// compiles whatever compiler is named; its pass plugin marks the accesses, and the program is linked with the library
// that watches them. Compilers that cannot load the plugin (gfortran) compile as they always do.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char Help[] =
    "usage: stridewise-share-cc [COMPILER] ARGUMENTS\n"
    "       stridewise-share-c++ [COMPILER] ARGUMENTS\n\n"
    "Compiles and links with Clang 19 in place of COMPILER, instrumented for 'stridewise run --sharing'. MPI's "
    "compiler\n"
    "wrappers (mpicc, mpicxx) are kept and told to call Clang. Options that only gcc knows are left out.\n\n"
    "options:\n"
    "  --cflags   print what to add to compile commands of clang-19, clang++-19 and flang-new-19\n"
    "  --ldflags  print what to add to link commands\n\n"
    "environment: STRIDEWISE_SHARE_CLANG names another Clang 19, by its path without '++'.\n\n"
    "examples:\n"
    "  make CC='stridewise-share-cc gcc' CXX='stridewise-share-cc g++'\n"
    "  make CC='stridewise-share-cc mpicc'\n"
    "  CC=stridewise-share-cc CXX=stridewise-share-c++ cmake -B build-sharing\n"
    "  stridewise-share-cc -O2 -fopenmp kernel.c -o kernel && stridewise run --sharing -- ./kernel\n";

enum kind { ByClang, ByWrapper, Unchanged, ByFlang };

static char Plugin[PATH_MAX], Runtime[PATH_MAX], Folder[PATH_MAX], Clang[PATH_MAX];

static _Noreturn void fail(const char *What, const char *Which) {
  fprintf(stderr, "stridewise-share-cc: %s%s%s\n", What, *Which ? ": " : "", Which);
  exit(2);
}

static bool startsWith(const char *Text, const char *Start) { return strncmp(Text, Start, strlen(Start)) == 0; }

static bool endsWith(const char *Text, const char *End) {
  size_t N = strlen(Text), M = strlen(End);
  return N >= M && strcmp(Text + N - M, End) == 0;
}

static const char *baseName(const char *Path) {
  const char *Slash = strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

static bool join(char *Out, const char *One, const char *Two) {
  return snprintf(Out, PATH_MAX, "%s%s", One, Two) < PATH_MAX;
}

// The plugin and the library: beside this program in a build tree or an installation.
static void findParts(void) {
  static const char *const Places[] = {"/../lib", "/../lib/stridewise", "/../lib64/stridewise",
                                       "/../lib/x86_64-linux-gnu/stridewise", "/../lib/aarch64-linux-gnu/stridewise"};
  char Own[PATH_MAX], Try[PATH_MAX];
  ssize_t Length = readlink("/proc/self/exe", Own, sizeof(Own) - 1);
  if (Length <= 0)
    fail("cannot read /proc/self/exe", strerror(errno));
  Own[Length] = '\0';
  *strrchr(Own, '/') = '\0';
  for (size_t I = 0; I < sizeof(Places) / sizeof(*Places); ++I)
    if (join(Try, Own, Places[I]) && realpath(Try, Folder) && join(Plugin, Folder, "/libstridewise_sharing_pass.so") &&
        join(Runtime, Folder, "/libstridewise_sharing.so") && access(Plugin, R_OK) == 0 && access(Runtime, R_OK) == 0)
      return;
  fail("libstridewise_sharing_pass.so and libstridewise_sharing.so are not where they were built or installed", "");
}

static void findClang(bool Cxx) {
  const char *Configured = getenv("STRIDEWISE_SHARE_CLANG");
  if (Configured && *Configured) {
    if (!join(Clang, Configured, Cxx ? "++" : "") || access(Clang, X_OK) != 0)
      fail("STRIDEWISE_SHARE_CLANG names no compiler", Configured);
  } else if (!join(Clang, STRIDEWISE_LLVM_TOOLS, Cxx ? "/clang++" : "/clang") || access(Clang, X_OK) != 0) {
    strcpy(Clang, Cxx ? "clang++-19" : "clang-19");
  }
}

static bool isArgument(const char *Word) {
  static const char *const Suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".i", ".ii", ".s",
                                         ".S", ".o",  ".a",   ".so",  ".f", ".f90", ".F", ".F90"};
  if (Word[0] == '-' || Word[0] == '@')
    return true;
  for (size_t I = 0; I < sizeof(Suffixes) / sizeof(*Suffixes); ++I)
    if (endsWith(Word, Suffixes[I]))
      return true;
  return false;
}

// Caches of compilations and the like stand before the compiler; they do not know of the plugin.
static bool isLauncher(const char *Word) {
  const char *Name = baseName(Word);
  return strcmp(Name, "ccache") == 0 || strcmp(Name, "distcc") == 0 || strcmp(Name, "sccache") == 0;
}

static enum kind kindOf(const char *Compiler) {
  const char *Name = baseName(Compiler);
  if (strstr(Name, "flang"))
    return ByFlang;
  if (strstr(Name, "fortran") || startsWith(Name, "mpif") || startsWith(Name, "ftn") || startsWith(Name, "ifort") ||
      startsWith(Name, "ifx"))
    return Unchanged;
  return startsWith(Name, "mpi") ? ByWrapper : ByClang;
}

static bool isCxx(const char *Compiler) {
  const char *Name = baseName(Compiler);
  return strstr(Name, "++") || strcmp(Name, "CC") == 0 || strstr(Name, "cxx") || strstr(Name, "mpiCC") ||
         startsWith(Name, "icpc") || startsWith(Name, "icpx");
}

// What Clang refuses, or what would hide the accesses from the plugin. -Werror is meant for the project's own compiler.
static bool isLeftOut(const char *Word) {
  static const char *const Starts[] = {"-flto",
                                       "-fno-lto",
                                       "-fuse-linker-plugin",
                                       "-ffat-lto-objects",
                                       "-fopt-info",
                                       "-fdump-",
                                       "-fipa-",
                                       "-fno-ipa-",
                                       "-ftree-",
                                       "-fno-tree-",
                                       "-fgcse",
                                       "-fno-gnu-unique",
                                       "-fconserve-",
                                       "-floop-",
                                       "-fgraphite",
                                       "-fprofile-use",
                                       "-fno-var-",
                                       "-mno-fancy-",
                                       "-Werror",
                                       "-fpredictive-commoning",
                                       "-fmodulo-sched",
                                       "-frename-",
                                       "--param",
                                       "-fpass-plugin",
                                       "-fno-plt-",
                                       "-fcx-fortran-",
                                       "-ffloat-store",
                                       "-fprefetch-loop",
                                       "-fira-",
                                       "-fsched",
                                       "-fstack-check",
                                       "-fvect-cost-model"};
  for (size_t I = 0; I < sizeof(Starts) / sizeof(*Starts); ++I)
    if (startsWith(Word, Starts[I]))
      return true;
  return false;
}

static bool isCompileOnly(char *const *Words) {
  static const char *const Stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-###"};
  for (; *Words; ++Words)
    for (size_t I = 0; I < sizeof(Stops) / sizeof(*Stops); ++I)
      if (strcmp(*Words, Stops[I]) == 0)
        return true;
  return false;
}

static char *print(const char *Format, const char *One, const char *Two) {
  char *Out = NULL;
  if (asprintf(&Out, Format, One, Two) < 0)
    fail("no memory", "");
  return Out;
}

static char *linkOption(void) {
  return print("-Wl,--push-state,--no-as-needed,%s,--pop-state,-rpath,%s", Runtime, Folder);
}

static bool printsFlags(const char *Word) {
  if (strcmp(Word, "--cflags") == 0)
    printf("-g -fpass-plugin=%s\n", Plugin);
  else if (strcmp(Word, "--ldflags") == 0)
    printf("%s\n", linkOption());
  else if (strcmp(Word, "--help") == 0)
    fputs(Help, stdout);
  else
    return false;
  return true;
}

static void setWrapped(bool Cxx) {
  setenv(Cxx ? "OMPI_CXX" : "OMPI_CC", Clang, 1);
  setenv(Cxx ? "MPICH_CXX" : "MPICH_CC", Clang, 1);
  setenv(Cxx ? "I_MPI_CXX" : "I_MPI_CC", Clang, 1);
}

/* Copies the arguments that the command keeps; returns how many. */
static int copyWords(char **Command, char **Words, enum kind Kind, bool Links, bool *Debug) {
  int N = 0;
  for (; *Words; ++Words) {
    if (Kind != Unchanged && strcmp(*Words, "--param") == 0 && Words[1]) {
      ++Words;
      continue;
    }
    if (Kind != Unchanged && isLeftOut(*Words))
      continue;
    if (Links && Kind != Unchanged && (strcmp(*Words, "-static") == 0 || strcmp(*Words, "-static-pie") == 0))
      fail("the recorder is a shared library, which no static program can load; link without", *Words);
    *Debug |= startsWith(*Words, "-g") && strcmp(*Words, "-g0") != 0;
    Command[N++] = *Words;
  }
  return N;
}

int main(int Argc, char **Argv) {
  if (Argc < 2) {
    fputs(Help, stderr);
    return 2;
  }
  findParts();
  if (Argc == 2 && printsFlags(Argv[1]))
    return 0;
  char **Words = Argv + 1;
  while (*Words && isLauncher(*Words))
    ++Words;
  bool Cxx = endsWith(baseName(Argv[0]), "++");
  enum kind Kind = ByClang;
  const char *Compiler = NULL;
  if (*Words && !isArgument(*Words)) {
    Compiler = *Words++;
    Kind = kindOf(Compiler);
    Cxx |= isCxx(Compiler);
  }
  findClang(Cxx);
  bool Links = !isCompileOnly(Words), Debug = false;
  char **Command = calloc((size_t)Argc + 8, sizeof(*Command));
  if (!Command)
    fail("no memory", "");
  int N = 0;
  Command[N++] = Kind == ByClang ? Clang : (char *)Compiler;
  N += copyWords(Command + N, Words, Kind, Links, &Debug);
  if (Kind != Unchanged) {
    if (!Debug)
      Command[N++] = "-g";
    Command[N++] = print("-fpass-plugin=%s%s", Plugin, "");
  }
  if (Kind == ByClang || Kind == ByWrapper) {
    Command[N++] = "-Qunused-arguments";
    Command[N++] = "-Wno-unknown-warning-option";
    Command[N++] = "-Wno-ignored-optimization-argument";
  }
  if (Kind == ByWrapper)
    setWrapped(Cxx);
  if (Links)
    Command[N++] = linkOption();
  execvp(Command[0], Command);
  int Why = errno;
  fprintf(stderr, "stridewise-share-cc: %s: %s\n", Command[0], strerror(Why));
  return Why == ENOENT ? 127 : 126;
}
