// R19: a barrier that orders nothing.
//
// From each MPI_Barrier the IR is walked back and forth to the next full synchronisation on the same communicator, with
// the barriers already found redundant taken away. A barrier is kept when something on the way could meet across ranks
// without a message: wildcard receives, one-sided access, shared memory, files, clocks, calls whose effects are
// unknown, output on both sides or right beside it, many ranks that flood one. What is left are named messages,
// collective calls and computation, which need no barrier. Calls in the unit are followed; for a barrier in a loop, the
// loop counts, and what runs once before and after it does not. Never more than medium: only a run sees all effects.
// Silent: barriers under a condition that is not about ranks (`if (debug)`), functions that do little else.
// Known false positives: shared memory or files reached through other libraries' inline code.
#include "core/Check.h"
#include "core/MpiEffects.h"
#include "core/Reporter.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

using namespace effects;

constexpr StringLiteral Slug = "mpi-redundant-barrier";

// How a walk from a barrier ended, beside the effects that it met.
constexpr unsigned Boundary = 1u << 24, // the function begins or ends
    Synchronised = 1u << 25,            // a full synchronisation
    Started = 1u << 26,                 // MPI_Init
    Finished = 1u << 27;                // MPI_Finalize

// One direction from a barrier.
struct Side {
  unsigned Here = 0;      // effects in the outermost loop around the barrier, or anywhere when there is none
  unsigned Elsewhere = 0; // outside that loop
  bool OutputBeside = false;
  const MpiSite *Nearest = nullptr; // communication or synchronisation next to it in program order, if it was met
  unsigned any() const { return Here | Elsewhere; }
};

enum class Verdict { Abstain, Keep, Low, Medium };

class BarrierJudge {
public:
  explicit BarrierJudge(Unit &U) : Effects(U) {}

  struct Judged {
    const MpiSite *Barrier;
    Verdict V;
    Side Before, After;
    const Loop *Around; // innermost
    bool Timed = false; // something in the outermost loop reads a clock: what the ranks do together is measured there
  };

  /// Nothing happens between MPI_Init and the barrier, or between it and MPI_Finalize.
  static bool isFirst(const Side &Before) {
    return (Before.Here & Started) && !(Before.Here & (Message | Synchronised));
  }
  static bool isLast(const Side &After) { return (After.Here & Finished) && !(After.Here & (Message | Synchronised)); }

  std::vector<Judged> judge(MpiFunction &Facts) {
    M = &Facts;
    Removed.clear();
    SiteOf.clear();
    Timed.clear();
    for (const MpiSite &S : M->sites())
      SiteOf[S.Call] = &S;
    std::vector<Judged> Out;
    for (const MpiSite &S : M->sites()) {
      if (!S.is(MpiBarrier) || S.is(MpiNonblocking))
        continue;
      Judged J{&S, Verdict::Keep, {}, {}, M->engine().loops().getLoopFor(S.Call->getParent())};
      Outermost = J.Around ? J.Around->getOutermostLoop() : nullptr;
      J.Before = walk(S, /*Forward=*/false);
      J.After = walk(S, /*Forward=*/true);
      J.Timed = isTimed(Outermost);
      J.V = decide(J);
      if (J.V == Verdict::Low || J.V == Verdict::Medium)
        Removed.insert(S.Call);
      Out.push_back(J);
    }
    return Out;
  }

private:
  static Verdict decide(const Judged &J) {
    const Side &B = J.Before, &A = J.After;
    unsigned Here = B.Here | A.Here, Any = B.any() | A.any();
    bool InLoop = J.Around != nullptr;
    if ((Any & (Shared | Wildcard)) || (Here & Unknown) || B.OutputBeside || A.OutputBeside)
      return Verdict::Keep;
    if (((B.Here & Output) && (A.Here & (Output | RankOutput))) ||
        ((A.Here & Output) && (B.Here & (Output | RankOutput))))
      return Verdict::Keep;
    if (InLoop) {
      if ((Here & ToOneRank) || J.Timed)
        return Verdict::Keep;
      // A loop of calls alone, between clocks, measures them.
      if (!(Here & Work))
        return Any & Unknown || !(Here & Message) ? Verdict::Keep : Verdict::Medium;
      return Verdict::Medium;
    }
    bool Open = (B.Here & Boundary) && (A.Here & Boundary);
    if (!(Here & Message) && ((B.Here | A.Here) & Boundary) && !(Here & Synchronised))
      return Verdict::Abstain;
    return Open || isFirst(B) || isLast(A) ? Verdict::Low : Verdict::Medium;
  }

