#include "checks/omp-critical-section/CriticalUpdate.h"
#include "checks/omp-critical-section/SectionNames.h"
#include "library/LibraryCalls.h"
#include "omp/StdLocks.h"
#include "omp/UnitFunctions.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace stridewise {
namespace {

struct Parser {
  const ASTContext &Ctx;

  static const Stmt *only(const Stmt *S) {
    while (const auto *C = dyn_cast_or_null<CompoundStmt>(S)) {
      if (C->size() != 1)
        return C;
      S = C->body_front();
    }
    return S;
  }

  static llvm::StringRef reductionOf(BinaryOperatorKind K) {
    switch (K) {
    case BO_Add:
    case BO_AddAssign:
    case BO_Sub:
    case BO_SubAssign:
      return "+";
    case BO_Mul:
    case BO_MulAssign:
      return "*";
    case BO_And:
    case BO_AndAssign:
      return "&";
    case BO_Or:
    case BO_OrAssign:
      return "|";
    case BO_Xor:
    case BO_XorAssign:
      return "^";
    case BO_LAnd:
      return "&&";
    case BO_LOr:
      return "||";
    default:
      return "";
    }
  }

  std::optional<ScalarUpdate> make(ScalarUpdate::Kind K, const Expr *Target, const Expr *Value, const Stmt *From,
                                   llvm::StringRef Reduction, bool Atomic) {
    Target = Target->IgnoreParenImpCasts();
    ScalarUpdate U;
    U.K = K;
    U.Target = Target;
    U.Value = Value;
    U.From = From;
    U.Root = rootOf(Target);
    U.Reduction = Reduction.str();
    U.Atomic = Atomic;
    QualType T = Target->getType().getCanonicalType();
    if (!U.Root || !(T->isArithmeticType() || T->isPointerType()) || T.isVolatileQualified() || T->isAtomicType())
      return std::nullopt;
    if (K != ScalarUpdate::Capture && !isPure(Target, Ctx))
      return std::nullopt;
    if (Value && !isPure(Value, Ctx))
      return std::nullopt;
    // `x` in its own index or value makes the update more than an atomic one.
    if (Value && K != ScalarUpdate::Extremum && K != ScalarUpdate::Located && names(Value, Target))
      return std::nullopt;
    return U;
  }

  bool names(const Stmt *S, const Expr *Target) const {
    if (!S)
      return false;
    if (!isa<DeclRefExpr>(Target))
      return mayName(S, Target);
    if (const auto *E = dyn_cast<Expr>(S); E && E->getStmtClass() == Target->getStmtClass() && same(E, Target, Ctx))
      return true;
    return llvm::any_of(S->children(), [&](const Stmt *X) { return names(X, Target); });
  }

  // list.push_back(e), of numbers or records of them: text is for reports, which are rare.
  std::optional<ScalarUpdate> appended(const CXXMemberCallExpr &C, const Stmt *S) const {
    const CXXMethodDecl *M = C.getMethodDecl();
    const Expr *List = C.getImplicitObjectArgument();
    if (!M || !List || !M->getIdentifier() || !PathResolver::isContainer(List->getType()) ||
        (M->getName() != "push_back" && M->getName() != "emplace_back") ||
        !llvm::all_of(C.arguments(), [&](const Expr *A) { return isPure(A, Ctx); }) || !isPure(List, Ctx))
      return std::nullopt;
    const auto *Vector = dyn_cast<ClassTemplateSpecializationDecl>(M->getParent());
    const QualType Element =
        Vector && Vector->getTemplateArgs().size() ? Vector->getTemplateArgs()[0].getAsType() : QualType();
    if (Element.isNull() || !Element.isTriviallyCopyableType(Ctx))
      return std::nullopt;
    ScalarUpdate U;
    U.K = ScalarUpdate::Append;
    U.Target = List->IgnoreParenImpCasts();
    U.From = S;
    U.Root = rootOf(U.Target);
    return U.Root ? std::optional(U) : std::nullopt;
  }

