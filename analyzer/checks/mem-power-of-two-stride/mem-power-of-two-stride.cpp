// Lines that evict each other because a power of two puts them into the same sets of the cache
// (checks/mem-power-of-two-stride/CacheSets.h): a walk down a column whose lines the next column needs again, or more
// streams in a loop than a set has ways.
//
// Speaks only where the distances in bytes are constants; the padding that it proposes is checked on the same model.
//
// Known false positives: processors whose caches choose the set by a hash of the address (the last level often does;
// the first and second do not).
#include "checks/mem-power-of-two-stride/CacheSets.h"
#include "loops/ArrayNames.h"
#include "loops/LoopPlaces.h"
#include "loops/ProfiledAccesses.h"
#include "loops/SetUp.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr const char *Slug = "mem-power-of-two-stride";

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
    MapVector<const void *, Finding> Found;
    for (Function &F : *M) {
      if (F.isDeclaration())
        continue;
      CacheConflicts Conflicts = cacheConflicts(F, U.analyses(), Caches);
      for (const SetConflict &C : Conflicts.Sweeps)
        keep(Found, C.Walked, [&](const LoopPlace &Loop) { return sweep(C, Caches, Loop); });
      for (const StreamConflict &C : Conflicts.Streams)
        keep(Found, C.L, [&](const LoopPlace &Loop) { return streams(C, Caches[0], Loop); });
    }
    for (auto &[Loop, Said] : Found)
      R.report(std::move(Said));
  }

private:
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

  Finding sweep(const SetConflict &C, ArrayRef<CacheShape> Caches, const LoopPlace &Loop) {
    const CacheShape &Cache = Caches[C.Level - 1];
    Finding Said = at(Loop);
    Said.Conf = C.Exact && C.ArrayBytes >= SureBytes ? Confidence::High : Confidence::Medium;
    if (isSetUp(C.Walked, *U))
      Said.Conf = Confidence::Low;
    std::string Array = !C.Named ? std::string() : arrayIn(Loop, *C.At);
    std::string Of = Array.empty() ? "its array" : "'" + Array + "'";
    std::optional<LoopPlace> Again = loopPlace(C.Again, *U);
    std::string Next = Again ? "the next iteration over '" + Again->Counter + "'" : "the loop around it";
    Said.Args["cost"] = "the " + std::to_string(C.Use.Lines) + " lines of " + Of + " that the loop over '" +
                        Loop.Counter + "' touches in steps of " + std::to_string(C.StepBytes) + " bytes fall into " +
                        std::to_string(C.Use.Sets) + " of the " + std::to_string(Cache.sets()) + " sets of a level-" +
                        std::to_string(C.Level) + " cache, which hold " + std::to_string(C.Use.Sets * Cache.Ways) +
                        ": they are gone when " + Next + " needs them";
    Said.Args["remedy"] =
        variant(Slug, U->isFortran() ? "pad_columns" : "pad_rows", {{"array", Of}, {"padded", padded(C, Cache)}});
    if (Again)
      Said.Relateds.push_back({Again->Header.getBegin(), "comes back to the same lines"});
    Said.Accesses = profiledAccesses({C.At}, Said.Scope, *U);
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
      if (std::string Name = arrayIn(Loop, *I); !Name.empty() && !is_contained(Names, Name))
        Names.push_back(Name);
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
};

STRIDEWISE_CHECK("mem-power-of-two-stride", PowerOfTwoStride)

} // namespace
} // namespace stridewise
