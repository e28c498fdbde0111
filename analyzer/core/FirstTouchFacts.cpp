// The facts of core/FirstTouch.h, read from the AST.
#include "core/FirstTouch.h"
#include "core/MpiCall.h"
#include "core/OmpRegion.h"
#include "core/Reporter.h"
#include "core/Unit.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

// Names of functions and variables that are the same in all units that mean the same.
class Names {
public:
  explicit Names(ASTContext &Ctx) : Ctx(Ctx), Generator(Ctx) {
    const SourceManager &SM = Ctx.getSourceManager();
    Main = placeOf(Ctx, SM.getLocForStartOfFile(SM.getMainFileID())).File;
  }
  std::string of(const NamedDecl *D) {
    std::string &Name = Known[D->getCanonicalDecl()];
    if (Name.empty()) {
      Name = Generator.getName(D);
      if (Name.empty())
        Name = D->getQualifiedNameAsString();
      if (!D->isExternallyVisible())
        Name += "@" + Main + ":" + std::to_string(Ctx.getSourceManager().getFileOffset(D->getLocation()));
    }
    return Name;
  }

private:
  ASTContext &Ctx;
  ASTNameGenerator Generator;
  std::string Main;
  llvm::DenseMap<const Decl *, std::string> Known;
};

constexpr std::int64_t PageBytes = 4096;

class FactsBuilder : public AccessWalker {
public:
  FactsBuilder(ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit, Names &Ids, TouchSilencer Suppressed,
               FunctionTouches &Out)
      : AccessWalker(Ctx, Paths), Unit(Unit), Ids(Ids), Suppressed(Suppressed), Out(Out) {}

  void run(const FunctionDecl *F) {
    Function = F;
    if (const auto *C = dyn_cast<CXXConstructorDecl>(F))
      for (const CXXCtorInitializer *I : C->inits())
        initializer(I);
    statement(F->getBody());
    compareUses();
  }

protected:
  // Accesses

  void touched(const Expr *E, ObjectPath P, bool Reads, bool Writes) override {
    if (!llvm::any_of(P.Steps, [](const ObjectPath::Step &S) { return S.isElement(); }))
      return;
    Location L = objectOf(P);
    if (L.empty() || (P.Root == ObjectPath::Variable && L.size() == 1 && TeamLocals.contains(P.Var)))
      return;
    if (By == Runs::One) {
      if (Writes)
        add(TouchEvent::Foreign, L, E->getExprLoc());
      return;
    }
    if (By == Runs::Serial) {
      if (Writes)
        serialWrite(E, P, std::move(L));
      return;
    }
    if (By == Runs::Shared) {
      if ((Reads || Writes) && followsTeam(P))
        teamUse(L, Writes && !Reads, /*List=*/false, bytesPerIteration(P, E->getType()));
      indexLists(P);
    }
    if (Writes)
      add(TouchEvent::TeamWrite, L, E->getExprLoc());
  }

  void called(const Expr *Call, const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Args,
              const Expr *Object) override {
    if (libraryCall(Call, Callee, Args, Object))
      return;
    CallEffect Effect = effectOf(Callee, Ctx);
    if (Effect == CallEffect::Nothing)
      return;
    bool User = Callee && !Ctx.getSourceManager().isInSystemHeader(Callee->getLocation());
    bool Message = false;
    if (const auto *C = dyn_cast<CallExpr>(Call); C && findMpiCall(*C)) {
      User = false;
      Message = true;
    }
    if (!User && Effect == CallEffect::Unknown && llvm::any_of(Args, receives))
      for (Loop &L : Loops)
        L.Input = true;
    for (const Expr *A : Args)
      if (isLambda(A))
        spoilCaptures(A);
    TouchEvent E;
    E.K = TouchEvent::Call;
    E.Callee = User ? Ids.of(Callee) : std::string();
    E.Message = Message;
    E.InLoop = !Loops.empty();
    TouchEvent::Argument This;
    if (Object) {
      const auto *M = dyn_cast_or_null<CXXMethodDecl>(Callee);
      This.Where = toLocation(Object->getType()->isPointerType() ? Paths.pointee(Object) : Paths.lvalue(Object));
      This.Reference = true;
      This.Const = M && M->isConst();
    } else if (isa<CXXConstructExpr>(Call)) {
      This.Where = {temporary(Call)};
      This.Reference = true;
    }
    E.Arguments.push_back(std::move(This));
    for (unsigned I = 0; I < Args.size(); ++I) {
      QualType T = Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : Args[I]->getType();
      E.Arguments.push_back(argument(Args[I], T));
    }
    if (Call->getType()->isPointerType() || Call->getType()->isRecordType())
      E.Object = {temporary(Call)};
    add(std::move(E), Call->getExprLoc());

    // An element whose address goes to a function that works on it.
    if (By == Runs::Shared)
      for (const Expr *A : Args) {
        if (!A->getType()->isPointerType() && !A->isGLValue())
          continue;
        ObjectPath P = A->getType()->isPointerType() && !A->isGLValue() ? Paths.pointee(A) : Paths.lvalue(A);
        if (Location L = objectOf(P); !L.empty() && followsTeam(P))
          teamUse(std::move(L));
      }
  }

  bool walksInto(const Expr *Call, const FunctionDecl *Body, llvm::ArrayRef<const Expr *> Args,
                 const Expr *Object) override {
    if (Ctx.getSourceManager().isInSystemHeader(Body->getLocation()) || isa<CXXConstructorDecl>(Body))
      return false;
    const auto *M = dyn_cast<CXXMethodDecl>(Body);
    // A lambda names the variables of the function that it stands in: it is walked from there.
    if ((M && M->getParent()->isLambda()) || llvm::any_of(Args, isLambda))
      return true;
    // Accessors; what a function allocates is the business of the resolver.
    if (PathResolver::returned(Body))
      return !Call->getType()->isPointerType() || Paths.pointee(Call).Root != ObjectPath::Result;
    if (Loops.empty())
      return false;
    // Work on the elements that the loops around the call choose.
    auto Chosen = [&](const Expr *A) {
      if (A->getType()->isIntegralOrEnumerationType())
        return dependsOnLoops(Paths.integer(A));
      if (!A->getType()->isPointerType() && !A->isGLValue())
        return false;
      ObjectPath P = A->getType()->isPointerType() ? Paths.pointee(A) : Paths.lvalue(A);
      return llvm::any_of(P.Steps, [&](const ObjectPath::Step &S) { return S.isElement() && dependsOnLoops(S.Index); });
    };
    return (Object && Chosen(Object)) || llvm::any_of(Args, Chosen);
  }

