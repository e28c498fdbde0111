#include "fortran/FortranCalls.h"
#include "fortran/Constructs.h"
#include "fortran/FortranCopies.h"
#include "fortran/FortranLoops.h"
#include "fortran/TypeBound.h"
#include "thresholds.h"
#include "unit/CallEdges.h"
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
  Value *Every = nullptr;
  if (!Branch || !Branch->isConditional() ||
      !match(Branch->getCondition(), m_ICmp(Compare, m_SRem(m_Value(), m_Value(Every)), m_Value())) ||
      !ICmpInst::isEquality(Compare))
    return nullptr;
  if (const auto *Number = dyn_cast<ConstantInt>(Every); Number && Number->getValue().slt(limits::loops::RareStep))
    return nullptr;
  return Branch->getSuccessor(Compare == ICmpInst::ICMP_EQ ? 0 : 1);
}

bool isRare(const BasicBlock &Block, const Loop *L, const DominatorTree &DT) {
  for (const DomTreeNode *Node = DT.getNode(&Block); Node && L && L->contains(Node->getBlock()); Node = Node->getIDom())
    if (const DomTreeNode *Above = Node->getIDom(); Above && rareBranch(*Above->getBlock()) == Node->getBlock())
      return true;
  return false;
}

// Procedures that are kept as called behind another one, and calls of a procedure beyond which nothing is kept.
constexpr unsigned MaxBehind = 24, MaxOrdered = 200;

struct OrderedCall {
  const CallBase *Call;
  unsigned Line;
  std::string Callee;
  std::size_t Number; // in the order of the code
};

// The blocks that may run behind the block in the same iterations of the loops around it.
SmallPtrSet<const BasicBlock *, 32> blocksBehind(const BasicBlock *From, const LoopInfo &LI) {
  SmallPtrSet<const BasicBlock *, 8> Headers;
  for (const Loop *L = LI.getLoopFor(From); L; L = L->getParentLoop())
    Headers.insert(L->getHeader());
  SmallPtrSet<const BasicBlock *, 32> Seen;
  SmallVector<const BasicBlock *, 16> Work{From};
  while (!Work.empty())
    for (const BasicBlock *Next : successors(Work.pop_back_val()))
      if (!Headers.contains(Next) && Seen.insert(Next).second)
        Work.push_back(Next);
  return Seen;
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
      Out.Names[P] = callName(F);
    const DominatorTree DT(F);
    const LoopInfo LI(DT);
    FortranBody &Body = Out.Bodies[callName(F)];
    for (const Loop *L : const_cast<LoopInfo &>(LI).getLoopsInPreorder()) {
      Body.Depth = std::max(Body.Depth, L->getLoopDepth());
      if (const Loop *Around = L->getParentLoop(); Around && isRare(*L->getHeader(), Around, DT))
        if (const std::optional<FortranLoop> Known = fortranLoop(L, U))
          Out.RareLoops.insert(Known->Statement);
    }
    addCopies(F, LI, U, Out.Copies);
    std::vector<OrderedCall> Ordered;
    for (const Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      Body.CallsAway |= Call && !isOfRuntime(*Call);
      for (const Use &Operand : I.operands())
        if (const auto *Named = dyn_cast<Function>(Operand.get()); Named && (!Call || !Call->isCallee(&Operand)))
          Out.Escaping.insert(callName(*Named));
      if (!Call || isOfRuntime(*Call))
        continue;
      for (const Function *Callee : calleesOf(*Call)) {
        FortranCall C = callAt(*Call, *Callee, LI, DT);
        if (C.At)
          Ordered.push_back({Call, C.At->getLine(), C.Callee, Ordered.size()});
        Out.All.push_back(std::move(C));
      }
    }
    order(callName(F), std::move(Ordered), LI);
  }

  SmallVector<Function *, 2> calleesOf(const CallBase &Call) {
    if (Function *Callee = Call.getCalledFunction())
      return {Callee};
    return Call.isIndirectCall() ? boundProcedures(Call, U) : SmallVector<Function *, 2>();
  }

  FortranCall callAt(const CallBase &Call, const Function &Callee, const LoopInfo &LI, const DominatorTree &DT) {
    FortranCall C{callName(*Call.getFunction()), callName(Callee)};
    C.Arguments = Call.arg_size();
    C.At = Call.getDebugLoc().get();
    const Loop *Around = LI.getLoopFor(Call.getParent());
    C.Rare = Around && isRare(*Call.getParent(), Around, DT);
    for (const Loop *L = C.Rare ? nullptr : Around; L; L = L->getParentLoop())
      count(Call, L, C);
    return C;
  }

  void order(const std::string &Caller, std::vector<OrderedCall> Calls, const LoopInfo &LI) {
    if (Calls.size() > MaxOrdered)
      return;
    sort(Calls, [](const OrderedCall &A, const OrderedCall &B) {
      return std::tie(A.Line, A.Number) < std::tie(B.Line, B.Number);
    });
    for (const OrderedCall &Each : Calls) {
      FortranSequel &S = Out.Sequels[{Caller, Each.Callee}];
      S.Last = sequel(Each, Calls, LI);
      if (!S.Line) {
        S.Line = Each.Line;
        S.First = S.Last;
      }
    }
  }
  static std::vector<std::string> sequel(const OrderedCall &From, ArrayRef<OrderedCall> Calls, const LoopInfo &LI) {
    const SmallPtrSet<const BasicBlock *, 32> Blocks = blocksBehind(From.Call->getParent(), LI);
    std::vector<std::string> Out;
    for (const OrderedCall &Next : Calls) {
      const bool Follows = Next.Call->getParent() == From.Call->getParent() ? From.Call->comesBefore(Next.Call)
                                                                            : Blocks.contains(Next.Call->getParent());
      if (Follows && Next.Callee != From.Callee && Out.size() < MaxBehind && !is_contained(Out, Next.Callee))
        Out.push_back(Next.Callee);
    }
    return Out;
  }

  void count(const CallBase &Call, const Loop *L, FortranCall &C) {
    const std::optional<FortranLoop> Known = fortranLoop(L, U);
    ++C.Loops;
    const bool Shared = Known && Known->Statement->isShared();
    C.Depth += !Shared;
    if (Known && !Shared && !C.Loop)
      C.Loop = Known->Statement;
    const DILocation *At = Call.getDebugLoc().get();
    const FortranStatement *Statement = At ? fortranText(U).calling(At->getLine(), "") : nullptr;
    if (Known && Statement && keepsArguments(*Statement, *Known->Statement)) {
      C.Again = true;
      Out.Steps.insert(Known->Statement);
    }
  }

  // Whether what the statement names is the same in each iteration of the loop: no counter, and no variable that is set
  // there but arrays as a whole.
  bool keepsArguments(const FortranStatement &Call, const FortranStatement &Loop) const {
    const std::vector<StringRef> Names = fortranNames(Call.Text);
    const ArrayRef<FortranStatement> All = fortranText(U).statements();
    for (std::size_t K = std::size_t(&Loop - All.data()); K < All.size() && All[K].Line <= Loop.EndLine; ++K) {
      if (any_of(All[K].Counters, [&](StringRef Counter) { return is_contained(Names, Counter); }))
        return false;
      const std::optional<FortranAssignment> Set = fortranAssignment(All[K].Text);
      if (!Set || &All[K] == &Call || fortranBase(Set->Target) != Set->Target || !is_contained(Names, Set->Target))
        continue;
      const FortranEntity *E = fortranProcedures(U).find(unsigned(K), Set->Target);
      if (!E || !E->isArray())
        return false;
    }
    return true;
  }

  Module &M;
  Unit &U;
  FortranCalls Out;
};

} // namespace

