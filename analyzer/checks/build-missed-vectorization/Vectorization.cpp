#include "checks/build-missed-vectorization/Vectorization.h"
#include "checks/build-missed-vectorization/CalledFormulas.h"
#include "checks/build-missed-vectorization/ShortLoops.h"
#include "library/MpiCall.h"
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/TargetOptions.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Vectorize/LoopVectorizationLegality.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include <optional>

using namespace llvm;

namespace stridewise {
namespace {

// A body beyond this size is bound by other things than the width of its operations.
constexpr unsigned MaxInstructions = 600;
using namespace limits::build_missed_vectorization;
// Functions beyond this size are generated code: cloning them costs more than the lesson is worth.
constexpr unsigned MaxFunctionInstructions = 20000;

// The vectoriser's way from the canonical IR: what -O2 does in between, as far as it bears on vectorisation.
constexpr const char *Preparation =
    "loop-mssa(licm),early-cse<memssa>,gvn,loop(indvars),loop-mssa(licm),simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm),loop-simplify,lcssa,inject-tli-mappings,loop-vectorize";

struct Suspect {
  ScalarLoop Said;
  DenseMap<const Instruction *, const SCEV *> Bases; // of the accesses whose base stands still in the loop
};

bool isMathCall(const CallBase &C, const TargetLibraryInfo &TLI) {
  LibFunc LF;
  const Function *Callee = C.getCalledFunction();
  return Callee && C.getType()->isFloatingPointTy() &&
         (Callee->getIntrinsicID() != Intrinsic::not_intrinsic || TLI.getLibFunc(*Callee, LF));
}

// Looks over the innermost loops of one function.
class Survey {
public:
  Survey(Function &F, FunctionAnalysisManager &FAM, unsigned MinTrips)
      : F(F), FAM(FAM), MinTrips(MinTrips), TLI(FAM.getResult<TargetLibraryAnalysis>(F)) {}

  void collect(function_ref<bool(const Loop *)> Wanted, std::vector<Suspect> &Out) {
    LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
    if (LI.empty() || F.getInstructionCount() > MaxFunctionInstructions)
      return;
    for (Loop *L : LI.getLoopsInPreorder()) {
      if (!L->isInnermost() || isAnnotated(*L) || !doesArrayWork(*L) || !Wanted(L))
        continue;
      Engine = &StrideEngine::get(F, FAM);
      unsigned Trips = Engine->tripCount(L);
      if ((Trips && Trips < MinTrips) || countsRanks(*L) || isLegal(*L, LI))
        continue;
      if (std::optional<Suspect> S = describe(*L))
        Out.push_back(std::move(*S));
    }
  }

private:
  // The programmer already spoke to the vectoriser.
  static bool isAnnotated(const Loop &L) {
    const MDNode *ID = L.getLoopID();
    if (!ID)
      return false;
    return any_of(drop_begin(ID->operands()), [](const MDOperand &Op) {
      const auto *Attribute = dyn_cast<MDNode>(Op.get());
      const auto *Name =
          Attribute && Attribute->getNumOperands() ? dyn_cast<MDString>(Attribute->getOperand(0)) : nullptr;
      return Name && (Name->getString().starts_with("llvm.loop.vectorize") ||
                      Name->getString().starts_with("llvm.loop.parallel_accesses"));
    });
  }

  // Floating-point work on memory, no calls but mathematical functions, one way out.
  bool doesArrayWork(const Loop &L) {
    unsigned Instructions = 0;
    bool Memory = false, Arithmetic = false;
    if (!L.getExitingBlock() || !L.getLoopPreheader() || !L.getLoopLatch())
      return false;
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : counted(*BB)) {
        if (++Instructions > MaxInstructions || I.isVolatile() || I.isAtomic())
          return false;
        Arithmetic |= I.getType()->isFloatingPointTy() && (isa<BinaryOperator>(I) || isa<CallBase>(I));
        if (const auto *C = dyn_cast<CallBase>(&I)) {
          const auto *II = dyn_cast<IntrinsicInst>(C);
          if (II && (II->isAssumeLikeIntrinsic() || !II->mayReadOrWriteMemory()))
            continue;
          if (!isMathCall(*C, TLI) && !mayBeFormula(*C, TLI))
            return false;
        }
        if (getLoadStorePointerOperand(&I))
          Memory |= getLoadStoreType(&I)->isFloatingPointTy();
      }
    return Memory && Arithmetic;
  }

