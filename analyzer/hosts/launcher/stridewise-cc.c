// stridewise-cc: a compiler launcher. Runs the compiler exactly as it would run without it, and after a compilation
// that succeeded has its C and C++ sources analysed; the findings appear as warnings. Whatever goes wrong with the
// analysis, the build does not notice.
//
// It is C and starts nothing else for links, preprocessing, dependency scans and configure's probes, which a build runs
// by the hundred. What is analysed, and how, is decided by `stridewise compile-warnings`
// (stridewise/lint/compile_warnings.py).
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char Help[] =
    "usage: stridewise-cc [options] COMPILER ARGUMENTS\n\n"
    "Runs the compiler, then prints what Stridewise finds in the sources as warnings. The compiler's output, files "
    "and\n"
    "exit status stay as they are.\n\n"
    "options:\n"
    "  --rules=GLOBS           only these rules, comma separated; -GLOB excludes\n"
    "  --min-confidence=LEVEL  warn from this confidence on: low, medium (default), high\n"
    "  --fail-on=LEVEL         fail the compilation from this severity on: info, warning, error\n\n"
    "environment: STRIDEWISE_CC_DISABLE=1 only compiles; STRIDEWISE_CC_TIMEOUT=SECONDS limits the analysis of a "
    "command\n"
    "(default 60); STRIDEWISE_COMMAND names the stridewise command (default: beside this program, else on PATH).\n\n"
    "examples:\n"
    "  make CC=\"stridewise-cc mpicc\" CXX=\"stridewise-cc mpicxx\"\n"
    "  cmake -DCMAKE_C_COMPILER_LAUNCHER=stridewise-cc -DCMAKE_CXX_COMPILER_LAUNCHER=stridewise-cc ..\n";

enum { ReporterFoundFailure = 1 };

static pid_t Compiler;

static void forward(int Signal) {
  if (Compiler > 0)
    kill(Compiler, Signal);
}

static bool endsWith(const char *Text, const char *End) {
  size_t N = strlen(Text), M = strlen(End);
  return N >= M && strcmp(Text + N - M, End) == 0;
}

static bool isSource(const char *Word) {
  static const char *const Suffixes[] = {".c",   ".i",   ".cc", ".cp", ".cxx",  ".cpp",
                                         ".CPP", ".c++", ".C",  ".ii", ".cppm", ".ixx"};
  if (Word[0] == '-')
    return false;
  for (size_t I = 0; I < sizeof(Suffixes) / sizeof(*Suffixes); ++I)
    if (endsWith(Word, Suffixes[I]))
      return true;
  return false;
}

// Sources that build systems make to try the compiler. Configure scripts take any output for a failure.
static bool isProbe(const char *Word) {
  const char *Slash = strrchr(Word, '/');
  const char *Name = Slash ? Slash + 1 : Word;
  return strncmp(Name, "conftest.", 9) == 0 || strncmp(Name, "conftest_", 9) == 0 ||
         strstr(Word, "CMakeFiles/CMakeTmp/") || strstr(Word, "CMakeFiles/CMakeScratch/") ||
         strstr(Word, "CompilerId") || strstr(Word, "meson-private/");
}

// Whether the command compiles something that could be analysed. A response file may name sources.
static bool compiles(char *const *Words) {
  bool Source = false;
  for (; *Words; ++Words) {
    const char *W = *Words;
    if (strcmp(W, "-E") == 0 || strcmp(W, "-M") == 0 || strcmp(W, "-MM") == 0 || strcmp(W, "-###") == 0)
      return false;
    if (isProbe(W))
      return false;
    Source |= isSource(W) || (W[0] == '@' && W[1]);
  }
  return Source;
}

static bool isSet(const char *Name) {
  const char *Value = getenv(Name);
  return Value && *Value && strcmp(Value, "0") != 0;
}

static _Noreturn void become(char *const *Words) {
  execvp(Words[0], Words);
  int Why = errno;
  fprintf(stderr, "stridewise-cc: %s: %s\n", Words[0], strerror(Why));
  _exit(Why == ENOENT ? 127 : 126);
}

static int waitFor(pid_t Child) {
  int Status;
  while (waitpid(Child, &Status, 0) < 0)
    if (errno != EINTR)
      return 127 << 8;
  return Status;
}

// The status of waitpid, for good: the same exit status, or death by the same signal.
static int endAs(int Status) {
  if (!WIFSIGNALED(Status))
    return WEXITSTATUS(Status);
  struct rlimit None = {0, 0};
  setrlimit(RLIMIT_CORE, &None); // the compiler left its core already
  signal(WTERMSIG(Status), SIG_DFL);
  raise(WTERMSIG(Status));
  return 128 + WTERMSIG(Status);
}

