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

// --- source ----------------------------------------------------------------------------------------------------------

struct SourceCalls::FunctionIndex {
  std::multimap<std::pair<clang::FileID, unsigned>, const clang::CallExpr *> Calls;
  struct Choice {
    clang::FileID File;
    unsigned Begin, End;
    const clang::Expr *Condition;
  };
  std::vector<Choice> Choices;
};

namespace {
struct CallCollector : Visitor<CallCollector> {
  const clang::SourceManager &SM;
  std::multimap<std::pair<clang::FileID, unsigned>, const clang::CallExpr *> &Calls;
  llvm::function_ref<void(const clang::Stmt *, const clang::Expr *)> AddChoice;
  CallCollector(const clang::SourceManager &SM, decltype(Calls) Calls, decltype(AddChoice) AddChoice)
      : SM(SM), Calls(Calls), AddChoice(AddChoice) {}

  // Code generation gives a call the place of its expression, which for member calls and operators is not its begin.
  bool VisitCallExpr(clang::CallExpr *E) override {
    auto Begin = SM.getDecomposedLoc(SM.getExpansionLoc(E->getBeginLoc()));
    auto Expr = SM.getDecomposedLoc(SM.getExpansionLoc(E->getExprLoc()));
    Calls.emplace(Expr, E);
    if (Begin != Expr)
      Calls.emplace(Begin, E);
    return true;
  }
  bool VisitIfStmt(clang::IfStmt *S) override {
    AddChoice(S->getThen(), S->getCond());
    if (S->getElse())
      AddChoice(S->getElse(), S->getCond());
    return true;
  }
  bool VisitSwitchStmt(clang::SwitchStmt *S) override {
    AddChoice(S->getBody(), S->getCond());
    return true;
  }
  bool VisitConditionalOperator(clang::ConditionalOperator *E) override {
    AddChoice(E->getTrueExpr(), E->getCond());
    AddChoice(E->getFalseExpr(), E->getCond());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *E) override {
    if (E->isLogicalOp())
      AddChoice(E->getRHS(), E->getLHS());
    return true;
  }
};

struct CommunicationFinder : Visitor<CommunicationFinder> {
  bool Found = false;
  bool VisitCallExpr(clang::CallExpr *E) override {
    const MpiSignature *Sig = findMpiCall(*E);
    Found |= Sig && (Sig->Traits & (MpiSend | MpiRecv | MpiCollective | MpiWait));
    return !Found;
  }
};
} // namespace

const SourceCalls::FunctionIndex &SourceCalls::index(const clang::FunctionDecl *F) {
  std::shared_ptr<FunctionIndex> &I = Indices[F];
  if (I)
    return *I;
  I = std::make_shared<FunctionIndex>();
  const clang::SourceManager &SM = U.sources();
  auto AddChoice = [&](const clang::Stmt *S, const clang::Expr *Condition) {
    auto [File, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(S->getBeginLoc()));
    auto [EndFile, End] = SM.getDecomposedLoc(SM.getExpansionLoc(S->getEndLoc()));
    // In `CHECK(MPI_Barrier(comm))` the macro's branch for errors has the place of the call, and does not contain it.
    if (Begin == End && S->getBeginLoc().isMacroID()) {
      CommunicationFinder Finder;
      Finder.TraverseStmt(const_cast<clang::Stmt *>(S));
      if (!Finder.Found)
        return;
    }
    if (Condition && File == EndFile)
      I->Choices.push_back({File, Begin, End, Condition});
  };
  CallCollector(SM, I->Calls, AddChoice).TraverseStmt(F->getBody());
  return *I;
}

std::vector<SourceFrame> SourceCalls::frames(const CallBase &C) {
  std::vector<SourceFrame> Frames;
  const clang::SourceManager &SM = U.sources();
  const clang::FunctionDecl *Inner = nullptr;
  for (const DILocation *D = C.getDebugLoc(); D; D = D->getInlinedAt()) {
    SourceFrame Frame;
    Frame.Where = U.locate(DebugLoc(D));
    if (Frame.Where.isInvalid() || SM.isInSystemHeader(Frame.Where))
      continue;
    Frame.Function = U.functionAt(Frame.Where);
    if (Frame.Function && Frame.Function->getBody()) {
      auto [Begin, End] = index(Frame.Function).Calls.equal_range(SM.getDecomposedLoc(Frame.Where));
      for (auto It = Begin; It != End; ++It) {
        const clang::FunctionDecl *Callee = It->second->getDirectCallee();
        bool Wanted = Inner ? Callee && Callee->getMostRecentDecl() == Inner->getMostRecentDecl()
                            : findMpiCall(*It->second) != nullptr;
        if (Wanted || !Frame.Call)
          Frame.Call = It->second;
        if (Wanted)
          break;
      }
    }
    Inner = Frame.Function;
    Frames.push_back(Frame);
  }
  return Frames;
}

