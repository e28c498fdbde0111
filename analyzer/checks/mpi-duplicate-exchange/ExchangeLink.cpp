#include "checks/mpi-duplicate-exchange/ExchangeLink.h"
#include "library/LibraryCalls.h"
#include "mpi/MessageFinder.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

// Pointers that are chosen between and loaded, from the address of an access to its array.
constexpr unsigned MaxRoots = 6;
// A loop that calls more functions of other units does more than to exchange; the time grows with their number.
constexpr unsigned MostCalls = 8;

// Takes numbers, and gives memory.
bool allocates(const CallBase &C) {
  return C.getType()->isPointerTy() && none_of(C.args(), [](const Use &U) { return U->getType()->isPointerTy(); });
}

// --- the functions that exchange -------------------------------------------------------------------------------------

class Exchanger {
public:
  Exchanger(MpiFunction &M, Unit &U)
      : M(M), E(M.engine()), U(U), TLI(U.analyses().getResult<TargetLibraryAnalysis>(M.function())) {}

  // The parameter of the array.
  std::optional<unsigned> array() {
    for (const MpiSite &S : M.sites())
      if (!add(S))
        return std::nullopt;
    for (BasicBlock &BB : M.function())
      if (!isErrorPath(BB))
        for (Instruction &I : counted(BB))
          if (!add(I))
            return std::nullopt;
    // What is received where it was sent from is passed on, round a ring.
    if (!Sends || !Receives || !Array || any_of(Written, [&](const SCEV *S) { return Read.contains(S); }))
      return std::nullopt;
    return Array->getArgNo();
  }
  std::set<std::string> Variables; // of the program, that it reads

private:
  // A variable that no other unit names. One without an initial value has no definition in the code.
  bool isOwn(const GlobalVariable &G) const {
    if (G.hasLocalLinkage() || !G.isDeclaration())
      return G.hasLocalLinkage();
    clang::ASTContext &Ctx = U.ast();
    return any_of(Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get(G.getName())),
                  [](const clang::NamedDecl *D) { return isa<clang::VarDecl>(D) && !D->isExternallyVisible(); });
  }

  enum class Root { Own, Parameter, Other };
  // What an address leads to: an array that is passed, or memory that the function or its unit has for itself.
  Root rootOf(const Value *Pointer, const Argument *&Passed, unsigned Depth = MaxRoots) {
    const Value *Object = getUnderlyingObject(Pointer, 0);
    if (const auto *A = dyn_cast<Argument>(Object)) {
      Passed = A;
      return Root::Parameter;
    }
    if (const auto *G = dyn_cast<GlobalVariable>(Object))
      return isOwn(*G) ? Root::Own : Root::Other;
    const auto *C = dyn_cast<CallBase>(Object);
    if (isa<AllocaInst>(Object) || (C && (isAllocationFn(C, &TLI) || allocates(*C))))
      return Root::Own;
    const auto *Load = dyn_cast<LoadInst>(Object);
    const bool Chooses = isa<PHINode, SelectInst>(Object);
    if (Depth == 0 || (!Load && !Chooses))
      return Root::Other;
    if (Load)
      return rootOf(Load->getPointerOperand(), Passed, Depth - 1) == Root::Own ? Root::Own : Root::Other;
    const auto *Choice = cast<Instruction>(Object);
    return all_of(drop_begin(Choice->operands(), isa<SelectInst>(Choice) ? 1 : 0),
                  [&](const Use &U) { return rootOf(U.get(), Passed, Depth - 1) == Root::Own; })
               ? Root::Own
               : Root::Other;
  }

  // Where the loops around an access begin.
  const SCEV *first(Value *Pointer) {
    const SCEV *Address = E.rewrite(Pointer);
    while (const auto *Walk = dyn_cast<SCEVAddRecExpr>(Address))
      Address = Walk->getStart();
    return Address;
  }

  bool writes(Value *Pointer) {
    const Argument *Passed = nullptr;
    const Root R = rootOf(Pointer, Passed);
    if (R != Root::Parameter)
      return R == Root::Own;
    if (Array && Array != Passed)
      return false;
    Array = Passed;
    Written.insert(first(Pointer));
    return true;
  }

  bool add(const MpiSite &S) {
    constexpr unsigned Others = MpiCollective | MpiPersistent | MpiRma | MpiIo | MpiTimer | MpiProbe | MpiLifecycle |
                                MpiCommManagement | MpiSome | MpiOutside;
    const bool Both = S.is(MpiSend) && S.is(MpiRecv);
    if (S.is(MpiQuery) && !S.is(MpiCollective))
      return true;
    if (S.is(Others) || (Both && !S.arg(S.Sig->RecvBuffer)) || (S.is(MpiRecv) && M.isWildcard(S.source())))
      return false;
    Sends |= S.is(MpiSend);
    Receives |= S.is(MpiRecv);
    if (S.is(MpiSend))
      Read.insert(first(S.arg(S.Sig->Buffer)));
    return !S.is(MpiRecv) || writes(S.arg(Both ? S.Sig->RecvBuffer : S.Sig->Buffer));
  }

  bool add(Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      Read.insert(first(Load->getPointerOperand()));
      const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Load->getPointerOperand()));
      if (G && !isOwn(*G))
        Variables.insert(G->getName().str());
      return Load->isSimple();
    }
    // An array takes what has come as it is: what is added up there is added up again.
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      const Argument *Passed = nullptr;
      return Store->isSimple() && writes(Store->getPointerOperand()) &&
             (rootOf(Store->getPointerOperand(), Passed) == Root::Own || isa<LoadInst>(Store->getValueOperand()));
    }
    if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      Read.insert(first(Copy->getRawSource()));
      return writes(Copy->getRawDest());
    }
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C)
      return !I.mayWriteToMemory();
    return !isa<MemIntrinsic>(C) && (findMpiCall(*C) || isDataFreeCall(*C, TLI) || allocates(*C));
  }

  MpiFunction &M;
  StrideEngine &E;
  Unit &U;
  const TargetLibraryInfo &TLI;
  const Argument *Array = nullptr;
  SmallPtrSet<const SCEV *, 8> Written, Read;
  bool Sends = false, Receives = false;
};