// As system() does: the terminal's signals reach the compiler by themselves, and its fate decides ours.
static int compile(char *const *Words) {
  struct sigaction Ignore = {.sa_handler = SIG_IGN}, Forward = {.sa_handler = forward}, Int, Quit, Term, Hup;
  sigaction(SIGINT, &Ignore, &Int);
  sigaction(SIGQUIT, &Ignore, &Quit);
  sigset_t Later, Before;
  sigemptyset(&Later);
  sigaddset(&Later, SIGTERM);
  sigaddset(&Later, SIGHUP);
  sigprocmask(SIG_BLOCK, &Later, &Before);
  Compiler = fork();
  if (Compiler == 0) {
    sigaction(SIGINT, &Int, NULL);
    sigaction(SIGQUIT, &Quit, NULL);
    sigprocmask(SIG_SETMASK, &Before, NULL);
    setenv("STRIDEWISE_CC_ACTIVE", "1", 1);
    become(Words);
  }
  if (Compiler < 0)
    become(Words);
  sigaction(SIGTERM, &Forward, &Term);
  sigaction(SIGHUP, &Forward, &Hup);
  sigprocmask(SIG_SETMASK, &Before, NULL);
  int Status = waitFor(Compiler);
  Compiler = 0;
  sigaction(SIGINT, &Int, NULL);
  sigaction(SIGQUIT, &Quit, NULL);
  sigaction(SIGTERM, &Term, NULL);
  sigaction(SIGHUP, &Hup, NULL);
  return Status;
}

static unsigned timeLimit(void) {
  const char *Text = getenv("STRIDEWISE_CC_TIMEOUT");
  long Seconds = Text ? strtol(Text, NULL, 10) : 0;
  return Seconds > 0 && Seconds < 1000000 ? (unsigned)Seconds : 60;
}

// The `stridewise` command: as configured, beside this program, or on PATH.
static const char *reporter(char *Buffer, size_t Size) {
  const char *Configured = getenv("STRIDEWISE_COMMAND");
  if (Configured && *Configured)
    return Configured;
  ssize_t Length = readlink("/proc/self/exe", Buffer, Size - sizeof("/stridewise"));
  if (Length > 0) {
    Buffer[Length] = '\0';
    char *Slash = strrchr(Buffer, '/');
    if (Slash) {
      strcpy(Slash, "/stridewise");
      if (access(Buffer, X_OK) == 0)
        return Buffer;
    }
  }
  return "stridewise";
}

// Returns whether a finding is to fail the compilation.
static bool report(char *const *Options, int OptionCount, char *const *Words, int WordCount) {
  char Buffer[PATH_MAX + 1];
  const char **Command = calloc((size_t)(OptionCount + WordCount + 4), sizeof(*Command));
  if (!Command)
    return false;
  int N = 0;
  Command[N++] = reporter(Buffer, sizeof(Buffer));
  Command[N++] = "compile-warnings";
  for (int I = 0; I < OptionCount; ++I)
    Command[N++] = Options[I];
  Command[N++] = "--";
  for (int I = 0; I < WordCount; ++I)
    Command[N++] = Words[I];
  pid_t Child = fork();
  if (Child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(timeLimit() + 10); // the reporter keeps the limit itself; this is for one that hangs
    setenv("STRIDEWISE_CC_ACTIVE", "1", 1);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(Command[0], (char *const *)Command);
    _exit(127);
  }
  int Status = Child > 0 ? waitFor(Child) : 0;
  free(Command);
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == 127)
    fprintf(stderr, "stridewise-cc: note: the command 'stridewise' was not found, so nothing was analysed\n");
  return WIFEXITED(Status) && WEXITSTATUS(Status) == ReporterFoundFailure;
}

int main(int Argc, char **Argv) {
  int First = 1;
  while (First < Argc && strncmp(Argv[First], "--", 2) == 0) {
    if (strcmp(Argv[First], "--help") == 0) {
      fputs(Help, stdout);
      return 0;
    }
    if (strcmp(Argv[First], "--version") == 0) {
      puts("stridewise-cc " STRIDEWISE_VERSION);
      return 0;
    }
    if (strcmp(Argv[First++], "--") == 0)
      break;
  }
  char **Words = Argv + First;
  if (First >= Argc) {
    fputs("stridewise-cc: no compiler given; see --help\n", stderr);
    return 2;
  }
  if (isSet("STRIDEWISE_CC_DISABLE") || isSet("STRIDEWISE_CC_ACTIVE") || !compiles(Words + 1))
    become(Words);
  int Status = compile(Words);
  if (Status != 0)
    return endAs(Status);
  int OptionCount = First - 1 - (strcmp(Argv[First - 1], "--") == 0 && First > 1);
  return report(Argv + 1, OptionCount, Words, Argc - First) ? 1 : 0;
}