std::string SourceCalls::text(const clang::Expr *E) {
  const clang::SourceManager &SM = U.sources();
  auto Range = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(E->getSourceRange()), SM,
                                               U.ast().getLangOpts());
  StringRef T = Range.isValid() ? clang::Lexer::getSourceText(Range, SM, U.ast().getLangOpts()) : StringRef();
  return T.size() > 60 || T.contains('\n') ? std::string() : T.str();
}

std::string SourceCalls::argumentText(ArrayRef<SourceFrame> Frames, int Position, std::size_t Level) {
  if (Frames.empty() || Position < 0 || !Frames[0].Call || unsigned(Position) >= Frames[0].Call->getNumArgs())
    return {};
  const clang::Expr *E = Frames[0].Call->getArg(Position);
  for (std::size_t At = 0; At < Level && At + 1 < Frames.size(); ++At) {
    const auto *Ref = dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
    const auto *Parameter = Ref ? dyn_cast<clang::ParmVarDecl>(Ref->getDecl()) : nullptr;
    const clang::CallExpr *Call = Frames[At + 1].Call;
    if (!Parameter || !Call)
      break;
    unsigned Index = Parameter->getFunctionScopeIndex();
    if (isa<clang::CXXOperatorCallExpr>(Call) && isa_and_nonnull<clang::CXXMethodDecl>(Call->getDirectCallee()))
      ++Index;
    if (Index >= Call->getNumArgs())
      break;
    E = Call->getArg(Index);
  }
  return text(E->IgnoreParenImpCasts());
}

std::vector<const clang::Expr *> SourceCalls::conditionsAround(clang::SourceLocation Where) {
  std::vector<const clang::Expr *> Out;
  const clang::FunctionDecl *F = U.functionAt(Where);
  if (!F || !F->getBody())
    return Out;
  auto [File, Offset] = U.sources().getDecomposedLoc(U.sources().getExpansionLoc(Where));
  for (const FunctionIndex::Choice &C : index(F).Choices)
    if (C.File == File && C.Begin <= Offset && Offset <= C.End)
      Out.push_back(C.Condition);
  return Out;
}

std::string loopVariable(const clang::Stmt *Loop) {
  auto NameOf = [](const clang::Expr *E) -> std::string {
    if (E)
      if (const auto *Ref = dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts()))
        return Ref->getDecl()->getNameAsString();
    return {};
  };
  if (const auto *R = dyn_cast_or_null<clang::CXXForRangeStmt>(Loop))
    return R->getLoopVariable()->getNameAsString();
  struct FirstVariable : Visitor<FirstVariable> {
    std::string Name;
    bool VisitDeclRefExpr(clang::DeclRefExpr *E) override {
      if (isa<clang::VarDecl>(E->getDecl()))
        Name = E->getDecl()->getNameAsString();
      return Name.empty();
    }
  } InCondition;
  if (const auto *While = dyn_cast_or_null<clang::WhileStmt>(Loop))
    InCondition.TraverseStmt(const_cast<clang::Expr *>(While->getCond()));
  else if (const auto *Do = dyn_cast_or_null<clang::DoStmt>(Loop))
    InCondition.TraverseStmt(const_cast<clang::Expr *>(Do->getCond()));
  const auto *For = dyn_cast_or_null<clang::ForStmt>(Loop);
  if (!For)
    return InCondition.Name;
  const clang::Expr *Inc = For->getInc() ? For->getInc()->IgnoreParenImpCasts() : nullptr;
  if (const auto *E = dyn_cast_or_null<clang::ExprWithCleanups>(Inc))
    Inc = E->getSubExpr()->IgnoreParenImpCasts();
  while (const auto *Comma = dyn_cast_or_null<clang::BinaryOperator>(Inc)) {
    if (Comma->getOpcode() != clang::BO_Comma)
      break;
    Inc = Comma->getLHS()->IgnoreParenImpCasts();
  }
  if (const auto *Unary = dyn_cast_or_null<clang::UnaryOperator>(Inc))
    return NameOf(Unary->getSubExpr());
  if (const auto *Assign = dyn_cast_or_null<clang::BinaryOperator>(Inc); Assign && Assign->isAssignmentOp())
    return NameOf(Assign->getLHS());
  if (const auto *Call = dyn_cast_or_null<clang::CXXOperatorCallExpr>(Inc); Call && Call->getNumArgs())
    return NameOf(Call->getArg(0));
  if (const auto *Decls = dyn_cast_or_null<clang::DeclStmt>(For->getInit()); Decls && Decls->isSingleDecl())
    if (const auto *V = dyn_cast<clang::VarDecl>(Decls->getSingleDecl()))
      return V->getNameAsString();
  if (For->getCond())
    InCondition.TraverseStmt(const_cast<clang::Expr *>(For->getCond()));
  return InCondition.Name;
}

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
  auto Found = Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("MPI_Init"));
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

