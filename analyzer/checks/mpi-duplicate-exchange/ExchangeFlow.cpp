#include "checks/mpi-duplicate-exchange/ExchangeFlow.h"
#include "library/LibraryCalls.h"
#include "mpi/MpiEffects.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <map>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

// Pointers loaded one from another, from a name of the source to what is written.
constexpr unsigned MaxSteps = 5;
// From a stored value to what it is computed from.
constexpr unsigned MaxOperands = 6;
constexpr unsigned MaxMet = 24;

struct Offset {
  std::optional<std::int64_t> Bytes;
  std::string Member;
  std::string From; // the value that the bytes are counted from, "V7", where it varies and is asked for
};
// A pointer, or a number that was loaded: the last step has a load of its own then.
struct Path {
  std::string Root = "*";
  std::vector<Offset> Steps;
  Offset Last{0, "", ""};
};

json::Array pathToJson(const Path &P) {
  json::Array Steps;
  auto Add = [&](const Offset &O) {
    Steps.push_back(json::Array{O.Bytes ? json::Value(*O.Bytes) : json::Value(nullptr), O.Member, O.From});
  };
  for (const Offset &O : P.Steps)
    Add(O);
  Add(P.Last);
  return json::Array{P.Root, std::move(Steps)};
}

std::string fileOf(Unit &U) {
  const clang::SourceManager &SM = U.sources();
  const clang::OptionalFileEntryRef File = SM.getFileEntryRefForID(SM.getMainFileID());
  return File ? File->getName().str() : std::string();
}

// Among the functions of all units.
std::string flowName(const Function &F, Unit &U) {
  return F.hasLocalLinkage() ? (F.getName() + " in " + fileOf(U)).str() : F.getName().str();
}

class FlowWriter {
public:
  FlowWriter(Function &F, Unit &U, SourceCalls &Sources)
      : F(F), U(U), Sources(Sources), M(MpiFunction::get(F, U.analyses())),
        TLI(U.analyses().getResult<TargetLibraryAnalysis>(F)), LI(U.analyses().getResult<LoopAnalysis>(F)) {
    for (const MpiSite &S : M.sites())
      SiteOf[S.Call] = &S;
  }

  json::Value write() {
    ReversePostOrderTraversal<Function *> Order(&F);
    DenseMap<const BasicBlock *, unsigned> Number;
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
          if (auto It = Ids.find(&I); It != Ids.end() && LI.getLoopFor(BB))
            Here.push_back(json::Array{"d", idOf(I)});
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
    json::Object Out{{"events", std::move(Events)}, {"next", std::move(Next)}};
    if (fills())
      Out["fills"] = json::Object{{"reads", std::move(Needs)}, {"arrays", std::move(Arrays)}, {"tags", tags()}};
    return Out;
  }

private:
  // --- places --------------------------------------------------------------------------------------------------------