  // Whether MPI_Comm_size writes this place; what is stored there is added to `Values`.
  bool isCommunicatorSize(const Value *Place, SmallVectorImpl<const Value *> &Values) const {
    const DataLayout &DL = F.getParent()->getDataLayout();
    auto Offset = [&](const Value *Pointer, const Value *&Base) {
      APInt Bytes(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
      Base = Pointer->stripAndAccumulateConstantOffsets(DL, Bytes, /*AllowNonInbounds=*/true);
      return Bytes;
    };
    const Value *Base = nullptr, *Same = nullptr;
    const APInt Bytes = Offset(Place, Base);
    SmallVector<const Value *, 8> Pointers{Base};
    for (unsigned K = 0; K < Pointers.size() && K < 60; ++K)
      for (const User *Use : Pointers[K]->users()) {
        if (isa<GetElementPtrInst>(Use)) {
          Pointers.push_back(Use);
          continue;
        }
        if (Offset(Pointers[K], Same) != Bytes || Same != Base)
          continue;
        if (const auto *Call = dyn_cast<CallBase>(Use)) {
          if (const MpiSignature *Sig = findMpiCall(*Call); Sig && Sig->Does == MpiDoes::Size)
            return true;
        } else if (const auto *Store = dyn_cast<StoreInst>(Use); Store && Store->getPointerOperand() == Pointers[K]) {
          Values.push_back(Store->getValueOperand());
        }
      }
    return false;
  }

  // A loop over the ranks of a communicator: short, whatever the size of the problem. Its bound is the communicator's
  // size, or that of a container with one element per rank; a share of the problem, which is divided by it, is not.
  bool countsRanks(const Loop &L) {
    const auto *Exit = dyn_cast<BranchInst>(L.getExitingBlock()->getTerminator());
    SmallVector<const Value *, 8> Work;
    SmallPtrSet<const Value *, 32> Seen;
    if (Exit && Exit->isConditional())
      Work.push_back(Exit->getCondition());
    while (!Work.empty() && Seen.size() < 60) {
      const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !Seen.insert(I).second || (isa<PHINode>(I) && L.contains(I)))
        continue;
      if (const auto *Load = dyn_cast<LoadInst>(I)) {
        if (isCommunicatorSize(Load->getPointerOperand(), Work))
          return true;
        continue;
      }
      if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
        continue;
      if (I->isIntDivRem() || I->isShift())
        Work.push_back(I->getOperand(0));
      else
        Work.append(I->op_begin(), I->op_end());
    }
    return false;
  }

  bool isLegal(Loop &L, LoopInfo &LI) {
    if (!L.isLoopSimplifyForm())
      return true;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
    auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
    auto &LAIs = FAM.getResult<LoopAccessAnalysis>(F);
    PredicatedScalarEvolution PSE(SE, L);
    LoopVectorizationRequirements Requirements;
    LoopVectorizeHints Hints(&L, /*InterleaveOnlyWhenForced=*/false, ORE, &TTI);
    LoopVectorizationLegality Legality(&L, PSE, &FAM.getResult<DominatorTreeAnalysis>(F), &TTI,
                                       &FAM.getResult<TargetLibraryAnalysis>(F), &F, LAIs, &LI, &ORE, &Requirements,
                                       &Hints, &FAM.getResult<DemandedBitsAnalysis>(F),
                                       &FAM.getResult<AssumptionAnalysis>(F), nullptr, nullptr);
    return Legality.canVectorize(/*UseVPlanNativePath=*/false) && !Requirements.getExactFPInst() &&
           LAIs.getInfo(L).getNumRuntimePointerChecks() <= ManyChecks;
  }

