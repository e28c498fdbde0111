// Two proofs have to hold. The text: the loop has OpenMP's canonical form, nothing leaves it, every variable that it
// writes is its own or counts one of its inner loops, and it calls functions of values alone. The code (LLVM's
// dependences, what remains by rewritten addresses): of two iterations none writes what the other one touches. The text
// comes first since the code no longer shows a variable that became a register, or a write that left the loop.
#include "omp/SharedLoopFix.h"
#include "library/LibraryCalls.h"
#include "loops/AddressDistance.h"
#include "loops/LoopCopies.h"
#include "omp/DirectiveEdits.h"
#include "omp/OmpRegion.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "llvm/Analysis/DependenceAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr unsigned MaxPairs = 2000, MaxDepth = 3;

const VarDecl *variableOf(const Expr *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

// --- the text
// ---------------------------------------------------------------------------------------------------------

// The variable that a for statement sets at its start.
const VarDecl *initialised(const ForStmt &For) {
  if (const auto *D = dyn_cast_or_null<DeclStmt>(For.getInit()))
    return D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(For.getInit());
  return Assign && Assign->getOpcode() == BO_Assign ? variableOf(Assign->getLHS()) : nullptr;
}

bool stepsByConstant(const ForStmt &For, const VarDecl *Counter, const ASTContext &Ctx) {
  const Expr *Inc = For.getInc() ? For.getInc()->IgnoreParens() : nullptr;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Inc))
    return Unary->isIncrementDecrementOp() && variableOf(Unary->getSubExpr()) == Counter;
  const auto *Added = dyn_cast_or_null<CompoundAssignOperator>(Inc);
  Expr::EvalResult By;
  return Added && (Added->getOpcode() == BO_AddAssign || Added->getOpcode() == BO_SubAssign) &&
         variableOf(Added->getLHS()) == Counter && !Added->getRHS()->isValueDependent() &&
         Added->getRHS()->EvaluateAsInt(By, Ctx) && By.Val.getInt().isStrictlyPositive();
}

// The form of a loop that OpenMP can share, by its header.
bool isCanonical(const ForStmt &For, const VarDecl *Counter, const ASTContext &Ctx) {
  const auto *Compare =
      dyn_cast_or_null<BinaryOperator>(For.getCond() ? For.getCond()->IgnoreParenImpCasts() : nullptr);
  if (!Counter || !Counter->hasLocalStorage() || !Counter->getType()->isIntegerType() ||
      Counter->getType().isVolatileQualified() || isa<ParmVarDecl>(Counter) || For.getConditionVariable() || !Compare ||
      !Compare->isRelationalOp() || !stepsByConstant(For, Counter, Ctx))
    return false;
  const bool Left = variableOf(Compare->getLHS()) == Counter;
  const Expr *Bound = Left ? Compare->getRHS() : Compare->getLHS();
  return (Left || variableOf(Compare->getRHS()) == Counter) && !Bound->HasSideEffects(Ctx);
}

struct Mentions : Visitor<Mentions> {
  const llvm::DenseSet<const VarDecl *> &Any;
  bool Found = false;
  explicit Mentions(const llvm::DenseSet<const VarDecl *> &Any) : Any(Any) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    Found |= V && Any.contains(V);
    return !Found;
  }
};

bool mentions(const Stmt *S, const llvm::DenseSet<const VarDecl *> &Any) {
  Mentions M(Any);
  M.TraverseStmt(const_cast<Stmt *>(S));
  return M.Found;
}

bool isValueCall(const FunctionDecl *F, const ASTContext &Ctx, unsigned Depth);

// The last token of a loop; that of a directive ends its line.
SourceLocation lastToken(const Stmt &S) {
  const Stmt *Last = &S;
  while (true) {
    if (const auto *For = dyn_cast<ForStmt>(Last))
      Last = For->getBody();
    else if (const auto *D = dyn_cast<OMPExecutableDirective>(Last); D && constructBody(*D))
      Last = constructBody(*D);
    else
      return Last->getEndLoc();
  }
}

