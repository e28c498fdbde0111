// R30: data of all ranks that one of them writes, or files that the ranks write one after another.
//
// Gather: the receive buffer of an MPI_Gather(v), or of a loop of receives over all ranks (mpi/RankLoops), is what a
// write to a file behind it reads. Turns: in a loop over the ranks the one whose number the counter has writes a file,
// and a barrier lets the next one begin.
// Silent: prints to the terminal, blocks of a known few bytes per rank (statistics), reading, reduced values.
// Known false positives: output that is written once in a run and small although its size is not known here.
#include "fortran/FortranLoops.h"
#include "library/FileOutput.h"
#include "library/LibraryCalls.h"
#include "mpi/RankLoops.h"
#include "unit/Check.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-serial-io";

class SerialIo : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (Functions.empty() || !writesFiles(*U.ir()))
      return;
    const double MinBytes = R.threshold(Slug, "min_block_bytes"), LargeBytes = R.threshold(Slug, "large_block_bytes");
    const RankFacts &Ranks = ranksOf(U);
    MpiEffects Effects(U);
    SourceCalls Sources(U);
    std::map<std::pair<clang::FileID, unsigned>, Found> Best;
    auto Add = [&](Found X) {
      X.Frames = Sources.frames(*X.Write);
      if (X.Frames.empty())
        return;
      auto [It, New] = Best.try_emplace(U.sources().getDecomposedLoc(X.Frames[0].Where), X);
      if (!New && X.Conf > It->second.Conf)
        It->second = X;
    };
    for (MpiFunction *M : Functions) {
      SmallVector<CallBase *, 8> Writes;
      for (BasicBlock &BB : M->function())
        for (Instruction &I : counted(BB))
          if (auto *C = dyn_cast<CallBase>(&I); C && isFileWrite(*C))
            Writes.push_back(C);
      if (Writes.empty())
        continue;
      for (const MpiSite &S : counted(M->sites()))
        if (isGather(S))
          if (std::optional<Found> X = gathered(*M, S, S.arg(S.Sig->RecvBuffer), nullptr, Writes, MinBytes, LargeBytes))
            Add(std::move(*X));
      for (const RankLoop &L : findRankLoops(*M, Ranks, Effects))
        if (L.Receives && !L.Sends && L.S != RankLoop::EachRoot)
          if (std::optional<Found> X =
                  gathered(*M, *L.Site, L.Site->arg(L.Site->Sig->Buffer), L.L, Writes, MinBytes, LargeBytes))
            Add(std::move(*X));
      for (CallBase *W : Writes)
        if (std::optional<Found> X = takesTurns(*M, W, Ranks))
          Add(std::move(*X));
    }
    // Many writes belong to one output: one finding per place where the data come together.
    std::set<std::tuple<const CallBase *, const void *>> Said;
    for (auto &[Where, X] : Best)
      if (Said.insert({X.Turns ? nullptr : X.Source, X.Frames[0].around()}).second)
        report(X, Sources, U, R);
  }

