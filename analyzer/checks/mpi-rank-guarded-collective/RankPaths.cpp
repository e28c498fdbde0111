#include "checks/mpi-rank-guarded-collective/RankPaths.h"
#include "checks/mpi-rank-guarded-collective/CollectiveOrder.h"
#include "unit/Counted.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace stridewise {

// Values that are looked through to see what the rank decides.
static constexpr unsigned Deepest = 8;
// Classes, answers and blocks beyond which nothing is said.
static constexpr std::size_t MostClasses = 10;
static constexpr unsigned MostLeaves = 256, MostBlocks = 40000;
static constexpr std::int64_t LargestRank = 1 << 20;

RankPaths::RankPaths(Function &F, const RankFacts &Ranks, const LoopInfo &LI, const TargetLibraryInfo &TLI)
    : F(F), Ranks(Ranks), LI(LI), TLI(TLI), DT(F), PDT(F) {}

// --- what the rank decides -------------------------------------------------------------------------------------------

std::optional<std::int64_t> RankPaths::number(const Value *V, const RankClass &C, unsigned Depth) const {
  if (Depth > Deepest)
    return std::nullopt;
  if (const auto *Known = dyn_cast<ConstantInt>(V))
    return Known->getValue().trySExtValue();
  if (C.Number && Ranks.rank(V))
    return C.Number;
  if (isa<SExtInst, ZExtInst, FreezeInst>(V))
    return number(cast<Instruction>(V)->getOperand(0), C, Depth + 1);
  if (const auto *Op = dyn_cast<BinaryOperator>(V)) {
    auto A = number(Op->getOperand(0), C, Depth + 1), B = number(Op->getOperand(1), C, Depth + 1);
    if (!A || !B)
      return std::nullopt;
    switch (Op->getOpcode()) {
    case Instruction::Add:
      return *A + *B;
    case Instruction::Sub:
      return *A - *B;
    case Instruction::Mul:
      return std::abs(*A) <= LargestRank && std::abs(*B) <= LargestRank ? std::optional(*A * *B) : std::nullopt;
    case Instruction::SRem:
    case Instruction::URem:
      return *A >= 0 && *B > 0 ? std::optional(*A % *B) : std::nullopt;
    case Instruction::SDiv:
    case Instruction::UDiv:
      return *A >= 0 && *B > 0 ? std::optional(*A / *B) : std::nullopt;
    case Instruction::And:
      return *A & *B;
    case Instruction::Xor:
      return *A ^ *B;
    default:
      return std::nullopt;
    }
  }
  const auto *Known = dyn_cast_or_null<ConstantInt>(constant(V, C, Depth + 1));
  return Known ? Known->getValue().trySExtValue() : std::nullopt;
}

// The constant that a choice comes to on these ranks: the null pointer of all that opened no file.
const Constant *RankPaths::constant(const Value *V, const RankClass &C, unsigned Depth) const {
  if (const auto *Known = dyn_cast<Constant>(V))
    return Known;
  if (Depth > Deepest)
    return nullptr;
  if (const auto *Sel = dyn_cast<SelectInst>(V)) {
    std::optional<bool> Taken = truth(Sel->getCondition(), C, Depth + 1);
    return Taken ? constant(*Taken ? Sel->getTrueValue() : Sel->getFalseValue(), C, Depth + 1) : nullptr;
  }
  const auto *P = dyn_cast<PHINode>(V);
  if (!P || LI.isLoopHeader(P->getParent()))
    return nullptr;
  const Constant *Out = nullptr;
  for (unsigned In = 0; In < P->getNumIncomingValues(); ++In) {
    if (!isFeasible(*P, In, C, Depth + 1))
      continue;
    const Constant *Each = constant(P->getIncomingValue(In), C, Depth + 1);
    if (!Each || (Out && Out != Each))
      return nullptr;
    Out = Each;
  }
  return Out;
}

bool RankPaths::isFeasible(const PHINode &P, unsigned In, const RankClass &C, unsigned Depth) const {
  const BasicBlock *From = P.getIncomingBlock(In), *To = P.getParent();
  auto Taken = [&](const BasicBlock *BB) -> const BasicBlock * {
    std::optional<unsigned> K = direction(*BB->getTerminator(), C, Depth + 1);
    return K ? BB->getTerminator()->getSuccessor(*K) : nullptr;
  };
  if (const BasicBlock *Next = Taken(From); Next && Next != To)
    return false;
  const auto *Node = DT.getNode(From);
  for (unsigned Level = 0; Node && Node->getIDom() && Level < Deepest; ++Level) {
    Node = Node->getIDom();
    const BasicBlock *Top = Node->getBlock();
    if (const BasicBlock *Next = Taken(Top))
      for (const BasicBlock *Other : successors(Top))
        if (Other != Next && DT.dominates(BasicBlockEdge(Top, Other), From))
          return false;
  }
  return true;
}

