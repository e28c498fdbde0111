// Transposes in plain loops: one array runs along its rows, another across them, so that no order of the two loops
// serves both. What serves both is tiles: the lines of a tile stay in the first-level cache until all of each is used.
//
// The property, on strides in bytes: of two loops of a nest the inner one steps less than a line through one array and
// a line or more through another, and the outer one the other way round. Elements that one of the two loops comes back
// to (a product's factors) are no transpose. One sweep of the inner loop must touch more lines than the first-level
// cache holds, or be of unknown length.
//
// Where a condition chooses between the loops and the same in tiles, the program has what would be advised (low
// confidence).
//
// Known false positives: sizes of run time that are small in every run.
#include "checks/mem-unblocked-transpose/TileFix.h"
#include "fortran/FortranLoops.h"
#include "loops/ArrayNames.h"
#include "loops/LoopCopies.h"
#include "loops/LoopInterchange.h"
#include "loops/LoopLegality.h"
#include "loops/LoopOrder.h"
#include "loops/LoopPlaces.h"
#include "loops/ProfiledAccesses.h"
#include "loops/SetUp.h"
#include "loops/TileLoops.h"
#include "loops/TiledAlternative.h"
#include "thresholds.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

constexpr const char *Slug = "mem-unblocked-transpose";
using limits::mem_unblocked_transpose::TileElements;

struct Transpose {
  const LoopNest *Nest;
  unsigned Level;                             // of the loop along the strided array's rows
  const ReferenceGroup *Strided, *Contiguous; // seen from the innermost loop
  double Bytes;                               // of the strided array's part that the nest walks; 0 when unknown
  ExchangeVerdict Verdict;
  bool Beside; // the same in tiles
};

bool isAlong(const Stride &S) {
  return S.K == Stride::Constant && S.Bytes != 0 && std::abs(static_cast<double>(S.Bytes)) < CacheLineBytes;
}

// A row or more. Unknown steps are judged by where the rows come from.
bool isAcross(const Stride &S) {
  return S.K == Stride::Symbolic || S.K == Stride::Unknown ||
         (S.K == Stride::Constant && std::abs(static_cast<double>(S.Bytes)) >= CacheLineBytes);
}

// Whether a loop goes to another row in each iteration, one behind the other in a table of pointers. Which row data
// choose (`table[kind[i]][j]`) says nothing of how many there are.
bool walksRowTable(const Reference &R, const Loop *L, StrideEngine &Engine) {
  const Value *Base = getUnderlyingObject(R.Pointer);
  while (const auto *Row = dyn_cast<LoadInst>(Base)) {
    const Stride S = Engine.stride(Engine.rewrite(const_cast<Value *>(Row->getPointerOperand())), L);
    if (S.K != Stride::Unknown)
      return S.K != Stride::Zero;
    Base = getUnderlyingObject(Row->getPointerOperand());
  }
  return false;
}

class UnblockedTranspose : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    this->U = &U;
    MinBytes = R.threshold(Slug, "min_array_bytes");
    SureBytes = R.threshold(Slug, "sure_bytes");
    MinShare = R.threshold(Slug, "min_share");
    OrderRatio = R.threshold("mem-strided-inner-loop", "min_cost_ratio"); // from which that rule proposes an exchange
    MapVector<const void *, Finding> Found;
    for (Function &F : *M) {
      if (F.isDeclaration())
        continue;
      for (const LoopNest &N : loopNests(F, U.analyses()))
        if (std::optional<Transpose> T = find(N, F))
          if (std::optional<Finding> Said = describe(*T)) {
            const void *Key = loopPlace(N.inner(), U)->Key;
            Tiled[Key].push_back({N.inner(), tiles(*T)});
            auto [It, New] = Found.insert({Key, *Said});
            if (!New && Said->Conf > It->second.Conf)
              It->second = std::move(*Said);
          }
    }
    const llvm::DenseMap<const void *, std::vector<LoopCopy>> Copies = copiesOfTiled(*M);
    for (auto &[Loop, Said] : Found) {
      if (std::optional<Fix> X = fixOfAll(Tiled[Loop], Copies.lookup(Loop)))
        Said.Fixes.push_back(std::move(*X));
      R.report(std::move(Said));
    }
  }