  void assigned(const Expr *Target, const VarDecl *Declared, const Expr *Value) override {
    QualType T = Target ? Target->getType() : Declared->getType();
    if (T->isReferenceType() || (Declared && Declared->isStaticLocal()))
      return;
    Location Holder = Target ? toLocation(Paths.lvalue(Target)) : Location{root(Declared)};
    if (!Holder.empty())
      give(std::move(Holder), T, Value, Declared ? Declared->getLocation() : Target->getExprLoc());
  }

  void declared(const VarDecl *V) override {
    if (By != Runs::Serial) {
      TeamLocals.insert(V->getCanonicalDecl());
      return;
    }
    if (V->hasLocalStorage() && Paths.depth() == 0 && V->getType()->isArrayType())
      if (std::optional<TouchEvent> E = inPlace(V, {root(V)}, V->getNameAsString()))
        add(std::move(*E), V->getLocation());
  }

  // Control flow

  void loop(const Stmt *S) override {
    Loop L;
    L.S = S;
    L.ArmsAround = Arms.size();
    std::vector<const VarDecl *> Bound;
    const Stmt *Body = nullptr;
    if (const auto *F = dyn_cast<ForStmt>(S)) {
      statement(F->getInit());
      if (std::optional<CounterRange> R = Paths.range(S)) {
        L.Range = R;
        L.Counter = Paths.counter(std::to_string(LastLoop++), R->Begin);
        bindCounters(F, *R, *L.Counter, Bound);
      }
      if (F->getCond())
        operand(F->getCond());
      if (F->getInc())
        operand(F->getInc());
      Body = F->getBody();
    } else if (const auto *R = dyn_cast<CXXForRangeStmt>(S)) {
      operand(R->getRangeInit());
      L.Counter = Paths.counter(std::to_string(LastLoop++), {});
      const VarDecl *V = R->getLoopVariable();
      ObjectPath Element = Paths.rangeElement(R, Poly::symbol(*L.Counter));
      if (V->getType()->isReferenceType()) {
        Paths.bind(V, Element);
        Bound.push_back(V);
      } else if (Element.Root != ObjectPath::Unknown) {
        touched(R->getRangeInit(), Element, true, false);
      }
      Body = R->getBody();
    } else if (const auto *W = dyn_cast<WhileStmt>(S)) {
      operand(W->getCond());
      Body = W->getBody();
    } else {
      operand(cast<DoStmt>(S)->getCond());
      Body = cast<DoStmt>(S)->getBody();
    }
    L.Shared = std::exchange(NextIsShared, false);
    Loops.push_back(std::move(L));
    statement(Body);
    Loops.pop_back();
    for (const VarDecl *V : Bound)
      Paths.unbind(V);
  }

  void branch(const IfStmt *S) override {
    statement(S->getInit());
    operand(S->getCond());
    unsigned Id = LastBranch++;
    Arms.push_back({Id, 0, S->getElse() != nullptr});
    statement(S->getThen());
    Arms.back().Arm = 1;
    statement(S->getElse());
    Arms.pop_back();
  }

  void select(const SwitchStmt *S) override {
    operand(S->getCond());
    std::optional<unsigned> Saved = std::exchange(Switch, LastBranch++);
    std::size_t Size = Arms.size();
    Arms.push_back({*Switch, 0, true});
    statement(S->getBody());
    Arms.resize(Size);
    Switch = Saved;
  }
  void label(const SwitchCase *S) override {
    if (Switch && !Arms.empty() && Arms.back().Branch == *Switch)
      ++Arms.back().Arm;
    statement(S->getSubStmt());
  }

  void jump(const Stmt *S) override {
    const auto *R = dyn_cast<ReturnStmt>(S);
    if (R && R->getRetValue() && Paths.depth() == 0)
      give({"ret"}, R->getRetValue()->getType(), R->getRetValue(), R->getBeginLoc());
  }

  void strange(const Stmt *S) override {
    for (const Stmt *X : S->children())
      if (X)
        statement(X);
  }

  void directive(const OMPExecutableDirective *D) override {
    OmpConstruct C = classify(*D, Ctx);
    Runs Saved = By;
    bool SavedTeam = InTeam;
    std::vector<const VarDecl *> Added;
    if (C.StartsTeam || C.SharesLoop)
      for (const VarDecl *V : privateVariables(*D))
        if (!V->getType()->isPointerType() && TeamLocals.insert(V).second)
          Added.push_back(V);
    if (C.StartsTeam) {
      By = By == Runs::One ? Runs::One : Runs::Team;
      InTeam = true;
    }
    if (C.Device || C.OneThread || C.Tasks)
      By = Runs::One;
    else if (C.SharesLoop && By != Runs::One)
      By = Runs::Shared;
    const Stmt *Body = constructBody(*D);
    if (C.SharesLoop && By == Runs::Shared) {
      sharedNest(*D, Body);
    } else {
      statement(Body);
    }
    By = Saved;
    InTeam = SavedTeam;
    for (const VarDecl *V : Added)
      TeamLocals.erase(V);
  }

private:
  struct Loop {
    const Stmt *S = nullptr;
    std::optional<CounterRange> Range;
    std::optional<SymbolId> Counter;
    bool Shared = false;
    bool Input = false; // reads data from outside
    std::size_t ArmsAround = 0;
  };
  struct Arm {
    unsigned Branch, Arm;
    bool Exhaustive; // some arm always runs
  };

  // The loops that the directive distributes, then the body of the innermost.
  void sharedNest(const OMPExecutableDirective &D, const Stmt *Body) {
    std::vector<const ForStmt *> Nest = sharedLoops(D);
    if (Nest.empty()) {
      NextIsShared = isa_and_nonnull<CXXForRangeStmt>(Body);
      statement(Body);
      NextIsShared = false;
      return;
    }
    std::vector<const VarDecl *> Bound;
    for (const ForStmt *F : Nest) {
      Loop L;
      L.S = F;
      L.ArmsAround = Arms.size();
      L.Shared = true;
      statement(F->getInit());
      if (std::optional<CounterRange> R = Paths.range(F)) {
        L.Range = R;
        L.Counter = Paths.counter(std::to_string(LastLoop++), {});
        bindCounters(F, *R, *L.Counter, Bound);
      }
      if (F->getCond())
        operand(F->getCond());
      Loops.push_back(std::move(L));
    }
    statement(Nest.back()->getBody());
    Loops.resize(Loops.size() - Nest.size());
    for (const VarDecl *V : Bound)
      Paths.unbind(V);
  }

