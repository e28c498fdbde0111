// A loop that one thread runs step after step, beside loops of a team over the same array and as many of its elements:
// the more threads, the larger its share of the time.
//
// The loop's iterations are proven to be independent (IterationProof) but for one sum or extreme, scalars to be private
// to an iteration (ScalarUse, FortranView); which loops come back to the same array, and where a team shares it, is
// told by the code's addresses, through calls and over all units (LoopFacts). Known false positives: arrays that are
// small, of a size that nobody knows; pointers to overlapping arrays.
#include "checks/omp-serial-loop/UnitLoopsBuilder.h"
#include "unit/Check.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-serial-loop";

class SerialLoops : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    const SerialLimits Limits{R.threshold(Slug, "min_us"), R.threshold(Slug, "heavy_cycles")};
    Known = collectUnitLoops(U, Limits);
    for (FunctionLoops &F : Known.Facts.Functions)
      for (SerialLoop &L : F.Serial) {
        const SerialSource &Source = Known.Serial[L.Number];
        L.Args["remedy"] = remedy(U, Source, L);
        if (Source.Directive)
          L.Change = unsafeFix("share the iterations among a team", {*Source.Directive},
                               "arrays of different names are taken not to overlap");
        L.Silenced = R.silences(Slug, Source.Place.Header.getBegin());
      }
    for (const SerialShare &S : serialShares({&Known.Facts})) {
      const SerialSource &Source = Known.Serial[S.Loop->Number];
      Finding F;
      F.Rule = Slug;
      F.Conf = confidence(S);
      F.Range = Source.Place.Header;
      F.Function = S.Loop->Function;
      F.Scope = Source.Place.Range;
      F.Args = args(S);
      if (S.Loop->Change)
        F.Fixes.push_back(*S.Loop->Change);
      R.report(std::move(F));
    }
  }

  json::Value summarize(Unit &) override { return toJson(Known.Facts); }

  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::vector<UnitLoops> Units;
    for (const stored::Value &V : Summaries)
      Units.push_back(unitLoopsFromJson(V));
    std::set<std::pair<std::string, std::pair<unsigned, unsigned>>> Said;
    const auto Key = [](const SerialShare &S) {
      return std::pair(S.Loop->Where.File, std::pair(S.Loop->Where.Line, S.Loop->Where.Column));
    };
    std::vector<const UnitLoops *> Program;
    for (const UnitLoops &U : Units) {
      for (const SerialShare &S : serialShares({&U}))
        Said.insert(Key(S));
      Program.push_back(&U);
    }
    for (const SerialShare &S : serialShares(Program)) {
      if (!Said.insert(Key(S)).second || S.Loop->Silenced)
        continue;
      LinkFinding F;
      F.Rule = Slug.str();
      F.Conf = confidence(S);
      F.Where = S.Loop->Where;
      F.Function = S.Loop->Function;
      F.ScopeBegin = S.Loop->Where.Line;
      F.ScopeEnd = S.Loop->Where.EndLine;
      F.Args = args(S);
      if (S.Loop->Change)
        F.Fixes.push_back(*S.Loop->Change);
      R.report(std::move(F));
    }
  }

private:
  static Confidence confidence(const SerialShare &S) {
    const bool Near = S.Steps >= 0 && S.Loop->Own && S.Team.Own;
    return Near && !S.Loop->Sums && !S.Loop->Scatters ? Confidence::High : Confidence::Medium;
  }
  static ArgMap args(const SerialShare &S) {
    ArgMap Args = S.Loop->Args;
    std::string Where = "line " + std::to_string(S.Team.Line);
    if (S.Team.File != S.Loop->Where.File)
      Where = llvm::sys::path::filename(S.Team.File).str() + ":" + std::to_string(S.Team.Line);
    const std::string &Name = !S.Own->Name.empty() ? S.Own->Name : S.Team.Name;
    Args["array"] = Name.empty() ? std::string("an array") : "'" + Name + "'";
    Args["use"] = Where;
    return Args;
  }
  static std::string remedy(Unit &U, const SerialSource &S, const SerialLoop &L) {
    const ArgMap Args{{"clauses", S.Clauses.Text}, {"sums", S.Clauses.Sum}};
    if (L.Scatters)
      return variant(Slug, "scatter");
    if (S.Clauses.Calls)
      return variant(Slug, "calls", Args);
    if (!S.Clauses.IsWhole)
      return variant(Slug, "several_sums", Args);
    if (S.Place.Section)
      return variant(Slug, "section");
    if (!S.Clauses.Sum.empty())
      return U.isFortran() ? variant(Slug, "sum_fortran", Args) : variant(Slug, "sum", Args);
    return U.isFortran() ? variant(Slug, "loop_fortran", Args) : variant(Slug, "loop", Args);
  }

  UnitLoopsWithSource Known;
};

STRIDEWISE_CHECK("omp-serial-loop", SerialLoops)

} // namespace
} // namespace stridewise
