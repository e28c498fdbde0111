// R39: a counter or sum that the threads of a team share by mistake.
//
// In each region that starts a team, updates (`x++`, `x += …`, `x = x + …`) of scalars that were declared outside are
// looked up which no clause makes private or reduces and no construct protects. Every thread runs into them, so that
// they are a race; the counter of a loop that each thread should go through by itself is one, too, and a scratch
// variable that each iteration of a shared loop sets to a value of its own and reads. Silent: atomic types,
// threadprivate and thread_local variables, constructs of one thread or of one at a time, tasks, devices,
// default(private), regions with locks or with calls before and after the update that may be locks, and what runs under
// a condition on the number of a thread or for one iteration only. Under another condition: medium. Known false
// positives: conditions that no two iterations meet.
#include "library/LibraryCalls.h"
#include "omp/OmpSites.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <algorithm>

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-shared-counter";

// Locks, and code that may hold one, in a statement; functions of the unit are looked into once.
struct LockFinder : Visitor<LockFinder> {
  bool Found = false;
  unsigned Depth;
  explicit LockFinder(unsigned Depth) : Depth(Depth) {}
  bool VisitCallExpr(CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee(), *Body = nullptr;
    const LibraryCall *Known = findLibraryCall(C);
    Found |= Known && Known->does(LibLocks);
    if (Depth && F && !Known && F->hasBody(Body) && Body->getBody()) {
      LockFinder Inner(Depth - 1);
      Inner.TraverseStmt(Body->getBody());
      Found |= Inner.Found;
    }
    return !Found;
  }
  bool VisitVarDecl(VarDecl *V) override {
    const auto *R = V->getType()->getAsCXXRecordDecl(); // std::lock_guard, std::unique_lock, …
    Found |= R && R->isInStdNamespace() && R->getIdentifier() && R->getName().contains("lock");
    return !Found;
  }
};

struct Update {
  const Expr *E = nullptr;
  bool Counter = false, Conditional = false;
  BinaryOperatorKind Operator = BO_Add;
  bool Scratch = false; // each iteration gives it a value first
};

class RegionUpdates {
public:
  RegionUpdates(const OMPExecutableDirective &Region, ASTContext &Ctx) : Ctx(Ctx), Body(constructBody(Region)) {
    Declarations Search(Own);
    Search.TraverseStmt(const_cast<OMPExecutableDirective *>(&Region));
    Context C;
    C.Shares = isOpenMPWorksharingDirective(Region.getDirectiveKind());
    enter(Region, C);
    walk(Body, C);
    for (const auto &[V, X] : Scratch)
      if (isRead(V)) {
        Update &Known = Found[V];
        if (!Known.Counter)
          Known = X;
      }
  }
  llvm::MapVector<const VarDecl *, Update> Found;

private:
  struct Context {
    llvm::SmallPtrSet<const VarDecl *, 8> Private, Counters; // Counters: of the loops around
    bool Conditional = false, Counter = false;
    bool Shares = false; // within a loop that the team divides
  };

  struct Declarations : Visitor<Declarations> {
    llvm::SmallPtrSet<const VarDecl *, 16> &Own;
    explicit Declarations(llvm::SmallPtrSet<const VarDecl *, 16> &Own) : Own(Own) {}
    bool VisitVarDecl(VarDecl *V) override {
      Own.insert(V->getCanonicalDecl());
      return true;
    }
  };

  static void enter(const OMPExecutableDirective &D, Context &C) {
    for (const VarDecl *V : privateVariables(D))
      C.Private.insert(V);
    for (const ForStmt *F : sharedLoops(D))
      enter(*F, C);
  }

  static void enter(const ForStmt &F, Context &C) {
    if (const auto *S = dyn_cast_or_null<DeclStmt>(F.getInit()); S && S->isSingleDecl())
      C.Counters.insert(cast<VarDecl>(S->getSingleDecl())->getCanonicalDecl());
    if (const auto *B = dyn_cast_or_null<BinaryOperator>(F.getInit()))
      if (const VarDecl *V = named(B->getLHS()))
        C.Counters.insert(V);
  }

  static const VarDecl *named(const Expr *E) {
    const auto *R = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    const auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
    return V ? V->getCanonicalDecl() : nullptr;
  }

