#include "core/SleepFacts.h"
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

constexpr StringLiteral SleepNames[] = {"sleep", "usleep", "nanosleep", "clock_nanosleep", "thrd_sleep"};

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

// Sleeps and calls of one function, and what the loops around them wait for and do.
class LoopJudge {
public:
  LoopJudge(Function &F, Unit &U, SourceCalls &Sources)
      : U(U), Sources(Sources), M(MpiFunction::get(F, U.analyses())),
        TLI(U.analyses().getResult<TargetLibraryAnalysis>(F)) {}

  MpiFunction &facts() { return M; }
  const TargetLibraryInfo &library() const { return TLI; }
  const Loop *loopOf(const CallBase &C) { return M.engine().loops().getLoopFor(C.getParent()); }

  // What makes the call run in an iteration of L; null: in a run of the function. Conditions of `Repeats` are left out.
  bool isAwaited(const CallBase &C, const Loop *L, const Loop *Repeats) {
    Asks Guard;
    for (const RunCondition &Condition : M.conditions(C.getParent())) {
      const BasicBlock *BB = Condition.Branch->getParent();
      if ((L && (!L->contains(BB) || leaves(*L, BB))) || (Repeats && Repeats->contains(BB)))
        continue;
      for (auto [V, Holds] : Condition.Facts) {
        Asks One;
        if (!succeeded(V, Holds))
          asks(V, L, One);
        Guard |= One;
      }
    }
    return Guard.Outside;
  }

  // What was asked for is there: a file is open, memory was allocated.
  static bool succeeded(const Value *V, bool Holds) {
    const auto *Compare = dyn_cast<ICmpInst>(V);
    return Compare && Compare->isEquality() && isa<ConstantPointerNull>(Compare->getOperand(1)) &&
           (Compare->getPredicate() == CmpInst::ICMP_NE) == Holds;
  }

  // Nothing for a loop without end.
  std::optional<Asks> exits(const Loop &L) {
    Asks Exit;
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    if (Exiting.empty())
      return std::nullopt;
    for (BasicBlock *BB : Exiting) {
      const auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
      if (!Br || !Br->isConditional() || none_of(successors(BB), [&](BasicBlock *N) {
            return !L.contains(N) && !isErrorPath(*N) && !isa<UnreachableInst>(N->getTerminator());
          }))
        continue;
      Asks One;
      asks(Br->getCondition(), &L, One);
      Exit |= One;
    }
    return Exit;
  }

