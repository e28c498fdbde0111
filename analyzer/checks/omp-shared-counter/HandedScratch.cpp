#include "checks/omp-shared-counter/HandedScratch.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "library/LibraryCalls.h"
#include "omp/TeamSize.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace stridewise {
namespace {

struct OwnVariables : Visitor<OwnVariables> {
  llvm::SmallPtrSetImpl<const VarDecl *> &Own;
  explicit OwnVariables(llvm::SmallPtrSetImpl<const VarDecl *> &Own) : Own(Own) { ShouldVisitImplicitCode = true; }
  bool VisitVarDecl(VarDecl *V) override {
    Own.insert(V->getCanonicalDecl());
    return true;
  }
};

// Ways out of an iteration.
bool leaves(const Stmt *S) {
  return S && (isa<ContinueStmt, BreakStmt, GotoStmt, ReturnStmt>(S) || llvm::any_of(S->children(), leaves));
}

class HandedWalk : SharedPlaces {
public:
  HandedWalk(const OMPExecutableDirective &Region, ASTContext &Ctx, ArgumentUses &Uses)
      : SharedPlaces(constructBody(Region), Ctx), Uses(Uses) {
    OwnVariables(Own).TraverseStmt(const_cast<OMPExecutableDirective *>(&Region));
    team(&Region, {});
  }
  std::vector<HandedScratch> Found;

private:
  // --- which loops ---------------------------------------------------------------------------------------------------

  void team(const Stmt *S, Context C) {
    if (!S || isa<LambdaExpr, BlockExpr>(S))
      return;
    const auto *D = dyn_cast<OMPExecutableDirective>(S);
    if (!D) {
      for (const Stmt *Child : S->children())
        team(Child, C);
      return;
    }
    const OmpConstruct K = classify(*D, Ctx);
    if (K.OneThread || K.Exclusive || K.Device || K.Tasks || K.Other || !constructBody(*D))
      return;
    for (const VarDecl *V : privateVariables(*D))
      C.Private.insert(V);
    const std::vector<const ForStmt *> Loops = sharedLoops(*D);
    if (!K.SharesLoop || Loops.empty())
      return team(constructBody(*D), C);
    for (const ForStmt *F : Loops)
      addCounter(*F, C.Counters);
    Code = Loops.back()->getBody();
    noteNames();
    iteration(Code, C);
  }

  // --- an iteration --------------------------------------------------------------------------------------------------

  // An equality is for one thread, one iteration, or the first to come; a call may ask for anything.
  static bool asksForOne(const Stmt *Condition) {
    const auto *B = dyn_cast<BinaryOperator>(Condition);
    const auto *U = dyn_cast<UnaryOperator>(Condition);
    return (B && B->isEqualityOp()) || (U && U->getOpcode() == UO_LNot) || isa<CallExpr, DeclRefExpr>(Condition) ||
           llvm::any_of(Condition->children(), [](const Stmt *Child) {
             return Child && !(isa<ImplicitCastExpr>(Child) && isNumber(*Child)) && asksForOne(Child);
           });
  }
  // A variable that is compared, not asked whether it holds.
  static bool isNumber(const Stmt &S) { return isa<DeclRefExpr>(cast<Expr>(&S)->IgnoreParenImpCasts()); }