// --- the loops that call them ----------------------------------------------------------------------------------------

class RepeatedCall : MessageFinder {
public:
  RepeatedCall(MpiFunction &M, Unit &U, MpiEffects &Effects) : MessageFinder(M, U, Effects) {}

  struct Found {
    const Loop *Around;
    // Calls of other units beside it, each with its arguments that may lead to what the call is given.
    std::vector<std::pair<std::string, SmallVector<unsigned, 2>>> Others;
    std::set<std::string> Variables; // that the loop stores to
  };

  // A call that does the same in each iteration of the loop around it, if what it is given stays the same.
  std::optional<Found> find(CallBase &C) {
    Found Out{LI.getLoopFor(C.getParent()), {}, {}};
    const Loop *L = Out.Around;
    const unsigned Trips = L ? E.tripCount(L) : 0;
    if (!L || (Trips && Trips < limits::mpi_duplicate_exchange::MinTrips) || !computes(L) || !runsAlways(C, L) ||
        any_of(C.args(), [&](Value *V) { return !isSteady(V, L); }))
      return std::nullopt;
    for (Value *V : C.args())
      if (V->getType()->isPointerTy())
        Given.push_back(Ranges.of(V, std::nullopt, C.getParent(), nullptr));
    for (BasicBlock *BB : L->blocks())
      if (!isErrorPath(*BB))
        for (Instruction &I : counted(*BB))
          if (&I != &C && !add(I, Out))
            return std::nullopt;
    return Given.empty() ? std::nullopt : std::optional(std::move(Out));
  }

private:
  bool runsAlways(const CallBase &C, const Loop *L) {
    return all_of(M.conditions(C.getParent()), [&](const RunCondition &R) {
      const auto *Br = dyn_cast<BranchInst>(R.Branch);
      return !L->contains(R.Branch) || L->isLoopExiting(R.Branch->getParent()) ||
             (Br && !E.varies(Br->getCondition(), L));
    });
  }

  // A value that the loop does not change, or that it loads from a variable to which it does not store; the calls in it
  // are asked for what they write when all units are known.
  bool isSteady(Value *V, const Loop *L) {
    if (!E.varies(V, L))
      return true;
    const auto *Load = dyn_cast<LoadInst>(V);
    const auto *G = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
    return G && none_of(L->blocks(), [&](BasicBlock *BB) {
             return any_of(*BB, [&](Instruction &I) {
               const auto *Store = dyn_cast<StoreInst>(&I);
               return Store && getUnderlyingObject(Store->getPointerOperand()) == G;
             });
           });
  }

