// What optimisation leaves of a write in its loop, and whether that is done often enough to matter.
#include "checks/omp-false-sharing/TeamCode.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "clang/Basic/OpenMPKinds.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {

using namespace limits::omp_false_sharing;

bool TeamCode::differ(QualType A, QualType B) const {
  A = Ctx.getCanonicalType(A).getUnqualifiedType();
  B = Ctx.getCanonicalType(B).getUnqualifiedType();
  if (A->isAnyCharacterType() || B->isAnyCharacterType() || A->isRecordType() || B->isRecordType())
    return false;
  if (A->isPointerType() && B->isPointerType())
    return false;
  auto Signed = [&](QualType T) {
    return T->isUnsignedIntegerType() && !T->isBooleanType() && !T->isEnumeralType()
               ? Ctx.getCanonicalType(Ctx.getCorrespondingSignedType(T))
               : CanQualType::CreateUnsafe(T);
  };
  return Signed(A) != Signed(B);
}

bool TeamCode::areDistinct(const ObjectPath &A, const ObjectPath &B) {
  return A.Root == ObjectPath::Variable && B.Root == ObjectPath::Variable && !A.hops() && !B.hops() &&
         A.Var->getCanonicalDecl() != B.Var->getCanonicalDecl() && !A.Var->getType()->isReferenceType() &&
         !B.Var->getType()->isReferenceType();
}

bool TeamCode::varies(const ObjectPath &P, const Level *L) const {
  for (const ObjectPath::Step &S : P.Steps) {
    if (!S.isElement())
      continue;
    for (SymbolId X : S.Index.symbols()) {
      const SymbolInfo &I = Paths.symbol(X);
      if (X == Thread)
        continue;
      if (I.Var ? L->Assigned.contains(I.Var->getCanonicalDecl()) : I.Opaque || I.Loaded)
        return true;
    }
    if (dependsOnCounters(S.Index, L))
      return true;
  }
  return P.Root == ObjectPath::Variable && P.hops() && L->Assigned.contains(P.Var->getCanonicalDecl());
}

bool TeamCode::dependsOnCounters(const Poly &P, const Level *L) const {
  if (L->Counter && Paths.dependsOn(P, *L->Counter))
    return true;
  return llvm::any_of(L->Inner, [&](const Level *X) { return dependsOnCounters(P, X); });
}

static bool isKnownHere(const ObjectPath &P) {
  return P.Root == ObjectPath::Variable && !P.hops() && P.Var->hasGlobalStorage() && !P.Var->isExternallyVisible();
}

TeamCode::Fate TeamCode::fate(const Access &A, const Level *L) const {
  unsigned Depth = 0;
  for (const Level *X = L; X->Parent; X = X->Parent)
    ++Depth;
  if (A.Kind != Plain || !Ctx.getLangOpts().Optimize || A.Condition >= Depth || any(L, &Level::Blocks) ||
      any(L, &Level::Jumps) || varies(A.P, L))
    return Stays;
  Fate Result = Goes;
  for (const Access &B : Accesses) {
    if (!Meter::spend())
      return Goes;
    if (!within(B.In, L) || differ(A.Type, B.Type) || Element[&B - Accesses.data()] == Element[&A - Accesses.data()] ||
        areDistinct(A.P, B.P))
      continue;
    const FieldDecl *Mine = A.P.Steps.back().Field, *Other = B.P.Steps.empty() ? nullptr : B.P.Steps.back().Field;
    if (Mine && Other && Mine != Other && Mine->getParent() == Other->getParent())
      continue;
    // A shared number may be read before the loop, once the compiler sees whose it is; no pointer from outside points
    // at what has a name in this unit alone, unless its address is given away.
    if (!B.P.isPlainVariable() && !(isKnownHere(A.P) && B.P.hops()))
      return Stays;
    Result = MayStay;
  }
  return Result;
}

void TeamCode::number() {
  llvm::StringMap<unsigned> Known;
  for (const Access &A : Accesses)
    Element.push_back(Known.try_emplace(Paths.key(A.P), Known.size()).first->second);
}

void TeamCode::judge() {
  number();
  for (const Access &A : Accesses)
    if (A.Writes && !A.Own && !A.Alone && A.In->Parent)
      judge(A);
}

void TeamCode::judge(const Access &A) {
  if (A.P.Root != ObjectPath::Variable && A.P.Root != ObjectPath::This)
    return;
  SlotWrite W;
  if (!chooses(A, W) || !settle(A, W))
    return;
  for (const SlotWrite &Known : counted(Found))
    if (Known.Array == W.Array && (Known.Loop == W.Loop || Known.Write == W.Write))
      return;
  Found.push_back(std::move(W));
}

// if (x > most[t]) most[t] = x: the longer the loop runs, the fewer of its iterations write.
bool TeamCode::isExtremum(const Access &A) const {
  const unsigned Own = Element[&A - Accesses.data()];
  return !A.Reads && !A.Under.empty() && llvm::any_of(Accesses, [&](const Access &B) {
    return B.Reads && !B.Writes && B.In == A.In && Element[&B - Accesses.data()] == Own &&
           llvm::ArrayRef<unsigned>(A.Under).drop_back() == llvm::ArrayRef<unsigned>(B.Under);
  });
}

