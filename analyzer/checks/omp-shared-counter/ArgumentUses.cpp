#include "checks/omp-shared-counter/ArgumentUses.h"
#include "checks/omp-shared-counter/RegionUpdates.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "library/LibraryCalls.h"
#include "unit/Meter.h"
#include "unit/Visitor.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace stridewise {
namespace {

// Variables whose values follow from each other's.
constexpr unsigned MaxDepth = 4;
// That the table of the libraries has a bit for.
constexpr unsigned MaxArguments = 32;

bool isOut(QualType T) {
  if (!T->isPointerType() && !T->isReferenceType())
    return false;
  const QualType To = T->getPointeeType();
  return !To.isConstQualified() && !To->isFunctionType();
}

bool isOwnOf(const FunctionDecl &F, const VarDecl *V) { return V && V->getDeclContext() == &F && V->hasLocalStorage(); }

// One function's stores to what one of its variables leads to.
class BodyUse {
public:
  BodyUse(const FunctionDecl &F, const VarDecl &V) : F(F), V(V) {
    Moved = !V.getType()->isReferenceType() && isChanged(&V, F.getBody());
  }

  // Whether the expression is the place that the variable leads to, or an element there that is the same in each call.
  bool leadsTo(const Expr *E) const {
    E = E->IgnoreParens();
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      if (Cast->getCastKind() == CK_LValueToRValue)
        return namedVariable(Cast->getSubExpr()) == &V && !Moved;
      return leadsTo(Cast->getSubExpr());
    }
    if (const VarDecl *Named = namedVariable(E))
      return Named == &V && !V.getType()->isPointerType() && !Moved;
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return isa<FieldDecl>(M->getMemberDecl()) && !M->getMemberDecl()->getType()->isReferenceType() &&
             leadsTo(M->getBase());
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      return leadsTo(A->getBase()) && start(A->getIdx(), 0);
    if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      if (U->isIncrementDecrementOp())
        return namedVariable(U->getSubExpr()) == &V && V.getType()->isPointerType() && !Moved;
      return (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf) && leadsTo(U->getSubExpr());
    }
    const auto *B = dyn_cast<BinaryOperator>(E);
    return B && B->isAdditiveOp() && B->getType()->isPointerType() && leadsTo(B->getLHS()) && start(B->getRHS(), 0);
  }

  // Whether the value is one that the call has for itself, and does not come from what was there before.
  bool isOwnValue(const Expr *Value) const {
    struct Finder : Visitor<Finder> {
      const FunctionDecl &F;
      const VarDecl &V;
      bool Own = false, Before = false;
      Finder(const FunctionDecl &F, const VarDecl &V) : F(F), V(V) {}
      bool VisitDeclRefExpr(DeclRefExpr *R) override {
        const auto *Named = dyn_cast<VarDecl>(R->getDecl());
        const bool Same = Named && Named->getCanonicalDecl() == &V;
        Before |= Same;
        Own |= !Same && isOwnOf(F, Named);
        return !Before;
      }
    } Search(F, V);
    Search.TraverseStmt(const_cast<Expr *>(Value));
    return Search.Own && !Search.Before;
  }