  // `Named`: what varies has the name of the value.
  Path pathOf(Value *V, bool Named = false, unsigned Depth = 0) {
    Path P;
    std::int64_t At = 0;
    bool Known = true;
    Value *Varies = nullptr;
    auto Unknown = [&](Value *From) {
      Varies = Varies ? Varies : From;
      Known = false;
    };
    for (;;) {
      if (auto *G = dyn_cast<GEPOperator>(V)) {
        APInt Constant(64, 0);
        if (!G->accumulateConstantOffset(F.getDataLayout(), Constant))
          Unknown(V);
        else if (Known)
          At += Constant.getSExtValue();
        V = G->getPointerOperand();
      } else if (auto *C = dyn_cast<CastInst>(V); C && (isa<AddrSpaceCastInst, SExtInst, ZExtInst>(C))) {
        V = C->getOperand(0);
      } else if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getType()->isPointerTy()) {
        // A pointer that walks.
        ScalarEvolution &SE = M.engine().scalarEvolution();
        const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(SE.getSCEV(V)));
        Unknown(V);
        if (!Base || Base->getValue() == V)
          break;
        V = Base->getValue();
      } else {
        break;
      }
    }
    if (auto *A = dyn_cast<Argument>(V)) {
      P.Root = "a" + std::to_string(A->getArgNo());
    } else if (auto *G = dyn_cast<GlobalVariable>(V)) {
      P.Root = "@" + nameOf(*G);
    } else if (isOwn(V) || (isa<CallBase>(V) && V->getType()->isPointerTy())) {
      P.Root = (isOwn(V) ? "L" : "R") + std::to_string(Own.try_emplace(V, Own.size()).first->second);
    } else if (auto *Load = dyn_cast<LoadInst>(V); Load && Load->isSimple() && Depth < MaxSteps) {
      P = pathOf(Load->getPointerOperand(), Named, Depth + 1);
      P.Last.Member = memberOf(*Load);
      P.Steps.push_back(P.Last);
    } else {
      Unknown(V);
    }
    P.Last = {Known || Named ? std::optional(At) : std::nullopt, "", Named && !Known ? idOf(*Varies) : ""};
    return P;
  }
  std::string idOf(const Value &V) { return "V" + std::to_string(Ids.try_emplace(&V, Ids.size()).first->second); }
  static bool isOfUnit(const Path &P) { return StringRef(P.Root).contains(" in "); }
  std::string nameOf(const GlobalVariable &G) const {
    bool Here = G.hasLocalLinkage();
    // One without an initial value has no definition in the code.
    if (!Here && G.isDeclaration()) {
      clang::ASTContext &Ctx = U.ast();
      Here = any_of(Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get(G.getName())),
                    [](const clang::NamedDecl *D) { return isa<clang::VarDecl>(D) && !D->isExternallyVisible(); });
    }
    return Here ? (G.getName() + " in " + fileOf(U)).str() : G.getName().str();
  }
  bool isOwn(const Value *V) const {
    const auto *C = dyn_cast<CallBase>(V);
    return isa<AllocaInst>(V) || (C && isAllocationFn(C, &TLI));
  }
  // "mesh 40": the record and the place in it, where the type says that.
  static std::string memberOf(const Instruction &I) {
    const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
    if (!Tag || Tag->getNumOperands() < 3)
      return "";
    const auto *Type = dyn_cast<MDNode>(Tag->getOperand(0));
    const auto *At = mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2));
    const auto *Name = Type && Type->getNumOperands() ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
    if (!Name || !At || Tag->getOperand(0) == Tag->getOperand(1))
      return "";
    return (Name->getString() + " " + Twine(At->getZExtValue())).str();
  }
  static StringRef kindOf(const Type *T) {
    T = T->getScalarType();
    // Characters may be a part of anything.
    return T->isFloatingPointTy() ? "f" : T->isPointerTy() ? "p" : T->isIntegerTy() && !T->isIntegerTy(8) ? "i" : "m";
  }

  // --- what a block does ---------------------------------------------------------------------------------------------

  void add(json::Array Event, json::Array &Out) {
    // Within a block, one word of a write is enough up to the next call.
    std::string Text;
    json::Value Said = std::move(Event);
    raw_string_ostream(Text) << Said;
    if (Seen.insert(Text).second)
      Out.push_back(std::move(Said));
  }
  void writes(Value *To, StringRef Kind, json::Array &Out, const Instruction *Store = nullptr) {
    add(json::Array{"w", pathToJson(placeOfAccess(To, Store)), Kind}, Out);
  }
  // With the member of the record that is read or written, or that it is a variable of its own.
  Path placeOfAccess(Value *Pointer, const Instruction *Access) {
    Path P = pathOf(Pointer);
    const auto *G = dyn_cast<GlobalVariable>(Pointer);
    P.Last.Member = G && G->getValueType()->isSingleValueType() ? "variable" : Access ? memberOf(*Access) : "";
    return P;
  }

  void add(Instruction &I, json::Array &Out) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      writes(Store->getPointerOperand(), kindOf(Store->getValueOperand()->getType()), Out, Store);
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

  void addMpi(const MpiSite &S, json::Array &Out) {
    if (S.is(MpiTimer)) {
      add(json::Array{"t"}, Out);
      return;
    }
    if (S.is(MpiRma | MpiIo | MpiOutside | MpiPersistent | MpiSharedMemory)) {
      add(json::Array{"u"}, Out);
      return;
    }
    auto Receives = [&](const MpiSite &R) {
      Value *To = R.arg(R.Sig->RecvBuffer >= 0 ? R.Sig->RecvBuffer : R.Sig->Buffer);
      if (R.is(MpiRecv | MpiCollective) && To && To->getType()->isPointerTy())
        writes(To, "m", Out);
    };
    Receives(S);
    if (!S.is(MpiWait))
      return;
    const bool Begun =
        any_of(M.sites(), [](const MpiSite &R) { return R.is(MpiNonblocking) && R.is(MpiSend | MpiRecv); });
    if (!Begun)
      add(json::Array{"u"}, Out);
    for (const MpiSite &R : M.sites())
      if (R.is(MpiNonblocking) && R.is(MpiRecv))
        Receives(R);
  }

  void addCall(CallBase &C, json::Array &Out) {
    auto *Callee = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
    const LibraryCall *Known = findLibraryCall(C);
    if (Known && Known->does(LibClock)) {
      add(json::Array{"t"}, Out);
    } else if (Known && !Known->does(LibCalls)) {
      for (unsigned K = 0; K < C.arg_size(); ++K)
        if ((Known->Writes >> K) & 1 && C.getArgOperand(K)->getType()->isPointerTy())
          writes(C.getArgOperand(K), "m", Out);
    } else if (Known || !Callee || C.isInlineAsm()) {
      add(json::Array{"u"}, Out);
    } else if (!isDataFreeCall(C, TLI)) {
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
      Out.push_back(json::Array{"c", flowName(*Callee, U), std::move(Arguments), std::move(Places), In, Scope.Line,
                                Scope.EndLine, std::move(Texts)});
      Seen.clear();
      Calls = true;
    }
  }
  json::Value argument(Value *V) {
    if (const auto *C = dyn_cast<ConstantInt>(V))
      return C->getBitWidth() <= 64 ? json::Value(C->getSExtValue()) : json::Value(nullptr);
    if (isa<Constant>(V) && !V->getType()->isPointerTy())
      return nullptr;
    return pathToJson(pathOf(V, /*Named=*/true));
  }
  bool isOfProject(const CallBase &C) const {
    return isa<Function>(C.getCalledOperand()->stripPointerCasts()) && !SiteOf.contains(&C) && !isa<IntrinsicInst>(C) &&
           !findLibraryCall(C) && !isDataFreeCall(C, TLI);
  }

  // --- functions that fill ghost cells -------------------------------------------------------------------------------

  bool fills() {
    bool Sends = false, Receives = false;
    for (const MpiSite &S : M.sites()) {
      constexpr unsigned Others = MpiCollective | MpiPersistent | MpiRma | MpiIo | MpiProbe | MpiLifecycle |
                                  MpiCommManagement | MpiSome | MpiOutside;
      if ((S.is(MpiQuery) && !S.is(MpiCollective)) || S.is(MpiTimer))
        continue;
      if (S.is(Others) || (S.is(MpiRecv) && M.isWildcard(S.source())))
        return false;
      Sends |= S.is(MpiSend);
      Receives |= S.is(MpiRecv);
      if (S.is(MpiSend) && !reads(S.arg(S.Sig->Buffer)))
        return false;
    }
    if (!Sends || !Receives || Calls)
      return false;
    for (BasicBlock &BB : F)
      if (!isErrorPath(BB))
        for (Instruction &I : counted(BB))
          if (!repeats(I))
            return false;
    if (passesOn())
      return false;
    collectNeeds();
    return true;
  }

  // Leaves out what is no more than a buffer on the way, which each exchange fills anew.
  void collectNeeds() {
    const std::set<std::string> Scratch = scratch();
    std::set<std::string> Kept;
    for (const Path &P : Read) {
      Path Base = P;
      Base.Last = {std::nullopt, "", ""};
      Path Slot = P;
      Slot.Last.Member.clear();
      const bool Buffer = Scratch.contains(textOf(Base)) || Scratch.contains("slot " + textOf(Slot)) ||
                          (isOfUnit(P) && Stored.contains(P.Root));
      if (!Buffer && Kept.insert(textOf(P)).second)
        Needs.push_back(pathToJson(P));
    }
    for (const auto &[Base, P] : Filled)
      if (!Scratch.contains(Base))
        Arrays.push_back(pathToJson(P));
  }
  std::set<std::string> scratch() {
    std::set<std::string> SendBuffers, ReceiveBuffers, Out;
    for (const MpiSite &S : M.sites()) {
      if (S.is(MpiSend))
        SendBuffers.insert(baseOf(S.arg(S.Sig->Buffer)));
      if (S.is(MpiRecv))
        ReceiveBuffers.insert(baseOf(S.arg(S.is(MpiSend) ? S.Sig->RecvBuffer : S.Sig->Buffer)));
    }
    auto Add = [&](Value *V) {
      Out.insert(baseOf(V));
      Path Slot = pathOf(V);
      if (Slot.Steps.empty())
        return;
      Slot.Last = Slot.Steps.back();
      Slot.Last.Member.clear();
      Slot.Steps.pop_back();
      Out.insert("slot " + textOf(Slot));
    };
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (auto [To, From] = copied(I); To && From) {
          const std::string Into = baseOf(To), Source = baseOf(From);
          if (SendBuffers.contains(Into) && Into != Source && !ReceiveBuffers.contains(Source))
            Add(To);
          if (ReceiveBuffers.contains(Source) && Into != Source && !SendBuffers.contains(Into))
            Add(From);
        }
    return Out;
  }

  // What is received where it was sent from goes round a ring: each time, it is something new.
  bool passesOn() {
    std::set<std::string> SendBuffers, ReceiveBuffers;
    std::set<std::pair<const SCEV *, const SCEV *>> Sent, Received; // with the number of elements
    std::set<const SCEV *> Packed, Unpacked;
    for (const MpiSite &S : M.sites()) {
      const bool Both = S.is(MpiSend) && S.is(MpiRecv);
      if (S.is(MpiSend)) {
        Sent.insert({first(S.arg(S.Sig->Buffer)), M.engine().rewrite(S.arg(S.Sig->Count))});
        SendBuffers.insert(baseOf(S.arg(S.Sig->Buffer)));
      }
      if (S.is(MpiRecv)) {
        Value *To = S.arg(Both ? S.Sig->RecvBuffer : S.Sig->Buffer);
        if (!To)
          return true;
        Received.insert({first(To), M.engine().rewrite(S.arg(Both ? S.Sig->RecvCount : S.Sig->Count))});
        ReceiveBuffers.insert(baseOf(To));
        fill(To);
      }
    }
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (auto [To, From] = copied(I); To && From) {
          const std::string Into = baseOf(To), Out = baseOf(From);
          if (Into != Out && SendBuffers.contains(Into))
            Packed.insert(first(From));
          if (Into != Out && ReceiveBuffers.contains(Out) && !SendBuffers.contains(Into))
            Unpacked.insert(first(To));
        }
    auto Meets = [](const auto &Direct, const std::set<const SCEV *> &Copied) {
      return any_of(Direct, [&](const auto &Each) { return Copied.contains(Each.first); });
    };
    return Meets(Sent, Unpacked) || Meets(Received, Packed) ||
           any_of(Received, [&](const auto &Each) { return Sent.contains(Each); }) ||
           any_of(Unpacked, [&](const SCEV *S) { return Packed.contains(S); });
  }
  static std::pair<Value *, Value *> copied(Instruction &I) {
    if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      return {Copy->getRawDest(), Copy->getRawSource()};
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Load = Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
    return Load ? std::pair(Store->getPointerOperand(), Load->getPointerOperand()) : std::pair<Value *, Value *>();
  }
  std::string baseOf(Value *V) {
    Path P = pathOf(V);
    P.Last = {std::nullopt, "", ""};
    return textOf(P);
  }
  static std::string textOf(const Path &P) {
    std::string Text;
    raw_string_ostream(Text) << json::Value(pathToJson(P));
    return Text;
  }
  // Where the loops around an access begin.
  const SCEV *first(Value *Pointer) {
    const SCEV *Address = M.engine().rewrite(Pointer);
    while (const auto *Walk = dyn_cast<SCEVAddRecExpr>(Address))
      Address = Walk->getStart();
    return Address;
  }
  void fill(Value *To) {
    Path P = pathOf(To);
    P.Last = {std::nullopt, "", ""};
    if (P.Root[0] != 'L')
      Filled.try_emplace(textOf(P), P);
  }
  bool reads(Value *From, const Instruction *Load = nullptr) {
    Path P = placeOfAccess(From, Load);
    if (P.Root == "*")
      return false;
    if (P.Root[0] != 'L')
      Read.push_back(std::move(P));
    return true;
  }

  // Whether an instruction leaves the same behind when everything is done a second time, the clock's sums apart.
  bool repeats(Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return Load->isSimple() && (isBookkeeping(*Load) || reads(Load->getPointerOperand(), Load));
    if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      return fill(Copy->getRawDest()), reads(Copy->getRawSource());
    auto *Store = dyn_cast<StoreInst>(&I);
    if (const auto *C = dyn_cast<CallBase>(&I)) {
      const LibraryCall *Known = findLibraryCall(*C);
      return !Known || !Known->does(LibOutput | LibInput | LibOpens);
    }
    if (!Store)
      return !I.mayWriteToMemory();
    const Path P = pathOf(Store->getPointerOperand());
    if (P.Root == "*")
      return false;
    Stored.insert(P.Root);
    // A size or a pointer that the exchange keeps for itself is no field.
    if (!isBookkeepingStore(*Store) && (Store->getValueOperand()->getType()->isFPOrFPVectorTy() || !isOfUnit(P)))
      fill(Store->getPointerOperand());
    return P.Root[0] == 'L' || isBookkeepingStore(*Store) || !dependsOnItself(*Store);
  }
  // `u[i] += …`, `count++`
  bool dependsOnItself(const StoreInst &Store) {
    const SCEV *To = M.engine().rewrite(const_cast<Value *>(Store.getPointerOperand()));
    SmallVector<const Value *, 8> Work{Store.getValueOperand()};
    for (unsigned Met = 0; !Work.empty() && Met < MaxMet; ++Met) {
      const auto *In = dyn_cast<Instruction>(Work.pop_back_val());
      if (!In || isa<CallBase>(In))
        continue;
      if (const auto *Load = dyn_cast<LoadInst>(In)) {
        if (M.engine().rewrite(const_cast<Value *>(Load->getPointerOperand())) == To)
          return true;
        continue;
      }
      if (isa<PHINode>(In) && In->getType()->isFPOrFPVectorTy())
        return true; // a sum
      for (const Value *Op : In->operands())
        Work.push_back(Op);
    }
    return false;
  }
  // A sum of seconds or of calls in a variable or a record: nothing that is sent.
  bool isBookkeepingStore(const StoreInst &Store) {
    if (!dependsOnItself(Store) || LI.getLoopFor(Store.getParent()))
      return false;
    return Store.getValueOperand()->getType()->isIntegerTy() || fromClock(Store.getValueOperand(), MaxOperands);
  }
  bool fromClock(const Value *V, unsigned Depth) {
    const auto *In = dyn_cast<Instruction>(V);
    if (!In || Depth == 0)
      return false;
    if (const auto *C = dyn_cast<CallBase>(In)) {
      auto It = SiteOf.find(C);
      const LibraryCall *Known = findLibraryCall(*C);
      return (It != SiteOf.end() && It->second->is(MpiTimer)) || (Known && Known->does(LibClock));
    }
    return any_of(In->operands(), [&](const Use &Op) { return fromClock(Op.get(), Depth - 1); });
  }
  bool isBookkeeping(const LoadInst &Load) {
    return any_of(Load.users(), [&](const User *U) {
      const auto *In = dyn_cast<Instruction>(U);
      return In && any_of(In->users(), [&](const User *S) {
               const auto *Store = dyn_cast<StoreInst>(S);
               return Store && isBookkeepingStore(*Store) && Load.hasOneUse();
             });
    });
  }

  // Parameters that are nothing but a part of tags.
  json::Array tags() {
    json::Array Out;
    for (Argument &A : F.args())
      if (!A.use_empty() && onlyTag(A, 2))
        Out.push_back(A.getArgNo());
    return Out;
  }
  bool onlyTag(const Value &V, unsigned Depth) {
    return all_of(V.uses(), [&](const Use &Each) {
      const auto *C = dyn_cast<CallBase>(Each.getUser());
      auto It = C ? SiteOf.find(C) : SiteOf.end();
      if (It != SiteOf.end() && C->isArgOperand(&Each)) {
        const int At = int(C->getArgOperandNo(&Each));
        return At == It->second->Sig->Tag || At == It->second->Sig->RecvTag;
      }
      const auto *Sum = dyn_cast<BinaryOperator>(Each.getUser());
      return Sum && Depth && isa<Constant>(Sum->getOperand(1)) && onlyTag(*Sum, Depth - 1);
    });
  }

  Function &F;
  Unit &U;
  SourceCalls &Sources;
  MpiFunction &M;
  const TargetLibraryInfo &TLI;
  const LoopInfo &LI;
  DenseMap<const Instruction *, const MpiSite *> SiteOf;
  DenseMap<const Value *, unsigned> Own, Ids;
  std::set<std::string> Seen;
  std::vector<Path> Read;
  std::set<std::string> Stored;       // roots
  std::map<std::string, Path> Filled; // what is written but for sums of seconds
  json::Array Needs, Arrays;
  bool Calls = false;
};

} // namespace

json::Value exchangeFlow(Unit &U, SourceCalls &Sources) {
  // Projects without MPI have no exchanges, and are spared the summaries.
  if (U.isFortran() || !declaresMpi(U.ast()))
    return nullptr;
  json::Object Out;
  for (Function &F : *U.ir())
    if (!F.isDeclaration() && !F.hasLinkOnceODRLinkage() && !F.hasAvailableExternallyLinkage())
      Out[flowName(F, U)] = FlowWriter(F, U, Sources).write();
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

} // namespace stridewise
