#include "checks/mpi-fusable-collectives/ReducingCalls.h"
#include "mpi/CallPairs.h"
#include "mpi/MpiEffects.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-fusable-collectives";
// Rows of one unit beyond which none is told; instructions between two calls; functions that hand on what another one
// gives.
constexpr std::size_t MostRows = 200, MaxBetween = 500;
constexpr unsigned MaxDepth = 4;

// A constant or a variable of the program by its name, where every function finds the same.
std::string nameOf(const Value *V) {
  if (!V)
    return "";
  if (const auto *Ld = dyn_cast<LoadInst>(V)) {
    const std::string From = nameOf(getUnderlyingObject(Ld->getPointerOperand()));
    return From.empty() ? "" : "*" + From;
  }
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return std::to_string(C->getSExtValue());
  const Value *Object = V->getType()->isPointerTy() ? getUnderlyingObject(V) : V;
  if (const auto *G = dyn_cast<GlobalVariable>(Object))
    return G->getName().str();
  std::string Text;
  if (isa<Constant>(V)) {
    raw_string_ostream Out(Text);
    V->printAsOperand(Out, /*PrintType=*/false);
  }
  return Text;
}

bool leavesNothing(const Instruction &I, const TargetLibraryInfo &TLI) {
  if (const auto *St = dyn_cast<StoreInst>(&I)) {
    const Value *To = getUnderlyingObject(St->getPointerOperand());
    return isa<AllocaInst>(To) || isNoAliasCall(To);
  }
  const auto *C = dyn_cast<CallBase>(&I);
  if (isa<MemIntrinsic>(I)) {
    const Value *To = getUnderlyingObject(cast<MemIntrinsic>(I).getDest());
    return isa<AllocaInst>(To) || isNoAliasCall(To);
  }
  return !I.mayWriteToMemory() || I.isLifetimeStartOrEnd() || (C && (isa<IntrinsicInst>(C) || isLocalCall(*C, TLI)));
}

// Null for a function that does anything else.
json::Value reducerOf(Function &F, Unit &U, double MaxBytes) {
  if (F.getReturnType()->isVoidTy() || F.getReturnType()->isPointerTy())
    return nullptr;
  MpiFunction &M = MpiFunction::get(F, U.analyses());
  const auto &TLI = U.analyses().getResult<TargetLibraryAnalysis>(F);
  const LoopInfo &LI = M.engine().loops();
  const MpiSite *Reduces = nullptr;
  const CallBase *Through = nullptr;
  for (const BasicBlock &BB : F) {
    if (isErrorPath(BB))
      continue;
    for (const Instruction &I : counted(BB)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const auto *Site = C ? find_if(M.sites(), [&](const MpiSite &S) { return S.Call == C; }) : M.sites().end();
      if (C && Site != M.sites().end()) {
        if (Site->is(MpiQuery | MpiTimer | MpiBarrier))
          continue;
        const std::optional<std::uint64_t> Bytes = M.messageBytes(*Site);
        if (Reduces || Through || Site->Sig->Does != MpiDoes::Allreduce || Site->is(MpiNonblocking) ||
            LI.getLoopFor(&BB) || !Bytes || static_cast<double>(*Bytes) > MaxBytes)
          return nullptr;
        Reduces = Site;
      } else if (!leavesNothing(I, TLI)) {
        if (!C || !programCallee(*C) || Reduces || Through || LI.getLoopFor(&BB))
          return nullptr;
        Through = C;
      }
    }
  }
  if (Through)
    return json::Object{{"through", linkName(*programCallee(*Through))}};
  if (!Reduces)
    return nullptr;
  const std::string Comm = nameOf(Reduces->arg(Reduces->Sig->Comm)), Of = nameOf(Reduces->arg(Reduces->Sig->Type)),
                    By = nameOf(Reduces->arg(Reduces->Sig->Type + 1));
  return json::Object{{"call", Reduces->Sig->Name}, {"comm", Comm}, {"alike", Of + " " + By}};
}

class Rows {
public:
  Rows(Function &F, SourceCalls &Sources, Unit &U)
      : F(F), Sources(Sources), U(U), LI(U.analyses().getResult<LoopAnalysis>(F)),
        DT(U.analyses().getResult<DominatorTreeAnalysis>(F)), AA(U.analyses().getResult<AAManager>(F)),
        TLI(U.analyses().getResult<TargetLibraryAnalysis>(F)) {}

  void add(json::Array &Out) {
    SmallPtrSet<const CallBase *, 8> Joined;
    for (BasicBlock &BB : F)
      for (Instruction &I : counted(BB)) {
        auto *First = dyn_cast<CallBase>(&I);
        if (!First || !gives(*First) || Joined.contains(First) || Out.size() >= MostRows)
          continue;
        SmallVector<const CallBase *, 4> Calls{First};
        SmallPtrSet<const Instruction *, 32> Between;
        while (const CallBase *Next = following(*Calls.back(), Between)) {
          if (!gives(*Next) || any_of(Calls, [&](const CallBase *C) { return needs(*Next, *C, Between); }))
            break;
          Calls.push_back(Next);
          Joined.insert(Next);
        }
        if (Calls.size() > 1)
          if (json::Value Row = rowOf(Calls); Row.getAsObject())
            Out.push_back(std::move(Row));
      }
  }

private:
  // A number that a function of the program brings.
  static bool gives(const CallBase &C) {
    const Function *Callee = programCallee(C);
    return Callee && !C.onlyReadsMemory() && !C.use_empty() &&
           (C.getType()->isFloatingPointTy() || C.getType()->isIntegerTy());
  }

