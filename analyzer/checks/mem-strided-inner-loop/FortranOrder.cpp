// Loop nests of a Fortran unit that another order would make contiguous. The order and whether it is legal are what
// they are in C; what the loops are called, and what directives ask of them, is in the text.
#include "checks/mem-strided-inner-loop/FortranOrder.h"
#include "checks/mem-strided-inner-loop/FortranExchange.h"
#include "checks/mem-strided-inner-loop/LineBundles.h"
#include "checks/mem-strided-inner-loop/LoopIndependence.h"
#include "fortran/FortranCode.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopCopies.h"
#include "loops/LoopOrder.h"
#include "loops/SetUp.h"
#include "unit/Catalogue.h"
#include "unit/FixSafety.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

class FortranOrders {
public:
  FortranOrders(Unit &U, const OrderLimits &Limits) : U(U), Limits(Limits) {}

  std::vector<Finding> run() {
    for (Function &F : *U.ir())
      if (!F.isDeclaration())
        for (const LoopNest &N : loopNests(F, U.analyses()))
          if (auto Order = orderOfNest(N, F, U.analyses(), Limits)) {
            std::optional<Copy> C = copyOf(*Order);
            // Where threads could not divide the other loop, the lines of this one can go side by side.
            if (C && !C->Free)
              if (auto Lines = bundledLines(N, F, U.analyses(), Limits))
                if (std::optional<Copy> Beside = copyOf(*Lines))
                  C = std::move(Beside);
            if (C)
              Found[{C->Inner.Statement, C->Outer.Statement}].push_back(std::move(*C));
          }
    std::vector<Finding> Out;
    for (auto &[Where, Copies] : Found)
      if (std::optional<Finding> Said = describe(Copies))
        Out.push_back(std::move(*Said));
    return Out;
  }

private:
  struct Copy {
    BetterOrder Order;
    FortranLoop Inner, Outer;
    bool Shared = false; // a team shares the outer loop
    bool Free = true;    // and the inner one's iterations are independent
    bool Vector = false;
  };

  std::optional<Copy> copyOf(const BetterOrder &Order) {
    const LoopNest &N = *Order.Nest;
    std::optional<FortranLoop> Inner = fortranLoop(N.inner(), U), Outer = fortranLoop(N.Loops[Order.Level], U);
    if (!Inner || !Outer || Outer->IsSection || isOnDevice(N.inner(), U))
      return std::nullopt;
    Copy C{Order, *Inner, *Outer};
    StrideEngine &Engine = StrideEngine::get(*Order.F, U.analyses());
    // A loop around the one that a team shares may be what keeps the team's iterations apart.
    for (unsigned K = 0; K < Order.Level && !Order.Bundles; ++K)
      if (std::optional<FortranLoop> L = fortranLoop(N.Loops[K], U); L && L->Statement != Outer->Statement)
        if (L->Statement->isShared() && !staysIndependent(N, Order.Level, K, Engine))
          return std::nullopt;
    C.Shared = Outer->Statement->isShared();
    C.Free = !C.Shared || Order.Bundles || isInnerIndependent(N, Order.Level, Engine, !Order.Verdict.CopiesScalars);
    C.Vector = StringRef(Outer->Statement->Directive).contains("simd");
    if (C.Shared && C.Inner.IsSection && !Order.Bundles)
      C.Free = false; // there is no loop that could be shared instead
    return C;
  }

