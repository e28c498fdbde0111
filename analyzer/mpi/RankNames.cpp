// What units tell each other of ranks, by names that mean the same in all of them.
#include "mpi/RankFacts.h"
#include "llvm/IR/Instructions.h"
#include <set>

using namespace llvm;

namespace stridewise {

std::string RankFacts::askedName(const Value *V) const {
  if (const auto *Call = dyn_cast<CallInst>(V)) {
    const Function *Callee = Call->getCalledFunction();
    return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() && !findMpiCall(*Call)
               ? ("call " + Callee->getName()).str()
               : "";
  }
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!Load || !Load->getType()->isIntegerTy())
    return {};
  Address At = addressOf(Load->getPointerOperand(), Load->getModule()->getDataLayout());
  if (const auto *G = dyn_cast<GlobalVariable>(At.first); G && !G->hasLocalLinkage())
    return ("global " + G->getName() + "+" + Twine(At.second)).str();
  const clang::FieldDecl *Field = memberAt(*Load);
  return Field ? memberName(Field) : std::string();
}

bool RankFacts::isGlobalName(StringRef Comm) {
  return Comm == "world" || Comm.starts_with("global ") || Comm.starts_with("member ");
}

std::vector<std::pair<std::string, CommName>> RankFacts::exported() const {
  std::vector<std::pair<std::string, CommName>> Out;
  for (const auto &[At, Comm] : Ranks.Places)
    if (const auto *G = dyn_cast<GlobalVariable>(At.first); G && !G->hasLocalLinkage())
      Out.emplace_back(("global " + G->getName() + "+" + Twine(At.second)).str(), Comm);
  for (const auto &[D, Comm] : Ranks.Variables)
    if (const auto *Field = dyn_cast<clang::FieldDecl>(D))
      Out.emplace_back(memberName(Field), Comm);
  Module *M = U.mpiCalls() ? U.ir() : nullptr;
  for (Function &F : M ? M->functions() : iterator_range<Module::iterator>(Module::iterator(), Module::iterator())) {
    // Each unit has the text of what headers define, and their functions a body.
    if (F.isDeclaration() || F.hasLocalLinkage() || F.hasLinkOnceODRLinkage() || !F.getReturnType()->isIntegerTy())
      continue;
    std::optional<CommName> Comm;
    bool All = true;
    for (BasicBlock &BB : F)
      if (auto *Ret = dyn_cast<ReturnInst>(BB.getTerminator())) {
        Comm = rank(Ret->getReturnValue());
        All &= Comm.has_value();
        // `return rank == 0`: a truth value that is the root's.
        if (std::optional<Guard> G; !Comm && (G = guard(stripCasts(Ret->getReturnValue()))) && G->Equality && G->Whole)
          Out.emplace_back((G->OneOnTrue ? "root " : "others ") + F.getName().str(), G->Comm);
      }
    if (Comm && All)
      Out.emplace_back("call " + F.getName().str(), *Comm);
  }
  llvm::sort(Out);
  return Out;
}

std::vector<std::string> RankFacts::toTell() const {
  std::vector<std::string> Out;
  for (const auto &[Name, Comm] : exported())
    if (Comm == "self" || isGlobalName(Comm))
      Out.push_back(Name + "=" + Comm);
  return Out;
}

std::vector<std::string> RankFacts::asked() const {
  std::set<std::string> Out;
  Module *M = U.mpiCalls() ? U.ir() : nullptr;
  for (Function &F : M ? M->functions() : iterator_range<Module::iterator>(Module::iterator(), Module::iterator()))
    for (BasicBlock &BB : F)
      if (const auto *Br = dyn_cast<BranchInst>(BB.getTerminator()); Br && Br->isConditional())
        if (std::optional<Guard> G = guardOrAsked(Br->getCondition()); G && !G->Asked.empty())
          Out.insert(std::move(G->Asked));
  return {Out.begin(), Out.end()};
}

// Variables, members and functions that other units fill with the rank, unless this one gives them anything else.
void RankFacts::learnFromOthers(Module &M, ArrayRef<Instruction *> Carriers) {
  const DataLayout &DL = M.getDataLayout();
  for (StringRef Each : U.knownRanks()) {
    auto [What, Comm] = Each.rsplit('=');
    if (What.consume_front("global ")) {
      auto [Name, OffsetText] = What.rsplit('+');
      std::int64_t Offset = 0;
      const GlobalVariable *G = OffsetText.getAsInteger(10, Offset) ? nullptr : M.getNamedGlobal(Name);
      if (G && none_of(Carriers, [&](const Instruction *I) {
            const auto *St = dyn_cast<StoreInst>(I);
            return St && addressOf(St->getPointerOperand(), DL) == Address(G, Offset);
          }))
        Ranks.Places.try_emplace({G, Offset}, Comm);
    } else if (What.starts_with("member ")) {
      for (const auto &[Where, Field] : Members)
        if (memberName(Field) == What && !Reassigned.contains(Field))
          Ranks.Variables.try_emplace(Field, Comm);
    } else if (What.consume_front("call ")) {
      if (const Function *F = M.getFunction(What); F && F->isDeclaration())
        Ranks.Calls.try_emplace(F, Comm);
    }
  }
}

const RankFacts &ranksOf(Unit &U) {
  return U.fact<RankFacts>([&] { return RankFacts(U); });
}

} // namespace stridewise
