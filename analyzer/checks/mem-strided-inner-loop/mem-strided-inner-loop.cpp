// Innermost loops that jump through memory where an enclosing loop would walk it.
//
// For each nest whose cost falls when another loop runs innermost, and where that order is legal, reports the inner
// loop's line. Where one source loop was inlined into several functions, each copy is judged with what its caller
// knows, and the loop is reported once.
//
// Medium at most: a step that is a number of the run, which nothing bounds from below (LoopOrder.cpp); the advice says
// so. Low: two loops that main runs once, beside a nest of three or more in the unit. Known false positives: rows that
// are shorter than a cache line; data that another part of the program keeps in cache.
#include "checks/mem-strided-inner-loop/FortranOrder.h"
#include "checks/mem-strided-inner-loop/LoopIndependence.h"
#include "checks/mem-strided-inner-loop/NestOrders.h"
#include "fortran/FortranLoops.h"
#include "loops/ArrayNames.h"
#include "loops/LoopCopies.h"
#include "loops/LoopInterchange.h"
#include "loops/LoopOrder.h"
#include "loops/SetUp.h"
#include "omp/SharedLoops.h"
#include "omp/TeamSize.h"
#include "unit/Check.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "clang/Basic/OpenMPKinds.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

constexpr const char *Slug = "mem-strided-inner-loop";

class StridedInnerLoop : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    this->U = &U;
    Limits = {R.threshold(Slug, "min_cost_ratio"), R.threshold(Slug, "min_footprint_bytes"),
              R.threshold(Slug, "max_line_work"), [&U](const Loop *L) { return isShared(L, U); }};
    if (U.isFortran()) {
      for (Finding &Said : fortranOrders(U, Limits)) {
        Said.Rule = Slug;
        R.report(std::move(Said));
      }
      return;
    }
    Found.clear();
    for (Function &F : *M)
      if (!F.isDeclaration())
        for (const LoopNest &N : loopNests(F, U.analyses()))
          if (auto Order = orderOfNest(N, F, U.analyses(), Limits)) {
            const clang::Stmt *Inner = U.loopStatement(N.inner());
            if (Inner && U.loopStatement(N.Loops[Order->Level]) && keepsTeam(*Order))
              Found[Inner].push_back(*Order);
          }
    for (auto &[Loop, Copies] : Found)
      if (std::optional<Finding> Said = describe(Loop, Copies))
        R.report(std::move(*Said));
  }