  // The loop round an interrupted nanosleep: in a system header, or with the call's result as its condition.
  bool repeatsTheSleep(const Loop &L, const CallBase &C) {
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

  // The work of the loop, or of the whole function when L is null; that of one call is left out.
  Work workOf(const Loop *L, const CallBase *Without) {
    Work W;
    if (!L) {
      for (BasicBlock &BB : M.function())
        add(BB, nullptr, Without, W);
    } else {
      for (BasicBlock *BB : L->blocks())
        add(*BB, L, Without, W);
    }
    W.Any |= W.Sure;
    return W;
  }

  // Seconds of a constant sleep, 0 for one that is not known; nothing when it varies from time to time.
  std::optional<double> duration(CallBase &C, const Loop *L) {
    StringRef Name = C.getCalledFunction() ? C.getCalledFunction()->getName() : "";
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
    for (Instruction &I : instructions(*C.getFunction()))
      if (auto *St = dyn_cast<StoreInst>(&I); St && getUnderlyingObject(St->getPointerOperand()) == Where) {
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

  void add(BasicBlock &BB, const Loop *L, const CallBase *Without, Work &W) {
    if (isErrorPath(BB))
      return;
    const Loop *Inner = M.engine().loops().getLoopFor(&BB);
    bool Nested = Inner != L;
    for (Instruction &I : BB) {
      if (auto *St = dyn_cast<StoreInst>(&I)) {
        W.Sure |= Nested && (St->getValueOperand()->getType()->isFPOrFPVectorTy() ||
                             M.engine().varies(St->getPointerOperand(), Inner));
        continue;
      }
      W.Sure |= Nested && isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy();
      auto *C = dyn_cast<CallBase>(&I);
      if (!C || C == Without)
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
        static const StringSet<> Talk = {"printf", "puts", "putchar", "fflush", "perror", "fprintf", "fputs", "fputc"};
        bool Clock = Clocks.contains(Name) || (Name.starts_with("_ZNSt6chrono") && Name.contains("now"));
        W.Clock |= Clock;
        if (Clock || isLocalCall(*C, TLI) || Talk.contains(Name) || Name.contains("sleep") ||
            Name.contains("ostream") || Name.starts_with("_ZNSo"))
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
    const SCEV *Base = M.baseOf(Load.getPointerOperand(), L);
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB) {
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          Out.Carried |= M.baseOf(St->getPointerOperand(), L) == Base;
          continue;
        }
        auto *C = dyn_cast<CallBase>(&I);
        if (!C || isa<IntrinsicInst>(C))
          continue;
        const MpiSignature *Sig = findMpiCall(*C);
        const bool Opens = isFileOpen(*C); // a stream: whether the file is there
        for (unsigned K = 0; K < C->arg_size(); ++K) {
          if (!C->getArgOperand(K)->getType()->isPointerTy() || M.baseOf(C->getArgOperand(K), L) != Base)
            continue;
          if (Sig) {
            bool Tests = (Sig->Traits & (MpiProbe | MpiWait)) && StringRef(Sig->Name) != "MPI_Wait" &&
                         StringRef(Sig->Name) != "MPI_Waitall";
            (Tests ? Out.Outside : Out.Carried) = true;
          } else if (Opens) {
            Out.Outside = true;
          } else if (!isLocalCall(*C, TLI) && !isConstant(*C, K)) {
            Out.Perhaps = true;
          }
        }
      }
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
};

std::optional<SleepInLoop> judge(CallBase &C, LoopJudge &J) {
  const Loop *Repeats = nullptr;
  for (const Loop *L = J.loopOf(C); L; L = L->getParentLoop()) {
    // What is told of the loop that only repeats the sleep is told of the sleep.
    if (J.repeatsTheSleep(*L, C)) {
      Repeats = L;
      continue;
    }
    Work W = J.workOf(L, &C);
    std::optional<Asks> Exit = J.exits(*L);
    if (J.isAwaited(C, L, Repeats) || !Exit || (!W.Sure && (Exit->Outside || !Exit->Carried)))
      return std::nullopt;
    if (!W.Any)
      continue;
    std::optional<double> Seconds = J.duration(C, L);
    if (!Seconds)
      return std::nullopt;
    SleepInLoop X;
    X.Call = &C;
    X.L = L;
    X.Seconds = *Seconds;
    X.Conf = !W.Sure || Exit->Outside || !Exit->Carried ? Confidence::Medium : Confidence::High;
    if (W.Clock || !*Seconds)
      X.Conf = std::min(X.Conf, W.Clock ? Confidence::Low : Confidence::Medium);
    return X;
  }
  return std::nullopt;
}

std::string calledName(const CallBase &C, ArrayRef<SourceFrame> Frames) {
  if (Frames[0].Call)
    if (const clang::FunctionDecl *D = Frames[0].Call->getDirectCallee(); D && D->getIdentifier())
      return D->getName().str();
  return C.getCalledFunction()->getName().str();
}

} // namespace

std::string SleepFacts::nameOf(const Loop *L, Unit &U) {
  std::string Name = loopVariable(U.loopStatement(L));
  return Name.empty() ? "at line " + std::to_string(U.sources().getExpansionLineNumber(U.loopLocation(L)))
                      : "'" + Name + "'";
}

SleepFacts::SleepFacts(Unit &U) : U(U), M(U.ir()) {
  if (!M)
    return;
  for (StringRef Name : SleepNames)
    if (Function *F = M->getFunction(Name); F && F->isDeclaration())
      for (User *Use : F->users())
        if (auto *C = dyn_cast<CallBase>(Use); C && C->getCalledOperand()->stripPointerCasts() == F)
          Sleeps.push_back(C);
}

std::vector<SleepInLoop> SleepFacts::inLoops() {
  SourceCalls Sources(U);
  std::map<std::pair<clang::FileID, unsigned>, SleepInLoop> Found;
  for (CallBase *C : Sleeps) {
    LoopJudge J(*C->getFunction(), U, Sources);
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

// --- the whole program -----------------------------------------------------------------------------------------------

json::Value SleepFacts::toJson(function_ref<bool(clang::SourceLocation)> Silenced) {
  if (!M)
    return nullptr;
  SourceCalls Sources(U);
  json::Array Functions;
  unsigned Calls = 0;
  auto PlaceOf = [&](clang::SourceLocation L) { return stridewise::toJson(placeOf(U.ast(), L)); };
  for (Function &F : *M) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage())
      continue;
    std::optional<LoopJudge> Judge;
    auto Get = [&]() -> LoopJudge & { return Judge ? *Judge : Judge.emplace(F, U, Sources); };
    std::map<const Loop *, std::pair<Work, std::optional<Asks>>> Loops;
    json::Array Slept, Called;
    for (Instruction &I : instructions(F)) {
      auto *C = dyn_cast<CallBase>(&I);
      Function *Callee = C ? C->getCalledFunction() : nullptr;
      if (!Callee || Callee->isIntrinsic() || findMpiCall(*C))
        continue;
      if (is_contained(Sleeps, C)) {
        const Loop *L = Get().loopOf(*C), *Repeats = L && Get().repeatsTheSleep(*L, *C) ? L : nullptr;
        if ((L && (!Repeats || L->getParentLoop())) || Get().isAwaited(*C, nullptr, Repeats))
          continue;
        std::optional<double> Seconds = Get().duration(*C, nullptr);
        std::vector<SourceFrame> Frames = Sources.frames(*C);
        if (!Seconds || Frames.empty() || Silenced(Frames[0].Where))
          continue;
        Place Scope = placeOf(U.ast(), Frames[0].Function ? Frames[0].Function->getSourceRange() : Frames[0].Where);
        clang::SourceRange Range =
            Frames[0].Call ? Frames[0].Call->getSourceRange() : clang::SourceRange(Frames[0].Where);
        Slept.push_back(json::Object{{"where", stridewise::toJson(placeOf(U.ast(), Range))},
                                     {"function", Unit::functionName(Frames[0].Function)},
                                     {"call", calledName(*C, Frames)},
                                     {"begin", Scope.Line},
                                     {"end", Scope.EndLine},
                                     {"seconds", *Seconds}});
        continue;
      }
      // Names of the libraries that every program has need no answer from other units.
      if (++Calls > MostCalls || isLocalCall(*C, Get().library()))
        continue;
      LibFunc Known;
      clang::SourceLocation Where = U.locate(C->getDebugLoc());
      if (Get().library().getLibFunc(*Callee, Known) || Where.isInvalid() || U.sources().isInSystemHeader(Where))
        continue;
      json::Array Around;
      bool Awaited = false, Endless = false;
      for (const Loop *L = Get().loopOf(*C); L && Around.size() < 3; L = L->getParentLoop()) {
        auto [It, New] = Loops.try_emplace(L);
        if (New)
          It->second = {Get().workOf(L, nullptr), Get().exits(*L)};
        const auto &[W, Exit] = It->second;
        clang::SourceLocation At = U.loopLocation(L);
        Endless |= !Exit;
        if (Get().isAwaited(*C, L, nullptr) || At.isInvalid()) {
          Awaited = true;
          break;
        }
        json::Array Others;
        for (const Function *O : W.Others)
          Others.push_back(linkName(*O));
        Around.push_back(json::Object{{"where", PlaceOf(At)},
                                      {"loop", nameOf(L, U)},
                                      {"sure", W.Sure},
                                      {"clock", W.Clock},
                                      {"waits", !Exit || Exit->Outside},
                                      {"carried", Exit && Exit->Carried},
                                      {"calls", std::move(Others)}});
        if (W.Sure)
          break;
      }
      if (Awaited || Endless || Get().isAwaited(*C, nullptr, nullptr))
        continue;
      Called.push_back(
          json::Object{{"to", linkName(*Callee)}, {"where", PlaceOf(Where)}, {"loops", std::move(Around)}});
    }
    if (Slept.empty() && Called.empty() && !Get().workOf(nullptr, nullptr).Sure)
      continue;
    Functions.push_back(json::Object{{"name", linkName(F)},
                                     {"works", Get().workOf(nullptr, nullptr).Sure},
                                     {"sleeps", std::move(Slept)},
                                     {"calls", std::move(Called)}});
  }
  return Functions.empty() ? json::Value(nullptr) : json::Value(std::move(Functions));
}

namespace {

// The functions of a program by name, from the summaries of its units.
class SleepLinker {
public:
  explicit SleepLinker(ArrayRef<json::Value> Summaries) {
    for (const json::Value &V : Summaries)
      if (const json::Array *Functions = V.getAsArray())
        for (const json::Value &F : *Functions)
          if (const json::Object *O = F.getAsObject())
            if (auto Name = O->getString("name"))
              ByName.try_emplace(Name->str(), O); // the same inline function in several units: one will do
  }

  std::vector<LinkedSleep> find() {
    for (const auto &[Name, F] : ByName)
      for (const json::Value &V : *F->getArray("calls"))
        if (const json::Object *Call = V.getAsObject(); Call && !Call->getArray("loops")->empty())
          follow(*Call);
    std::vector<LinkedSleep> Out;
    for (auto &[Where, X] : Found)
      Out.push_back(std::move(X));
    return Out;
  }

private:
  bool works(StringRef Name, std::set<std::string> &Seen) const {
    auto It = ByName.find(Name.str());
    if (It == ByName.end() || !Seen.insert(Name.str()).second)
      return false;
    if (It->second->getBoolean("works").value_or(false))
      return true;
    return any_of(*It->second->getArray("calls"),
                  [&](const json::Value &V) { return works(V.getAsObject()->getString("to").value_or(""), Seen); });
  }

  // The innermost loop around the call that works and advances by itself.
  void follow(const json::Object &Call) {
    StringRef Callee = Call.getString("to").value_or("");
    std::vector<std::pair<const json::Object *, std::vector<Place>>> Slept;
    std::set<std::string> Seen;
    collect(Callee, {}, Slept, Seen);
    if (Slept.empty())
      return;
    for (const json::Value &V : *Call.getArray("loops")) {
      const json::Object &L = *V.getAsObject();
      std::set<std::string> Asked;
      bool Sure = L.getBoolean("sure").value_or(false) || any_of(*L.getArray("calls"), [&](const json::Value &O) {
                    return works(O.getAsString().value_or(""), Asked);
                  });
      bool Waits = L.getBoolean("waits").value_or(true), Carried = L.getBoolean("carried").value_or(false);
      if (!Sure)
        continue;
      for (auto &[S, Path] : Slept) {
        LinkedSleep X;
        std::optional<Place> Where = placeFromJson(*S->get("where")), Loop = placeFromJson(*L.get("where")),
                             From = placeFromJson(*Call.get("where"));
        if (!Where || !Loop || !From)
          continue;
        auto Number = [&](StringRef Key) { return static_cast<unsigned>(S->getInteger(Key).value_or(0)); };
        X.Sleep = {*Where,
                   S->getString("function").value_or("").str(),
                   S->getString("call").value_or("").str(),
                   Number("begin"),
                   Number("end"),
                   S->getNumber("seconds").value_or(0)};
        X.Conf = Waits || !Carried || X.Sleep.Seconds <= 0 ? Confidence::Medium : Confidence::High;
        if (L.getBoolean("clock").value_or(false))
          X.Conf = Confidence::Low;
        X.Loop = L.getString("loop").value_or("").str();
        X.LoopWhere = *Loop;
        X.Calls = {*From};
        X.Calls.insert(X.Calls.end(), Path.begin(), Path.end());
        auto Key = std::tuple(Where->File, Where->Line, Where->Column);
        auto [It, New] = Found.try_emplace(Key, X);
        if (!New && X.Conf > It->second.Conf)
          It->second = X;
      }
      return;
    }
  }

  void collect(StringRef Name, std::vector<Place> Path,
               std::vector<std::pair<const json::Object *, std::vector<Place>>> &Out, std::set<std::string> &Seen) {
    auto It = ByName.find(Name.str());
    if (It == ByName.end() || !Seen.insert(Name.str()).second)
      return;
    for (const json::Value &S : *It->second->getArray("sleeps"))
      Out.emplace_back(S.getAsObject(), Path);
    for (const json::Value &V : *It->second->getArray("calls")) {
      const json::Object &Call = *V.getAsObject();
      std::optional<Place> Where = placeFromJson(*Call.get("where"));
      // What a loop of its own calls is said of that loop.
      if (!Where || !Call.getArray("loops")->empty())
        continue;
      std::vector<Place> Longer = Path;
      Longer.push_back(*Where);
      collect(Call.getString("to").value_or(""), std::move(Longer), Out, Seen);
    }
  }

  std::map<std::string, const json::Object *> ByName;
  std::map<std::tuple<std::string, unsigned, unsigned>, LinkedSleep> Found;
};

} // namespace

std::vector<LinkedSleep> SleepFacts::link(ArrayRef<json::Value> Summaries) { return SleepLinker(Summaries).find(); }

} // namespace stridewise
