#include "checks/omp-barrier-in-loop/TeamConflict.h"
#include "unit/Meter.h"
#include "llvm/ADT/MapVector.h"

using namespace clang;

namespace stridewise {
namespace {

bool reachesOut(const ObjectPath &P) {
  return P.hops() || P.Root != ObjectPath::Variable || P.Var->getType()->isReferenceType();
}

class Comparison {
public:
  explicit Comparison(const TeamSides &Sides) : Sides(Sides) {}

  bool conflict(const TeamAccess &X, const TeamAccess &Y, BarrierVerdict &V) {
    if (X.By == TeamAccess::Master && Y.By == TeamAccess::Master)
      return false;
    switch (overlap(X, Y)) {
    case Apart:
      return false;
    case AssumedApart:
      V.AssumesDistinct = true;
      return false;
    case Same:
      break;
    }
    return !sameThread(X, Y, V);
  }

  // What the answer for two accesses of different objects rests on: all such pairs of two kinds have the same one.
  using Kind = std::tuple<unsigned, const Type *>;
  Kind kind(const TeamAccess &X) const {
    const ObjectPath &P = X.P;
    unsigned Bits = X.Writes | (X.By == TeamAccess::Master) << 1;
    auto Add = [&, At = 2](bool B) mutable { Bits |= unsigned(B) << At++; };
    if (isAnything(P)) {
      Add(true);
      return {Bits, nullptr};
    }
    Add(false);
    const bool Far = reachesOut(P), IsVariable = P.Root == ObjectPath::Variable;
    Add(IsVariable);
    Add(Far);
    Add(ownsMemory(P));
    Add(moves(P) || isLoosePointer(P));
    if (IsVariable) {
      const QualType T = P.Var->getType();
      Add(P.isPlainVariable());
      Add(P.Var->hasLocalStorage());
      Add(T->isReferenceType());
      Add(T->isScalarType());
      Add(T.isRestrictQualified());
      Add(Sides.Unit.AddressTaken.contains(P.Var));
    }
    // As differentTypes() sees them.
    static const char Integer = 0, Pointer = 0;
    QualType T = X.Type;
    if (T.isNull() || !T->isScalarType() || T->isCharType())
      return {Bits, nullptr};
    if (T->isIntegerType())
      return {Bits, reinterpret_cast<const Type *>(&Integer)};
    if (T->isPointerType())
      return {Bits, reinterpret_cast<const Type *>(&Pointer)};
    return {Bits, Sides.Ctx.getCanonicalType(T).getUnqualifiedType().getTypePtr()};
  }

  static bool isAnything(const ObjectPath &P) { return P.Root == ObjectPath::Unknown || P.Root == ObjectPath::Result; }

private:
  enum Overlap { Apart, AssumedApart, Same };

  // Whether the root owns its memory: a variable that is an array, a record or a container of its own, or a pointer
  // that the language (restrict) or the program (fresh memory) makes the only way to it.
  bool ownsMemory(const ObjectPath &P) const {
    if (P.Root != ObjectPath::Variable || P.Var->getType()->isReferenceType())
      return false;
    QualType T = P.Var->getType();
    if (T.isRestrictQualified())
      return true;
    if (PathResolver::isContainer(T))
      return P.hops() <= 1;
    if (T->isPointerType() && P.hops() == 1 && !isa<ParmVarDecl>(P.Var)) {
      bool Fresh = P.Var->getInit() && PathResolver::isAllocation(P.Var->getInit());
      auto It = Sides.Unit.Sources.find(P.Var);
      if (It != Sides.Unit.Sources.end())
        Fresh = llvm::all_of(It->second, [](const Expr *E) { return E && PathResolver::isAllocation(E); });
      return Fresh;
    }
    return !P.hops();
  }