  // Shared for certain: a plain scalar of the code around the region. (`static` locals all threads share.)
  bool isShared(const VarDecl *V, const Context &C) const {
    QualType T = V->getType().getNonReferenceType();
    if (!T->isArithmeticType() || T->isAtomicType() || T->isDependentType() || C.Private.contains(V) ||
        V->getTLSKind() != VarDecl::TLS_None || V->hasAttr<OMPThreadPrivateDeclAttr>())
      return false;
    return !Own.contains(V) || V->isStaticLocal();
  }

  void update(const Expr *E, const Expr *Target, BinaryOperatorKind Operator, const Context &C) {
    const VarDecl *V = named(Target);
    if (!V || !isShared(V, C))
      return;
    auto [It, New] = Found.try_emplace(V, Update{E, C.Counter, C.Conditional, Operator});
    if (!New && It->second.Conditional && !C.Conditional)
      It->second = {E, C.Counter, false, Operator};
  }

  // `x = x + …`
  static bool combines(const Expr *Value, const VarDecl *V, BinaryOperatorKind &Operator) {
    const auto *B = dyn_cast<BinaryOperator>(Value->IgnoreParenImpCasts());
    if (!B || B->isAssignmentOp() || B->isComparisonOp() || B->isLogicalOp() || B->isCommaOp())
      return false;
    Operator = B->getOpcode();
    return named(B->getLHS()) == V ||
           (named(B->getRHS()) == V && B->getOpcode() != BO_Sub && B->getOpcode() != BO_Div) ||
           (B->isAdditiveOp() && combines(B->getLHS(), V, Operator));
  }

  // Whether the value is another one in each iteration: it is computed from the counters, or from what the thread has
  // for itself.
  bool isOwnValue(const Expr *Value, const Context &C) const {
    struct Finder : Visitor<Finder> {
      const Context &C;
      const llvm::SmallPtrSetImpl<const VarDecl *> &Own;
      bool Found = false;
      Finder(const Context &C, const llvm::SmallPtrSetImpl<const VarDecl *> &Own) : C(C), Own(Own) {}
      bool VisitDeclRefExpr(DeclRefExpr *R) override {
        const auto *V = dyn_cast<VarDecl>(R->getDecl());
        V = V ? V->getCanonicalDecl() : nullptr;
        Found |= V && C.Counters.contains(V) && (Own.contains(V) || C.Private.contains(V));
        return !Found;
      }
    } Search(C, Own);
    Search.TraverseStmt(const_cast<Expr *>(Value));
    return Search.Found;
  }

