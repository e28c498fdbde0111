// Rewriting of ScalarEvolution expressions, and strides read off the result.
//
// Assumptions made here, all of them ordinary for scientific code and none of them used to prove a fix:
//   - index arithmetic does not wrap, so extensions and truncations distribute over sums, products and recurrences;
//   - a load from an invariant address gives an invariant value unless the function stores to that very address (or
//     passes it to a call) in a loop around it: sizes and row pointers in a struct are not overwritten through arrays;
//   - an index that is clamped, wrapped (`% n`) or selected follows its varying operand.
#include "loops/StrideRewriter.h"
#include "unit/Meter.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

// Expressions rewritten per function before the engine gives up on the rest of it.
static constexpr unsigned MaxRewrites = 200000;
static constexpr unsigned MaxOriginals = 6;
// Operations from one value of a loop's variable to its next one.
static constexpr unsigned MaxRecurrence = 8;
// Ways into a block behind a loop: its end and those around it.
static constexpr unsigned MaxHandedOn = 4;
// Bytes of an element, as a power of two, of containers whose size is a distance of two pointers.
static constexpr unsigned MaxElementShift = 16;

StrideEngine::Impl::Impl(Function &F, FunctionAnalysisManager &FAM)
    : F(F), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), LI(FAM.getResult<LoopAnalysis>(F)),
      DT(FAM.getResult<DominatorTreeAnalysis>(F)), DL(F.getParent()->getDataLayout()),
      Symbols("symbols", F.getContext()) {
  Symbols.setDataLayout(DL);
  for (const Loop *L : LI.getLoopsInPreorder())
    Number.try_emplace(L, Number.size());
  collectStores();
}

LoopSet StrideEngine::Impl::around(const BasicBlock *BB) const {
  LoopSet S = none();
  for (const Loop *L = LI.getLoopFor(BB); L; L = L->getParentLoop())
    S.set(Number.lookup(L));
  return S;
}

const LoopSet &StrideEngine::Impl::loopsOf(const SCEV *S) {
  if (auto It = VaryingIn.find(S); It != VaryingIn.end())
    return It->second;
  LoopSet D = none();
  if (const auto *U = dyn_cast<SCEVUnknown>(S)) {
    if (auto It = SymbolInfo.find(U->getValue()); It != SymbolInfo.end())
      D = It->second.Varies;
  } else {
    if (const auto *R = dyn_cast<SCEVAddRecExpr>(S))
      if (auto It = Number.find(R->getLoop()); It != Number.end())
        D.set(It->second);
    for (const SCEV *Op : S->operands())
      D |= loopsOf(Op);
  }
  return VaryingIn.emplace(S, std::move(D)).first->second;
}

// Loops in which a value that ScalarEvolution cannot express (a condition, a floating-point number) may change.
LoopSet StrideEngine::Impl::loopsOf(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !LI.getLoopFor(I->getParent()))
    return none();
  if (SE.isSCEVable(V->getType()))
    return loopsOf(rewrite(SE.getSCEV(V)));
  if (auto It = OperandLoops.find(V); It != OperandLoops.end())
    return It->second;
  if (Depth >= MaxExpressionDepth || !Active.insert(V).second)
    return around(I->getParent());
  ++Depth;
  LoopSet D = none();
  if (auto *P = dyn_cast<PHINode>(I); P && LI.isLoopHeader(P->getParent()))
    D.set(Number.lookup(LI.getLoopFor(P->getParent())));
  if (auto *Load = dyn_cast<LoadInst>(I))
    D |= loopsOf(rewrite(SE.getSCEV(Load->getPointerOperand())));
  else if (isa<CallBase>(I) && I->mayReadOrWriteMemory())
    D |= around(I->getParent());
  else
    for (Value *Op : I->operands())
      D |= loopsOf(Op);
  --Depth;
  Active.erase(V);
  return OperandLoops.emplace(V, std::move(D)).first->second;
}

