// R26: a collective call that some ranks of its communicator make and others do not.
//
// On the inlined IR each branch on the caller's own rank (mpi/RankFacts: variables, members, globals and parameters
// that MPI_Comm_rank filled) is followed on both arms to the place where they meet; the collective calls on the way, by
// name and communicator, must be the same (checks/mpi-rank-guarded-collective/CollectiveOrder). The call is reported
// where the condition stands, also if it is made inside a helper. Collective calls of functions of other units, and
// ranks that other units fill, join in the link phase (checks/mpi-rank-guarded-collective/CollectiveLink); so do calls
// whose partner may be in a function that the other arm calls. What one arm lacks may be made up for elsewhere: the
// calls of both classes of ranks are compared from the function's beginning to its end as well
// (checks/mpi-rank-guarded-collective/RankPaths), and agree, or agree for some answers that one class alone gets (low).
// Silent: communicators of which the members are unknown (made by a split, or another one than the rank's), arms that
// end the program, calls that join two groups, MPI_COMM_SELF. A call that something else decides as well is medium.
// Known false positives: communicators that by construction hold the ranks of one arm only, under the same name.
#include "checks/mpi-rank-guarded-collective/CollectiveLink.h"
#include "checks/mpi-rank-guarded-collective/CollectiveOrder.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-rank-guarded-collective";

class RankGuardedCollective : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    RankFacts Ranks(U);
    Summary = collectiveSummary(U, Ranks, [&](clang::SourceLocation L) { return R.silences(Slug, L); });
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (none_of(Functions, [](MpiFunction *M) {
          return any_of(M->sites(), [](const MpiSite &S) { return S.is(MpiCollective | MpiLifecycle); });
        }))
      return;
    SourceCalls Sources(U);
    // Copies of a helper that were inlined know the communicator; several branches may lack one call.
    std::map<std::pair<clang::FileID, unsigned>, Found> Calls;
    std::set<std::pair<clang::FileID, unsigned>> MadeByCallers, Lacking; // what a helper lacks by itself
    for (MpiFunction *M : Functions)
      for (CollectiveMismatch &X :
           findMismatches(*M, Ranks, U.analyses().getResult<TargetLibraryAnalysis>(M->function()))) {
        if (X.Deferred)
          continue;
        std::vector<SourceFrame> Frames = Sources.frames(*X.Call);
        if (Frames.empty())
          continue;
        std::size_t Level = levelOf(*X.Branch, Frames, U);
        Found New{std::move(X), std::move(Frames), Level};
        auto Key = U.sources().getDecomposedLoc(New.Frames[Level].Where);
        // The frames behind the condition's function are those of its callers.
        bool Called = Level + 1 < New.Frames.size();
        if (New.X.Made) {
          if (Called)
            MadeByCallers.insert(Key);
          continue;
        }
        if (Called)
          Lacking.insert(Key);
        auto [It, Added] = Calls.try_emplace(Key, New);
        if (!Added && New.X.Always > It->second.X.Always)
          It->second = std::move(New);
      }
    for (auto &[Key, F] : Calls)
      if (!MadeByCallers.count(Key) || Lacking.count(Key))
        report(F, Sources, U, R);
  }

  json::Value summarize(Unit &) override { return std::move(Summary); }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    for (const LinkedMismatch &X : linkCollectives(Summaries)) {
      LinkFinding F;
      F.Rule = Slug;
      F.Conf = X.Sure ? Confidence::High : Confidence::Medium;
      F.Where = X.Where;
      F.Function = X.Function;
      F.ScopeBegin = X.ScopeBegin;
      F.ScopeEnd = X.ScopeEnd;
      if (X.Branch)
        F.Relateds.emplace_back(*X.Branch, "the ranks part ways here");
      for (const Place &P : X.Path)
        F.Relateds.emplace_back(P, "on the way to " + X.Call);
      std::string Others = X.Instead.empty() ? "never do, and whoever calls it hangs"
                                             : "call " + X.Instead + " instead, and the program hangs";
      F.Args = {{"who", X.Who}, {"call", X.Call}, {"others", Others}};
      R.report(std::move(F));
    }
  }