// One dispatch over kinds of conditions, complexity 29.
std::optional<bool> RankPaths::truth(const Value *V, const RankClass &C, unsigned Depth) const {
  if (Depth > Deepest)
    return std::nullopt;
  auto *Mutable = const_cast<Value *>(V); // matching binds what it finds as such
  Value *A, *B;
  if (match(Mutable, m_Not(m_Value(A)))) {
    std::optional<bool> Not = truth(A, C, Depth + 1);
    return Not ? std::optional(!*Not) : std::nullopt;
  }
  bool And = match(Mutable, m_LogicalAnd(m_Value(A), m_Value(B)));
  if (And || match(Mutable, m_LogicalOr(m_Value(A), m_Value(B)))) {
    std::optional<bool> First = truth(A, C, Depth + 1), Second = truth(B, C, Depth + 1);
    if ((First && *First != And) || (Second && *Second != And))
      return !And;
    return First && Second ? std::optional(And) : std::nullopt;
  }
  if (const auto *Compare = dyn_cast<ICmpInst>(V)) {
    const Value *Left = Compare->getOperand(0), *Right = Compare->getOperand(1);
    if (C.Root && Compare->isEquality()) {
      bool Asks = (Ranks.rank(Left) && Right == C.Root) || (Ranks.rank(Right) && Left == C.Root);
      if (Asks)
        return C.IsRoot == (Compare->getPredicate() == CmpInst::ICMP_EQ);
    }
    if (Left->getType()->isPointerTy()) {
      const Constant *X = constant(Left, C, Depth + 1), *Y = constant(Right, C, Depth + 1);
      if (X && X == Y && Compare->isEquality())
        return Compare->getPredicate() == CmpInst::ICMP_EQ;
      return std::nullopt;
    }
    auto X = number(Left, C, Depth + 1), Y = number(Right, C, Depth + 1);
    if (!X || !Y)
      return std::nullopt;
    return ICmpInst::compare(APInt(64, *X, true), APInt(64, *Y, true), Compare->getPredicate());
  }
  if (const auto *Trunc = dyn_cast<TruncInst>(V)) {
    auto X = number(Trunc->getOperand(0), C, Depth + 1);
    return X ? std::optional((*X & 1) != 0) : std::nullopt;
  }
  if (const auto *Freeze = dyn_cast<FreezeInst>(V))
    return truth(Freeze->getOperand(0), C, Depth + 1);
  const auto *Known = dyn_cast_or_null<ConstantInt>(constant(V, C, Depth + 1));
  return Known ? std::optional(!Known->isZero()) : std::nullopt;
}

std::optional<unsigned> RankPaths::direction(const Instruction &T, const RankClass &C, unsigned Depth) const {
  if (const auto *Br = dyn_cast<BranchInst>(&T)) {
    if (!Br->isConditional())
      return 0u;
    std::optional<bool> Taken = truth(Br->getCondition(), C, Depth);
    return Taken ? std::optional(*Taken ? 0u : 1u) : std::nullopt;
  }
  if (const auto *Switch = dyn_cast<SwitchInst>(&T))
    if (auto X = number(Switch->getCondition(), C, Depth)) {
      for (const auto &Case : Switch->cases())
        if (Case.getCaseValue()->getSExtValue() == *X)
          return Case.getSuccessorIndex();
      return 0u; // the default
    }
  return std::nullopt;
}

// Every number that the function compares a rank with, and the ones beside it.
std::vector<RankClass> RankPaths::classes() const {
  std::set<std::int64_t> Numbers{0, 1};
  auto Add = [&](const Value *V) {
    const auto *C = dyn_cast<ConstantInt>(V);
    if (C && C->getValue().getSignificantBits() < 32)
      for (std::int64_t Near : {-1, 0, 1})
        if (std::int64_t N = C->getSExtValue() + Near; N >= 0 && N <= LargestRank)
          Numbers.insert(N);
  };
  for (const Instruction &I : counted(instructions(F))) {
    if (const auto *Compare = dyn_cast<ICmpInst>(&I)) {
      for (unsigned K : {0u, 1u})
        if (Ranks.rankTerm(Compare->getOperand(K)))
          Add(Compare->getOperand(1 - K));
    } else if (const auto *Switch = dyn_cast<SwitchInst>(&I); Switch && Ranks.rankTerm(Switch->getCondition())) {
      for (const auto &Case : Switch->cases())
        Add(Case.getCaseValue());
    }
  }
  std::vector<RankClass> Out;
  for (std::int64_t N : Numbers)
    if (Out.size() < MostClasses)
      Out.push_back({N, nullptr, false});
  return Out;
}

