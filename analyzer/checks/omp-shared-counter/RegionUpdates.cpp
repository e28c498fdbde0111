#include "checks/omp-shared-counter/RegionUpdates.h"
#include "checks/omp-shared-counter/KeptScratch.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "library/LibraryCalls.h"
#include "omp/TeamSize.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace clang;

namespace stridewise {
namespace {

// Bodies of functions that the walk goes through for one region.
constexpr unsigned MostInlined = 400;
// Variables whose values follow from each other's, before one of them is taken for the number of a thread.
constexpr unsigned MostAsked = 8;

struct Declarations : Visitor<Declarations> {
  llvm::SmallPtrSetImpl<const VarDecl *> &Own;
  explicit Declarations(llvm::SmallPtrSetImpl<const VarDecl *> &Own) : Own(Own) {
    ShouldVisitImplicitCode = true; // the iterators of a range-based loop are the thread's, too
  }
  bool VisitVarDecl(VarDecl *V) override {
    Own.insert(V->getCanonicalDecl());
    return true;
  }
};

bool leaves(const Stmt *S) {
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

class RegionUpdates : SharedPlaces {
public:
  RegionUpdates(const OMPExecutableDirective &Region, const FunctionDecl *Method, ASTContext &Ctx)
      : SharedPlaces(constructBody(Region), Ctx) {
    Declarations(Own).TraverseStmt(const_cast<OMPExecutableDirective *>(&Region));
    Context C;
    C.Shares = isOpenMPWorksharingDirective(Region.getDirectiveKind());
    if (isa_and_nonnull<CXXMethodDecl>(Method))
      C.This = SharedPlace{};
    enter(Region, C);
    walk(Body, C);
    // Begun anew in each iteration, it is no sum of all of them.
    for (SharedUpdate &X : Found)
      X.Scratch |= !X.Counter && llvm::is_contained(Begun, X.Place);
    for (SharedUpdate &X : Scratch)
      if (X.Callee || isRead(X.Place.Base)) {
        SharedUpdate *Known = find(X.Place);
        if (!Known)
          Found.push_back(X);
        else if (!Known->Counter && !X.Kept)
          *Known = X;
      }
  }
  std::vector<SharedUpdate> Found;

private:
  static void enter(const OMPExecutableDirective &D, Context &C) {
    for (const VarDecl *V : privateVariables(D))
      C.Private.insert(V);
    for (const ForStmt *F : sharedLoops(D))
      addCounter(*F, C.Counters);
  }

  SharedUpdate *find(const SharedPlace &P) {
    auto It = llvm::find_if(Found, [&](const SharedUpdate &X) { return X.Place == P; });
    return It == Found.end() ? nullptr : &*It;
  }

  void update(const Expr *E, const Expr *Target, BinaryOperatorKind Operator, bool State, const Context &C,
              llvm::StringRef Extremum = "") {
    const QualType T = Target->getType().getNonReferenceType();
    if ((!T->isArithmeticType() && !T->isRecordType()) || T->isAtomicType() || T->isDependentType())
      return;
    std::optional<SharedPlace> Place = placeOf(Target, C);
    if (!Place || (!Place->Base && Place->Steps.empty()))
      return;
    SharedUpdate X;
    X.Place = *Place;
    X.E = E;
    X.Target = Target;
    X.Callee = C.Callees.empty() ? nullptr : C.Callees.back();
    X.Call = C.Call;
    X.Counter = C.Counter;
    X.Conditional = C.Conditional;
    X.Operator = Operator;
    X.State = State;
    X.Extremum = Extremum;
    if (SharedUpdate *Known = find(*Place)) {
      if (Known->Conditional && !C.Conditional)
        *Known = X;
    } else {
      Found.push_back(X);
    }
  }

  static bool isAssociative(BinaryOperatorKind K) {
    return K == BO_Add || K == BO_Sub || K == BO_Mul || K == BO_And || K == BO_Or || K == BO_Xor;
  }

  // `x = x + …`; Operator is that of x. Mixed: others stand around it, so that no reduction does the same.
  bool combines(const Expr *Value, const SharedPlace &P, const Context &C, BinaryOperatorKind &Operator,
                bool &Mixed) const {
    const auto *B = dyn_cast<BinaryOperator>(Value->IgnoreParenImpCasts());
    if (!B || B->isAssignmentOp() || B->isComparisonOp() || B->isLogicalOp() || B->isCommaOp())
      return false;
    const BinaryOperatorKind K = B->getOpcode();
    if (means(B->getLHS(), P, C)) {
      Operator = K;
      Mixed = !isAssociative(K) || mentions(B->getRHS(), P, C);
      return true;
    }
    if (means(B->getRHS(), P, C) && K != BO_Sub && K != BO_Div) {
      Operator = K;
      Mixed = !isAssociative(K) || mentions(B->getLHS(), P, C);
      return true;
    }
    for (const Expr *Side : {B->getLHS(), B->getRHS()})
      if (combines(Side, P, C, Operator, Mixed)) {
        const bool Sum = B->isAdditiveOp() && (Operator == BO_Add || Operator == BO_Sub) && Side == B->getLHS();
        Mixed |= !Sum;
        return true;
      }
    return false;
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
        Found |= E->getCastKind() == CK_LValueToRValue && namedVariable(E->getSubExpr()) == V;
        return !Found;
      }
      // Objects are read by what takes them, and by their members.
      bool VisitCallExpr(CallExpr *Call) override {
        const auto *O = dyn_cast<CXXOperatorCallExpr>(Call);
        for (unsigned I = O && O->getOperator() == OO_Equal; I < Call->getNumArgs(); ++I)
          Found |= V->getType()->isRecordType() && namedVariable(Call->getArg(I)) == V;
        return !Found;
      }
      bool VisitCXXConstructExpr(CXXConstructExpr *New) override {
        for (const Expr *Argument : New->arguments())
          Found |= namedVariable(Argument) == V;
        return !Found;
      }
      bool VisitMemberExpr(MemberExpr *M) override {
        Found |= V->getType()->isRecordType() && namedVariable(M->getBase()) == V;
        return !Found;
      }
    } Search(V);
    Search.TraverseStmt(const_cast<Stmt *>(Body));
    return Search.Found;
  }

