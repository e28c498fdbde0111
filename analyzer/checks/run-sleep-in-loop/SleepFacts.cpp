#include "checks/run-sleep-in-loop/SleepFacts.h"
#include "checks/run-sleep-in-loop/LastWords.h"
#include "checks/run-sleep-in-loop/PollLoops.h"
#include "fortran/FortranLoops.h"
#include "library/FileOutput.h"
#include "library/LibraryCalls.h"
#include "mpi/MpiEffects.h"
#include "unit/Counted.h"
#include "unit/Meter.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

// Loops and calls of one unit beyond which nothing more is summarised: generated code.
constexpr unsigned MostCalls = 2000;

// What decides a branch.
struct Asks {
  bool Carried = false; // values that the loop itself advances
  bool Outside = false; // flags that it does not set, calls whose answer may change: it waits
  bool Perhaps = false; // memory that a call of the loop may set

  Asks &operator|=(const Asks &O) {
    Carried |= O.Carried;
    Outside |= O.Outside || (O.Perhaps && !O.Carried);
    return *this;
  }
};

struct Work {
  bool Any = false, Sure = false; // something may be work; something is
  bool Clock = false;
  SmallVector<const Function *, 4> Others; // functions of other units, or too large to be inlined
};

// As the source has it: flang calls gfortran's routine by a name of its own.
StringRef sleepName(const CallBase &C) {
  StringRef Name = C.getCalledFunction() ? C.getCalledFunction()->getName() : "";
  return Name == "_FortranASleep" ? "sleep" : Name;
}

// Sleeps and calls of one function, and what the loops around them wait for and do.
class LoopJudge {
public:
  LoopJudge(Function &F, Unit &U, SourceCalls &Sources)
      : U(U), Sources(Sources), M(MpiFunction::get(F, U.analyses())),
        TLI(U.analyses().getResult<TargetLibraryAnalysis>(F)) {}

  MpiFunction &facts() { return M; }
  const TargetLibraryInfo &library() const { return TLI; }
  const Loop *loopOf(const CallBase &C) { return M.engine().loops().getLoopFor(C.getParent()); }

  // Whether what makes the call run in an iteration of L (null: in a run of the function) is waited for. Conditions of
  // `Repeats` are left out.
  bool isAwaited(const CallBase &C, const Loop *L, const Loop *Repeats) {
    auto [It, New] = Awaited.try_emplace({L, Repeats});
    if (New)
      findAwaited(L, Repeats, It->second);
    return It->second.contains(C.getParent());
  }

  // What was asked for is there: a file is open, memory was allocated.
  static bool succeeded(const Value *V, bool Holds) {
    const auto *Compare = dyn_cast<ICmpInst>(V);
    return Compare && Compare->isEquality() && isa<ConstantPointerNull>(Compare->getOperand(1)) &&
           (Compare->getPredicate() == CmpInst::ICMP_NE) == Holds;
  }

  // Nothing for a loop without end.
  std::optional<Asks> exits(const Loop &L) {
    auto [It, New] = Exits.try_emplace(&L);
    if (!New)
      return It->second;
    ArrayRef<const BasicBlock *> Exiting = exiting(L);
    if (Exiting.empty())
      return std::nullopt;
    Asks Exit;
    for (const BasicBlock *BB : Exiting) {
      const auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
      if (!Br || !Br->isConditional() || none_of(successors(BB), [&](const BasicBlock *N) {
            return !L.contains(N) && !isErrorPath(*N) && !isa<UnreachableInst>(N->getTerminator());
          }))
        continue;
      Asks One;
      asks(Br->getCondition(), &L, One);
      Exit |= One;
    }
    return Exits[&L] = Exit;
  }

  // The loop round an interrupted nanosleep: in a system header, or with the call's result as its condition.
  bool repeatsTheSleep(const Loop &L, const CallBase &C) {
    clang::SourceLocation Where = U.loopLocation(&L);
    if (Where.isValid() && U.sources().isInSystemHeader(Where))
      return true;
    return any_of(C.users(), [&](const User *Use) {
      const auto *Compare = dyn_cast<ICmpInst>(Use);
      return Compare && any_of(Compare->users(), [&](const User *Of) {
               const auto *Br = dyn_cast<BranchInst>(Of);
               return Br && Br->isConditional() && L.contains(Br) && leaves(L, Br->getParent());
             });
    });
  }

