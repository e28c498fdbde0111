#include "fortran/FortranCalls.h"
#include "fortran/FortranCopies.h"
#include "fortran/FortranLoops.h"
#include "loops/CallHeat.h"
#include "thresholds.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace stridewise {
namespace {

// `mod(step, 25) == 0`: the branch that few of the iterations take.
const BasicBlock *rareBranch(const BasicBlock &Block) {
  using namespace PatternMatch;
  const auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  ICmpInst::Predicate Compare;
  const APInt *Every = nullptr;
  if (!Branch || !Branch->isConditional() ||
      !match(Branch->getCondition(), m_ICmp(Compare, m_SRem(m_Value(), m_APInt(Every)), m_Value())) ||
      !ICmpInst::isEquality(Compare) || Every->slt(limits::loops::RareStep))
    return nullptr;
  return Branch->getSuccessor(Compare == ICmpInst::ICMP_EQ ? 0 : 1);
}

bool isRare(const BasicBlock &Block, const Loop *L, const DominatorTree &DT) {
  for (const DomTreeNode *Node = DT.getNode(&Block); Node && L && L->contains(Node->getBlock()); Node = Node->getIDom())
    if (const DomTreeNode *Above = Node->getIDom(); Above && rareBranch(*Above->getBlock()) == Node->getBlock())
      return true;
  return false;
}

class Collector {
public:
  Collector(Module &M, Unit &U) : M(M), U(U) {}

  FortranCalls run() {
    for (Function &F : M)
      if (!F.isDeclaration())
        collect(F);
    return std::move(Out);
  }

private:
  void collect(Function &F) {
    if (const DISubprogram *P = F.getSubprogram())
      Out.Names[P] = F.getName().str();
    const DominatorTree DT(F);
    const LoopInfo LI(DT);
    FortranBody &Body = Out.Bodies[F.getName().str()];
    for (const Loop *L : const_cast<LoopInfo &>(LI).getLoopsInPreorder())
      Body.Depth = std::max(Body.Depth, L->getLoopDepth());
    addCopies(F, LI, U, Out.Copies);
    for (const Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      Body.CallsAway |= Call && !isOfRuntime(*Call);
      if (!Callee || isOfRuntime(*Call))
        continue;
      FortranCall C{F.getName().str(), Callee->getName().str()};
      const Loop *Around = LI.getLoopFor(I.getParent());
      C.Rare = Around && isRare(*I.getParent(), Around, DT);
      for (const Loop *L = C.Rare ? nullptr : Around; L; L = L->getParentLoop()) {
        const std::optional<FortranLoop> Known = fortranLoop(L, U);
        ++C.Loops;
        C.Depth += !Known || !Known->Statement->isShared();
      }
      Out.All.push_back(std::move(C));
    }
  }

  Module &M;
  Unit &U;
  FortranCalls Out;
};

} // namespace

FortranCalls fortranCalls(Module &M, Unit &U) { return Collector(M, U).run(); }

json::Value fortranCallEdges(Unit &U) {
  std::map<std::pair<std::string, std::string>, unsigned> Edges;
  for (const FortranCall &C : U.fortranCalls().All) {
    if (C.Loops)
      Edges[{C.Callee, ""}] = 0;
    if (C.Rare)
      Edges[{C.Callee, CallsNowAndThen.str()}] = 0;
    unsigned &Deepest = Edges[{C.Callee, C.Caller}];
    Deepest = std::max(Deepest, C.Depth);
  }
  json::Array Out;
  for (const auto &[Names, Around] : Edges)
    Out.push_back(json::Array{Names.first, Names.second, Around});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

} // namespace stridewise