// --- paths -----------------------------------------------------------------------------------------------------------

struct RankPaths::Exploration {
  RankClass Class[2];
  StepOf Step;
  std::map<Question, unsigned> Answers;
  std::map<std::vector<std::pair<Question, unsigned>>, bool> Agreed; // by the answers that both got
  bool All = true, Overflow = false;
  bool CallsAway[2] = {false, false};
  unsigned Leaves = 0, Blocks = 0;
};

// What a branch asks, so that the same question elsewhere gets the same answer.
static std::string questionOf(const Instruction &T) {
  const auto *Br = dyn_cast<BranchInst>(&T);
  const Value *Asked = Br ? Br->getCondition() : nullptr;
  auto Name = [](const Value *V) {
    // Loads of one variable, which no step in between is taken to change.
    const auto *Load = dyn_cast<LoadInst>(V);
    return (Load ? "*" : "") +
           std::to_string(reinterpret_cast<std::uintptr_t>(Load ? Load->getPointerOperand()->stripPointerCasts() : V));
  };
  if (const auto *Compare = dyn_cast_or_null<ICmpInst>(Asked))
    return std::to_string(Compare->getPredicate()) + " " + Name(Compare->getOperand(0)) + " " +
           Name(Compare->getOperand(1));
  return Name(Asked ? Asked : static_cast<const Value *>(&T));
}

// Where the paths of a branch meet again, when no call that counts lies between; what they call away is kept.
const BasicBlock *RankPaths::skipTo(const BasicBlock &BB, Exploration &X, Path &Out) const {
  const auto *Node = PDT.getNode(&BB);
  const BasicBlock *Meeting = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  if (!Meeting)
    return nullptr;
  SmallPtrSet<const BasicBlock *, 16> Seen{Meeting};
  SmallVector<const BasicBlock *, 16> Work(successors(&BB));
  std::vector<const Instruction *> Away;
  while (!Work.empty()) {
    const BasicBlock *Each = Work.pop_back_val();
    if (!Seen.insert(Each).second)
      continue;
    ++X.Blocks;
    for (const Instruction &I : counted(*Each)) {
      if (X.Step(I))
        return nullptr;
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && isForeignCall(*Call, TLI))
        Away.push_back(&I);
    }
    Work.append(succ_begin(Each), succ_end(Each));
  }
  Out.Away.insert(Away.begin(), Away.end());
  return Meeting;
}

// False when an answer is missing, or when there is too much.
bool RankPaths::walk(const RankClass &C, Exploration &X, Path &Out, std::optional<Question> &Missing,
                     unsigned &Choices) const {
  DenseMap<const BasicBlock *, unsigned> Visits;
  const BasicBlock *BB = &F.getEntryBlock();
  while (true) {
    unsigned Visit = Visits[BB]++;
    if (++X.Blocks > MostBlocks || Visit > 4) {
      X.Overflow = true;
      return false;
    }
    for (const Instruction &I : counted(*BB)) {
      if (std::optional<unsigned> Step = X.Step(I))
        Out.Steps.push_back(*Step);
      else if (const auto *Call = dyn_cast<CallBase>(&I); Call && isForeignCall(*Call, TLI))
        Out.Away.insert(&I);
    }
    const Instruction &T = *BB->getTerminator();
    if (isErrorPath(*BB) || isa<UnreachableInst>(T)) {
      Out.Dies = true;
      return true;
    }
    if (T.getNumSuccessors() == 0)
      return true;
    if (std::optional<unsigned> K = direction(T, C)) {
      BB = T.getSuccessor(*K);
      continue;
    }
    if (const BasicBlock *Meeting = skipTo(*BB, X, Out)) {
      BB = Meeting;
      continue;
    }
    SmallVector<unsigned, 4> Open;
    const Loop *L = LI.getLoopFor(BB);
    for (unsigned K = 0; K < T.getNumSuccessors(); ++K) {
      const BasicBlock *Next = T.getSuccessor(K);
      if (!isErrorPath(*Next) && !isa<UnreachableInst>(Next->getTerminator()))
        Open.push_back(K);
    }
    // Every loop is gone through once or twice, by both.
    if (Visit >= 1 && L && any_of(Open, [&](unsigned K) { return !L->contains(T.getSuccessor(K)); }))
      erase_if(Open, [&](unsigned K) { return L->contains(T.getSuccessor(K)); });
    if (Open.empty()) {
      Out.Dies = true;
      return true;
    }
    if (Open.size() == 1) {
      BB = T.getSuccessor(Open.front());
      continue;
    }
    Question Q{questionOf(T), Visit};
    auto Known = X.Answers.find(Q);
    if (Known == X.Answers.end()) {
      Missing = Q;
      Choices = T.getNumSuccessors();
      return false;
    }
    Out.Asked.insert(Q);
    unsigned K = std::min(Known->second, T.getNumSuccessors() - 1);
    BB = T.getSuccessor(is_contained(Open, K) ? K : Open.front());
  }
}

