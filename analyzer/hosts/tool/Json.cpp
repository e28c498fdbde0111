#include "hosts/tool/Json.h"
#include "clang/Basic/SourceManager.h"

namespace json = llvm::json;

namespace stridewise {

static const char *name(Confidence C) {
  switch (C) {
  case Confidence::Low:
    return "low";
  case Confidence::Medium:
    return "medium";
  case Confidence::High:
    return "high";
  }
  llvm_unreachable("no such confidence");
}

// JSON is UTF-8; file contents need not be.
static json::Value text(llvm::StringRef S) { return json::isUTF8(S) ? S.str() : json::fixUTF8(S); }

static json::Object argsToJson(const ArgMap &Args) {
  json::Object O;
  for (const auto &[Name, Value] : Args)
    O[Name] = std::visit(
        [](const auto &V) -> json::Value {
          if constexpr (std::is_same_v<std::decay_t<decltype(V)>, std::string>)
            return text(V);
          else
            return V;
        },
        Value);
  return O;
}

static json::Object common(llvm::StringRef Rule, Confidence Conf, const std::string &Message, const std::string &Advice,
                           const Place &Where, llvm::StringRef Function, unsigned ScopeBegin, unsigned ScopeEnd,
                           const ArgMap &Args) {
  const RuleInfo *R = findRule(Rule);
  return json::Object{
      {"rule", Rule.str()},         {"severity", R ? R->Severity : "warning"},
      {"confidence", name(Conf)},   {"message", text(Message)},
      {"advice", text(Advice)},     {"location", toJson(Where)},
      {"function", text(Function)}, {"scope", json::Object{{"begin_line", ScopeBegin}, {"end_line", ScopeEnd}}},
      {"args", argsToJson(Args)}};
}

json::Object findingToJson(const Resolved &R, const clang::SourceManager &SM) {
  const Finding &F = *R.F;
  json::Object O = common(F.Rule, F.Conf, R.Message, R.Advice, R.Where, F.Function, R.ScopeBegin, R.ScopeEnd, F.Args);
  json::Array Relateds, Accesses, Fixes;
  for (const Related &X : F.Relateds) {
    if (X.Where.isInvalid())
      continue;
    clang::SourceLocation Loc = SM.getFileLoc(X.Where);
    llvm::SmallString<256> Path(SM.getFilename(Loc));
    SM.getFileManager().makeAbsolutePath(Path);
    Relateds.push_back(
        json::Object{{"file", text(Path)}, {"line", SM.getSpellingLineNumber(Loc)}, {"label", text(X.Label)}});
  }
  for (const Access &X : F.Accesses) {
    json::Object A{{"file", text(X.File)}, {"line", X.Line}, {"function", text(X.Function)}};
    if (X.BestLinesPerAccess >= 0)
      A["best_lines_per_access"] = X.BestLinesPerAccess;
    Accesses.push_back(std::move(A));
  }
  for (const Fix &X : F.Fixes)
    Fixes.push_back(toJson(X));
  O["related"] = std::move(Relateds);
  O["accesses"] = std::move(Accesses);
  O["fixes"] = std::move(Fixes);
  return O;
}

json::Array toJson(const std::vector<FileSuppressions> &Files) {
  static constexpr llvm::StringLiteral Kinds[] = {"line", "next line", "begin", "end"};
  json::Array Out;
  for (const FileSuppressions &F : Files)
    for (const Suppression &S : F.All) {
      json::Array Names;
      for (const std::string &N : S.Names)
        Names.push_back(text(N));
      Out.push_back(json::Object{{"file", text(F.File)},
                                 {"line", S.At},
                                 {"kind", Kinds[S.What]},
                                 {"names", std::move(Names)},
                                 {"has_reason", S.HasReason}});
    }
  return Out;
}

json::Object linkFindingToJson(const LinkFinding &F) {
  const RuleInfo *R = findRule(F.Rule);
  std::string Message = R ? fillTemplate(R->StaticMessage, F.Args) : std::string();
  std::string Advice = R ? fillTemplate(R->StaticAdvice, F.Args) : std::string();
  json::Object O = common(F.Rule, F.Conf, Message, Advice, F.Where, F.Function, F.ScopeBegin, F.ScopeEnd, F.Args);
  json::Array Relateds;
  for (const auto &[Where, Label] : F.Relateds)
    Relateds.push_back(json::Object{{"file", text(Where.File)}, {"line", Where.Line}, {"label", text(Label)}});
  O["related"] = std::move(Relateds);
  json::Array Accesses;
  for (const Place &P : F.Accesses)
    Accesses.push_back(json::Object{{"file", text(P.File)}, {"line", P.Line}, {"function", text(F.Function)}});
  O["accesses"] = std::move(Accesses);
  json::Array Fixes;
  for (const Fix &X : F.Fixes)
    Fixes.push_back(toJson(X));
  O["fixes"] = std::move(Fixes);
  return O;
}

int writeOutput(llvm::StringRef File, llvm::function_ref<void(llvm::raw_ostream &)> Write) {
  std::error_code EC;
  llvm::raw_fd_ostream OS(File.empty() ? "-" : File, EC);
  if (!EC) {
    Write(OS);
    OS.close();
    EC = OS.error();
    OS.clear_error();
  }
  if (!EC)
    return 0;
  llvm::errs() << "stridewise-analyze: cannot write '" << File << "': " << EC.message() << '\n';
  return 2;
}

int writeOutput(llvm::StringRef File, json::Object O) {
  return writeOutput(File, [&](llvm::raw_ostream &OS) { OS << json::Value(std::move(O)) << '\n'; });
}

} // namespace stridewise
