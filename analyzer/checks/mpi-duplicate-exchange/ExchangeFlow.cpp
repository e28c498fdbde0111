#include "checks/mpi-duplicate-exchange/ExchangeFlow.h"
#include "checks/mpi-duplicate-exchange/FlowMoves.h"
#include "checks/mpi-duplicate-exchange/FlowPaths.h"
#include "library/LibraryCalls.h"
#include "loops/LoopPlaces.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

// The function that a pointer of the unit's own always holds: `static Filler fill;`, which one statement sets.
Function *soleTarget(Value *Called, Unit &U) {
  auto *Load = dyn_cast<LoadInst>(Called);
  auto *G = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
  if (!G || !FlowPaths(*Load->getFunction(), U).isOfUnit(FlowPaths(*Load->getFunction(), U).of(G)))
    return nullptr;
  if (G->hasInitializer() && !G->getInitializer()->isNullValue())
    return nullptr;
  Function *Target = nullptr;
  for (const User *Each : G->users()) {
    const auto *Store = dyn_cast<StoreInst>(Each);
    const auto *Value =
        Store && Store->getPointerOperand() == G ? dyn_cast<Function>(Store->getValueOperand()) : nullptr;
    if (!isa<LoadInst>(Each) && (!Value || (Target && Target != Value)))
      return nullptr;
    Target = Value ? const_cast<Function *>(Value) : Target;
  }
  return Target;
}

class FlowWriter {
public:
  FlowWriter(Function &F, Unit &U, SourceCalls &Sources)
      : F(F), U(U), Sources(Sources), M(MpiFunction::get(F, U.analyses())),
        TLI(U.analyses().getResult<TargetLibraryAnalysis>(F)), LI(U.analyses().getResult<LoopAnalysis>(F)),
        Paths(F, U) {
    for (const MpiSite &S : M.sites())
      SiteOf[S.Call] = &S;
  }

  json::Value write() {
    ReversePostOrderTraversal<Function *> Order(&F);
    for (const BasicBlock *BB : Order)
      Number.try_emplace(BB, Number.size());
    json::Array Events, Next;
    Events.reserve(F.size());
    Next.reserve(F.size());
    for (BasicBlock *BB : Order) // gives names to what calls are given
      for (Instruction &I : *BB)
        if (auto *C = dyn_cast<CallBase>(&I); C && isOfProject(*C))
          for (Value *A : C->args())
            argument(A);
    for (BasicBlock *BB : Order) {
      json::Array Here, Behind;
      Seen.clear();
      const bool Error = isErrorPath(*BB);
      if (!Error)
        for (Instruction &I : counted(*BB)) {
          // In a loop it is another value each time.
          if (Paths.isNamed(I) && LI.getLoopFor(BB))
            Here.push_back(json::Array{"d", Paths.idOf(I)});
          add(I, Here);
        }
      for (const BasicBlock *S : successors(BB))
        if (!Error && !isErrorPath(*S))
          Behind.push_back(Number.lookup(S));
      if (isa<ReturnInst>(BB->getTerminator()))
        Behind.push_back(-1);
      Events.push_back(std::move(Here));
      Next.push_back(std::move(Behind));
    }
    json::Object Out{{"events", std::move(Events)}, {"next", std::move(Next)}, {"keeps", keeps()}};
    if (json::Value Moves = flowMoves(F, Paths, U); Moves.kind() != json::Value::Null)
      Out["moves"] = std::move(Moves);
    if (json::Array Loops = loops(); !Loops.empty())
      Out["loops"] = std::move(Loops);
    if (const DISubprogram *P = F.getSubprogram())
      Out["name"] = P->getName();
    if (givesFreshMemory())
      Out["fresh"] = true;
    return Out;
  }
  /// Of the unit, in the order of the calls.
  SetVector<Function *> Called;

private:
  void add(json::Array Event, json::Array &Out) {
    // Within a block, one word of a write is enough up to the next call.
    std::string Text;
    json::Value Said = std::move(Event);
    raw_string_ostream(Text) << Said;
    if (Seen.insert(Text).second)
      Out.push_back(std::move(Said));
  }
  void writes(Value *To, StringRef Kind, json::Array &Out, const Instruction *Store = nullptr) {
    add(json::Array{"w", Paths.ofAccess(To, Store).toJson(), Kind}, Out);
  }

