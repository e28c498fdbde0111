#include "touch/TouchCheck.h"
#include "touch/FortranTouches.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;
namespace json = llvm::json;

namespace stridewise {

// The rules whose fills are not implicit, and are.
static constexpr llvm::StringLiteral Slugs[] = {"omp-serial-first-touch", "omp-calloc-first-touch"};

static constexpr llvm::StringLiteral FilledAgain = "one thread fills it here, too: the loop to be made parallel";

static std::string listed(std::vector<std::string> Names) {
  llvm::erase_if(Names, [](const std::string &N) { return N.empty(); });
  if (Names.empty())
    return "the array";
  std::string Text;
  for (std::size_t I = 0; I < Names.size(); ++I)
    Text += (I == 0 ? "'" : I + 1 == Names.size() ? " and '" : ", '") + Names[I] + "'";
  return Text;
}

ArgMap TouchCheck::argsOf(const SerialTouch &T) const {
  const Place &Use = T.Use->Where;
  std::string Where = "line " + std::to_string(Use.Line);
  if (Use.File != T.Fill->Where.File)
    Where = llvm::sys::path::filename(Use.File).str() + ":" + std::to_string(Use.Line);
  ArgMap Args{{"array", listed(T.Names)}, {"use", Where}, {"use_line", static_cast<std::int64_t>(Use.Line)}};
  if (T.Allocation->Bytes >= 0)
    Args["bytes"] = T.Allocation->Bytes;
  Args["size"] = std::string(T.KnownSize ? "" : "; its size is not known here, and taken for more than some pages");
  describe(T, Args);
  Args["remedy"] = remedy(T, Args);
  return Args;
}

// Whoever shares a loop among a team expects it to be long, so that an array is large enough even where its size is not
// known: likely, no more. Unless the same program leaves a loop over it serial that runs again and again, too.
static Confidence confidenceOf(const SerialTouch &T) {
  if ((T.Recurring || T.Refilled) && !T.KnownSize)
    return Confidence::Low;
  // One pass over an array brings it from wherever it is once: to write it is as much work.
  if (T.Once)
    return Confidence::Low;
  // Large fresh blocks come as zeros from the operating system, which glibc's calloc leaves alone. A block that is
  // allocated again holds what was in it, and is written.
  if (T.Fill->Perhaps && !T.BornAgain)
    return Confidence::Low;
  return T.Sure && T.KnownSize && !T.Refilled && !T.Fill->Perhaps && !T.Fill->Counted && !T.Use->Dealt
             ? Confidence::High
             : Confidence::Medium;
}

void TouchCheck::run(Unit &U, Reporter &R) {
  Facts = U.fact<TouchFacts>([&] {
    auto Silenced = [&](bool Implicit, SourceLocation L) { return R.silences(Slugs[Implicit], L); };
    return U.isFortran() ? collectFortranTouches(U, Silenced) : collectTouches(U.ast(), Silenced);
  });
  Facts.MinBytes = R.threshold(Slug, "min_bytes");
  for (const SerialTouch &T : serialTouches({&Facts})) {
    if (T.Fill->Implicit != Implicit || T.Minor)
      continue;
    Finding F;
    F.Rule = Slug.str();
    F.Conf = confidenceOf(T);
    F.Range = T.Fill->Range;
    F.Function = T.In->Name;
    F.Scope = T.Fill->Scope;
    F.Args = argsOf(T);
    for (const TouchEvent *A : T.Allocations)
      F.Relateds.push_back({A->Range.getBegin(), "allocated here"});
    if (T.Later)
      F.Relateds.push_back({T.Later->Range.getBegin(), FilledAgain.str()});
    F.Relateds.push_back({T.Use->Range.getBegin(), "shared among the team here"});
    if (!U.isFortran() && isWorthATeam(T))
      if (std::optional<Fix> X = fix(*T.Fill, U))
        F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }
}

// Where the program fills the array again and again, a region for each would cost more than it brings.
bool TouchCheck::isWorthATeam(const SerialTouch &T) { return !T.Recurring || T.Fill->Perhaps; }

json::Value TouchCheck::summarize(Unit &U) {
  if (Facts.Functions.empty() && Facts.Globals.empty())
    return nullptr;
  // Uses of other units may ask for it.
  if (!U.isFortran())
    for (FunctionTouches &X : Facts.Functions)
      for (TouchEvent &E : X.Events)
        if (E.K == TouchEvent::Fill && E.By == Runs::Serial && E.Implicit == Implicit && !E.Change)
          E.Change = fix(E, U);
  return toJson(Facts);
}

void TouchCheck::link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) {
  std::vector<TouchFacts> Units;
  for (const stored::Value &V : Summaries)
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
    if (T.Fill->Implicit != Implicit || T.Minor || !Said.insert(Key(T)).second || T.Fill->Suppressed)
      continue;
    LinkFinding F;
    F.Rule = Slug.str();
    F.Conf = confidenceOf(T);
    F.Where = T.Fill->Where;
    F.Function = T.In->Name;
    F.ScopeBegin = T.Fill->Where.Line;
    F.ScopeEnd = T.Fill->Where.EndLine;
    F.Args = argsOf(T);
    for (const TouchEvent *A : T.Allocations)
      F.Relateds.emplace_back(A->Where, "allocated here");
    if (T.Later)
      F.Relateds.emplace_back(T.Later->Where, FilledAgain.str());
    F.Relateds.emplace_back(T.Use->Where, "shared among the team here");
    if (T.Fill->Change && isWorthATeam(T))
      F.Fixes.push_back(*T.Fill->Change);
    R.report(std::move(F));
  }
}

} // namespace stridewise
