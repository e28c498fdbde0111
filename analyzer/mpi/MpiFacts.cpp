#include "mpi/MpiFacts.h"
#include "library/LibraryCalls.h"
#include "unit/Meter.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;

namespace stridewise {

// --- functions -------------------------------------------------------------------------------------------------------

// The calls that tell ranks, found once for all functions of a unit.
struct MpiFunction::RankQueries {
  enum Kind { Scalar, Array, Shift };
  struct Query {
    CallBase *Call;
    const MpiSignature *Sig;
    Kind K;
  };
  DenseMap<const Function *, std::vector<Query>> Own; // by the function of the call
  // What the calls of any function fill that every function can name: globals. Of a shift, its two results together.
  std::vector<std::pair<Kind, SmallVector<Value *, 2>>> Everywhere;

  explicit RankQueries(Module &M);
  static std::optional<Kind> kindOf(MpiDoes Does);
};

MpiFunction::MpiFunction(Function &F, FunctionAnalysisManager &FAM, const RankQueries &Queries)
    : F(F), Engine(StrideEngine::get(F, FAM)), LI(FAM.getResult<LoopAnalysis>(F)),
      PDT(FAM.getResult<PostDominatorTreeAnalysis>(F)) {
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F)) {
    // What macros do about a failed call, down to MPI_Abort, is no part of the program's communication.
    if (isErrorPath(*BB))
      continue;
    for (Instruction &I : *BB)
      if (auto *C = dyn_cast<CallBase>(&I))
        if (const MpiSignature *Sig = findMpiCall(*C))
          Sites.push_back({C, Sig});
  }
  for (const MpiSite &S : Sites)
    if (Value *Comm = S.arg(S.Sig->Comm))
      PointerHandles |= Comm->getType()->isPointerTy();
  collectRanks(Queries);
}

namespace {
class MpiAnalysis : public AnalysisInfoMixin<MpiAnalysis> {
public:
  struct Result {
    std::unique_ptr<MpiFunction> Facts;
  };
  Result run(Function &F, FunctionAnalysisManager &FAM) {
    Meter::Engine In("mpi");
    if (!Queries)
      Queries = std::make_shared<MpiFunction::RankQueries>(*F.getParent());
    return {std::make_unique<MpiFunction>(F, FAM, *Queries)};
  }

private:
  std::shared_ptr<MpiFunction::RankQueries> Queries; // of the module whose functions the manager knows

  friend AnalysisInfoMixin<MpiAnalysis>;
  static AnalysisKey Key;
};
AnalysisKey MpiAnalysis::Key;

// Beyond this many calls a function is generated code: nothing is said about it rather than spending seconds.
constexpr unsigned MaxSites = 1000;
} // namespace

MpiFunction &MpiFunction::get(Function &F, FunctionAnalysisManager &FAM) {
  FAM.registerPass([] { return MpiAnalysis(); });
  return *FAM.getResult<MpiAnalysis>(F).Facts;
}

// The folder of the header that declares MPI's functions; empty where they are declared by hand.
static std::string mpiFolder(Unit &U) {
  clang::ASTContext &Ctx = U.ast();
  auto Found = Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get(mpiCallThat(MpiDoes::Init)));
  if (Found.empty())
    return "";
  const clang::SourceManager &SM = U.sources();
  clang::FileID File = SM.getFileID(SM.getExpansionLoc(Found.front()->getLocation()));
  clang::OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
  if (!Entry || File == SM.getMainFileID())
    return "";
  SmallString<256> Path(Entry->getName());
  SM.getFileManager().makeAbsolutePath(Path);
  return sys::path::parent_path(Path).str();
}

// Whether this is one of the C++ bindings that came with MPI 2: their inline functions are in every unit, with sizes,
// peers and communicators that nobody knows, whether the program calls them or not.
static bool isBinding(const Function &F, StringRef Folder) {
  if (Folder.empty() || !(F.getName().starts_with("_ZN3MPI") || F.getName().starts_with("_ZNK3MPI")))
    return false;
  const DISubprogram *S = F.getSubprogram();
  if (!S || !S->getFile())
    return false;
  return StringRef(Unit::path(S->getFile())).starts_with(Folder.str() + "/");
}