  void noteLength(const Loop &L, ScalarLoop &Said) const {
    const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
    Said.TableRow = walksTableRow(L, *Engine);
    Said.GatheredList = walksGatheredList(L, *Engine);
    Said.Reports = onlyReports(L, F);
    Said.NowAndThen = runsNowAndThen(L, LI);
    Said.WaitsForMemory = waitsForMemory(L, *Engine);
    auto BesideMore = [&](bool InFunction) {
      // What calls a function for each element itself takes as much time as others that do.
      return (Said.Formulas.empty() && standsBesideCalls(L, LI, TLI, InFunction)) ||
             standsBesideWork(L, *Engine, InFunction);
    };
    Said.BesideMore = BesideMore(false);
    Said.BesideMoreOfFunction = Said.BesideMore || BesideMore(true);
  }

  // Whether the result is of use only where a condition holds, by which it is taken or left.
  static bool isChosen(const Instruction &I) {
    return !I.use_empty() && all_of(I.users(), [&](const User *By) {
      const auto *Select = dyn_cast<SelectInst>(By);
      return Select && Select->getCondition() != &I;
    });
  }

  void noteArithmetic(const Instruction &I, ScalarLoop &Said) const {
    if (isa<BinaryOperator>(I) && I.getType()->isFloatingPointTy())
      Said.Conditional |=
          isChosen(I) || !FAM.getResult<DominatorTreeAnalysis>(F).dominates(I.getParent(), Said.L->getLoopLatch());
  }

  static void noteStep(const Stride &Step, std::int64_t Size, ScalarLoop &Said) {
    Said.Scattered |= Step.K != Stride::Zero && (Step.K != Stride::Constant || std::abs(Step.Bytes) > 2 * Size);
    Said.Gathers |= Step.K == Stride::Unknown;
  }

  // False where another function is called in each iteration.
  bool noteCall(const CallBase &C, ScalarLoop &Said) const {
    if (isMathCall(C, TLI)) {
      if (!hasInstruction(C))
        Said.Functions.insert(plainName(*C.getCalledFunction()));
      return true;
    }
    if (isa<IntrinsicInst>(C))
      return true;
    Said.Formulas.push_back(&C);
    return callsTheSame(C, *Said.L, *Engine);
  }