// A function that writes nothing but its own variables.
struct Writes : Visitor<Writes> {
  const ASTContext &Ctx;
  unsigned Depth;
  bool Found = false;
  Writes(const ASTContext &Ctx, unsigned Depth) : Ctx(Ctx), Depth(Depth) {}
  bool note(const Expr *Target) {
    const VarDecl *V = variableOf(Target);
    Found |= !V || !V->hasLocalStorage() || V->getType()->isReferenceType();
    return !Found;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override { return !B->isAssignmentOp() || note(B->getLHS()); }
  bool VisitUnaryOperator(UnaryOperator *U) override { return !U->isIncrementDecrementOp() || note(U->getSubExpr()); }
  bool VisitVarDecl(VarDecl *V) override {
    Found |= V->isStaticLocal() || V->getTLSKind() != VarDecl::TLS_None;
    return !Found;
  }
  bool VisitStmt(Stmt *S) override {
    Found |= isa<CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, CXXConstructExpr, AtomicExpr, AsmStmt, LambdaExpr, StmtExpr,
                 OMPExecutableDirective>(S);
    if (const auto *C = dyn_cast<CallExpr>(S))
      Found |= !isValueCall(C->getDirectCallee(), Ctx, Depth + 1);
    return !Found;
  }
};

// A function of values: what it does is to return one.
bool isValueCall(const FunctionDecl *F, const ASTContext &Ctx, unsigned Depth) {
  const FunctionDecl *Body = nullptr;
  if (!F || Depth > MaxDepth)
    return false;
  if (F->hasBody(Body) && !Ctx.getSourceManager().isInSystemHeader(Body->getLocation())) {
    Writes W(Ctx, Depth);
    W.TraverseStmt(Body->getBody());
    return !W.Found;
  }
  if (const auto *M = dyn_cast<CXXMethodDecl>(F))
    return !M->isStatic() && PathResolver::isContainer(M->getThisType()->getPointeeType()) &&
           (M->isConst() || M->getOverloadedOperator() == OO_Subscript);
  if (const LibraryCall *Known = findLibraryCall(F))
    return Known->onlyDoes(LibPure);
  const unsigned ID = F->getBuiltinID();
  return ID && (Ctx.BuiltinInfo.isConst(ID) || Ctx.BuiltinInfo.isConstWithoutErrnoAndExceptions(ID));
}

// What the body of a loop writes, and whether anything in it must not be shared.
class Body : public Visitor<Body> {
public:
  Body(const ForStmt &For, const VarDecl *Counter, const OMPExecutableDirective *Instead, ASTContext &Ctx)
      : For(For), Counter(Counter), Instead(Instead), Ctx(Ctx) {
    Moving.insert(Counter);
    TraverseStmt(const_cast<Stmt *>(For.getBody()));
  }

  bool Refused = false;
  std::vector<SourceLocation> Stores;        // of the elements that it writes: the operators
  llvm::SetVector<const VarDecl *> Counters; // of inner loops, declared outside

  bool VisitForStmt(ForStmt *F) override {
    const VarDecl *V = initialised(*F);
    if (V && !isOwn(V)) {
      if (V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getType()->isIntegerType())
        Counters.insert(V);
      else
        Refused = true;
    }
    return !Refused;
  }
  bool VisitVarDecl(VarDecl *V) override {
    Refused |= !V->hasLocalStorage();
    if (V->getInit() && mentions(V->getInit(), Moving))
      Moving.insert(V);
    return !Refused;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    return !B->isAssignmentOp() || write(B->getLHS(), B->getOperatorLoc());
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    if (U->isIncrementDecrementOp())
      return write(U->getSubExpr(), U->getOperatorLoc());
    if (U->getOpcode() == UO_AddrOf)
      if (const VarDecl *V = variableOf(U->getSubExpr()); V && !isOwn(V))
        Refused = true;
    return !Refused;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (V && (V->getTLSKind() != VarDecl::TLS_None || V->hasAttr<OMPThreadPrivateDeclAttr>() ||
              V->getType().isVolatileQualified()))
      Refused = true;
    // An array on the stack that is no table: what one iteration leaves there, another one may find.
    if (V && !isOwn(V) && V->hasLocalStorage() && V->getType()->isArrayType() &&
        !Ctx.getBaseElementType(V->getType()).isConstQualified())
      Refused = true;
    return !Refused;
  }
  bool VisitStmt(Stmt *S) override {
    if (S == Instead)
      return !Refused;
    Refused |=
        isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt, BreakStmt, CXXThrowExpr, CXXTryStmt, AsmStmt, LambdaExpr,
            StmtExpr, CXXNewExpr, CXXDeleteExpr, AtomicExpr, OMPExecutableDirective, SwitchStmt, CXXForRangeStmt>(S);
    if (const auto *C = dyn_cast<CallExpr>(S))
      Refused |= !isValueCall(C->getDirectCallee(), Ctx, 0);
    if (const auto *C = dyn_cast<CXXConstructExpr>(S))
      Refused |= !C->getConstructor()->isTrivial();
    return !Refused;
  }

private:
  bool isOwn(const VarDecl *V) const {
    const SourceManager &SM = Ctx.getSourceManager();
    return V == Counter ||
           (V->hasLocalStorage() && SM.isPointWithin(V->getLocation(), For.getBeginLoc(), lastToken(For)));
  }
  // A place that moves with the counter: an element, or what a variable of the loop's own leads to.
  bool write(const Expr *Target, SourceLocation At) {
    Target = Target->IgnoreParens();
    if (const VarDecl *V = variableOf(Target); V && !V->getType()->isReferenceType()) {
      Refused |= V == Counter || (!isOwn(V) && !Counters.contains(V));
      Moving.insert(V); // perhaps by more than its first value; where a store goes the code shows
      return !Refused;
    }
    Refused |= !mentions(Target, Moving);
    Stores.push_back(At);
    return !Refused;
  }

