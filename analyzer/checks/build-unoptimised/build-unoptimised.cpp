// R32: a program compiled without optimisation, for every processor, or with its assertions alive in hot loops.
//
// The optimisation level is a property of the program: it is said once, at `main` of the unit that has it; for a
// program whose units with main are fine, or that has none, the whole-program phase says it at the first unit concerned
// and counts the units. Units without loops never count. Assertions are said once a unit. Known false positives: a
// debug build that nobody measures (with -g: medium confidence); assertions that are wanted in production.
#include "checks/build-unoptimised/BuildFacts.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "build-unoptimised";

ArgMap levelArgs(std::string Subject, unsigned Level) {
  bool None = Level == 0;
  ArgMap Args{{"subject", std::move(Subject)},
              {"how", std::string(None ? "without optimisation" : "with -O1 or -Og only")},
              {"cost", std::string(None ? "every value of its loops goes through memory" : "no loop is vectorised")},
              {"remedy", variant(Slug, "level", {{"set", std::string("compile with")}, {"here", std::string()}})}};
  if (!None)
    Args["reason"] = std::string("vectors");
  return Args;
}

class Unoptimised : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    MinLoops = R.threshold(Slug, "min_float_loops");
    Facts = buildFacts(U);
    // Without numbers it may be a generator that some build step runs: only the whole program can tell.
    Loud = !Facts.Optimised && Facts.Main && Facts.FloatLoops > 0;
    const CodePlace *At = place();
    Silenced = At && R.silences(Slug, At->At);
    if (Loud) {
      Finding F;
      F.Rule = Slug;
      bool Debug = U.buildOptions() && U.buildOptions()->DebugInfo;
      F.Conf = Debug ? Confidence::Medium : Confidence::High;
      F.Range = {Facts.Main->At, Facts.Main->At};
      F.Function = Facts.Main->Function;
      F.Args = levelArgs("the program is", 0);
      R.report(std::move(F));
    }
    if (!U.isFortran())
      reportAssertions(U, R);
  }

  json::Value summarize(Unit &U) override {
    const CodePlace *At = place();
    if (!At || Facts.Loops == 0)
      return nullptr;
    // Without the invocation, all above -O0 counts as enough.
    unsigned Level = U.buildOptions() ? U.buildOptions()->OptimizationLevel : Facts.Optimised ? 2 : 0;
    return json::Object{{"level", Level},
                        {"debug", U.buildOptions() && U.buildOptions()->DebugInfo},
                        {"checks", U.buildOptions() ? U.buildOptions()->TestsBounds : std::string()},
                        {"processor", Facts.Processor},
                        {"for_processor", Facts.ForProcessor},
                        {"float_loops", Facts.FloatLoops},
                        {"min_float_loops", MinLoops},
                        {"main", Facts.Main.has_value()},
                        {"said", Loud},
                        {"nested", Facts.Nested},
                        {"silenced", Silenced},
                        {"function", At->Function},
                        {"place", toJson(placeOf(U.ast(), {At->At, At->At}))}};
  }

  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::vector<const stored::Object *> Units, Slow;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        Units.push_back(O);
    auto Number = [](const stored::Object *O, llvm::StringRef Name) { return O->getNumber(Name).value_or(0); };
    auto Flag = [](const stored::Object *O, llvm::StringRef Name) { return O->getBoolean(Name).value_or(false); };
    for (const stored::Object *O : Units)
      if (Number(O, "level") < 2)
        Slow.push_back(O);
    if (!Slow.empty()) {
      if (llvm::any_of(Slow, [&](const stored::Object *O) { return Flag(O, "said") || Flag(O, "silenced"); }))
        return;
      // The worst level is the one to speak of; where it has a main, that is the place.
      double Level = Number(
          *llvm::min_element(Slow, [&](auto *A, auto *B) { return Number(A, "level") < Number(B, "level"); }), "level");
      llvm::erase_if(Slow, [&](const stored::Object *O) { return Number(O, "level") != Level; });
      bool Debug = llvm::all_of(Slow, [&](const stored::Object *O) { return Flag(O, "debug"); });
      bool Computes = llvm::any_of(Slow, [&](const stored::Object *O) { return Number(O, "float_loops") > 0; }) ||
                      (Slow.size() == Units.size() &&
                       llvm::any_of(Slow, [&](const stored::Object *O) { return Flag(O, "nested"); }));
      auto At = llvm::find_if(Slow, [&](const stored::Object *O) { return Flag(O, "main"); });
      std::string Subject = Slow.size() == 1 && Units.size() == 1
                                ? std::string("the unit is")
                                : std::to_string(Slow.size()) + " of " + std::to_string(Units.size()) +
                                      " units with loops " + (Slow.size() == 1 ? "is" : "are");
      report(R, At == Slow.end() ? *Slow.front() : **At, levelArgs(Subject, static_cast<unsigned>(Level)),
             !Computes              ? Confidence::Low
             : Level == 0 && !Debug ? Confidence::High
                                    : Confidence::Medium);
      return;
    }
    reportChecks(R, Units, Number, Flag);
    reportProcessor(R, Units, Number, Flag);
  }