  std::optional<ScalarUpdate> parse(const Stmt *S) {
    S = only(S);
    if (const auto *I = dyn_cast_or_null<IfStmt>(S))
      return guarded(I);
    const auto *E = dyn_cast_or_null<Expr>(S);
    if (!E)
      return std::nullopt;
    E = strip(E);
    if (const auto *C = dyn_cast<CXXMemberCallExpr>(E))
      return appended(*C, S);
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->isIncrementDecrementOp())
      return make(ScalarUpdate::Operation, U->getSubExpr(), nullptr, S, "+", true);
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || !B->isAssignmentOp())
      return std::nullopt;
    if (B->isCompoundAssignmentOp()) {
      if (B->getOpcode() == BO_RemAssign)
        return std::nullopt;
      return make(ScalarUpdate::Operation, B->getLHS(), B->getRHS(), S, reductionOf(B->getOpcode()), true);
    }
    return assignment(B, S);
  }

  std::optional<ScalarUpdate> assignment(const BinaryOperator *B, const Stmt *S) {
    const Expr *X = strip(B->getLHS()), *R = strip(B->getRHS());
    if (const auto *U = dyn_cast<UnaryOperator>(R); U && U->isIncrementDecrementOp())
      return make(ScalarUpdate::Capture, U->getSubExpr(), nullptr, S, "", false);
    // A ticket: list[n++] = e
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(X))
      if (const auto *U = dyn_cast<UnaryOperator>(strip(A->getIdx()));
          U && U->isIncrementDecrementOp() && isPure(R, Ctx) && !names(R, U->getSubExpr()->IgnoreParenImpCasts()))
        return make(ScalarUpdate::Capture, U->getSubExpr(), nullptr, S, "", false);
    if (const auto *O = dyn_cast<BinaryOperator>(R))
      if (Parsed U = operation(X, *O, S))
        return *U;
    if (const auto *C = dyn_cast<ConditionalOperator>(R))
      if (Parsed U = chosen(X, C->getTrueExpr(), C->getFalseExpr(), S, [&](const Expr *Value, bool First) {
            return extremum(C->getCond(), X, Value, /*TakesValue=*/!First);
          }))
        return *U;
    if (const auto *C = dyn_cast<CallExpr>(R); C && C->getNumArgs() == 2 && C->getDirectCallee())
      if (Parsed U = chosen(X, C->getArg(0), C->getArg(1), S, [&](const Expr *, bool) { return extremumCall(*C); }))
        return *U;
    return make(ScalarUpdate::Store, X, R, S, "", false);
  }

  // Nothing: another form. Else an update of this form, or none where it does more.
  using Parsed = std::optional<std::optional<ScalarUpdate>>;

  bool isSame(const Expr *E, const Expr *X) const { return same(strip(E), X, Ctx); }

  // x = x + e, x = e * x, x = x + a + b
  Parsed operation(const Expr *X, const BinaryOperator &O, const Stmt *S) {
    llvm::StringRef Red = reductionOf(O.getOpcode());
    bool Divides = O.getOpcode() == BO_Div || O.isShiftOp();
    if (isSame(O.getLHS(), X) && (!Red.empty() || Divides))
      return Parsed(make(ScalarUpdate::Operation, X, O.getRHS(), S, Red, !O.isLogicalOp()));
    if (isSame(O.getRHS(), X) && !Red.empty() && O.getOpcode() != BO_Sub)
      return Parsed(make(ScalarUpdate::Operation, X, O.getLHS(), S, Red, !O.isLogicalOp()));
    if (!O.isAdditiveOp())
      return std::nullopt;
    const Expr *First = &O;
    while (const auto *P = dyn_cast<BinaryOperator>(strip(First))) {
      if (!P->isAdditiveOp() || names(P->getRHS(), X))
        break;
      First = P->getLHS();
    }
    if (!isSame(First, X))
      return std::nullopt;
    std::optional<ScalarUpdate> U = make(ScalarUpdate::Operation, X, nullptr, S, "+", false);
    return Parsed(U && isPure(&O, Ctx) ? U : std::nullopt);
  }

  // One of two values, of which one is x: an extremum, where `Which` names it by the other one.
  Parsed chosen(const Expr *X, const Expr *One, const Expr *Other, const Stmt *S,
                llvm::function_ref<llvm::StringRef(const Expr *Value, bool First)> Which) {
    One = strip(One);
    Other = strip(Other);
    const bool First = isSame(One, X);
    if (First == isSame(Other, X))
      return std::nullopt;
    const Expr *Value = First ? Other : One;
    llvm::StringRef Red = Which(Value, First);
    if (Red.empty())
      return std::nullopt;
    return Parsed(make(ScalarUpdate::Extremum, X, Value, S, Red, false));
  }

  // "max" or "min" for a call that computes it of its two arguments: the library's, or one whose body shows it.
  llvm::StringRef extremumCall(const CallExpr &C) {
    if (const LibraryCall *Known = findLibraryCall(&C))
      return llvm::StringSwitch<llvm::StringRef>(Known->Name)
          .Cases("fmax", "fmaxf", "fmaxl", "std::max", "max")
          .Cases("fmin", "fminf", "fminl", "std::min", "min")
          .Default("");
    const FunctionDecl *Body = PathResolver::definition(&C);
    const Expr *Value = Body && Body->getNumParams() == 2 ? PathResolver::returned(Body) : nullptr;
    const auto *Choice = dyn_cast_or_null<ConditionalOperator>(Value ? strip(Value) : nullptr);
    if (!Choice)
      return "";
    const Expr *A = strip(Choice->getTrueExpr()), *B = strip(Choice->getFalseExpr());
    auto Is = [&](const Expr *E, unsigned I) {
      const auto *D = dyn_cast<DeclRefExpr>(E);
      return D && D->getDecl() == Body->getParamDecl(I);
    };
    if (!(Is(A, 0) && Is(B, 1)) && !(Is(A, 1) && Is(B, 0)))
      return "";
    return extremum(Choice->getCond(), B, A, /*TakesValue=*/true);
  }

  // "max" or "min" for a comparison that, when true, gives X the value (or keeps X).
  llvm::StringRef extremum(const Expr *Cond, const Expr *X, const Expr *Value, bool TakesValue) {
    const auto *C = dyn_cast<BinaryOperator>(strip(Cond));
    if (!C || !C->isRelationalOp())
      return "";
    const Expr *L = strip(C->getLHS()), *R = strip(C->getRHS());
    bool XFirst = same(L, X, Ctx) && same(R, Value, Ctx);
    if (!XFirst && !(same(R, X, Ctx) && same(L, Value, Ctx)))
      return "";
    bool Less = C->getOpcode() == BO_LT || C->getOpcode() == BO_LE;
    // x < e, and then x takes e: the maximum
    return (XFirst == Less) == TakesValue ? "max" : "min";
  }

  std::optional<ScalarUpdate> guarded(const IfStmt *I) {
    if (I->getElse() || I->getInit() || I->getConditionVariable())
      return std::nullopt;
    if (const auto *Block = dyn_cast_or_null<CompoundStmt>(only(I->getThen())))
      return located(*I, *Block);
    const BinaryOperator *B = plainAssignment(only(I->getThen()));
    if (!B)
      return std::nullopt;
    const Expr *X = strip(B->getLHS()), *Value = strip(B->getRHS());
    llvm::StringRef Red = extremum(I->getCond(), X, Value, true);
    if (Red.empty())
      return std::nullopt;
    return make(ScalarUpdate::Extremum, X, Value, I, Red, false);
  }

  static const BinaryOperator *plainAssignment(const Stmt *S) {
    const auto *E = dyn_cast_or_null<Expr>(S);
    const auto *B = dyn_cast_or_null<BinaryOperator>(E ? strip(E) : nullptr);
    return B && B->getOpcode() == BO_Assign ? B : nullptr;
  }

  // if (e > x) { x = e; where = i; }
  std::optional<ScalarUpdate> located(const IfStmt &I, const CompoundStmt &Block) {
    const BinaryOperator *Best = nullptr;
    std::vector<const ValueDecl *> Notes;
    for (const Stmt *S : Block.body()) {
      const BinaryOperator *B = plainAssignment(S);
      if (!B || !isPure(B->getRHS(), Ctx) || !isPure(B->getLHS(), Ctx))
        return std::nullopt;
      if (extremum(I.getCond(), strip(B->getLHS()), strip(B->getRHS()), true).empty()) {
        Notes.push_back(rootOf(B->getLHS()));
        continue;
      }
      if (Best)
        return std::nullopt;
      Best = B;
    }
    if (!Best || llvm::is_contained(Notes, nullptr))
      return std::nullopt;
    std::optional<ScalarUpdate> U =
        make(ScalarUpdate::Located, strip(Best->getLHS()), strip(Best->getRHS()), &I, "", false);
    if (U)
      U->Notes = std::move(Notes);
    return U;
  }

  // Two updates may be taken apart: neither uses what the other one makes.
  static bool areIndependent(const ScalarUpdate &A, const ScalarUpdate &B) {
    auto Uses = [](const ScalarUpdate &X, const ScalarUpdate &Y) {
      return (X.Value && mayName(X.Value, Y.Target)) || subscriptsMayName(X.Target, Y.Target);
    };
    if (Uses(A, B) || Uses(B, A))
      return false;
    // Elements of one array, perhaps the same one: sums of both come out alike in any order.
    bool Sums = A.K == ScalarUpdate::Operation && B.K == ScalarUpdate::Operation && A.Reduction == B.Reduction &&
                !isa<DeclRefExpr>(A.Target) && !isa<DeclRefExpr>(B.Target);
    return Sums || !mayName(B.Target, A.Target);
  }

  // A loop that counts by one, and does nothing else with its counter.
  bool isPlainLoop(const ForStmt &F) const {
    const auto *Init = dyn_cast_or_null<DeclStmt>(F.getInit());
    const auto *Counter = Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
    const Expr *Start = Counter ? Counter->getInit() : nullptr;
    if (const BinaryOperator *B = plainAssignment(F.getInit())) {
      Counter = UnitFunctions::variableOf(B->getLHS());
      Start = B->getRHS();
    }
    const auto *Step = dyn_cast_or_null<UnaryOperator>(F.getInc() ? F.getInc()->IgnoreParens() : nullptr);
    return Counter && F.getCond() && !F.getConditionVariable() && Step && Step->isIncrementDecrementOp() &&
           rootOf(Step->getSubExpr()) == Counter && isPure(F.getCond(), Ctx) && (!Start || isPure(Start, Ctx));
  }

  bool collectLoop(const ForStmt &F, std::vector<ScalarUpdate> &Updates) {
    if (!isPlainLoop(F))
      return false;
    const std::size_t First = Updates.size();
    const auto *Block = dyn_cast<CompoundStmt>(F.getBody());
    llvm::SmallVector<const Stmt *> Body;
    if (Block)
      Body.append(Block->body_begin(), Block->body_end());
    else
      Body.push_back(F.getBody());
    for (const Stmt *X : Body)
      if (!collect(X, true, Updates))
        return false;
    for (ScalarUpdate &U : llvm::drop_begin(Updates, First)) {
      U.Atomic = false;
      if (mayName(F.getCond(), U.Target))
        return false;
    }
    return true;
  }

  // Adds the updates of a statement. False when it does anything else. Those of a loop are no atomic construct's.
  bool collect(const Stmt *S, bool Several, std::vector<ScalarUpdate> &Updates) {
    if (isa<NullStmt>(S))
      return true;
    if (const auto *D = dyn_cast<DeclStmt>(S))
      return declares(*D);
    if (const auto *F = dyn_cast<ForStmt>(S))
      return collectLoop(*F, Updates);
    std::optional<ScalarUpdate> U = parse(S);
    if (!U || (Several && U->K != ScalarUpdate::Operation && U->K != ScalarUpdate::Extremum))
      return false;
    for (const ScalarUpdate &Before : Updates)
      if (!areIndependent(Before, *U))
        return false;
    Updates.push_back(std::move(*U));
    return true;
  }

  // Values that the section names for itself: `const int cell = index(i, j);`
  bool declares(const DeclStmt &D) {
    return llvm::all_of(D.decls(), [&](const Decl *Each) {
      const auto *V = dyn_cast<VarDecl>(Each);
      if (!V || !V->hasLocalStorage() || !V->getInit() || !V->getType()->isScalarType() || !isPure(V->getInit(), Ctx))
        return false;
      Named.push_back(V->getInit());
      return true;
    });
  }

  /// All statements of a body; empty unless each is an update and none uses another one's target.
  std::vector<ScalarUpdate> all(llvm::ArrayRef<const Stmt *> Body) {
    std::vector<ScalarUpdate> Updates;
    Named.clear();
    for (const Stmt *S : Body)
      if (!collect(S, Body.size() > 1, Updates))
        return {};
    for (ScalarUpdate &U : Updates) {
      U.Atomic = U.Atomic && Named.empty();
      if (llvm::any_of(Named, [&](const Expr *E) { return mayName(E, U.Target); }))
        return {};
    }
    return Updates;
  }

  llvm::SmallVector<const Expr *, 4> Named = {}; // by the section
};