private:
  json::Value Summary = nullptr;

  struct Found {
    CollectiveMismatch X;
    std::vector<SourceFrame> Frames;
    std::size_t Level;
  };

  // The frame of the call that stands in the function of the condition.
  static std::size_t levelOf(const Instruction &Branch, ArrayRef<SourceFrame> Frames, Unit &U) {
    const DILocation *D = Branch.getDebugLoc();
    if (!D || !D->getLine())
      return 0;
    std::size_t Depth = 0;
    for (const DILocation *Up = D->getInlinedAt(); Up; Up = Up->getInlinedAt())
      ++Depth;
    const void *In =
        U.isFortran() ? static_cast<const void *>(D->getScope()->getSubprogram()) : U.functionAt(U.locate(DebugLoc(D)));
    if (Depth >= Frames.size())
      return 0;
    std::size_t Level = Frames.size() - 1 - Depth;
    return Frames[Level].around() == In ? Level : 0;
  }

  static std::string who(const CollectiveMismatch &X) {
    const RankFacts::Guard &G = X.Guard;
    if (!G.Equality)
      return "some ranks alone call";
    bool One = (X.Arm == 0) == G.OneOnTrue;
    const auto *C = dyn_cast_or_null<ConstantInt>(G.Root);
    // `rank > 0` compares with the root, `rank < 1` with the next one.
    std::string Name =
        !C ? "one rank" : "rank " + std::to_string(C->isOne() && G.OneOnTrue ? rootOf(X) : C->getSExtValue());
    return One ? Name + " alone calls" : "all ranks but " + (C ? Name.substr(5) : "one") + " call";
  }
  static std::int64_t rootOf(const CollectiveMismatch &X) {
    const auto *Br = cast<BranchInst>(X.Branch);
    const auto *Compare = dyn_cast<ICmpInst>(Br->getCondition());
    return Compare && Compare->getPredicate() == CmpInst::ICMP_SLT ? 0 : 1;
  }

  void report(const Found &X, SourceCalls &Sources, Unit &U, Reporter &R) {
    const CollectiveMismatch &C = X.X;
    const SourceFrame &At = X.Frames[X.Level];
    Finding F;
    F.Rule = Slug;
    bool OneOfAll = C.Guard.Equality && (C.Arm == 0) == C.Guard.OneOnTrue;
    bool Sure =
        C.Always && (C.Guard.Comm == C.Comm) && (C.Guard.Equality || C.Guard.Whole) && (C.Guard.Whole || OneOfAll);
    F.Conf = C.Open ? Confidence::Low : Sure ? Confidence::High : Confidence::Medium;
    F.Range = At.range();
    F.Function = At.function();
    F.Scope = At.scope();
    const clang::SourceManager &SM = U.sources();
    clang::SourceLocation Condition = U.locate(C.Branch->getDebugLoc());
    if (Condition.isValid() && SM.isWrittenInSameFile(Condition, At.Where))
      F.Relateds.push_back({Condition, "the ranks part ways here"});
    for (std::size_t Level = 0; Level < X.Level; ++Level)
      F.Relateds.push_back({X.Frames[Level].Where, C.Name + " is called here"});
    std::string Others = "never do, and whoever calls it hangs";
    if (C.Instead) {
      std::vector<SourceFrame> Frames = Sources.frames(*C.Instead);
      StringRef Other = findMpiCall(*C.Instead)->Name;
      Others = ("call " + Other + " instead, and the program hangs").str();
      if (!Frames.empty())
        F.Relateds.push_back({Frames[0].Where, "the others call " + Other.str()});
    } else if (C.Leaves) {
      Others = "leave the function before it, and whoever calls it hangs";
    }
    if (C.Open)
      Others = "may make it elsewhere, under another condition, and hang where that does not hold";
    F.Args = {{"who", who(C)}, {"call", C.Name}, {"others", Others}};
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-rank-guarded-collective", RankGuardedCollective)

} // namespace
} // namespace stridewise
