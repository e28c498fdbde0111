#include "mpi/CallPairs.h"
#include "library/LibraryCalls.h"
#include "mpi/MpiEffects.h"
#include "unit/Counted.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

// Blocks that are followed from one call to the next.
static constexpr unsigned MostBlocks = 8;

const Function *programCallee(const CallBase &C) {
  const auto *F = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  return F && !F->isIntrinsic() && !findMpiCall(C) && !findLibraryCall(F) && !isStandardCxx(*F) ? F : nullptr;
}

// Whether it does more than to copy.
static bool works(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      const auto *C = dyn_cast<CallBase>(&I);
      return (isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy()) || (C && programCallee(*C));
    });
  });
}

const CallBase *nextProgramCall(const CallBase &From, const LoopInfo &LI, bool &Computes) {
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
          Computes = works(*L);
          return nullptr;
        }
      }
      if (!Next || LI.getLoopFor(Next) != Around)
        return nullptr;
      At = &Next->front();
      ++Blocks;
    } else {
      At = At->getNextNode();
    }
    const auto *C = dyn_cast<CallBase>(At);
    if (C && !isa<IntrinsicInst>(C) && !C->onlyReadsMemory())
      return C;
  }
  return nullptr;
}

std::string calledName(const SourceFrame &At, const Function &Called) {
  if (const clang::FunctionDecl *F = At.Call ? At.Call->getDirectCallee() : nullptr)
    return F->getNameAsString();
  const StringRef Name = Called.getName().rsplit('P').second;
  return (Name.empty() ? Called.getName().rtrim('_') : Name).str();
}

static CallPhase ownPhase(MpiFunction &M) {
  CallPhase P;
  for (const MpiSite &S : M.sites()) {
    P.Starts |= S.is(MpiNonblocking) && S.is(MpiRecv) && !S.is(MpiPersistent | MpiWait | MpiProbe);
    P.Waits |= S.Sig->waitsForAll();
    P.Meets |= S.is(MpiCollective | MpiRma | MpiIo);
    P.Sends |= S.is(MpiSend) && !S.is(MpiCollective);
    P.Receives |= S.is(MpiRecv) && !S.is(MpiCollective);
  }
  return P;
}

json::Object callPhases(Unit &U) {
  json::Object Out;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    std::set<std::string> Calls;
    bool Talks = false, Computes = false;
    for (const BasicBlock &BB : F)
      for (const Instruction &I : counted(BB))
        if (isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy())
          Computes = true;
        else if (const auto *C = dyn_cast<CallBase>(&I)) {
          Talks |= findMpiCall(*C) != nullptr;
          if (const Function *Called = programCallee(*C))
            Calls.insert(linkName(*Called));
        }
    const CallPhase P = Talks ? ownPhase(MpiFunction::get(F, U.analyses())) : CallPhase();
    if (P.talks() || P.Waits || Computes || !Calls.empty())
      Out[linkName(F)] = json::Object{{"starts", P.Starts},         {"waits", P.Waits}, {"sends", P.Sends},
                                      {"receives", P.Receives},     {"meets", P.Meets}, {"computes", Computes},
                                      {"calls", json::Array(Calls)}};
  }
  return Out;
}

static std::vector<std::string> callsOf(const stored::Object &Phase) {
  std::vector<std::string> Out;
  for (const stored::Value &Callee : *Phase.getArray("calls"))
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

bool CallPhases::compute(const std::string &Name) const { return closure(Name).Computes; }

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
    for (std::string &Next : callsOf(*P->second))
      if (Seen.insert(Next).second)
        Work.push_back(std::move(Next));
  }
  return Out;
}

} // namespace stridewise
