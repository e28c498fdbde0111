// R07: an array whose pages one thread writes first and a team uses.
//
// Core/FirstTouch follows each allocation from the functions that nobody calls: its first covering write has to be
// serial, a shared loop has to address it by its counter afterwards. Fresh pages that a team, a device, one thread of a
// team or unknown code (input, messages, page placement) may have written first are silent, and so are tables that
// every thread reads whole.
// Known false positives: arrays that the program sizes at run time, when they are small.
#include "core/Check.h"
#include "core/FirstTouch.h"
#include "core/Reporter.h"
#include "core/Unit.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-serial-first-touch";

std::string listed(const std::vector<std::string> &Names) {
  std::string Text;
  for (std::size_t I = 0; I < Names.size(); ++I)
    Text += (I == 0 ? "'" : I + 1 == Names.size() ? " and '" : ", '") + Names[I] + "'";
  return Text;
}

ArgMap argsOf(const SerialTouch &T) {
  const Place &Use = T.Use->Where;
  std::string Where = "line " + std::to_string(Use.Line);
  if (Use.File != T.Fill->Where.File)
    Where = llvm::sys::path::filename(Use.File).str() + ":" + std::to_string(Use.Line);
  ArgMap Args{{"array", listed(T.Names)}, {"use", Where}, {"use_line", static_cast<std::int64_t>(Use.Line)}};
  Args["remedy"] = T.Fill->Implicit
                       ? "allocate " + listed(T.Names) +
                             " without writing the elements (an allocator that leaves them " +
                             "uninitialised, std::make_unique_for_overwrite) and initialise them in a parallel loop"
                       : "initialise " + listed(T.Names) + " in a parallel loop";
  if (T.Allocation->Bytes >= 0)
    Args["bytes"] = T.Allocation->Bytes;
  return Args;
}

Confidence confidenceOf(const SerialTouch &T) { return T.KnownSize && T.Sure ? Confidence::High : Confidence::Medium; }

class SerialFirstTouch : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    Facts = collectTouches(U.ast(), [&](SourceLocation L) { return R.silences(Slug, L); });
    Facts.MinBytes = R.threshold(Slug, "min_bytes");
    for (const SerialTouch &T : serialTouches({&Facts})) {
      Finding F;
      F.Rule = Slug;
      F.Conf = confidenceOf(T);
      F.Range = T.Fill->Range;
      F.Function = T.In->Name;
      F.Scope = T.Fill->Scope;
      F.Args = argsOf(T);
      if (T.Allocation->Where.Line != T.Fill->Where.Line || T.Allocation->Where.File != T.Fill->Where.File)
        F.Relateds.push_back({T.Allocation->Range.getBegin(), "allocated here"});
      F.Relateds.push_back({T.Use->Range.getBegin(), "shared among the team here"});
      R.report(std::move(F));
    }
  }

  json::Value summarize(Unit &) override {
    if (Facts.Functions.empty())
      return nullptr;
    return toJson(Facts);
  }

  void link(llvm::ArrayRef<json::Value> Summaries, LinkReporter &R) override {
    std::vector<TouchFacts> Units;
    for (const json::Value &V : Summaries)
      Units.push_back(touchFactsFromJson(V));
    // What a unit shows by itself is said already.
    std::set<std::pair<std::string, std::pair<unsigned, unsigned>>> Said;
    auto Key = [](const SerialTouch &T) {
      return std::pair(T.Fill->Where.File, std::pair(T.Fill->Where.Line, T.Fill->Where.Column));
    };
    std::vector<const TouchFacts *> Program;
    for (const TouchFacts &F : Units) {
      for (const SerialTouch &T : serialTouches({&F}))
        Said.insert(Key(T));
      Program.push_back(&F);
    }
    for (const SerialTouch &T : serialTouches(Program)) {
      if (!Said.insert(Key(T)).second || T.Fill->Suppressed)
        continue;
      LinkFinding F;
      F.Rule = Slug;
      F.Conf = confidenceOf(T);
      F.Where = T.Fill->Where;
      F.Function = T.In->Name;
      F.ScopeBegin = T.Fill->Where.Line;
      F.ScopeEnd = T.Fill->Where.EndLine;
      F.Args = argsOf(T);
      if (T.Allocation->Where.Line != T.Fill->Where.Line || T.Allocation->Where.File != T.Fill->Where.File)
        F.Relateds.emplace_back(T.Allocation->Where, "allocated here");
      F.Relateds.emplace_back(T.Use->Where, "shared among the team here");
      R.report(std::move(F));
    }
  }

private:
  TouchFacts Facts;
};

STRIDEWISE_CHECK("omp-serial-first-touch", SerialFirstTouch)

} // namespace
} // namespace stridewise