  std::optional<Suspect> describe(const Loop &L) {
    Suspect S;
    S.Said.L = &L;
    S.Said.F = &F;
    ScalarEvolution &SE = Engine->scalarEvolution();
    bool Walks = false;
    std::set<const SCEV *> Seen, ReadHere;
    SmallVector<const StoreInst *, 4> Fixed;
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : counted(*BB)) {
        if (const auto *C = dyn_cast<CallBase>(&I); C && !noteCall(*C, S.Said))
          return std::nullopt;
        noteArithmetic(I, S.Said);
        const Value *Pointer = getLoadStorePointerOperand(&I);
        if (!Pointer)
          continue;
        const SCEV *Address = Engine->rewrite(const_cast<Value *>(Pointer)), *Base = SE.getPointerBase(Address);
        Stride Step = Engine->stride(Address, &L);
        auto Size = static_cast<std::int64_t>(F.getParent()->getDataLayout().getTypeStoreSize(getLoadStoreType(&I)));
        Walks |= Step.K == Stride::Constant && std::abs(Step.Bytes) == Size;
        noteStep(Step, Size, S.Said);
        if (!Engine->varies(Base, &L))
          S.Bases[&I] = Base;
        if (Step.K == Stride::Zero) {
          if (const auto *Store = dyn_cast<StoreInst>(&I))
            Fixed.push_back(Store);
          else
            ReadHere.insert(Address);
        } else {
          for (const Loop *Around = L.getParentLoop(); Around; Around = Around->getParentLoop())
            if (unsigned Times = Engine->tripCount(Around); !Times || Times >= MinRepeats)
              S.Said.Repeated |= Engine->stride(Address, Around).K == Stride::Zero;
        }
        if (Seen.insert(Base).second)
          (isa<StoreInst>(I) ? S.Said.Written : S.Said.Others).push_back(getUnderlyingObject(Pointer, 0));
      }
    if (!Walks)
      return std::nullopt;
    for (const StoreInst *Store : Fixed)
      if (ReadHere.count(Engine->rewrite(const_cast<Value *>(Store->getPointerOperand()))))
        S.Said.Accumulators.push_back(Store);
    noteLength(L, S.Said);
    S.Said.BoundReloaded = isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L));
    for (const PHINode &Phi : L.getHeader()->phis())
      if (Phi.getType()->isFloatingPointTy())
        if (const auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
            Next && Next != &Phi)
          S.Said.Chains.push_back(Next);
    return S;
  }

  // Operations that every vector unit has, without a library behind them.
  static bool hasInstruction(const CallBase &C) {
    switch (C.getCalledFunction()->getIntrinsicID()) {
    case Intrinsic::not_intrinsic:
    case Intrinsic::exp:
    case Intrinsic::exp2:
    case Intrinsic::log:
    case Intrinsic::log2:
    case Intrinsic::log10:
    case Intrinsic::sin:
    case Intrinsic::cos:
    case Intrinsic::tan:
    case Intrinsic::pow:
      return false;
    default:
      return true;
    }
  }

  static std::string plainName(const Function &Callee) {
    StringRef Name = Callee.getName();
    if (Name.consume_front("llvm."))
      Name = Name.split('.').first;
    return Name.str();
  }

  Function &F;
  FunctionAnalysisManager &FAM;
  const unsigned MinTrips;
  const TargetLibraryInfo &TLI;
  StrideEngine *Engine = nullptr;
};

// Listens to the vectoriser while it works, and keeps the compiler's own handler out of it.
class VectorizerRemarks : public DiagnosticHandler {
public:
  using Place = std::tuple<std::string, unsigned, unsigned>; // function, line, column
  explicit VectorizerRemarks(std::set<Place> &Done) : Done(Done) {}
  bool isAnalysisRemarkEnabled(StringRef) const override { return false; }
  bool isMissedOptRemarkEnabled(StringRef) const override { return false; }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override { return Pass == "loop-vectorize"; }
  bool isAnyRemarkEnabled() const override { return true; }
  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (const auto *Remark = dyn_cast<DiagnosticInfoOptimizationBase>(&DI))
      if (Remark->getRemarkName() == "Vectorized" && Remark->isLocationAvailable())
        Done.emplace(Remark->getFunction().getName().str(), Remark->getLocation().getLine(),
                     Remark->getLocation().getColumn());
    return true;
  }

private:
  std::set<Place> &Done;
};