  // A local pointer that was set more than once, or by unknown means, may point into another one's memory.
  bool isLoosePointer(const ObjectPath &P) const {
    return P.Root == ObjectPath::Variable && P.hops() && P.Var->hasLocalStorage() && !isa<ParmVarDecl>(P.Var) &&
           P.Var->getType()->isPointerType() && !ownsMemory(P);
  }

  Overlap overlap(const TeamAccess &X, const TeamAccess &Y) const {
    const ObjectPath &A = X.P, &B = Y.P;
    if (isAnything(A) || isAnything(B))
      return meetsAnything(A.Root == ObjectPath::Variable ? A : B) ? Same : Apart;
    return A.Root == B.Root && A.Var == B.Var ? ofOneObject(X, Y) : ofTwoObjects(X, Y);
  }

  bool meetsAnything(const ObjectPath &Known) const {
    return !Known.isPlainVariable() || !Known.Var->hasLocalStorage() || Known.Var->getType()->isReferenceType() ||
           Sides.Unit.AddressTaken.contains(Known.Var);
  }

  Overlap ofTwoObjects(const TeamAccess &X, const TeamAccess &Y) const {
    const ObjectPath &A = X.P, &B = Y.P;
    if ((!reachesOut(A) && !reachesOut(B)) || differentTypes(X.Type, Y.Type))
      return Apart;
    for (const ObjectPath *P : {&A, &B})
      if (moves(*P) || isLoosePointer(*P))
        return Same;
    if (ownsMemory(A) && ownsMemory(B))
      return Apart;
    for (auto [Direct, Far] : {std::pair(&A, &B), std::pair(&B, &A)})
      if (!reachesOut(*Direct) && reachesOut(*Far) && Direct->Var->getType()->isScalarType()) {
        if (Sides.Unit.AddressTaken.contains(Direct->Var))
          return Same;
        if (Direct->Var->hasLocalStorage())
          return Apart;
      }
    auto IsRestrict = [&](const ObjectPath &P) { return ownsMemory(P) && P.Var->getType().isRestrictQualified(); };
    return IsRestrict(A) || IsRestrict(B) ? Apart : AssumedApart;
  }

  Overlap ofOneObject(const TeamAccess &X, const TeamAccess &Y) const {
    const ObjectPath &A = X.P, &B = Y.P;
    std::size_t Common = std::min(A.Steps.size(), B.Steps.size());
    for (std::size_t I = 0; I < Common; ++I) {
      const ObjectPath::Step &S = A.Steps[I], &T = B.Steps[I];
      if (S.Field && T.Field && S.Field != T.Field)
        return ofTwoFields(X, Y, I);
      if (S.isElement() != T.isElement())
        return Same;
      if (S.isElement()) {
        std::optional<std::int64_t> Distance = (S.Index - T.Index).asConstant();
        bool Last = I + 1 == A.Steps.size() && I + 1 == B.Steps.size();
        // Both names are for one iteration or one thread each; only indices without them are the same for all.
        if (Last && Distance && *Distance && S.Index.asConstant() && T.Index.asConstant())
          return Apart;
      }
    }
    if (A.Steps.size() == B.Steps.size())
      return Same;
    // One is a part of the other, or lies behind it.
    const ObjectPath &Long = A.Steps.size() > B.Steps.size() ? A : B;
    QualType Short = A.Steps.size() > B.Steps.size() ? Y.Type : X.Type;
    const ObjectPath::Step &Next = Long.Steps[Common];
    if (Next.isElement() && !Next.Embedded && Short->isPointerType())
      return Apart; // the pointer itself, which those who go through it read too
    return Same;
  }

  // Paths that part at a step into different fields.
  Overlap ofTwoFields(const TeamAccess &X, const TeamAccess &Y, std::size_t At) const {
    const FieldDecl *S = X.P.Steps[At].Field, *T = Y.P.Steps[At].Field;
    if (S->getParent()->isUnion() || T->getParent() != S->getParent())
      return Same;
    auto GoesFurther = [&](const ObjectPath &P) {
      return llvm::any_of(llvm::drop_begin(P.Steps, At + 1),
                          [](const ObjectPath::Step &Next) { return Next.isElement() && !Next.Embedded; });
    };
    if (!(GoesFurther(X.P) || GoesFurther(Y.P)) || differentTypes(X.Type, Y.Type))
      return Apart;
    return moves(X.P) || moves(Y.P) ? Same : AssumedApart;
  }