std::string FortranCalls::boundAt(unsigned Line, unsigned Arguments) const {
  const FortranCall *Found = nullptr;
  for (const FortranCall &C : All) {
    if (!C.At || C.At->getLine() != Line)
      continue;
    if ((Found && Found->Callee != C.Callee) || C.Arguments != Arguments)
      return {};
    Found = &C;
  }
  return Found ? Found->Callee : std::string();
}

std::string callName(const Function &F) { return F.getName() == "_QQmain" ? "main" : F.getName().str(); }

void rememberCalls(Module &M, Unit &U) {
  U.fact<FortranCalls>([&] { return Collector(M, U).run(); });
}

const FortranCalls &fortranCalls(Unit &U) {
  U.ir(); // which has them remembered
  return U.fact<FortranCalls>([] { return FortranCalls(); });
}

json::Value fortranCallEdges(Unit &U) {
  std::map<std::pair<std::string, std::string>, unsigned> Edges;
  for (const FortranCall &C : fortranCalls(U).All) {
    if (C.Loops)
      Edges[{C.Callee, ""}] = 0;
    if (C.Rare)
      Edges[{C.Callee, CallsNowAndThen.str()}] = 0;
    if (C.Again)
      Edges[{C.Callee, CallsAgain.str()}] = 0;
    unsigned &Deepest = Edges[{C.Callee, C.Caller}];
    Deepest = std::max(Deepest, C.Depth);
  }
  for (const std::string &Procedure : fortranCalls(U).Escaping)
    Edges[{Procedure, CallsFromAnywhere.str()}] = 0;
  json::Array Out;
  for (const auto &[Names, Around] : Edges)
    Out.push_back(json::Array{Names.first, Names.second, Around});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

} // namespace stridewise