  bool isRead(const VarDecl *V) const {
    struct Finder : Visitor<Finder> {
      const VarDecl *V;
      bool Found = false;
      explicit Finder(const VarDecl *V) : V(V) {}
      bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
        Found |= E->getCastKind() == CK_LValueToRValue && named(E->getSubExpr()) == V;
        return !Found;
      }
    } Search(V);
    Search.TraverseStmt(const_cast<Stmt *>(Body));
    return Search.Found;
  }

  // `x = a[i]`
  void overwrite(const BinaryOperator *A, const Context &C) {
    const VarDecl *V = named(A->getLHS());
    if (V && C.Shares && !C.Conditional && isShared(V, C) && isOwnValue(A->getRHS(), C))
      Scratch.try_emplace(V, Update{A, false, false, BO_Assign, true});
  }

  // Whether the call may ask for the number of the thread, or for something that one iteration alone finds.
  static bool mayAsk(const CallExpr &Call, unsigned Depth) {
    struct Finder : Visitor<Finder> {
      unsigned Depth;
      bool Found = false;
      explicit Finder(unsigned Depth) : Depth(Depth) {}
      bool VisitCallExpr(CallExpr *C) override {
        Found |= mayAsk(*C, Depth);
        return !Found;
      }
    };
    const FunctionDecl *F = Call.getDirectCallee(), *Definition = nullptr;
    if (!F || (F->getIdentifier() && F->getName().starts_with("omp_")))
      return true;
    if (findLibraryCall(&Call) || F->isInStdNamespace())
      return false;
    if (!Depth || !F->hasBody(Definition) || !Definition->getBody())
      return true;
    Finder Inside(Depth - 1);
    Inside.TraverseStmt(Definition->getBody());
    return Inside.Found;
  }

  // What one thread or one iteration alone may meet.
  bool choosesOne(const Expr *Condition, const Context &C) const {
    struct Finder : Visitor<Finder> {
      const Context &C;
      const llvm::SmallPtrSetImpl<const VarDecl *> &Own;
      bool Found = false;
      Finder(const Context &C, const llvm::SmallPtrSetImpl<const VarDecl *> &Own) : C(C), Own(Own) {}
      bool VisitBinaryOperator(BinaryOperator *B) override {
        Found |= B->isEqualityOp() && B->getOpcode() == BO_EQ;
        return !Found;
      }
      bool VisitUnaryOperator(UnaryOperator *U) override {
        Found |= U->getOpcode() == UO_LNot;
        return !Found;
      }
      bool VisitCallExpr(CallExpr *Call) override {
        Found |= mayAsk(*Call, /*Depth=*/2);
        return !Found;
      }
      // A variable of the region may hold the number of the thread.
      bool VisitDeclRefExpr(DeclRefExpr *R) override {
        const auto *V = dyn_cast<VarDecl>(R->getDecl());
        V = V && V->getType().getNonReferenceType()->isIntegralOrEnumerationType() ? V->getCanonicalDecl() : nullptr;
        Found |= V && (Own.contains(V) || C.Private.contains(V)) && !C.Counters.contains(V);
        return !Found;
      }
    } Search(C, Own);
    Search.TraverseStmt(const_cast<Expr *>(Condition));
    return Search.Found;
  }

  void arm(const Stmt *S, const Expr *Condition, Context C) {
    if (!S || choosesOne(Condition, C))
      return;
    C.Conditional = true;
    walk(S, C);
  }

  // A call without a value on both sides of a statement may be a lock: nobody knows what is behind it.
  static bool mayLock(const Stmt *S) {
    const auto *E = dyn_cast<Expr>(S);
    const auto *Call = E ? dyn_cast<CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
    return Call && !findLibraryCall(Call) && (!Call->getDirectCallee() || !Call->getDirectCallee()->hasBody());
  }

  // Constructs of which each thread of the team runs the body, or its part of it.
  bool isShared(const OMPExecutableDirective &D) const {
    OmpConstruct K = classify(D, Ctx);
    if (K.OneThread || K.Exclusive || K.Device || K.Tasks || K.Other || K.StartsTeam || !constructBody(D))
      return false;
    return !isa<OMPLoopDirective>(D) || !sharedLoops(D).empty();
  }

  // What stands between two statements that may lock is left out.
  void block(const CompoundStmt &Block, const Context &C) {
    std::ptrdiff_t After = std::count_if(Block.body_begin(), Block.body_end(), mayLock);
    bool Before = false;
    Context Inner = C;
    for (const Stmt *Each : Block.body()) {
      bool May = mayLock(Each);
      After -= May;
      if (!(Before && After))
        walk(Each, Inner);
      Before |= May;
      Inner.Conditional |= leaves(Each); // what is behind a way out, not every iteration comes to
    }
  }

  // ++n, n += e, n = n + e; n = e
  void noteUpdate(const Stmt *S, const Context &C) {
    if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp()) {
      update(U, U->getSubExpr(), U->isIncrementOp() ? BO_Add : BO_Sub, C);
    } else if (const auto *B = dyn_cast<CompoundAssignOperator>(S)) {
      update(B, B->getLHS(), BinaryOperator::getOpForCompoundAssignment(B->getOpcode()), C);
    } else if (const auto *A = dyn_cast<BinaryOperator>(S); A && A->getOpcode() == BO_Assign) {
      BinaryOperatorKind Operator = BO_Add;
      if (const VarDecl *V = named(A->getLHS()); V && combines(A->getRHS(), V, Operator))
        update(A, A->getLHS(), Operator, C);
      else
        overwrite(A, C);
    }
  }

  void walk(const Stmt *S, const Context &C) {
    if (!S || isa<LambdaExpr, BlockExpr>(S))
      return;
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      if (isShared(*D)) {
        Context Inner = C;
        Inner.Shares |= classify(*D, Ctx).SharesLoop;
        enter(*D, Inner);
        walk(constructBody(*D), Inner);
      }
      return;
    }
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      walk(If->getCond(), C);
      arm(If->getThen(), If->getCond(), C);
      return arm(If->getElse(), If->getCond(), C);
    }
    if (const auto *Choice = dyn_cast<ConditionalOperator>(S)) {
      walk(Choice->getCond(), C);
      arm(Choice->getTrueExpr(), Choice->getCond(), C);
      return arm(Choice->getFalseExpr(), Choice->getCond(), C);
    }
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isLogicalOp()) {
      walk(B->getLHS(), C);
      return arm(B->getRHS(), B->getLHS(), C);
    }
    if (isa<SwitchStmt, CXXTryStmt, GotoStmt, IndirectGotoStmt>(S))
      return;
    if (const auto *For = dyn_cast<ForStmt>(S)) {
      walk(For->getInit(), C);
      walk(For->getCond(), C);
      Context Inc = C;
      Inc.Counter = true;
      walk(For->getInc(), Inc);
      Context Inner = C;
      enter(*For, Inner);
      return walk(For->getBody(), Inner);
    }
    if (const auto *Block = dyn_cast<CompoundStmt>(S))
      return block(*Block, C);
    noteUpdate(S, C);
    for (const Stmt *Child : S->children())
      walk(Child, C);
  }

  static bool leaves(const Stmt *S) {
    struct Ways : Visitor<Ways> {
      bool Found = false;
      bool VisitContinueStmt(ContinueStmt *) override { return !(Found = true); }
      bool VisitBreakStmt(BreakStmt *) override { return !(Found = true); }
      bool VisitReturnStmt(ReturnStmt *) override { return !(Found = true); }
      bool VisitGotoStmt(GotoStmt *) override { return !(Found = true); }
    } Search;
    Search.TraverseStmt(const_cast<Stmt *>(S));
    return Search.Found;
  }

  ASTContext &Ctx;
  const Stmt *Body;
  llvm::SmallPtrSet<const VarDecl *, 16> Own; // declared in the region
  llvm::MapVector<const VarDecl *, Update> Scratch;
};