private:
  // The value of an index in the first iteration, where no argument chooses it.
  std::optional<std::int64_t> start(const Expr *E, unsigned Depth) const {
    E = E->IgnoreParenCasts();
    Expr::EvalResult Value;
    if (E->isValueDependent() || E->isTypeDependent() || Depth > MaxDepth)
      return std::nullopt;
    if (E->getType()->isIntegerType() && E->EvaluateAsInt(Value, V.getASTContext()) &&
        Value.Val.getInt().isRepresentableByInt64())
      return Value.Val.getInt().getExtValue();
    if (const VarDecl *Index = namedVariable(E))
      return isOwnOf(F, Index) && !isa<ParmVarDecl>(Index) ? first(*Index, Depth) : std::nullopt;
    if (const auto *U = dyn_cast<UnaryOperator>(E))
      return U->isIncrementDecrementOp() ? start(U->getSubExpr(), Depth + 1) : std::nullopt;
    const auto *B = dyn_cast<BinaryOperator>(E);
    return B ? combined(*B, start(B->getLHS(), Depth + 1), start(B->getRHS(), Depth + 1)) : std::nullopt;
  }

  // Of a sum, a difference or a product. Nothing times something is nothing, whatever that is.
  static std::optional<std::int64_t> combined(const BinaryOperator &B, std::optional<std::int64_t> L,
                                              std::optional<std::int64_t> R) {
    std::int64_t Out = 0;
    bool Large = true;
    if (B.getOpcode() == BO_Mul && ((L && *L == 0) || (R && *R == 0)))
      return 0;
    if (!L || !R)
      return std::nullopt;
    if (B.getOpcode() == BO_Add)
      Large = llvm::AddOverflow(*L, *R, Out);
    if (B.getOpcode() == BO_Sub)
      Large = llvm::SubOverflow(*L, *R, Out);
    if (B.getOpcode() == BO_Mul)
      Large = llvm::MulOverflow(*L, *R, Out);
    return Large ? std::nullopt : std::optional(Out);
  }

  // What a variable is first: all that is stored in it are such numbers, or it is counted on.
  std::optional<std::int64_t> first(const VarDecl &Index, unsigned Depth) const {
    struct Values : Visitor<Values> {
      const VarDecl *V;
      std::vector<const Expr *> All;
      bool Unclear = false;
      explicit Values(const VarDecl *V) : V(V) {}
      bool VisitBinaryOperator(BinaryOperator *B) override {
        if (!B->isAssignmentOp() || namedVariable(B->getLHS()) != V)
          return true;
        if (B->getOpcode() == BO_Assign)
          All.push_back(B->getRHS());
        Unclear |= B->getOpcode() != BO_Assign && B->getOpcode() != BO_AddAssign && B->getOpcode() != BO_SubAssign;
        return true;
      }
      bool VisitUnaryOperator(UnaryOperator *U) override {
        Unclear |= U->getOpcode() == UO_AddrOf && namedVariable(U->getSubExpr()) == V;
        return true;
      }
    } Search(Index.getCanonicalDecl());
    const auto [Known, New] = Firsts.try_emplace(Index.getCanonicalDecl());
    if (!New)
      return Known->second;
    if (Index.getInit())
      Search.All.push_back(Index.getInit());
    Search.TraverseStmt(F.getBody());
    std::optional<std::int64_t> Out;
    for (const Expr *Each : Search.All) {
      const std::optional<std::int64_t> One = Search.Unclear ? std::nullopt : start(Each, Depth + 1);
      if (!One)
        return std::nullopt;
      Out = Out ? Out : One;
    }
    return Firsts[Index.getCanonicalDecl()] = Out;
  }

  const FunctionDecl &F;
  const VarDecl &V;
  bool Moved = false; // the pointer gets another value
  mutable llvm::DenseMap<const VarDecl *, std::optional<std::int64_t>> Firsts;
};

// Goes through the statements of a function in order, and knows which of them each call comes to.
class InOrder {
public:
  virtual ~InOrder() = default;
  void walk(const Stmt *S, bool Always) {
    if (!S || isa<LambdaExpr, BlockExpr>(S) || !Meter::spend())
      return;
    visit(*S, Always && !Left);
    Left |= isa<ReturnStmt, GotoStmt, CXXThrowExpr>(S);
    const auto *Two = dyn_cast<BinaryOperator>(S);
    const bool Branches =
        isa<IfStmt, SwitchStmt, ConditionalOperator, WhileStmt, CXXTryStmt>(S) || (Two && Two->isLogicalOp());
    for (const Stmt *Child : S->children())
      walk(Child, Always && !Branches);
  }
  bool Left = false; // some calls have returned

protected:
  virtual void visit(const Stmt &S, bool Always) = 0;
};

