#include "hosts/Runner.h"
#include "unit/BuildTraits.h"
#include "unit/Check.h"
#include "unit/CodeUse.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace stridewise {

const llvm::StringLiteral OutOfSteps = "it needs more steps than its budget has";

std::string outOfTime(const Options &Opts) {
  if (Opts.RuleSeconds <= 0)
    return "it ran out of processor time";
  return llvm::formatv("it needs more than {0:f0} s of processor time", Opts.RuleSeconds).str();
}

std::vector<std::string> runChecks(Unit &U, Reporter &R, llvm::json::Object *Summaries, Meter *Costs) {
  std::vector<std::string> NotRun;
  std::optional<Meter> Own;
  Meter &M = Costs ? *Costs : Own.emplace(/*Times=*/false);
  for (const CheckRegistry::Entry &E : CheckRegistry::all()) {
    if (!R.wants(E.Slug))
      continue;
    std::unique_ptr<Check> C = E.Make();
    if (U.isFortran() && !C->readsFortran())
      continue;
    llvm::json::Value Summary = nullptr;
    bool Within = M.rule(E.Slug, [&] {
      C->run(U, R);
      if (Summaries)
        Summary = C->summarize(U);
    });
    if (lackedCode())
      NotRun.push_back(E.Slug);
    if (!Within)
      R.drop(E.Slug, OutOfSteps);
    else if (Summary.kind() != llvm::json::Value::Null)
      Summaries->try_emplace(E.Slug, std::move(Summary));
  }
  R.flush();
  return NotRun;
}

std::optional<Confidence> parseConfidence(llvm::StringRef Text) {
  return llvm::StringSwitch<std::optional<Confidence>>(Text)
      .Case("low", Confidence::Low)
      .Case("medium", Confidence::Medium)
      .Case("high", Confidence::High)
      .Default(std::nullopt);
}

BuildOptions buildOptionsOf(const clang::CompilerInstance &CI) {
  const clang::CodeGenOptions &CGO = CI.getCodeGenOpts();
  return {CGO.OptimizationLevel, CGO.getDebugInfo() != llvm::codegenoptions::NoDebugInfo, {}};
}

std::string parseOption(llvm::StringRef Name, llvm::StringRef Value, Options &Opts) {
  if (Name == "rules") {
    llvm::SmallVector<llvm::StringRef> Globs;
    Value.split(Globs, Value.contains(';') ? ';' : ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef G : Globs)
      Opts.Rules.push_back(G.trim().str());
    return {};
  }
  if (Name == "header-filter") {
    std::string Problem;
    if (!llvm::Regex(Value).isValid(Problem))
      return "header-filter '" + Value.str() + "' is no regular expression: " + Problem;
    Opts.HeaderFilter = Value.str();
    return {};
  }
  if (Name == "threshold") {
    auto [Key, Text] = Value.split('=');
    auto [Slug, Threshold] = Key.split('.');
    double Number = 0;
    if (Text.empty() || Text.getAsDouble(Number))
      return "threshold '" + Value.str() + "' is not of the form rule.name=number";
    const RuleInfo *R = findRule(Slug);
    if (!R || llvm::none_of(R->Thresholds, [&](const ThresholdInfo &T) { return Threshold == T.Name; }))
      return "no rule has a threshold '" + Key.str() + "'";
    Opts.Thresholds[Key.str()] = Number;
    return {};
  }
  if (Name == "min-confidence") {
    if (std::optional<Confidence> Level = parseConfidence(Value)) {
      Opts.Least = *Level;
      return {};
    }
    return "min-confidence '" + Value.str() + "' is none of low, medium, high";
  }
  if (Name == "rule-seconds") {
    if (Value.getAsDouble(Opts.RuleSeconds) || Opts.RuleSeconds < 0)
      return "rule-seconds '" + Value.str() + "' is no number of seconds";
    return {};
  }
  if (Name == "rule-steps") {
    if (Value.getAsInteger(10, Opts.RuleSteps))
      return "rule-steps '" + Value.str() + "' is no number of steps";
    return {};
  }
  if (Name == "mpi-wrapper") {
    Opts.Wrappers.push_back(Value.str());
    return {};
  }
  if (Name == "mpi-rank") {
    Opts.Ranks.push_back(Value.str());
    return {};
  }
  if (Name == "keeps-traps") {
    setKeepsTraps(true);
    return {};
  }
  if (Name == "without") {
    llvm::SmallVector<llvm::StringRef> Slugs;
    Value.split(Slugs, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef S : Slugs)
      Opts.Without.push_back(S.trim().str());
    return {};
  }
  return "unknown option '" + Name.str() + "'";
}

} // namespace stridewise