  const ForStmt &For;
  const VarDecl *Counter;
  const OMPExecutableDirective *Instead;
  ASTContext &Ctx;
  llvm::DenseSet<const VarDecl *> Moving; // the counter, and what is made of it
};

// Whether a function uses one of these variables where no loop that sets it stands around: it would see a last value.
class LastValues : public Visitor<LastValues> {
public:
  explicit LastValues(llvm::ArrayRef<const VarDecl *> Of) : Of(Of.begin(), Of.end()) {}
  bool Used = false;

  bool TraverseStmt(Stmt *S) override {
    const auto *For = dyn_cast_or_null<ForStmt>(S);
    const VarDecl *Sets = For ? initialised(*For) : nullptr;
    if (Sets)
      ++Set[Sets];
    const bool On = Visitor::TraverseStmt(S);
    if (Sets)
      --Set[Sets];
    return On;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    Used |= V && Of.contains(V) && !Set.lookup(V);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    Used |= U->getOpcode() == UO_AddrOf && Of.contains(variableOf(U->getSubExpr()));
    return true;
  }

private:
  llvm::DenseSet<const VarDecl *> Of;
  llvm::DenseMap<const VarDecl *, unsigned> Set;
};

// Where the directive can be inserted: at the beginning of the loop's line, which nothing else begins and which no
// other pragma is for.
struct LineStart {
  std::string File;
  unsigned Offset;
  llvm::StringRef Indent;
};

std::optional<LineStart> lineStart(const ForStmt &For, bool HasDirective, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  for (SourceLocation L : {For.getForLoc(), For.getRParenLoc(), lastToken(For)})
    if (L.isMacroID())
      return std::nullopt;
  auto [File, At] = SM.getDecomposedLoc(For.getForLoc());
  llvm::StringRef Text = SM.getBufferData(File);
  const std::size_t Begin = Text.take_front(At).rfind('\n') + 1;
  llvm::StringRef Indent = Text.slice(Begin, At);
  llvm::StringRef Before = Text.take_front(Begin).rtrim();
  llvm::StringRef Last = Before.substr(Before.rfind('\n') + 1);
  auto [EndFile, End] = SM.getDecomposedLoc(lastToken(For));
  if (!Indent.trim().empty() || Last.ltrim().starts_with("#pragma") || Last.contains("_Pragma") ||
      Last.ends_with("\\") || EndFile != File || Text.slice(At, End).count('#') != HasDirective)
    return std::nullopt;
  return LineStart{placeOf(Ctx, For.getForLoc()).File, unsigned(Begin), Indent};
}

// --- the code
// ---------------------------------------------------------------------------------------------------------

enum class Apart { Proven, IfArraysAre, IfRowsAre, No };

class Code {
public:
  Code(const LoopCopy &C, llvm::FunctionAnalysisManager &FAM)
      : L(C.L), F(*C.F), FAM(FAM), Engine(StrideEngine::get(F, FAM)), SE(Engine.scalarEvolution()) {}

  // Whether threads that share the loop would write into the same cache lines all along: it walks within a row.
  bool walksAlongRows() {
    return llvm::any_of(Refs, [&](const Reference &R) {
      const Stride S = Engine.stride(R.Address, L);
      return R.Writes && S.K == Stride::Constant && std::abs(S.Bytes) < std::int64_t(CacheLineBytes);
    });
  }

