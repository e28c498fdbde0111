// Stencils whose neighbouring rows or planes do not stay in the cache until they are used again
// (checks/mem-unblocked-stencil/StencilReuse.h).
//
// Sizes decide: three rows of a plane nearly always fit, planes of a volume often do. Where loops and declarations give
// no size only volumes are spoken of, at confidence low.
//
// Known false positives: machines with a large cache per core.
#include "checks/mem-unblocked-stencil/StencilReuse.h"
#include "loops/ArrayNames.h"
#include "loops/LoopPlaces.h"
#include "loops/ProfiledAccesses.h"
#include "thresholds.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Function.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

constexpr const char *Slug = "mem-unblocked-stencil";

class UnblockedStencil : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    this->U = &U;
    CacheBytes = R.threshold(Slug, "cache_bytes");
    SureRatio = R.threshold(Slug, "sure_ratio");
    MinTraffic = R.threshold(Slug, "min_traffic_ratio");
    MapVector<const void *, Finding> Found;
    for (Function &F : *M) {
      if (F.isDeclaration())
        continue;
      for (const LoopNest &N : loopNests(F, U.analyses()))
        for (const StencilReuse &S : stencilReuse(N, StrideEngine::get(F, U.analyses())))
          if (std::optional<Confidence> Conf = judge(S)) {
            if (std::optional<LoopPlace> Loop = loopPlace(N.Loops[S.Level], U)) {
              Finding Said = describe(N, S, *Conf, *Loop);
              auto [It, New] = Found.insert({Loop->Key, Said});
              if (!New && Said.Conf > It->second.Conf)
                It->second = std::move(Said);
            }
            break;
          }
    }
    for (auto &[Loop, Said] : Found)
      R.report(std::move(Said));
  }

private:
  std::optional<Confidence> judge(const StencilReuse &S) const {
    if (S.AllPlanes < MinTraffic * S.Arrays)
      return std::nullopt;
    if (S.BytesBetween == 0)
      return S.Level >= 2 && S.Planes >= limits::mem_unblocked_stencil::FewestPlanes ? std::optional(Confidence::Low)
                                                                                     : std::nullopt;
    if (S.BytesBetween <= CacheBytes)
      return std::nullopt;
    return S.Exact && S.BytesBetween > SureRatio * CacheBytes ? Confidence::High : Confidence::Medium;
  }

  Finding describe(const LoopNest &N, const StencilReuse &S, Confidence Conf, const LoopPlace &Loop) {
    const clang::FunctionDecl *Reader = U->functionAt(Loop.Range.getBegin());
    Finding Said;
    Said.Rule = Slug;
    Said.Conf = Conf;
    Said.Range = Loop.Header;
    Said.Function = Loop.Function;
    Said.Scope = Loop.Range;
    std::string Array = arrayName(*S.Widest->At, Reader, *U);
    Said.Args["array"] = Array.empty() ? "its array" : Array;
    Said.Args["outer"] = Loop.Counter;
    Said.Args["between"] =
        S.BytesBetween > 0 ? "after " + megabytes(S.BytesBetween) + " of other data" : "after several whole planes";
    Said.Args["planes"] = static_cast<std::int64_t>(S.Planes);
    Said.Args["kind"] = S.Level != 1 ? "planes" : U->isFortran() ? "columns" : "rows";
    Said.Args["advice"] = advice(N, S, Loop);
    // What a cache run needs: how often the arrays together come from memory now, and in blocks.
    Said.Args["fetched_planes"] = static_cast<std::int64_t>(S.AllPlanes);
    Said.Args["arrays"] = static_cast<std::int64_t>(S.Arrays);
    Said.Args["between_bytes"] = static_cast<std::int64_t>(S.BytesBetween);
    SmallVector<Instruction *, 16> At;
    for (const Reference &R : N.References)
      if (!R.Local)
        At.push_back(R.At);
    Said.Accesses = profiledAccesses(At, Said.Scope, *U);
    return Said;
  }

  static std::string megabytes(double Bytes) {
    double Tenths = std::round(Bytes / (1 << 20) * 10);
    std::string Text = std::to_string(static_cast<std::int64_t>(Tenths / 10));
    if (Tenths < 100)
      Text += "." + std::to_string(static_cast<std::int64_t>(Tenths) % 10);
    return Text + " MiB";
  }

  // Half of the cache for the block, rounded down to a power of two.
  std::string advice(const LoopNest &N, const StencilReuse &S, const LoopPlace &Loop) {
    std::string Block = "16 or 32";
    if (S.BytesPerStep > 0)
      if (double Fits = CacheBytes / 2 / S.BytesPerStep; Fits >= 1)
        Block = std::to_string(1u << std::min(20, static_cast<int>(std::log2(Fits))));
    std::optional<LoopPlace> Inside = loopPlace(N.Loops[S.Level - 1], *U);
    return "cut the loop over '" + (Inside ? Inside->Counter : "its counter") + "' into blocks of " + Block +
           " and put the loop over the blocks around the one over '" + Loop.Counter + "'";
  }

  Unit *U = nullptr;
  double CacheBytes = 0, SureRatio = 0, MinTraffic = 0;
};

STRIDEWISE_CHECK("mem-unblocked-stencil", UnblockedStencil)

} // namespace
} // namespace stridewise