  void iteration(const Stmt *S, Context C) {
    if (!S || isa<LambdaExpr, BlockExpr, SwitchStmt, CXXTryStmt, GotoStmt, WhileStmt, DoStmt>(S))
      return;
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      const OmpConstruct K = classify(*D, Ctx);
      if (!K.OneThread && !K.Exclusive && !K.Device && !K.Tasks && !K.Other && !K.StartsTeam)
        iteration(constructBody(*D), C);
      return;
    }
    if (const auto *Block = dyn_cast<CompoundStmt>(S))
      return block(*Block, C);
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      iteration(If->getCond(), C);
      if (asksForOne(If->getCond()))
        return;
      C.Conditional = true;
      const Stmt *Alone = branchOfOneThread(*If, Ctx);
      for (const Stmt *Branch : {If->getThen(), If->getElse()})
        if (Branch != Alone)
          iteration(Branch, C);
      return;
    }
    const auto *Two = dyn_cast<BinaryOperator>(S);
    C.Conditional |= isa<ConditionalOperator>(S) || (Two && Two->isLogicalOp());
    if (const auto *For = dyn_cast<ForStmt>(S))
      addCounter(*For, C.Counters);
    if (const auto *Call = dyn_cast<CallExpr>(S))
      call(*Call, C);
    for (const Stmt *Child : S->children())
      iteration(Child, C);
  }

  // What stands between two calls that may lock and unlock is left out: calls without a value, of functions that nobody
  // knows, which the iteration gives nothing of its own.
  void block(const CompoundStmt &Block, Context C) {
    std::ptrdiff_t After = llvm::count_if(Block.body(), [&](const Stmt *S) { return mayLock(S, C); });
    bool Before = false;
    for (const Stmt *Each : Block.body()) {
      const bool May = mayLock(Each, C);
      After -= May;
      if (!(Before && After) && !May)
        iteration(Each, C);
      Before |= May;
      if (!leaves(Each))
        continue;
      if (const auto *If = dyn_cast<IfStmt>(Each); If && asksForOne(If->getCond()))
        return;
      C.Conditional = true;
    }
  }

  bool mayLock(const Stmt *S, const Context &C) const {
    const auto *E = dyn_cast<Expr>(S);
    const auto *Call = E ? dyn_cast<CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
    return Call && !findLibraryCall(Call) && (!Call->getDirectCallee() || !Call->getDirectCallee()->hasBody()) &&
           llvm::none_of(Call->arguments(), [&](const Expr *A) { return isOwn(A, C); });
  }

  // --- calls ---------------------------------------------------------------------------------------------------------

  // Whether each iteration means another value.
  bool isOwn(const Expr *E, const Context &C) const {
    const VarDecl *V = isa<DeclRefExpr>(E) ? namedVariable(E) : nullptr;
    if (V && (C.Counters.contains(V) || C.Private.contains(V) || (Own.contains(V) && !V->isStaticLocal())))
      return true;
    return llvm::any_of(E->children(), [&](const Stmt *Child) {
      const auto *Part = dyn_cast_or_null<Expr>(Child);
      return Part && isOwn(Part, C);
    });
  }

  // Numbers and records of the program's own, which no mechanism keeps apart.
  bool isPlainMemory(QualType T) const {
    while (const auto *A = Ctx.getAsArrayType(T))
      T = A->getElementType();
    if (T->isAtomicType() || T->isDependentType() || T.isVolatileQualified() || T.isConstQualified())
      return false;
    const RecordDecl *R = T->getAsRecordDecl();
    if (!R)
      return T->isArithmeticType();
    return R->getDefinition() && !R->isInStdNamespace() && !Ctx.getSourceManager().isInSystemHeader(R->getLocation()) &&
           T.isTriviallyCopyableType(Ctx);
  }

  void call(const CallExpr &Call, const Context &C) {
    if (isa<CXXOperatorCallExpr, CXXMemberCallExpr>(Call))
      return;
    const bool OwnValues = llvm::any_of(Call.arguments(), [&](const Expr *A) { return isOwn(A, C); });
    if (!OwnValues)
      return;
    for (unsigned I = 0; I < Call.getNumArgs(); ++I)
      argument(Call, I, C);
    const FunctionDecl *F = Call.getDirectCallee(), *Body = nullptr;
    if (!F || findLibraryCall(&Call) || isa<CXXMethodDecl>(F) || !F->hasBody(Body) || !Body->getBody() ||
        Ctx.getSourceManager().isInSystemHeader(Body->getLocation()))
      return;
    for (const KeptStore &K : Uses.kept(*Body)) {
      HandedScratch X;
      X.E = K.E;
      X.Variable = K.Variable;
      X.Name = K.Variable->getNameAsString();
      X.Call = &Call;
      X.Keeps = Body;
      X.Returned = K.Returned;
      X.Sure = !C.Conditional;
      X.Read = true;
      X.Use.Sets = true;
      X.Use.Sure = isOwnIn(*cast<BinaryOperator>(K.E)->getRHS(), Call, C);
      add(std::move(X));
    }
  }

  // Whether a value in the function that is called comes from what the iteration gives it, or from its own variables.
  bool isOwnIn(const Expr &Value, const CallExpr &Call, const Context &C) const {
    const VarDecl *V = isa<DeclRefExpr>(Value) ? namedVariable(&Value) : nullptr;
    if (const auto *P = dyn_cast_or_null<ParmVarDecl>(V))
      return P->getFunctionScopeIndex() < Call.getNumArgs() && isOwn(Call.getArg(P->getFunctionScopeIndex()), C);
    return (V && V->hasLocalStorage()) || llvm::any_of(Value.children(), [&](const Stmt *Child) {
             const auto *Part = dyn_cast_or_null<Expr>(Child);
             return Part && isOwnIn(*Part, Call, C);
           });
  }

  void argument(const CallExpr &Call, unsigned I, const Context &C) {
    const Expr *A = Call.getArg(I);
    const bool Pointer = A->getType()->isPointerType();
    const QualType To = Pointer ? A->IgnoreParenImpCasts()->getType() : A->getType();
    std::optional<SharedPlace> P;
    if (Pointer)
      P = pointee(A, C);
    else if (A->isLValue())
      P = placeOf(A, C);
    if (!P || !P->Base || To.isNull() || A->isTypeDependent())
      return;
    const QualType Object = Pointer && To->isPointerType() ? To->getPointeeType() : To;
    if (!isPlainMemory(Object))
      return;
    HandedScratch X;
    X.Use = Uses.ofCall(Call, I);
    X.E = A;
    X.Variable = P->Base;
    X.Name = P->Base->getNameAsString();
    X.Call = &Call;
    X.Pointer = P->Base->getType()->isPointerType();
    X.Sure = !C.Conditional;
    X.Read = isReadBehind(P->Base, Call);
    add(std::move(X));
  }

  void add(HandedScratch X) {
    if ((X.Use.Sets && (X.Read || X.Use.Reads)) || !X.Use.On.empty())
      if (llvm::none_of(Found, [&](const HandedScratch &Y) { return Y.Variable == X.Variable && Y.Use.Sets; }))
        Found.push_back(std::move(X));
  }

  // Whether the iteration names the variable after the call.
  bool isReadBehind(const VarDecl *V, const CallExpr &Call) const {
    const SourceManager &SM = Ctx.getSourceManager();
    const SourceLocation Last = LastNamed.lookup(V);
    return Last.isValid() && SM.isBeforeInTranslationUnit(SM.getExpansionLoc(Call.getEndLoc()), Last);
  }

  void noteNames() {
    struct Finder : Visitor<Finder> {
      const SourceManager &SM;
      llvm::DenseMap<const VarDecl *, SourceLocation> &Last;
      Finder(const SourceManager &SM, llvm::DenseMap<const VarDecl *, SourceLocation> &Last) : SM(SM), Last(Last) {}
      bool VisitDeclRefExpr(DeclRefExpr *R) override {
        const auto *V = dyn_cast<VarDecl>(R->getDecl());
        const SourceLocation At = SM.getExpansionLoc(R->getBeginLoc());
        SourceLocation *Known = V ? &Last[V->getCanonicalDecl()] : nullptr;
        if (Known && (Known->isInvalid() || SM.isBeforeInTranslationUnit(*Known, At)))
          *Known = At;
        return true;
      }
    } Search(Ctx.getSourceManager(), LastNamed);
    LastNamed.clear();
    Search.TraverseStmt(const_cast<Stmt *>(Code));
  }

  ArgumentUses &Uses;
  const Stmt *Code = nullptr;                                // of the loop that is shared out
  llvm::DenseMap<const VarDecl *, SourceLocation> LastNamed; // in it
};

} // namespace

std::vector<HandedScratch> findHandedScratch(const OMPExecutableDirective &Region, ASTContext &Ctx,
                                             ArgumentUses &Uses) {
  return HandedWalk(Region, Ctx, Uses).Found;
}

const char *remedyOf(const HandedScratch &X) {
  if (X.Keeps || X.Variable->isStaticLocal())
    return X.Returned ? "given_c" : "kept_c";
  if (X.Variable->hasGlobalStorage() && !X.Pointer)
    return X.Variable->getType()->isArrayType() ? "own_scratch" : "own_local";
  return X.Pointer || X.Variable->getType()->isArrayType() ? "own_array" : "own";
}

} // namespace stridewise
