#include "checks/mpi-rank-guarded-collective/CollectiveOrder.h"
#include "checks/mpi-rank-guarded-collective/RankPaths.h"
#include "library/LibraryCalls.h"
#include "unit/Counted.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>

using namespace llvm;

namespace stridewise {
namespace {

class RankArms {
public:
  RankArms(Function &F, const RankFacts &Ranks) : F(F), Ranks(Ranks) {
    for (BasicBlock &BB : F)
      if (isa<UnreachableInst>(BB.getTerminator()) || isErrorPath(BB))
        Dead.insert(&BB);
  }

  /// Where both arms meet again, paths that end the program left out; null when that is behind the function.
  const BasicBlock *meeting(const Instruction *Branch) const {
    // A post-dominator lies on every path to the end: candidates are the blocks of one such path.
    DenseMap<const BasicBlock *, const BasicBlock *> From;
    SmallVector<const BasicBlock *, 32> Queue = {Branch->getParent()};
    const BasicBlock *End = nullptr;
    for (std::size_t K = 0; K < Queue.size() && !End; ++K)
      for (const BasicBlock *Next : successors(Queue[K])) {
        if (Dead.contains(Next) || Next == Branch->getParent() || !From.try_emplace(Next, Queue[K]).second)
          continue;
        Queue.push_back(Next);
        if (succ_empty(Next)) {
          End = Next;
          break;
        }
      }
    SmallVector<const BasicBlock *, 32> Path;
    for (const BasicBlock *BB = End; BB && BB != Branch->getParent(); BB = From.lookup(BB))
      Path.push_back(BB);
    for (const BasicBlock *Candidate : reverse(Path))
      if (!reachesEnd(Branch->getParent(), Candidate))
        return Candidate;
    return nullptr;
  }

  bool isDead(const BasicBlock *BB) const { return Dead.contains(BB); }

  /// The arm that a later branch must take when `Branch` took `Arm`; nothing when it may take any.
  std::optional<unsigned> follows(const Instruction *T, const Instruction *Branch, const RankFacts::Guard &G,
                                  unsigned Arm) const {
    if (T == Branch)
      return Arm;
    const auto *A = dyn_cast<BranchInst>(T);
    const auto *B = dyn_cast<BranchInst>(Branch);
    if (!A || !B || !A->isConditional())
      return std::nullopt;
    if (A->getCondition() == B->getCondition())
      return Arm;
    if (!G.Equality || !G.Whole)
      return std::nullopt;
    std::optional<RankFacts::Guard> Other = Ranks.guard(A->getCondition());
    if (!Other || !Other->Equality || !Other->Whole || Other->Comm != G.Comm || Other->Root != G.Root)
      return std::nullopt;
    bool One = (Arm == 0) == G.OneOnTrue; // the single rank took this arm
    return One == Other->OneOnTrue ? 0u : 1u;
  }

private:
  bool reachesEnd(const BasicBlock *From, const BasicBlock *Without) const {
    SmallVector<const BasicBlock *, 32> Work = {From};
    SmallPtrSet<const BasicBlock *, 32> Seen = {From, Without};
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      if (succ_empty(BB))
        return true;
      for (const BasicBlock *Next : successors(BB))
        if (!Dead.contains(Next) && Seen.insert(Next).second)
          Work.push_back(Next);
    }
    return false;
  }

  Function &F;
  const RankFacts &Ranks;
  SmallPtrSet<const BasicBlock *, 8> Dead;
};

class Matcher {
public:
  Matcher(MpiFunction &M, const RankFacts &Ranks, const TargetLibraryInfo &TLI)
      : M(M), Ranks(Ranks), TLI(TLI), Arms(M.function(), Ranks) {
    Function &F = M.function();
    for (const MpiSite &S : counted(M.sites())) {
      StringRef Name = S.Sig->Name;
      if (S.Sig->Does == MpiDoes::Finalize) {
        Steps[S.Call] = {Name.str(), "world"};
      } else if (S.is(MpiCollective) && S.arg(S.Sig->Comm) && !S.is(MpiJoinsGroups) &&
                 !S.arg(S.Sig->Comm)->getType()->isVoidTy()) {
        CommName Comm = Ranks.communicator(S.arg(S.Sig->Comm));
        if (Comm != "self" && !StringRef(Name).contains("_free") && !StringRef(Name).contains("_disconnect"))
          Steps[S.Call] = {Name.str(), Comm};
      }
    }
    for (BasicBlock &BB : F)
      for (Instruction &I : counted(BB))
        if (Steps.contains(&I))
          StepsIn[&BB].push_back(cast<CallBase>(&I));
  }