  bool meets(const MemoryRange &Other) {
    return any_of(Given, [&](const MemoryRange &Each) { return Ranges.meet(Other, Each) >= Meeting::Tables; });
  }
  bool writes(Value *Pointer, const BasicBlock *At) { return meets(Ranges.of(Pointer, std::nullopt, At, nullptr)); }

  bool add(Instruction &I, Found &Out) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Store->getPointerOperand())))
        Out.Variables.insert(G->getName().str());
      return !writes(Store->getPointerOperand(), I.getParent());
    }
    auto *C = dyn_cast<CallBase>(&I);
    if (!C)
      return !I.mayWriteToMemory();
    if (auto *Memory = dyn_cast<MemIntrinsic>(C))
      return !writes(Memory->getRawDest(), I.getParent());
    if (auto It = SiteOf.find(C); It != SiteOf.end()) {
      const MpiSite &S = *It->second;
      return !S.is(MpiTimer | MpiRma | MpiIo | MpiWait | MpiPersistent | MpiLifecycle) &&
             (S.is(MpiQuery) || S.is(MpiBarrier) || !S.is(MpiRecv | MpiCollective) ||
              !meets(Ranges.ofMessage(S, /*Receive=*/true, nullptr)));
    }
    if (!isOpaque(I, effects::Output | effects::RankOutput))
      return true;
    const Function *Callee = C->getCalledFunction();
    if (!Callee || !Callee->isDeclaration() || findLibraryCall(*C))
      return false;
    auto &[Name, Met] = Out.Others.emplace_back();
    Name = linkName(*Callee);
    for (const Use &U : C->args())
      if (U->getType()->isPointerTy() && writes(U.get(), I.getParent()))
        Met.push_back(C->getArgOperandNo(&U));
    return true;
  }

  std::vector<MemoryRange> Given;
};

json::Array strings(const std::set<std::string> &Texts) {
  json::Array Out;
  for (const std::string &T : Texts)
    Out.push_back(T);
  return Out;
}

bool isForeign(const CallBase &C) {
  const Function *Callee = C.getCalledFunction();
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() && !Callee->isVarArg() && !findMpiCall(C) &&
         !findLibraryCall(C) && !isStandardCxx(*Callee) && C.getType()->isVoidTy() &&
         any_of(C.args(), [](const Use &U) { return U->getType()->isPointerTy(); });
}

} // namespace

json::Object exchangers(Unit &U, ArrayRef<MpiFunction *> Functions) {
  json::Object Out;
  for (MpiFunction *M : Functions) {
    Function &F = M->function();
    if (F.hasLocalLinkage() || F.hasLinkOnceODRLinkage() || F.hasAvailableExternallyLinkage() || F.isVarArg())
      continue;
    Exchanger Each(*M, U);
    if (std::optional<unsigned> Array = Each.array())
      Out[linkName(F)] = json::Object{{"array", *Array}, {"reads", strings(Each.Variables)}};
  }
  return Out;
}

static json::Object toJson(const RepeatedCall::Found &X, const CallBase &C, ArrayRef<SourceFrame> Frames,
                           SourceCalls &Sources, Unit &U) {
  json::Array Others, Texts;
  for (const auto &[Name, Met] : X.Others)
    Others.push_back(json::Array{Name, json::Array(Met)});
  for (unsigned K = 0; K < C.arg_size(); ++K)
    Texts.push_back(Sources.argumentText(Frames, int(K), 0));
  const Place Scope = placeOf(U.ast(), Frames[0].scope());
  return json::Object{{"where", toJson(placeOf(U.ast(), Frames[0].range()))},
                      {"loop", toJson(placeOf(U.ast(), loopRange(X.Around, U)))},
                      {"counter", loopVariable(X.Around, U)},
                      {"function", Frames[0].function()},
                      {"begin", Scope.Line},
                      {"end", Scope.EndLine},
                      {"callee", linkName(*C.getCalledFunction())},
                      {"arguments", std::move(Texts)},
                      {"others", std::move(Others)},
                      {"stores", strings(X.Variables)}};
}