  std::optional<Finding> describe(ArrayRef<Copy> Copies) {
    auto IsOwn = [](const Copy &C) { return !isInlinedCopy(*C.Order.Nest->inner()); };
    const Copy &C = *std::max_element(Copies.begin(), Copies.end(), [&](const Copy &X, const Copy &Y) {
      return std::make_tuple(X.Order.Conf, IsOwn(X), X.Order.Ratio) <
             std::make_tuple(Y.Order.Conf, IsOwn(Y), Y.Order.Ratio);
    });
    const LoopNest &N = *C.Order.Nest;
    const Loop *Inner = N.inner(), *Outer = N.Loops[C.Order.Level];
    const ReferenceGroup *Worst = mostImproved(C.Order, Limits.MinRatio);
    if (!Worst)
      return std::nullopt;
    bool SameProcedure = procedureAround(Inner) == procedureAround(Outer);
    bool Assumed = any_of(N.References, [](const Reference &R) { return isAssumedShape(R.Pointer); });

    Finding Said;
    Said.Conf = C.Order.Conf;
    if (Assumed || !SameProcedure)
      Said.Conf = std::min(Said.Conf, Confidence::Medium);
    if (C.Vector || !C.Free || isSetUp(Inner, U))
      Said.Conf = Confidence::Low;
    Said.Range = headerOf(*C.Inner.Statement, U);
    Said.Scope = rangeOf(SameProcedure ? *C.Outer.Statement : *C.Inner.Statement, U);
    Said.Function = procedureAround(Inner);
    Said.Args["inner"] = C.Inner.Counter;
    Said.Args["outer"] = C.Outer.Counter;
    Said.Args["outer_line"] = std::to_string(C.Outer.Statement->Line);
    Said.Args["stride"] = step(C.Order, *Worst, 0);
    Said.Args["best_stride"] = step(C.Order, *Worst, C.Order.Level);
    Said.Args["cost_ratio"] = std::round(C.Order.Ratio * 10) / 10;
    Said.Args["assumption"] = assumption(C, SameProcedure, Assumed);
    Said.Args["remedy"] = C.Order.Bundles
                              ? bundleRemedy(C.Order, *Worst, C.Shared, Said.Args)
                              : variant("mem-strided-inner-loop", C.Order.Splits ? "split" : "exchange", Said.Args);
    Said.Relateds.push_back(
        {headerOf(*C.Outer.Statement, U).getBegin(),
         C.Order.Bundles ? "neighbours of this loop share cache lines" : "this loop should be the inner one"});
    for (const Copy &Each : Copies)
      for (Access &A : improvedAccesses(Each.Order, Said.Scope, Limits.MinRatio, U))
        if (none_of(Said.Accesses,
                    [&](const Access &B) { return A.Line == B.Line && A.Function == B.Function && A.File == B.File; }))
          Said.Accesses.push_back(std::move(A));
    if (Said.Conf != Confidence::Low && SameProcedure)
      if (std::optional<Fix> Exchange = exchange(Copies))
        Said.Fixes.push_back(std::move(*Exchange));
    return Said;
  }

  // The fix, where all that must change is the order of headers. The procedure's own copy knows least of the arguments
  // that it is called with: without it nothing is proven of calls from elsewhere.
  std::optional<Fix> exchange(ArrayRef<Copy> Copies) {
    const Copy &First = Copies.front();
    auto Same = [&](const Copy &C) {
      return !C.Order.Bundles && !C.Order.Splits && C.Order.Level == First.Order.Level && C.Free && movesOnly(C);
    };
    auto IsOwn = [](const Copy &C) { return !isInlinedCopy(*C.Order.Nest->inner()); };
    if (!all_of(Copies, Same) || none_of(Copies, IsOwn))
      return std::nullopt;
    SmallVector<const FortranStatement *, 4> Nest;
    for (unsigned K = First.Order.Level + 1; K-- > 0;) {
      std::optional<FortranLoop> L = fortranLoop(First.Order.Nest->Loops[K], U);
      if (!L || L->IsSection)
        return std::nullopt;
      Nest.push_back(L->Statement);
    }
    std::optional<Fix> Exchange = exchangeFortranLoops(Nest, U);
    if (!Exchange)
      return std::nullopt;
    for (const Copy &C : Copies) {
      if (C.Order.Verdict.K == ExchangeVerdict::Assumed && !C.Order.Verdict.DistinctArrays)
        doubt(*Exchange, "indices are taken to stay within their columns, and bounds to stay as they are");
      if (C.Order.Verdict.ReordersSum)
        doubt(*Exchange, "sums are rounded in another order");
    }
    if (First.Shared)
      doubt(*Exchange, "threads then divide the loop over '" + Nest[1]->Counters.front() + "'");
    return Exchange;
  }

