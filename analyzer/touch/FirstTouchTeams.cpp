// What the loops of a team use of the arrays, and by which index.
#include "thresholds.h"
#include "touch/FirstTouchBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;

namespace stridewise {

using limits::touch::FewThreads;

void TouchBuilder::touched(const Expr *E, ObjectPath P, bool Reads, bool Writes) {
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
    if (Writes && !Reads) // what is read before was written before
      serialWrite(E, P, std::move(L));
    return;
  }
  if (By == Runs::Shared) {
    if ((Reads || Writes) && followsTeam(P) && isPlaceable(P, E->getType()))
      teamUse(P, L,
              !Writes ? Access::Some
              : Reads ? Access::Updates
                      : Access::Overwrites,
              /*List=*/false, bytesPerIteration(P, E->getType()));
    indexLists(P);
  }
  if (Writes)
    add(TouchEvent::TeamWrite, L, E->getExprLoc());
}

bool TouchBuilder::dependsOnLoops(const Poly &P) const {
  return llvm::any_of(Loops, [&](const Loop &L) { return L.Counter && Paths.dependsOn(P, *L.Counter); });
}

// Whether each thread works on its own part: the index follows a shared counter, itself or as the start of an inner
// loop. Of collapsed loops the outermost divides the work, if it has iterations for all; what only the inner ones walk
// over each thread walks over whole. Indices read from memory do not count: no placement of pages suits them.
bool TouchBuilder::followsTeam(const ObjectPath &P) const {
  auto Follows = [&](const Poly &Index) {
    for (const Loop &L : Loops) {
      if (!L.Shared || !L.Counter)
        continue;
      if (Index.mentions(*L.Counter))
        return true;
      if (const std::optional<std::int64_t> Trips = L.Range ? L.Range->trips() : std::nullopt;
          !Trips || *Trips >= FewThreads)
        break;
    }
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
void TouchBuilder::indexLists(const ObjectPath &P) {
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
        teamUse(*List, std::move(L), Access::Some, /*List=*/true);
    }
  }
}

// How far the place moves from one iteration of the shared loop to the next; 0 when that is not known.
std::int64_t TouchBuilder::bytesPerIteration(const ObjectPath &P, QualType Type) const {
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
    // A row of unknown length; a record whose address is taken for that of a part counts whole.
    return C ? std::abs(*C) * std::max(sizeOf(Element), T.isNull() ? 0 : sizeOf(T))
             : std::numeric_limits<std::int64_t>::max();
  }
  return 0;
}

// Whether each thread's share of a row is some pages: what all threads use of each page lies near to one of them only.
bool TouchBuilder::isPlaceable(const ObjectPath &P, QualType Type) const {
  const std::int64_t Step = bytesPerIteration(P, Type);
  std::int64_t Bytes = Step;
  if (Step <= 0 || Step == std::numeric_limits<std::int64_t>::max())
    return true;
  for (const Loop &L : Loops)
    if (L.Shared) {
      const std::optional<std::int64_t> Trips = L.Range ? L.Range->trips() : std::nullopt;
      if (!Trips || llvm::MulOverflow(Bytes, *Trips, Bytes))
        return true;
      break; // the outermost one moves on in the largest steps
    }
  return Bytes >= FewThreads * PageBytes;
}

// The number of loops from the shared one on, other than short ones, that choose the element.
unsigned TouchBuilder::dimensions(const ObjectPath &P) const {
  const auto First = llvm::find_if(Loops, [](const Loop &L) { return L.Shared; });
  return std::count_if(First, Loops.end(), [&](const Loop &L) {
    const std::optional<std::int64_t> Trips = L.Range ? L.Range->trips() : std::nullopt;
    return L.Counter && (!Trips || *Trips >= limits::touch::LittleRatio) &&
           llvm::any_of(P.Steps,
                        [&](const ObjectPath::Step &S) { return S.isElement() && S.Index.mentions(*L.Counter); });
  });
}

void TouchBuilder::teamUse(const ObjectPath &P, Location L, Access How, bool List, std::int64_t Bytes) {
  TouchEvent E;
  E.K = TouchEvent::TeamUse;
  E.Object = std::move(L);
  E.Name = nameOf(P);
  E.Orphan = !InTeam;
  E.Overwrites = How == Access::Overwrites;
  E.Updates = How == Access::Updates;
  E.Dealt = Dealt;
  E.List = List;
  E.Dims = dimensions(P);
  const Loop *Shared = nullptr;
  for (const Loop &X : Loops)
    if (X.Shared && !Shared)
      Shared = &X;
    else if (!Shared)
      E.InLoop = true;
  if (Shared && Shared->Range)
    if (std::string Start = nameOfStart(Shared->Range->Begin, Paths); !Start.empty())
      E.From.push_back(std::move(Start));
  std::size_t Before = Out.Events.size();
  add(std::move(E), Shared ? Shared->S->getBeginLoc() : Function->getLocation());
  if (Out.Events.size() > Before && Shared)
    Moves[Shared->S].emplace_back(Before, Bytes);
}

// Marks the uses of arrays of which an iteration touches little beside what it touches of another one.
void TouchBuilder::compareUses() {
  for (const auto &[Loop, Uses] : Moves) {
    std::int64_t Most = 0;
    for (auto [Event, Bytes] : Uses)
      Most = std::max(Most, Bytes);
    for (auto [Event, Bytes] : Uses)
      Out.Events[Event].Beside = Bytes > 0 && Bytes <= Most / limits::touch::LittleRatio;
  }
}

} // namespace stridewise