  // The next call that counts: on the only way there, or behind loops.
  const CallBase *following(const CallBase &From, SmallPtrSetImpl<const Instruction *> &Between) {
    const Loop *Around = LI.getLoopFor(From.getParent());
    const CallBase *Next = nullptr;
    SmallVector<const BasicBlock *, 16> Work{From.getParent()};
    SmallPtrSet<const BasicBlock *, 16> Seen;
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      const Instruction *I = BB == From.getParent() ? From.getNextNode() : &BB->front();
      for (; I; I = I->getNextNode()) {
        const auto *C = dyn_cast<CallBase>(I);
        if (C && !isa<IntrinsicInst>(C) && (findMpiCall(*C) || programCallee(*C)) && !C->onlyReadsMemory() &&
            !isLocalCall(*C, TLI)) {
          if ((Next && Next != C) || LI.getLoopFor(BB) != Around || !DT.dominates(&From, C))
            return nullptr;
          Next = C;
          break;
        }
        if (Between.size() > MaxBetween)
          return nullptr;
        Between.insert(I);
      }
      if (I)
        continue;
      const auto *Invoke = dyn_cast<InvokeInst>(BB->getTerminator());
      for (const BasicBlock *Behind : successors(BB))
        if (!isErrorPath(*Behind) && !(Invoke && Behind == Invoke->getUnwindDest())) {
          // Past the end of the function, or into the next iteration.
          if (Behind == From.getParent() || succ_empty(Behind) || (Around && Around->getHeader() == Behind))
            return nullptr;
          if (Seen.insert(Behind).second)
            Work.push_back(Behind);
        }
    }
    return Next;
  }

  // Whether the call, or what comes before it, uses what an earlier one has given.
  bool needs(const CallBase &Call, const CallBase &Earlier, const SmallPtrSetImpl<const Instruction *> &Between) {
    SmallVector<const Instruction *, 8> Work{&Earlier};
    SmallPtrSet<const Instruction *, 16> Seen;
    while (!Work.empty())
      for (const User *Use : Work.pop_back_val()->users()) {
        const auto *I = cast<Instruction>(Use);
        if (I == &Call || (isa<CallBase>(I) && !isa<IntrinsicInst>(I) && Between.contains(I)))
          return true;
        if (!Between.contains(I) || !Seen.insert(I).second)
          continue;
        if (I->isTerminator())
          return true;
        const auto *St = dyn_cast<StoreInst>(I);
        if (St && isRead(MemoryLocation::get(St), Call, Between))
          return true;
        if (!St)
          Work.push_back(I);
      }
    return false;
  }
  // A function of another unit reads what it is handed, or what it knows by name: a variable of the caller is neither.
  bool isRead(const MemoryLocation &Where, const CallBase &Call, const SmallPtrSetImpl<const Instruction *> &Between) {
    const Value *Object = getUnderlyingObject(Where.Ptr);
    const auto *G = dyn_cast<GlobalVariable>(Object);
    const bool Own = isa<AllocaInst>(Object) || (G && G->hasLocalLinkage());
    const auto Reaches = [&](const Use &A) {
      return A->getType()->isPointerTy() && AA.alias(MemoryLocation::getBeforeOrAfter(A.get()), Where);
    };
    return !Own || any_of(Call.args(), Reaches) || any_of(Between, [&](const Instruction *I) {
      return isa<LoadInst>(I) && isRefSet(AA.getModRefInfo(const_cast<Instruction *>(I), Where));
    });
  }

  json::Value rowOf(ArrayRef<const CallBase *> Calls) {
    json::Array Each;
    const std::vector<SourceFrame> First = Sources.frames(*Calls.front());
    for (const CallBase *C : Calls) {
      const std::vector<SourceFrame> Frames = Sources.frames(*C);
      if (Frames.empty() || Frames.front().around() != First.front().around())
        return nullptr;
      Each.push_back(json::Object{{"of", linkName(*programCallee(*C))},
                                  {"name", calledName(Frames.front(), *programCallee(*C))},
                                  {"where", toJson(placeOf(U.ast(), Frames.front().range()))}});
    }
    const Place Scope = placeOf(U.ast(), First.front().scope());
    return json::Object{{"calls", std::move(Each)},
                        {"in", linkName(F)},
                        {"loop", LI.getLoopFor(Calls.front()->getParent()) != nullptr},
                        {"function", First.front().function()},
                        {"first", Scope.Line},
                        {"last", Scope.EndLine}};
  }

  Function &F;
  SourceCalls &Sources;
  Unit &U;
  const LoopInfo &LI;
  const DominatorTree &DT;
  AAResults &AA;
  const TargetLibraryInfo &TLI;
};

} // namespace