  // A loop that only asks whether something is there that the program could wait for, or that waits for no more than a
  // time.
  bool pollsAlone(const Loop &L, const CallBase &Sleep) {
    if (waitsForMessages(L, Sleep, M) || waitsForTime(L, Sleep))
      return true;
    const std::optional<Asks> Exit = collectsMessages(L, Sleep) ? exits(L) : std::nullopt;
    return Exit && Exit->Carried && !Exit->Outside;
  }
  // A loop that waits for something outside, and does nothing else.
  bool asksOutside(const Loop &L, const CallBase &C) {
    const std::optional<Asks> Exit = exits(L);
    return Exit && (Exit->Outside || isAwaited(C, &L, nullptr)) && !workOf(&L).Sure;
  }

  // The outermost of the loops that stand for the sleep: what is told of them is told of it. `Polls`: the sleep waits
  // for something.
  const Loop *standsFor(const CallBase &C, bool &Polls) {
    const Loop *Out = nullptr;
    for (const Loop *L = loopOf(C); L; L = L->getParentLoop()) {
      if (!repeatsTheSleep(*L, C)) {
        if (!pollsAlone(*L, C) && !(asksOutside(*L, C) && sleepsAtFirst(*L, C)))
          break;
        Polls = true;
      }
      Out = L;
    }
    return Out;
  }

  // The work of the loop, or of the whole function when L is null. Sleeps are none.
  const Work &workOf(const Loop *L) {
    auto [It, New] = Works.try_emplace(L);
    if (!New)
      return It->second;
    Work W;
    if (!L) {
      for (BasicBlock &BB : M.function())
        add(BB, nullptr, W);
    } else {
      for (BasicBlock *BB : L->blocks())
        add(*BB, L, W);
    }
    W.Any |= W.Sure;
    return It->second = std::move(W);
  }

  // Seconds of a constant sleep, 0 for one that is not known; nothing when it varies from time to time.
  std::optional<double> duration(CallBase &C, const Loop *L) {
    const StringRef Name = sleepName(C);
    auto Varies = [&](Value *V) {
      return isa<Argument>(V) || (M.engine().scalarEvolution().isSCEVable(V->getType()) &&
                                  ((L && M.engine().varies(V, L)) || M.dependsOnRank(M.engine().rewrite(V))));
    };
    if (Name == "sleep" || Name == "usleep") {
      Value *A = C.getArgOperand(0);
      if (const auto *K = dyn_cast<ConstantInt>(A))
        return K->isZero() ? std::nullopt : std::optional(K->getZExtValue() * (Name == "sleep" ? 1.0 : 1e-6));
      return Varies(A) ? std::nullopt : std::optional(0.0);
    }
    Value *Request = C.getArgOperand(Name == "clock_nanosleep" ? 2 : 0);
    const auto *Where = dyn_cast<AllocaInst>(getUnderlyingObject(Request));
    if (!Where)
      return 0.0;
    const DataLayout &DL = C.getModule()->getDataLayout();
    std::map<std::int64_t, const ConstantInt *> Parts;
    for (StoreInst *St : storesTo(Where)) {
      APInt Offset(64, 0);
      St->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
      const auto *K = dyn_cast<ConstantInt>(St->getValueOperand());
      if (!K)
        return Varies(St->getValueOperand()) ? std::nullopt : std::optional(0.0);
      Parts[Offset.getSExtValue()] = K;
    }
    double Seconds = 0;
    for (auto [At, K] : Parts)
      Seconds += K->getSExtValue() * (At == 0 ? 1.0 : 1e-9);
    return Seconds;
  }

private:
  static bool leaves(const Loop &L, const BasicBlock *BB) {
    return any_of(successors(BB), [&](const BasicBlock *N) { return !L.contains(N); });
  }

  // The blocks of each loop that leave it.
  ArrayRef<const BasicBlock *> exiting(const Loop &L) {
    if (!std::exchange(KnowExiting, true))
      for (const BasicBlock &BB : M.function())
        for (const Loop *Of = M.engine().loops().getLoopFor(&BB); Of; Of = Of->getParentLoop())
          if (leaves(*Of, &BB))
            Exiting[Of].push_back(&BB);
    return Exiting[&L];
  }

