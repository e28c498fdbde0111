#include "mpi/CallPairs.h"
#include "library/LibraryCalls.h"
#include "mpi/MpiEffects.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

// Blocks that are followed from one call to the next.
static constexpr unsigned MostBlocks = 8;
// Functions that hand a pointer on to one another.
static constexpr unsigned MaxDepth = 4;

const Function *programCallee(const CallBase &C) {
  const auto *F = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  return F && !F->isIntrinsic() && !findMpiCall(C) && !findLibraryCall(F) && !isStandardCxx(*F) ? F : nullptr;
}

// Arithmetic of floating-point numbers: `a * b + c` is one intrinsic.
static bool computes(const Instruction &I) {
  return isa<BinaryOperator, IntrinsicInst>(I) && I.getType()->isFPOrFPVectorTy();
}

// Whether it does more than to copy.
static bool works(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      const auto *C = dyn_cast<CallBase>(&I);
      return computes(I) || (C && programCallee(*C));
    });
  });
}

// Tells what it knows, and changes nothing.
static bool onlyAsks(const CallBase &C) {
  if (isa<IntrinsicInst>(C) || C.onlyReadsMemory())
    return true;
  if (const MpiSignature *Sig = findMpiCall(C))
    return Sig->is(MpiTimer | MpiQuery);
  const LibraryCall *Known = findLibraryCall(C);
  return Known && Known->does(LibClock) && Known->onlyDoes(LibClock);
}

const CallBase *nextProgramCall(const CallBase &From, const LoopInfo &LI, bool &Computes) {
  const NextWork Next = nextWork(From, LI);
  Computes |= Next.Loop != nullptr;
  return Next.Call;
}

NextWork nextWork(const CallBase &From, const LoopInfo &LI) {
  const Loop *Around = LI.getLoopFor(From.getParent());
  const Instruction *At = &From;
  for (unsigned Blocks = 0; Blocks < MostBlocks;) {
    if (At->isTerminator()) {
      const auto *Invoke = dyn_cast<InvokeInst>(At);
      const BasicBlock *Next = Invoke ? Invoke->getNormalDest() : At->getParent()->getSingleSuccessor();
      // A loop, or what guards one.
      for (const BasicBlock *Behind : successors(At->getParent())) {
        const BasicBlock *Then = !Next && Behind->getSingleSuccessor() ? Behind->getSingleSuccessor() : Behind;
        const Loop *L = LI.getLoopFor(Then);
        if (L && L != Around && L->getHeader() == Then && L->getParentLoop() == Around) {
          return {nullptr, works(*L) ? L : nullptr};
        }
      }
      if (!Next || LI.getLoopFor(Next) != Around)
        return {};
      At = &Next->front();
      ++Blocks;
    } else {
      At = At->getNextNode();
    }
    const auto *C = dyn_cast<CallBase>(At);
    if (C && !onlyAsks(*C))
      return {C, nullptr};
  }
  return {};
}

std::string calledName(const SourceFrame &At, const Function &Called) {
  if (const clang::FunctionDecl *F = At.Call ? At.Call->getDirectCallee() : nullptr)
    return F->getNameAsString();
  const StringRef Name = Called.getName().rsplit('P').second;
  return (Name.empty() ? Called.getName().rtrim('_') : Name).str();
}

// `while (!done) MPI_Testall(…)`: a wait by another name.
static bool isPolledWait(const MpiSite &S, const LoopInfo &LI) {
  const Loop *L = LI.getLoopFor(S.Call->getParent());
  return S.is(MpiWait) && S.is(MpiNonblocking) && !S.is(MpiSome) && L && L->isInnermost() && !works(*L);
}

// The parameter that points there; in Fortran, to the descriptor of what lies there.
static std::optional<unsigned> parameterOf(const Value *Buffer, bool Described) {
  const Value *Object = Buffer ? getUnderlyingObject(Buffer) : nullptr;
  const auto *Loaded = dyn_cast_or_null<LoadInst>(Object);
  if (Described && Loaded)
    Object = getUnderlyingObject(Loaded->getPointerOperand());
  const auto *A = dyn_cast_or_null<Argument>(Object);
  return A ? std::optional(A->getArgNo()) : std::nullopt;
}

