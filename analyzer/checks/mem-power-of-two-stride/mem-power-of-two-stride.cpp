// Lines that evict each other because a power of two puts them into the same sets of the cache
// (checks/mem-power-of-two-stride/CacheSets.h): a walk down a column whose lines the next column needs again, or more
// streams in a loop than a set has ways.
// Arrays that a loop walks in step count together where all begin at the same place of a page.
//
// Speaks only where the distances in bytes are constants; the padding that it proposes is checked on the same model.
// Beside that, over all units, of functions and members that make the length of rows a power of two or whole pages,
// where loops walk down the columns (PaddedRows.h): at medium confidence, since the number of rows is not known.
//
// Known false positives: processors whose caches choose the set by a hash of the address (the last level often does;
// the first and second do not).
#include "checks/mem-power-of-two-stride/CacheSets.h"
#include "checks/mem-power-of-two-stride/PaddedRows.h"
#include "loops/ArrayNames.h"
#include "loops/LoopPlaces.h"
#include "loops/ProfiledAccesses.h"
#include "loops/SetUp.h"
#include "thresholds.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Function.h"
#include <map>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

constexpr const char *Slug = "mem-power-of-two-stride";
// Places that one finding names.
constexpr unsigned MaxPlaces = 4;
constexpr const char *MakesPower = "makes it a power of two";

class PowerOfTwoStride : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    this->U = &U;
    auto Get = [&](const char *Name) { return static_cast<unsigned>(R.threshold(Slug, Name)); };
    SureBytes = R.threshold(Slug, "sure_bytes");
    unsigned Line = Get("line_bytes");
    CacheShape Caches[] = {{Get("level1_bytes"), Get("level1_ways"), Line},
                           {Get("level2_bytes"), Get("level2_ways"), Line}};
    LineBytes = Line;
    Ways = Caches[0].Ways;
    MapVector<const void *, Finding> Found;
    for (Function &F : *M) {
      if (F.isDeclaration())
        continue;
      CacheConflicts Conflicts = cacheConflicts(F, U.analyses(), Caches);
      for (const SetConflict &C : Conflicts.Sweeps)
        keep(Found, C.Walked, [&](const LoopPlace &Loop) { return sweep(C, Caches, Loop); });
      for (const StreamConflict &C : Conflicts.Streams)
        keep(Found, C.L, [&](const LoopPlace &Loop) { return streams(C, Caches[0], Loop); });
      for (const PaddedWalk &W : paddedWalks(F, U.analyses(), LineBytes, Ways))
        if (W.Made)
          keep(Found, W.Walked, [&](const LoopPlace &Loop) { return ownRows(W, Loop); });
    }
    for (auto &[Loop, Said] : Found)
      R.report(std::move(Said));
    Span = Caches[0].spanBytes();
    LineBytes = Line;
    Ways = Caches[0].Ways;
  }

  json::Value summarize(Unit &U) override {
    Module *M = U.ir();
    if (!M || U.isFortran())
      return nullptr;
    json::Array Rounding, Walks;
    for (const RoundingFunction &F : roundingFunctions(*M))
      if (const clang::FunctionDecl *D = U.functionAt(U.locate(F.Return->getDebugLoc())))
        Rounding.push_back(json::Object{{"name", F.Name},
                                        {"function", Unit::functionName(D)},
                                        {"power", F.IsPower},
                                        {"multiple", static_cast<std::int64_t>(F.Multiple)},
                                        {"place", toJson(placeOf(U.ast(), {D->getLocation(), D->getLocation()}))}});
    // A record of a header is set in many units, and in copies of one function.
    std::set<std::pair<std::string, unsigned>> Said;
    for (const PowerMember &P : powerMembers(*M)) {
      const clang::SourceLocation At = U.locate(P.Made->getDebugLoc());
      const clang::FunctionDecl *D = U.functionAt(At);
      if (D && Said.insert({P.Member, At.getRawEncoding()}).second)
        Rounding.push_back(json::Object{{"name", P.Member},
                                        {"function", Unit::functionName(D)},
                                        {"power", true},
                                        {"place", toJson(placeOf(U.ast(), {At, At}))},
                                        {"doubled", placeIn(P.Doubled, U)}});
    }
    for (Function &F : *M)
      if (!F.isDeclaration())
        for (const PaddedWalk &W : paddedWalks(F, U.analyses(), LineBytes, Ways))
          if (std::optional<LoopPlace> Loop = loopPlace(W.Walked, U); Loop && !W.Made && !isSetUp(W.Walked, U))
            Walks.push_back(json::Object{{"source", W.Source},
                                         {"bytes", static_cast<std::int64_t>(W.Bytes)},
                                         {"place", toJson(placeOf(U.ast(), Loop->Header))}});
    if (Rounding.empty() && Walks.empty())
      return nullptr;
    return json::Object{{"rounding", std::move(Rounding)},
                        {"walks", std::move(Walks)},
                        {"span", static_cast<std::int64_t>(Span)},
                        {"line", static_cast<std::int64_t>(LineBytes)}};
  }

  // Where the length of the rows is made is where it can be mended.
  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::map<std::string, std::vector<const stored::Object *>> Walks;
    const auto ForEach = [&](StringRef Key, function_ref<void(const stored::Object &, const stored::Object &)> Take) {
      for (const stored::Value &V : Summaries)
        if (const stored::Object *Of = V.getAsObject())
          if (const stored::Array *All = Of->getArray(Key))
            for (const stored::Value &Each : *All)
              if (const stored::Object *O = Each.getAsObject())
                Take(*Of, *O);
    };
    ForEach("walks", [&](const stored::Object &, const stored::Object &W) {
      Walks[W.getString("source").value_or("").str()].push_back(&W);
    });
    std::set<std::tuple<std::string, unsigned, unsigned>> Told;
    ForEach("rounding", [&](const stored::Object &Unit, const stored::Object &F) {
      const auto It = Walks.find(F.getString("name").value_or("").str());
      const std::optional<Place> At = F.get("place") ? placeFromJson(*F.get("place")) : std::nullopt;
      if (It != Walks.end() && At && Told.emplace(At->File, At->Line, At->Column).second)
        tell(Unit, F, It->second, R);
    });
  }