  // A block is awaited when a condition on which it depends, directly or by way of other conditions, asks for something
  // from outside: one walk from these conditions to all that depends on them.
  void findAwaited(const Loop *L, const Loop *Repeats, SmallPtrSetImpl<const BasicBlock *> &Out) {
    ArrayRef<RunCondition> Arms = M.arms();
    SmallVector<unsigned, 16> Work;
    BitVector Reached(Arms.size());
    auto Reach = [&](unsigned Arm) {
      if (!Reached.test(Arm)) {
        Reached.set(Arm);
        Work.push_back(Arm);
      }
    };
    // A loop that has been turned asks once before it begins.
    const BranchInst *Begins = Repeats ? Repeats->getLoopGuardBranch() : nullptr;
    auto Ask = [&](const BasicBlock *BB) {
      if ((L && leaves(*L, BB)) || (Repeats && Repeats->contains(BB)) || (Begins && Begins->getParent() == BB))
        return;
      auto [First, Last] = M.armsOf(BB);
      for (unsigned Arm = First; Arm < Last; ++Arm)
        for (auto [V, Holds] : Arms[Arm].Facts) {
          Asks One, Guard;
          if (!succeeded(V, Holds))
            asks(V, L, One);
          Guard |= One;
          if (Guard.Outside)
            Reach(Arm);
        }
    };
    if (L)
      for (const BasicBlock *BB : L->blocks())
        Ask(BB);
    else
      for (const BasicBlock &BB : M.function())
        Ask(&BB);
    while (!Work.empty())
      for (const BasicBlock *BB : M.dependents(Work.pop_back_val())) {
        Meter::count();
        if ((L && !L->contains(BB)) || !Out.insert(BB).second)
          continue;
        auto [First, Last] = M.armsOf(BB);
        for (unsigned Arm = First; Arm < Last; ++Arm)
          Reach(Arm);
      }
  }

  ArrayRef<StoreInst *> storesTo(const AllocaInst *Variable) {
    if (!std::exchange(KnowStores, true))
      for (Instruction &I : counted(instructions(M.function())))
        if (auto *St = dyn_cast<StoreInst>(&I))
          if (const auto *Where = dyn_cast<AllocaInst>(getUnderlyingObject(St->getPointerOperand())))
            Stores[Where].push_back(St);
    return Stores[Variable];
  }

  void add(BasicBlock &BB, const Loop *L, Work &W) {
    Meter::count(BB.size());
    if (isErrorPath(BB))
      return;
    const Loop *Inner = M.engine().loops().getLoopFor(&BB);
    bool Nested = Inner != L;
    for (Instruction &I : counted(BB)) {
      if (auto *St = dyn_cast<StoreInst>(&I)) {
        W.Sure |= Nested && (St->getValueOperand()->getType()->isFPOrFPVectorTy() ||
                             M.engine().varies(St->getPointerOperand(), Inner));
        continue;
      }
      W.Sure |= Nested && isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy();
      auto *C = dyn_cast<CallBase>(&I);
      if (!C)
        continue;
      if (const MpiSignature *Sig = findMpiCall(*C)) {
        unsigned T = Sig->Traits;
        W.Sure |= (T & (MpiSend | MpiRecv | MpiCollective | MpiIo)) && !(T & (MpiBarrier | MpiProbe));
        W.Clock |= (T & MpiTimer) != 0;
      } else if (isFileWrite(*C)) {
        W.Sure = true;
      } else if (const Function *F = C->getCalledFunction()) {
        const LibraryCall *Known = findLibraryCall(*C);
        W.Clock |= Known && Known->does(LibClock);
        if (isLocalCall(*C, TLI) || (Known && Known->does(LibClock | LibOutput | LibSleeps)))
          continue;
        W.Any = true;
        if (W.Others.size() < 16 && !is_contained(W.Others, F))
          W.Others.push_back(F);
      }
    }
  }

  // Follows a condition to what it was computed from.
  void asks(Value *V, const Loop *L, Asks &Out) {
    // A counter on its way to a bound gets there, whatever may happen to the bound.
    if (const auto *Compare = dyn_cast<ICmpInst>(V); Compare && L && Compare->getOperand(0)->getType()->isIntegerTy())
      for (Value *Side : Compare->operands())
        if (Stride S = M.engine().stride(Side, L); S.K == Stride::Constant) {
          Out.Carried = true;
          return;
        }
    SmallVector<Value *, 8> Todo = {V};
    SmallPtrSet<Value *, 16> Seen;
    Meter::count();
    while (!Todo.empty() && Seen.size() < 64) {
      auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
      if (!I || !Seen.insert(I).second || (L && !L->contains(I)))
        continue;
      if (isa<PHINode>(I) && L && I->getParent() == L->getHeader()) {
        Out.Carried = true;
        continue;
      }
      if (auto *Load = dyn_cast<LoadInst>(I)) {
        askMemory(*Load, L, Out);
      } else if (auto *C = dyn_cast<CallBase>(I)) {
        if (!findMpiCall(*C) && !isLocalCall(*C, TLI) && !isFileWrite(*C))
          Out.Outside = true;
        for (Use &A : C->args())
          Todo.push_back(A);
      } else {
        for (Use &Operand : I->operands())
          Todo.push_back(Operand);
      }
    }
  }