// Which of its pointers a function hands on, by callee: pairs of the callee's parameter and its own.
static json::Object handsOn(Function &F) {
  std::map<std::string, json::Array> Each;
  for (const Argument &A : F.args())
    for (const Use &At : A.uses())
      if (const auto *C = A.getType()->isPointerTy() ? dyn_cast<CallBase>(At.getUser()) : nullptr;
          C && C->isArgOperand(&At))
        if (const Function *Callee = programCallee(*C))
          Each[linkName(*Callee)].push_back(json::Array{C->getArgOperandNo(&At), A.getArgNo()});
  json::Object Out;
  for (auto &[Name, Pairs] : Each)
    Out[Name] = std::move(Pairs);
  return Out;
}

static CallPhase ownPhase(MpiFunction &M, bool Described) {
  CallPhase P;
  std::set<unsigned> Taken;
  for (const MpiSite &S : M.sites()) {
    const bool Both = S.is(MpiSend) && S.is(MpiRecv);
    if (const auto To = parameterOf(S.arg(Both ? S.Sig->RecvBuffer : S.Sig->Buffer), Described); To && S.is(MpiRecv))
      P.Into.insert(*To);
    if (const auto From = parameterOf(S.arg(S.Sig->Buffer), Described); From && S.is(MpiSend))
      Taken.insert(*From);
    P.Starts |= S.is(MpiNonblocking) && S.is(MpiRecv) && !S.is(MpiPersistent | MpiWait | MpiProbe);
    P.Waits |= S.Sig->waitsForAll() || isPolledWait(S, M.engine().loops());
    P.Meets |= S.is(MpiCollective | MpiRma | MpiIo);
    P.Sends |= S.is(MpiSend) && !S.is(MpiCollective);
    P.Receives |= S.is(MpiRecv) && !S.is(MpiCollective);
  }
  for (const unsigned Each : Taken)
    P.Into.erase(Each);
  return P;
}

json::Object callPhases(Unit &U) {
  json::Object Out;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    std::set<std::string> Calls, Again;
    const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(F);
    bool Talks = false, Computes = false, Works = false;
    for (const BasicBlock &BB : F)
      for (const Instruction &I : counted(BB))
        if (computes(I)) {
          Computes = true;
          Works |= LI.getLoopFor(&BB) != nullptr;
        } else if (const auto *St = dyn_cast<StoreInst>(&I)) {
          Works |= St->getValueOperand()->getType()->isFPOrFPVectorTy() && LI.getLoopDepth(&BB) > 1;
        } else if (isa<MemTransferInst>(I)) {
          Works |= LI.getLoopDepth(&BB) > 1;
        } else if (const auto *C = dyn_cast<CallBase>(&I)) {
          Talks |= findMpiCall(*C) != nullptr;
          if (const Function *Called = programCallee(*C))
            (LI.getLoopFor(&BB) ? Again : Calls).insert(linkName(*Called));
        }
    const CallPhase P = Talks ? ownPhase(MpiFunction::get(F, U.analyses()), U.isFortran()) : CallPhase();
    Calls.insert(Again.begin(), Again.end());
    if (P.talks() || P.Waits || Computes || Works || !Calls.empty())
      Out[linkName(F)] = json::Object{{"starts", P.Starts},
                                      {"waits", P.Waits},
                                      {"sends", P.Sends},
                                      {"receives", P.Receives},
                                      {"meets", P.Meets},
                                      {"computes", Computes},
                                      {"works", Works},
                                      {"calls", json::Array(Calls)},
                                      {"again", json::Array(Again)},
                                      {"into", json::Array(P.Into)},
                                      {"hands", handsOn(F)}};
  }
  return Out;
}

static std::vector<std::string> callsOf(const stored::Object &Phase, StringRef Which = "calls") {
  std::vector<std::string> Out;
  for (const stored::Value &Callee : *Phase.getArray(Which))
    Out.push_back(Callee.getAsString().value_or("").str());
  return Out;
}