private:
  struct Found {
    CallBase *Write = nullptr;
    CallBase *Source = nullptr;      // where the data come together, or the barrier between turns
    const Loop *OverRanks = nullptr; // in which they come, message by message
    bool Turns = false, InLoop = false;
    Confidence Conf = Confidence::Medium;
    std::vector<SourceFrame> Frames;
  };

  static bool writesFiles(const Module &M) {
    return any_of(M, [](const Function &F) {
      const LibraryCall *Known = findLibraryCall(&F);
      return Known && Known->does(LibOutput) &&
             (Known->Stream >= 0 || Known->Descriptor >= 0 || F.getName().starts_with("_FortranAioOutput"));
    });
  }

  static bool isGather(const MpiSite &S) { return S.Sig->Does == MpiDoes::Gather && !S.is(MpiPersistent); }

  static std::optional<std::uint64_t> blockBytes(MpiFunction &M, const MpiSite &S) { return M.messageBytes(S); }

  static bool reads(MpiFunction &M, Value *V, const SCEV *Base, const Loop *In, unsigned Depth = 0) {
    if (V->getType()->isPointerTy() && M.baseOf(V, In) == Base)
      return true;
    if (auto *Load = dyn_cast<LoadInst>(V))
      return M.baseOf(Load->getPointerOperand(), In) == Base;
    auto *I = dyn_cast<Instruction>(V);
    return I && Depth < 4 && isa<CastInst, BinaryOperator, SelectInst>(I) &&
           any_of(I->operands(), [&](Use &Part) { return reads(M, Part, Base, In, Depth + 1); });
  }

  static std::optional<Found> gathered(MpiFunction &M, const MpiSite &S, Value *Buffer, const Loop *Peers,
                                       ArrayRef<CallBase *> Writes, double MinBytes, double LargeBytes) {
    std::optional<std::uint64_t> Bytes = blockBytes(M, S);
    if (!Buffer || isa<Constant>(Buffer->stripPointerCasts()) != isa<GlobalVariable>(Buffer->stripPointerCasts()) ||
        (Bytes && *Bytes < MinBytes))
      return std::nullopt;
    for (CallBase *W : Writes) {
      if (!M.reaches(S.Call, W))
        continue;
      const Loop *In = M.engine().loops().getLoopFor(W->getParent());
      const SCEV *Base = M.baseOf(Buffer, Peers);
      if (none_of(writtenData(*W), [&](Value *V) { return reads(M, V, Base, In); }))
        continue;
      Found X;
      X.Write = W;
      X.Source = S.Call;
      X.OverRanks = Peers;
      const Loop *Around = M.engine().loops().getLoopFor(S.Call->getParent());
      while (Around && Peers && Peers->contains(Around))
        Around = Around == Peers ? Peers->getParentLoop() : Around->getParentLoop();
      X.InLoop = Around != nullptr;
      X.Conf = X.InLoop || (Bytes && *Bytes >= LargeBytes) ? Confidence::High : Confidence::Medium;
      return X;
    }
    return std::nullopt;
  }

  // for (r = 0; r < size; r++) { if (rank == r) write; MPI_Barrier(comm); }
  static std::optional<Found> takesTurns(MpiFunction &M, CallBase *W, const RankFacts &Ranks) {
    for (const RunCondition &C : M.conditions(W->getParent()))
      for (auto [V, Holds] : C.Facts) {
        auto *Compare = dyn_cast<ICmpInst>(V);
        if (!Compare || !Compare->isEquality() || (Compare->getPredicate() == CmpInst::ICMP_EQ) != Holds)
          continue;
        for (unsigned K : {0u, 1u}) {
          const bool IsRank = Ranks.rank(Compare->getOperand(K)).has_value();
          for (const Loop *L = M.engine().loops().getLoopFor(C.Branch->getParent()); L; L = L->getParentLoop()) {
            Stride Step = M.engine().stride(Compare->getOperand(1 - K), L);
            if (Step.K != Stride::Constant ||
                !(IsRank ? runsOverRanks(L, Ranks) : onlyTakesTurns(M, L, C, Compare->getOperand(K))))
              continue;
            for (const MpiSite &S : counted(M.sites()))
              if (S.is(MpiBarrier) && L->contains(S.Call)) {
                Found X;
                X.Write = W;
                X.Source = S.Call;
                X.Turns = true;
                X.InLoop = L->getParentLoop() != nullptr;
                X.Conf = IsRank ? Confidence::High : Confidence::Medium;
                return X;
              }
          }
        }
      }
    return std::nullopt;
  }

  // A loop that does nothing but what stands under the condition, and the barrier: the value which its counter has to
  // meet can only be the rank, even where the function does not see that MPI_Comm_rank gave it.
  static bool onlyTakesTurns(MpiFunction &M, const Loop *L, const RunCondition &Turn, Value *Rank) {
    if (isa<Constant>(Rank) || M.engine().varies(Rank, L) || M.engine().tripCount(L))
      return false;
    for (BasicBlock *BB : L->blocks()) {
      bool OnTurn =
          any_of(M.conditions(BB), [&](const RunCondition &C) { return C.Branch == Turn.Branch && C.Arm == Turn.Arm; });
      if (OnTurn || isErrorPath(*BB))
        continue;
      for (Instruction &I : counted(*BB)) {
        auto *Call = dyn_cast<CallBase>(&I);
        const MpiSignature *Sig = Call ? findMpiCall(*Call) : nullptr;
        if (isa<StoreInst>(I) || (Call && !isa<IntrinsicInst>(Call) && !(Sig && (Sig->Traits & MpiBarrier)) &&
                                  !Call->onlyReadsMemory() && !Call->doesNotReturn()))
          return false;
      }
    }
    return true;
  }

  void report(const Found &X, SourceCalls &Sources, Unit &U, Reporter &R) {
    Finding F;
    F.Rule = Slug;
    F.Conf = X.Conf;
    const SourceFrame &At = X.Frames[0];
    F.Range = At.Statement ? headerOf(*At.Statement, U) : At.range();
    F.Function = At.function();
    if (At.around())
      F.Scope = At.scope();
    std::vector<SourceFrame> From = Sources.frames(*X.Source);
    if (!From.empty())
      F.Relateds.push_back(
          {From[0].Where, X.Turns ? "the next rank waits for this barrier" : "the data come together here"});
    if (const clang::SourceRange Loop = X.OverRanks ? loopRange(X.OverRanks, U) : clang::SourceRange(); Loop.isValid())
      F.Relateds.push_back({Loop.getBegin(), "from one rank after another"});
    for (std::size_t Level = 1; Level < X.Frames.size(); ++Level)
      F.Relateds.push_back({X.Frames[Level].Where, "called from here"});
    // A run shows the cost where the data come together: with a helper that only writes, outside of the scope.
    if (!From.empty() && From[0].around() != At.around()) {
      Place Line = placeOf(U.ast(), From[0].Where);
      F.Accesses.push_back({Line.File, Line.Line, From[0].function(), -1});
    }
    std::string When = X.InLoop ? ", each time again" : "";
    F.Args = {{"what", X.Turns ? "the ranks write the file one after another" + When
                               : "one rank writes what all ranks have computed, while they wait" + When}};
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-serial-io", SerialIo)

} // namespace
} // namespace stridewise