  bool differentTypes(QualType A, QualType B) const {
    if (A.isNull() || B.isNull() || !A->isScalarType() || !B->isScalarType())
      return false;
    A = Sides.Ctx.getCanonicalType(A).getUnqualifiedType();
    B = Sides.Ctx.getCanonicalType(B).getUnqualifiedType();
    if (A->isCharType() || B->isCharType() || (A->isIntegerType() && B->isIntegerType()) ||
        (A->isPointerType() && B->isPointerType()))
      return false;
    return A != B;
  }

  // Whether what the path goes through changes in the code on either side.
  bool moves(const ObjectPath &P) const {
    if (P.Root == ObjectPath::Variable && P.hops() && variableChanges(P.Var))
      return true;
    for (std::size_t I = 0; I < P.Steps.size(); ++I)
      if (P.Steps[I].isElement() && !P.Steps[I].Embedded && I && P.Steps[I - 1].Field &&
          fieldChanges(P.Steps[I - 1].Field))
        return true;
    return false;
  }
  bool variableChanges(const VarDecl *V) const { return Sides.variableChanges(V); }
  bool fieldChanges(const FieldDecl *F) const { return Sides.fieldChanges(F); }

  bool steady(SymbolId S) const {
    if (auto It = Sides.Steady.find(S); It != Sides.Steady.end())
      return It->second;
    Meter::count();
    return Sides.Steady[S] = computeSteady(S);
  }

  bool computeSteady(SymbolId S) const {
    const SymbolInfo &I = Sides.Paths.symbol(S);
    llvm::StringRef Key = I.Key;
    if (Key == "thread")
      return true;
    if (I.Opaque && (Key.starts_with("?") || Key.starts_with("any")))
      return false;
    if (I.Var && variableChanges(I.Var))
      return false;
    if (I.Loaded && !I.Var) {
      const ObjectPath &P = *I.Loaded;
      if (moves(P))
        return false;
      if (P.Root == ObjectPath::Unknown || P.Root == ObjectPath::Result)
        return false;
      if (Key.starts_with("size ")) {
        // Elements may change, the container itself not.
        if (Sides.objectChanges(P, P.Steps.size()))
          return false;
      } else if (P.Steps.empty() || !P.Steps.back().Field) {
        if (Sides.objectChanges(P, SIZE_MAX) || Sides.writesIntegersAnywhere())
          return false;
      } else if (fieldChanges(P.Steps.back().Field)) {
        return false;
      }
    }
    return llvm::all_of(I.Inputs, [&](SymbolId X) { return steady(X); });
  }
  bool steady(const Poly &P, const std::vector<SymbolId> &Except = {}) const {
    return llvm::all_of(P.symbols(), [&](SymbolId S) { return llvm::is_contained(Except, S) || steady(S); });
  }

  // The names of what decides which thread comes to an access, where it is the same on both sides.
  struct Division {
    std::vector<SymbolId> Owners;
    bool Default = false; // the compiler chooses the schedule
  };
  std::optional<Division> commonDivision(const TeamAccess &X, const TeamAccess &Y) const {
    if (X.By == TeamAccess::Every && Y.By == TeamAccess::Every)
      return Division{{Sides.ThreadNumber}};
    if (X.By != TeamAccess::Shared || Y.By != TeamAccess::Shared)
      return std::nullopt;
    const SharedLoop &L = *X.Loop, &M = *Y.Loop;
    if (!L.Known || !M.Known || L.Ranges.size() != M.Ranges.size() || L.Chunk != M.Chunk)
      return std::nullopt;
    if (L.Chunk && !steady(*L.Chunk))
      return std::nullopt;
    for (std::size_t I = 0; I < L.Ranges.size(); ++I)
      if (!L.Ranges[I].sameTrips(M.Ranges[I]) || !steady(L.Ranges[I].End - L.Ranges[I].Begin))
        return std::nullopt;
    return Division{L.Counters, L.Default || M.Default};
  }