std::vector<MpiFunction *> mpiFunctions(Unit &U) {
  std::vector<MpiFunction *> Out;
  Module *M = U.mpiCalls() ? U.ir() : nullptr;
  if (!M)
    return Out;
  const std::string Folder = mpiFolder(U);
  for (Function &F : *M) {
    if (isBinding(F, Folder))
      continue;
    unsigned Calls = 0;
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (auto *C = dyn_cast<CallBase>(&I))
          Calls += findMpiCall(*C) != nullptr;
    if (Calls && Calls <= MaxSites)
      Out.push_back(&MpiFunction::get(F, U.analyses()));
  }
  return Out;
}

// --- values ----------------------------------------------------------------------------------------------------------

// The pointers that a query fills: all but its communicator.
static SmallVector<Value *, 2> filledBy(const CallBase &C, const MpiSignature &Sig) {
  SmallVector<Value *, 2> Out;
  for (unsigned K = 0; K < C.arg_size(); ++K)
    if (int(K) != Sig.Comm && C.getArgOperand(K)->getType()->isPointerTy())
      Out.push_back(C.getArgOperand(K));
  return Out;
}

std::optional<MpiFunction::RankQueries::Kind> MpiFunction::RankQueries::kindOf(MpiDoes Does) {
  switch (Does) {
  case MpiDoes::Rank:
    return Scalar;
  case MpiDoes::Coordinates:
    return Array;
  case MpiDoes::Shift:
    return Shift;
  default:
    return std::nullopt;
  }
}

MpiFunction::RankQueries::RankQueries(Module &M) {
  std::set<std::pair<Kind, SmallVector<Value *, 2>>> Seen;
  for (Function &Callee : M) {
    if (!Callee.isDeclaration())
      continue;
    const MpiSignature *Sig = findMpiCall(Callee.getName());
    std::optional<Kind> K = Sig ? kindOf(Sig->Does) : std::nullopt;
    if (!K)
      continue;
    for (User *Use : Callee.users()) {
      auto *C = dyn_cast<CallBase>(Use);
      if (!C || C->getCalledOperand()->stripPointerCasts() != &Callee)
        continue;
      Own[C->getFunction()].push_back({C, Sig, *K});
      SmallVector<Value *, 2> Constants;
      for (Value *P : filledBy(*C, *Sig))
        if (isa<Constant>(P))
          Constants.push_back(P);
      if (!Constants.empty() && Seen.insert({*K, Constants}).second)
        Everywhere.emplace_back(*K, std::move(Constants));
    }
  }
}

void MpiFunction::collectRanks(const RankQueries &Queries) {
  auto Add = [&](RankQueries::Kind K, ArrayRef<Value *> Pointers) {
    SmallVector<const SCEV *, 2> Filled;
    for (Value *P : Pointers)
      Filled.push_back(Engine.rewrite(P));
    if (K == RankQueries::Shift)
      Shifts.push_back(Filled);
    else
      (K == RankQueries::Scalar ? RankAddresses : RankArrays).insert(Filled.begin(), Filled.end());
  };
  if (auto It = Queries.Own.find(&F); It != Queries.Own.end())
    for (const RankQueries::Query &Q : It->second)
      Add(Q.K, filledBy(*Q.Call, *Q.Sig));
  for (const auto &[K, Pointers] : Queries.Everywhere)
    Add(K, Pointers);
}

bool MpiFunction::isRank(const SCEV *S) {
  const SCEV *Address = Engine.loadedFrom(S);
  // A variable of a loop's body that MPI_Comm_rank fills anew in each iteration, and nothing else stores to.
  if (const LoadInst *Load = Address ? nullptr : Engine.changingLoad(S)) {
    const Value *Variable = Load->getPointerOperand();
    if (isa<AllocaInst>(Variable) && none_of(Variable->users(), [](const User *Use) { return isa<StoreInst>(Use); }))
      Address = Engine.rewrite(const_cast<Value *>(Variable));
  }
  if (!Address)
    return false;
  return RankAddresses.contains(Address) || RankArrays.contains(Address) ||
         RankArrays.contains(Engine.scalarEvolution().getPointerBase(Address));
}

bool MpiFunction::dependsOnRank(const SCEV *S) {
  return SCEVExprContains(S, [&](const SCEV *Part) { return isRank(Part); });
}