class SharedCounter : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    OmpSites Sites(U.ast());
    for (const OmpSite &Site : Sites.Constructs) {
      const OMPExecutableDirective &D = *Site.directive();
      OmpConstruct C = classify(D, U.ast());
      const Stmt *Body = constructBody(D);
      if (!C.StartsTeam || C.Device || C.Tasks || !Body || D.getBeginLoc().isInvalid() ||
          (isa<OMPLoopDirective>(D) && sharedLoops(D).empty()) || isDefaultPrivate(D))
        continue;
      LockFinder Locks(/*Depth=*/2);
      Locks.TraverseStmt(const_cast<Stmt *>(Body));
      if (Locks.Found)
        continue;
      for (const auto &[V, X] : RegionUpdates(D, U.ast()).Found)
        report(Site, *V, X, /*Nested=*/Sites.runsInTeam(Site), U, R);
    }
  }

private:
  static bool isDefaultPrivate(const OMPExecutableDirective &D) {
    const auto *Default = D.getSingleClause<OMPDefaultClause>();
    return Default && Default->getDefaultKind() != llvm::omp::OMP_DEFAULT_shared &&
           Default->getDefaultKind() != llvm::omp::OMP_DEFAULT_none;
  }

  static void report(const OmpSite &Site, const VarDecl &V, const Update &X, bool Nested, Unit &U, Reporter &R) {
    const OMPExecutableDirective &D = *Site.directive();
    std::int64_t Line = lineOf(D.getBeginLoc(), U.sources());
    std::string Name = V.getNameAsString();
    Finding F;
    F.Rule = Slug;
    // A region within another one has a team of several threads only where the program asks for that.
    F.Conf = X.Conditional || (X.Scratch && Nested) ? Confidence::Medium : Confidence::High;
    F.Range = X.E->getSourceRange();
    F.Function = Unit::functionName(Site.In);
    F.Scope = D.getSourceRange();
    F.Relateds.push_back({V.getLocation(), "declared here, outside the region"});
    F.Relateds.push_back({D.getBeginLoc(), "all threads share it from here on"});
    bool Reduces = X.Operator == BO_Add || X.Operator == BO_Mul || X.Operator == BO_And || X.Operator == BO_Or ||
                   X.Operator == BO_Xor || X.Operator == BO_Sub;
    std::string Sign = X.Operator == BO_Sub ? "+" : BinaryOperator::getOpcodeStr(X.Operator).str();
    F.Args = {{"variable", Name},
              {"region", Line},
              {"does", std::string(X.Counter   ? "count with the same"
                                   : X.Scratch ? "set the same"
                                               : "update the same")},
              {"harm", std::string(X.Counter   ? "iterations are skipped and repeated"
                                   : X.Scratch ? "a thread reads what another one has stored"
                                               : "updates get lost")},
              {"remedy", variant(F.Rule,
                                 X.Counter || X.Scratch ? "own"
                                 : Reduces              ? "reduce"
                                                        : "combine",
                                 {{"variable", Name}, {"operator", Sign}})}};
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("omp-shared-counter", SharedCounter)

} // namespace
} // namespace stridewise