  // Whether an index can be had by one value of an owner only, whatever the other owners and counters are.
  bool tellsOwner(const Poly &Index, const std::set<SymbolId> &In, SymbolId Owner,
                  const std::vector<SymbolId> &Owners) const {
    std::optional<std::int64_t> C = Index.coefficient(Owner);
    return C && *C && llvm::all_of(In, [&](SymbolId Other) {
             return Other == Owner ||
                    (!llvm::is_contained(Owners, Other) && !isCounter(Other) && !restsOnCounter(Other, Owners));
           });
  }

  // Whether accesses that may name the same element can only come from one thread.
  bool sameThread(const TeamAccess &X, const TeamAccess &Y, BarrierVerdict &V) const {
    std::optional<Division> By = commonDivision(X, Y);
    if (!By || isAnything(X.P) || isAnything(Y.P) || X.P.Root != Y.P.Root || X.P.Var != Y.P.Var || moves(X.P) ||
        moves(Y.P))
      return false;

    // The owner can be read off the indices, dimension by dimension …
    std::vector<SymbolId> Open = By->Owners;
    bool AllEqual = X.P.Steps.size() == Y.P.Steps.size();
    std::size_t Common = std::min(X.P.Steps.size(), Y.P.Steps.size());
    std::set<SymbolId> Mentioned;
    for (std::size_t I = 0; I < Common; ++I) {
      const ObjectPath::Step &S = X.P.Steps[I], &T = Y.P.Steps[I];
      if (!S.isElement() || !T.isElement()) {
        if (S.Field != T.Field)
          return false;
        continue;
      }
      if (!(S.Index == T.Index) || !steady(S.Index)) {
        AllEqual = false;
        continue;
      }
      std::set<SymbolId> In = S.Index.symbols();
      Mentioned.insert(In.begin(), In.end());
      llvm::erase_if(Open, [&](SymbolId O) { return tellsOwner(S.Index, In, O, By->Owners); });
    }
    // … or both name the same set of elements per iteration, and iterations of a correct loop share none.
    bool Owned = Open.empty() || (AllEqual && X.By == TeamAccess::Shared &&
                                  llvm::all_of(By->Owners, [&](SymbolId O) { return Mentioned.contains(O); }));
    if (Owned && By->Default)
      V.NeedsStatic = true;
    return Owned;
  }
  bool isCounter(SymbolId S) const { return llvm::StringRef(Sides.Paths.symbol(S).Key).starts_with("counter "); }
  bool restsOnCounter(SymbolId S, const std::vector<SymbolId> &Owners) const {
    return llvm::any_of(Sides.Paths.symbol(S).Inputs, [&](SymbolId I) {
      return isCounter(I) || llvm::is_contained(Owners, I) || restsOnCounter(I, Owners);
    });
  }

