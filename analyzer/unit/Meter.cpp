#include "unit/Meter.h"
#include <cmath>
#include <csignal>
#include <ctime>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace stridewise {

double Meter::now() {
  timespec T{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return T.tv_sec + T.tv_nsec * 1e-9;
}

Meter::Meter(bool Times, std::uint64_t Budget)
    : Before(std::exchange(Open, this)), Times(Times), Budget(Budget), Since(Times ? now() : 0) {}

Meter::~Meter() { Open = Before; }

void Meter::change(Account *To) {
  if (Times) {
    double Now = now();
    Mine->Seconds += Now - std::exchange(Since, Now);
  }
  Mine = To;
}

void Meter::chargeEngine(llvm::StringRef Name) {
  change(&Nobody);
  Engines[Name.str()].Seconds += std::exchange(Nobody.Seconds, 0);
}

bool Meter::rule(llvm::StringRef Slug, llvm::function_ref<void()> Run) {
  RuleSteps = 0;
  auto It = Rules.try_emplace(Slug.str()).first;
  change(&It->second);
  if (MostSeconds > 0)
    watch(It->first);
  Run();
  if (MostSeconds > 0)
    watch("");
  change(&Nobody);
  return RuleSteps <= Budget;
}

namespace {
// What the handler says; no more than it may do.
char LastWords[256];
std::size_t LastLength = 0;

extern "C" void giveUp(int) {
  [[maybe_unused]] ssize_t Written = write(STDERR_FILENO, LastWords, LastLength);
  _exit(Meter::OutOfTime);
}
} // namespace

void Meter::watch(const std::string &Slug) const {
  itimerval Timer{};
  if (!Slug.empty()) {
    std::string Words = "stridewise-analyze: out of time in rule " + Slug + "\n";
    LastLength = Words.copy(LastWords, sizeof LastWords);
    std::signal(SIGPROF, giveUp);
    double Whole = 0, Part = std::modf(MostSeconds, &Whole);
    Timer.it_value = {static_cast<time_t>(Whole), static_cast<suseconds_t>(Part * 1e6)};
  }
  setitimer(ITIMER_PROF, &Timer, nullptr);
}

Meter::Engine::Engine(llvm::StringRef Name) : On(Open) {
  if (!On)
    return;
  Outer = On->Mine;
  On->change(&On->Engines[Name.str()]);
}

Meter::Engine::~Engine() {
  if (!On)
    return;
  On->change(Outer);
  // A rule may be the first that asks an engine whose answers others share: its budget does not pay for that.
  On->RuleSteps = Outer->Steps;
}

} // namespace stridewise
