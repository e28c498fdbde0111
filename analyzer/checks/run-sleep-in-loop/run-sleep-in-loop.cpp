// R34: a sleep that stops a loop in the middle of its work.
//
// On the inlined IR: a call of sleep, usleep, nanosleep (also behind std::this_thread::sleep_for) in a loop that
// computes, communicates or writes files, and that advances by itself: its exits depend on counters or on values that
// it computes. Functions that sleep outside of any loop, and what loops call, go into the summary: the link phase joins
// them over units, through any chain of calls.
// What waits for something is silent: exits that ask a flag that the loop does not set, a volatile or atomic variable,
// MPI_Test, a probe, another process or file; a sleep after a failed attempt; loops without end; loops that do nothing
// else. But for naps of a function that asks for messages of its own until they are there, once in each step, and
// other loops that stand for their nap (PollLoops.h): medium.
// A duration that varies emulates work: silent.
// Known false positives: a rate limit of output that someone watches.
#include "checks/run-sleep-in-loop/SleepFacts.h"
#include "fortran/FortranLoops.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "run-sleep-in-loop";

class SleepInLoopCheck : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    Facts.emplace(U);
    for (const SleepInLoop &X : Facts->inLoops())
      report(X, U, R);
    // Comments are gone when units are joined.
    Summary = Facts->toJson([&](clang::SourceLocation L) { return R.silences(Slug, L); });
  }

  json::Value summarize(Unit &) override { return std::move(Summary); }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    for (const LinkedSleep &X : SleepFacts::link(Summaries)) {
      LinkFinding F;
      F.Rule = Slug;
      F.Conf = X.Conf;
      F.Where = X.Sleep.Where;
      F.Function = X.Sleep.Function;
      F.ScopeBegin = X.Sleep.ScopeBegin;
      F.ScopeEnd = X.Sleep.ScopeEnd;
      std::string In = X.LoopWhere.File == F.Where.File ? "" : (" in " + sys::path::filename(X.LoopWhere.File)).str();
      F.Args = {{"call", X.Sleep.Call}, {"loop", X.Loop + In}, {"duration", say(X.Sleep.Seconds)}};
      F.Relateds.emplace_back(X.LoopWhere, "in each iteration of this loop");
      for (const Place &P : reverse(X.Calls))
        F.Relateds.emplace_back(P, "called from here");
      R.report(std::move(F));
    }
  }

private:
  static std::string say(double Seconds) {
    if (Seconds <= 0)
      return "some time";
    std::string Text;
    raw_string_ostream OS(Text);
    if (Seconds >= 1)
      OS << format("%g s", Seconds);
    else if (Seconds >= 1e-3)
      OS << format("%g ms", Seconds * 1e3);
    else
      OS << format("%g us", Seconds * 1e6);
    return Text;
  }

  static void report(const SleepInLoop &X, Unit &U, Reporter &R) {
    Finding F;
    F.Rule = Slug;
    F.Conf = X.Conf;
    const SourceFrame &At = X.Frames[0];
    F.Range = At.range();
    F.Function = At.function();
    const clang::SourceLocation Where = U.loopLocation(X.L);
    if (const std::optional<FortranLoop> Loop = U.isFortran() ? fortranLoop(X.L, U) : std::nullopt)
      F.Scope = At.around() == X.Frames.back().around() ? rangeOf(*Loop->Statement, U) : clang::SourceRange();
    else if (const clang::Stmt *Statement = U.loopStatement(X.L);
             Statement && U.sources().isWrittenInSameFile(Statement->getBeginLoc(), F.Range.getBegin()))
      F.Scope = Statement->getSourceRange();
    if (Where.isValid())
      F.Relateds.push_back({Where, "in each iteration of this loop"});
    for (std::size_t Level = 1; Level < X.Frames.size(); ++Level)
      F.Relateds.push_back({X.Frames[Level].Where, "called from here"});
    F.Args = {{"call", SleepFacts::calledName(*X.Call, X.Frames)},
              {"loop", SleepFacts::nameOf(X.L, U)},
              {"duration", say(X.Seconds)}};
    R.report(std::move(F));
  }

  std::optional<SleepFacts> Facts;
  json::Value Summary = nullptr;
};

STRIDEWISE_CHECK("run-sleep-in-loop", SleepInLoopCheck)

} // namespace
} // namespace stridewise