json::Array repeatedCalls(Unit &U, MpiEffects &Effects, SourceCalls &Sources, Reporter &R) {
  json::Array Out;
  if (U.isFortran())
    return Out;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(F);
    MapVector<const Loop *, SmallVector<CallBase *, MostCalls + 1>> Calls;
    for (const Loop *L : LI.getLoopsInPreorder())
      for (BasicBlock *BB : L->blocks())
        if (LI.getLoopFor(BB) == L)
          for (Instruction &I : *BB)
            if (auto *C = dyn_cast<CallBase>(&I); C && isForeign(*C) && Calls[L].size() <= MostCalls)
              Calls[L].push_back(C);
    for (auto &[L, Each] : Calls)
      for (CallBase *C : ArrayRef<CallBase *>(Each).take_front(Each.size() > MostCalls ? 0 : MostCalls)) {
        std::optional<RepeatedCall::Found> Found = RepeatedCall(MpiFunction::get(F, U.analyses()), U, Effects).find(*C);
        const std::vector<SourceFrame> Frames = Found ? Sources.frames(*C) : std::vector<SourceFrame>();
        // A copy that was inlined says what the function itself says.
        if (Frames.size() == 1 && loopRange(Found->Around, U).isValid() &&
            !R.silences("mpi-duplicate-exchange", Frames[0].Where))
          Out.push_back(toJson(*Found, *C, Frames, Sources, U));
      }
  }
  return Out;
}

// --- all units -------------------------------------------------------------------------------------------------------

namespace {

class ExchangeLinker {
public:
  explicit ExchangeLinker(ArrayRef<stored::Value> Summaries) {
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        if (const stored::Object *Functions = O->getObject("exchangers"))
          for (const auto &[Name, F] : *Functions)
            ByName.try_emplace(Name.str(), F.getAsObject());
  }

  std::optional<LinkFinding> judge(const stored::Object &Call) const {
    const std::string Callee = Call.getString("callee").value_or("").str();
    const auto It = ByName.find(Callee);
    std::optional<Place> Where = placeFromJson(*Call.get("where")), Around = placeFromJson(*Call.get("loop"));
    if (It == ByName.end() || !Where || !Around)
      return std::nullopt;
    for (const stored::Value &Stored : *Call.getArray("stores"))
      for (const stored::Value &Read : *It->second->getArray("reads"))
        if (Stored.getAsString() == Read.getAsString())
          return std::nullopt;
    for (const stored::Value &Other : *Call.getArray("others"))
      if (!leavesAlone(*Other.getAsArray()))
        return std::nullopt;
    const stored::Array &Texts = *Call.getArray("arguments");
    const auto Number = std::size_t(It->second->getInteger("array").value_or(0));
    const StringRef Text = Number < Texts.size() ? Texts[Number].getAsString().value_or("") : "";
    const StringRef Counter = Call.getString("counter").value_or("");
    LinkFinding F;
    F.Conf = Confidence::Medium;
    F.Where = *Where;
    F.Accesses = {*Where};
    F.Function = Call.getString("function").value_or("").str();
    F.ScopeBegin = unsigned(Call.getInteger("begin").value_or(0));
    F.ScopeEnd = unsigned(Call.getInteger("end").value_or(0));
    F.Relateds.emplace_back(*Around, "repeated by this loop");
    F.Args = {{"call", Callee},
              {"verb", std::string("exchanges")},
              {"effect", (Text.empty() ? std::string("the same data") : "'" + Text.str() + "'") +
                             " in each iteration of the loop" +
                             (Counter.empty() ? std::string() : " over '" + Counter.str() + "'") +
                             ", although nothing in the loop changes it"}};
    return F;
  }

private:
  // Whether another call writes nothing that the repeated one is given: it exchanges another array.
  bool leavesAlone(const stored::Array &Other) const {
    const auto It = ByName.find(Other[0].getAsString().value_or("").str());
    if (It == ByName.end())
      return false;
    const std::optional<std::int64_t> Array = It->second->getInteger("array");
    return none_of(*Other[1].getAsArray(), [&](const stored::Value &Met) { return Met.getAsInteger() == Array; });
  }

  std::map<std::string, const stored::Object *> ByName;
};

} // namespace

std::vector<LinkFinding> linkExchanges(ArrayRef<stored::Value> Summaries) {
  const ExchangeLinker Linker(Summaries);
  std::vector<LinkFinding> Out;
  for (const stored::Value &V : Summaries)
    if (const stored::Object *O = V.getAsObject())
      if (const stored::Array *Calls = O->getArray("repeated"))
        for (const stored::Value &Call : *Calls)
          if (std::optional<LinkFinding> F = Linker.judge(*Call.getAsObject()))
            Out.push_back(std::move(*F));
  return Out;
}

} // namespace stridewise