const SCEV *StrideEngine::Impl::newSymbol(Type *T, LoopSet Varies, const SCEV *LoadedFrom, const Value *Original) {
  auto *FT = FunctionType::get(Type::getVoidTy(F.getContext()), {T}, /*isVarArg=*/false);
  Argument *A = Function::Create(FT, GlobalValue::ExternalLinkage, "", Symbols)->getArg(0);
  StrideSymbol &Info = SymbolInfo[A];
  Info.Varies = std::move(Varies);
  Info.LoadedFrom = LoadedFrom;
  if (Original)
    Info.Originals.push_back(Original);
  return SE.getUnknown(A);
}

// The symbol of an expression about which only the loops that change it are known.
const SCEV *StrideEngine::Impl::opaque(const SCEV *S, LoopSet Varies) {
  const SCEV *&Sym = OpaqueSymbols[{S, S->getType()}];
  if (!Sym) {
    const auto *U = dyn_cast<SCEVUnknown>(S);
    Sym = newSymbol(S->getType(), std::move(Varies), nullptr, U ? U->getValue() : nullptr);
  }
  return Sym;
}

const SCEV *StrideEngine::Impl::extend(const SCEV *S, Type *T) {
  if (S->getType() == T)
    return S;
  uint64_t Bits = SE.getTypeSizeInBits(T);
  if (SE.getTypeSizeInBits(S->getType()) >= Bits)
    return SE.getTruncateExpr(S, T);
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return SE.getConstant(C->getAPInt().sext(Bits));
  if (const auto *C = dyn_cast<SCEVCastExpr>(S); C && !isa<SCEVPtrToIntExpr>(S))
    return extend(C->getOperand(), T);
  if (!isa<SCEVAddRecExpr, SCEVAddExpr, SCEVMulExpr>(S))
    return SE.getSignExtendExpr(S, T);
  SmallVector<const SCEV *, 4> Ops;
  for (const SCEV *Op : S->operands())
    Ops.push_back(extend(Op, T));
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S))
    return SE.getAddRecExpr(Ops, R->getLoop(), SCEV::FlagNW);
  return isa<SCEVAddExpr>(S) ? SE.getAddExpr(Ops) : SE.getMulExpr(Ops);
}

const SCEV *StrideEngine::Impl::rewrite(const SCEV *S) {
  if (auto It = Rewritten.find(S); It != Rewritten.end())
    return It->second;
  if (isa<SCEVConstant, SCEVCouldNotCompute, SCEVVScale>(S))
    return S;
  if (Depth >= MaxExpressionDepth || ++Rewrites > MaxRewrites) {
    LoopSet All = none();
    All.set();
    return opaque(S, std::move(All));
  }
  ++Depth;
  Meter::count();
  const SCEV *R = rewriteNew(S);
  --Depth;
  return Rewritten[S] = R;
}

const SCEV *StrideEngine::Impl::rewriteNew(const SCEV *S) {
  if (const auto *U = dyn_cast<SCEVUnknown>(S))
    return rewriteUnknown(U);
  if (const SCEV *Dividend = dividendOfRemainder(S))
    if (const SCEV *R = rewrite(Dividend); loopsOf(R).any())
      return R;

  SmallVector<const SCEV *, 4> Ops;
  LoopSet D = none();
  for (const SCEV *Op : S->operands()) {
    Ops.push_back(rewrite(Op));
    D |= loopsOf(Ops.back());
  }
  switch (S->getSCEVType()) {
  case scAddExpr:
    return SE.getAddExpr(Ops);
  case scMulExpr:
    return SE.getMulExpr(Ops);
  case scAddRecExpr: {
    const Loop *L = cast<SCEVAddRecExpr>(S)->getLoop();
    bool Linear = Ops.size() == 2 && !D.test(Number.lookup(L));
    if (Linear)
      return SE.getAddRecExpr(Ops, L, SCEV::FlagNW);
    D.set(Number.lookup(L));
    return opaque(S, std::move(D));
  }
  case scSignExtend:
  case scZeroExtend:
  case scTruncate:
    return extend(Ops[0], S->getType());
  case scPtrToInt:
    return Ops[0]->getType()->isPointerTy() ? SE.getPtrToIntExpr(Ops[0], S->getType()) : Ops[0];
  case scUDivExpr:
    return D.none() ? SE.getUDivExpr(Ops[0], Ops[1]) : opaque(S, std::move(D));
  case scUMaxExpr:
  case scSMaxExpr:
  case scUMinExpr:
  case scSMinExpr:
  case scSequentialUMinExpr:
    for (const SCEV *Op : Ops)
      if (loopsOf(Op).any())
        return Op;
    return S->getSCEVType() == scSequentialUMinExpr ? SE.getUMinExpr(Ops, /*Sequential=*/true)
                                                    : SE.getMinMaxExpr(S->getSCEVType(), Ops);
  default:
    return S;
  }
}