  void askMemory(LoadInst &Load, const Loop *L, Asks &Out) {
    if (Load.isVolatile() || Load.isAtomic()) {
      Out.Outside = true;
      return;
    }
    if (!L)
      return;
    const auto &Known = changesIn(*L);
    auto It = Known.find(M.baseOf(Load.getPointerOperand(), L));
    if (It == Known.end())
      return;
    Out.Carried |= It->second.Carried;
    Out.Outside |= It->second.Outside;
    Out.Perhaps |= It->second.Perhaps;
  }

  // What the loop does to memory, by the array or record: the same for each of its conditions.
  const DenseMap<const SCEV *, Asks> &changesIn(const Loop &L) {
    auto [Known, New] = Changes.try_emplace(&L);
    DenseMap<const SCEV *, Asks> &Out = Known->second;
    if (!New)
      return Out;
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : counted(*BB)) {
        Meter::count();
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          Out[M.baseOf(St->getPointerOperand(), &L)].Carried = true;
          continue;
        }
        auto *C = dyn_cast<CallBase>(&I);
        if (!C || isa<IntrinsicInst>(C))
          continue;
        const MpiSignature *Sig = findMpiCall(*C);
        const LibraryCall *Known = findLibraryCall(*C);
        // A stream: whether the file is there; what a file or its state says.
        const bool Opens = isFileOpen(*C) || (Known && Known->does(LibInput | LibOpens));
        const bool Local = isLocalCall(*C, TLI);
        for (unsigned K = 0; K < C->arg_size(); ++K) {
          if (!C->getArgOperand(K)->getType()->isPointerTy())
            continue;
          if (Sig) {
            bool Tests = Sig->is(MpiProbe | MpiWait) && !Sig->waitsForAll();
            Asks &Of = Out[M.baseOf(C->getArgOperand(K), &L)];
            (Tests ? Of.Outside : Of.Carried) = true;
          } else if (Opens) {
            Out[M.baseOf(C->getArgOperand(K), &L)].Outside = true;
          } else if (!Local && !isConstant(*C, K)) {
            Out[M.baseOf(C->getArgOperand(K), &L)].Perhaps = true;
          }
        }
      }
    return Out;
  }

  // True for a parameter through which the callee, by its declaration, only reads.
  bool isConstant(const CallBase &C, unsigned Argument) {
    std::vector<SourceFrame> Frames = Sources.frames(C);
    const clang::FunctionDecl *F = Frames.empty() || !Frames[0].Call ? nullptr : Frames[0].Call->getDirectCallee();
    if (!F || isa<clang::CXXMethodDecl>(F) || Argument >= F->getNumParams() || C.arg_size() != F->getNumParams())
      return false;
    clang::QualType T = F->getParamDecl(Argument)->getType();
    return (T->isPointerType() || T->isReferenceType()) && T->getPointeeType().isConstQualified();
  }

  Unit &U;
  SourceCalls &Sources;
  MpiFunction &M;
  const TargetLibraryInfo &TLI;
  // Made once per loop, however many sleeps and calls ask.
  std::map<std::pair<const Loop *, const Loop *>, SmallPtrSet<const BasicBlock *, 16>> Awaited;
  std::map<const Loop *, std::optional<Asks>> Exits;
  std::map<const Loop *, Work> Works;
  std::map<const Loop *, DenseMap<const SCEV *, Asks>> Changes;
  DenseMap<const Loop *, SmallVector<const BasicBlock *, 2>> Exiting;
  DenseMap<const AllocaInst *, SmallVector<StoreInst *, 2>> Stores;
  bool KnowExiting = false, KnowStores = false;
};