json::Value reducingFacts(Unit &U, SourceCalls &Sources, double MaxBytes) {
  json::Object Reducers;
  json::Array All;
  for (Function &F : *U.ir())
    if (!F.isDeclaration()) {
      if (json::Value Reducer = reducerOf(F, U, MaxBytes); Reducer.getAsObject())
        Reducers[linkName(F)] = std::move(Reducer);
      Rows(F, Sources, U).add(All);
    }
  if (Reducers.empty() && All.empty())
    return nullptr;
  return json::Object{{"reducers", std::move(Reducers)}, {"rows", std::move(All)}};
}

namespace {

std::string text(const stored::Object &O, StringRef Key) { return O.getString(Key).value_or("").str(); }

class RowLinker {
public:
  explicit RowLinker(ArrayRef<const stored::Object *> Facts) {
    for (const stored::Object *O : Facts)
      for (const auto &[Name, Each] : *O->getObject("reducers"))
        Reducers.try_emplace(Name.str(), Each.getAsObject());
  }

  // The first calls of the row, from the given one on, that reduce alike.
  void judge(const stored::Object &Row, std::vector<LinkFinding> &Out) const {
    const stored::Array &Calls = *Row.getArray("calls");
    for (std::size_t Begin = 0; Begin < Calls.size();) {
      std::size_t End = Begin + 1;
      while (End < Calls.size() && areAlike(*Calls[Begin].getAsObject(), *Calls[End].getAsObject()))
        ++End;
      if (End - Begin > 1)
        if (std::optional<LinkFinding> F = finding(Row, Begin, End))
          Out.push_back(std::move(*F));
      Begin = End;
    }
  }

private:
  const stored::Object *reducer(std::string Name) const {
    for (unsigned Depth = 0; Depth < MaxDepth; ++Depth) {
      const auto Known = Reducers.find(Name);
      if (Known == Reducers.end() || Known->second->getString("call"))
        return Known == Reducers.end() ? nullptr : Known->second;
      Name = text(*Known->second, "through");
    }
    return nullptr;
  }

  // A communicator that a function finds by itself is one that all find there; one that it is handed, the same function
  // is handed twice.
  bool areAlike(const stored::Object &A, const stored::Object &B) const {
    const stored::Object *X = reducer(text(A, "of")), *Y = reducer(text(B, "of"));
    return X && Y && text(*X, "alike") == text(*Y, "alike") && text(*X, "comm") == text(*Y, "comm") &&
           (X == Y || !text(*X, "comm").empty());
  }

  std::optional<LinkFinding> finding(const stored::Object &Row, std::size_t Begin, std::size_t End) const {
    const stored::Array &Calls = *Row.getArray("calls");
    const stored::Object &First = *Calls[Begin].getAsObject();
    const std::optional<Place> Where = placeFromJson(*First.get("where"));
    if (!Where)
      return std::nullopt;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Where = *Where;
    F.Accesses = {*Where};
    F.Function = text(Row, "function");
    F.ScopeBegin = unsigned(Row.getInteger("first").value_or(Where->Line));
    F.ScopeEnd = unsigned(Row.getInteger("last").value_or(Where->Line));
    std::string Rest, Names = text(First, "name");
    for (std::size_t K = Begin + 1; K < End; ++K) {
      const stored::Object &Each = *Calls[K].getAsObject();
      if (const std::optional<Place> P = placeFromJson(*Each.get("where"))) {
        F.Relateds.emplace_back(*P, "could join the call above");
        Rest += (Rest.empty() ? "" : ", ") + std::to_string(P->Line);
      }
      if (const std::string Name = text(Each, "name"); Name != text(First, "name") && !StringRef(Names).contains(Name))
        Names += ", " + Name;
    }
    const auto Count = static_cast<std::int64_t>(End - Begin);
    const std::string Call = text(*reducer(text(First, "of")), "call");
    F.Args = {
        {"count", Count},
        {"calls", variant(Slug, "row", {{"count", Count}, {"call", Names}})},
        {"effect", variant(Slug, "reduces",
                           {{"call", Call}, {"rest", (Count == 2 ? "that of line " : "those of lines ") + Rest}})},
        {"remedy", variant(Slug, "local_first", {{"call", Call}})}};
    return F;
  }

  std::map<std::string, const stored::Object *> Reducers;
};

} // namespace

std::vector<LinkFinding> linkReducingCalls(ArrayRef<const stored::Object *> Facts,
                                           ArrayRef<const stored::Object *> OfPhases) {
  const RowLinker Linker(Facts);
  CallPhases Phases(OfPhases);
  std::vector<LinkFinding> Out;
  for (const stored::Object *O : Facts)
    for (const stored::Value &R : *O->getArray("rows")) {
      const stored::Object &Row = *R.getAsObject();
      if (Row.getBoolean("loop").value_or(false) || Phases.runAgain(text(Row, "in")))
        Linker.judge(Row, Out);
    }
  return Out;
}

} // namespace stridewise