  Side walk(const MpiSite &Barrier, bool Forward) {
    Side Out;
    // A block may be met before and after the first communication: output counts as beside the barrier only before.
    SmallPtrSet<const BasicBlock *, 32> Seen[2];
    SmallVector<std::pair<const BasicBlock *, bool>, 16> Work;
    const BasicBlock *Home = Barrier.Call->getParent();
    SmallVector<const Instruction *, 32> Part;
    bool Past = false;
    for (const Instruction &I : *Home) {
      if (&I == Barrier.Call)
        Past = true;
      else if (Past == Forward)
        Part.push_back(&I);
    }
    auto Scan = [&](ArrayRef<const Instruction *> Instructions, const BasicBlock *BB, bool Talked) {
      unsigned &Met = !Outermost || Outermost->contains(BB) ? Out.Here : Out.Elsewhere;
      if (isErrorPath(*BB))
        return;
      auto Visit = [&](const Instruction *I) {
        if (I == Barrier.Call) {
          Met |= Synchronised;
          return false;
        }
        if (auto It = SiteOf.find(I); It != SiteOf.end()) {
          const MpiSite &S = *It->second;
          if (Removed.contains(S.Call))
            return true;
          if (S.is(MpiLifecycle)) {
            Met |= Forward ? Finished : Started;
            return false;
          }
          bool Ahead = Forward ? &S > &Barrier : &S < &Barrier;
          bool Closer = !Out.Nearest || (Forward ? &S < Out.Nearest : &S > Out.Nearest);
          if (S.is(MpiSend | MpiRecv | MpiCollective) && Ahead && Closer)
            Out.Nearest = &S;
          if (S.is(MpiFullSync) && !S.is(MpiNonblocking) && MpiFunction::sameCommunicator(*M, S, Barrier)) {
            Met |= Synchronised;
            return false;
          }
        }
        unsigned E = Effects.of(*I, *M);
        if ((E & Output) && !Talked && (!Outermost || Outermost->contains(BB)))
          Out.OutputBeside = true;
        Talked |= (E & Message) != 0;
        Met |= E;
        return true;
      };
      bool Ended = Forward ? !all_of(Instructions, Visit) : !all_of(reverse(Instructions), Visit);
      if (Ended)
        return;
      if (Forward ? succ_empty(BB) : pred_empty(BB)) {
        if (!isa<UnreachableInst>(BB->getTerminator()))
          Met |= M->function().getName() == "main" ? (Forward ? Finished : Started) : Boundary;
        return;
      }
      auto Enter = [&](const BasicBlock *Next) {
        if (Seen[Talked].insert(Next).second)
          Work.push_back({Next, Talked});
      };
      if (Forward)
        for_each(successors(BB), Enter);
      else
        for_each(predecessors(BB), Enter);
    };
    Scan(Part, Home, false);
    while (!Work.empty()) {
      auto [BB, Talked] = Work.pop_back_val();
      Part.clear();
      for (const Instruction &I : *BB)
        Part.push_back(&I);
      Scan(Part, BB, Talked);
    }
    return Out;
  }

  bool isTimed(const Loop *L) {
    if (!L)
      return false;
    auto [It, New] = Timed.try_emplace(L, false);
    if (New)
      It->second = any_of(L->blocks(), [&](const BasicBlock *BB) {
        return any_of(*BB, [&](const Instruction &I) { return Effects.of(I, *M) & Clock; });
      });
    return It->second;
  }

  MpiEffects Effects;
  MpiFunction *M = nullptr;
  const Loop *Outermost = nullptr;
  SmallPtrSet<const CallBase *, 8> Removed;
  DenseMap<const Instruction *, const MpiSite *> SiteOf;
  DenseMap<const Loop *, bool> Timed;
};

