// Names of the places of a function, and how its events are noted.
#include "touch/FirstTouchBuilder.h"
#include "unit/Reporter.h"

using namespace clang;

namespace stridewise {

std::string TouchBuilder::root(const VarDecl *V) {
  V = V->getCanonicalDecl();
  if (V->hasGlobalStorage()) {
    std::string Name = "g" + Ids.of(V);
    Globals.try_emplace(Name, V);
    return Name;
  }
  if (const auto *P = dyn_cast<ParmVarDecl>(V); P && P->getDeclContext() == Function)
    return "p" + std::to_string(P->getFunctionScopeIndex());
  return "l" + std::to_string(Locals.try_emplace(V, Locals.size()).first->second);
}

std::string TouchBuilder::temporary(const Expr *E) {
  return "t" + std::to_string(Temporaries.try_emplace(E->IgnoreParenCasts(), Temporaries.size()).first->second);
}

Location TouchBuilder::toLocation(const ObjectPath &P, std::size_t Steps) {
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
Location TouchBuilder::objectOf(const ObjectPath &P) {
  std::size_t Steps = 0;
  for (std::size_t I = 0; I < P.Steps.size(); ++I)
    if (P.Steps[I].isElement() && !P.Steps[I].Embedded)
      Steps = I + 1;
  return toLocation(P, Steps);
}

// The name of the array: of the field or variable that holds the last pointer on the way.
std::string TouchBuilder::nameOf(const ObjectPath &P) {
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

std::string TouchBuilder::lastName(const Location &Holder) const {
  if (Holder.size() > 1)
    for (const std::string &S : llvm::reverse(Holder))
      if (llvm::StringRef(S).starts_with("."))
        return S.substr(1);
  if (auto It = Globals.find(Holder.front()); It != Globals.end())
    return It->second->getNameAsString();
  for (const auto &[V, N] : Locals)
    if (Holder.front() == "l" + std::to_string(N))
      return V->getNameAsString();
  if (llvm::StringRef(Holder.front()).starts_with("p"))
    for (const ParmVarDecl *P : Function->parameters())
      if (Holder.front() == "p" + std::to_string(P->getFunctionScopeIndex()))
        return P->getNameAsString();
  return {};
}

std::int64_t TouchBuilder::sizeOf(QualType T) const {
  T = T.getNonReferenceType();
  if (T->isVoidType() || T->isFunctionType() || T->isIncompleteType() || T->isDependentType() ||
      T->isVariableArrayType())
    return 1;
  return Ctx.getTypeSizeInChars(T).getQuantity();
}

void TouchBuilder::add(TouchEvent::Kind K, Location L, SourceLocation At) {
  TouchEvent E;
  E.K = K;
  E.Object = std::move(L);
  add(std::move(E), At);
}

void TouchBuilder::add(TouchEvent E, SourceLocation At) {
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
                      std::to_string(Loops.empty() ? 0 : loopKey()) + "," +
                      std::to_string(Arms.empty() ? 0 : armKey()) + "," +
                      std::to_string(E.Overwrites + 2 * E.List + 4 * E.Updates);
    for (const std::string &S : E.Object)
      Key += "/" + S;
    if (!Said.insert(Key).second)
      return;
  }
  Out.Events.push_back(std::move(E));
}

std::uintptr_t TouchBuilder::loopKey() const { return reinterpret_cast<std::uintptr_t>(Loops.front().S); }

unsigned TouchBuilder::armKey() const { return Arms.back().Branch * 64 + Arms.back().Arm + 1; }

} // namespace stridewise
