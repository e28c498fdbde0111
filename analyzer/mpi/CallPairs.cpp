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

const CallBase *nextProgramCall(const CallBase &From, const LoopInfo &LI, bool &Computes) {
  const Loop *Around = LI.getLoopFor(From.getParent());
  const Instruction *At = &From;
  for (unsigned Blocks = 0; Blocks < MostBlocks;) {
    if (At->isTerminator()) {
      const auto *Invoke = dyn_cast<InvokeInst>(At);
      const BasicBlock *Next = Invoke ? Invoke->getNormalDest() : At->getParent()->getSingleSuccessor();
      // What guards a loop.
      for (const BasicBlock *Behind : successors(At->getParent()))
        if (const Loop *L = LI.getLoopFor(Behind); L && L != Around && L->getHeader() == Behind) {
          Computes = true;
          return nullptr;
        } else if (!Next && L == Around && Behind->getSingleSuccessor()) {
          const Loop *Inner = LI.getLoopFor(Behind->getSingleSuccessor());
          Computes |= Inner && Inner != Around && Inner->getHeader() == Behind->getSingleSuccessor();
        }
      if (!Next || Computes || LI.getLoopFor(Next) != Around)
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

CallPhases::CallPhases(ArrayRef<const stored::Object *> Each) {
  for (const stored::Object *O : Each)
    for (const auto &[Name, P] : *O)
      ByName.try_emplace(Name.str(), P.getAsObject());
}

const CallPhase &CallPhases::of(const std::string &Name) {
  auto [It, New] = Known.try_emplace(Name);
  if (!New)
    return It->second;
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
    for (const stored::Value &Callee : *P->second->getArray("calls"))
      if (std::string Next = Callee.getAsString().value_or("").str(); Seen.insert(Next).second)
        Work.push_back(std::move(Next));
  }
  return Known[Name] = Out;
}

} // namespace stridewise
