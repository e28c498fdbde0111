// R34: a sleep that stops a loop in the middle of its work.
//
// On the inlined IR: a call of sleep, usleep, nanosleep (also behind std::this_thread::sleep_for) in a loop that
// computes, communicates or writes files, and that advances by itself: its exits depend on counters or on values that
// it computes. What waits for something is silent: exits that ask a flag that the loop does not set, a volatile or
// atomic variable, MPI_Test, a probe, another process or file; a sleep after a failed attempt; loops without end; loops
// that do nothing else. A duration that varies emulates work: silent.
// Known false positives: a rate limit of output that someone watches.
#include "core/Check.h"
#include "core/FileOutput.h"
#include "core/MpiEffects.h"
#include "core/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "run-sleep-in-loop";

// What decides a branch.
struct Asks {
  bool Carried = false; // values that the loop itself advances
  bool Outside = false; // flags that it does not set, calls whose answer may change: it waits
};

class SleepInLoop : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    SmallVector<Function *, 4> Sleeps;
    for (StringRef Name : {"sleep", "usleep", "nanosleep", "clock_nanosleep", "thrd_sleep"})
      if (Function *F = M->getFunction(Name); F && F->isDeclaration())
        Sleeps.push_back(F);
    if (Sleeps.empty())
      return;
    SourceCalls Sources(U);
    std::map<std::pair<clang::FileID, unsigned>, Found> Calls;
    for (Function *S : Sleeps)
      for (User *Use : S->users())
        if (auto *C = dyn_cast<CallBase>(Use); C && C->getCalledOperand()->stripPointerCasts() == S)
          if (std::optional<Found> X = judge(*C, U)) {
            X->Frames = Sources.frames(*C);
            if (X->Frames.empty())
              continue;
            auto [It, New] = Calls.try_emplace(U.sources().getDecomposedLoc(X->Frames[0].Where), *X);
            if (!New && X->Conf > It->second.Conf)
              It->second = *X;
          }
    for (auto &[Where, X] : Calls)
      report(X, U, R);
  }