std::vector<SlotWrite> TeamCode::inEachCall() const {
  std::vector<SlotWrite> Out;
  // Loops and calls are work beside which one write does not show; what asks for the time is called between phases.
  if (!IsOrphan || !Root.Inner.empty() || !Root.Heavy.empty() || Root.Unknown || Root.Clock ||
      Accesses.size() > LongBodyAccesses)
    return Out;
  for (const Access &A : Accesses) {
    const auto IsElement = [&](const Access &B) {
      return Element[&B - Accesses.data()] == Element[&A - Accesses.data()];
    };
    SlotWrite W;
    if (!A.Writes || A.Own || A.Alone || A.P.Root != ObjectPath::Variable || A.Function != Functions.front() ||
        llvm::none_of(Accesses, [&](const Access &B) { return B.Reads && IsElement(B); }) || !chooses(A, W) ||
        W.By != SlotWrite::Thread || llvm::any_of(Out, [&](const SlotWrite &Known) { return Known.Array == W.Array; }))
      continue;
    W.Sure = false;
    W.Called = true;
    W.Write = A.E;
    W.Loop = A.Function->getBody();
    W.Function = A.Function;
    W.Adds = true;
    Out.push_back(std::move(W));
  }
  return Out;
}

// The innermost loop in which the write stays. What a register keeps in a loop that may have no iterations is written
// once for each row: the next loop cannot be left by it.
std::pair<TeamCode::Level *, const TeamCode::Level *> TeamCode::homeOf(const Access &A, SlotWrite &W) const {
  const Level *Row = nullptr;
  for (Level *L = A.In; L->Parent; L = L->Parent) {
    const Fate F = Row ? MayStay : fate(A, L);
    if (F != Goes) {
      W.Sure &= F == Stays;
      return {L, Row};
    }
    if (W.By == SlotWrite::Thread && isCheapRow(*L))
      Row = L;
  }
  return {nullptr, nullptr};
}

bool TeamCode::settle(const Access &A, SlotWrite &W) const {
  if (isExtremum(A))
    return false;
  const auto [Home, Row] = homeOf(A, W);
  if (!Home || !Home->S)
    return false;
  // Often enough, and not beside long work.
  std::int64_t Writes = 1;
  bool Known = true;
  for (const Level *L = Home; L->Parent; L = L->Parent) {
    Known &= L->Trips.has_value();
    if (L->Trips && Writes < (std::int64_t(1) << 40))
      Writes *= std::max<std::int64_t>(*L->Trips, 1);
  }
  if (Known && static_cast<double>(Writes) < Limits.MinWrites)
    return false;
  bool Doubtful = any(Home, &Level::Unknown);
  if (isHeavy(Home, A.Under, Doubtful) || work(Home, A.Under, Row, Doubtful) > ShortLoopTrips)
    return false;
  W.EveryIteration = Home->Shared != nullptr && W.By == SlotWrite::Iteration;
  if (Doubtful) {
    if (W.EveryIteration)
      return false;
    W.Sure = false;
  }
  if (W.EveryIteration) {
    if (llvm::count_if(Accesses, [&](const Access &X) { return within(X.In, Home); }) > LongBodyAccesses)
      return false;
    // Handing out short iterations at run time costs more than the lines do: omp-costly-schedule.
    const auto *S = Home->Shared->getSingleClause<OMPScheduleClause>();
    if (!S || S->getScheduleKind() != OMPC_SCHEDULE_static)
      return false;
    W.Sure &= !any(Home, &Level::Blocks);
  }
  if (A.Kind == Growth || IsOrphan)
    W.Sure = false;
  W.Write = A.E;
  W.Team = W.By == SlotWrite::Thread ? Team : nullptr;
  W.Loop = Home->S;
  W.Function = A.Function;
  W.Adds = A.Reads;
  return true;
}

// Whether code under these branches runs whenever that under the others does.
static bool runsWith(llvm::ArrayRef<unsigned> Code, llvm::ArrayRef<unsigned> Others) {
  return Code.size() <= Others.size() && std::equal(Code.begin(), Code.end(), Others.begin());
}

bool TeamCode::isHeavy(const Level *L, const ArmPath &With, bool &Doubtful) {
  bool Always = llvm::any_of(L->Heavy, [&](const ArmPath &P) { return runsWith(P, With); });
  Doubtful |= !L->Heavy.empty();
  for (const Level *X : L->Inner)
    Always |= isHeavy(X, With, Doubtful);
  return Always;
}

bool TeamCode::isCheapRow(const Level &L) const {
  return !L.Trips && L.Inner.empty() &&
         llvm::count_if(Accesses, [&](const Access &X) { return X.In == &L; }) <= RowAccesses;
}

std::int64_t TeamCode::work(const Level *L, const ArmPath &With, const Level *Row, bool &Doubtful) {
  std::int64_t Sum = 0;
  for (const Level *X : L->Inner) {
    if (X == Row || (X->Listed && X->Inner.empty())) {
      Doubtful = true;
      continue;
    }
    if (!runsWith(X->Under, With)) {
      Doubtful |= !X->Trips || *X->Trips > ShortLoopTrips;
      continue;
    }
    if (!X->Trips || *X->Trips > ShortLoopTrips)
      return ShortLoopTrips + 1;
    Sum += *X->Trips * std::max<std::int64_t>(1, work(X, With, Row, Doubtful));
  }
  return Sum;
}

} // namespace stridewise