const Expr *lockArgument(const Stmt *S) {
  const auto *E = dyn_cast<Expr>(S);
  const auto *C = dyn_cast_or_null<CallExpr>(E ? strip(E) : nullptr);
  return C && C->getNumArgs() == 1 ? C->getArg(0)->IgnoreParenImpCasts() : nullptr;
}

// An atomic construct that hands nothing out.
bool isUpdate(const OMPExecutableDirective &D) {
  return isa<OMPAtomicDirective>(D) && llvm::none_of(D.clauses(), [](const OMPClause *C) {
           return isa<OMPReadClause, OMPWriteClause, OMPCaptureClause, OMPCompareClause>(C);
         });
}

bool isCallOf(const Stmt *S, llvm::StringRef Name) {
  const auto *E = dyn_cast<Expr>(S);
  const auto *C = dyn_cast_or_null<CallExpr>(E ? strip(E) : nullptr);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && F->getName() == Name;
}

// Critical sections, and atomic constructs of one operation.
void addConstruct(const OmpSite &Site, Parser &P, std::vector<LockedUpdates> &All) {
  const auto *D = dyn_cast<OMPExecutableDirective>(Site.S);
  const auto *Critical = dyn_cast<OMPCriticalDirective>(Site.S);
  const Stmt *Body = D && (Critical || isUpdate(*D)) ? constructBody(*D) : nullptr;
  if (!Body)
    return;
  LockedUpdates L;
  L.Site = &Site;
  L.Body = Body;
  L.IsAtomic = !Critical;
  if (Critical)
    L.Name = Critical->getDirectiveName().getAsString();
  if (const auto *C = dyn_cast<CompoundStmt>(Body))
    L.Updates = P.all(llvm::SmallVector<const Stmt *>(C->body_begin(), C->body_end()));
  else
    L.Updates = P.all(Body);
  if (!L.IsAtomic || (L.Updates.size() == 1 && L.Updates[0].K == ScalarUpdate::Operation))
    All.push_back(std::move(L));
}