  // The counter, and other variables that step along with it: for (int ii = 0, k = 64 * box; ii < n; ii++, k++).
  void bindCounters(const ForStmt *F, const CounterRange &R, SymbolId Counter, std::vector<const VarDecl *> &Bound) {
    auto Bind = [&](const VarDecl *V, const Poly &Begin, std::int64_t Step) {
      Paths.bind(V, Begin + Poly::constant(Step) * Poly::symbol(Counter));
      Bound.push_back(V);
    };
    Bind(R.Counter, R.Begin, R.Step);
    std::vector<std::pair<const VarDecl *, const Expr *>> Others;
    if (const auto *D = dyn_cast_or_null<DeclStmt>(F->getInit())) {
      for (const Decl *X : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(X); V && V->getInit() && V != R.Counter)
          Others.emplace_back(V, V->getInit());
    } else if (const auto *E = dyn_cast_or_null<Expr>(F->getInit())) {
      forEachPart(E, [&](const Expr *Part) {
        const auto *B = dyn_cast<BinaryOperator>(Part);
        const auto *Ref =
            B && B->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens()) : nullptr;
        if (const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr; V && V != R.Counter)
          Others.emplace_back(V, B->getRHS());
      });
    }
    for (auto [V, Begin] : Others)
      forEachPart(F->getInc(), [&, V = V, Begin = Begin](const Expr *Part) {
        const auto *U = dyn_cast<UnaryOperator>(Part);
        const auto *Ref =
            U && U->isIncrementDecrementOp() ? dyn_cast<DeclRefExpr>(U->getSubExpr()->IgnoreParens()) : nullptr;
        if (Ref && Ref->getDecl() == V && V->getType()->isIntegralOrEnumerationType())
          Bind(V, Paths.integer(Begin), U->isIncrementOp() ? 1 : -1);
      });
  }

  template <typename Callback> static void forEachPart(const Expr *E, Callback CB) {
    E = E->IgnoreParenImpCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Comma) {
      forEachPart(B->getLHS(), CB);
      forEachPart(B->getRHS(), CB);
    } else {
      CB(E);
    }
  }

  bool dependsOnLoops(const Poly &P) const {
    return llvm::any_of(Loops, [&](const Loop &L) { return L.Counter && Paths.dependsOn(P, *L.Counter); });
  }

  // Whether each thread works on its own part: the index follows a shared counter, itself or as the start of an inner
  // loop. Indices read from memory do not count: no placement of pages suits them.
  bool followsTeam(const ObjectPath &P) const {
    auto Follows = [&](const Poly &Index) {
      for (const Loop &L : Loops)
        if (L.Shared && L.Counter && Index.mentions(*L.Counter))
          return true;
      for (const Loop &Inner : Loops)
        if (!Inner.Shared && Inner.Counter && Inner.Range && Index.mentions(*Inner.Counter))
          for (const Loop &L : Loops)
            if (L.Shared && L.Counter && Paths.dependsOn(Inner.Range->Begin, *L.Counter))
              return true;
      return false;
    };
    return llvm::any_of(P.Steps, [&](const ObjectPath::Step &S) { return S.isElement() && Follows(S.Index); });
  }

  // Integers that say, one for each iteration, which element of another array to work on.
  void indexLists(const ObjectPath &P) {
    for (const ObjectPath::Step &S : P.Steps) {
      if (!S.isElement())
        continue;
      for (SymbolId X : S.Index.symbols()) {
        if (!(S.Index == Poly::symbol(X)))
          continue; // an offset, as of a row
        const std::optional<ObjectPath> List = Paths.symbol(X).Loaded;
        if (!List || List->Steps.empty() || !List->Steps.back().isElement())
          continue;
        const Poly &At = List->Steps.back().Index;
        bool OfIteration = llvm::any_of(Loops, [&](const Loop &L) {
          return L.Shared && L.Counter && At.symbols().size() == 1 && At.coefficient(*L.Counter) == 1;
        });
        if (Location L = objectOf(*List); OfIteration && !L.empty())
          teamUse(std::move(L), false, /*List=*/true);
      }
    }
  }

  // How far the place moves from one iteration of the shared loop to the next; 0 when that is not known.
  std::int64_t bytesPerIteration(const ObjectPath &P, QualType Type) const {
    const Loop *Shared = nullptr;
    for (const Loop &L : Loops)
      if (L.Shared && L.Counter && !Shared)
        Shared = &L;
    if (!Shared)
      return 0;
    QualType T = P.Root == ObjectPath::Variable ? P.Var->getType().getNonReferenceType() : QualType();
    for (std::size_t I = 0; I < P.Steps.size(); ++I) {
      const ObjectPath::Step &S = P.Steps[I];
      if (S.Field)
        T = S.Field->getType().getNonReferenceType();
      else if (T.isNull())
        ;
      else if (T->isPointerType())
        T = T->getPointeeType();
      else if (const ArrayType *A = Ctx.getAsArrayType(T))
        T = A->getElementType();
      else
        T = I + 1 == P.Steps.size() ? Type : elementType(T);
      if (!S.isElement() || !S.Index.mentions(*Shared->Counter))
        continue;
      QualType Element = I + 1 == P.Steps.size() ? Type : T;
      if (Element.isNull() || llvm::any_of(llvm::drop_begin(P.Steps, I + 1),
                                           [](const ObjectPath::Step &X) { return X.isElement() && !X.Embedded; }))
        return 0;
      std::optional<std::int64_t> C = S.Index.coefficient(*Shared->Counter);
      // A row of unknown length.
      return C ? std::abs(*C) * sizeOf(Element) : std::numeric_limits<std::int64_t>::max();
    }
    return 0;
  }

  void teamUse(Location L, bool Overwrites = false, bool List = false, std::int64_t Bytes = 0) {
    TouchEvent E;
    E.K = TouchEvent::TeamUse;
    E.Object = std::move(L);
    E.Orphan = !InTeam;
    E.Overwrites = Overwrites;
    E.List = List;
    const Loop *Shared = nullptr;
    for (const Loop &X : Loops)
      if (X.Shared && !Shared)
        Shared = &X;
      else if (!Shared)
        E.InLoop = true;
    std::size_t Before = Out.Events.size();
    add(std::move(E), Shared ? Shared->S->getBeginLoc() : Function->getLocation());
    if (Out.Events.size() > Before && Shared)
      Moves[Shared->S].emplace_back(Before, Bytes);
  }

  // Marks the uses of arrays of which an iteration touches little beside what it touches of another one.
  void compareUses() {
    constexpr std::int64_t Little = 32;
    for (const auto &[Loop, Uses] : Moves) {
      std::int64_t Most = 0;
      for (auto [Event, Bytes] : Uses)
        Most = std::max(Most, Bytes);
      for (auto [Event, Bytes] : Uses)
        Out.Events[Event].Beside = Bytes > 0 && Bytes <= Most / Little;
    }
  }

  // Serial writes that cover the array

  void serialWrite(const Expr *E, const ObjectPath &P, Location L) {
    const Loop *Outermost = nullptr;
    std::optional<std::int64_t> Elements = 1;
    std::int64_t Stride = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> Factors;
    bool FactorsKnown = true;
    std::int64_t Size = sizeOf(E->getType());
    for (const Loop &X : Loops) {
      if (!X.Counter)
        continue;
      bool Moves = false;
      for (const ObjectPath::Step &S : P.Steps)
        if (S.isElement() && S.Index.mentions(*X.Counter)) {
          Moves = true;
          if (std::optional<std::int64_t> C = S.Index.coefficient(*X.Counter); C && *C)
            Stride = std::min(Stride, std::abs(*C) * Size);
        }
      if (!Moves)
        continue;
      if (!Outermost)
        Outermost = &X;
      std::optional<std::int64_t> Trips = X.Range ? X.Range->trips() : std::nullopt;
      if (Elements && Trips)
        *Elements *= *Trips;
      else
        Elements.reset();
      if (!X.Range)
        FactorsKnown = false;
      else if (!Trips)
        FactorsKnown &= factors(X.Range->End - X.Range->Begin, Factors);
    }
    bool Sure = true;
    if (!Outermost) {
      // *p++, a[k++]: a pointer or an index that walks over the array.
      if (Loops.empty() || !walks(P, Size))
        return;
      Outermost = &Loops.front();
      Elements.reset();
      FactorsKnown = Sure = false;
    } else if (Stride > PageBytes) {
      return; // leaves pages out: a column, one element of each row
    } else {
      for (std::size_t I = Outermost->ArmsAround; I < Arms.size(); ++I)
        if (!Arms[I].Exhaustive)
          return;
    }
    TouchEvent Event;
    Event.K = Outermost->Input ? TouchEvent::Foreign : TouchEvent::Fill;
    Event.Object = std::move(L);
    Event.Name = nameOf(P);
    Event.Sure = Sure;
    if (Elements)
      Event.Bytes = *Elements * Size;
    if (FactorsKnown)
      Event.Sizes = std::move(Factors);
    Event.Range = {Outermost->S->getBeginLoc(), forHeaderEnd(Outermost->S)};
    Event.Scope = Outermost->S->getSourceRange();
    add(std::move(Event), Outermost->S->getBeginLoc());
  }

  // Whether a local variable on the way is counted up or down, in steps that leave no page out.
  bool walks(const ObjectPath &P, std::int64_t Size) const {
    auto Steps = [&](const VarDecl *V) {
      auto It = Unit.Sources.find(V);
      return V->hasLocalStorage() && !Unit.AddressTaken.contains(V) && It != Unit.Sources.end() &&
             llvm::is_contained(It->second, nullptr);
    };
    if (P.Root == ObjectPath::Variable && P.Steps.size() == 1 && P.Var->getType()->isPointerType() && Steps(P.Var))
      return true;
    const ObjectPath::Step *Last = nullptr;
    for (const ObjectPath::Step &S : P.Steps)
      if (S.isElement())
        Last = &S;
    return Last && llvm::any_of(Last->Index.symbols(), [&](SymbolId S) {
             std::optional<std::int64_t> C = Last->Index.coefficient(S);
             const VarDecl *V = Paths.symbol(S).Var;
             return V && C && *C && std::abs(*C) * Size <= PageBytes && Steps(V);
           });
  }

  static SourceLocation forHeaderEnd(const Stmt *S) {
    if (const auto *F = dyn_cast<ForStmt>(S))
      return F->getRParenLoc();
    if (const auto *F = dyn_cast<CXXForRangeStmt>(S))
      return F->getRParenLoc();
    return S->getBeginLoc();
  }

  // The names of the factors of a product, when it is one; constants have none.
  bool factors(const Poly &P, std::vector<std::string> &Into) const {
    if (P.asConstant())
      return true;
    // n - 1 and n + 2 count as n.
    const Poly::Monomial *Only = nullptr;
    for (const auto &[M, C] : P.terms())
      if (!M.empty()) {
        if (Only)
          return false;
        Only = &M;
      }
    for (SymbolId S : *Only) {
      const SymbolInfo &I = Paths.symbol(S);
      if (I.Var)
        Into.push_back(I.Var->getNameAsString());
      else if (I.Loaded && !I.Loaded->Steps.empty() && I.Loaded->Steps.back().Field)
        Into.push_back(I.Loaded->Steps.back().Field->getNameAsString());
      else
        return false;
    }
    return true;
  }

  // Where pointers and objects come from

  void give(Location Holder, QualType T, const Expr *Value, SourceLocation At) {
    const Expr *V = Value->IgnoreParenImpCasts();
    while (const auto *F = dyn_cast<FullExpr>(V))
      V = F->getSubExpr()->IgnoreParenImpCasts();
    if (T->isPointerType()) {
      if (const auto *N = dyn_cast<CXXNewExpr>(V->IgnoreParenCasts()); N && !N->isArray() && N->getConstructExpr()) {
        TouchEvent E;
        E.K = TouchEvent::Assign;
        E.Object = std::move(Holder);
        E.Other = {temporary(N->getConstructExpr())};
        return add(std::move(E), At);
      }
      if (PathResolver::isAllocation(V))
        return allocate(std::move(Holder), V, At);
      ObjectPath P = Paths.pointee(Value);
      if (P.Root == ObjectPath::Literal)
        return;
      TouchEvent E;
      E.K = TouchEvent::Assign;
      E.Object = std::move(Holder);
      E.Other = toLocation(P);
      if (E.Other.empty())
        E.Other = {temporary(Value)};
      return add(std::move(E), At);
    }
    if (!T->isRecordType())
      return;
    if (PathResolver::isContainer(T) && container(Holder, T, Value, At))
      return;
    const Expr *From = V;
    while (const auto *C = dyn_cast<CXXConstructExpr>(From)) {
      if (C->getNumArgs() != 1 || !C->getConstructor()->isCopyOrMoveConstructor())
        break;
      From = C->getArg(0)->IgnoreParenImpCasts();
      while (const auto *M = dyn_cast<MaterializeTemporaryExpr>(From))
        From = M->getSubExpr()->IgnoreParenImpCasts();
    }
    if (const auto *Init = dyn_cast<InitListExpr>(From))
      return initList(Holder, T, Init, At);
    TouchEvent E;
    E.K = TouchEvent::Copy;
    E.Object = std::move(Holder);
    if (isa<CXXConstructExpr, CallExpr>(From) && !From->isGLValue())
      E.Other = {temporary(From)};
    else
      E.Other = toLocation(Paths.lvalue(From));
    if (!E.Other.empty())
      add(std::move(E), At);
  }

  void initList(const Location &Holder, QualType T, const InitListExpr *Init, SourceLocation At) {
    const auto *R = T->getAsRecordDecl();
    if (!R || R->isUnion())
      return;
    unsigned I = 0;
    for (const FieldDecl *F : R->fields()) {
      if (F->isUnnamedBitField())
        continue;
      if (I >= Init->getNumInits())
        return;
      const Expr *V = Init->getInit(I++);
      if (isa<ImplicitValueInitExpr>(V))
        continue;
      Location L = Holder;
      L.push_back("." + F->getNameAsString());
      give(std::move(L), F->getType(), V, At);
    }
  }

  // Construction of a container. False when it is a copy like that of any record.
  bool container(const Location &Holder, QualType T, const Expr *Value, SourceLocation At,
                 const Poly &Times = Poly::constant(1)) {
    const Expr *V = Value->IgnoreParenImpCasts();
    while (isa<FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr, CXXFunctionalCastExpr>(V)) {
      if (const auto *F = dyn_cast<FullExpr>(V))
        V = F->getSubExpr();
      else if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(V))
        V = M->getSubExpr();
      else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(V))
        V = B->getSubExpr();
      else
        V = cast<CXXFunctionalCastExpr>(V)->getSubExpr();
      V = V->IgnoreParenImpCasts();
    }
    if (const auto *C = dyn_cast<CallExpr>(V)) {
      const FunctionDecl *F = C->getDirectCallee();
      llvm::StringRef Name = F && F->isInStdNamespace() && F->getIdentifier() ? F->getName() : "";
      bool Writes = Name == "make_unique" || Name == "make_shared";
      if ((Writes || Name == "make_unique_for_overwrite" || Name == "make_shared_for_overwrite") && C->getNumArgs()) {
        QualType Element = elementType(T);
        if (!Element.isNull() && C->getArg(0)->getType()->isIntegralOrEnumerationType() && isArrayOwner(T))
          fresh(Holder, Element, C->getArg(0), Writes ? "std::" + Name.str() : "", At);
        return true;
      }
      return false;
    }
    const auto *C = dyn_cast<CXXConstructExpr>(V);
    if (!C)
      return isa<InitListExpr>(V);
    if (C->getNumArgs() == 0)
      return true;
    const Expr *First = C->getArg(0);
    if (First->getType()->isPointerType() && isArrayOwner(T)) {
      give(Holder, First->getType(), First, At);
      return true;
    }
    QualType Element = elementType(T);
    if (Element.isNull())
      return true;
    if (First->getType()->isIntegralOrEnumerationType()) {
      fresh(Holder, Element, First, constructorOf(T), At, /*Reserves=*/false, Times);
      if (C->getNumArgs() > 1)
        rows(Holder, Element, C->getArg(1), At, Times * Paths.integer(First));
      return true;
    }
    if (C->getConstructor()->isCopyConstructor() && !isArrayOwner(T)) {
      fresh(Holder, Element, nullptr, constructorOf(T), At);
      return true;
    }
    if (C->getConstructor()->isMoveConstructor())
      return false;
    return true;
  }

  // The element type of a vector-like class with the standard allocator: another one may place pages itself.
  QualType elementType(QualType T) const {
    const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
    if (!S || S->getName() == "array" || S->getName() == "span" || S->getTemplateArgs().size() == 0 ||
        S->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
      return {};
    if (S->getName() == "vector" && S->getTemplateArgs().size() > 1) {
      const CXXRecordDecl *A = S->getTemplateArgs()[1].getAsType()->getAsCXXRecordDecl();
      if (!A || !A->isInStdNamespace() || !A->getIdentifier() || A->getName() != "allocator")
        return {};
    }
    QualType E = S->getTemplateArgs()[0].getAsType();
    if (const ArrayType *A = E->getAsArrayTypeUnsafe())
      E = A->getElementType();
    return E;
  }
  static bool isArrayOwner(QualType T) {
    const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
    return S && (S->getName() == "unique_ptr" || S->getName() == "shared_ptr") && S->getTemplateArgs().size() &&
           S->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
           S->getTemplateArgs()[0].getAsType()->isArrayType();
  }

  static std::string constructorOf(QualType T) {
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    return "the constructor" + (R && R->getIdentifier() ? " of std::" + R->getName().str() : std::string());
  }

  // A container whose elements, as many as Count, are containers made like Value.
  void rows(const Location &Holder, QualType Element, const Expr *Value, SourceLocation At, const Poly &Count) {
    if (!PathResolver::isContainer(Element))
      return;
    Location Row = Holder;
    Row.push_back("*");
    container(Row, Element, Value, At, Count);
  }

  // A container gets memory of Count elements; nothing known when Count is null. Writer: what writes them, if any does.
  void fresh(const Location &Holder, QualType Element, const Expr *Count, const std::string &Writer,
             SourceLocation Place, bool Reserves = false, const Poly &Times = Poly::constant(1)) {
    TouchEvent E;
    E.K = TouchEvent::Allocate;
    E.Object = Holder;
    E.Name = lastName(Holder);
    E.Reserves = Reserves;
    E.Reserved = Writer == "resize" || Writer == "assign";
    if (Count)
      size(Times * Paths.integer(Count), sizeOf(Element), E);
    TouchEvent Fill = E;
    add(std::move(E), Place);
    if (!Writer.empty())
      implicitFill(std::move(Fill), Writer, Place);
  }

  // Of the allocation, as the allocation itself does it.
  void implicitFill(TouchEvent Fill, std::string Writer, SourceLocation At) {
    Fill.K = By == Runs::Serial ? TouchEvent::Fill : TouchEvent::Foreign;
    Fill.Object.push_back("*");
    Fill.SizeParameter = -1;
    Fill.Sizes.clear();
    Fill.Bytes = -1;
    Fill.Reserved = Fill.Reserves = false;
    Fill.Implicit = true;
    Fill.Perhaps = Writer == "calloc";
    Fill.Writer = std::move(Writer);
    if (Fill.K == TouchEvent::Fill || !Fill.Perhaps)
      add(std::move(Fill), At);
  }

  void size(const Poly &Count, std::int64_t Each, TouchEvent &E) const {
    if (std::optional<std::int64_t> C = Count.asConstant()) {
      E.Bytes = std::max<std::int64_t>(0, *C * Each);
      return;
    }
    std::vector<std::string> Factors;
    if (factors(Count, Factors))
      E.Sizes = std::move(Factors);
    // A wrapper that allocates as many bytes as its caller says.
    if (Each == 1 && Count.terms().size() == 1 && Count.degree() == 1 && Count.terms().begin()->second == 1)
      if (const VarDecl *V = Paths.symbol(Count.terms().begin()->first.front()).Var)
        if (const auto *P = dyn_cast<ParmVarDecl>(V); P && P->getDeclContext() == Function)
          E.SizeParameter = P->getFunctionScopeIndex();
  }

  void allocate(Location Holder, const Expr *V, SourceLocation At) {
    TouchEvent E;
    E.K = TouchEvent::Allocate;
    E.Name = lastName(Holder);
    E.Object = std::move(Holder);
    V = V->IgnoreParenCasts();
    std::string Writer;
    if (const auto *N = dyn_cast<CXXNewExpr>(V)) {
      if (auto Count = N->getArraySize(); Count && *Count)
        size(Paths.integer(*Count), sizeOf(N->getAllocatedType()), E);
      else
        E.Bytes = sizeOf(N->getAllocatedType());
      // new T[n]() and elements with constructors of their own write; new double[n] does not.
      const CXXConstructExpr *C = N->getConstructExpr();
      if (N->isArray() && N->getInitializer() && (!C || C->requiresZeroInitialization()))
        Writer = "new[]()";
      else if (N->isArray() && C && !C->getConstructor()->isTrivial())
        Writer = "new[]";
    } else if (const auto *C = dyn_cast<CallExpr>(V)) {
      llvm::StringRef Name = C->getDirectCallee()->getName();
      Poly Count = Poly::constant(0);
      if (Name == "calloc" && C->getNumArgs() == 2)
        Writer = "calloc";
      if (!Writer.empty())
        Count = Paths.integer(C->getArg(0)) * Paths.integer(C->getArg(1));
      else if (C->getNumArgs())
        Count = Paths.integer(C->getArg(Name == "aligned_alloc" || Name == "memalign" || Name == "mmap" ? 1 : 0));
      size(Count, 1, E);
    }
    SourceLocation Place = V->getBeginLoc().isValid() ? V->getBeginLoc() : At;
    TouchEvent Fill = E;
    add(std::move(E), Place);
    if (!Writer.empty())
      implicitFill(std::move(Fill), Writer, Place);
  }

  void initializer(const CXXCtorInitializer *I) {
    const Expr *Init = I->getInit();
    if (!Init)
      return;
    if (const auto *D = dyn_cast<CXXDefaultInitExpr>(Init))
      Init = D->getExpr();
    operand(Init);
    Location Holder{"this"};
    QualType T;
    if (const FieldDecl *F = I->getAnyMember()) {
      Holder.push_back("." + F->getNameAsString());
      T = F->getType();
      if (T->isReferenceType()) {
        TouchEvent E;
        E.K = TouchEvent::Assign;
        E.Object = std::move(Holder);
        E.Other = toLocation(Paths.lvalue(Init));
        if (!E.Other.empty())
          add(std::move(E), Init->getExprLoc());
        return;
      }
    } else {
      T = Init->getType();
    }
    give(std::move(Holder), T, Init, I->isWritten() ? I->getSourceLocation() : Init->getExprLoc());
  }

  std::optional<TouchEvent> inPlace(const VarDecl *V, Location L, std::string Name) const {
    if (V->getType()->isIncompleteType() || V->getType()->isDependentType() || V->getType()->isVariableArrayType())
      return std::nullopt;
    TouchEvent E;
    E.K = TouchEvent::Allocate;
    E.InPlace = true;
    E.Object = std::move(L);
    E.Name = std::move(Name);
    E.Bytes = sizeOf(V->getType());
    return E;
  }

  // Calls of the library

  // True when nothing more is to be said about the call.
  bool libraryCall(const Expr *Call, const FunctionDecl *F, llvm::ArrayRef<const Expr *> Args, const Expr *Object) {
    if (!F || !F->getIdentifier())
      return false;
    llvm::StringRef Name = F->getName();
    if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && Object && PathResolver::isContainer(Object->getType())) {
      Location Holder = toLocation(Object->getType()->isPointerType() ? Paths.pointee(Object) : Paths.lvalue(Object));
      if (Holder.empty())
        return true;
      QualType T = M->getThisType()->getPointeeType();
      if ((Name == "resize" || Name == "assign") && !Args.empty() &&
          Args[0]->getType()->isIntegralOrEnumerationType()) {
        if (QualType Element = elementType(T); !Element.isNull() && Paths.integer(Args[0]).asConstant() != 0) {
          fresh(Holder, Element, Args[0], Name.str(), Call->getExprLoc());
          if (Args.size() > 1)
            rows(Holder, Element, Args[1], Call->getExprLoc(), Paths.integer(Args[0]));
        }
        return true;
      }
      if (Name == "reserve" && Args.size() == 1) {
        if (QualType Element = elementType(T); !Element.isNull())
          fresh(Holder, Element, Args[0], "", Call->getExprLoc(), /*Reserves=*/true);
        return true;
      }
      if (Name == "reset" && !Args.empty() && isArrayOwner(T)) {
        give(Holder, Args[0]->getType(), Args[0], Call->getExprLoc());
        return true;
      }
      if (Name == "swap" && Args.size() == 1)
        return swap(Holder, toLocation(Paths.lvalue(Args[0])), Call);
      return true;
    }
    if (!F->isExternC() && !F->isInStdNamespace())
      return false;
    if (PathResolver::isAllocation(Call) || Name == "free" || Name == "munmap")
      return true;
    if (Name == "posix_memalign" && Args.size() == 3) {
      Location Holder = toLocation(Paths.pointee(Args[0]));
      if (Holder.empty())
        return true;
      TouchEvent E;
      E.K = TouchEvent::Allocate;
      E.Name = lastName(Holder);
      E.Object = std::move(Holder);
      size(Paths.integer(Args[2]), 1, E);
      add(std::move(E), Call->getExprLoc());
      return true;
    }
    if (Name == "swap" && Args.size() == 2) {
      if (Args[0]->getType()->isPointerType() || PathResolver::isContainer(Args[0]->getType()))
        swap(toLocation(Paths.lvalue(Args[0])), toLocation(Paths.lvalue(Args[1])), Call);
      return true;
    }
    if ((Name == "memset" || Name == "memcpy" || Name == "memmove") && Args.size() == 3)
      return wholeWrite(Call, Args[0], Args[2], 1);
    if (Name == "bzero" && Args.size() == 2)
      return wholeWrite(Call, Args[0], Args[1], 1);
    if (F->isInStdNamespace()) {
      if ((Name == "fill" || Name == "iota") && Args.size() >= 3)
        return wholeWrite(Call, Args[0], nullptr, 0);
      if (Name == "fill_n" && Args.size() >= 3)
        return wholeWrite(Call, Args[0], Args[1], 0);
      if (Name == "copy" && Args.size() == 3)
        return wholeWrite(Call, Args[2], nullptr, 0);
      if (Name == "copy_n" && Args.size() == 3)
        return wholeWrite(Call, Args[2], Args[1], 0);
    }
    return false;
  }

  bool swap(Location A, Location B, const Expr *At) {
    if (A.empty() || B.empty())
      return true;
    TouchEvent E;
    E.K = TouchEvent::Swap;
    E.Object = std::move(A);
    E.Other = std::move(B);
    add(std::move(E), At->getExprLoc());
    return true;
  }

  // A call that writes a whole array. Each is the size of what Count counts; 0 for elements.
  bool wholeWrite(const Expr *Call, const Expr *To, const Expr *Count, std::int64_t Each) {
    ObjectPath P = Paths.pointee(To);
    Location L = objectOf(P);
    if (L.empty())
      return true;
    TouchEvent E;
    E.K = By == Runs::Serial ? TouchEvent::Fill : By == Runs::One ? TouchEvent::Foreign : TouchEvent::TeamWrite;
    E.Object = std::move(L);
    E.Name = nameOf(P);
    if (const auto *C = dyn_cast<CallExpr>(Call); E.K == TouchEvent::Fill && C && C->getDirectCallee())
      if (llvm::StringRef Callee = C->getDirectCallee()->getName(); Callee == "memset" || Callee == "bzero") {
        E.Implicit = true;
        E.Writer = Callee.str();
      }
    if (Count) {
      Poly N = Paths.integer(Count);
      if (!Each) {
        QualType T = To->getType()->isPointerType() ? To->getType()->getPointeeType() : QualType();
        Each = T.isNull() ? 0 : sizeOf(T);
      }
      if (std::optional<std::int64_t> C = N.asConstant(); C && Each)
        E.Bytes = *C * Each;
      std::vector<std::string> Factors;
      if (factors(N, Factors))
        E.Sizes = std::move(Factors);
    }
    // Part by part in a loop, with parts of constant size: how much in all is not known.
    if (E.Bytes >= 0 && dependsOnPath(P))
      E.Bytes = -1;
    if (dependsOnPath(P))
      E.Sizes.clear();
    E.Range = Call->getSourceRange();
    add(std::move(E), Call->getBeginLoc());
    return true;
  }
  bool dependsOnPath(const ObjectPath &P) const {
    return llvm::any_of(P.Steps, [&](const ObjectPath::Step &S) { return S.isElement() && dependsOnLoops(S.Index); });
  }

  TouchEvent::Argument argument(const Expr *A, QualType T) {
    TouchEvent::Argument X;
    if (T->isReferenceType()) {
      X.Where = toLocation(Paths.lvalue(A));
      X.Reference = true;
      X.Const = T->getPointeeType().isConstQualified();
      if (!T->getPointeeType()->isPointerType() && !T->getPointeeType()->isRecordType() &&
          !T->getPointeeType()->isArrayType())
        X.Where.clear(); // numbers
    } else if (T->isPointerType() && A->getType()->isPointerType()) {
      ObjectPath P = Paths.pointee(A);
      X.Where = toLocation(P);
      X.Const = T->getPointeeType().isConstQualified();
      if (T->isFunctionPointerType())
        X.Where.clear();
    } else if (T->isRecordType() && A->IgnoreParenImpCasts()->isGLValue()) {
      X.Where = toLocation(Paths.lvalue(A));
      X.Reference = true;
      X.Const = true;
    } else if (T->isIntegralOrEnumerationType()) {
      if (std::optional<std::int64_t> C = Paths.integer(A).asConstant())
        X.Value = *C;
    }
    return X;
  }

  static bool isLambda(const Expr *A) {
    const CXXRecordDecl *R = A->getType()->getAsCXXRecordDecl();
    return R && R->isLambda();
  }
  // Unknown code may run the lambda.
  void spoilCaptures(const Expr *A) {
    for (const LambdaCapture &C : A->getType()->getAsCXXRecordDecl()->captures()) {
      if (!C.capturesVariable())
        continue;
      const auto *V = dyn_cast<VarDecl>(C.getCapturedVar());
      if (!V)
        continue;
      ObjectPath P;
      P.Root = ObjectPath::Variable;
      P.Var = V->getCanonicalDecl();
      Location L = toLocation(P);
      if (V->getType()->isPointerType())
        L.push_back("*");
      add(TouchEvent::Foreign, std::move(L), A->getExprLoc());
    }
  }

  // Whether a call may store a value there: through a pointer or reference that is not const and no stream.
  static bool receives(const Expr *A) {
    QualType T = A->getType();
    if (A->isGLValue())
      return T->isArithmeticType() && !T.isConstQualified();
    const Expr *Plain = A->IgnoreParenImpCasts();
    if (!T->isPointerType() || isa<StringLiteral>(Plain))
      return false;
    QualType Pointee = Plain->getType()->isPointerType() ? Plain->getType()->getPointeeType() : T->getPointeeType();
    return !T->getPointeeType().isConstQualified() && Pointee->isArithmeticType() && !Pointee.isConstQualified();
  }

  // Locations

  std::string root(const VarDecl *V) {
    V = V->getCanonicalDecl();
    if (V->hasGlobalStorage())
      return "g" + Ids.of(V);
    if (const auto *P = dyn_cast<ParmVarDecl>(V); P && P->getDeclContext() == Function)
      return "p" + std::to_string(P->getFunctionScopeIndex());
    return "l" + std::to_string(Locals.try_emplace(V, Locals.size()).first->second);
  }
  std::string temporary(const Expr *E) {
    return "t" + std::to_string(Temporaries.try_emplace(E->IgnoreParenCasts(), Temporaries.size()).first->second);
  }

  Location toLocation(const ObjectPath &P, std::size_t Steps = ~std::size_t(0)) {
    Location L;
    switch (P.Root) {
    case ObjectPath::Variable:
      L.push_back(root(P.Var));
      break;
    case ObjectPath::This:
      L.push_back("this");
      break;
    case ObjectPath::Result:
      L.push_back(temporary(P.From));
      break;
    case ObjectPath::Unknown:
    case ObjectPath::Literal:
      return {};
    }
    for (std::size_t I = 0; I < P.Steps.size() && I < Steps; ++I)
      if (P.Steps[I].Field)
        L.push_back("." + P.Steps[I].Field->getNameAsString());
      else if (!P.Steps[I].Embedded)
        L.push_back("*");
    return L.size() > 12 ? Location{} : L;
  }

  // The array that an element belongs to: up to the last pointer on the way, or the variable.
  Location objectOf(const ObjectPath &P) {
    std::size_t Steps = 0;
    for (std::size_t I = 0; I < P.Steps.size(); ++I)
      if (P.Steps[I].isElement() && !P.Steps[I].Embedded)
        Steps = I + 1;
    return toLocation(P, Steps);
  }

  // The name of the array: of the field or variable that holds the last pointer on the way.
  static std::string nameOf(const ObjectPath &P) {
    std::string Name = P.Root == ObjectPath::Variable ? P.Var->getNameAsString() : std::string();
    std::size_t Last = 0;
    for (std::size_t I = 0; I < P.Steps.size(); ++I)
      if (P.Steps[I].isElement() && !P.Steps[I].Embedded)
        Last = I;
    for (std::size_t I = 0; I < Last; ++I)
      if (P.Steps[I].Field)
        Name = P.Steps[I].Field->getNameAsString();
    return Name;
  }
  std::string lastName(const Location &Holder) const {
    if (Holder.size() > 1)
      for (const std::string &S : llvm::reverse(Holder))
        if (llvm::StringRef(S).starts_with("."))
          return S.substr(1);
    for (const auto &[V, N] : Locals)
      if (Holder.front() == "l" + std::to_string(N))
        return V->getNameAsString();
    if (llvm::StringRef(Holder.front()).starts_with("p"))
      for (const ParmVarDecl *P : Function->parameters())
        if (Holder.front() == "p" + std::to_string(P->getFunctionScopeIndex()))
          return P->getNameAsString();
    return {};
  }

  std::int64_t sizeOf(QualType T) const {
    T = T.getNonReferenceType();
    if (T->isVoidType() || T->isFunctionType() || T->isIncompleteType() || T->isDependentType() ||
        T->isVariableArrayType())
      return 1;
    return Ctx.getTypeSizeInChars(T).getQuantity();
  }

  // Events

  void add(TouchEvent::Kind K, Location L, SourceLocation At) {
    TouchEvent E;
    E.K = K;
    E.Object = std::move(L);
    add(std::move(E), At);
  }
  void add(TouchEvent E, SourceLocation At) {
    E.By = By;
    // Rows that are allocated one by one: what counts is all of them.
    if (E.K == TouchEvent::Allocate && !Loops.empty() && E.Bytes >= 0 && llvm::is_contained(E.Object, "*"))
      for (const Loop &L : Loops) {
        std::optional<std::int64_t> Trips = L.Range ? L.Range->trips() : std::nullopt;
        E.Bytes = Trips && E.Bytes >= 0 ? E.Bytes * *Trips : -1;
      }
    for (const Arm &A : Arms)
      E.Arms.emplace_back(A.Branch, A.Arm);
    if (E.Range.isInvalid())
      E.Range = At;
    if (E.K == TouchEvent::Allocate || E.K == TouchEvent::Fill || E.K == TouchEvent::TeamUse) {
      E.Where = placeOf(Ctx, E.Range);
      if (E.K == TouchEvent::Fill)
        E.Suppressed = Suppressed(E.Implicit, E.Range.getBegin());
    } else if (E.K == TouchEvent::TeamWrite || E.K == TouchEvent::Foreign) {
      E.Range = SourceRange();
    }
    // The same access in one loop is said once.
    if (E.K == TouchEvent::TeamUse || E.K == TouchEvent::TeamWrite || E.K == TouchEvent::Foreign) {
      std::string Key = std::to_string(E.K) + "," + std::to_string(int(E.By)) + "," +
                        std::to_string(Loops.empty() ? 0 : LoopKey()) + "," +
                        std::to_string(Arms.empty() ? 0 : ArmKey()) + "," + std::to_string(E.Overwrites + 2 * E.List);
      for (const std::string &S : E.Object)
        Key += "/" + S;
      if (!Said.insert(Key).second)
        return;
    }
    Out.Events.push_back(std::move(E));
  }
  std::uintptr_t LoopKey() const { return reinterpret_cast<std::uintptr_t>(Loops.front().S); }
  unsigned ArmKey() const { return Arms.back().Branch * 64 + Arms.back().Arm + 1; }

  const UnitFunctions &Unit;
  Names &Ids;
  TouchSilencer Suppressed;
  FunctionTouches &Out;
  const FunctionDecl *Function = nullptr;
  Runs By = Runs::Serial;
  bool InTeam = false, NextIsShared = false;
  std::vector<Loop> Loops;
  std::vector<Arm> Arms;
  std::optional<unsigned> Switch;
  llvm::DenseSet<const VarDecl *> TeamLocals;
  llvm::DenseMap<const VarDecl *, unsigned> Locals;
  llvm::DenseMap<const Expr *, unsigned> Temporaries;
  llvm::StringSet<> Said;
  // By shared loop: uses as indices of events, with the bytes from one iteration's elements to the next one's.
  llvm::DenseMap<const Stmt *, std::vector<std::pair<std::size_t, std::int64_t>>> Moves;
  unsigned LastLoop = 0, LastBranch = 0;
};

} // namespace