  Apart judge(llvm::ArrayRef<std::pair<unsigned, unsigned>> Stores) {
    if (isa<llvm::SCEVCouldNotCompute>(SE.getBackedgeTakenCount(L)) || !L->getExitingBlock() || !collect() ||
        handsOn() || !llvm::all_of(Stores, [&](const auto &At) { return Seen.contains(At); }))
      return Apart::No;
    Apart Worst = Apart::Proven;
    unsigned Pairs = 0;
    for (std::size_t X = 0; X < Refs.size(); ++X)
      for (std::size_t Y = X; Y < Refs.size(); ++Y) {
        if (!Refs[X].Writes && !Refs[Y].Writes)
          continue;
        if (++Pairs > MaxPairs)
          return Apart::No;
        Worst = std::max(Worst, judge(Refs[X], Refs[Y]));
        if (Worst == Apart::No)
          return Worst;
      }
    return Worst;
  }

private:
  // The loads and stores; false where there is anything else that touches memory.
  bool collect() {
    const auto &TLI = FAM.getResult<llvm::TargetLibraryAnalysis>(F);
    for (llvm::BasicBlock *BB : L->blocks())
      for (llvm::Instruction &I : *BB) {
        if (const auto *C = dyn_cast<llvm::CallBase>(&I)) {
          const auto *Known = dyn_cast<llvm::IntrinsicInst>(C);
          llvm::LibFunc Fn;
          const bool Math = C->getType()->isFloatingPointTy() && C->getCalledFunction() &&
                            TLI.getLibFunc(*C->getCalledFunction(), Fn);
          if (!(Known && Known->isAssumeLikeIntrinsic()) && !C->doesNotAccessMemory() && !Math)
            return false;
          continue;
        }
        if (!I.mayReadOrWriteMemory())
          continue;
        llvm::Value *Pointer = const_cast<llvm::Value *>(llvm::getLoadStorePointerOperand(&I));
        if (!Pointer || I.isVolatile() || I.isAtomic())
          return false;
        const bool IsStore = isa<llvm::StoreInst>(I);
        llvm::Type *T = llvm::getLoadStoreType(&I);
        Refs.push_back({&I, Pointer, Engine.rewrite(Pointer), unsigned(F.getDataLayout().getTypeStoreSize(T)), !IsStore,
                        IsStore, false, false, Engine.loops().getLoopFor(BB)});
        if (const llvm::DILocation *D = I.getDebugLoc(); D && IsStore)
          Seen.insert({D->getLine(), D->getColumn()});
      }
    return true;
  }

  // Whether a value goes from one iteration to the next one, or out of the loop.
  bool handsOn() {
    for (llvm::PHINode &P : L->getHeader()->phis())
      if (!SE.isSCEVable(P.getType()) || !isa<llvm::SCEVAddRecExpr>(SE.getSCEV(&P)))
        return true;
    for (const llvm::BasicBlock *BB : L->blocks())
      for (const llvm::Instruction &I : *BB)
        for (const llvm::User *Use : I.users())
          if (const auto *Other = dyn_cast<llvm::Instruction>(Use); Other && !L->contains(Other))
            return true;
    return false;
  }

  Apart judge(const Reference &X, const Reference &Y) {
    using Entry = llvm::Dependence::DVEntry;
    const auto D = FAM.getResult<llvm::DependenceAnalysis>(F).depends(X.At, Y.At, true);
    const unsigned Depth = L->getLoopDepth();
    if (!D)
      return Apart::Proven;
    if (!D->isConfused() && D->getLevels() >= Depth) {
      for (unsigned K = 1; K < Depth; ++K)
        if (!(D->getDirection(K) & Entry::EQ))
          return Apart::Proven;
      if (D->getDirection(Depth) == Entry::EQ)
        return Apart::Proven;
    }
    llvm::SmallVector<const llvm::Loop *, 4> Around;
    for (const llvm::Loop *Each = X.In; Each && Each != L->getParentLoop(); Each = Each->getParentLoop())
      Around.push_back(Each);
    if (X.Address == Y.Address && X.In == Y.In && movesWith(X) && isInjective(X, Around, Engine))
      return Apart::Proven;
    if (addressDistance(X, Y, Around, Engine).K == AddressDistance::DistinctBases)
      return Apart::IfArraysAre;
    return movesWith(X) && movesWith(Y) && meetWithinIteration(X, Y, L, Engine) ? Apart::IfRowsAre : Apart::No;
  }
  bool movesWith(const Reference &R) { return Engine.varies(R.Address, L); }