std::optional<SleepInLoop> judge(CallBase &C, LoopJudge &J) {
  bool Polls = false;
  const Loop *Repeats = J.standsFor(C, Polls);
  for (const Loop *L = Repeats ? Repeats->getParentLoop() : J.loopOf(C); L; L = L->getParentLoop()) {
    const Work &W = J.workOf(L);
    std::optional<Asks> Exit = J.exits(*L);
    if (J.isAwaited(C, L, Repeats) || !Exit || (!W.Sure && (Exit->Outside || !Exit->Carried)))
      return std::nullopt;
    if (!W.Any)
      continue;
    std::optional<double> Seconds = J.duration(C, L);
    if (!Seconds)
      return std::nullopt;
    SleepInLoop X{&C, L, *Seconds, Confidence::Medium, {}};
    X.Conf = Polls || !W.Sure || Exit->Outside || !Exit->Carried ? Confidence::Medium : Confidence::High;
    // Programs time themselves; beside another sleep that is a rate that is kept.
    if ((W.Clock && !Polls) || !*Seconds)
      X.Conf = std::min(X.Conf, W.Clock && !Polls ? Confidence::Low : Confidence::Medium);
    return X;
  }
  return std::nullopt;
}

} // namespace

std::string SleepFacts::calledName(const CallBase &C, ArrayRef<SourceFrame> Frames) {
  if (Frames[0].Call)
    if (const clang::FunctionDecl *D = Frames[0].Call->getDirectCallee(); D && D->getIdentifier())
      return D->getName().str();
  return sleepName(C).str();
}

std::string SleepFacts::nameOf(const Loop *L, Unit &U) {
  if (const std::optional<FortranLoop> Written = U.isFortran() ? fortranLoop(L, U) : std::nullopt;
      Written && !Written->Counter.empty())
    return "'" + Written->Counter + "'";
  std::string Name = loopVariable(U.loopStatement(L));
  return Name.empty() ? "at line " + std::to_string(U.sources().getExpansionLineNumber(U.loopLocation(L)))
                      : "'" + Name + "'";
}

SleepFacts::SleepFacts(Unit &U) : U(U), M(U.ir()) {
  if (!M)
    return;
  for (Function &F : *M)
    if (const LibraryCall *Known = findLibraryCall(&F); Known && Known->does(LibSleeps) && !isStandardCxx(F))
      for (User *Use : F.users())
        if (auto *C = dyn_cast<CallBase>(Use); C && C->getCalledOperand()->stripPointerCasts() == &F && !isLast(*C))
          Sleeps.push_back(C);
}

std::vector<SleepInLoop> SleepFacts::inLoops() {
  SourceCalls Sources(U);
  std::map<std::pair<clang::FileID, unsigned>, SleepInLoop> Found;
  std::map<const Function *, LoopJudge> Judges;
  for (CallBase *C : Sleeps) {
    LoopJudge &J = Judges.try_emplace(C->getFunction(), *C->getFunction(), U, Sources).first->second;
    std::optional<SleepInLoop> X = judge(*C, J);
    if (!X)
      continue;
    X->Frames = Sources.frames(*C);
    if (X->Frames.empty())
      continue;
    auto [It, New] = Found.try_emplace(U.sources().getDecomposedLoc(X->Frames[0].Where), *X);
    if (!New && X->Conf > It->second.Conf)
      It->second = *X;
  }
  std::vector<SleepInLoop> Out;
  for (auto &[Where, X] : Found)
    Out.push_back(std::move(X));
  return Out;
}

namespace {
// What the whole program asks of one function: where it sleeps, and where it calls what other units may define.
class FunctionExport {
public:
  FunctionExport(Unit &U, Function &F, SourceCalls &Sources, function_ref<bool(clang::SourceLocation)> Silenced)
      : U(U), F(F), Sources(Sources), Silenced(Silenced) {}

  // Nothing where other units need to know nothing of it.
  std::optional<json::Object> of(const SmallPtrSetImpl<const CallBase *> &Sleeps, unsigned &Calls) {
    json::Array Slept, Called;
    for (Instruction &I : counted(instructions(F))) {
      auto *C = dyn_cast<CallBase>(&I);
      Function *Callee = C ? C->getCalledFunction() : nullptr;
      if (!Callee || Callee->isIntrinsic() || findMpiCall(*C))
        continue;
      if (Sleeps.contains(C)) {
        if (std::optional<json::Object> S = sleep(*C))
          Slept.push_back(std::move(*S));
      } else if (++Calls <= MostCalls) {
        if (std::optional<json::Object> S = call(*C, *Callee))
          Called.push_back(std::move(*S));
      }
    }
    if (Slept.empty() && Called.empty() && !judge().workOf(nullptr).Sure)
      return std::nullopt;
    return json::Object{{"name", linkName(F)},
                        {"works", judge().workOf(nullptr).Sure},
                        {"sleeps", std::move(Slept)},
                        {"calls", std::move(Called)}};
  }

private:
  LoopJudge &judge() { return Judge ? *Judge : Judge.emplace(F, U, Sources); }
  json::Value place(clang::SourceLocation L) { return stridewise::toJson(placeOf(U.ast(), L)); }