  // Whether the order is all that changes, and nothing leaves the loops in the middle.
  static bool movesOnly(const Copy &C) {
    const ExchangeVerdict &V = C.Order.Verdict;
    if ((V.K != ExchangeVerdict::Proven && V.K != ExchangeVerdict::Assumed) || V.CopiesScalars || !V.Rows.empty() ||
        V.SiblingLoops || V.TestsBound || V.CallsBeside || V.Searches)
      return false;
    for (unsigned K = 0; K <= C.Order.Level; ++K)
      if (const BasicBlock *Exiting = C.Order.Nest->Loops[K]->getExitingBlock();
          !Exiting ||
          (Exiting != C.Order.Nest->Loops[K]->getHeader() && Exiting != C.Order.Nest->Loops[K]->getLoopLatch()))
        return false;
    return true;
  }

  std::string assumption(const Copy &C, bool SameProcedure, bool Assumed) const {
    const ExchangeVerdict &V = C.Order.Verdict;
    std::string Text;
    if (C.Inner.IsSection)
      Text = ": write the section as a loop, or let it run over the first index";
    else
      Text = ", since Fortran keeps what differs in the first index side by side";
    std::string Proviso;
    auto And = [&] { return std::string(Proviso.empty() ? "" : " and that "); };
    if (C.Order.AssumesStep)
      Proviso = "a column is longer than a cache line";
    if (V.DistinctArrays && fortranText(U).sharesStorage())
      Proviso += And() + "the arrays do not overlap";
    if (V.CallsBeside)
      Proviso += And() + "the calls beside the inner loop leave its arrays alone";
    if (Assumed)
      Proviso += And() + "what is passed for arrays of assumed shape is contiguous";
    if (!Proviso.empty())
      Text += ", provided that " + Proviso;
    if (V.CopiesScalars)
      Text += "; scalars that the inner loop carries from one iteration to the next become arrays over '" +
              C.Outer.Counter + "'";
    if (!V.Rows.empty())
      Text += "; arrays that are filled anew for each '" + C.Outer.Counter + "' get a dimension more" +
              std::string(V.AssumesFilled ? ", provided that all that is read of them was filled before" : "");
    if (!SameProcedure)
      Text += "; it is in a caller of this procedure";
    if (C.Shared && !C.Inner.IsSection)
      Text += "; the directive then belongs to the loop over '" + C.Inner.Counter + "'";
    if (V.ReordersSum)
      Text += "; sums are then rounded in another order";
    return Text;
  }

  std::string step(const BetterOrder &O, const ReferenceGroup &G, unsigned Level) {
    StrideEngine &Engine = StrideEngine::get(*O.F, U.analyses());
    const Stride &S = G.Strides[Level];
    if (S.K == Stride::Constant)
      return std::to_string(std::abs(S.Bytes)) + (std::abs(S.Bytes) == 1 ? " byte" : " bytes");
    if (S.K == Stride::Symbolic)
      if (std::string Text =
              Engine.describe(O.Nest->References[G.Members.front()].Address, O.Nest->Loops[Level], fortranName);
          !Text.empty())
        return Text + " bytes";
    return S.K == Stride::Symbolic ? "a whole column" : "from column to column";
  }

  Unit &U;
  const OrderLimits &Limits;
  MapVector<std::pair<const FortranStatement *, const FortranStatement *>, std::vector<Copy>> Found;
};

} // namespace

std::vector<Finding> fortranOrders(Unit &U, const OrderLimits &Limits) { return FortranOrders(U, Limits).run(); }

} // namespace stridewise