  std::vector<CollectiveMismatch> find() {
    std::vector<CollectiveMismatch> Out;
    if (Steps.empty())
      return Out;
    for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&M.function())) {
      auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
      if (!Br || !Br->isConditional() || Arms.isDead(BB))
        continue;
      std::optional<RankFacts::Guard> G = Ranks.guard(Br->getCondition());
      if (!G)
        continue;
      if (std::optional<CollectiveMismatch> X = judge(Br, *G))
        Out.push_back(std::move(*X));
    }
    return Out;
  }

private:
  struct Step {
    std::string Name, Comm;
    bool operator==(const Step &) const = default;
  };
  struct Next {
    std::vector<CallBase *> Calls; // in program order
    bool Meets = false;            // the meeting place is reached without a call
    bool Leaves = false;           // the function's end is
  };

  bool concerns(const Step &S, const RankFacts::Guard &G) const {
    return S.Comm == "world" || (!G.Comm.empty() && S.Comm == G.Comm);
  }

  // The first collective calls behind an instruction (or at the beginning of the arm).
  Next next(const Instruction *After, unsigned Arm) {
    Next Out;
    SmallPtrSet<const BasicBlock *, 32> Seen;
    SmallVector<BasicBlock *, 16> Work;
    auto Enter = [&](const Instruction *T) {
      if (T->getNumSuccessors() == 0) {
        Out.Meets = Out.Leaves = true;
        return;
      }
      std::optional<unsigned> Only = Arms.follows(T, Branch, Guard, Arm);
      for (unsigned K = 0; K < T->getNumSuccessors(); ++K) {
        BasicBlock *BB = T->getSuccessor(K);
        if ((Only && *Only != K) || Arms.isDead(BB))
          continue;
        if (BB == Meeting)
          Out.Meets = true;
        else if (Seen.insert(BB).second)
          Work.push_back(BB);
      }
    };
    auto Scan = [&](BasicBlock *BB, const Instruction *From) {
      auto It = StepsIn.find(BB);
      if (It != StepsIn.end())
        for (CallBase *C : It->second)
          if ((!From || From->comesBefore(C)) && concerns(Steps[C], Guard)) {
            Out.Calls.push_back(C);
            return;
          }
      Enter(BB->getTerminator());
    };
    if (After == Branch)
      Enter(Branch);
    else
      Scan(const_cast<BasicBlock *>(After->getParent()), After);
    while (!Work.empty())
      Scan(Work.pop_back_val(), nullptr);
    llvm::sort(Out.Calls, [&](CallBase *A, CallBase *B) { return order(A) < order(B); });
    return Out;
  }

  unsigned order(const CallBase *C) const {
    for (auto [K, S] : enumerate(M.sites()))
      if (S.Call == C)
        return K;
    return 0;
  }

  // Whether ranks that go on behind A and ranks that go on behind B can make the same calls.
  bool agree(const Instruction *A, const Instruction *B) {
    // A pair that is met again while it is judged asks for nothing new.
    auto [Known, New] = Visited.try_emplace({A, B}, true);
    if (!New || Visited.size() > 400)
      return Known->second;
    Next First = next(A, 0), Second = next(B, 1);
    bool Agree = First.Meets && Second.Meets;
    // An arm that never ends, like a server's loop, is none that the other one could meet.
    Agree |= First.Calls.empty() && Second.Calls.empty();
    for (CallBase *X : First.Calls)
      for (CallBase *Y : Second.Calls)
        if (!Agree && Steps[X] == Steps[Y] && agree(X, Y))
          Agree = true;
    Visited[{A, B}] = Agree;
    if (Agree || Found)
      return Agree;
    Found = true;
    // A call that the other arm lacks altogether says most.
    bool FromSecond = First.Calls.empty() || (!Second.Calls.empty() && First.Meets && !Second.Meets);
    const Next &Mine = FromSecond ? Second : First, &Theirs = FromSecond ? First : Second;
    Result.Arm = FromSecond;
    Result.Call = Mine.Calls.front();
    Result.Instead = Theirs.Calls.empty() ? nullptr : Theirs.Calls.front();
    Result.Leaves = Theirs.Leaves && Theirs.Calls.empty();
    return false;
  }

  // One arm may go round the call that the other one always makes: `if (rank == 0 && done) break;` before it.
  bool skips() {
    // A call that depends on a count, as at the end of a warm-up, is no way round: leaving the function or loop is.
    const Loop *Around = M.engine().loops().getLoopFor(Branch->getParent());
    bool LeavesFunction = !Meeting || (succ_empty(Meeting) && none_of(*Meeting, [](const Instruction &I) {
                                         return isa<CallBase>(I) && !isa<IntrinsicInst>(I);
                                       }));
    if (!LeavesFunction && !(Around && !Around->contains(Meeting)))
      return false;
    Next First = next(Branch, 0), Second = next(Branch, 1);
    if (First.Meets == Second.Meets)
      return false;
    const Next &Bound = First.Meets ? Second : First, &Free = First.Meets ? First : Second;
    if (Bound.Calls.empty())
      return false;
    Result = {};
    Result.Arm = First.Meets;
    Result.Call = Bound.Calls.front();
    Result.Leaves = Free.Leaves;
    Result.Always = false;
    return true;
  }

  // A call that one arm may make and the other one cannot: `if (rank == 0) { if (verbose) MPI_Barrier(comm); }`.
  bool lacks() {
    SmallVector<CallBase *, 8> Reached[2];
    for (unsigned Arm : {0u, 1u}) {
      SmallPtrSet<CallBase *, 8> Seen;
      SmallVector<const Instruction *, 8> Work = {Branch};
      while (!Work.empty())
        for (CallBase *C : next(Work.pop_back_val(), Arm).Calls)
          if (Seen.insert(C).second) {
            Reached[Arm].push_back(C);
            Work.push_back(C);
          }
    }
    for (unsigned Arm : {0u, 1u}) {
      llvm::sort(Reached[Arm], [&](CallBase *A, CallBase *B) { return order(A) < order(B); });
      for (CallBase *C : Reached[Arm])
        if (none_of(Reached[1 - Arm], [&](CallBase *O) { return Steps[O] == Steps[C]; })) {
          Result.Arm = Arm;
          Result.Call = C;
          Result.Always = false;
          return true;
        }
    }
    return false;
  }

  std::optional<CollectiveMismatch> judge(const BranchInst *Br, const RankFacts::Guard &G) {
    Branch = Br;
    Guard = G;
    Meeting = Arms.meeting(Br);
    Visited.clear();
    Found = false;
    Result = {};
    if (Arms.isDead(Br->getSuccessor(0)) || Arms.isDead(Br->getSuccessor(1)) || endsDead(0) || endsDead(1))
      return std::nullopt;
    if ((agree(Br, Br) && !lacks() && !skips()) || makesUpInTurn())
      return std::nullopt;
    Result.Branch = Br;
    Result.Guard = G;
    Result.Name = Steps[Result.Call].Name;
    Result.Comm = Steps[Result.Call].Comm;
    Result.Deferred = callsForeign(1 - Result.Arm);
    if (!Result.Deferred)
      seekElsewhere();
    return Result;
  }

  // Each rank makes the call when it comes to its turn: where the loop has calls of that kind only, all make as many.
  bool makesUpInTurn() const {
    const LoopInfo &LI = M.engine().loops();
    if ((Result.Arm == 0) != Guard.OneOnTrue || !RankFacts::takesTurns(Guard, *Branch, LI))
      return false;
    const Step &Mine = Steps.find(Result.Call)->second;
    const Loop *L = LI.getLoopFor(Branch->getParent());
    while (L->isLoopInvariant(Guard.Root))
      L = L->getParentLoop();
    return all_of(L->blocks(), [&](const BasicBlock *BB) {
      auto It = StepsIn.find(BB);
      return It == StepsIn.end() || all_of(It->second, [&](CallBase *C) {
               const Step &S = Steps.find(C)->second;
               return !concerns(S, Guard) || S == Mine;
             });
    });
  }

  // What one arm lacks, its ranks may make up for elsewhere: `if (rank != 0) MPI_Barrier(c); if (rank == 0) close(f);`.
  void seekElsewhere() {
    if (!Paths)
      Paths.emplace(M.function(), Ranks, M.engine().loops(), TLI);
    std::map<std::pair<std::string, std::string>, unsigned> Numbers;
    auto Number = [&](const Instruction &I) -> std::optional<unsigned> {
      auto It = Steps.find(&I);
      if (It == Steps.end() || !concerns(It->second, Guard))
        return std::nullopt;
      return Numbers.try_emplace({It->second.Name, It->second.Comm}, Numbers.size()).first->second;
    };
    PathComparison Whole = Paths->compare(*Branch, Guard, Number);
    const unsigned Lacking = 1 - Result.Arm;
    Result.Made = Whole.Verdict == PathVerdict::Same;
    // What a condition lets happen was no certain mismatch before, either.
    Result.Open = Whole.Verdict == PathVerdict::Open && Result.Always;
    if (Result.Made || Whole.Verdict == PathVerdict::Unknown || !Whole.CallsAway[Lacking])
      return;
    // The calls may be behind functions that only these ranks call: other units know.
    for (BasicBlock &BB : M.function())
      if (const auto *Br = dyn_cast<BranchInst>(BB.getTerminator()); Br && Br->isConditional() && Br != Branch)
        if (std::optional<RankFacts::Guard> G = Ranks.guard(Br->getCondition());
            G && Paths->partAlike(*Branch, Guard, *Br, *G) &&
            callsForeign(*Br, Guard.OneOnTrue == G->OneOnTrue ? Lacking : 1 - Lacking))
          Result.Deferred = true;
  }

  // The arm of another branch calls functions of other units before its arms meet.
  bool callsForeign(const BranchInst &Br, unsigned Arm) {
    const BranchInst *Kept = std::exchange(Branch, &Br);
    const BasicBlock *Met = std::exchange(Meeting, Arms.meeting(&Br));
    bool Out = callsForeign(Arm);
    Branch = Kept;
    Meeting = Met;
    return Out;
  }

  // The arm calls functions of other units before the arms meet.
  bool callsForeign(unsigned Arm) const {
    SmallPtrSet<const BasicBlock *, 32> Seen = {Branch->getParent(), Meeting};
    SmallVector<const BasicBlock *, 16> Work;
    auto Enter = [&](const BasicBlock *BB) {
      if (!Arms.isDead(BB) && Seen.insert(BB).second)
        Work.push_back(BB);
    };
    Enter(Branch->getSuccessor(Arm));
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      for (const Instruction &I : counted(*BB))
        if (const auto *C = dyn_cast<CallBase>(&I); C && isForeignCall(*C, TLI))
          return true;
      for (const BasicBlock *Next : successors(BB))
        Enter(Next);
    }
    return false;
  }

  // All paths of the arm end the program, or none ends.
  bool endsDead(unsigned Arm) {
    Next N = next(Branch, Arm);
    return N.Calls.empty() && !N.Meets;
  }

  MpiFunction &M;
  const RankFacts &Ranks;
  const TargetLibraryInfo &TLI;
  RankArms Arms;
  DenseMap<const Instruction *, Step> Steps;
  DenseMap<const BasicBlock *, std::vector<CallBase *>> StepsIn;
  const BranchInst *Branch = nullptr;
  RankFacts::Guard Guard;
  const BasicBlock *Meeting = nullptr;
  std::map<std::pair<const Instruction *, const Instruction *>, bool> Visited;
  bool Found = false;
  CollectiveMismatch Result;
  std::optional<RankPaths> Paths; // made when a mismatch asks for it
};

} // namespace

std::vector<CollectiveMismatch> findMismatches(MpiFunction &M, const RankFacts &Ranks, const TargetLibraryInfo &TLI) {
  return Matcher(M, Ranks, TLI).find();
}

bool isForeignCall(const CallBase &C, const TargetLibraryInfo &TLI) {
  const Function *Callee = C.getCalledFunction();
  LibFunc Known;
  return Callee && !isa<IntrinsicInst>(C) && !findMpiCall(C) && !isLocalCall(C, TLI) &&
         !TLI.getLibFunc(*Callee, Known) && !findLibraryCall(Callee) && !isStandardCxx(*Callee);
}

} // namespace stridewise