  void add(Instruction &I, json::Array &Out) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      Value *V = Store->getValueOperand();
      writes(Store->getPointerOperand(), kindOf(V->getType()), Out, Store);
      if (V->getType()->isPointerTy() && !isa<ConstantPointerNull>(V))
        if (const FlowPath Slot = Paths.of(Store->getPointerOperand()); Slot.isOwn() && Slot.Steps.empty())
          add(json::Array{"h", Slot.toJson(), Paths.of(V, /*Named=*/true).toJson()}, Out);
      return;
    }
    auto *C = dyn_cast<CallBase>(&I);
    if (!C) {
      if (I.mayWriteToMemory())
        add(json::Array{"u"}, Out);
      return;
    }
    if (auto It = SiteOf.find(C); It != SiteOf.end()) {
      addMpi(*It->second, Out);
    } else if (auto *Memory = dyn_cast<MemIntrinsic>(C)) {
      writes(Memory->getDest(), "m", Out);
    } else if (!isa<IntrinsicInst>(C)) {
      addCall(*C, Out);
    }
  }

  void receives(const MpiSite &S, json::Array &Out) {
    Value *To = S.arg(S.Sig->RecvBuffer >= 0 ? S.Sig->RecvBuffer : S.Sig->Buffer);
    if (S.is(MpiRecv | MpiCollective) && To && To->getType()->isPointerTy())
      writes(To, "m", Out);
  }
  void addMpi(const MpiSite &S, json::Array &Out) {
    if (S.is(MpiTimer)) {
      add(json::Array{"t"}, Out);
      return;
    }
    if (S.is(MpiRma | MpiIo | MpiOutside | MpiPersistent | MpiSharedMemory)) {
      add(json::Array{"u"}, Out);
      return;
    }
    receives(S, Out);
    auto Begins = [](const MpiSite &R) { return R.is(MpiNonblocking) && R.is(MpiRecv | MpiCollective | MpiSend); };
    if (S.is(MpiNonblocking) && S.is(MpiRecv) && S.arg(S.Sig->Buffer))
      add(json::Array{"p", Paths.of(S.arg(S.Sig->Buffer)).base().toJson(),
                      any_of(M.sites(), [](const MpiSite &W) { return W.is(MpiWait); })},
          Out);
    if (!S.is(MpiWait))
      return;
    if (none_of(M.sites(), Begins))
      add(json::Array{"W"}, Out);
    for (const MpiSite &R : M.sites())
      if (Begins(R))
        receives(R, Out);
  }

  void addCall(CallBase &C, json::Array &Out) {
    Function *Callee = calleeOf(C);
    const LibraryCall *Known = findLibraryCall(C);
    if (Known && Known->does(LibClock)) {
      add(json::Array{"t"}, Out);
    } else if (Known && !Known->does(LibCalls)) {
      for (unsigned K = 0; K < C.arg_size(); ++K)
        if ((Known->Writes >> K) & 1 && C.getArgOperand(K)->getType()->isPointerTy()) {
          writes(C.getArgOperand(K), "m", Out);
          // A descriptor, and the array that it describes.
          if (U.isFortran())
            add(json::Array{"w", Paths.behind(C.getArgOperand(K)).toJson(), "m"}, Out);
        }
    } else if (Known || !Callee || C.isInlineAsm()) {
      add(json::Array{"u"}, Out);
    } else if (!isDataFreeCall(C, TLI)) {
      addProjectCall(C, *Callee, Out);
    }
  }
  void addProjectCall(CallBase &C, Function &Callee, json::Array &Out) {
    Called.insert(&Callee);
    json::Array Arguments;
    for (Value *A : C.args())
      Arguments.push_back(argument(A));
    const std::vector<SourceFrame> Frames = Sources.frames(C);
    json::Array Places, Texts;
    for (const SourceFrame &Each : Frames)
      Places.push_back(toJson(placeOf(U.ast(), Each.range())));
    for (unsigned K = 0; K < C.arg_size() && !Frames.empty(); ++K)
      Texts.push_back(Sources.argumentText(Frames, int(K), 0));
    const std::string In = Frames.empty() ? std::string() : Frames.back().function();
    const Place Scope = Frames.empty() ? Place() : placeOf(U.ast(), Frames.back().scope());
    const bool Result = !C.use_empty() && C.getType()->isFPOrFPVectorTy();
    Out.push_back(json::Array{"c", flowName(Callee, U), std::move(Arguments), std::move(Places), In, Scope.Line,
                              Scope.EndLine, std::move(Texts), Result});
    Seen.clear();
  }
  Function *calleeOf(CallBase &C) {
    Value *To = C.getCalledOperand()->stripPointerCasts();
    auto *Callee = dyn_cast<Function>(To);
    return Callee ? Callee : soleTarget(To, U);
  }
  json::Value argument(Value *V) {
    const Constant *Number = U.isFortran() ? numberAt(V) : nullptr;
    if (!Number)
      Number = isa<ConstantInt>(V) ? cast<Constant>(V) : nullptr;
    if (const auto *C = dyn_cast_or_null<ConstantInt>(Number))
      return C->getBitWidth() <= 64 ? json::Value(C->getSExtValue()) : json::Value(nullptr);
    if (const auto *C = dyn_cast_or_null<ConstantFP>(Number); C && C->getType()->getPrimitiveSizeInBits() <= 64)
      return C->getValueAPF().bitcastToAPInt().getSExtValue();
    if (isa<Constant>(V) && !V->getType()->isPointerTy())
      return nullptr;
    return Paths.of(V, /*Named=*/true).toJson();
  }
  // What the address of a constant leads to: `call fill(u, 64)`.
  static const Constant *numberAt(const Value *V) {
    if (const auto *G = dyn_cast<GlobalVariable>(V))
      return G->isConstant() && G->hasInitializer() ? G->getInitializer() : nullptr;
    if (!isa<AllocaInst>(V))
      return nullptr;
    const Constant *Number = nullptr;
    for (const User *Each : V->users()) {
      const auto *Store = dyn_cast<StoreInst>(Each);
      const auto *C = Store && Store->getPointerOperand() == V ? dyn_cast<Constant>(Store->getValueOperand()) : nullptr;
      if (!isa<CallBase>(Each) && (!C || (Number && Number != C)))
        return nullptr;
      Number = C ? C : Number;
    }
    return Number;
  }
  bool isOfProject(CallBase &C) {
    return !SiteOf.contains(&C) && !isa<IntrinsicInst>(C) && calleeOf(C) && !findLibraryCall(C) &&
           !isDataFreeCall(C, TLI);
  }

  // --- the function as a whole ---------------------------------------------------------------------------------------

  // Parameters whose address it stores, or gives back.
  json::Array keeps() {
    json::Array Out;
    for (Argument &A : F.args()) {
      if (!A.getType()->isPointerTy())
        continue;
      SmallSetVector<const Value *, 16> Same;
      Same.insert(&A);
      bool Kept = false;
      for (std::size_t K = 0; K < Same.size() && !Kept; ++K)
        for (const User *Each : Same[K]->users()) {
          if (const auto *Store = dyn_cast<StoreInst>(Each))
            Kept |= Store->getValueOperand() == Same[K] &&
                    !isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
          Kept |= isa<ReturnInst>(Each);
          if (isa<GetElementPtrInst, PHINode, SelectInst>(Each))
            Same.insert(Each);
        }
      if (Kept)
        Out.push_back(A.getArgNo());
    }
    return Out;
  }
  bool givesFreshMemory() {
    bool Any = false;
    if (F.getReturnType()->isPointerTy())
      for (const BasicBlock &BB : F)
        if (const auto *Return = dyn_cast<ReturnInst>(BB.getTerminator())) {
          Any = true;
          for (const Value *V : alternatives(Return->getReturnValue()))
            if (!isa<ConstantPointerNull>(V) && !isNewMemory(V, TLI))
              return false;
        }
    return Any;
  }
  static SmallSetVector<const Value *, 4> alternatives(const Value *V) {
    SmallSetVector<const Value *, 4> All, Out;
    All.insert(V->stripPointerCasts());
    for (std::size_t K = 0; K < All.size(); ++K)
      if (const auto *Phi = dyn_cast<PHINode>(All[K]))
        for (const Value *In : Phi->incoming_values())
          All.insert(In->stripPointerCasts());
      else
        Out.insert(All[K]);
    return Out;
  }
  // Those that call functions of the program: [header, blocks, place, counter, iterations or 0].
  json::Array loops() {
    json::Array Out;
    for (const Loop *L : LI.getLoopsInPreorder()) {
      const bool Calls = any_of(L->blocks(), [&](BasicBlock *BB) {
        return any_of(*BB, [&](Instruction &I) { return isa<CallBase>(I) && isOfProject(cast<CallBase>(I)); });
      });
      const std::optional<LoopPlace> At = Calls ? loopPlace(L, U) : std::nullopt;
      if (!At)
        continue;
      json::Array Blocks;
      for (const BasicBlock *BB : L->blocks())
        Blocks.push_back(Number.lookup(BB));
      Out.push_back(json::Array{Number.lookup(L->getHeader()), std::move(Blocks), toJson(placeOf(U.ast(), At->Header)),
                                At->Counter, M.engine().tripCount(L)});
    }
    return Out;
  }

  Function &F;
  Unit &U;
  SourceCalls &Sources;
  MpiFunction &M;
  const TargetLibraryInfo &TLI;
  const LoopInfo &LI;
  FlowPaths Paths;
  DenseMap<const Instruction *, const MpiSite *> SiteOf;
  DenseMap<const BasicBlock *, unsigned> Number;
  std::set<std::string> Seen;
};

} // namespace

json::Value exchangeFlow(Unit &U, SourceCalls &Sources) {
  json::Object Out;
  SetVector<Function *> Work;
  for (Function &F : *U.ir())
    if (!F.isDeclaration() && !F.hasLinkOnceODRLinkage() && !F.hasAvailableExternallyLinkage())
      Work.insert(&F);
  for (std::size_t K = 0; K < Work.size(); ++K) {
    FlowWriter Writer(*Work[K], U, Sources);
    Out[flowName(*Work[K], U)] = Writer.write();
    // What headers define is the same in all units.
    for (Function *Callee : Writer.Called)
      if (!Callee->isDeclaration() && !Callee->hasAvailableExternallyLinkage())
        Work.insert(Callee);
  }
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

} // namespace stridewise