// ScalarEvolution spells x % n as x - n * (x / n). Gives x, or null.
const SCEV *StrideEngine::Impl::dividendOfRemainder(const SCEV *S) {
  const auto *Sum = dyn_cast<SCEVAddExpr>(S);
  if (!Sum)
    return nullptr;
  for (const SCEV *Term : Sum->operands()) {
    const auto *Product = dyn_cast<SCEVMulExpr>(Term);
    if (!Product)
      continue;
    for (const SCEV *Factor : Product->operands())
      if (const auto *Quotient = dyn_cast<SCEVUDivExpr>(Factor))
        if (SE.getMinusSCEV(S, Term) == Quotient->getLHS() &&
            SE.getNegativeSCEV(SE.getMulExpr(Quotient, Quotient->getRHS())) == Term)
          return Quotient->getLHS();
  }
  return nullptr;
}

// The distance from the beginning to the end, by the bytes of an element. Null for any other value.
const SCEV *StrideEngine::Impl::containerSize(Instruction &I) {
  const bool Shifts = I.getOpcode() == Instruction::AShr;
  const auto *By =
      (Shifts || I.getOpcode() == Instruction::SDiv) && I.isExact() ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  if (!By || !By->getValue().isStrictlyPositive() || (Shifts && By->getValue().uge(MaxElementShift)))
    return nullptr;
  const APInt Bytes = Shifts ? APInt::getOneBitSet(By->getBitWidth(), By->getZExtValue()) : By->getValue();
  const SCEV *Distance = rewrite(SE.getSCEV(I.getOperand(0)));
  return loopsOf(Distance).none() ? SE.getUDivExpr(Distance, SE.getConstant(Bytes)) : nullptr;
}

const SCEV *StrideEngine::Impl::rewriteUnknown(const SCEVUnknown *U) {
  auto *I = dyn_cast<Instruction>(U->getValue());
  if (!I || I->getFunction() != &F)
    return U;
  auto *Load = dyn_cast<LoadInst>(I);
  const SCEV *R = handedOn(*I);
  if (R)
    return R;
  if (const SCEV *Size = containerSize(*I))
    return Size;
  if (!LI.getLoopFor(I->getParent()) && !(Load && Load->isUnordered()))
    return U;
  if (!Active.insert(I).second)
    return opaque(U, around(I->getParent()));
  if (Load)
    R = rewriteLoad(U, *Load);
  else if (auto *P = dyn_cast<PHINode>(I))
    R = rewritePhi(U, *P);
  else if (auto *Sel = dyn_cast<SelectInst>(I))
    R = follow(U, {Sel->getTrueValue(), Sel->getFalseValue()}, Sel->getCondition());
  else if (I->getOpcode() == Instruction::SRem || I->getOpcode() == Instruction::URem)
    R = rewrite(SE.getSCEV(I->getOperand(0)));
  else if (auto *Amount = dyn_cast_or_null<ConstantInt>(I->getNumOperands() == 2 ? I->getOperand(1) : nullptr);
           Amount && I->getOpcode() == Instruction::AShr)
    R = quotient(rewrite(SE.getSCEV(I->getOperand(0))), Amount->getZExtValue());
  else if (isa<FPToSIInst, FPToUIInst>(I))
    R = rewriteFloat(I->getOperand(0), U->getType(), 0);
  else if (isa<CallBase>(I) && I->mayReadOrWriteMemory())
    R = opaque(U, around(I->getParent()));
  if (!R) {
    LoopSet D = none();
    for (Value *Op : I->operands())
      D |= loopsOf(Op);
    R = opaque(U, std::move(D));
  }
  Active.erase(I);
  return R;
}