private:
  struct TiledCopy {
    const Loop *Inner;
    std::optional<Fix> Change;
  };

  std::optional<Fix> tiles(const Transpose &T) {
    if (U->isFortran() || T.Level != 1)
      return std::nullopt;
    return tileLoops(U->loopStatement(T.Nest->Loops[1]), U->loopStatement(T.Nest->inner()), T.Verdict,
                     unsigned(TileElements), *U);
  }

  // All copies of the loops that some copy allows to change.
  llvm::DenseMap<const void *, std::vector<LoopCopy>> copiesOfTiled(Module &M) {
    llvm::DenseMap<const void *, std::vector<LoopCopy>> Out;
    if (none_of(Tiled, [](const auto &Each) {
          return any_of(Each.second, [](const TiledCopy &C) { return C.Change.has_value(); });
        }))
      return Out;
    for (Function &F : M)
      if (!F.isDeclaration())
        for (const LoopNest &N : loopNests(F, U->analyses()))
          if (const std::optional<LoopPlace> Place = loopPlace(N.inner(), *U); Place && Tiled.count(Place->Key))
            Out[Place->Key].push_back({&F, N.inner()});
    for (auto &[Loop, Copies] : Out)
      dropUncalled(Copies);
    return Out;
  }

  // The source is one for all copies: each has to allow it, and the least sure one says how safe it is.
  static std::optional<Fix> fixOfAll(ArrayRef<TiledCopy> Changed, ArrayRef<LoopCopy> Copies) {
    std::optional<Fix> Least;
    for (const LoopCopy &C : Copies) {
      const auto *It = find_if(Changed, [&](const TiledCopy &Each) { return Each.Inner == C.L; });
      if (It == Changed.end() || !It->Change)
        return std::nullopt;
      if (!Least || It->Change->Safety == FixSafety::Unsafe)
        Least = It->Change;
    }
    return Least;
  }

  std::optional<Transpose> find(const LoopNest &N, Function &F) {
    if (N.OpaqueCall)
      return std::nullopt;
    StrideEngine &Engine = StrideEngine::get(F, U->analyses());
    for (unsigned Level = 1; Level < N.Loops.size(); ++Level) {
      const ReferenceGroup *Strided = costliest(N, 0, Level, Engine), *Contiguous = costliest(N, Level, 0, Engine);
      // Loops between the two that move neither array come back to the same elements; that is no transpose.
      if (!Strided || !Contiguous || !movesOnce(*Strided, N, Level, Engine))
        continue;
      if (staysInFirstLevel(N, Level - 1, Engine) || hasFewRows(N, *Strided) || hasFewRows(N, *Contiguous) ||
          isBlocked(N, Level))
        return std::nullopt;
      const double Now = nestCost(N, 0);
      if (Now <= 0 || cost(*Strided) < MinShare * Now)
        return std::nullopt;
      // Another order of the loops is the simpler cure, where there is one.
      if (betterOrder(N, F, U->analyses(), OrderRatio, FirstLevelBytes))
        return std::nullopt;
      const double Bytes = walkedBytes(*Strided, N, Engine);
      if (Bytes > 0 && Bytes < MinBytes)
        return std::nullopt;
      ExchangeVerdict V = judgeExchange(N, Level, F, U->analyses());
      if (V.K != ExchangeVerdict::Proven && V.K != ExchangeVerdict::Assumed &&
          !isSwap(N, *Strided, *Contiguous, Level, Engine))
        return std::nullopt;
      const SCEV *Arrays[] = {rootOf(N.References[Strided->Members.front()], Engine),
                              rootOf(N.References[Contiguous->Members.front()], Engine)};
      return Transpose{&N, Level, Strided, Contiguous, Bytes, V, hasTiledAlternative(N.Loops[Level], Arrays, F, *U)};
    }
    return std::nullopt;
  }

  static double cost(const ReferenceGroup &G) { return G.Repeats * iterationCost(G.Strides[0], G.Footprint); }

  // The step per iteration of a loop while the counters of the others stand still. Where the inner loop begins behind
  // the outer counter, an iteration of the outer loop moves the inner counter along, too: that part is taken off.
  Stride stepOf(const ReferenceGroup &G, const LoopNest &N, unsigned Level, StrideEngine &Engine) {
    if (Level != 1 || !isTriangle(N))
      return G.Strides[Level];
    const SCEV *Address = N.References[G.Members.front()].Address;
    const SCEV *Outer = Engine.step(Address, N.Loops[1]), *Inner = Engine.step(Address, N.Loops[0]);
    if (!Outer || !Inner || Outer->getType() != Inner->getType())
      return {Stride::Unknown, 0};
    const SCEV *Alone = Engine.scalarEvolution().getMinusSCEV(Outer, Inner);
    if (const auto *C = dyn_cast<SCEVConstant>(Alone))
      return {C->isZero() ? Stride::Zero : Stride::Constant, C->getAPInt().getSExtValue()};
    return {Stride::Symbolic, 0};
  }

  // Of the groups that go across rows in one loop and along them in the other the one that costs most.
  const ReferenceGroup *costliest(const LoopNest &N, unsigned Across, unsigned Along, StrideEngine &Engine) {
    const ReferenceGroup *Most = nullptr;
    for (const ReferenceGroup &G : N.Groups)
      if (!G.Guarded && isAcross(stepOf(G, N, Across, Engine)) && isAlong(stepOf(G, N, Along, Engine)) &&
          (G.Strides[Across].K != Stride::Unknown ||
           walksRowTable(N.References[G.Members.front()], N.Loops[Across], Engine)) &&
          (!Most || cost(G) > cost(*Most)))
        Most = &G;
    return Most;
  }

  // Rows behind a table that holds so few pointers that a line of each stays in the first-level cache.
  static bool hasFewRows(const LoopNest &N, const ReferenceGroup &G) {
    const auto *Row = dyn_cast<LoadInst>(getUnderlyingObject(N.References[G.Members.front()].Pointer));
    if (!Row)
      return false;
    const Value *Table = getUnderlyingObject(Row->getPointerOperand());
    Type *Held = isa<AllocaInst>(Table)       ? cast<AllocaInst>(Table)->getAllocatedType()
                 : isa<GlobalVariable>(Table) ? cast<GlobalVariable>(Table)->getValueType()
                                              : nullptr;
    const auto *Rows = dyn_cast_or_null<ArrayType>(Held);
    return Rows && Rows->getElementType()->isPointerTy() &&
           static_cast<double>(Rows->getNumElements()) * CacheLineBytes <= FirstLevelBytes / 2;
  }

  // No loop between the two brings the same elements again, as a sum over them would.
  static bool movesOnce(const ReferenceGroup &G, const LoopNest &N, unsigned Level, StrideEngine &Engine) {
    for (unsigned K = 1; K < Level; ++K)
      if (G.Strides[K].K == Stride::Zero && Engine.tripCount(N.Loops[K]) != 1)
        return false;
    return true;
  }

  bool isBlocked(const LoopNest &N, unsigned Level) {
    return any_of(drop_begin(N.Loops), [&](const Loop *L) { return isTileLoop(L, *U); }) || !loopPlace(N.inner(), *U) ||
           !loopPlace(N.Loops[Level], *U);
  }

  // Bytes of the elements that the two loops, and those between, go to; 0 when a length is unknown.
  static double walkedBytes(const ReferenceGroup &G, const LoopNest &N, StrideEngine &Engine) {
    double Bytes = std::max<double>(1, N.References[G.Members.front()].Bytes);
    for (unsigned K = 0; K < N.Loops.size(); ++K) {
      if (G.Strides[K].K == Stride::Zero)
        continue;
      const unsigned Trips = Engine.tripCount(N.Loops[K]);
      if (!Trips)
        return 0;
      Bytes *= Trips;
    }
    return Bytes;
  }

  // An exchange of elements in place: the inner loop begins behind where the outer one stands, and the two references
  // are each other's mirror image. Each pair is met once, so that any order of the pairs gives the same.
  bool isSwap(const LoopNest &N, const ReferenceGroup &Strided, const ReferenceGroup &Contiguous, unsigned Level,
              StrideEngine &Engine) {
    auto Both = [&](const ReferenceGroup &G) {
      return any_of(G.Members, [&](unsigned I) { return N.References[I].Reads; }) &&
             any_of(G.Members, [&](unsigned I) { return N.References[I].Writes; });
    };
    return Level == 1 && N.Groups.size() == 2 && isTriangle(N) && Both(Strided) && Both(Contiguous) &&
           stepOf(Strided, N, 0, Engine) == stepOf(Contiguous, N, 1, Engine) &&
           stepOf(Strided, N, 1, Engine) == stepOf(Contiguous, N, 0, Engine);
  }

  bool isTriangle(const LoopNest &N) {
    if (U->isFortran()) {
      const std::optional<FortranLoop> Inner = fortranLoop(N.inner(), *U);
      const std::optional<FortranLoop> Outer = N.Loops.size() > 1 ? fortranLoop(N.Loops[1], *U) : std::nullopt;
      StringRef Start = Inner && Outer ? Inner->Statement->start() : StringRef();
      unsigned Behind = 0;
      return Start.consume_front(Outer ? Outer->Counter : std::string()) && Start.consume_front("+") &&
             !Start.getAsInteger(10, Behind) && Behind > 0;
    }
    const auto *Inner = dyn_cast_or_null<clang::ForStmt>(U->loopStatement(N.inner()));
    const clang::Stmt *Outer = N.Loops.size() > 1 ? U->loopStatement(N.Loops[1]) : nullptr;
    return Inner && Outer && startsBehind(*Inner, loopVariable(Outer));
  }

  // Where a loop's counter starts; null where the header does not say.
  static const clang::Expr *startOf(const clang::ForStmt &Loop) {
    if (const auto *D = dyn_cast_or_null<clang::DeclStmt>(Loop.getInit()); D && D->isSingleDecl()) {
      const auto *V = dyn_cast<clang::VarDecl>(D->getSingleDecl());
      return V ? V->getInit() : nullptr;
    }
    const auto *B = dyn_cast_or_null<clang::BinaryOperator>(Loop.getInit());
    return B && B->isAssignmentOp() ? B->getRHS() : nullptr;
  }

  // From an index that is handed over: a few columns of a halo, perhaps, or a thread's part.
  bool isPart(const Loop *L) {
    if (U->isFortran()) {
      const std::optional<FortranLoop> Known = fortranLoop(L, *U);
      const StringRef Start = Known ? Known->Statement->start() : StringRef();
      std::int64_t Number = 0;
      return !Start.empty() && Start.getAsInteger(10, Number);
    }
    const auto *For = dyn_cast_or_null<clang::ForStmt>(U->loopStatement(L));
    const clang::Expr *Start = For ? startOf(*For) : nullptr;
    clang::Expr::EvalResult Value;
    return Start && !Start->isValueDependent() && !Start->EvaluateAsInt(Value, U->ast());
  }

  // `j = i + c`, c > 0, going up.
  bool startsBehind(const clang::ForStmt &Loop, const clang::VarDecl *Outer) {
    const clang::Expr *Start = startOf(Loop);
    const auto *Sum = Start ? dyn_cast<clang::BinaryOperator>(Start->IgnoreParenImpCasts()) : nullptr;
    if (!Outer || !Sum || Sum->getOpcode() != clang::BO_Add)
      return false;
    auto IsOuter = [&](const clang::Expr *E) {
      const auto *D = dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
      return D && D->getDecl()->getCanonicalDecl() == Outer->getCanonicalDecl();
    };
    auto IsPositive = [&](const clang::Expr *E) {
      clang::Expr::EvalResult Value;
      return !E->isValueDependent() && E->EvaluateAsInt(Value, U->ast()) && Value.Val.getInt().getExtValue() > 0;
    };
    return (IsOuter(Sum->getLHS()) && IsPositive(Sum->getRHS())) ||
           (IsOuter(Sum->getRHS()) && IsPositive(Sum->getLHS()));
  }

  std::optional<Finding> describe(const Transpose &T) {
    const LoopNest &N = *T.Nest;
    const LoopPlace Inner = *loopPlace(N.inner(), *U), Outer = *loopPlace(N.Loops[T.Level], *U);
    const clang::FunctionDecl *Reader = U->isFortran() ? nullptr : U->functionAt(Inner.Range.getBegin());
    const Reference &Strided = N.References[T.Strided->Members.front()];
    const Reference &Contiguous = N.References[T.Contiguous->Members.front()];
    // Rows that are reached by pointers may be few.
    const bool Exact = T.Strided->Strides[0].K != Stride::Unknown;
    Finding Said;
    Said.Rule = Slug;
    Said.Conf = Exact && T.Bytes >= SureBytes ? Confidence::High : Confidence::Medium;
    if (T.Bytes == 0 && (isPart(N.Loops[T.Level]) || (isPart(N.inner()) && !isTriangle(N))))
      Said.Conf = Confidence::Low;
    // What moves nothing compares: a check of symmetry runs once, at the end.
    if (T.Bytes < SureBytes && none_of(N.References, [](const Reference &R) { return R.Writes && !R.Local; }))
      Said.Conf = Confidence::Low;
    // Who has the same in tiles beside it may have chosen for good reasons.
    if (T.Beside)
      Said.Conf = std::min(Said.Conf, Confidence::Medium);
    if (U->isFortran() && isSetUp(N.inner(), *U))
      Said.Conf = Confidence::Low;
    Said.Range = Inner.Header;
    Said.Function = Inner.Function;
    Said.Scope = Inner.Function == Outer.Function ? Outer.Range : Inner.Range;
    StrideEngine &Engine = StrideEngine::get(*Strided.At->getFunction(), U->analyses());
    const double Step = std::abs(static_cast<double>(stepOf(*T.Strided, N, T.Level, Engine).Bytes));
    // The components of a record, and no second dimension: the loop is done before a line is used up.
    if (const unsigned Trips = Engine.tripCount(N.Loops[T.Level]); Trips && Trips * Step < CacheLineBytes)
      Said.Conf = Confidence::Low;
    Said.Args["strided"] = nameOf(Strided, Reader);
    Said.Args["contiguous"] = nameOf(Contiguous, Reader);
    Said.Args["times"] = static_cast<std::int64_t>(std::max(2.0, CacheLineBytes / std::max(1.0, Step)));
    Said.Args["tile"] = std::int64_t(TileElements);
    Said.Args["lines"] = U->isFortran() ? "columns" : "rows";
    Said.Args["inner"] = Inner.Counter;
    Said.Args["outer"] = Outer.Counter;
    Said.Args["assumption"] =
        T.Verdict.DistinctArrays ? ", provided that " + arrayNames(T.Verdict.Distinct, *U) + " do not overlap" : "";
    Said.Relateds.push_back({Outer.Header.getBegin(), U->isFortran() ? "goes along the columns of the other array"
                                                                     : "goes along the rows of the other array"});
    SmallVector<Instruction *, 8> At;
    for (const ReferenceGroup *G : {T.Strided, T.Contiguous})
      for (unsigned I : G->Members)
        At.push_back(N.References[I].At);
    Said.Accesses = profiledAccesses(At, Said.Scope, *U);
    // In tiles every line is fetched once for all of its elements.
    for (Access &A : Said.Accesses)
      A.BestLinesPerAccess = std::min(1.0, Step / CacheLineBytes);
    return Said;
  }

  std::string nameOf(const Reference &R, const clang::FunctionDecl *Reader) {
    std::string Name = arrayName(*R.At, Reader, *U);
    return Name.empty() ? "its array" : Name;
  }

  Unit *U = nullptr;
  double MinBytes = 0, SureBytes = 0, MinShare = 0, OrderRatio = 0;
  MapVector<const void *, std::vector<TiledCopy>> Tiled; // by the inner loop in the source
};

STRIDEWISE_CHECK("mem-unblocked-transpose", UnblockedTranspose)

} // namespace
} // namespace stridewise