class Trials {
public:
  explicit Trials(Unit &U) : M(*U.ir()) {
    const clang::TargetOptions &Target = U.ast().getTargetInfo().getTargetOpts();
    std::string Problem;
    const llvm::Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Problem);
    if (!T || !T->hasTargetMachine()) {
      // Some hosts only parse, and some units are for other machines.
      InitializeAllTargetInfos();
      InitializeAllTargets();
      InitializeAllTargetMCs();
      T = TargetRegistry::lookupTarget(M.getTargetTriple(), Problem);
    }
    if (T)
      Machine.reset(T->createTargetMachine(M.getTargetTriple(), Target.CPU, "", TargetOptions(), std::nullopt));
  }

  /// Without the target's own vectoriser model nothing can be said.
  bool possible() const { return Machine != nullptr; }

  /// Runs the vectoriser over the loops under these assumptions and returns those that it vectorised.
  std::set<const Suspect *> run(ArrayRef<const Suspect *> Loops, unsigned Assumptions) {
    DenseSet<const GlobalValue *> Functions;
    for (const Suspect *S : Loops)
      Functions.insert(S->Said.F);
    ValueToValueMapTy Map;
    std::unique_ptr<Module> Clone = CloneModule(M, Map, [&](const GlobalValue *G) { return Functions.contains(G); });
    LoopAnalysisManager LAM;
    FunctionAnalysisManager FAM;
    CGSCCAnalysisManager CAM;
    ModuleAnalysisManager MAM;
    PassBuilder PB(Machine.get());
    FAM.registerPass([&] { return PB.buildDefaultAAPipeline(); });
    FAM.registerPass([&] { return library(Assumptions); });
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CAM, MAM);

    for (const Suspect *S : Loops)
      assume(*S, Assumptions, Map, Clone->getContext());
    std::set<VectorizerRemarks::Place> Done;
    LLVMContext &C = Clone->getContext();
    std::unique_ptr<DiagnosticHandler> Before = C.getDiagnosticHandler();
    C.setDiagnosticHandler(std::make_unique<VectorizerRemarks>(Done));
    for (const GlobalValue *G : Functions) {
      Value *Copy = Map.lookup(G);
      auto &F = *cast<Function>(Copy);
      leaveOthersAlone(F, Loops, Map, FAM);
      FunctionPassManager FPM;
      // What calls were handed in memory stays in registers without them.
      if (Assumptions & InlinedCalls)
        cantFail(PB.parsePassPipeline(FPM, "sroa"));
      cantFail(PB.parsePassPipeline(FPM, Preparation));
      FPM.run(F, FAM);
    }
    C.setDiagnosticHandler(std::move(Before));
    FAM.clear();
    std::set<const Suspect *> Vectorized;
    for (const Suspect *S : Loops)
      if (DebugLoc Start = S->Said.L->getStartLoc())
        if (Done.count({S->Said.F->getName().str(), Start.getLine(), Start.getCol()}))
          Vectorized.insert(S);
    return Vectorized;
  }

private:
  TargetLibraryAnalysis library(unsigned Assumptions) {
    Triple T(M.getTargetTriple());
    TargetLibraryInfoImpl Known(T);
    if (Assumptions & VectorFunctions)
      Known.addVectorizableFunctionsFromVecLib(
          T.isX86() ? TargetLibraryInfoImpl::LIBMVEC_X86 : TargetLibraryInfoImpl::SLEEFGNUABI, T);
    return TargetLibraryAnalysis(Known);
  }

  static void assume(const Suspect &S, unsigned Assumptions, ValueToValueMapTy &Map, LLVMContext &C) {
    MDBuilder Builder(C);
    MDNode *Domain = nullptr;
    MapVector<const SCEV *, Metadata *> Scopes;
    if (Assumptions & DistinctArrays) {
      Domain = Builder.createAnonymousAliasScopeDomain();
      for (const BasicBlock *BB : S.Said.L->blocks())
        for (const Instruction &I : counted(*BB))
          if (const SCEV *Base = S.Bases.lookup(&I); Base && !Scopes.count(Base))
            Scopes[Base] = Builder.createAnonymousAliasScope(Domain);
    }
    for (const BasicBlock *BB : S.Said.L->blocks())
      for (const Instruction &Original : counted(*BB)) {
        Value *Copy = Map.lookup(&Original);
        auto *I = dyn_cast_or_null<Instruction>(Copy);
        if (!I)
          continue;
        if ((Assumptions & FreeOrder) && isa<FPMathOperator>(I))
          I->setFast(true);
        if (auto *Call = dyn_cast<CallBase>(I); Call && (Assumptions & VectorFunctions) && !isa<IntrinsicInst>(Call) &&
                                                Call->getType()->isFloatingPointTy()) {
          Call->setDoesNotAccessMemory();
          Call->setDoesNotThrow();
          Call->addFnAttr(Attribute::WillReturn);
        }
        const SCEV *Base = S.Bases.lookup(&Original);
        if (!Base || Scopes.size() < 2)
          continue;
        SmallVector<Metadata *, 8> Others;
        for (const auto &[Other, Scope] : Scopes)
          if (Other != Base)
            Others.push_back(Scope);
        auto Add = [&](unsigned Kind, ArrayRef<Metadata *> Nodes) {
          I->setMetadata(Kind, MDNode::concatenate(I->getMetadata(Kind), MDNode::get(C, Nodes)));
        };
        Add(LLVMContext::MD_alias_scope, {Scopes[Base]});
        Add(LLVMContext::MD_noalias, Others);
      }
    if (Assumptions & InlinedCalls)
      for (const CallBase *Formula : S.Said.Formulas)
        if (Value *Copy = Map.lookup(Formula))
          replaceByOperations(*cast<CallBase>(Copy));
  }

  // Only the loops in question are worth the vectoriser's time.
  static void leaveOthersAlone(Function &F, ArrayRef<const Suspect *> Loops, ValueToValueMapTy &Map,
                               FunctionAnalysisManager &FAM) {
    SmallPtrSet<const BasicBlock *, 8> Tried;
    for (const Suspect *S : Loops)
      if (Value *Copy = Map.lookup(S->Said.L->getHeader()))
        Tried.insert(cast<BasicBlock>(Copy));
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
      if (!Tried.contains(L->getHeader()))
        addStringMetadataToLoop(L, "llvm.loop.vectorize.enable", 0);
  }

  Module &M;
  std::unique_ptr<TargetMachine> Machine;
};

} // namespace