// Variables that an MPI query fills: ranks, sizes.
struct QueryResults : clang::RecursiveASTVisitor<QueryResults> {
  DenseSet<const clang::ValueDecl *> Decls;
  bool VisitCallExpr(clang::CallExpr *E) {
    const MpiSignature *Sig = findMpiCall(*E);
    if (Sig && (Sig->Traits & MpiQuery))
      for (const clang::Expr *A : E->arguments())
        if (const auto *Ref = dyn_cast<clang::UnaryOperator>(A->IgnoreParenImpCasts());
            Ref && Ref->getOpcode() == clang::UO_AddrOf)
          if (const clang::ValueDecl *D = declOf(Ref->getSubExpr()))
            Decls.insert(D);
    return true;
  }
  static const clang::ValueDecl *declOf(const clang::Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Member = dyn_cast<clang::MemberExpr>(E))
      return Member->getMemberDecl();
    if (const auto *Ref = dyn_cast<clang::DeclRefExpr>(E))
      return Ref->getDecl();
    return nullptr;
  }
};

class RedundantBarrier : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    bool AnyBarrier = false;
    for (MpiFunction *M : Functions)
      AnyBarrier |= any_of(M->sites(), [](const MpiSite &S) { return S.is(MpiBarrier); });
    if (!AnyBarrier || sharesMemory(*U.ir()))
      return;
    SourceCalls Sources(U);
    BarrierJudge Judge(U);
    std::map<std::pair<clang::FileID, unsigned>, Spot> Spots;
    for (MpiFunction *M : Functions)
      for (const BarrierJudge::Judged &J : Judge.judge(*M)) {
        std::vector<SourceFrame> Frames = Sources.frames(*J.Barrier->Call);
        if (Frames.empty())
          continue;
        Spot &P = Spots[U.sources().getDecomposedLoc(Frames[0].Where)];
        bool Helper = Frames.size() > 1;
        P.Kept |= J.V == Verdict::Keep || isOptional(Frames, Sources, U);
        P.Inlined |= Helper;
        P.Unsure |= J.V == Verdict::Abstain && !M->function().hasLocalLinkage();
        if (J.V == Verdict::Low || J.V == Verdict::Medium)
          if (P.Frames.empty() || J.V > P.J.V) {
            P.J = J;
            P.Frames = std::move(Frames);
          }
      }
    for (auto &[Where, P] : Spots)
      if (!P.Kept && !P.Frames.empty())
        report(P, Sources, U, R);
  }