TouchFacts collectTouches(ASTContext &Ctx, TouchSilencer Suppressed) {
  TouchFacts Facts;
  if (!Ctx.getLangOpts().OpenMP)
    return Facts;
  UnitFunctions Unit(Ctx);
  Names Ids(Ctx);
  for (const VarDecl *V : Unit.Globals) {
    QualType T = V->getType();
    if (V->hasDefinition() == VarDecl::DeclarationOnly || V != V->getCanonicalDecl() || T->isIncompleteType() ||
        T->isDependentType() || !(T->isArrayType() || T->isRecordType()) || V->getTSCSpec() != TSCS_unspecified)
      continue;
    // Data that the program's file brings along is not fresh.
    if (const Expr *Init = V->getAnyInitializer(); Init && T->isArrayType())
      continue;
    TouchEvent E{};
    E.K = TouchEvent::Allocate;
    E.InPlace = true;
    E.Object = {"g" + Ids.of(V)};
    E.Name = V->getNameAsString();
    E.Bytes = Ctx.getTypeSizeInChars(T).getQuantity();
    E.Range = V->getLocation();
    E.Where = placeOf(Ctx, E.Range);
    Facts.Globals.push_back(std::move(E));
  }
  for (const FunctionDecl *F : Unit.Functions) {
    if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->getParent()->isLambda())
      continue; // walked where it is called
    PathResolver Paths(Ctx, Unit);
    FunctionTouches T;
    T.Id = Ids.of(F);
    T.Name = Unit::functionName(F);
    Place Scope = placeOf(Ctx, F->getSourceRange());
    T.ScopeBegin = Scope.Line;
    T.ScopeEnd = Scope.EndLine;
    FactsBuilder(Ctx, Paths, Unit, Ids, Suppressed, T).run(F);
    if (!T.Events.empty())
      Facts.Functions.push_back(std::move(T));
  }
  return Facts;
}

} // namespace stridewise