// A construct, or two calls that nobody knows before and behind something, may be a lock.
bool mayKeepApart(const FunctionDecl &F) {
  struct Finder : Visitor<Finder> {
    unsigned Unknown = 0;
    bool Found = false;
    bool VisitOMPExecutableDirective(OMPExecutableDirective *) override { return !(Found = true); }
    bool VisitCallExpr(CallExpr *C) override {
      const FunctionDecl *To = C->getDirectCallee();
      const bool Turns = C->getType()->isVoidType() && C->getNumArgs() <= 1; // a lock takes no more than itself
      Unknown += Turns && To && !findLibraryCall(C) && !To->hasBody();
      Found |= Unknown > 1;
      return !Found;
    }
  } Search;
  Search.TraverseStmt(F.getBody());
  return Search.Found || mayHoldLock(F.getBody());
}

} // namespace

void ArgumentUse::join(const ArgumentUse &O, bool Always) {
  Sets |= O.Sets;
  Sure |= O.Sure && Always;
  Reads |= O.Reads;
  for (HandedOn Each : O.On) {
    Each.Sure &= Always;
    On.push_back(std::move(Each));
  }
}

ArgumentUse ArgumentUses::ofCall(const CallExpr &Call, unsigned Number, unsigned Depth) {
  ArgumentUse Out;
  const FunctionDecl *To = Call.getDirectCallee();
  if (const LibraryCall *Known = findLibraryCall(&Call)) {
    Out.Sets = Out.Sure = Number < MaxArguments && ((Known->Writes >> Number) & 1) && Known->onlyDoes(LibMemory);
    return Out;
  }
  if (To)
    return of(*To, Number, Depth);
  // Behind a pointer to a function that tells which of its pointers it reads alone.
  const auto *T = Call.getCallee()->getType()->getPointeeType().isNull()
                      ? nullptr
                      : Call.getCallee()->getType()->getPointeeType()->getAs<FunctionProtoType>();
  if (T && Number < T->getNumParams() && isOut(T->getParamType(Number)))
    Out.Sets = llvm::any_of(T->param_types(),
                            [](QualType P) { return P->isPointerType() && P->getPointeeType().isConstQualified(); });
  return Out;
}

ArgumentUse ArgumentUses::of(const FunctionDecl &F, unsigned Number, unsigned Depth) {
  const FunctionDecl *Body = nullptr;
  ArgumentUse Out;
  if (Number >= F.getNumParams() || !isOut(F.getParamDecl(Number)->getType()) || isa<CXXMethodDecl>(F) ||
      F.isTemplated() || Ctx.getSourceManager().isInSystemHeader(F.getLocation()))
    return Out;
  if (!F.hasBody(Body) || !Body->getBody()) {
    if (F.isExternallyVisible())
      Out.On.push_back({ASTNameGenerator(Ctx).getName(&F), Number, true});
    return Out;
  }
  if (Depth > DeepestSharedCall)
    return Out;
  auto [It, New] = Known.try_emplace({Body, Number}, Out);
  if (New && !mayKeepApart(*Body)) {
    Out = ofBody(*Body, *Body->getParamDecl(Number), Depth);
    Known[{Body, Number}] = Out;
    return Out;
  }
  return It->second;
}

