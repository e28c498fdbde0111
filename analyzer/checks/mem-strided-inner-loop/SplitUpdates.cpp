#include "checks/mem-strided-inner-loop/SplitUpdates.h"
#include "loops/AddressDistance.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

class SplitUpdate {
public:
  SplitUpdate(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM)
      : N(N), F(F), FAM(FAM), Engine(StrideEngine::get(F, FAM)), SE(Engine.scalarEvolution()), E(N.inner()),
        A(N.Loops[1]) {}

  bool fits() {
    const SCEV *Count = Engine.backedges(E);
    return Count && !Engine.varies(Count, A) && !N.OpaqueCall && handsNothingOn() && isIndependent() && isLeftAlone();
  }

  /// One access to each array that is taken for another than the rest.
  SmallVector<const Instruction *, 4> Distinct;

private:
  // No value goes from one iteration of the inner loop to the next one, or to the other statements of A.
  bool handsNothingOn() const {
    for (PHINode &P : E->getHeader()->phis())
      if (!SE.isSCEVable(P.getType()) || !Engine.step(Engine.rewrite(&P), E))
        return false;
    return none_of(E->blocks(), [&](const BasicBlock *BB) {
      return any_of(*BB, [&](const Instruction &I) {
        return any_of(I.users(), [&](const User *U) {
          const auto *By = dyn_cast<Instruction>(U);
          return By && A->contains(By) && !E->contains(By);
        });
      });
    });
  }

  // Iterations of the inner loop have their lines to themselves, whichever iterations of A are done in between.
  bool isIndependent() {
    const Loop *Levels[] = {E, A};
    for (const Reference &X : N.References)
      for (const Reference &Y : N.References) {
        if (!X.Writes && !Y.Writes)
          continue;
        const AddressDistance D = addressDistance(X, Y, Levels, Engine, N.Shift);
        if (D.K == AddressDistance::DistinctBases)
          note(X, Y);
        else if (D.K != AddressDistance::Never &&
                 (D.K != AddressDistance::Known || !D.PerLevel[0] || *D.PerLevel[0] != 0))
          return false;
      }
    return true;
  }

  // The other statements neither look at what the inner loop writes nor write what it looks at.
  bool isLeftAlone() {
    LoopNest Whole;
    Whole.Loops.append(N.Loops.begin() + 1, N.Loops.end());
    if (!collectReferences(Whole, F, FAM, Engine))
      return false;
    for (const Reference &S : Whole.References)
      for (const Reference &X : N.References) {
        if (E->contains(S.At) || (!S.Writes && !X.Writes))
          continue;
        if (rootOf(S, Engine) == rootOf(X, Engine))
          return false;
        note(X, S);
      }
    return !Whole.OpaqueCall || none_of(N.References, [&](const Reference &R) {
      const auto *Root = dyn_cast<SCEVUnknown>(rootOf(R, Engine));
      return !Root || isa<GlobalVariable>(Root->getValue());
    });
  }

  void note(const Reference &X, const Reference &Y) {
    for (const Reference *R : {&X, &Y})
      if (Named.insert(rootOf(*R, Engine)).second)
        Distinct.push_back(R->At);
  }

  const LoopNest &N;
  Function &F;
  FunctionAnalysisManager &FAM;
  StrideEngine &Engine;
  ScalarEvolution &SE;
  const Loop *E, *A;
  SmallPtrSet<const SCEV *, 4> Named;
};

} // namespace

std::optional<BetterOrder> splitUpdates(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM, double MinRatio,
                                        double MinFootprint) {
  const double Now = nestCost(N, 0), Then = nestCost(N, 1);
  // What is done once is worth no arrays.
  if (N.Loops.size() < 3 || Then <= 0 || Now < MinRatio * Then)
    return std::nullopt;
  for (const ReferenceGroup &G : N.Groups)
    if (N.counts(G) && G.Strides[0].K != Stride::Zero && !improves(G, 1, MinRatio) &&
        groupCost(N, G, 1) > groupCost(N, G, 0))
      return std::nullopt;
  if (none_of(N.Groups, [&](const ReferenceGroup &G) { return N.counts(G) && improves(G, 1, MinRatio); }))
    return std::nullopt;
  const std::optional<double> Bytes = footprintBytes(N, 1, StrideEngine::get(F, FAM));
  SplitUpdate Split(N, F, FAM);
  if ((Bytes && *Bytes <= MinFootprint) || !Split.fits())
    return std::nullopt;
  BetterOrder Found;
  Found.Nest = &N;
  Found.F = &F;
  Found.Level = 1;
  Found.Ratio = Now / Then;
  Found.Splits = true;
  Found.Verdict.K = ExchangeVerdict::Assumed;
  Found.Verdict.DistinctArrays = !Split.Distinct.empty();
  Found.Verdict.Distinct = Split.Distinct;
  Found.Conf = Confidence::Medium;
  return Found;
}

} // namespace stridewise
