#include "unit/References.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

void addLines(const Function &F, ReferringFunction &Out) {
  for (const Instruction &I : instructions(F)) {
    const DILocation *At = I.getDebugLoc().get();
    if (!At || !At->getLine() || At->getScope()->getSubprogram() != F.getSubprogram())
      continue;
    if (!Out.First || At->getLine() < Out.First->getLine())
      Out.First = At;
    if (!Out.Last || At->getLine() > Out.Last->getLine())
      Out.Last = At;
  }
}

} // namespace

References referencesOf(const Module &M) {
  References Out;
  MapVector<const Function *, SetVector<const Function *>> Named;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Named[&F];
  for (const Function &F : M) {
    if (F.isIntrinsic())
      continue;
    bool InData = false;
    SmallPtrSet<const User *, 8> Seen;
    SmallVector<const User *, 8> Work(F.user_begin(), F.user_end());
    while (!Work.empty()) {
      const User *By = Work.pop_back_val();
      if (!Seen.insert(By).second)
        continue;
      if (const auto *I = dyn_cast<Instruction>(By))
        Named[I->getFunction()].insert(&F);
      else if (const auto *Around = dyn_cast<Function>(By))
        Named[Around].insert(&F);
      else if (isa<GlobalValue>(By))
        InData = true;
      else
        Work.append(By->user_begin(), By->user_end());
    }
    if (InData)
      Out.FromData.push_back(F.getName().str());
  }
  for (const auto &[F, Others] : Named) {
    ReferringFunction Each{F->getName().str(), F->hasLocalLinkage(), nullptr, nullptr, {}};
    addLines(*F, Each);
    for (const Function *Other : Others)
      if (Other != F)
        Each.Names.push_back(Other->getName().str());
    Out.Functions.push_back(std::move(Each));
  }
  return Out;
}

} // namespace stridewise