private:
  static json::Value placeIn(const Instruction *I, Unit &U) {
    const clang::SourceLocation At = I ? U.locate(I->getDebugLoc()) : clang::SourceLocation();
    return At.isValid() ? toJson(placeOf(U.ast(), {At, At})) : json::Value(nullptr);
  }

  static void tell(const stored::Object &Unit, const stored::Object &F, ArrayRef<const stored::Object *> Walks,
                   LinkReporter &R) {
    const bool IsPower = F.getBoolean("power").value_or(false);
    const std::int64_t Multiple = F.getInteger("multiple").value_or(1), Span = Unit.getInteger("span").value_or(0);
    const std::optional<Place> Where = F.get("place") ? placeFromJson(*F.get("place")) : std::nullopt;
    LinkFinding Said;
    std::int64_t Bytes = 0;
    for (const stored::Object *W : Walks) {
      const std::int64_t Each = W->getInteger("bytes").value_or(0);
      const std::optional<Place> At = W->get("place") ? placeFromJson(*W->get("place")) : std::nullopt;
      if (!At || (!IsPower && Each * Multiple % Span != 0))
        continue;
      Bytes = Each;
      if (Said.Relateds.size() < MaxPlaces)
        Said.Relateds.emplace_back(*At, "walks down the columns");
    }
    if (!Where || Said.Relateds.empty())
      return;
    if (const std::optional<Place> Doubled = F.get("doubled") ? placeFromJson(*F.get("doubled")) : std::nullopt)
      Said.Relateds.emplace_back(*Doubled, MakesPower);
    Said.Rule = Slug;
    Said.Conf = Confidence::Medium;
    Said.Where = *Where;
    Said.Function = F.getString("function").value_or("").str();
    Said.ScopeBegin = Where->Line;
    Said.ScopeEnd = Where->EndLine;
    Said.Args = {{"cost", "'" + Said.Function + "' makes the rows of a matrix " +
                              (IsPower ? std::string("a power of two")
                                       : "a multiple of " + std::to_string(Bytes * Multiple) + " bytes") +
                              " long: the lines of a column fall into few sets of the cache, and are gone when the "
                              "next column needs them"},
                 {"remedy", variant(Slug, "pad_length", {{"line", Unit.getInteger("line").value_or(64)}})}};
    R.report(std::move(Said));
  }

  // One finding per loop: the surest.
  template <typename Describe> void keep(MapVector<const void *, Finding> &Found, const Loop *L, Describe Say) {
    std::optional<LoopPlace> Place = loopPlace(L, *U);
    if (!Place)
      return;
    Finding Said = Say(*Place);
    auto [It, New] = Found.insert({Place->Key, Said});
    if (!New && Said.Conf > It->second.Conf)
      It->second = std::move(Said);
  }

  static Finding at(const LoopPlace &Loop) {
    Finding Said;
    Said.Rule = Slug;
    Said.Range = Loop.Header;
    Said.Function = Loop.Function;
    Said.Scope = Loop.Range;
    return Said;
  }

  std::string arrayIn(const LoopPlace &Loop, const Instruction &Access) {
    return arrayName(Access, U->functionAt(Loop.Range.getBegin()), *U);
  }

  // "'a' and 'b'"
  std::string namesOf(ArrayRef<Instruction *> Accesses, const LoopPlace &Loop) {
    std::string Of;
    for (std::size_t K = 0; K < Accesses.size(); ++K) {
      const std::string Name = arrayIn(Loop, *Accesses[K]);
      if (Name.empty() || Accesses.size() > MaxPlaces)
        return Accesses.size() == 1 ? "its array" : "its arrays";
      Of += (K == 0 ? "'" : K + 1 < Accesses.size() ? ", '" : " and '") + Name + "'";
    }
    return Of;
  }

  // Where rows are made longer.
  void declare(Finding &Said, const Instruction &Access, const LoopPlace &Loop) {
    const clang::SourceLocation At = arrayDeclaration(Access, U->functionAt(Loop.Range.getBegin()), *U);
    if (At.isValid() && none_of(Said.Relateds, [&](const Related &R) { return R.Where == At; }))
      Said.Relateds.push_back({At, variant(Slug, "mended_at")});
  }

  Finding sweep(const SetConflict &C, ArrayRef<CacheShape> Caches, const LoopPlace &Loop) {
    const CacheShape &Cache = Caches[C.Level - 1];
    Finding Said = at(Loop);
    Said.Conf = C.Exact && C.ArrayBytes >= SureBytes ? Confidence::High : Confidence::Medium;
    const bool Short =
        !C.Exact && C.ArrayBytes * double(C.Arrays.size()) < limits::mem_power_of_two_stride::LeastSpanBytes;
    if (Short || isSetUp(C.Walked, *U))
      Said.Conf = Confidence::Low;
    const std::string Of = !C.Named ? "its array" : namesOf(C.Arrays, Loop);
    std::optional<LoopPlace> Again = loopPlace(C.Again, *U);
    std::string Next = Again ? "the next iteration over '" + Again->Counter + "'" : "the loop around it";
    Said.Args["cost"] = (C.WholeArray ? "the up to " : "the ") + std::to_string(C.Use.Lines) + " lines of " + Of +
                        " that the loop over '" + Loop.Counter + "' touches in steps of " +
                        std::to_string(C.StepBytes) + " bytes fall into " + std::to_string(C.Use.Sets) + " of the " +
                        std::to_string(Cache.sets()) + " sets of a level-" + std::to_string(C.Level) +
                        " cache, which hold " + std::to_string(C.Use.Sets * Cache.Ways) + ": they are gone when " +
                        Next + " needs them";
    Said.Args["remedy"] =
        variant(Slug, U->isFortran() ? "pad_columns" : "pad_rows", {{"array", Of}, {"padded", padded(C, Cache)}});
    if (Again)
      Said.Relateds.push_back({Again->Header.getBegin(), "comes back to the same lines"});
    for (const Instruction *I : C.Arrays)
      if (C.Named)
        declare(Said, *I, Loop);
    Said.Accesses = profiledAccesses(C.Arrays, Said.Scope, *U);
    return Said;
  }

  // Down the columns of rows that the function itself makes a power of two long.
  Finding ownRows(const PaddedWalk &W, const LoopPlace &Loop) {
    Finding Said = at(Loop);
    Said.Conf = isSetUp(W.Walked, *U) ? Confidence::Low : Confidence::Medium;
    Said.Args["cost"] = "the loop over '" + Loop.Counter +
                        "' walks down the columns of a matrix whose rows are a power of two long: the lines of a "
                        "column fall into few sets of the cache, and are gone when the next column needs them";
    Said.Args["remedy"] = variant(Slug, "pad_length", {{"line", std::int64_t(LineBytes)}});
    if (const clang::SourceLocation Made = U->locate(W.Made->getDebugLoc()); Made.isValid())
      Said.Relateds.push_back({Made, MakesPower});
    Said.Accesses = profiledAccesses(W.At, Said.Scope, *U);
    return Said;
  }

  static std::string padded(const SetConflict &C, const CacheShape &Cache) {
    std::int64_t Then = C.PitchBytes + Cache.LineBytes;
    std::int64_t Unit = C.PitchBytes % C.ElementBytes == 0 && Then % C.ElementBytes == 0 ? C.ElementBytes : 1;
    return std::to_string(Then / Unit) + (Unit == 1 ? " bytes" : " elements") + " instead of " +
           std::to_string(C.PitchBytes / Unit);
  }

  Finding streams(const StreamConflict &C, const CacheShape &Cache, const LoopPlace &Loop) {
    Finding Said = at(Loop);
    Said.Conf = C.Proven ? Confidence::High : Confidence::Medium;
    SmallVector<std::string, 4> Names;
    for (Instruction *I : C.At)
      if (std::string Name = arrayIn(Loop, *I); !Name.empty() && !is_contained(Names, Name)) {
        Names.push_back(Name);
        if (Names.size() <= MaxPlaces)
          declare(Said, *I, Loop);
      }
    std::string Of;
    for (unsigned K = 0; K < Names.size() && K < 4; ++K)
      Of += (K ? ", '" : " of '") + Names[K] + "'";
    if (Names.size() > 4)
      Of += ", …";
    Said.Args["cost"] = std::to_string(C.Streams) + " lines" + Of + ", multiples of " +
                        std::to_string(Cache.spanBytes()) + " bytes apart, share one set of " +
                        std::to_string(Cache.Ways) +
                        " in the first-level cache: each is gone before the loop has used all of it";
    Said.Args["remedy"] = variant(Slug, "pad_between", {{"line", std::int64_t(Cache.LineBytes)}});
    Said.Accesses = profiledAccesses(C.At, Said.Scope, *U);
    return Said;
  }

  Unit *U = nullptr;
  double SureBytes = 0;
  unsigned Span = 0, LineBytes = 64, Ways = 0;
};

STRIDEWISE_CHECK("mem-power-of-two-stride", PowerOfTwoStride)

} // namespace
} // namespace stridewise