CallPhases::CallPhases(ArrayRef<const stored::Object *> Each) {
  std::map<std::string, std::vector<std::string>> Callers;
  std::vector<std::string> Work;
  for (const stored::Object *O : Each)
    for (const auto &[Name, P] : *O) {
      const stored::Object &Phase = *P.getAsObject();
      if (!ByName.try_emplace(Name.str(), &Phase).second)
        continue;
      for (const std::string &Callee : callsOf(Phase))
        Callers[Callee].push_back(Name.str());
      for (StringRef Key : {"waits", "sends", "receives", "meets"})
        if (Phase.getBoolean(Key).value_or(false) && Talking.insert(Name.str()).second)
          Work.push_back(Name.str());
    }
  while (!Work.empty()) {
    const std::vector<std::string> &Above = Callers[Work.back()];
    Work.pop_back();
    for (const std::string &Caller : Above)
      if (Talking.insert(Caller).second)
        Work.push_back(Caller);
  }
}

const CallPhase &CallPhases::of(const std::string &Name) {
  auto [It, New] = Known.try_emplace(Name);
  if (!New || !Talking.contains(Name))
    return It->second;
  return It->second = closure(Name);
}

bool CallPhases::runAgain(const std::string &Name) {
  if (Again.empty() && !ByName.empty()) {
    std::vector<std::string> Work;
    const auto Add = [&](const std::string &Callee) {
      if (Again.insert(Callee).second)
        Work.push_back(Callee);
    };
    for (const auto &[Caller, Phase] : ByName)
      for_each(callsOf(*Phase, "again"), Add);
    while (!Work.empty()) {
      const auto Found = ByName.find(Work.back());
      Work.pop_back();
      if (Found != ByName.end())
        for_each(callsOf(*Found->second), Add);
    }
  }
  return Again.contains(Name);
}

bool CallPhases::compute(const std::string &Name) const { return closure(Name).Computes; }
bool CallPhases::work(const std::string &Name) const { return closure(Name).Works; }

CallPhase CallPhases::closure(const std::string &Name) const {
  CallPhase Out;
  std::set<std::string> Seen{Name};
  std::vector<std::string> Work{Name};
  while (!Work.empty()) {
    const auto P = ByName.find(Work.back());
    Work.pop_back();
    if (P == ByName.end())
      continue;
    const auto Has = [&](StringRef Key) { return P->second->getBoolean(Key).value_or(false); };
    Out.Starts |= Has("starts");
    Out.Waits |= Has("waits");
    Out.Sends |= Has("sends");
    Out.Receives |= Has("receives");
    Out.Meets |= Has("meets");
    Out.Computes |= Has("computes");
    Out.Works |= Has("works");
    for (std::string &Next : callsOf(*P->second))
      if (Seen.insert(Next).second)
        Work.push_back(std::move(Next));
  }
  if (Out.Starts)
    Out.Into = intoOf(Name, 0);
  return Out;
}

// Through the functions that it hands its pointers on to.
std::set<unsigned> CallPhases::intoOf(const std::string &Name, unsigned Depth) const {
  std::set<unsigned> Out;
  const auto P = ByName.find(Name);
  if (P == ByName.end() || Depth == MaxDepth || !Talking.contains(Name))
    return Out;
  const auto Number = [](const stored::Value &V) { return unsigned(V.getAsInteger().value_or(0)); };
  for (const stored::Value &Each : *P->second->getArray("into"))
    Out.insert(Number(Each));
  for (const auto &[Callee, Pairs] : *P->second->getObject("hands")) {
    const std::set<unsigned> Inner = intoOf(Callee.str(), Depth + 1);
    for (const stored::Value &V : *Pairs.getAsArray())
      if (const stored::Array &Pair = *V.getAsArray(); Inner.contains(Number(Pair[0])))
        Out.insert(Number(Pair[1]));
  }
  return Out;
}

} // namespace stridewise