  // `if (e > x) x = e;`, perhaps with more that goes with it.
  void largest(const IfStmt &If, const Context &C) {
    const auto *Compare = dyn_cast<BinaryOperator>(If.getCond()->IgnoreParenImpCasts());
    if (!Compare || !Compare->isRelationalOp())
      return;
    const bool Less = Compare->getOpcode() == BO_LT || Compare->getOpcode() == BO_LE;
    for (const Expr *Side : {Compare->getLHS(), Compare->getRHS()}) {
      std::optional<SharedPlace> Place = placeOf(Side, C);
      const BinaryOperator *Store = Place ? storeTo(*Place, If.getThen(), C) : nullptr;
      if (!Store)
        continue;
      Raised.insert(Store);
      update(Store, Store->getLHS(), BO_Assign, /*State=*/false, C,
             (Side == Compare->getLHS()) == Less ? "max" : "min");
    }
  }

  // The statement of a block that gives the place a value.
  const BinaryOperator *storeTo(const SharedPlace &P, const Stmt *S, const Context &C) const {
    if (const auto *Block = dyn_cast<CompoundStmt>(S)) {
      if (llvm::any_of(Block->body(), mayTakeLock))
        return nullptr;
      for (const Stmt *Each : Block->body())
        if (const BinaryOperator *Found = isa<CompoundStmt>(Each) ? nullptr : storeTo(P, Each, C))
          return Found;
      return nullptr;
    }
    const auto *E = dyn_cast<Expr>(S);
    const auto *A = E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
    return A && A->getOpcode() == BO_Assign && means(A->getLHS(), P, C) ? A : nullptr;
  }

