// The integers of an expression as polynomials, and the ranges of loops' counters.
#include "omp/ObjectPath.h"
#include "unit/Meter.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace stridewise {

std::optional<std::int64_t> CounterRange::trips() const {
  std::optional<std::int64_t> Distance = (End - Begin).asConstant();
  if (!Distance)
    return std::nullopt;
  if (Step < 0)
    return *Distance >= 0 ? 0 : (-*Distance - Step - 1) / -Step;
  return *Distance <= 0 ? 0 : (*Distance + Step - 1) / Step;
}

SymbolId PathResolver::intern(SymbolInfo Info) {
  auto [It, New] = ByKey.try_emplace(Info.Key, Symbols.size());
  if (New)
    Symbols.push_back(std::move(Info));
  return It->second;
}

SymbolId PathResolver::threadNumber() {
  SymbolInfo Info;
  Info.Key = "thread";
  return intern(std::move(Info));
}

SymbolId PathResolver::counter(std::string Key, const Poly &Range) {
  SymbolInfo Info;
  Info.Key = "counter " + Key;
  Info.Inputs = Range.symbols();
  return intern(std::move(Info));
}

bool PathResolver::dependsOn(const Poly &P, SymbolId S) const {
  std::set<SymbolId> Seen = P.symbols();
  std::vector<SymbolId> Work(Seen.begin(), Seen.end());
  while (!Work.empty()) {
    SymbolId X = Work.back();
    Work.pop_back();
    if (X == S)
      return true;
    for (SymbolId I : Symbols[X].Inputs)
      if (Seen.insert(I).second)
        Work.push_back(I);
  }
  return false;
}

std::string PathResolver::key(const Poly &P) const {
  std::string S;
  for (const auto &[M, C] : P.terms()) {
    S += (S.empty() ? "" : "+") + std::to_string(C);
    for (SymbolId X : M)
      S += "*" + std::to_string(X);
  }
  return S;
}

std::string PathResolver::key(const ObjectPath &P) const {
  const void *Root = P.Root == ObjectPath::Variable ? static_cast<const void *>(P.Var) : P.From;
  if (P.Root == ObjectPath::This)
    Root = nullptr;
  std::string S = std::to_string(P.Root) + "@" + llvm::utohexstr(reinterpret_cast<std::uintptr_t>(Root));
  for (const ObjectPath::Step &X : P.Steps)
    if (X.Field)
      S += "." + llvm::utohexstr(reinterpret_cast<std::uintptr_t>(X.Field));
    else
      S += "[" + key(X.Index) + "]";
  return S;
}

Poly PathResolver::opaque(const Expr *E, std::string Key, llvm::ArrayRef<Poly> From) {
  SymbolInfo Info;
  Info.Opaque = true;
  if (Key.empty())
    Info.Key = "?" + llvm::utohexstr(reinterpret_cast<std::uintptr_t>(E));
  else
    Info.Key = Key + "(";
  for (const Poly &P : From) {
    if (!Key.empty())
      Info.Key += key(P) + ",";
    std::set<SymbolId> S = P.symbols();
    Info.Inputs.insert(S.begin(), S.end());
  }
  return Poly::symbol(intern(std::move(Info)));
}

Poly PathResolver::castInteger(const CastExpr *C) {
  switch (C->getCastKind()) {
  case CK_LValueToRValue:
  case CK_IntegralCast:
  case CK_NoOp:
    return integer(C->getSubExpr());
  case CK_PointerToIntegral: {
    // A number that travels as a pointer.
    const VarDecl *V = UnitFunctions::variableOf(C->getSubExpr());
    const Binding *B = V ? binding(V) : nullptr;
    return B && B->Value ? *B->Value : opaque(C, "", {});
  }
  default:
    return opaque(C, "", {});
  }
}

Poly PathResolver::computedInteger(const BinaryOperator *B) {
  if (B->getLHS()->getType()->isPointerType() || B->getRHS()->getType()->isPointerType())
    return opaque(B, "", {});
  Poly L = integer(B->getLHS()), R = integer(B->getRHS());
  std::optional<std::int64_t> Shift = R.asConstant();
  bool Small = L.terms().size() * R.terms().size() <= 64 && L.degree() + R.degree() <= 12;
  if (B->getOpcode() == BO_Add && Small)
    return L + R;
  if (B->getOpcode() == BO_Sub && Small)
    return L - R;
  if (B->getOpcode() == BO_Mul && Small)
    return L * R;
  if (B->getOpcode() == BO_Shl && Shift && *Shift >= 0 && *Shift < 31)
    return L * Poly::constant(std::int64_t(1) << *Shift);
  return opaque(B, "op" + std::to_string(B->getOpcode()), {L, R});
}