  const TeamSides &Sides;
};

} // namespace

void TeamSides::clear() {
  PrivateWrites.clear();
  Variables.clear();
  Fields.clear();
  FewestSteps.clear();
  Steady.clear();
  WroteUnknown = WroteIntegerFar = false;
}

void TeamSides::wrote(const TeamAccess &W) {
  WroteUnknown |= W.P.Root == ObjectPath::Unknown;
  WroteIntegerFar |= reachesOut(W.P) && W.Type->isIntegerType();
  if (W.P.isPlainVariable())
    Variables.insert(W.P.Var);
  if (!W.P.Steps.empty() && W.P.Steps.back().Field)
    Fields.insert(W.P.Steps.back().Field);
  auto [It, New] = FewestSteps.try_emplace(rootOf(W.P), W.P.Steps.size());
  if (!New)
    It->second = std::min(It->second, W.P.Steps.size());
}

bool TeamSides::variableChanges(const VarDecl *V) const {
  return WroteUnknown || PrivateWrites.contains(V) || Variables.contains(V);
}

bool TeamSides::fieldChanges(const FieldDecl *F) const { return WroteUnknown || Fields.contains(F); }

bool TeamSides::objectChanges(const ObjectPath &P, std::size_t MostSteps) const {
  auto It = FewestSteps.find(rootOf(P));
  return WroteUnknown || (It != FewestSteps.end() && It->second <= MostSteps);
}

namespace {
using Accesses = llvm::ArrayRef<const TeamAccess *>;

// The accesses on one side of a barrier, so sorted that few pairs are compared.
struct SortedSide {
  // Of each kind, up to two accesses of different objects: any object differs from one of them.
  std::map<Comparison::Kind, llvm::SmallVector<const TeamAccess *, 2>> Kinds;
  llvm::MapVector<TeamSides::Root, llvm::SmallVector<const TeamAccess *, 4>, std::map<TeamSides::Root, unsigned>>
      Objects;

  // False when nothing is left to spend on it.
  bool add(Accesses All, const Comparison &C) {
    for (const TeamAccess *X : All) {
      if (!Meter::spend())
        return false;
      auto &Two = Kinds[C.kind(*X)];
      if (Two.empty() || (Two.size() == 1 && areOfDifferentObjects(*Two[0], *X)))
        Two.push_back(X);
      if (!Comparison::isAnything(X->P))
        Objects[TeamSides::rootOf(X->P)].push_back(X);
    }
    return true;
  }
  static bool areOfDifferentObjects(const TeamAccess &X, const TeamAccess &Y) {
    return TeamSides::rootOf(X.P) != TeamSides::rootOf(Y.P);
  }
};

using Meeting = llvm::function_ref<bool(const TeamAccess &, const TeamAccess &)>;

// One pair of different objects answers for all pairs of its kinds.
bool differentObjectsMeet(Accesses Xs, Accesses Ys, Meeting Meet) {
  for (const TeamAccess *X : Xs)
    for (const TeamAccess *Y : Ys)
      if (Comparison::isAnything(X->P) || SortedSide::areOfDifferentObjects(*X, *Y))
        return Meet(*X, *Y);
  return false;
}

bool sameObjectMeets(Accesses Xs, Accesses Ys, Meeting Meet) {
  // Two reads never meet: nothing is spent on them.
  llvm::SmallVector<const TeamAccess *, 4> Writes;
  llvm::copy_if(Ys, std::back_inserter(Writes), [](const TeamAccess *Y) { return Y->Writes; });
  for (const TeamAccess *X : Xs)
    for (const TeamAccess *Y : X->Writes ? Ys : Accesses(Writes))
      if (!Meter::spend() || Meet(*X, *Y))
        return true;
  return false;
}
} // namespace

bool mayMeet(Accesses Before, Accesses After, const TeamSides &Sides, BarrierVerdict &V) {
  Comparison C(Sides);
  SortedSide One, Other;
  if (!One.add(Before, C) || !Other.add(After, C))
    return true;
  auto Meet = [&](const TeamAccess &X, const TeamAccess &Y) { return (X.Writes || Y.Writes) && C.conflict(X, Y, V); };
  for (const auto &[KindX, Xs] : One.Kinds)
    for (const auto &[KindY, Ys] : Other.Kinds) {
      Meter::count();
      if (differentObjectsMeet(Xs, Ys, Meet))
        return true;
    }
  return llvm::any_of(One.Objects, [&](const auto &Object) {
    auto It = Other.Objects.find(Object.first);
    return It != Other.Objects.end() && sameObjectMeets(Object.second, It->second, Meet);
  });
}

} // namespace stridewise