ArgumentUse ArgumentUses::ofBody(const FunctionDecl &F, const VarDecl &V, unsigned Depth) {
  struct Finder : InOrder {
    ArgumentUses &All;
    const BodyUse Use;
    const unsigned Depth;
    ArgumentUse Out;
    Finder(ArgumentUses &All, const FunctionDecl &F, const VarDecl &V, unsigned Depth)
        : All(All), Use(F, V), Depth(Depth) {}
    void visit(const Stmt &S, bool Always) override {
      if (const auto *B = dyn_cast<BinaryOperator>(&S);
          B && B->getOpcode() == BO_Assign && Use.leadsTo(B->getLHS()) && Use.isOwnValue(B->getRHS())) {
        Out.Sets = true;
        Out.Sure |= Always;
      }
      if (const auto *Cast = dyn_cast<CastExpr>(&S); Cast && Cast->getCastKind() == CK_LValueToRValue)
        Out.Reads |= !namedVariable(Cast->getSubExpr()) && Use.leadsTo(Cast->getSubExpr());
      const auto *Call = dyn_cast<CallExpr>(&S);
      for (unsigned I = 0; Call && I < Call->getNumArgs(); ++I)
        if (Call->getArg(I)->getType()->isPointerType() && Use.leadsTo(Call->getArg(I)))
          Out.join(All.ofCall(*Call, I, Depth + 1), Always);
    }
  } Search(*this, F, *V.getCanonicalDecl(), Depth);
  Search.walk(F.getBody(), true);
  return Search.Out;
}

std::vector<KeptStore> ArgumentUses::kept(const FunctionDecl &F) const {
  std::vector<KeptStore> Out;
  struct Statics : Visitor<Statics> {
    std::vector<const VarDecl *> All;
    bool VisitVarDecl(VarDecl *V) override {
      if (V->isStaticLocal() && V->getTLSKind() == VarDecl::TLS_None && !V->hasAttr<OMPThreadPrivateDeclAttr>() &&
          (V->getType()->isArrayType() || V->getType()->isRecordType()) && !V->getType().isVolatileQualified())
        All.push_back(V->getCanonicalDecl());
      return true;
    }
  } Variables;
  Variables.TraverseStmt(F.getBody());
  if (Variables.All.empty() || mayKeepApart(F))
    return Out;
  for (const VarDecl *V : Variables.All) {
    struct Finder : InOrder {
      const BodyUse Use;
      KeptStore Out;
      bool Named = false, Reads = false;
      Finder(const FunctionDecl &F, const VarDecl &V) : Use(F, V) { Out.Variable = &V; }
      void visit(const Stmt &S, bool Always) override {
        if (const auto *R = dyn_cast<ReturnStmt>(&S); R && R->getRetValue())
          Out.Returned |= R->getRetValue()->getType()->isPointerType() && Use.leadsTo(R->getRetValue());
        if (const auto *Cast = dyn_cast<CastExpr>(&S); Cast && Cast->getCastKind() == CK_LValueToRValue)
          Reads |= Out.E && Use.leadsTo(Cast->getSubExpr());
        const auto *B = dyn_cast<BinaryOperator>(&S);
        if (Out.E || !B || B->getOpcode() != BO_Assign || !Use.leadsTo(B->getLHS()) || !Use.isOwnValue(B->getRHS()))
          return;
        Out.E = B;
        Out.Sure = Always;
      }
    } Search(F, *V);
    Search.walk(F.getBody(), true);
    if (Search.Out.E && Search.Out.Sure && (Search.Reads || Search.Out.Returned))
      Out.push_back(Search.Out);
  }
  return Out;
}

std::map<std::string, std::map<unsigned, ArgumentUse>> ArgumentUses::all() {
  std::map<std::string, std::map<unsigned, ArgumentUse>> Out;
  const SourceManager &SM = Ctx.getSourceManager();
  for (const Decl *D : Ctx.getTranslationUnitDecl()->decls()) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    if (!F || !F->doesThisDeclarationHaveABody() || !F->isExternallyVisible() || F->isInlined() || F->isTemplated() ||
        !SM.isInMainFile(SM.getExpansionLoc(F->getLocation())))
      continue;
    for (unsigned I = 0; I < F->getNumParams(); ++I)
      if (ArgumentUse Use = of(*F, I); Use.says())
        Out[ASTNameGenerator(Ctx).getName(F)][I] = std::move(Use);
  }
  return Out;
}

} // namespace stridewise
