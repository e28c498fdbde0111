#include "loops/FieldsApart.h"
#include "loops/OffsetTerms.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include <numeric>

using namespace llvm;

namespace stridewise {
namespace {

// What an offset is but for multiples of the record's size.
class Field {
public:
  explicit Field(StrideEngine &Engine) : Engine(Engine) {}

  void add(const SCEV *S) {
    if (const auto C = constant(S)) {
      First += *C;
    } else if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
      for (const SCEV *Term : Sum->operands())
        add(Term);
    } else if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S); Recurrence && Recurrence->isAffine()) {
      add(Recurrence->getStart());
      const SCEV *Step = Recurrence->getStepRecurrence(Engine.scalarEvolution());
      const unsigned Trips = Engine.tripCount(Recurrence->getLoop());
      if (const auto C = constant(Step); C && Trips)
        Within.push_back({*C, Trips});
      else
        Multiples = std::gcd(Multiples, factorsOf(Step).first);
    } else {
      Multiples = std::gcd(Multiples, factorsOf(S).first);
    }
  }
  std::int64_t multiples() const { return Multiples; }
  std::int64_t first() const { return First; }

  /// The bytes between the first and the last that loops of known length reach in one record; nothing where they leave
  /// it.
  std::optional<std::int64_t> reach(std::int64_t Size) {
    std::int64_t Reach = 0;
    for (const auto &[Step, Trips] : Within) {
      if (Step % Size == 0)
        continue;
      const std::int64_t Far = Step * (std::int64_t(Trips) - 1);
      if (std::abs(Far) >= Size)
        return std::nullopt;
      First += std::min<std::int64_t>(Far, 0);
      Reach += std::abs(Far);
    }
    Within.clear();
    return Reach;
  }

private:
  StrideEngine &Engine;
  std::int64_t First = 0, Multiples = 0;
  SmallVector<std::pair<std::int64_t, unsigned>, 2> Within; // steps of loops, and how often these run
};

} // namespace

// Whether the loop's steps add up to no more than a row.
static bool staysInRow(const SCEV *Step, const SCEV *Row, const Loop *A, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *Count = Engine.backedges(A);
  if (!Count || Engine.varies(Count, A))
    return false;
  Count = Engine.simplify(SE.getTruncateOrSignExtend(unclamped(Count, SE), Step->getType()));
  const SCEV *Trips = SE.getAddExpr(Count, SE.getOne(Step->getType()));
  return SE.getMulExpr(Step, Trips) == Row;
}

bool areInOwnColumns(const SCEV *X, const SCEV *Y, const Loop *A, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *Row = nullptr, *Step = nullptr, *Start = nullptr;
  for (const SCEV *Offset : {X, Y}) {
    SmallVector<const SCEV *, 4> Kept;
    const auto *Sum = dyn_cast<SCEVAddExpr>(Offset);
    const auto *Along = dyn_cast<SCEVAddRecExpr>(Offset);
    SmallVector<const SCEV *, 4> Terms;
    if (Along && Along->getLoop() == A && Along->isAffine()) {
      if (Step && Step != Along->getStepRecurrence(SE))
        return false;
      Step = Along->getStepRecurrence(SE);
      Sum = dyn_cast<SCEVAddExpr>(Along->getStart());
      Terms.push_back(Along->getStart());
    } else {
      Terms.push_back(Offset);
    }
    if (Sum)
      Terms.assign(Sum->operands().begin(), Sum->operands().end());
    for (const SCEV *Term : Terms) {
      if (!Engine.varies(Term, A)) {
        Kept.push_back(Term);
        continue;
      }
      const auto [Constant, Factors] = factorsOf(Term);
      SmallVector<const SCEV *, 4> Stay{SE.getConstant(Term->getType(), Constant, /*isSigned=*/true)};
      copy_if(Factors, std::back_inserter(Stay), [&](const SCEV *F) { return !Engine.varies(F, A); });
      const SCEV *Product = SE.getMulExpr(Stay);
      if (Stay.size() == 1 || (Row && Row != Product))
        return false;
      Row = Product;
    }
    const SCEV *Rest = Kept.empty() ? SE.getZero(Offset->getType()) : SE.getAddExpr(Kept);
    if (Start && Start != Rest)
      return false;
    Start = Rest;
  }
  return Row && Step && staysInRow(Step, Row, A, Engine);
}

bool areFieldsApart(const SCEV *X, unsigned XBytes, const SCEV *Y, unsigned YBytes, StrideEngine &Engine) {
  Field FX(Engine), FY(Engine);
  FX.add(X);
  FY.add(Y);
  const std::int64_t Size = std::gcd(FX.multiples(), FY.multiples());
  if (!Size)
    return false;
  const std::optional<std::int64_t> ReachX = FX.reach(Size), ReachY = FY.reach(Size);
  if (!ReachX || !ReachY)
    return false;
  const std::int64_t Behind = ((FY.first() - FX.first()) % Size + Size) % Size;
  return Behind >= *ReachX + XBytes && Behind + *ReachY + YBytes <= Size;
}

} // namespace stridewise