  // `x = fmax(x, e)`: "max" or "min"; empty for anything else.
  llvm::StringRef chosen(const Expr *Value, const SharedPlace &P, const Context &C) const {
    const auto *Call = dyn_cast<CallExpr>(Value->IgnoreParenImpCasts());
    const LibraryCall *Known = Call && Call->getNumArgs() == 2 ? findLibraryCall(Call) : nullptr;
    if (!Known || (!means(Call->getArg(0), P, C) && !means(Call->getArg(1), P, C)))
      return "";
    return llvm::StringSwitch<llvm::StringRef>(Known->Name)
        .Cases("fmax", "fmaxf", "fmaxl", "std::max", "max")
        .Cases("fmin", "fminf", "fminl", "std::min", "min")
        .Default("");
  }

  // `sum = 0` in a shared loop; x = a[i].
  void begin(const BinaryOperator *A, const std::optional<SharedPlace> &Place, const Context &C) {
    if (Place && C.Shares && !Raised.contains(A))
      Begun.push_back(*Place);
    overwrite(A, A->getLHS(), A->getRHS(), C);
  }

  // Numbers, complex numbers and records that are copied as bytes.
  bool isValue(QualType T) const {
    T = T.getNonReferenceType();
    if (T->isAtomicType() || T->isDependentType() || T.isVolatileQualified())
      return false;
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    return T->isArithmeticType() ||
           (T->isRecordType() && T.isTriviallyCopyableType(Ctx) && (!R || R->hasCopyAssignmentWithConstParam()) &&
            !(R && R->isInStdNamespace() && R->getName().starts_with("atomic")));
  }

  // `x = a[i]`, in the text of the region; in a function, of what is kept from call to call.
  void overwrite(const Expr *A, const Expr *Target, const Expr *Value, const Context &C) {
    const auto *Set = dyn_cast<BinaryOperator>(A);
    const bool Called = !C.Callees.empty();
    const VarDecl *Whole = namedVariable(Target),
                  *V = !Whole && Called && Set ? keptScratchArray(*Set, *C.Callees.back(), Ctx) : Whole;
    if (!V || C.Conditional || !isValue(Target->getType()) || !isSharedVariable(V, C))
      return;
    const bool EachIteration = C.Shares && isOwnValue(Value, C);
    if (Called ? !Set || !Target->getType()->isArithmeticType() || (Whole && !isKeptScratch(*Set, V, *C.Callees.back()))
               : !EachIteration)
      return;
    SharedUpdate X;
    X.Kept = !EachIteration || !Whole;
    X.Callee = Called ? C.Callees.back() : nullptr;
    X.Call = C.Call;
    X.Place.Base = V;
    if (llvm::any_of(Scratch, [&](const SharedUpdate &Known) { return Known.Place == X.Place; }))
      return;
    X.E = A;
    X.Target = Target;
    X.Operator = BO_Assign;
    X.Scratch = true;
    Scratch.push_back(X);
  }

  // Conditions

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

  // An integer of the thread's own that may hold its number, by what is stored in it.
  bool mayBeNumber(const VarDecl *V, const Context &C) const {
    if (!V->getType().getNonReferenceType()->isIntegralOrEnumerationType() || C.Counters.contains(V) ||
        C.Plain.contains(V))
      return false;
    if (V->getTLSKind() != VarDecl::TLS_None || V->hasAttr<OMPThreadPrivateDeclAttr>())
      return true;
    if (!Own.contains(V) && !C.Private.contains(V))
      return false;
    // While its own values are looked at, it is what they make it.
    if (isa<ParmVarDecl>(V) || Asked.size() >= MostAsked || !Asked.insert(V).second)
      return !Asked.contains(V);
    struct Values : Visitor<Values> {
      const RegionUpdates &In;
      const Context &C;
      const VarDecl *V;
      bool Found = false;
      Values(const RegionUpdates &In, const Context &C, const VarDecl *V) : In(In), C(C), V(V) {}
      bool VisitBinaryOperator(BinaryOperator *B) override {
        Found |= B->isAssignmentOp() && namedVariable(B->getLHS()) == V && !In.isPlain(B->getRHS(), C);
        return !Found;
      }
      bool VisitUnaryOperator(UnaryOperator *U) override {
        Found |= U->getOpcode() == UO_AddrOf && namedVariable(U->getSubExpr()) == V;
        return !Found;
      }
      bool VisitCallExpr(CallExpr *Call) override { // may store in what it takes by reference
        const FunctionDecl *F = Call->getDirectCallee();
        for (unsigned I = 0; F && I < Call->getNumArgs() && I < F->getNumParams(); ++I) {
          const QualType T = F->getParamDecl(I)->getType();
          Found |= T->isReferenceType() && !T->getPointeeType().isConstQualified() &&
                   namedVariable(Call->getArg(I)) == V && !F->isInStdNamespace();
        }
        return !Found;
      }
    } Search(*this, C, V);
    Search.Found = V->getInit() && !isPlain(V->getInit(), C);
    if (!Search.Found)
      Search.TraverseStmt(const_cast<Stmt *>(around(C)));
    Asked.erase(V);
    return Search.Found;
  }