private:
  static bool isShared(const Loop *L, Unit &U) {
    if (U.isFortran()) {
      const std::optional<FortranLoop> Found = fortranLoop(L, U);
      return Found && Found->Statement->isShared();
    }
    const clang::OMPLoopDirective *D = sharingDirective(U.loopStatement(L), U);
    return D && clang::isOpenMPWorksharingDirective(D->getDirectiveKind());
  }

  // A loop around the one that a team shares may be what keeps the team's iterations apart.
  bool keepsTeam(const BetterOrder &Order) {
    if (Order.Bundles)
      return true;
    const LoopNest &N = *Order.Nest;
    const clang::OMPLoopDirective *Around = sharingDirective(U->loopStatement(N.Loops[Order.Level]), *U);
    for (unsigned K = 0; K < Order.Level; ++K)
      if (const clang::OMPLoopDirective *D = sharingDirective(U->loopStatement(N.Loops[K]), *U);
          D && D != Around && clang::isOpenMPWorksharingDirective(D->getDirectiveKind()) &&
          !staysIndependent(N, Order.Level, K, StrideEngine::get(*Order.F, U->analyses())))
        return false;
    return true;
  }

  std::optional<Finding> describe(const clang::Stmt *Inner, const std::vector<BetterOrder> &Copies) {
    // The surest copy speaks; among equals the function's own, whose sizes have names.
    auto IsOwn = [](const BetterOrder &C) { return !isInlinedCopy(*C.Nest->inner()); };
    const BetterOrder &C =
        *std::max_element(Copies.begin(), Copies.end(), [&](const BetterOrder &X, const BetterOrder &Y) {
          return std::make_tuple(X.Conf, IsOwn(X), X.Ratio) < std::make_tuple(Y.Conf, IsOwn(Y), Y.Ratio);
        });
    const LoopNest &N = *C.Nest;
    const clang::Stmt *Outer = U->loopStatement(N.Loops[C.Level]);

    Finding Said;
    Said.Rule = Slug;
    Said.Conf = C.Conf;
    Said.Range = loopHeader(Inner);
    Said.Function = Unit::functionName(U->functionAt(Inner->getBeginLoc()));
    // The outer loop may be a caller's.
    bool SameFunction = U->functionAt(Outer->getBeginLoc()) == U->functionAt(Inner->getBeginLoc());
    Said.Scope = SameFunction ? Outer->getSourceRange() : Inner->getSourceRange();
    if (!SameFunction)
      Said.Conf = std::min(Said.Conf, Confidence::Medium);
    if (isColdOrder(N, Inner, Outer))
      Said.Conf = Confidence::Low;
    const ReferenceGroup *Worst = mostImproved(C, Limits.MinRatio);
    if (!Worst)
      return std::nullopt;
    Said.Args["inner"] = counterName(Inner);
    Said.Args["outer"] = counterName(Outer);
    Said.Args["outer_line"] = lineOfLoop(Outer, Inner, *U);
    Said.Args["stride"] = step(C, *Worst, 0);
    Said.Args["best_stride"] = step(C, *Worst, C.Level);
    Said.Args["cost_ratio"] = std::round(C.Ratio * 10) / 10;
    if (!C.Bundles)
      Said.Args["assumption"] = assumption(C, *Worst, SameFunction, isPerfectNest(Outer, Inner), counterName(Outer));
    Said.Args["remedy"] = remedy(C, *Worst, Outer, Said.Args);
    Said.Relateds.push_back({loopHeader(Outer).getBegin(), C.Bundles ? "neighbours of this loop share cache lines"
                                                                     : "this loop should be the inner one"});
    for (const BetterOrder &Copy : Copies)
      for (Access &A : improvedAccesses(Copy, Outer->getSourceRange(), Limits.MinRatio, *U))
        if (none_of(Said.Accesses,
                    [&](const Access &B) { return A.Line == B.Line && A.Function == B.Function && A.File == B.File; }))
          Said.Accesses.push_back(std::move(A));
    if (std::optional<Fix> Exchange = exchange(Inner, Outer, Copies))
      Said.Fixes.push_back(std::move(*Exchange));
    return Said;
  }

  // Whether something says that the order costs little where it stands.
  bool isColdOrder(const LoopNest &N, const clang::Stmt *Inner, const clang::Stmt *Outer) {
    // The lines of a loop over the threads of a team, one for each, last for the loop around it, which walks along
    // them.
    if (countsThreads(Inner, *U))
      return true;
    // Its iterations run side by side already where the compiler does as it is told.
    const clang::OMPLoopDirective *D = sharingDirective(Outer, *U);
    return (D && clang::isOpenMPSimdDirective(D->getDirectiveKind())) || isSetUp(N.inner(), *U);
  }

  // The fix, where all that must change is the order of two headers.
  std::optional<Fix> exchange(const clang::Stmt *Inner, const clang::Stmt *Outer,
                              const std::vector<BetterOrder> &Copies) {
    bool IsExchange = all_of(Copies, [](const BetterOrder &Copy) {
      const ExchangeVerdict &V = Copy.Verdict;
      return !Copy.Bundles && !Copy.Splits && (V.K == ExchangeVerdict::Proven || V.K == ExchangeVerdict::Assumed) &&
             !V.CopiesScalars && !V.AsksFormulas && V.Rows.empty() && !V.SiblingLoops && !V.TestsBound &&
             !V.CallsBeside && !V.Searches && Copy.Level == 1;
    });
    if (!IsExchange)
      return std::nullopt;
    bool Independent = all_of(Copies, [&](const BetterOrder &Copy) {
      return isInnerIndependent(*Copy.Nest, Copy.Level, StrideEngine::get(*Copy.F, U->analyses()));
    });
    const clang::OMPLoopDirective *Shared = Independent ? sharingDirective(Outer, *U) : nullptr;
    std::optional<Fix> Exchange = exchangeHeaders(Outer, Inner, *U, Shared);
    if (!Exchange)
      return std::nullopt;
    for (const BetterOrder &Copy : Copies)
      doubtOrder(*Exchange, Copy.Verdict);
    if (!seesAllCallers(Inner))
      doubt(*Exchange, "other units may compile this function with other arguments");
    if (Shared)
      doubtSharing(*Exchange, loopVariable(Inner)->getNameAsString());
    return Exchange;
  }

  std::string remedy(const BetterOrder &C, const ReferenceGroup &Worst, const clang::Stmt *Outer, const ArgMap &Args) {
    if (C.Bundles)
      return bundleRemedy(C, Worst, sharingDirective(Outer, *U) != nullptr, Args);
    return variant(Slug, C.Splits ? "split" : "exchange", Args);
  }

  void doubtOrder(Fix &Exchange, const ExchangeVerdict &V) const {
    if (V.DistinctArrays)
      doubt(Exchange, arrayNames(V.Distinct, *U) + " may overlap");
    else if (V.K == ExchangeVerdict::Assumed)
      doubt(Exchange, "an index may leave its row");
    if (V.ReordersSum)
      doubt(Exchange, "sums are rounded in another order");
  }

  // Which thread has which part of the arrays is what other loops and first writes may count on; that comes in addition
  // to what the order alone leaves open.
  static void doubtSharing(Fix &Exchange, const std::string &Counter) {
    std::string Why = "threads then divide the loop over '" + Counter + "'";
    if (Exchange.Safety == FixSafety::Safe)
      doubt(Exchange, std::move(Why));
    else
      Exchange.Why += ", and " + Why;
  }

  // The copies of a function that other units may inline with other arguments are not all here to be proven.
  bool seesAllCallers(const clang::Stmt *Loop) const {
    const clang::FunctionDecl *F = U->functionAt(Loop->getBeginLoc());
    return F && U->sources().isInMainFile(U->sources().getExpansionLoc(Loop->getBeginLoc())) && !F->isTemplated() &&
           !F->isTemplateInstantiation();
  }

  std::string assumption(const BetterOrder &C, const ReferenceGroup &Worst, bool SameFunction, bool Perfect,
                         const std::string &Counter) {
    const ExchangeVerdict &V = C.Verdict;
    std::string Text;
    if (C.AssumesStep) {
      const std::string Step = step(C, Worst, 0);
      Text = ", provided that " + (StringRef(Step).ends_with(" bytes") ? Step + " are more" : "a row is longer") +
             " than a cache line";
    }
    if (V.DistinctArrays)
      Text += (Text.empty() ? ", provided that " : " and that ") + arrayNames(V.Distinct, *U) + " do not overlap";
    if (V.AsksFormulas)
      Text += (Text.empty() ? ", provided that " : " and that ") +
              std::string("the functions that are called there give the same in any order");
    if (V.CallsBeside)
      Text += (Text.empty() ? ", provided that " : " and that ") +
              std::string("the calls beside the inner loop leave its arrays alone");
    if (V.CopiesScalars)
      Text +=
          "; scalars that the inner loop carries from one iteration to the next become arrays over '" + Counter + "'";
    if (!V.Rows.empty()) {
      const std::string Only = V.Rows.size() == 1 ? arrayName(*V.Rows.front(), nullptr, *U) : std::string();
      Text += "; " + (Only.empty() ? arrayNames(V.Rows, *U) + " get" : "'" + Only + "' gets") +
              " a dimension more, over '" + Counter + "'" +
              (V.AssumesFilled ? ", provided that all that is read of them was filled in the same iteration" : "");
    }
    if (V.TestsBound)
      Text += "; the end of the inner loop, another one for each '" + Counter + "', becomes a test in its body";
    if (!SameFunction)
      Text += "; it is in a caller of this function";
    else if (V.Substitutes)
      Text +=
          "; what an iteration makes final is read by all later ones: make it final first, then let it change these "
          "one after the other (a sweep by columns)";
    else if (!Perfect && !C.Splits)
      Text += "; split off the other statements between the two loops first";
    if (V.ReordersSum)
      Text += "; sums are then rounded in another order";
    return Text;
  }

  std::string step(const BetterOrder &C, const ReferenceGroup &G, unsigned Level) {
    StrideEngine &Engine = StrideEngine::get(*C.F, U->analyses());
    const Loop *L = C.Nest->Loops[Level];
    const SCEV *Address = C.Nest->References[G.Members.front()].Address;
    if (G.Strides[Level].K == Stride::Constant)
      return std::to_string(std::abs(G.Strides[Level].Bytes)) +
             (std::abs(G.Strides[Level].Bytes) == 1 ? " byte" : " bytes");
    if (G.Strides[Level].K == Stride::Symbolic)
      if (std::string Text = Engine.describe(Address, L, [&](const Value *V) { return loadedName(V, *U); });
          !Text.empty())
        return Text + " bytes";
    return G.Strides[Level].K == Stride::Symbolic ? "a whole row" : "from row to row";
  }

  Unit *U = nullptr;
  OrderLimits Limits;
  MapVector<const clang::Stmt *, std::vector<BetterOrder>> Found;
};

STRIDEWISE_CHECK("mem-strided-inner-loop", StridedInnerLoop)

} // namespace
} // namespace stridewise