// A 64-bit counter that is passed as int and multiplied is (i * (n << 32)) >> 32 after instcombine: i * n under the
// assumption of all extensions. Null when not all parts are multiples.
const SCEV *StrideEngine::Impl::quotient(const SCEV *S, std::uint64_t Shift) {
  if (const auto *C = dyn_cast<SCEVConstant>(S)) {
    const APInt &V = C->getAPInt();
    return Shift < V.getBitWidth() && V.countr_zero() >= Shift ? SE.getConstant(V.ashr(unsigned(Shift))) : nullptr;
  }
  if (const auto *M = dyn_cast<SCEVMulExpr>(S)) {
    const SCEV *Factor = isa<SCEVConstant>(M->getOperand(0)) ? quotient(M->getOperand(0), Shift) : nullptr;
    if (!Factor)
      return nullptr;
    SmallVector<const SCEV *, 4> Factors(M->operands());
    Factors[0] = Factor;
    return SE.getMulExpr(Factors);
  }
  if (!isa<SCEVAddExpr, SCEVAddRecExpr>(S))
    return nullptr;
  SmallVector<const SCEV *, 4> Parts;
  for (const SCEV *Op : S->operands()) {
    const SCEV *Part = quotient(Op, Shift);
    if (!Part)
      return nullptr;
    Parts.push_back(Part);
  }
  if (const auto *A = dyn_cast<SCEVAddRecExpr>(S))
    return SE.getAddRecExpr(Parts, A->getLoop(), SCEV::FlagNW);
  return SE.getAddExpr(Parts);
}

const SCEV *StrideEngine::Impl::rewriteLoad(const SCEVUnknown *U, LoadInst &Load) {
  const SCEV *Address = rewrite(SE.getSCEV(Load.getPointerOperand()));
  LoopSet D = loopsOf(Address);
  if (!Load.isUnordered())
    return opaque(U, around(Load.getParent()));
  // What an outer loop overwrites, a loop inside it may still find unchanged: pointers that a time loop swaps.
  if (auto It = Overwritten.find(Address); !CollectingStores && It != Overwritten.end())
    if (LoopSet Changes = LoopSet(It->second) &= around(Load.getParent()); Changes.any()) {
      const Loop *Kept = keeping(Load, Changes);
      if (!Kept)
        return opaque(U, Changes |= D);
      const SCEV *&Sym = PassingSymbols[{Address, U->getType(), Kept}];
      if (!Sym)
        Sym = newSymbol(U->getType(), Changes |= D, nullptr, &Load);
      return Sym;
    }
  // Loads of one address share a symbol: `m->height` is the same number wherever it is read.
  const SCEV *&Sym = LoadSymbols[{Address, U->getType()}];
  if (!Sym)
    Sym = newSymbol(U->getType(), std::move(D), Address, &Load);
  else if (auto &Known = SymbolInfo[cast<SCEVUnknown>(Sym)->getValue()].Originals; Known.size() < MaxOriginals)
    Known.push_back(&Load);
  return Sym;
}