  // The code that the walk is in: the text of the region, or the function that it calls.
  const Stmt *around(const Context &C) const { return C.Callees.empty() ? Body : C.Callees.back()->getBody(); }

  // Whether nothing in the expression may be, or ask for, the number of a thread.
  bool isPlain(const Expr *E, const Context &C) const {
    struct Finder : Visitor<Finder> {
      const RegionUpdates &In;
      const Context &C;
      bool Found = false;
      Finder(const RegionUpdates &In, const Context &C) : In(In), C(C) {}
      bool VisitCallExpr(CallExpr *Call) override {
        Found |= mayAsk(*Call, /*Depth=*/2);
        return !Found;
      }
      bool VisitDeclRefExpr(DeclRefExpr *R) override {
        const auto *V = dyn_cast<VarDecl>(R->getDecl());
        Found |= V && In.mayBeNumber(V->getCanonicalDecl(), C);
        return !Found;
      }
    } Search(*this, C);
    Search.TraverseStmt(const_cast<Expr *>(E));
    return !Search.Found;
  }

  // An element that the counters lead to, compared with a constant: many iterations may have it.
  bool isClass(const Expr *Element, const Expr *Constant, const Context &C) const {
    struct Finder : Visitor<Finder> {
      const Context &C;
      bool Subscript = false, Counter = false;
      explicit Finder(const Context &C) : C(C) {}
      bool VisitArraySubscriptExpr(ArraySubscriptExpr *) override { return Subscript = true; }
      bool VisitDeclRefExpr(DeclRefExpr *R) override {
        const auto *V = dyn_cast<VarDecl>(R->getDecl());
        Counter |= V && (C.Counters.contains(V->getCanonicalDecl()) || C.Plain.contains(V->getCanonicalDecl()));
        return true;
      }
    } Search(C);
    Search.TraverseStmt(const_cast<Expr *>(Element));
    return Search.Subscript && Search.Counter && (!Constant || Constant->isEvaluatable(Ctx));
  }

  // What one thread or one iteration alone may meet: the condition, or, Otherwise, that it does not hold.
  bool choosesOne(const Expr *Condition, const Context &C, bool Otherwise = false) const {
    struct Finder : Visitor<Finder> {
      const RegionUpdates &In;
      const Context &C;
      const bool Otherwise;
      bool Found = false;
      Finder(const RegionUpdates &In, const Context &C, bool Otherwise) : In(In), C(C), Otherwise(Otherwise) {}
      bool VisitBinaryOperator(BinaryOperator *B) override {
        Found |= B->getOpcode() == (Otherwise ? BO_NE : BO_EQ) && !In.isClass(B->getLHS(), B->getRHS(), C) &&
                 !In.isClass(B->getRHS(), B->getLHS(), C);
        return !Found;
      }
      bool VisitUnaryOperator(UnaryOperator *U) override {
        Found |= !Otherwise && U->getOpcode() == UO_LNot && !In.isClass(U->getSubExpr(), nullptr, C);
        return !Found;
      }
    } Search(*this, C, Otherwise);
    Search.TraverseStmt(const_cast<Expr *>(Condition));
    const Expr *Whole = Condition->IgnoreParenImpCasts();
    const bool IsValue = isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr, CallExpr>(Whole); // `if (x)`: not 0
    return Search.Found || (Otherwise && IsValue && !isClass(Whole, nullptr, C)) || !isPlain(Condition, C);
  }