Poly PathResolver::returnedInteger(const CallExpr *C) {
  if (containerCall(C) == ContainerCall::Size) {
    const Expr *O = object(C);
    SymbolInfo Info;
    Info.Loaded = O->getType()->isPointerType() ? pointee(O) : lvalue(O);
    Info.Key = "size " + C->getDirectCallee()->getNameAsString() + key(*Info.Loaded);
    return Poly::symbol(intern(std::move(Info)));
  }
  // The number of the calling thread: one value per thread, the same in the whole region.
  if (const FunctionDecl *F = C->getDirectCallee();
      F && F->isExternC() && F->getIdentifier() && F->getName() == "omp_get_thread_num")
    return Poly::symbol(threadNumber());
  std::vector<Poly> Args;
  for (const Expr *A : C->arguments())
    if (A->getType()->isIntegralOrEnumerationType() && Args.size() < 8)
      Args.push_back(integer(A));
  return containerCall(C) == ContainerCall::Element ? loadedInteger(C)
                                                    : through(C, &PathResolver::integer, opaque(C, "", Args));
}

// What a variable is bound to, or was set to once.
std::optional<Poly> PathResolver::knownValue(const VarDecl *V) {
  if (const Binding *B = binding(V))
    return B->Value;
  if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || !V->getInit() || Unit.Assigned.contains(V) ||
      !V->getType()->isIntegralOrEnumerationType() || Nesting >= MostNested)
    return std::nullopt;
  ++Nesting;
  Poly P = integer(V->getInit());
  --Nesting;
  return P;
}

// A number in memory.
Poly PathResolver::loadedInteger(const Expr *E) {
  if (!E->isGLValue())
    return opaque(E, "", {});
  ObjectPath P = lvalue(E);
  if (P.Root == ObjectPath::Unknown || P.Root == ObjectPath::Result)
    return opaque(E, "", {});
  if (auto It = Contents.empty() ? Contents.end() : Contents.find(key(P)); It != Contents.end() && It->second.Value)
    return *It->second.Value;
  SymbolInfo Info;
  Info.Key = "v " + key(P);
  if (P.isPlainVariable())
    Info.Var = P.Var;
  for (const ObjectPath::Step &S : P.Steps)
    for (SymbolId X : S.Index.symbols())
      Info.Inputs.insert(X);
  Info.Loaded = std::move(P);
  return Poly::symbol(intern(std::move(Info)));
}

Poly PathResolver::integer(const Expr *E) {
  Meter::count();
  E = E->IgnoreParens();
  Expr::EvalResult Constant;
  if (!E->isValueDependent() && E->getType()->isIntegralOrEnumerationType() && E->EvaluateAsInt(Constant, Ctx) &&
      Constant.Val.getInt().isRepresentableByInt64())
    return Poly::constant(Constant.Val.getInt().getExtValue());
  if (const auto *C = dyn_cast<FullExpr>(E))
    return integer(C->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return integer(M->getSubExpr());
  if (const auto *C = dyn_cast<CastExpr>(E))
    return castInteger(C);
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && !B->isAssignmentOp() && B->getOpcode() != BO_Comma)
    return computedInteger(B);
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_Minus)
      return Poly::constant(-1) * integer(U->getSubExpr());
    if (U->getOpcode() == UO_Plus)
      return integer(U->getSubExpr());
    if (U->getOpcode() == UO_PostInc || U->getOpcode() == UO_PostDec)
      return integer(U->getSubExpr());
    if (U->getOpcode() != UO_Deref)
      return opaque(E, "", {});
  }
  if (const auto *C = dyn_cast<ConditionalOperator>(E))
    return opaque(E, "?:", {integer(C->getCond()), integer(C->getTrueExpr()), integer(C->getFalseExpr())});
  if (const auto *C = dyn_cast<CallExpr>(E))
    return returnedInteger(C);
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
      if (std::optional<Poly> Value = knownValue(V))
        return *Value;
  return loadedInteger(E);
}

namespace {

struct CounterStart {
  const VarDecl *Counter = nullptr;
  const Expr *Begin = nullptr;
};

// Of several counters the one that the condition names counts.
bool isNamed(const VarDecl *V, const Expr *Condition) {
  const auto *C = dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts());
  return !C || UnitFunctions::variableOf(C->getLHS()) == V || UnitFunctions::variableOf(C->getRHS()) == V;
}

