#include "hosts/Runner.h"
#include "core/Check.h"
#include "core/CodeUse.h"
#include "llvm/ADT/StringSwitch.h"
#include <chrono>

namespace stridewise {

std::vector<std::string> runChecks(Unit &U, Reporter &R, llvm::json::Object *Summaries,
                                   std::map<std::string, double> *Seconds) {
  std::vector<std::string> NotRun;
  for (const CheckRegistry::Entry &E : CheckRegistry::all()) {
    if (!R.wants(E.Slug))
      continue;
    auto Start = std::chrono::steady_clock::now();
    std::unique_ptr<Check> C = E.Make();
    C->run(U, R);
    if (Summaries)
      if (llvm::json::Value V = C->summarize(U); V.kind() != llvm::json::Value::Null)
        Summaries->try_emplace(E.Slug, std::move(V));
    if (lackedCode())
      NotRun.push_back(E.Slug);
    if (Seconds)
      (*Seconds)[E.Slug] = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
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
  return {CGO.OptimizationLevel, CGO.getDebugInfo() != llvm::codegenoptions::NoDebugInfo};
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
  return "unknown option '" + Name.str() + "'";
}

} // namespace stridewise