  // The walk

  void arm(const Stmt *S, const Expr *Condition, Context C, bool Otherwise = false) {
    if (!S || choosesOne(Condition, C, Otherwise))
      return;
    C.Conditional = true;
    walk(S, C);
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
    std::ptrdiff_t After = std::count_if(Block.body_begin(), Block.body_end(), mayTakeLock);
    bool Before = false;
    Context Inner = C;
    for (const Stmt *Each : Block.body()) {
      bool May = mayTakeLock(Each);
      After -= May;
      if (!(Before && After))
        walk(Each, Inner);
      Before |= May;
      if (!leaves(Each))
        continue;
      // What is behind a way out, not every iteration comes to, or one alone.
      if (const auto *If = dyn_cast<IfStmt>(Each); If && choosesOne(If->getCond(), Inner, leaves(If->getThen())))
        return;
      Inner.Conditional = true;
    }
  }

  // ++n, n += e, n = n + e; n = e
  void noteUpdate(const Stmt *S, const Context &C) {
    if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp()) {
      update(U, U->getSubExpr(), U->isIncrementOp() ? BO_Add : BO_Sub, /*State=*/false, C);
    } else if (const auto *B = dyn_cast<CompoundAssignOperator>(S)) {
      const BinaryOperatorKind K = BinaryOperator::getOpForCompoundAssignment(B->getOpcode());
      std::optional<SharedPlace> Place = placeOf(B->getLHS(), C);
      const bool Shift = K == BO_Shl || K == BO_Shr || K == BO_Rem;
      update(B, B->getLHS(), K, Shift || (Place && mentions(B->getRHS(), *Place, C)), C);
    } else if (const auto *A = dyn_cast<BinaryOperator>(S); A && A->getOpcode() == BO_Assign) {
      BinaryOperatorKind Operator = BO_Add;
      bool Mixed = false;
      if (std::optional<SharedPlace> Place = placeOf(A->getLHS(), C);
          Place && combines(A->getRHS(), *Place, C, Operator, Mixed))
        update(A, A->getLHS(), Operator, Mixed, C);
      else if (llvm::StringRef Which = Place ? chosen(A->getRHS(), *Place, C) : ""; !Which.empty())
        update(A, A->getLHS(), BO_Assign, /*State=*/false, C, Which);
      else
        begin(A, Place, C);
    } else if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S);
               O && O->getOperator() == OO_Equal && O->getNumArgs() == 2) {
      overwrite(O, O->getArg(0), O->getArg(1), C);
    } else if (O && O->getOperator() == OO_Call) {
      for (const Expr *Object : advancedBy(*O))
        update(O, Object, BO_Assign, /*State=*/true, C);
    }
  }

  // The body of a function of this unit, with what its parameters stand for.
  void call(const CallExpr &Call, const FunctionDecl *F, const Context &C) {
    const FunctionDecl *Definition = nullptr;
    if (findLibraryCall(&Call) || !F->hasBody(Definition) || !Definition->getBody() || Inlined >= MostInlined ||
        C.Callees.size() >= DeepestSharedCall || llvm::is_contained(C.Callees, Definition) ||
        Ctx.getSourceManager().isInSystemHeader(Definition->getLocation()))
      return;
    const auto *Method = dyn_cast<CXXMethodDecl>(Definition);
    const bool Lambda = Method && Method->getParent()->isLambda();
    if (Method && (Method->isVirtual() || (Lambda && !Method->isConst())))
      return;
    ++Inlined;
    Context Inner = C;
    Inner.Conditional |= Lambda; // who made it may be one of several threads, with variables of its own
    Inner.Counter = false;
    Inner.Call = C.Call ? C.Call : &Call;
    Inner.Callees.push_back(Definition);
    Inner.This.reset();
    unsigned First = 0; // of the arguments, the one for the first parameter
    if (Method && Method->isInstance()) {
      if (const auto *Member = dyn_cast<CXXMemberCallExpr>(&Call)) {
        const Expr *Object = Member->getImplicitObjectArgument();
        Inner.This = Object->getType()->isPointerType() ? pointee(Object, C) : placeOf(Object, C);
      } else if (isa<CXXOperatorCallExpr>(Call)) {
        Inner.This = placeOf(Call.getArg(0), C);
        First = 1;
      }
    }
    for (unsigned I = 0; I < Definition->getNumParams() && I + First < Call.getNumArgs(); ++I)
      bind(*Definition->getParamDecl(I)->getCanonicalDecl(), *Call.getArg(I + First), C, Inner);
    for (const ParmVarDecl *P : Definition->parameters())
      Own.insert(P->getCanonicalDecl());
    Declarations(Own).TraverseStmt(Definition->getBody());
    walk(Definition->getBody(), Inner);
  }

  void bind(const VarDecl &Parameter, const Expr &Argument, const Context &C, Context &Inner) const {
    const QualType T = Parameter.getType();
    const auto *F = cast<FunctionDecl>(Parameter.getDeclContext());
    if (isChanged(&Parameter, F->getBody()) && !T->isReferenceType())
      return;
    if (T->isReferenceType() || T->isPointerType()) {
      if (auto Place = T->isReferenceType() ? placeOf(&Argument, C) : pointee(&Argument, C))
        Inner.Bound.push_back({&Parameter, *Place});
    } else if (T->isIntegralOrEnumerationType() && isPlain(&Argument, C)) {
      Inner.Plain.insert(&Parameter);
    }
  }

  void loop(const ForStmt &For, const Context &C) {
    walk(For.getInit(), C);
    walk(For.getCond(), C);
    Context Inc = C;
    Inc.Counter = true;
    walk(For.getInc(), Inc);
    Context Inner = C;
    addCounter(For, Inner.Counters);
    walk(For.getBody(), Inner);
  }

  void walk(const Stmt *S, const Context &C) {
    if (!S || isa<LambdaExpr, BlockExpr, SwitchStmt, CXXTryStmt, GotoStmt, IndirectGotoStmt>(S))
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
      largest(*If, C);
      const Stmt *Alone = branchOfOneThread(*If, Ctx);
      if (If->getThen() != Alone)
        arm(If->getThen(), If->getCond(), C);
      if (If->getElse() != Alone)
        arm(If->getElse(), If->getCond(), C, /*Otherwise=*/true);
      return;
    }
    if (const auto *Choice = dyn_cast<ConditionalOperator>(S)) {
      walk(Choice->getCond(), C);
      arm(Choice->getTrueExpr(), Choice->getCond(), C);
      return arm(Choice->getFalseExpr(), Choice->getCond(), C, /*Otherwise=*/true);
    }
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isLogicalOp()) {
      walk(B->getLHS(), C);
      return arm(B->getRHS(), B->getLHS(), C, /*Otherwise=*/B->getOpcode() == BO_LOr);
    }
    if (const auto *For = dyn_cast<ForStmt>(S))
      return loop(*For, C);
    if (const auto *Block = dyn_cast<CompoundStmt>(S))
      return block(*Block, C);
    noteUpdate(S, C);
    for (const Stmt *Child : S->children())
      walk(Child, C);
    if (const auto *Call = dyn_cast<CallExpr>(S))
      for (const FunctionDecl *F : calledFunctions(*Call))
        call(*Call, F, C);
  }

  unsigned Inlined = 0;
  mutable llvm::SmallPtrSet<const VarDecl *, 8> Asked; // whose values are looked at
  std::vector<SharedUpdate> Scratch;
  llvm::SmallPtrSet<const BinaryOperator *, 4> Raised; // stores of a larger or smaller value
  std::vector<SharedPlace> Begun; // what an iteration gives a value that has nothing to do with the last one
};

} // namespace

std::vector<SharedUpdate> findSharedUpdates(const OMPExecutableDirective &Region, const FunctionDecl *Method,
                                            ASTContext &Ctx) {
  return RegionUpdates(Region, Method, Ctx).Found;
}

} // namespace stridewise