const Loop *StrideEngine::Impl::keeping(const LoadInst &Load, const LoopSet &Changes) const {
  const BasicBlock *BB = Load.getParent();
  const Loop *Kept = nullptr, *Inner = LI.getLoopFor(BB);
  for (const Loop *L = Inner; L && !Changes.test(Number.lookup(L)); L = L->getParentLoop())
    Kept = L;
  if (Kept)
    return Kept;
  // The loop may follow at once, or behind a test whether it has iterations.
  const auto Writes = [](const Instruction &I) { return I.mayWriteToMemory() && !isa<IntrinsicInst>(I); };
  if (any_of(make_range(std::next(Load.getIterator()), BB->end()), Writes))
    return nullptr;
  for (const BasicBlock *Next : successors(BB)) {
    if (const BasicBlock *Behind = Next->getSingleSuccessor();
        Behind && !LI.isLoopHeader(Next) && Next->getSinglePredecessor() && none_of(*Next, Writes))
      Next = Behind;
    if (LI.isLoopHeader(Next) && LI.getLoopFor(Next)->getParentLoop() == Inner)
      return LI.getLoopFor(Next);
  }
  return nullptr;
}

// What the code behind a loop gets from it though it is the same whether and as often as that runs: `n - 1` of the
// bounds of one loop in those of the next. Null for any other value.
const SCEV *StrideEngine::Impl::handedOn(Instruction &I) {
  auto *P = dyn_cast<PHINode>(&I);
  if (!P || LI.isLoopHeader(P->getParent()) || P->getNumIncomingValues() > MaxHandedOn || !Active.insert(P).second)
    return nullptr;
  const SCEV *Same = nullptr;
  bool AllSame = true;
  for (Value *In : P->incoming_values()) {
    const SCEV *S = rewrite(SE.getSCEV(In));
    AllSame = loopsOf(S).none() && (!Same || Same == S);
    if (!AllSame)
      break;
    Same = S;
  }
  Active.erase(P);
  return AllSame ? Same : nullptr;
}

const SCEV *StrideEngine::Impl::rewritePhi(const SCEVUnknown *U, PHINode &P) {
  // Copies of one load, made by loop rotation, that changes with loops around at most.
  const Loop *Own = LI.getLoopFor(P.getParent()), *Around = Own ? Own->getParentLoop() : nullptr;
  const LoopSet Outside = Around ? around(Around->getHeader()) : none();
  const SCEV *Same = nullptr;
  bool AllSame = true;
  for (Value *In : P.incoming_values()) {
    if (In == &P)
      continue;
    AllSame &= !isa<Instruction>(In) || isa<LoadInst>(In) || isa<PHINode>(In);
    if (!AllSame)
      break;
    const SCEV *S = rewrite(SE.getSCEV(In));
    AllSame &= LoopSet(loopsOf(S)).reset(Outside).none() && (!Same || Same == S);
    Same = S;
  }
  if (AllSame && Same)
    return Same;
  if (!LI.isLoopHeader(P.getParent()))
    return follow(U, SmallVector<Value *, 4>(P.incoming_values()), nullptr);
  LoopSet D = none();
  D.set(Number.lookup(LI.getLoopFor(P.getParent())));
  if (std::optional<SmallVector<Value *, 4>> From = recurrenceInputs(P)) {
    for (Value *In : *From)
      D |= loopsOf(In);
    return opaque(U, std::move(D));
  }
  for (Value *In : P.incoming_values())
    D |= loopsOf(In);
  return opaque(U, std::move(D));
}

// What a value that a loop computes from its own last value (`half *= 2`) depends on beside it: with the same inputs it
// takes the same values, whatever the loops around do. None where anything else than arithmetic has a part in it.
std::optional<SmallVector<Value *, 4>> StrideEngine::Impl::recurrenceInputs(PHINode &P) const {
  const Loop *L = LI.getLoopFor(P.getParent());
  SmallVector<Value *, 4> Inputs, Work;
  SmallPtrSet<Value *, 8> Seen{&P};
  for (unsigned I = 0; I < P.getNumIncomingValues(); ++I)
    (L->contains(P.getIncomingBlock(I)) ? Work : Inputs).push_back(P.getIncomingValue(I));
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second || isa<Constant>(V))
      continue;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L->contains(I)) {
      Inputs.push_back(V);
      continue;
    }
    if (!isa<BinaryOperator, CastInst>(I) || Seen.size() > MaxRecurrence)
      return std::nullopt;
    Work.append(I->op_begin(), I->op_end());
  }
  return Inputs;
}