void RankPaths::explore(Exploration &X) const {
  if (X.Overflow)
    return;
  Path Paths[2];
  for (unsigned K : {0u, 1u}) {
    std::optional<Question> Missing;
    unsigned Choices = 0;
    if (walk(X.Class[K], X, Paths[K], Missing, Choices))
      continue;
    for (unsigned Choice = 0; Missing && Choice < Choices; ++Choice) {
      X.Answers[*Missing] = Choice;
      explore(X);
    }
    if (Missing)
      X.Answers.erase(*Missing);
    return;
  }
  if (++X.Leaves > MostLeaves) {
    X.Overflow = true;
    return;
  }
  if (Paths[0].Dies || Paths[1].Dies)
    return;
  std::vector<std::pair<Question, unsigned>> Shared;
  for (const Question &Q : Paths[0].Asked)
    if (Paths[1].Asked.count(Q))
      Shared.emplace_back(Q, X.Answers[Q]);
  bool Agree = Paths[0].Steps == Paths[1].Steps;
  X.All &= Agree;
  auto [It, New] = X.Agreed.try_emplace(std::move(Shared), Agree);
  It->second |= Agree;
  for (unsigned K : {0u, 1u})
    X.CallsAway[K] |= any_of(Paths[K].Away, [&](const Instruction *I) { return !Paths[1 - K].Away.count(I); });
}

PathComparison RankPaths::compare(const BranchInst &Br, const RankFacts::Guard &G, StepOf Step) {
  PathComparison Out;
  SmallVector<RankClass, 8> Arms[2];
  if (G.Equality && G.Root && !isa<ConstantInt>(G.Root)) {
    for (bool IsRoot : {true, false})
      Arms[IsRoot == G.OneOnTrue ? 0 : 1].push_back({std::nullopt, G.Root, IsRoot});
  } else {
    for (const RankClass &C : classes()) {
      std::optional<bool> Taken = truth(Br.getCondition(), C);
      if (!Taken || *Taken)
        Arms[0].push_back(C);
      if (!Taken || !*Taken)
        Arms[1].push_back(C);
    }
  }
  bool Any = false, Same = true, Different = false, Unknown = false;
  for (const RankClass &A : Arms[0])
    for (const RankClass &B : Arms[1]) {
      if (A.Number && A.Number == B.Number)
        continue;
      Exploration X{{A, B}, Step, {}, {}};
      explore(X);
      Any = true;
      Unknown |= X.Overflow;
      Same &= X.All;
      Different |= any_of(X.Agreed, [](const auto &P) { return !P.second; });
      for (unsigned K : {0u, 1u})
        Out.CallsAway[K] |= X.CallsAway[K];
    }
  if (Any)
    Out.Verdict = Unknown     ? PathVerdict::Unknown
                  : Same      ? PathVerdict::Same
                  : Different ? PathVerdict::Different
                              : PathVerdict::Open;
  return Out;
}

bool RankPaths::partAlike(const BranchInst &A, const RankFacts::Guard &GA, const BranchInst &B,
                          const RankFacts::Guard &GB) const {
  if (!GA.Whole || !GB.Whole || GA.Comm != GB.Comm || GA.Asked != GB.Asked || GA.Equality != GB.Equality)
    return false;
  // The root of `rank > 0` and `rank < 1` is what an equality would name.
  auto Root = [](const BranchInst &Br, const RankFacts::Guard &G) -> const Value * {
    const auto *Compare = dyn_cast<ICmpInst>(Br.getCondition());
    return G.Equality && Compare && !Compare->isEquality() ? ConstantInt::get(G.Root->getType(), 0) : G.Root;
  };
  if (!GA.Equality || Root(A, GA) != Root(B, GB))
    return false;
  const BasicBlock *First = A.getParent(), *Second = B.getParent();
  return First != Second && LI.getLoopFor(First) == LI.getLoopFor(Second) &&
         ((DT.dominates(First, Second) && PDT.dominates(Second, First)) ||
          (DT.dominates(Second, First) && PDT.dominates(First, Second)));
}

} // namespace stridewise