// What stands between taking a lock and giving it back, in one block.
void addLocked(const OmpSite &Site, Parser &P, std::vector<LockedUpdates> &All) {
  if (!Site.Block)
    return;
  llvm::SmallVector<const Stmt *> Between;
  const Stmt *Release = nullptr;
  bool Inside = false;
  for (const Stmt *S : Site.Block->body()) {
    if (S == Site.S) {
      Inside = true;
    } else if (Inside && isCallOf(S, "omp_unset_lock")) {
      const Expr *A = lockArgument(Site.S), *B = lockArgument(S);
      Release = A && B && same(A, B, P.Ctx) ? S : nullptr;
      break;
    } else if (Inside) {
      Between.push_back(S);
    }
  }
  if (!Release || Between.empty())
    return;
  LockedUpdates L;
  L.Site = &Site;
  L.Body = Between.front();
  L.Release = Release;
  L.Lock = lockArgument(Site.S);
  L.Updates = P.all(Between);
  All.push_back(std::move(L));
}

// From a lock object to the end of its block.
void addScoped(const OmpSite &Site, Parser &P, std::vector<LockedUpdates> &All) {
  llvm::SmallVector<const Stmt *> Between;
  if (Site.Block)
    Between.append(std::next(llvm::find(Site.Block->body(), Site.S)), Site.Block->body_end());
  if (Between.empty())
    return;
  LockedUpdates L;
  L.Site = &Site;
  L.Body = Between.front();
  L.Release = Site.S;
  L.Lock = scopedLock(Site.S);
  L.Updates = P.all(Between);
  All.push_back(std::move(L));
}

