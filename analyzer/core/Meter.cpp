#include "core/Meter.h"
#include <ctime>
#include <utility>

namespace stridewise {

static double processorSeconds() {
  timespec T{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return T.tv_sec + T.tv_nsec * 1e-9;
}

Meter::Meter(bool Times, std::uint64_t Budget)
    : Before(std::exchange(Open, this)), Times(Times), Budget(Budget), Since(Times ? processorSeconds() : 0) {}

Meter::~Meter() { Open = Before; }

void Meter::change(Account *To) {
  if (Times) {
    double Now = processorSeconds();
    Mine->Seconds += Now - std::exchange(Since, Now);
  }
  Mine = To;
}

bool Meter::rule(llvm::StringRef Slug, llvm::function_ref<void()> Run) {
  RuleSteps = 0;
  change(&Rules[Slug.str()]);
  Run();
  change(&Nobody);
  return RuleSteps <= Budget;
}

Meter::Engine::Engine(llvm::StringRef Name) : On(Open) {
  if (!On)
    return;
  Outer = On->Mine;
  On->change(&On->Engines[Name.str()]);
}

Meter::Engine::~Engine() {
  if (On)
    On->change(Outer);
}

} // namespace stridewise