bool MpiFunction::sameValue(Value *A, Value *B) {
  if (!A || !B || A->getType() != B->getType())
    return false;
  ScalarEvolution &SE = Engine.scalarEvolution();
  if (A == B)
    return true;
  if (!SE.isSCEVable(A->getType()) || Engine.rewrite(A) != Engine.rewrite(B))
    return false;
  // A value that is chosen among several counts for the engine as one of them that moves: two of them need not agree.
  auto IsChosen = [&](Value *V) {
    return SCEVExprContains(SE.getSCEV(V), [](const SCEV *S) {
      const auto *U = dyn_cast<SCEVUnknown>(S);
      return U && isa<PHINode, SelectInst>(U->getValue());
    });
  };
  return !Engine.varies(Engine.rewrite(A)) || SE.getSCEV(A) == SE.getSCEV(B) || (!IsChosen(A) && !IsChosen(B));
}

// Whether a member, or one that it leads to, is loaded twice with nothing but messages and stores of floating-point
// numbers in between, which leave the program's communicators alone.
static bool isLoadedAgain(const Value *A, const Value *B) {
  const auto *X = dyn_cast_or_null<LoadInst>(A), *Y = dyn_cast_or_null<LoadInst>(B);
  if (!X || !Y || X->getParent() != Y->getParent() ||
      (X->getPointerOperand() != Y->getPointerOperand() &&
       !isLoadedAgain(X->getPointerOperand(), Y->getPointerOperand())))
    return false;
  if (Y->comesBefore(X))
    std::swap(X, Y);
  for (const Instruction *I = X->getNextNode(); I != Y; I = I->getNextNode()) {
    const auto *Call = dyn_cast<CallBase>(I);
    const MpiSignature *Sig = Call ? findMpiCall(*Call) : nullptr;
    const auto *Store = dyn_cast<StoreInst>(I);
    const bool Number = Store && Store->getValueOperand()->getType()->isFloatingPointTy();
    if (I->mayWriteToMemory() && !Number && !(Sig && !Sig->is(MpiCommManagement)) && !I->isLifetimeStartOrEnd())
      return false;
  }
  return true;
}

bool MpiFunction::sameCommunicator(MpiFunction &M, const MpiSite &A, const MpiSite &B) {
  Value *X = A.arg(A.Sig->Comm), *Y = B.arg(B.Sig->Comm);
  return M.sameValue(X, Y) || isLoadedAgain(X, Y);
}

bool MpiFunction::isWorld(const Value *Communicator) {
  // MPICH and its descendants number the predefined ones; Open MPI has an object for each.
  if (const auto *C = dyn_cast_or_null<ConstantInt>(Communicator))
    return C->getZExtValue() == 0x44000000;
  const auto *G = Communicator ? dyn_cast<GlobalValue>(Communicator->stripPointerCasts()) : nullptr;
  return G && G->getName() == "ompi_mpi_comm_world";
}

std::optional<std::uint64_t> MpiFunction::typeBytes(const Value *Datatype) const {
  if (!Datatype)
    return std::nullopt;
  // MPICH and its descendants keep the size of a predefined type in bits 8 to 15 of its handle.
  if (const auto *C = dyn_cast<ConstantInt>(Datatype)) {
    std::uint64_t Handle = C->getZExtValue();
    if ((Handle & 0xff000000) == 0x4c000000 && ((Handle >> 8) & 0xff))
      return (Handle >> 8) & 0xff;
    return std::nullopt;
  }
  const auto *G = dyn_cast<GlobalValue>(Datatype->stripPointerCasts());
  if (!G || !G->getName().starts_with("ompi_mpi_"))
    return std::nullopt;
  static const StringMap<unsigned> Sizes = {{"char", 1},
                                            {"signed_char", 1},
                                            {"unsigned_char", 1},
                                            {"byte", 1},
                                            {"packed", 1},
                                            {"character", 1},
                                            {"short", 2},
                                            {"unsigned_short", 2},
                                            {"int", 4},
                                            {"unsigned", 4},
                                            {"long", 8},
                                            {"unsigned_long", 8},
                                            {"long_long_int", 8},
                                            {"unsigned_long_long", 8},
                                            {"float", 4},
                                            {"double", 8},
                                            {"long_double", 16},
                                            {"wchar", 4},
                                            {"int8_t", 1},
                                            {"uint8_t", 1},
                                            {"int16_t", 2},
                                            {"uint16_t", 2},
                                            {"int32_t", 4},
                                            {"uint32_t", 4},
                                            {"int64_t", 8},
                                            {"uint64_t", 8},
                                            {"aint", 8},
                                            {"offset", 8},
                                            {"count", 8},
                                            {"c_bool", 1},
                                            {"cxx_bool", 1},
                                            {"c_complex", 8},
                                            {"c_float_complex", 8},
                                            {"c_double_complex", 16},
                                            {"cxx_cplex", 8},
                                            {"cxx_dblcplex", 16},
                                            {"float_int", 8},
                                            {"double_int", 12},
                                            {"long_int", 12},
                                            {"short_int", 6},
                                            {"2int", 8},
                                            {"integer", 4},
                                            {"real", 4},
                                            {"dblprec", 8},
                                            {"cplex", 8},
                                            {"dblcplex", 16},
                                            {"logical", 4}};
  auto It = Sizes.find(G->getName().drop_front(StringRef("ompi_mpi_").size()));
  if (It == Sizes.end())
    return std::nullopt;
  return It->second;
}

