#include "checks/omp-shared-counter/ScatteredUpdates.h"
#include "checks/omp-shared-counter/ElementChoice.h"
#include "checks/omp-shared-counter/RegionUpdates.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "library/LibraryCalls.h"
#include "omp/TeamSize.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace clang;

namespace stridewise {
namespace {

constexpr unsigned MaxDepth = 6; // of variables whose values follow from each other's

using Variables = llvm::SmallPtrSet<const VarDecl *, 8>;

const VarDecl *counterOf(const ForStmt &F) {
  if (const auto *S = dyn_cast_or_null<DeclStmt>(F.getInit()); S && S->isSingleDecl())
    return dyn_cast<VarDecl>(S->getSingleDecl()->getCanonicalDecl());
  const auto *B = dyn_cast_or_null<BinaryOperator>(F.getInit());
  return B ? namedVariable(B->getLHS()) : nullptr;
}

template <typename Node, typename Predicate> bool anyWithin(const Stmt *S, Predicate Holds) {
  if (!S)
    return false;
  if (const auto *N = dyn_cast<Node>(S); N && Holds(*N))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return anyWithin<Node>(Child, Holds); });
}

bool names(const Stmt *S, const Variables &Any) {
  return anyWithin<DeclRefExpr>(S, [&](const DeclRefExpr &R) {
    const auto *V = dyn_cast<VarDecl>(R.getDecl());
    return V && Any.contains(V->getCanonicalDecl());
  });
}

// An element of an array, of a pointer or of a container: what it is of, and by which index.
std::optional<std::pair<const Expr *, const Expr *>> elementOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return std::pair(A->getBase()->IgnoreParenImpCasts(), A->getIdx());
  const auto *Call = dyn_cast<CXXOperatorCallExpr>(E);
  if (Call && Call->getOperator() == OO_Subscript && Call->getNumArgs() == 2)
    return std::pair(Call->getArg(0)->IgnoreParenImpCasts(), Call->getArg(1));
  return std::nullopt;
}

// Of an entry, or of a pointer to one: `cells[k]`, `cells + k`.
const Expr *tableOf(const Expr &E) {
  if (auto Element = elementOf(&E))
    return Element->first;
  const auto *Sum = dyn_cast<BinaryOperator>(&E);
  if (!Sum || Sum->getOpcode() != BO_Add || !Sum->getType()->isPointerType())
    return nullptr;
  return Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS();
}

class ScatterWalk {
public:
  ScatterWalk(const OMPExecutableDirective &Region, const FunctionDecl *In, ASTContext &Ctx) : Ctx(Ctx) {
    Body = constructBody(Region);
    anyWithin<DeclStmt>(Body, [&](const DeclStmt &D) {
      for (const Decl *Each : D.decls())
        if (const auto *V = dyn_cast<VarDecl>(Each); V && !V->isStaticLocal())
          Within.insert(V->getCanonicalDecl());
      return false;
    });
    if (In && In->hasBody())
      anyWithin<ForStmt>(In->getBody(), [&](const ForStmt &F) {
        Stepped.insert(counterOf(F));
        return false;
      });
    walk(&Region, nullptr);
  }
  std::vector<ScatteredUpdate> Found;

private:
  // --- which loops ---------------------------------------------------------------------------------------------------