// The counter of a loop, and where it starts.
CounterStart startOf(const ForStmt *For) {
  if (const auto *D = dyn_cast_or_null<DeclStmt>(For->getInit())) {
    for (const Decl *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X); V && V->getInit() && V->getType()->isIntegralOrEnumerationType() &&
                                                (D->isSingleDecl() || isNamed(V, For->getCond())))
        return {V, V->getInit()};
    return {};
  }
  SmallVector<const Expr *, 4> Parts;
  if (const auto *E = dyn_cast_or_null<Expr>(For->getInit()))
    Parts.push_back(E);
  const bool Several =
      !Parts.empty() && isa<BinaryOperator>(Parts[0]) && cast<BinaryOperator>(Parts[0])->getOpcode() == BO_Comma;
  while (!Parts.empty()) {
    const auto *B = dyn_cast<BinaryOperator>(Parts.pop_back_val()->IgnoreParenImpCasts());
    if (B && B->getOpcode() == BO_Comma) {
      Parts.append({B->getRHS(), B->getLHS()});
    } else if (B && B->getOpcode() == BO_Assign) {
      const VarDecl *V = UnitFunctions::variableOf(B->getLHS());
      if (V && V->getType()->isIntegralOrEnumerationType() && (!Several || isNamed(V, For->getCond())))
        return {V, B->getRHS()};
    }
  }
  return {};
}

struct Bound {
  BinaryOperatorKind Op; // as if the counter stood on the left
  const Expr *End;
};

std::optional<Bound> boundOf(const ForStmt *For, const VarDecl *Counter) {
  const auto *Cond = dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
  if (!Cond || !(Cond->isRelationalOp() || Cond->getOpcode() == BO_NE))
    return std::nullopt;
  BinaryOperatorKind Op = Cond->getOpcode();
  if (UnitFunctions::variableOf(Cond->getLHS()) == Counter)
    return Bound{Op, Cond->getRHS()};
  if (UnitFunctions::variableOf(Cond->getRHS()) != Counter)
    return std::nullopt;
  return Bound{Op == BO_NE ? Op : BinaryOperator::reverseComparisonOp(Op), Cond->getLHS()};
}

// Of `++i, --j` the part that has to do with the counter.
const Expr *incrementOf(const ForStmt *For, const VarDecl *Counter) {
  auto IsCounter = [&](const Expr *E) { return UnitFunctions::variableOf(E) == Counter; };
  const Expr *Inc = For->getInc()->IgnoreParenImpCasts();
  while (const auto *Comma = dyn_cast<BinaryOperator>(Inc)) {
    if (Comma->getOpcode() != BO_Comma)
      break;
    Inc = (IsCounter(Comma->getLHS()) ? Comma->getLHS() : Comma->getRHS())->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(Comma->getLHS()->IgnoreParenImpCasts());
        U && IsCounter(U->getSubExpr()))
      Inc = U;
  }
  return Inc;
}

} // namespace

// What an increment adds to the counter; nothing where that is no constant.
std::optional<std::int64_t> PathResolver::stepOf(const Expr *Inc, const VarDecl *Counter) {
  if (const auto *U = dyn_cast<UnaryOperator>(Inc);
      U && U->isIncrementDecrementOp() && UnitFunctions::variableOf(U->getSubExpr()) == Counter)
    return U->isIncrementOp() ? 1 : -1;
  const auto *A = dyn_cast<BinaryOperator>(Inc);
  if (!A || UnitFunctions::variableOf(A->getLHS()) != Counter)
    return std::nullopt;
  if (A->getOpcode() == BO_AddAssign || A->getOpcode() == BO_SubAssign) {
    std::optional<std::int64_t> By = integer(A->getRHS()).asConstant();
    return By && A->getOpcode() == BO_SubAssign ? -*By : By;
  }
  if (A->getOpcode() != BO_Assign)
    return std::nullopt;
  unbind(Counter);
  Poly Now = integer(A->getRHS());
  return (Now - integer(A->getLHS())).asConstant();
}

std::optional<CounterRange> PathResolver::range(const Stmt *Loop) {
  const auto *For = dyn_cast_or_null<ForStmt>(Loop);
  if (!For || !For->getCond() || !For->getInc())
    return std::nullopt;
  const CounterStart Start = startOf(For);
  std::optional<Bound> To = Start.Counter ? boundOf(For, Start.Counter) : std::nullopt;
  std::optional<std::int64_t> Step = To ? stepOf(incrementOf(For, Start.Counter), Start.Counter) : std::nullopt;
  if (!Step || !*Step)
    return std::nullopt;
  if (To->Op != BO_NE && (*Step > 0) != (To->Op == BO_LT || To->Op == BO_LE))
    return std::nullopt;
  CounterRange R;
  R.Counter = Start.Counter;
  R.Step = *Step;
  R.Begin = integer(Start.Begin);
  R.End = integer(To->End);
  if (To->Op == BO_LE)
    R.End = R.End + Poly::constant(1);
  if (To->Op == BO_GE)
    R.End = R.End - Poly::constant(1);
  return R;
}

} // namespace stridewise
