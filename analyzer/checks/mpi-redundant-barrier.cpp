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
#include "core/BarrierNeed.h"
#include "core/Check.h"
#include "core/Reporter.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace stridewise {
namespace {

using namespace effects;

constexpr StringLiteral Slug = "mpi-redundant-barrier";

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
    MpiEffects Effects(U);
    std::map<std::pair<clang::FileID, unsigned>, Spot> Spots;
    for (MpiFunction *M : Functions)
      for (const JudgedBarrier &J : judgeBarriers(*M, Effects)) {
        std::vector<SourceFrame> Frames = Sources.frames(*J.Barrier->Call);
        if (Frames.empty())
          continue;
        Spot &P = Spots[U.sources().getDecomposedLoc(Frames[0].Where)];
        bool Helper = Frames.size() > 1;
        P.Kept |= J.Verdict == BarrierVerdict::Needed || isOptional(Frames, Sources, U);
        P.Inlined |= Helper;
        P.Unsure |= J.Verdict == BarrierVerdict::Abstain && !M->function().hasLocalLinkage();
        if (J.Verdict == BarrierVerdict::Doubtful || J.Verdict == BarrierVerdict::Redundant)
          if (P.Frames.empty() || J.Verdict > P.J.Verdict) {
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
    JudgedBarrier J{};
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
    const JudgedBarrier &J = P.J;
    const SourceFrame &At = P.Frames.front();
    Finding F;
    F.Rule = Slug;
    F.Conf = J.Verdict == BarrierVerdict::Redundant && !P.Unsure ? Confidence::Medium : Confidence::Low;
    F.Range = At.Call ? At.Call->getSourceRange() : clang::SourceRange(At.Where);
    F.Function = Unit::functionName(At.Function);
    if (At.Function)
      F.Scope = At.Function->getSourceRange();
    auto Follows = [](const BarrierSide &S) {
      return S.Nearest && S.Nearest->is(MpiFullSync) && !(S.Here & Message) && !S.Nearest->is(MpiBarrier);
    };
    std::string Where;
    clang::SourceLocation Loop = J.Around ? U.loopLocation(J.Around) : clang::SourceLocation();
    if (!J.Around && J.Before.isEdge())
      Where = "after MPI_Init";
    else if (!J.Around && J.After.isEdge())
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