  // A sleep that callers may repeat: outside loops, or in the loop that repeats it where no other one is around.
  std::optional<json::Object> sleep(CallBase &C) {
    bool Polls = false;
    const Loop *Repeats = judge().standsFor(C, Polls), *Inner = judge().loopOf(C);
    if ((Inner && (!Repeats || Repeats->getParentLoop())) || judge().isAwaited(C, nullptr, Repeats))
      return std::nullopt;
    std::optional<double> Seconds = judge().duration(C, nullptr);
    std::vector<SourceFrame> Frames = Sources.frames(C);
    if (!Seconds || Frames.empty() || Silenced(Frames[0].Where))
      return std::nullopt;
    Place Scope = placeOf(U.ast(), Frames[0].around() ? Frames[0].scope() : Frames[0].Where);
    return json::Object{{"where", stridewise::toJson(placeOf(U.ast(), Frames[0].range()))},
                        {"function", Frames[0].function()},
                        {"call", SleepFacts::calledName(C, Frames)},
                        {"begin", Scope.Line},
                        {"end", Scope.EndLine},
                        {"polls", Polls},
                        {"seconds", *Seconds}};
  }

  std::optional<json::Object> call(CallBase &C, Function &Callee) {
    // Names of the libraries that every program has need no answer from other units.
    if (isLocalCall(C, judge().library()))
      return std::nullopt;
    LibFunc Known;
    clang::SourceLocation Where = U.locate(C.getDebugLoc());
    if (judge().library().getLibFunc(Callee, Known) || Where.isInvalid() || U.sources().isInSystemHeader(Where))
      return std::nullopt;
    std::optional<json::Array> Around = loopsAround(C);
    if (!Around || judge().isAwaited(C, nullptr, nullptr))
      return std::nullopt;
    return json::Object{{"to", linkName(Callee)}, {"where", place(Where)}, {"loops", std::move(*Around)}};
  }

  // Nothing where the call is waited for, or a loop around it has no end.
  std::optional<json::Array> loopsAround(CallBase &C) {
    json::Array Around;
    for (const Loop *L = judge().loopOf(C); L && Around.size() < 3; L = L->getParentLoop()) {
      const Work &W = judge().workOf(L);
      const std::optional<Asks> Exit = judge().exits(*L);
      clang::SourceLocation At = U.loopLocation(L);
      if (!Exit || judge().isAwaited(C, L, nullptr) || At.isInvalid())
        return std::nullopt;
      json::Array Others;
      for (const Function *O : W.Others)
        Others.push_back(linkName(*O));
      Around.push_back(json::Object{{"where", place(At)},
                                    {"loop", SleepFacts::nameOf(L, U)},
                                    {"sure", W.Sure},
                                    {"clock", W.Clock},
                                    {"waits", Exit->Outside},
                                    {"carried", Exit->Carried},
                                    {"calls", std::move(Others)}});
      if (W.Sure)
        break;
    }
    return Around;
  }

  Unit &U;
  Function &F;
  SourceCalls &Sources;
  function_ref<bool(clang::SourceLocation)> Silenced;
  std::optional<LoopJudge> Judge;
};
} // namespace

json::Value SleepFacts::toJson(function_ref<bool(clang::SourceLocation)> Silenced) {
  if (!M)
    return nullptr;
  SourceCalls Sources(U);
  const SmallPtrSet<const CallBase *, 8> SleepSet(Sleeps.begin(), Sleeps.end());
  json::Array Functions;
  unsigned Calls = 0;
  for (Function &F : *M)
    if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage())
      if (std::optional<json::Object> Known = FunctionExport(U, F, Sources, Silenced).of(SleepSet, Calls))
        Functions.push_back(std::move(*Known));
  return Functions.empty() ? json::Value(nullptr) : json::Value(std::move(Functions));
}

} // namespace stridewise