  const llvm::Loop *L;
  llvm::Function &F;
  llvm::FunctionAnalysisManager &FAM;
  StrideEngine &Engine;
  llvm::ScalarEvolution &SE;
  std::vector<Reference> Refs;
  std::set<std::pair<unsigned, unsigned>> Seen; // lines and columns of stores
};

// The copies of every loop statement of the unit.
struct CodeOfLoops {
  llvm::DenseMap<const Stmt *, std::vector<LoopCopy>> Of;
  llvm::DenseMap<SourceLocation, const ForStmt *> At;
};

const CodeOfLoops &codeOfLoops(Unit &U) {
  return U.fact<CodeOfLoops>([&] {
    CodeOfLoops Out;
    for (llvm::Function &F : *U.ir())
      if (!F.isDeclaration())
        for (const llvm::Loop *L : U.analyses().getResult<llvm::LoopAnalysis>(F).getLoopsInPreorder())
          if (const auto *For = dyn_cast_or_null<ForStmt>(U.loopStatement(L))) {
            Out.Of[For].push_back({&F, L});
            Out.At[For->getBeginLoc()] = For;
          }
    for (auto &[S, Copies] : Out.Of)
      dropUncalled(Copies);
    return Out;
  });
}

// How far apart the iterations are in all copies of the loop.
Apart judgeCopies(llvm::ArrayRef<LoopCopy> Copies, const Body &Text, bool KeepsRows, Unit &U) {
  const SourceManager &SM = U.sources();
  std::vector<std::pair<unsigned, unsigned>> Stores;
  for (SourceLocation At : Text.Stores)
    Stores.emplace_back(SM.getExpansionLineNumber(At), SM.getExpansionColumnNumber(At));
  Apart Worst = Apart::Proven;
  for (const LoopCopy &C : Copies) {
    Code Copy(C, U.analyses());
    Worst = std::max(Worst, Copy.judge(Stores));
    if (KeepsRows && Copy.walksAlongRows())
      return Apart::No;
  }
  return Worst;
}

std::string directiveFor(const LineStart &Line, const Body &Text) {
  std::string Clauses;
  for (const VarDecl *V : Text.Counters)
    Clauses += (Clauses.empty() ? " private(" : ", ") + V->getNameAsString();
  Clauses += Clauses.empty() ? "" : ")";
  return Line.Indent.str() + "#pragma omp parallel for schedule(static)" + Clauses + "\n";
}

} // namespace

std::optional<Fix> shareLoop(SourceLocation Loop, Unit &U, const OMPExecutableDirective *Instead) {
  ASTContext &Ctx = U.ast();
  if (!Ctx.getLangOpts().OpenMP || !U.ir())
    return std::nullopt;
  const CodeOfLoops &Loops = codeOfLoops(U);
  const ForStmt *For = Loops.At.lookup(Loop);
  const FunctionDecl *F = For ? U.functionAt(For->getForLoc()) : nullptr;
  if (!F || !F->hasBody())
    return std::nullopt;
  const VarDecl *Counter = initialised(*For);
  const std::optional<LineStart> Line = lineStart(*For, Instead, Ctx);
  std::optional<Edit> Gone = Instead ? removeDirective(*Instead, Ctx) : std::nullopt;
  if (!Line || !isCanonical(*For, Counter, Ctx) || (Instead && !Gone))
    return std::nullopt;
  const Body Text(*For, Counter, Instead, Ctx);
  if (Text.Refused || Text.Stores.empty())
    return std::nullopt;
  std::vector<const VarDecl *> Outside(Text.Counters.begin(), Text.Counters.end());
  if (!isa<DeclStmt>(For->getInit()))
    Outside.push_back(Counter);
  LastValues Last(Outside);
  Last.TraverseStmt(F->getBody());
  if (Last.Used)
    return std::nullopt;
  const Apart Worst = judgeCopies(Loops.Of.lookup(For), Text, Instead, U);
  if (Worst == Apart::No)
    return std::nullopt;
  Fix X = safeFix("share the loop over '" + Counter->getNameAsString() + "' among the team",
                  {{Line->File, Line->Offset, Line->Offset, directiveFor(*Line, Text)}},
                  "no iteration touches what another one writes, and none hands a value on");
  if (Gone)
    X.Edits.push_back(std::move(*Gone));
  if (Worst == Apart::IfArraysAre)
    doubt(X, "arrays of different names may overlap");
  if (Worst == Apart::IfRowsAre)
    doubt(X, "an index may leave its row");
  if (!U.sources().isInMainFile(For->getForLoc()))
    doubt(X, "other units may compile this function with other arguments");
  doubtOtherCode(X, F, Ctx);
  return X;
}

} // namespace stridewise