std::vector<ScalarLoop> scalarLoops(Unit &U, function_ref<bool(const Loop *)> Wanted, unsigned MinTrips) {
  std::vector<ScalarLoop> Out;
  Module *M = U.ir();
  if (!M)
    return Out;
  std::vector<Suspect> Suspects;
  for (Function &F : *M)
    if (!F.isDeclaration())
      Survey(F, U.analyses(), MinTrips).collect(Wanted, Suspects);
  if (Suspects.empty())
    return Out;
  Trials T(U);
  if (!T.possible())
    return Out;

  std::vector<const Suspect *> Left;
  for (const Suspect &S : Suspects)
    Left.push_back(&S);
  DenseMap<const Suspect *, unsigned> Needs;
  constexpr unsigned All = FreeOrder | DistinctArrays | VectorFunctions;
  const unsigned Granted = U.isFortran() ? DistinctArrays | VectorFunctions : 0;
  // First what nothing helps and what needs no help; then the smallest sets of assumptions.
  std::set<const Suspect *> Helped = T.run(Left, All | InlinedCalls);
  erase_if(Left, [&](const Suspect *S) { return !Helped.count(S); });
  // What stays scalar for calls is told of them.
  for (const Suspect *S : Left)
    if (!S->Said.Formulas.empty())
      Needs[S] = InlinedCalls;
  erase_if(Left, [&](const Suspect *S) { return !S->Said.Formulas.empty(); });
  for (unsigned Assumptions : {0u, unsigned(FreeOrder), unsigned(DistinctArrays), unsigned(VectorFunctions),
                               unsigned(FreeOrder | DistinctArrays), unsigned(FreeOrder | VectorFunctions),
                               unsigned(DistinctArrays | VectorFunctions), All}) {
    if (Assumptions & Granted)
      continue;
    // Each loop is only asked what its own code makes possible.
    std::vector<const Suspect *> Asked;
    for (const Suspect *S : Left)
      if ((!(Assumptions & VectorFunctions) || !S->Said.Functions.empty()) &&
          (!(Assumptions & FreeOrder) || !S->Said.Chains.empty() || !S->Said.Accumulators.empty()))
        Asked.push_back(S);
    if (Asked.empty())
      continue;
    std::set<const Suspect *> Done =
        Assumptions == All ? std::set(Asked.begin(), Asked.end()) : T.run(Asked, Assumptions | Granted);
    for (const Suspect *S : Done)
      Needs[S] = Assumptions;
    erase_if(Left, [&](const Suspect *S) { return Done.count(S); });
  }
  for (Suspect &S : Suspects)
    if (unsigned N = Needs.lookup(&S)) {
      S.Said.Needs = N;
      Out.push_back(std::move(S.Said));
    }
  return Out;
}

} // namespace stridewise
