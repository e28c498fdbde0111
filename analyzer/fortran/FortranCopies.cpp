#include "fortran/FortranCopies.h"
#include "fortran/Descriptors.h"
#include "fortran/FortranLoops.h"
#include "library/MpiCall.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <limits>

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral CopiesIn = "_FortranACopyInAssign", CopiesOut = "_FortranACopyOutAssign";
constexpr std::int64_t MostComponents = 8; // of a loop that goes over no data
constexpr unsigned MaxDepth = 12;

const CallInst *callOf(const Instruction &I, StringRef Name) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == Name ? Call : nullptr;
}

// The number that constants make, where nothing has simplified them yet.
std::optional<std::int64_t> number(const Value *V, unsigned Depth = 0) {
  if (const auto *C = dyn_cast_or_null<ConstantInt>(V); C && C->getBitWidth() <= 64)
    return C->getSExtValue();
  const auto *I = dyn_cast_or_null<Instruction>(V);
  if (!I || Depth > MaxDepth)
    return std::nullopt;
  if (isa<SExtInst, ZExtInst>(I))
    return number(I->getOperand(0), Depth + 1);
  if (const auto *Choice = dyn_cast<SelectInst>(I)) // an extent is never negative
    return number(Choice->getTrueValue(), Depth + 1);
  const auto *Operation = dyn_cast<BinaryOperator>(I);
  const auto Left = Operation ? number(I->getOperand(0), Depth + 1) : std::nullopt;
  const auto Right = Left ? number(I->getOperand(1), Depth + 1) : std::nullopt;
  if (!Right)
    return std::nullopt;
  switch (Operation->getOpcode()) {
  case Instruction::Add:
    return *Left + *Right;
  case Instruction::Sub:
    return *Left - *Right;
  case Instruction::Mul:
    return *Left * *Right;
  case Instruction::SDiv:
    return *Right ? std::optional(*Left / *Right) : std::nullopt;
  default:
    return std::nullopt;
  }
}

// Whether the step is that of the first dimension of an array in memory, whose descriptor alone tells it.
bool isOfDescriptor(const Value *Step) {
  while (const auto *Product = dyn_cast_or_null<BinaryOperator>(Step)) {
    const unsigned One = isConstant(Product->getOperand(0), 1) ? 0 : 1;
    if (Product->getOpcode() != Instruction::Mul || !isConstant(Product->getOperand(One), 1))
      return false;
    Step = Product->getOperand(1 - One);
  }
  const auto *Load = dyn_cast_or_null<LoadInst>(Step);
  const auto *G = Load ? dyn_cast<GetElementPtrInst>(Load->getPointerOperand()) : nullptr;
  return Load && !(G && isDescriptor(G->getSourceElementType()) && G->getNumIndices() == 4 &&
                   isConstant(G->getOperand(2), DimensionsField) && isConstant(G->getOperand(4), StepField) &&
                   !isConstant(G->getOperand(3), 0));
}

std::uint64_t elements(ArrayRef<Dimension> Dimensions) {
  std::uint64_t All = 1;
  for (const Dimension &D : Dimensions) {
    const std::optional<std::int64_t> Extent = number(D.Extent);
    if (!Extent)
      return std::numeric_limits<std::uint64_t>::max();
    All *= std::uint64_t(std::max<std::int64_t>(0, *Extent));
  }
  return All;
}

bool isShort(const Loop &L, Unit &U) {
  const std::optional<FortranLoop> Known = fortranLoop(&L, U);
  const std::optional<std::int64_t> Trips = Known ? Known->Statement->iterations() : std::nullopt;
  return Trips && *Trips <= MostComponents;
}

// The next call of the program's own: what the copy is for.
const CallBase *userOf(const CallInst &Copy) {
  bool Behind = false;
  for (const Instruction &I : instructions(*Copy.getFunction())) {
    Behind |= &I == &Copy;
    const auto *Call = Behind ? dyn_cast<CallBase>(&I) : nullptr;
    if (Call && !isOfRuntime(*Call))
      return Call->getDebugLoc() == Copy.getDebugLoc() ? Call : nullptr;
  }
  return nullptr;
}

} // namespace

bool isOfRuntime(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee &&
         (Callee->isIntrinsic() || Callee->getName().starts_with("_FortranA") ||
          Callee->getName().starts_with("stridewise.") || Callee->getName() == "malloc" || Callee->getName() == "free");
}

void addCopies(const Function &F, const LoopInfo &LI, Unit &U, std::vector<FortranCopy> &Out) {
  MapVector<const DILocation *, FortranCopy> Found;
  SmallPtrSet<const Value *, 8> Back;
  for (const Instruction &I : instructions(F))
    if (const CallInst *Copy = callOf(I, CopiesOut); Copy && !isa<ConstantPointerNull>(Copy->getArgOperand(0)))
      Back.insert(Copy->getArgOperand(1));
  for (const Instruction &I : instructions(F)) {
    const CallInst *Copy = callOf(I, CopiesIn);
    std::optional<std::uint64_t> Bytes;
    const auto Dimensions =
        Copy ? dimensionsOf(Copy->getArgOperand(1)->stripPointerCasts(), Bytes, F.getParent()->getDataLayout())
             : std::nullopt;
    if (!Dimensions || Dimensions->empty() || !I.getDebugLoc())
      continue;
    const CallBase *User = userOf(*Copy);
    if (!User || findMpiCall(*User))
      continue;
    FortranCopy &One = Found[I.getDebugLoc().get()];
    One.At = I.getDebugLoc().get();
    One.Caller = callName(F);
    One.Callee = User->getCalledFunction() ? callName(*User->getCalledFunction()) : std::string();
    One.Back |= Back.contains(Copy->getArgOperand(0));
    One.Loops = 0;
    for (const Loop *L = LI.getLoopFor(I.getParent()); L; L = L->getParentLoop())
      One.Loops += !isShort(*L, U);
    One.Elements = std::max(One.Elements, elements(*Dimensions));
    One.Rank = std::max<unsigned>(One.Rank, Dimensions->size());
    One.MayBeWhole |= isOfDescriptor(Dimensions->front().Step);
  }
  for (auto &[At, One] : Found)
    Out.push_back(std::move(One));
}

} // namespace stridewise