  // Constructs of one thread, of one at a time, and of tasks have no updates side by side.
  void walk(const Stmt *S, const OMPExecutableDirective *Sharing) {
    if (!S || isa<LambdaExpr, BlockExpr>(S))
      return;
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      const OmpConstruct C = classify(*D, Ctx);
      if (C.OneThread || C.Exclusive || C.Device || C.Tasks || C.Other || !constructBody(*D))
        return;
      for (const VarDecl *V : privateVariables(*D))
        Private.insert(V);
      if (C.SharesLoop && !Sharing && !sharedLoops(*D).empty())
        return study(*D);
      return walk(constructBody(*D), Sharing);
    }
    for (const Stmt *Child : S->children())
      walk(Child, Sharing);
  }

  void study(const OMPExecutableDirective &D) {
    const std::vector<const ForStmt *> Loops = sharedLoops(D);
    Shared.clear();
    Inner.clear();
    Own.clear();
    for (const ForStmt *F : Loops) {
      Shared.insert(counterOf(*F));
      // Bounds of a table are those of a colour, perhaps.
      for (const Stmt *Part : {F->getInit(), static_cast<const Stmt *>(F->getCond())})
        if (anyWithin<Expr>(Part, [](const Expr &E) { return elementOf(&E).has_value(); }) || namesOuterCounter(Part))
          return;
    }
    if (Shared.contains(nullptr))
      return;
    Code = Loops.back()->getBody();
    collect(Code);
    Leaves = anyWithin<Stmt>(Code, [](const Stmt &S) { return isa<ContinueStmt, BreakStmt, GotoStmt>(S); });
    Entries.clear();
    Said.clear();
    updates(Code, D);
  }

  // Counters of loops within, and variables that an iteration declares. Loops of another length for each iteration go
  // over lists, perhaps, of which each element is in one: they are left out.
  void collect(const Stmt *S) {
    if (!S)
      return;
    if (const auto *F = dyn_cast<ForStmt>(S))
      if (const VarDecl *V = counterOf(*F); V && !namesEach(F->getInit()) && !namesEach(F->getCond()))
        Inner.insert(V);
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each); V && !V->isStaticLocal())
          Own.insert(V->getCanonicalDecl());
    for (const Stmt *Child : S->children())
      collect(Child);
  }

  bool namesEach(const Stmt *Bound) const {
    return Bound &&
           (names(Bound, Shared) || anyWithin<Expr>(Bound, [](const Expr &E) { return elementOf(&E).has_value(); }));
  }

  // The counter of a loop around may stand for a colour.
  bool namesOuterCounter(const Stmt *S) const {
    return anyWithin<DeclRefExpr>(S, [&](const DeclRefExpr &R) {
      const auto *V = dyn_cast<VarDecl>(R.getDecl());
      V = V ? V->getCanonicalDecl() : nullptr;
      return V && !Shared.contains(V) && V->getType()->isIntegralOrEnumerationType() && isStepped(V);
    });
  }
  // Whether some loop of the function counts it.
  bool isStepped(const VarDecl *V) const { return Stepped.contains(V); }

  // --- updates -------------------------------------------------------------------------------------------------------

  void updates(const Stmt *S, const OMPExecutableDirective &D, bool Always = true) {
    if (!S || isa<LambdaExpr, BlockExpr>(S))
      return;
    if (const auto *Within = dyn_cast<OMPExecutableDirective>(S)) {
      const OmpConstruct C = classify(*Within, Ctx);
      if (C.OneThread || C.Exclusive || C.Device || C.Tasks || C.Other || C.StartsTeam)
        return;
      return updates(constructBody(*Within), D, Always);
    }
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      marks(If->getCond(), D);
      extremes(*If, D);
    }
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isEqualityOp())
      marks(B, D);
    if (const auto *If = dyn_cast<IfStmt>(S); If && asksForOne(If->getCond()) && !leavesOutOne(*If)) {
      updates(If->getElse(), D, /*Always=*/false);
      return;
    }
    Always &= !isa<IfStmt, SwitchStmt, ConditionalOperator, WhileStmt, GotoStmt, CXXTryStmt>(S);
    change(S, D);
    if (Always)
      stores(S, D);
    const auto *Test = dyn_cast<IfStmt>(S);
    const Stmt *Alone = Test ? branchOfOneThread(*Test, Ctx) : nullptr;
    for (const Stmt *Child : S->children())
      if (!Child || Child != Alone)
        updates(Child, D, Always);
  }

  void change(const Stmt *S, const OMPExecutableDirective &D) {
    if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
      update(*U, U->getSubExpr(), /*Counts=*/true, D);
    if (const auto *B = dyn_cast<CompoundAssignOperator>(S))
      update(*B, B->getLHS(), B->getRHS()->isEvaluatable(Ctx), D);
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getOpcode() == BO_Assign && addsToItself(*B))
      update(*B, B->getLHS(), /*Counts=*/false, D);
  }

  void stores(const Stmt *S, const OMPExecutableDirective &D) {
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getOpcode() == BO_Assign)
      store(*B, B->getLHS(), B->getRHS(), D);
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S); O && O->getOperator() == OO_Equal && O->getNumArgs() == 2)
      store(*O, O->getArg(0), O->getArg(1), D);
  }

  // An equality is for one thread, one iteration, or what a table says has room.
  static bool asksForOne(const Expr *Condition) {
    return anyWithin<BinaryOperator>(Condition, [](const BinaryOperator &B) { return B.isEqualityOp(); }) ||
           anyWithin<CallExpr>(Condition, [](const CallExpr &) { return true; });
  }

  // `if (i != k)`, two counters: for all iterations but one.
  bool leavesOutOne(const IfStmt &If) const {
    const auto *B = dyn_cast<BinaryOperator>(If.getCond()->IgnoreParenImpCasts());
    const auto IsCounter = [&](const Expr *E) {
      const VarDecl *V = namedVariable(E->IgnoreParenImpCasts());
      return V && (Shared.contains(V) || Inner.contains(V));
    };
    return B && B->getOpcode() == BO_NE && !If.getElse() && IsCounter(B->getLHS()) && IsCounter(B->getRHS());
  }

  bool addsToItself(const BinaryOperator &A) const {
    const auto *Sum = dyn_cast<BinaryOperator>(A.getRHS()->IgnoreParenImpCasts());
    const std::string Target = textOf(A.getLHS(), Ctx);
    return Sum && Sum->isAdditiveOp() &&
           (textOf(Sum->getLHS()->IgnoreParenImpCasts(), Ctx) == Target ||
            (Sum->getOpcode() == BO_Add && textOf(Sum->getRHS()->IgnoreParenImpCasts(), Ctx) == Target));
  }

  void update(const Expr &E, const Expr *Target, bool Counts, const OMPExecutableDirective &D) {
    const QualType T = Target->getType().getNonReferenceType();
    if (!T->isArithmeticType() || T->isAtomicType() || T->isDependentType())
      return;
    Target = Target->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(Target); M && !M->isArrow()) // nodes[i].force
      Target = M->getBase()->IgnoreParenImpCasts();
    ElementChoice Chosen;
    const Expr *Base = Target;
    Picked.clear();
    while (auto Element = elementOf(Base)) {
      // A dimension that the shared loop itself chooses keeps its iterations apart.
      if (namesPlainly(Element->second, Shared))
        return;
      Chosen.join(valueOf(Element->second, 0));
      Base = Element->first;
    }
    if (Base == Target || !Chosen.isByData() || !isShared(Base))
      return;
    const std::string Array = textOf(Base, Ctx);
    // What is counted by ones is a key; a number that grows may be one of a list, in which each stands once.
    bool Meets = Chosen.Cell || Chosen.Several || (Counts && T->isIntegerType());
    if (!Meets) {
      // Parts of what one entry picks, as many for each (`3 * c`, `3 * c + 1`), are one place; its neighbours are
      // others.
      const std::string Place = Chosen.Scaled ? llvm::join(Picked, ",") : textOf(Target, Ctx);
      auto [It, New] = Entries.insert({Array, Place});
      Meets = !New && It->second != Place;
    }
    if (Meets && Said.insert(Array).second)
      Found.push_back({&E, Array, &D});
  }

  // `line[i] = a[i][j]` in a shared loop over j: each iteration sets the elements that all others set, too.
  void store(const Expr &E, const Expr *Target, const Expr *Value, const OMPExecutableDirective &D) {
    if (!Inner.empty() && !Leaves && names(Value, Shared) && !Target->getType()->isDependentType())
      if (const Expr *Array = sameForAll(Target))
        if (const std::string Name = textOf(Array, Ctx); Said.insert(Name).second)
          Found.push_back({&E, Name, &D, /*Scratch=*/true, /*Marks=*/false, isStaticWithin(Array)});
  }

  // `if (sum < a[i][j]) a[i][j] = sum;` in a shared loop over k: all iterations compare and set the same elements.
  void extremes(const IfStmt &If, const OMPExecutableDirective &D) {
    // Who looks first, and once more under a lock or in a construct, is right.
    if (Inner.empty() || mayHoldLock(If.getThen()) ||
        anyWithin<OMPExecutableDirective>(If.getThen(), [](const OMPExecutableDirective &) { return true; }))
      return;
    anyWithin<BinaryOperator>(If.getThen(), [&](const BinaryOperator &B) {
      if (B.getOpcode() != BO_Assign || B.getLHS()->getType()->isDependentType())
        return false;
      const std::string Target = textOf(B.getLHS()->IgnoreParenImpCasts(), Ctx);
      const Expr *Array =
          anyWithin<BinaryOperator>(If.getCond(),
                                    [&](const BinaryOperator &Compare) {
                                      return Compare.isRelationalOp() &&
                                             (isNamed(*Compare.getLHS(), Target) || isNamed(*Compare.getRHS(), Target));
                                    })
              ? sameForAll(B.getLHS())
              : nullptr;
      if (Array && Said.insert(textOf(Array, Ctx)).second)
        Found.push_back({&B, textOf(Array, Ctx), &D, /*Scratch=*/true, /*Marks=*/false, /*Static=*/false,
                         /*Extreme=*/true});
      return false;
    });
  }
  bool isNamed(const Expr &E, const std::string &Text) const { return textOf(E.IgnoreParenImpCasts(), Ctx) == Text; }

  // `if (mark[c] != i) { mark[c] = i; … }`: each iteration looks for its own number at elements that data choose, and
  // stores it there, or at others of the array. It would not look if no other one could have stored another number.
  void marks(const Expr *Condition, const OMPExecutableDirective &D) {
    anyWithin<BinaryOperator>(Condition, [&](const BinaryOperator &Compare) {
      if (!Compare.isComparisonOp())
        return false;
      for (const auto &[Element, Number] :
           {std::pair(Compare.getLHS(), Compare.getRHS()), std::pair(Compare.getRHS(), Compare.getLHS())})
        if (namesPlainly(Number, Shared) && isMarked(Element, textOf(Number->IgnoreParenImpCasts(), Ctx)))
          mark(Element, D);
      return false;
    });
  }

  bool isMarked(const Expr *Element, const std::string &Number) const {
    const auto Looked = elementOf(Element);
    return Looked && anyWithin<BinaryOperator>(Code, [&](const BinaryOperator &B) {
             const auto Set = B.getOpcode() == BO_Assign ? elementOf(B.getLHS()) : std::nullopt;
             return Set && textOf(Set->first, Ctx) == textOf(Looked->first, Ctx) && isChosenByData(Set->second, 0) &&
                    textOf(B.getRHS()->IgnoreParenImpCasts(), Ctx) == Number;
           });
  }

  void mark(const Expr *Element, const OMPExecutableDirective &D) {
    const auto Place = elementOf(Element);
    const QualType T = Element->getType().getNonReferenceType();
    if (!Place || elementOf(Place->first) || !T->isIntegerType() || !isShared(Place->first) ||
        isAtomicElement(Place->first->getType()) || !isChosenByData(Place->second, 0))
      return;
    const std::string Array = textOf(Place->first, Ctx);
    if (Said.insert(Array).second)
      Found.push_back({Element, Array, &D, /*Scratch=*/false, /*Marks=*/true});
  }

  // Whether an index is an entry of a table, and the number of the iteration no part of it.
  bool isChosenByData(const Expr *Index, unsigned Depth) const {
    if (Depth > MaxDepth || namesPlainly(Index, Shared))
      return false;
    if (anyWithin<Expr>(Index, [](const Expr &E) { return elementOf(&E).has_value(); }))
      return true;
    return anyWithin<DeclRefExpr>(Index, [&](const DeclRefExpr &R) {
      const VarDecl *V = namedVariable(&R);
      if (!V || !(Own.contains(V) || Private.contains(V)))
        return false;
      const std::vector<const Expr *> Values = valuesOf(V);
      return !Values.empty() &&
             llvm::all_of(Values, [&](const Expr *Value) { return Value && isChosenByData(Value, Depth + 1); });
    });
  }

  bool isStaticWithin(const Expr *Array) const {
    const VarDecl *V = namedVariable(Array);
    return V && V->isStaticLocal() && anyWithin<DeclStmt>(Code, [&](const DeclStmt &S) {
             return llvm::any_of(S.decls(), [&](const Decl *D) { return D->getCanonicalDecl() == V; });
           });
  }

  // The array of an element that the counters of inner loops alone choose; null for any other place.
  const Expr *sameForAll(const Expr *Target) const {
    const Expr *Base = Target->IgnoreParenImpCasts(), *Array = nullptr;
    bool Moves = false;
    for (;;) {
      if (const auto *M = dyn_cast<MemberExpr>(Base); M && !M->isArrow() && !isa<CXXThisExpr>(M->getBase())) {
        if (isShared(M))
          break;
        Base = M->getBase()->IgnoreParenImpCasts();
      } else if (auto Element = elementOf(Base)) {
        const ElementChoice Chosen = valueOf(Element->second, 0);
        if (Chosen.Unclear || Chosen.Entry || Chosen.Cell || names(Element->second, Shared))
          return nullptr;
        Moves |= names(Element->second, Inner);
        Array = Base = Element->first;
      } else {
        break;
      }
    }
    const QualType T = Base->getType().getNonReferenceType();
    return Moves && Array == Base && isShared(Base) && !isAtomicElement(T) ? Array : nullptr;
  }
  static bool isAtomicElement(QualType T) {
    const QualType Of = T->isPointerType() || T->isArrayType() ? QualType(T->getPointeeOrArrayElementType(), 0) : T;
    return Of->isAtomicType() || Of.isVolatileQualified();
  }

  // --- what is known of names ----------------------------------------------------------------------------------------

  bool isOneForAll(const VarDecl *V) const {
    return !Private.contains(V) && !Own.contains(V) && !Inner.contains(V) && V->getTLSKind() == VarDecl::TLS_None &&
           !V->hasAttr<OMPThreadPrivateDeclAttr>() && !isDeclaredWithin(V);
  }
  bool isDeclaredWithin(const VarDecl *V) const { return Within.contains(V); }

  // An object of which there is one for the team, and a pointer that leads to the same one all the time.
  bool isShared(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return isShared(M->getBase());
    if (isa<CXXThisExpr>(E))
      return true;
    const VarDecl *V = namedVariable(E);
    return V && isOneForAll(V) && !(V->getType()->isPointerType() && isChanged(V, Body));
  }

  // Whether an index names one of the variables outside of further indices: `i + 1`, not `key[i]`.
  static bool namesPlainly(const Stmt *S, const Variables &Any) {
    if (!S)
      return false;
    if (const auto *E = dyn_cast<Expr>(S)) {
      if (elementOf(E))
        return false;
      if (const VarDecl *V = namedVariable(E))
        return Any.contains(V);
    }
    return llvm::any_of(S->children(), [&](const Stmt *Child) { return namesPlainly(Child, Any); });
  }

  // --- where an index comes from -------------------------------------------------------------------------------------

  ElementChoice valueOf(const Expr *E, unsigned Depth) const {
    ElementChoice Out;
    if (Depth > MaxDepth) {
      Out.Unclear = true;
      return Out;
    }
    if (const auto *Cast = dyn_cast<CastExpr>(E); Cast && Cast->getCastKind() == CK_FloatingToIntegral) {
      Out.Cell = reachesData(Cast->getSubExpr(), 0);
      Out.Unclear = !Out.Cell;
      return Out;
    }
    const Expr *Plain = E->IgnoreParens();
    if (const auto *Cast = dyn_cast<CastExpr>(Plain))
      return valueOf(Cast->getSubExpr(), Depth);
    if (elementOf(Plain))
      return entryOf(*Plain);
    if (const VarDecl *V = namedVariable(Plain))
      return variable(V, Depth);
    if (isa<CallExpr>(Plain)) { // of the language's library alone
      const LibraryCall *Known = findLibraryCall(cast<CallExpr>(Plain));
      Out.Unclear = !Known || !Known->does(LibPure);
    }
    if (const auto *M = dyn_cast<MemberExpr>(Plain))
      return anyWithin<Expr>(M->getBase(), [](const Expr &Each) { return elementOf(&Each).has_value(); })
                 ? entryOf(*Plain)
                 : memberOf(*M);
    for (const Stmt *Child : Plain->children())
      if (const auto *Part = dyn_cast_or_null<Expr>(Child))
        Out.join(valueOf(Part, Depth + 1));
    if (const auto *B = dyn_cast<BinaryOperator>(Plain); B && B->getOpcode() == BO_Mul)
      Out.Scaled = Out.Entry;
    return Out;
  }

  // A size of the object: the same for all, unless the object is each thread's.
  ElementChoice memberOf(const MemberExpr &M) const {
    ElementChoice Out;
    Out.Unclear = !isShared(&M);
    return Out;
  }

  // An entry of a table, if counters of the loop and of loops within choose it.
  ElementChoice entryOf(const Expr &E) const {
    ElementChoice Out;
    Out.Entry = names(&E, Shared);
    if (Out.Entry)
      Picked.insert(textOf(&E, Ctx));
    Out.Several = names(&E, Inner);
    // A list that another loop picks, an entry by another entry, a table of each thread's.
    Out.Unclear = !Out.Entry ||
                  anyWithin<CallExpr>(&E, [](const CallExpr &C) { return !isa<CXXOperatorCallExpr>(C); }) ||
                  anyWithin<DeclRefExpr>(&E, [&](const DeclRefExpr &R) {
                    const auto *V = dyn_cast<VarDecl>(R.getDecl());
                    V = V ? V->getCanonicalDecl() : nullptr;
                    return V && !Shared.contains(V) && !Inner.contains(V) && (!isOneForAll(V) || isStepped(V));
                  });
    return Out;
  }

  ElementChoice variable(const VarDecl *V, unsigned Depth) const {
    ElementChoice Out;
    if (Inner.contains(V) || (isOneForAll(V) && !isStepped(V) && !isChanged(V, Body)))
      return Out;
    std::vector<const Expr *> Values =
        Shared.contains(V) || !(Own.contains(V) || Private.contains(V)) ? std::vector<const Expr *>() : valuesOf(V);
    Out.Unclear = Values.empty();
    for (const Expr *Value : Values) {
      Out.Unclear |= !Value || namesPlainly(Value, Shared);
      if (Value)
        Out.join(valueOf(Value, Depth + 1));
    }
    return Out;
  }

  // What the iteration gives a variable of its own; null among them where it is changed in another way.
  std::vector<const Expr *> valuesOf(const VarDecl *V) const {
    std::vector<const Expr *> Out;
    if (isa<ParmVarDecl>(V))
      return Out;
    if (Own.contains(V) && V->getInit())
      Out.push_back(V->getInit());
    anyWithin<Expr>(Code, [&](const Expr &E) {
      if (const auto *B = dyn_cast<BinaryOperator>(&E); B && B->isAssignmentOp() && namedVariable(B->getLHS()) == V)
        Out.push_back(B->getOpcode() == BO_Assign ? B->getRHS() : nullptr);
      if (const auto *U = dyn_cast<UnaryOperator>(&E);
          U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf) && namedVariable(U->getSubExpr()) == V)
        Out.push_back(nullptr);
      return false;
    });
    return Out;
  }

  // Whether a number comes from what a table has for the iteration.
  bool reachesData(const Expr *E, unsigned Depth) const {
    if (Depth > MaxDepth)
      return false;
    return anyWithin<Expr>(E, [&](const Expr &Each) {
      if (const Expr *Table = tableOf(Each))
        return names(&Each, Shared) && !names(Table, Own);
      const VarDecl *V = isa<DeclRefExpr>(Each) ? namedVariable(&Each) : nullptr;
      return V && (Own.contains(V) || Private.contains(V)) && !Shared.contains(V) &&
             llvm::any_of(valuesOf(V), [&](const Expr *Value) {
               return Value && Value != E && !names(Value, Variables({V})) && reachesData(Value, Depth + 1);
             });
    });
  }

  ASTContext &Ctx;
  const Stmt *Body = nullptr, *Code = nullptr; // of the region; of the loop that is shared out
  Variables Private, Own, Shared, Inner;       // Own: declared in an iteration. Shared, Inner: counters
  Variables Within, Stepped;                   // declared in the region; counters of any loop of the function
  llvm::StringMap<std::string> Entries;        // by array, the first element of one entry that is updated
  llvm::StringSet<> Said;
  mutable std::set<std::string> Picked; // the entries that chose the last element
  bool Leaves = false;                  // some iteration may not come by all of the loop's statements
};

} // namespace

std::vector<ScatteredUpdate> findScatteredUpdates(const OMPExecutableDirective &Region, const FunctionDecl *In,
                                                  ASTContext &Ctx) {
  return ScatterWalk(Region, In, Ctx).Found;
}

} // namespace stridewise
