// R12: a team barrier in a loop that separates nothing.
//
// Core/TeamSync compares the data that the code on both sides of the barrier touches, around the loop's back edge and
// through calls whose bodies the unit has. Any code that the unit does not show, any use of the clock, of atomics or of
// volatile data on either side keeps the barrier.
// Known false positives: distinct pointers that overlap (said in the advice, confidence medium); barriers that only
// keep threads in step, to share a cache for instance.
#include "core/Check.h"
#include "core/DirectiveEdits.h"
#include "core/FixSafety.h"
#include "core/Reporter.h"
#include "core/TeamSync.h"
#include "core/TileLoops.h"
#include "core/Unit.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-barrier-in-loop";

// Barriers that are statements of a block; under a label, a statement would have to take their place.
class BlockBarriers {
public:
  bool contains(const BarrierVerdict &V) {
    if (Searched.insert(V.Loop).second)
      search(V.Loop);
    return Found.contains(V.Barrier);
  }

private:
  void search(const Stmt *S) {
    if (!S)
      return;
    if (const auto *C = dyn_cast<CompoundStmt>(S))
      for (const Stmt *Child : C->body())
        if (isa<OMPExecutableDirective>(Child))
          Found.insert(Child);
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
      return search(constructBody(*D));
    for (const Stmt *Child : S->children())
      search(Child);
  }

  llvm::DenseSet<const Stmt *> Searched, Found;
};

Fix remedy(const BarrierVerdict &V, Edit E, const ASTContext &Ctx) {
  Fix X = safeFix(V.Explicit ? "delete the barrier" : "add nowait", {std::move(E)},
                  V.Adjacent ? "another barrier stands beside it, with nothing in between"
                             : "no two threads touch the same data on its two sides");
  if (V.ThroughPointers)
    doubt(X, "data behind pointers may overlap where a program breaks the rules of types and of 'restrict'");
  doubtOtherCode(X, V.Function, Ctx);
  return X;
}

class BarrierInLoop : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    const SourceManager &SM = U.sources();
    auto Line = [&](SourceLocation L) { return static_cast<std::int64_t>(SM.getSpellingLineNumber(SM.getFileLoc(L))); };
    BlockBarriers Blocks;
    for (const BarrierVerdict &V : needlessBarriers(U.ast())) {
      // A block of work lies between two barriers of a tile loop, beside which they cost nothing.
      if (!V.Adjacent && isTileLoop(V.Loop))
        continue;
      Finding F;
      F.Rule = Slug;
      F.Conf = V.AssumesDistinct || V.NeedsStatic ? Confidence::Medium : Confidence::High;
      F.Range = {V.Barrier->getBeginLoc(), V.Explicit ? V.Barrier->getEndLoc() : V.Barrier->getBeginLoc()};
      F.Function = Unit::functionName(V.Function);
      F.Scope = V.Loop->getSourceRange();
      std::string Construct = llvm::omp::getOpenMPDirectiveName(V.Barrier->getDirectiveKind()).str();
      std::string Where = std::to_string(Line(V.Barrier->getBeginLoc()));
      std::string Remedy = V.Explicit ? "delete it" : "add nowait to the '" + Construct + "' at line " + Where;
      if (V.NeedsStatic)
        Remedy = "give the loops on both sides schedule(static) and " + Remedy;
      if (V.AssumesDistinct)
        Remedy += ", provided that different pointers here never point into the same array";
      F.Args = {{"kind", std::string(V.Explicit ? "explicit" : "implicit")},
                {"loop_line", Line(V.Loop->getBeginLoc())},
                {"remedy", Remedy}};
      F.Relateds.push_back({V.Loop->getBeginLoc(), "the loop that repeats it"});
      if (F.Conf == Confidence::High)
        if (std::optional<Edit> E = !V.Explicit          ? addClause(*V.Barrier, "nowait", U.ast())
                                    : Blocks.contains(V) ? removeDirective(*V.Barrier, U.ast())
                                                         : std::nullopt)
          F.Fixes.push_back(remedy(V, std::move(*E), U.ast()));
      R.report(std::move(F));
    }
  }
};

STRIDEWISE_CHECK("omp-barrier-in-loop", BarrierInLoop)

} // namespace
} // namespace stridewise
