#include "checks/omp-barrier-in-loop/TeamRounds.h"
#include "loops/IterationProof.h"
#include "omp/OmpRegion.h"

using namespace clang;

namespace stridewise {

// The loop's rounds are the shared loop, and what each thread declares for it.
static bool holdsOnly(const ForStmt &Loop, const Stmt &Shared) {
  const auto *Block = dyn_cast<CompoundStmt>(Loop.getBody());
  return Block ? llvm::all_of(Block->body(), [&](const Stmt *S) { return S == &Shared || isa<DeclStmt, NullStmt>(S); })
               : Loop.getBody() == &Shared;
}

// The statement behind; the block itself where there is none.
static const Stmt *behind(const Stmt *Of, const CompoundStmt &Block) {
  const auto *At = llvm::find(Block.body(), Of);
  if (At == Block.body_end())
    return nullptr;
  return std::next(At) == Block.body_end() ? static_cast<const Stmt *>(&Block) : *std::next(At);
}

static bool endsInBarrier(const ForStmt &Loop, const OmpSite &Site, ASTContext &Ctx) {
  const OMPExecutableDirective *Region = OmpSites::region(Site, Ctx);
  const Stmt *Body = Region ? constructBody(*Region) : nullptr;
  if (!Body || Body == &Loop)
    return Body != nullptr;
  const auto *Block = dyn_cast<CompoundStmt>(Body);
  const Stmt *Next = Block ? behind(&Loop, *Block) : nullptr;
  return Next == Block ? Block != nullptr : Next && isa<OMPBarrierDirective>(Next);
}

std::optional<TeamRounds> roundsApart(const OmpSite &Site, double MinRounds, RegionWork &Work, Unit &U) {
  const OMPExecutableDirective &D = *Site.directive();
  const OmpConstruct C = classify(D, U.ast());
  if (!C.SharesLoop || C.StartsTeam || C.Device || !C.EndsWithBarrier || !C.CanTakeNowait)
    return std::nullopt;
  if (Site.Around.empty() || !isa<ForStmt>(Site.Around.back()))
    return std::nullopt;
  const auto *Loop = cast<ForStmt>(Site.Around.back());
  const llvm::ArrayRef<RegionWork::Copy> Copies = Work.copies(Loop);
  if (!holdsOnly(*Loop, D) || Copies.empty())
    return std::nullopt;
  for (const RegionWork::Copy &X : Copies) {
    const unsigned Rounds = StrideEngine::get(*X.F, U.analyses()).tripCount(X.L);
    if (Rounds && Rounds < MinRounds)
      return std::nullopt;
    const IterationProof Proof = proveIterations(*X.L, *X.F, U.analyses(), [](const llvm::DebugLoc &) { return true; });
    if (!Proof.Independent || Proof.Reduction != ReductionKind::None)
      return std::nullopt;
  }
  return TeamRounds{Loop, endsInBarrier(*Loop, Site, U.ast())};
}

bool standsBehind(const OmpSite &Barrier, const TeamRounds &Rounds) {
  return isa<OMPBarrierDirective>(Barrier.S) && Barrier.Block && behind(Rounds.Loop, *Barrier.Block) == Barrier.S;
}

} // namespace stridewise