private:
  const CodePlace *place() const {
    return Facts.Main ? &*Facts.Main : Facts.FirstWithLoop ? &*Facts.FirstWithLoop : nullptr;
  }

  static void report(LinkReporter &R, const stored::Object &O, ArgMap Args, Confidence Conf) {
    const stored::Value *At = O.get("place");
    std::optional<Place> Where = At ? placeFromJson(*At) : std::nullopt;
    if (!Where)
      return;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Conf;
    F.Where = *Where;
    F.Function = O.getString("function").value_or("").str();
    F.ScopeBegin = Where->Line;
    F.ScopeEnd = Where->EndLine;
    F.Args = std::move(Args);
    R.report(std::move(F));
  }

  /// Bounds of arrays that are tested in what is otherwise optimised: each loop that computes may end at any access.
  template <typename NumberOf, typename FlagOf>
  static void reportChecks(LinkReporter &R, llvm::ArrayRef<const stored::Object *> Units, NumberOf Number,
                           FlagOf Flag) {
    std::vector<const stored::Object *> Tested;
    for (const stored::Object *O : Units)
      if (!O->getString("checks").value_or("").empty() && Number(O, "float_loops") > 0)
        Tested.push_back(O);
    if (Tested.empty() || llvm::any_of(Tested, [&](const stored::Object *O) { return Flag(O, "silenced"); }))
      return;
    auto At = llvm::find_if(Tested, [&](const stored::Object *O) { return Flag(O, "main"); });
    const stored::Object &O = At == Tested.end() ? *Tested.front() : **At;
    const std::string Option = O.getString("checks").value_or("").str();
    const std::string Subject = Units.size() == 1
                                    ? std::string("the unit is")
                                    : std::to_string(Tested.size()) + " of " + std::to_string(Units.size()) +
                                          " units with loops " + (Tested.size() == 1 ? "is" : "are");
    report(R, O,
           {{"subject", Subject},
            {"how", "with tests of array bounds (" + Option + ")"},
            {"cost", std::string("each access of its loops is tested, which keeps them from being vectorised")},
            {"remedy", variant(Slug, "no_checks", {{"option", Option}})},
            {"reason", std::string("checks")}},
           Confidence::Medium);
  }

  /// Alone, the missing name of the processor is a hint: many programs are built to run anywhere.
  template <typename NumberOf, typename FlagOf>
  static void reportProcessor(LinkReporter &R, llvm::ArrayRef<const stored::Object *> Units, NumberOf Number,
                              FlagOf Flag) {
    double Loops = 0;
    for (const stored::Object *O : Units) {
      if (Flag(O, "for_processor") || Flag(O, "silenced"))
        return;
      Loops += Number(O, "float_loops");
    }
    if (Units.empty() || Loops < Number(Units.front(), "min_float_loops"))
      return;
    auto At = llvm::find_if(Units, [&](const stored::Object *O) { return Flag(O, "main"); });
    const stored::Object &O = At == Units.end() ? *Units.front() : **At;
    report(R, O,
           {{"subject", std::string("the program is")},
            {"how", "for any " + O.getString("processor").value_or("generic").str() + " processor"},
            {"cost", std::string("its loops use the narrowest vector registers")},
            {"remedy", variant(Slug, "processor")},
            {"reason", std::string("processor")}},
           Confidence::Low);
  }

  static void reportAssertions(Unit &U, Reporter &R) {
    LiveAssertions All = liveAssertions(U);
    if (All.InLoops.empty())
      return;
    const LiveAssertion &First = *llvm::max_element(
        All.InLoops, [](const LiveAssertion &A, const LiveAssertion &B) { return A.Depth < B.Depth; });
    Finding F;
    F.Rule = Slug;
    F.Conf = First.Depth > 1 && !First.CallsAway ? Confidence::Medium : Confidence::Low;
    F.Range = {First.Failure->getBeginLoc(), First.Failure->getBeginLoc()};
    F.Function = Unit::functionName(First.Function);
    F.Scope = First.Loop->getSourceRange();
    std::string Remedy = variant(Slug, "no_assertions");
    if (All.Changing) {
      Place At = placeOf(U.ast(), All.Changing->getSourceRange());
      Remedy = variant(Slug, "changing_assertion", {{"line", std::int64_t(At.Line)}});
      F.Relateds.push_back({All.Changing->getBeginLoc(), "this condition is no mere test"});
    }
    F.Args = {{"subject", std::string("assertions of innermost loops are")},
              {"how", std::string("into the program")},
              {"cost", std::string("each iteration tests and may leave, which keeps the loop from being vectorised")},
              {"remedy", std::move(Remedy)},
              {"reason", std::string("assertions")}};
    R.report(std::move(F));
  }

  BuildFacts Facts;
  double MinLoops = 0;
  bool Loud = false, Silenced = false;
};

STRIDEWISE_CHECK("build-unoptimised", Unoptimised)

} // namespace
} // namespace stridewise