private:
  struct Spot {
    BarrierJudge::Judged J{};
    std::vector<SourceFrame> Frames;
    bool Kept = false;    // some use of it is needed
    bool Inlined = false; // it stands in a helper
    bool Unsure = false;  // other units may call the helper
  };

  // Loads and stores to such memory look like any other.
  static bool sharesMemory(const Module &M) {
    static const StringSet<> Names = {
        "MPI_Win_allocate_shared", "MPI_Win_shared_query", "shm_open", "shmat", "mmap", "mmap64"};
    return any_of(M, [](const Function &F) {
      if (!F.isDeclaration() || F.use_empty())
        return false;
      const MpiSignature *Sig = findMpiCall(F.getName());
      return Names.contains(Sig ? Sig->Name : F.getName()) || (Sig && (Sig->Traits & MpiRma));
    });
  }

  // Under a condition that is neither about ranks nor about communicators: someone switches the barrier on at need.
  bool isOptional(ArrayRef<SourceFrame> Frames, SourceCalls &Sources, Unit &U) {
    for (const SourceFrame &F : Frames)
      for (const clang::Expr *Condition : Sources.conditionsAround(F.Where))
        if (!isAboutRanks(Condition, U))
          return true;
    return false;
  }

  bool isAboutRanks(const clang::Expr *Condition, Unit &U) {
    if (!Queried) {
      Queried.emplace();
      for (clang::Decl *D : U.ast().getTranslationUnitDecl()->decls())
        if (!U.sources().isInSystemHeader(D->getLocation()))
          Queried->TraverseDecl(D);
    }
    struct Finder : clang::RecursiveASTVisitor<Finder> {
      const DenseSet<const clang::ValueDecl *> &Decls;
      bool Found = false;
      explicit Finder(const DenseSet<const clang::ValueDecl *> &Decls) : Decls(Decls) {}
      bool VisitExpr(clang::Expr *E) {
        if (const clang::ValueDecl *D = QueryResults::declOf(E))
          Found |= Decls.contains(D);
        const auto *T = E->getType()->getAs<clang::TypedefType>();
        Found |= T && T->getDecl()->getName() == "MPI_Comm";
        return !Found;
      }
    } F(Queried->Decls);
    F.TraverseStmt(const_cast<clang::Expr *>(Condition));
    return F.Found;
  }

  // "MPI_Recv (line 57)", with the line in the function of the barrier.
  static std::string name(const MpiSite &S, const clang::FunctionDecl *Around, SourceCalls &Sources, Unit &U) {
    std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
    if (Frames.empty())
      return S.Sig->Name;
    auto It = find_if(Frames, [&](const SourceFrame &F) { return F.Function == Around; });
    const SourceFrame &F = It == Frames.end() ? Frames.front() : *It;
    return (Twine(S.Sig->Name) + " (line " + Twine(U.sources().getExpansionLineNumber(F.Where)) + ")").str();
  }

  void report(const Spot &P, SourceCalls &Sources, Unit &U, Reporter &R) {
    const BarrierJudge::Judged &J = P.J;
    const SourceFrame &At = P.Frames.front();
    Finding F;
    F.Rule = Slug;
    F.Conf = J.V == Verdict::Medium && !P.Unsure ? Confidence::Medium : Confidence::Low;
    F.Range = At.Call ? At.Call->getSourceRange() : clang::SourceRange(At.Where);
    F.Function = Unit::functionName(At.Function);
    if (At.Function)
      F.Scope = At.Function->getSourceRange();
    auto Follows = [](const Side &S) {
      return S.Nearest && S.Nearest->is(MpiFullSync) && !(S.Here & Message) && !S.Nearest->is(MpiBarrier);
    };
    std::string Where;
    clang::SourceLocation Loop = J.Around ? U.loopLocation(J.Around) : clang::SourceLocation();
    if (!J.Around && BarrierJudge::isFirst(J.Before))
      Where = "after MPI_Init";
    else if (!J.Around && BarrierJudge::isLast(J.After))
      Where = "before MPI_Finalize";
    else if (Follows(J.Before))
      Where = "after " + name(*J.Before.Nearest, At.Function, Sources, U);
    else if (Follows(J.After))
      Where = "before " + name(*J.After.Nearest, At.Function, Sources, U);
    else if (Loop.isValid())
      Where = "in the loop at line " + std::to_string(U.sources().getExpansionLineNumber(Loop));
    else if (J.Before.Nearest && J.After.Nearest)
      Where = "between " + name(*J.Before.Nearest, At.Function, Sources, U) + " and " +
              name(*J.After.Nearest, At.Function, Sources, U);
    else if (J.Before.Nearest)
      Where = "after " + name(*J.Before.Nearest, At.Function, Sources, U);
    else if (J.After.Nearest)
      Where = "before " + name(*J.After.Nearest, At.Function, Sources, U);
    else
      Where = "between computations";
    if (Loop.isValid()) {
      if (const clang::Stmt *S = U.loopStatement(J.Around);
          S && U.sources().isWrittenInSameFile(S->getBeginLoc(), At.Where))
        F.Scope = S->getSourceRange();
      F.Relateds.push_back({Loop, "in each iteration of this loop"});
    }
    for (std::size_t Level = 1; Level < P.Frames.size(); ++Level)
      F.Relateds.push_back({P.Frames[Level].Where, "called from here"});
    bool Open = (J.Before.Here & Boundary) && (J.After.Here & Boundary) && !J.Around;
    F.Args = {
        {"place", Where},
        {"condition", std::string(Open || P.Unsure ? ", unless callers order files, output or clocks with it" : "")}};
    Place Line = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({Line.File, Line.Line, F.Function, -1});
    R.report(std::move(F));
  }

  std::optional<QueryResults> Queried;
};

STRIDEWISE_CHECK("mpi-redundant-barrier", RedundantBarrier)

} // namespace
} // namespace stridewise