private:
  struct Found {
    CallBase *Call = nullptr;
    const Loop *L = nullptr;
    double Seconds = 0; // 0: unknown
    Confidence Conf = Confidence::Medium;
    std::vector<SourceFrame> Frames;
  };

  static std::optional<Found> judge(CallBase &C, Unit &U) {
    Function &F = *C.getFunction();
    MpiFunction &M = MpiFunction::get(F, U.analyses());
    const auto &TLI = U.analyses().getResult<TargetLibraryAnalysis>(F);
    Found X;
    X.Call = &C;
    const Loop *Repeats = nullptr;
    for (const Loop *L = M.engine().loops().getLoopFor(C.getParent()); L; L = L->getParentLoop()) {
      if (repeatsTheSleep(*L, C, U)) {
        Repeats = L;
        continue;
      }
      Work W = workOf(*L, C, M, TLI);
      Asks Exit, Guard;
      SmallVector<BasicBlock *, 4> Exiting;
      L->getExitingBlocks(Exiting);
      for (BasicBlock *BB : Exiting)
        if (const auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
            Br && Br->isConditional() && !none_of(successors(BB), [&](BasicBlock *N) {
              return !L->contains(N) && !isErrorPath(*N) && !isa<UnreachableInst>(N->getTerminator());
            }))
          asks(Br->getCondition(), *L, M, TLI, Exit);
      for (const RunCondition &Condition : M.conditions(C.getParent()))
        if (L->contains(Condition.Branch) && !leaves(*L, Condition.Branch->getParent()) &&
            !(Repeats && Repeats->contains(Condition.Branch)))
          for (auto [V, Holds] : Condition.Facts)
            asks(V, *L, M, TLI, Guard);
      if (Guard.Outside)
        return std::nullopt;
      if (Exiting.empty() || (Exit.Outside && !W.Sure))
        return std::nullopt;
      if (!Exit.Carried && !W.Sure)
        return std::nullopt;
      if (!W.Any)
        continue;
      std::optional<double> Seconds = duration(C, *L, M);
      if (!Seconds)
        return std::nullopt;
      X.L = L;
      X.Seconds = *Seconds;
      X.Conf = !W.Sure || Exit.Outside || !Exit.Carried ? Confidence::Medium : Confidence::High;
      if (W.Clock || !*Seconds)
        X.Conf = std::min(X.Conf, W.Clock ? Confidence::Low : Confidence::Medium);
      return X;
    }
    return std::nullopt;
  }

  static bool leaves(const Loop &L, const BasicBlock *BB) {
    return any_of(successors(BB), [&](const BasicBlock *N) { return !L.contains(N); });
  }

  // The loop round an interrupted nanosleep: in a system header, or with the call's result as its condition.
  static bool repeatsTheSleep(const Loop &L, const CallBase &C, Unit &U) {
    clang::SourceLocation Where = U.loopLocation(&L);
    if (Where.isValid() && U.sources().isInSystemHeader(Where))
      return true;
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    return any_of(Exiting, [&](const BasicBlock *BB) {
      const auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
      const auto *Compare = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
      return Compare && is_contained(Compare->operands(), &C);
    });
  }

  struct Work {
    bool Any = false, Sure = false; // something may be work; something is
    bool Clock = false;
  };

  static Work workOf(const Loop &L, const CallBase &Sleep, MpiFunction &M, const TargetLibraryInfo &TLI) {
    Work W;
    for (BasicBlock *BB : L.blocks()) {
      if (isErrorPath(*BB))
        continue;
      bool Nested = M.engine().loops().getLoopFor(BB) != &L;
      for (Instruction &I : *BB) {
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          Type *T = St->getValueOperand()->getType();
          W.Sure |= Nested && T->isFPOrFPVectorTy();
          continue;
        }
        W.Sure |= Nested && isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy();
        auto *C = dyn_cast<CallBase>(&I);
        if (!C || C == &Sleep)
          continue;
        if (const MpiSignature *Sig = findMpiCall(*C)) {
          unsigned T = Sig->Traits;
          W.Sure |= (T & (MpiSend | MpiRecv | MpiCollective | MpiIo)) && !(T & (MpiBarrier | MpiProbe));
          W.Clock |= (T & MpiTimer) != 0;
        } else if (isFileWrite(*C)) {
          W.Sure = true;
        } else if (const Function *F = C->getCalledFunction()) {
          StringRef Name = F->getName();
          static const StringSet<> Clocks = {"clock", "clock_gettime", "gettimeofday", "time", "omp_get_wtime"};
          static const StringSet<> Talk = {"printf", "puts",    "putchar", "fflush",
                                           "perror", "fprintf", "fputs",   "fputc"};
          W.Clock |= Clocks.contains(Name) || (Name.starts_with("_ZNSt6chrono") && Name.contains("now"));
          W.Any |= !isLocalCall(*C, TLI) && !Talk.contains(Name) && !Clocks.contains(Name) && !Name.contains("sleep") &&
                   !Name.contains("ostream") && !Name.starts_with("_ZNSo");
        }
      }
    }
    W.Any |= W.Sure;
    return W;
  }

  // Follows a condition to what it was computed from.
  static void asks(Value *V, const Loop &L, MpiFunction &M, const TargetLibraryInfo &TLI, Asks &Out) {
    SmallVector<Value *, 8> Todo = {V};
    SmallPtrSet<Value *, 16> Seen;
    while (!Todo.empty() && Seen.size() < 64) {
      auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
      if (!I || !Seen.insert(I).second)
        continue;
      if (!L.contains(I))
        continue;
      if (isa<PHINode>(I) && I->getParent() == L.getHeader()) {
        Out.Carried = true;
        continue;
      }
      if (auto *Load = dyn_cast<LoadInst>(I)) {
        askMemory(*Load, L, M, TLI, Out);
      } else if (auto *C = dyn_cast<CallBase>(I)) {
        if (!findMpiCall(*C) && !isLocalCall(*C, TLI))
          Out.Outside = true;
        for (Use &A : C->args())
          Todo.push_back(A);
      } else {
        for (Use &Operand : I->operands())
          Todo.push_back(Operand);
      }
    }
  }

  static void askMemory(LoadInst &Load, const Loop &L, MpiFunction &M, const TargetLibraryInfo &TLI, Asks &Out) {
    if (Load.isVolatile() || Load.isAtomic()) {
      Out.Outside = true;
      return;
    }
    const SCEV *Base = M.baseOf(Load.getPointerOperand(), &L);
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : *BB) {
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          Out.Carried |= M.baseOf(St->getPointerOperand(), &L) == Base;
          continue;
        }
        auto *C = dyn_cast<CallBase>(&I);
        if (!C ||
            none_of(C->args(), [&](Use &A) { return A->getType()->isPointerTy() && M.baseOf(A.get(), &L) == Base; }))
          continue;
        if (const MpiSignature *Sig = findMpiCall(*C)) {
          bool Tests = (Sig->Traits & (MpiProbe | MpiWait)) && StringRef(Sig->Name) != "MPI_Wait" &&
                       StringRef(Sig->Name) != "MPI_Waitall";
          (Tests ? Out.Outside : Out.Carried) = true;
        } else if (!isLocalCall(*C, TLI)) {
          Out.Outside = true;
        }
      }
  }

  // Seconds of a constant sleep, 0 for one that is not known; nothing when it varies from time to time.
  static std::optional<double> duration(CallBase &C, const Loop &L, MpiFunction &M) {
    StringRef Name = C.getCalledFunction() ? C.getCalledFunction()->getName() : "";
    if (Name == "sleep" || Name == "usleep") {
      Value *A = C.getArgOperand(0);
      if (const auto *K = dyn_cast<ConstantInt>(A))
        return K->isZero() ? std::nullopt : std::optional(K->getZExtValue() * (Name == "sleep" ? 1.0 : 1e-6));
      if (isa<Argument>(A) || M.engine().varies(A, &L) || M.dependsOnRank(M.engine().rewrite(A)))
        return std::nullopt;
      return 0.0;
    }
    Value *Request = C.getArgOperand(Name == "clock_nanosleep" ? 2 : 0);
    const auto *Where = dyn_cast<AllocaInst>(getUnderlyingObject(Request));
    if (!Where)
      return 0.0;
    const DataLayout &DL = C.getModule()->getDataLayout();
    std::map<std::int64_t, const ConstantInt *> Parts;
    for (Instruction &I : instructions(*C.getFunction()))
      if (auto *St = dyn_cast<StoreInst>(&I); St && getUnderlyingObject(St->getPointerOperand()) == Where) {
        APInt Offset(64, 0);
        St->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
        const auto *K = dyn_cast<ConstantInt>(St->getValueOperand());
        if (!K)
          return M.engine().scalarEvolution().isSCEVable(St->getValueOperand()->getType()) &&
                         (M.engine().varies(St->getValueOperand(), &L) || isa<Argument>(St->getValueOperand()))
                     ? std::nullopt
                     : std::optional(0.0);
        Parts[Offset.getSExtValue()] = K;
      }
    double Seconds = 0;
    for (auto [At, K] : Parts)
      Seconds += K->getSExtValue() * (At == 0 ? 1.0 : 1e-9);
    return Seconds;
  }

  static std::string say(double Seconds) {
    if (Seconds <= 0)
      return "some time";
    std::string Text;
    raw_string_ostream OS(Text);
    if (Seconds >= 1)
      OS << format("%g s", Seconds);
    else if (Seconds >= 1e-3)
      OS << format("%g ms", Seconds * 1e3);
    else
      OS << format("%g us", Seconds * 1e6);
    return Text;
  }

  void report(const Found &X, Unit &U, Reporter &R) {
    Finding F;
    F.Rule = Slug;
    F.Conf = X.Conf;
    const SourceFrame &At = X.Frames[0];
    F.Range = At.Call ? At.Call->getSourceRange() : clang::SourceRange(At.Where);
    F.Function = Unit::functionName(At.Function);
    const clang::Stmt *Statement = U.loopStatement(X.L);
    clang::SourceLocation Where = U.loopLocation(X.L);
    std::string Name = loopVariable(Statement);
    if (Statement && U.sources().isWrittenInSameFile(Statement->getBeginLoc(), F.Range.getBegin()))
      F.Scope = Statement->getSourceRange();
    if (Where.isValid())
      F.Relateds.push_back({Where, "in each iteration of this loop"});
    for (std::size_t Level = 1; Level < X.Frames.size(); ++Level)
      F.Relateds.push_back({X.Frames[Level].Where, "called from here"});
    std::string Callee = X.Call->getCalledFunction()->getName().str();
    if (At.Call)
      if (const clang::FunctionDecl *D = At.Call->getDirectCallee(); D && D->getIdentifier())
        Callee = D->getName().str();
    F.Args = {{"call", Callee},
              {"loop", Name.empty() ? "at line " + std::to_string(U.sources().getExpansionLineNumber(Where))
                                    : "'" + Name + "'"},
              {"duration", say(X.Seconds)}};
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("run-sleep-in-loop", SleepInLoop)

} // namespace
} // namespace stridewise