// A value chosen among several moves as the first of them that moves linearly.
const SCEV *StrideEngine::Impl::follow(const SCEVUnknown *U, ArrayRef<Value *> Choices, Value *Condition) {
  LoopSet D = Condition ? loopsOf(Condition) : around(cast<Instruction>(U->getValue())->getParent());
  for (Value *V : Choices) {
    const SCEV *S = rewrite(SE.getSCEV(V));
    const LoopSet &DS = loopsOf(S);
    if (DS.any() && !isa<SCEVUnknown>(S))
      return S;
    D |= DS;
  }
  return opaque(U, std::move(D));
}

// An index computed in floating point: (int)(i + 0.5) moves as i does.
const SCEV *StrideEngine::Impl::rewriteFloat(Value *V, Type *T, unsigned Nesting) {
  if (isa<ConstantFP>(V))
    return SE.getZero(T);
  auto *I = dyn_cast<Instruction>(V);
  if (I && Nesting < 6) {
    switch (I->getOpcode()) {
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return extend(rewrite(SE.getSCEV(I->getOperand(0))), T);
    case Instruction::FAdd:
      return SE.getAddExpr(rewriteFloat(I->getOperand(0), T, Nesting + 1),
                           rewriteFloat(I->getOperand(1), T, Nesting + 1));
    case Instruction::FSub:
      return SE.getMinusSCEV(rewriteFloat(I->getOperand(0), T, Nesting + 1),
                             rewriteFloat(I->getOperand(1), T, Nesting + 1));
    case Instruction::FPExt:
    case Instruction::FPTrunc:
      return rewriteFloat(I->getOperand(0), T, Nesting + 1);
    case Instruction::Call:
      if (auto *Call = dyn_cast<IntrinsicInst>(I);
          Call && (Call->getIntrinsicID() == Intrinsic::floor || Call->getIntrinsicID() == Intrinsic::ceil))
        return rewriteFloat(Call->getArgOperand(0), T, Nesting + 1);
      break;
    default:
      break;
    }
  }
  const SCEV *Known = FloatSymbols[{V, T}];
  if (!Known)
    FloatSymbols[{V, T}] = Known = newSymbol(T, loopsOf(V), nullptr, V);
  return Known;
}

// Addresses that the function overwrites while a loop runs. Addresses are compared as if every load were invariant,
// which keys both sides alike.
void StrideEngine::Impl::collectStores() {
  CollectingStores = true;
  auto Note = [&](Value *Pointer, const BasicBlock *BB) {
    const SCEV *S = rewrite(SE.getSCEV(Pointer));
    LoopSet Inside = around(BB);
    Inside.reset(loopsOf(S));
    if (Inside.none())
      return;
    auto [It, New] = Overwritten.try_emplace(S, Inside);
    if (!New)
      It->second |= Inside;
  };
  for (const Loop *L : LI.getLoopsInPreorder())
    for (BasicBlock *BB : L->blocks()) {
      if (LI.getLoopFor(BB) != L)
        continue;
      for (Instruction &I : *BB) {
        if (auto *Store = dyn_cast<StoreInst>(&I))
          Note(Store->getPointerOperand(), BB);
        else if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->mayWriteToMemory() && !isa<IntrinsicInst>(Call))
          for (Value *A : Call->args())
            if (A->getType()->isPointerTy())
              Note(A, BB);
      }
    }
  CollectingStores = false;
  if (!Overwritten.empty()) {
    // What was rewritten so far took overwritten values for invariant.
    Rewritten.clear();
    OperandLoops.clear();
    OpaqueSymbols.clear();
    FloatSymbols.clear();
    PassingSymbols.clear();
  }
}

} // namespace stridewise