void addStdAtomic(const OmpSite &Site, const ASTContext &Ctx, std::vector<LockedUpdates> &All) {
  std::optional<StdAtomicUpdate> A = stdAtomicUpdate(Site.S);
  const ValueDecl *Root = A ? rootOf(A->Target) : nullptr;
  if (!Root || (A->Value && (!isPure(A->Value, Ctx) || mentions(A->Value, Root))))
    return;
  LockedUpdates L;
  L.Site = &Site;
  L.Body = Site.S;
  L.IsAtomic = true;
  ScalarUpdate &U = L.Updates.emplace_back();
  U.Target = A->Target;
  U.Value = A->Value;
  U.From = Site.S;
  U.Root = Root;
  U.Reduction = A->Reduction;
  All.push_back(std::move(L));
}

} // namespace

std::vector<LockedUpdates> lockedUpdates(const OmpSites &Sites, ASTContext &Ctx) {
  std::vector<LockedUpdates> All;
  Parser P{Ctx};
  for (const OmpSite &Site : Sites.Constructs)
    addConstruct(Site, P, All);
  for (const auto &[F, Calls] : Sites.RuntimeCalls)
    if (F->getName() == "omp_set_lock")
      for (const OmpSite &Site : Calls)
        addLocked(Site, P, All);
  for (const OmpSite &Site : Sites.ScopedLocks)
    addScoped(Site, P, All);
  for (const OmpSite &Site : Sites.StdAtomics)
    addStdAtomic(Site, Ctx, All);
  return All;
}

} // namespace stridewise