std::optional<std::uint64_t> MpiFunction::messageBytes(const MpiSite &S) const {
  const auto *Count = dyn_cast_or_null<ConstantInt>(S.arg(S.Sig->Count));
  std::optional<std::uint64_t> Size = typeBytes(S.arg(S.Sig->Type));
  if (!Count || !Size)
    return std::nullopt;
  return Count->getZExtValue() * *Size;
}

static bool anyAlternative(const Value *V, function_ref<bool(const Value *)> Test, unsigned Depth = 0) {
  if (Test(V))
    return true;
  if (Depth > 4)
    return false;
  if (const auto *Sel = dyn_cast<SelectInst>(V))
    return anyAlternative(Sel->getTrueValue(), Test, Depth + 1) ||
           anyAlternative(Sel->getFalseValue(), Test, Depth + 1);
  if (const auto *P = dyn_cast<PHINode>(V))
    return any_of(P->incoming_values(), [&](const Use &In) { return anyAlternative(In, Test, Depth + 1); });
  return false;
}

bool MpiFunction::isWildcard(const Value *Peer) const {
  std::int64_t Any = PointerHandles ? -1 : -2;
  return Peer && anyAlternative(Peer, [&](const Value *V) {
           const auto *C = dyn_cast<ConstantInt>(V);
           return C && C->getSExtValue() == Any;
         });
}

const SCEV *MpiFunction::baseOf(Value *Pointer, const Loop *L) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *Base = SE.getPointerBase(Engine.rewrite(Pointer));
  for (unsigned Depth = 0; Depth < 4 && Engine.varies(Base, L); ++Depth) {
    const SCEV *Table = Engine.loadedFrom(Base);
    if (!Table)
      break;
    Base = SE.getPointerBase(Table);
  }
  return Base;
}

bool isLocalCall(const CallBase &C, const TargetLibraryInfo &TLI) {
  if (C.onlyReadsMemory() || C.onlyAccessesInaccessibleMemory() || C.doesNotReturn())
    return true;
  if (isa<IntrinsicInst>(C))
    return true;
  const auto *Callee = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  if (!Callee)
    return false;
  if (isAllocationFn(&C, &TLI) || getFreedOperand(&C, &TLI))
    return true;
  // Files, clocks, locks and streams are what other processes and threads may have to do with.
  constexpr unsigned Outside = LibOutput | LibInput | LibOpens | LibClock | LibSleeps | LibLocks;
  if (const LibraryCall *Known = findLibraryCall(C))
    return !Known->does(Outside) &&
           !(Known->does(LibState) && (Known->Cost == LibraryCost::System || isStandardCxx(*Callee)));
  LibFunc LF;
  if (TLI.getLibFunc(*Callee, LF))
    return C.getType()->isFloatingPointTy(); // mathematical functions write errno at most
  // What else the C++ library has, computes.
  return isStandardCxx(*Callee);
}

bool isDataFreeCall(const CallBase &C, const TargetLibraryInfo &TLI) {
  const LibraryCall *Known = findLibraryCall(C);
  return isLocalCall(C, TLI) && !(Known && Known->does(LibReads | LibWrites));
}

} // namespace stridewise