MpiFunction::RankQueries::RankQueries(Module &M) {
  std::set<std::pair<Kind, SmallVector<Value *, 2>>> Seen;
  for (Function &Callee : M) {
    if (!Callee.isDeclaration())
      continue;
    const MpiSignature *Sig = findMpiCall(Callee.getName());
    StringRef Name = Sig ? Sig->Name : "";
    std::optional<Kind> K;
    if (Name == "MPI_Comm_rank" || Name == "MPI_Group_rank")
      K = Scalar;
    else if (Name == "MPI_Cart_coords")
      K = Array;
    else if (Name == "MPI_Cart_shift")
      K = Shift;
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

bool MpiFunction::sameCommunicator(MpiFunction &M, const MpiSite &A, const MpiSite &B) {
  return M.sameValue(A.arg(A.Sig->Comm), B.arg(B.Sig->Comm));
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

// The values that a rank number may take, less the constants among them (MPI_PROC_NULL at the border, 0 behind the last
// rank), and the moduli that were divided away.
void MpiFunction::alternatives(Value *V, SmallVectorImpl<const SCEV *> &Out, SmallVectorImpl<const SCEV *> &Moduli,
                               unsigned Depth) {
  if (isa<ConstantInt>(V))
    return;
  if (Depth < 6) {
    auto Recurse = [&](Value *Part) { alternatives(Part, Out, Moduli, Depth + 1); };
    if (auto *Sel = dyn_cast<SelectInst>(V)) {
      Recurse(Sel->getTrueValue());
      return Recurse(Sel->getFalseValue());
    }
    if (auto *P = dyn_cast<PHINode>(V); P && !LI.isLoopHeader(P->getParent())) {
      for (Value *In : P->incoming_values())
        Recurse(In);
      return;
    }
    if (auto *M = dyn_cast<MinMaxIntrinsic>(V)) {
      Recurse(M->getLHS());
      return Recurse(M->getRHS());
    }
    if (auto *Op = dyn_cast<BinaryOperator>(V)) {
      if (Op->getOpcode() == Instruction::SRem || Op->getOpcode() == Instruction::URem) {
        Moduli.push_back(Engine.rewrite(Op->getOperand(1)));
        return Recurse(Op->getOperand(0));
      }
      // Sums with a choice in them: (rank == 0 ? size : rank) - 1. Sums without are left to ScalarEvolution.
      if (Op->getOpcode() == Instruction::Add || Op->getOpcode() == Instruction::Sub) {
        for (unsigned K : {0u, 1u}) {
          if (!isa<SelectInst, PHINode, MinMaxIntrinsic>(Op->getOperand(K)) ||
              (K == 1 && Op->getOpcode() == Instruction::Sub))
            continue;
          SmallVector<const SCEV *, 4> Inner;
          alternatives(Op->getOperand(K), Inner, Moduli, Depth + 1);
          const SCEV *Rest = Engine.rewrite(Op->getOperand(1 - K));
          ScalarEvolution &SE = Engine.scalarEvolution();
          for (const SCEV *S : Inner)
            Out.push_back(Op->getOpcode() == Instruction::Add ? SE.getAddExpr(S, Rest) : SE.getMinusSCEV(S, Rest));
          return;
        }
      }
    }
  }
  Out.push_back(Engine.rewrite(V));
}

// Where a number comes from, so far as two neighbours share it: the record that it was loaded from, the kind of
// variable, the function that returned it.
const void *MpiFunction::originOf(const SCEV *S) {
  static const char Parameter = 0, Variable = 0;
  const SCEV *Leaf = nullptr;
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (!Leaf && isa<SCEVUnknown>(Part))
      Leaf = Part;
    return Leaf != nullptr;
  });
  if (!Leaf)
    return nullptr;
  if (const SCEV *Address = Engine.loadedFrom(Leaf)) {
    const SCEV *Base = Engine.scalarEvolution().getPointerBase(Address);
    if (const auto *U = dyn_cast<SCEVUnknown>(Base))
      if (isa<AllocaInst, GlobalVariable>(U->getValue()))
        return &Variable;
    return Base;
  }
  Value *V = cast<SCEVUnknown>(Leaf)->getValue();
  if (auto *A = dyn_cast<Argument>(V); A && A->getParent() == &F)
    return &Parameter;
  if (auto *C = dyn_cast<CallBase>(V))
    return C->getCalledOperand();
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Engine.scalarEvolution().getPointerBase(Engine.rewrite(Load->getPointerOperand()));
  return nullptr;
}

// A partner that finds this rank by the same formula: rank ^ k, or rank + d here and rank - d there by some choice.
bool MpiFunction::isMirrored(Value *V, ArrayRef<const SCEV *> Alternatives) {
  if (auto *Op = dyn_cast<BinaryOperator>(V); Op && Op->getOpcode() == Instruction::Xor)
    return any_of(Op->operands(), [&](Value *O) { return isRank(Engine.rewrite(O)); });
  ScalarEvolution &SE = Engine.scalarEvolution();
  for (const SCEV *A : Alternatives)
    for (const SCEV *B : Alternatives) {
      if (A == B || A->getType() != B->getType())
        continue;
      const SCEV *Sum = SE.getAddExpr(A, B);
      if (SCEVExprContains(A, [&](const SCEV *Part) {
            return isRank(Part) && Part->getType() == Sum->getType() &&
                   SE.getMinusSCEV(Sum, SE.getMulExpr(SE.getConstant(Part->getType(), 2), Part))->isZero();
          }))
        return true;
    }
  return false;
}

PeerRelation MpiFunction::relate(Value *To, Value *From) {
  if (!To || !From || To->getType() != From->getType() || isa<Constant>(To) || isa<Constant>(From))
    return PeerRelation::Unrelated;
  ScalarEvolution &SE = Engine.scalarEvolution();
  SmallVector<const SCEV *, 4> A, B, Moduli;
  alternatives(To, A, Moduli);
  alternatives(From, B, Moduli);
  if (sameValue(To, From))
    return isMirrored(To, A) ? PeerRelation::Mirrored : PeerRelation::Same;

  auto AddressOf = [&](Value *V) -> const SCEV * {
    if (auto *Load = dyn_cast<LoadInst>(V))
      return Engine.rewrite(Load->getPointerOperand());
    return Engine.loadedFrom(Engine.rewrite(V));
  };
  if (const SCEV *ToAddress = AddressOf(To))
    if (const SCEV *FromAddress = AddressOf(From))
      for (const auto &Shift : Shifts)
        if (is_contained(Shift, ToAddress) && is_contained(Shift, FromAddress))
          return ToAddress == FromAddress ? PeerRelation::Same : PeerRelation::Opposite;

  bool Parallel = false, Ranked = false;
  for (const SCEV *S : A)
    for (const SCEV *R : B) {
      if (S == R || S->getType() != R->getType())
        continue;
      const SCEV *Sum = SE.getAddExpr(S, R);
      bool Opposite = SCEVExprContains(S, [&](const SCEV *Part) {
        if (!isRank(Part) || Part->getType() != Sum->getType())
          return false;
        Ranked = true;
        const SCEV *Rest = SE.getMinusSCEV(Sum, SE.getMulExpr(SE.getConstant(Part->getType(), 2), Part));
        return Rest->isZero() || any_of(Moduli, [&](const SCEV *M) {
                 return M->getType() == Rest->getType() && (Rest == M || SE.getAddExpr(Rest, M)->isZero());
               });
      });
      if (Opposite)
        return PeerRelation::Opposite;
      bool Shared = SCEVExprContains(S, [&](const SCEV *Part) {
        return isa<SCEVUnknown>(Part) && SCEVExprContains(R, [&](const SCEV *O) { return O == Part; });
      });
      const void *Origin = originOf(S);
      Parallel |= Shared || (Origin && Origin == originOf(R));
    }
  return Parallel && !Ranked ? PeerRelation::Parallel : PeerRelation::Unrelated;
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

// --- order -----------------------------------------------------------------------------------------------------------

bool MpiFunction::reaches(const Instruction *A, const Instruction *B, function_ref<bool(const Instruction &)> Blocked) {
  const BasicBlock *From = A->getParent(), *To = B->getParent();
  SmallPtrSet<const BasicBlock *, 8> Headers; // of the loops around both
  for (const Loop *L = LI.getLoopFor(From); L; L = L->getParentLoop())
    if (L->contains(To))
      Headers.insert(L->getHeader());
  // Walks from an instruction to the end of its block: 1 when B was met, -1 when the path ends.
  auto Walk = [&](BasicBlock::const_iterator I) {
    for (BasicBlock::const_iterator End = I->getParent()->end(); I != End; ++I) {
      Meter::count();
      if (&*I == B)
        return 1;
      if (Blocked && Blocked(*I))
        return -1;
    }
    return 0;
  };
  SmallVector<const BasicBlock *, 16> Work;
  SmallPtrSet<const BasicBlock *, 32> Seen;
  auto Enter = [&](const BasicBlock *BB) {
    for (const BasicBlock *Next : successors(BB))
      if (!Headers.contains(Next) && Seen.insert(Next).second)
        Work.push_back(Next);
  };
  if (int End = Walk(std::next(A->getIterator())))
    return End > 0;
  Enter(From);
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    int End = Walk(BB->begin());
    if (End > 0)
      return true;
    if (End == 0)
      Enter(BB);
  }
  return false;
}

// Both parts of `a && b` where it is true, both parts of `a || b` where it is false.
static void splitFacts(Value *V, bool Holds, SmallVectorImpl<std::pair<Value *, bool>> &Out, unsigned Depth = 0) {
  using namespace PatternMatch;
  Value *A, *B;
  if (Depth < 6 && match(V, m_Not(m_Value(A))))
    return splitFacts(A, !Holds, Out, Depth + 1);
  if (Depth < 6 &&
      (Holds ? match(V, m_LogicalAnd(m_Value(A), m_Value(B))) : match(V, m_LogicalOr(m_Value(A), m_Value(B))))) {
    splitFacts(A, Holds, Out, Depth + 1);
    return splitFacts(B, Holds, Out, Depth + 1);
  }
  Out.push_back({V, Holds});
}

// A block depends on an arm of a branch when it post-dominates the arm's first block and not the branch: it lies on the
// way up the tree from there to the branch's own parent.
void MpiFunction::findDependences() {
  if (std::exchange(Depends, true))
    return;
  for (const BasicBlock &Branch : F) {
    const Instruction *T = Branch.getTerminator();
    unsigned First = Arms.size();
    const auto *Node = PDT.getNode(&Branch);
    if (T->getNumSuccessors() >= 2 && Node) {
      const auto *Above = Node->getIDom();
      for (unsigned Arm = 0; Arm < T->getNumSuccessors(); ++Arm) {
        SmallVector<const BasicBlock *, 2> On;
        for (const auto *N = PDT.getNode(T->getSuccessor(Arm)); N && N != Above && N->getBlock(); N = N->getIDom())
          On.push_back(N->getBlock());
        Meter::count(On.size());
        if (On.empty())
          continue;
        for (const BasicBlock *BB : On)
          DependsOn[BB].push_back(Arms.size());
        RunCondition C{T, Arm, {}};
        if (const auto *Br = dyn_cast<BranchInst>(T))
          splitFacts(Br->getCondition(), Arm == 0, C.Facts);
        Arms.push_back(std::move(C));
        Dependents.push_back(std::move(On));
      }
    }
    ArmsOf[&Branch] = {First, Arms.size()};
  }
}

ArrayRef<RunCondition> MpiFunction::arms() {
  findDependences();
  return Arms;
}

std::pair<unsigned, unsigned> MpiFunction::armsOf(const BasicBlock *Branch) {
  findDependences();
  return ArmsOf.lookup(Branch);
}

ArrayRef<RunCondition> MpiFunction::conditions(const BasicBlock *BB) {
  auto [It, New] = Conditions.try_emplace(BB);
  if (!New)
    return It->second;
  findDependences();
  std::vector<RunCondition> Out;
  SmallVector<const BasicBlock *, 8> Work = {BB};
  SmallPtrSet<const BasicBlock *, 8> Done = {BB};
  SmallPtrSet<const Instruction *, 8> Seen;
  while (!Work.empty()) {
    const BasicBlock *Target = Work.pop_back_val();
    auto On = DependsOn.find(Target);
    if (On == DependsOn.end())
      continue;
    Meter::count(On->second.size());
    for (unsigned Arm : On->second) {
      const RunCondition &C = Arms[Arm];
      if (!Seen.insert(C.Branch).second)
        continue;
      Out.push_back(C);
      if (Done.insert(C.Branch->getParent()).second)
        Work.push_back(C.Branch->getParent());
    }
  }
  return Conditions[BB] = std::move(Out);
}

bool isErrorPath(const BasicBlock &BB) {
  return any_of(BB, [](const Instruction &I) {
    const auto *C = dyn_cast<CallBase>(&I);
    const MpiSignature *Sig = C ? findMpiCall(*C) : nullptr;
    return Sig && StringRef(Sig->Name) == "MPI_Abort";
  });
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

} // namespace stridewise
