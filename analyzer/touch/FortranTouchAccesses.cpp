// Which assignments write a whole array on one thread, and what of an array each thread of a team uses.
#include "fortran/FortranLoops.h"
#include "thresholds.h"
#include "touch/FortranTouchBuilder.h"
#include "unit/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace stridewise {

using limits::touch::FewThreads;

namespace {

constexpr unsigned MaxFollowed = 4; // variables that stand for one another

// A product of two numbers, of which -1 is unknown.
std::int64_t times(std::int64_t A, std::optional<std::int64_t> B) {
  std::int64_t Product = -1;
  return A < 0 || !B || MulOverflow(A, *B, Product) ? -1 : Product;
}

} // namespace

// n - 1 and n + 2 count as n.
void FortranTouchBuilder::Factors::add(StringRef Dimension) {
  std::vector<StringRef> Of = plainNames(Dimension);
  sort(Of);
  Of.erase(std::unique(Of.begin(), Of.end()), Of.end());
  if (Of.size() == 1)
    Names.push_back(Of.front().str());
  else if (Of.size() > 1 || Dimension.empty())
    Known = false;
}

std::optional<std::int64_t> FortranTouchBuilder::trips(const Loop &L) const {
  const auto First = Names.constant(Now, L.First), Last = Names.constant(Now, L.Last),
             Step = Names.constant(Now, L.Step);
  if (!First || !Last || !Step || *Step == 0)
    return std::nullopt;
  return std::max<std::int64_t>(0, (*Last - *First) / *Step + 1);
}

const FortranTouchBuilder::Loop *FortranTouchBuilder::sharedLoop() const {
  const auto It = find_if(Loops, [](const Loop &L) { return L.Shared; });
  return It == Loops.end() ? nullptr : &*It;
}

// --- one thread ------------------------------------------------------------------------------------------------------

// The innermost loop whose counter moves the subscript in steps of one element; -1 for none.
int FortranTouchBuilder::walkedBy(StringRef Subscript) const {
  for (int K = int(Loops.size()) - 1; K >= 0; --K)
    if (!Loops[K].Counter.empty() && hasTerm(Subscript, Loops[K].Counter))
      return K;
  return -1;
}

// The outermost loop in which the subscript is a number that is only ever counted up, where the element is written;
// -1 for none. Lists are filled so: of particles, of cells that are not empty.
int FortranTouchBuilder::countedFrom(StringRef Subscript) const {
  const std::optional<FortranVariable> V = Names.variable(Now, Subscript);
  if (!V || V->isArray() || Loops.empty() || isPrivate(Subscript))
    return -1;
  const auto Counts = [&](StringRef Value) {
    return hasTerm(Value, Subscript) && !StringRef(Value).contains('-') && plainNames(Value).size() == 1;
  };
  int Outermost = -1;
  bool Here = false;
  unsigned From = Now, To = Now; // what was looked at
  for (int K = int(Loops.size()) - 1; K >= 0; --K) {
    for (unsigned At = Loops[K].Statement; At < Loops[K].End; ++At) {
      if (At >= From && At < To)
        continue;
      Meter::count();
      const StringRef Rest = behindCondition(Text.statements()[At].Text);
      if (const std::optional<FortranAssignment> A = fortranAssignment(Rest); A && A->Target == Subscript) {
        if (Text.statements()[At].IsLoop || !Counts(A->Value))
          return Here ? Outermost : -1;
        Here |= Procedures.blockOf(At) == Procedures.blockOf(Now);
      } else if (Rest.starts_with("call") && is_contained(fortranNames(Rest), Subscript)) {
        return Here ? Outermost : -1;
      }
    }
    From = Loops[K].Statement;
    To = Loops[K].End;
    Outermost = Here ? K : -1;
  }
  return Outermost;
}

// Whether the loop begins with the first element, as far as is known: at a constant, or where the array does. Of other
// numbers one that has the same name in all of the program is told.
bool FortranTouchBuilder::startsAtFirst(const Array &A, std::size_t Dimension, const Loop &L, Sweep &S) const {
  const StringRef Lowest = L.Step.starts_with("-") ? L.Last : L.First;
  if (Names.constant(Now, Lowest))
    return true;
  const std::vector<StringRef> Of = plainNames(Lowest);
  if (any_of(Loops, [&](const Loop &X) { return is_contained(Of, X.Counter); }))
    return true;
  if (Dimension < A.Extents.size() && !Of.empty() && Of == plainNames(FortranNames::lowerBound(A.Extents[Dimension])))
    return true;
  const std::optional<FortranVariable> V = Of.size() == 1 ? Names.variable(Now, Of.front()) : std::nullopt;
  if (!V || !V->isGlobal())
    return false;
  S.From.push_back(V->Root);
  return true;
}

bool FortranTouchBuilder::coversDimension(const Array &A, std::size_t Dimension, Sweep &S,
                                          std::int64_t &Elements) const {
  const StringRef Subscript = A.Subscripts[Dimension];
  const StringRef Declared = Dimension < A.Extents.size() ? StringRef(A.Extents[Dimension]) : StringRef();
  if (Subscript == ":") {
    S.Sizes.add(Declared);
    Elements = times(Elements, Names.extent(Now, Declared));
    return true;
  }
  if (const std::size_t Colon = outsideBrackets(Subscript, ':'); Colon != StringRef::npos) {
    const StringRef First = Subscript.take_front(Colon);
    Elements = times(Elements, Names.extent(Now, Subscript));
    S.Sizes.add(Subscript.drop_front(Colon + 1));
    return !Subscript.drop_front(Colon + 1).contains(':') &&
           (First.empty() || Names.constant(Now, First) || First == FortranNames::lowerBound(Declared));
  }
  if (const int Counted = walkedBy(Subscript) < 0 ? countedFrom(Subscript) : -1; Counted >= 0) {
    S.Outermost = S.Outermost < 0 ? Counted : std::min(S.Outermost, Counted);
    S.Sizes.add("");
    S.Counted = true;
    Elements = -1;
    return true;
  }
  if (walkedBy(Subscript) < 0) {
    // One of a few components, which lie side by side: the others are on the same pages.
    std::int64_t Bytes = A.Variable.elementBytes();
    for (std::size_t K = 0; K <= Dimension; ++K)
      Bytes = times(Bytes, K < A.Extents.size() ? Names.extent(Now, A.Extents[K]) : std::nullopt);
    return Bytes > 0 && Bytes <= prices::PageBytes;
  }
  for (int K = int(Loops.size()) - 1; K >= 0; --K) {
    const Loop &L = Loops[K];
    if (L.Counter.empty() || !is_contained(plainNames(Subscript), L.Counter))
      continue;
    S.Outermost = S.Outermost < 0 ? K : std::min(S.Outermost, K);
    Elements = times(Elements, trips(L));
    S.Sizes.add(L.Last);
    if (K == walkedBy(Subscript) && L.Step != "1" && L.Step != "-1")
      return false;
    if (!startsAtFirst(A, Dimension, L, S))
      return false;
  }
  return true;
}

// Whether the loops around an assignment, or the array operation that it is, write all pages of the array.
bool FortranTouchBuilder::covers(const Array &A, Sweep &S) const {
  if (A.Subscripts.empty()) {
    S.Bytes = A.Variable.Bytes;
    return true;
  }
  std::int64_t Elements = 1;
  for (std::size_t K = 0; K < A.Subscripts.size(); ++K)
    if (!coversDimension(A, K, S, Elements))
      return false;
  S.Bytes = A.Variable.ElementBytes > 0 ? times(A.Variable.ElementBytes, Elements) : -1;
  return S.Outermost >= 0 || any_of(A.Subscripts, [](StringRef X) { return X.contains(':'); });
}

// Whether what stands here happens in each of the loop's iterations.
bool FortranTouchBuilder::isAlways(const Loop *Outermost) const {
  if (Outermost && Conditional)
    return false;
  for (int B = Procedures.blockOf(Now); B >= 0; B = Procedures.blocks()[B].Parent) {
    const FortranBlock &Block = Procedures.blocks()[B];
    if (Outermost && B == Outermost->Block)
      return true;
    if (Block.K != FortranBlock::Branch)
      continue;
    if (StringRef(Text.statements()[Block.Begin].Text).starts_with("where("))
      return false;
    if (Outermost && !Exhaustive.contains(B))
      return false;
  }
  return true;
}

void FortranTouchBuilder::serialWrite(const Array &A, StringRef) {
  Sweep S;
  if (!covers(A, S) || !Names.isCompiled(Now))
    return;
  const Loop *Outermost = S.Outermost >= 0 ? &Loops[S.Outermost] : nullptr;
  if (!S.Counted && !isAlways(Outermost))
    return;
  TouchEvent E;
  const bool Reads =
      Outermost && any_of(Inputs, [&](unsigned K) { return K >= Outermost->Statement && K < Outermost->End; });
  E.K = Reads ? TouchEvent::Foreign : TouchEvent::Fill;
  E.Object = A.Where;
  E.Name = A.Name.str();
  E.Section = !Outermost;
  E.Counted = S.Counted;
  E.InLoop = Outermost ? S.Outermost > 0 : !Loops.empty();
  E.Bytes = S.Bytes;
  E.Sizes = S.Sizes.known();
  E.From = std::move(S.From);
  const unsigned At = S.Counted ? Loops.back().Statement : Outermost ? Outermost->Statement : Now;
  E.Scope = rangeOf(Text.statements()[At], U);
  add(std::move(E), header(At));
}

// --- teams -----------------------------------------------------------------------------------------------------------

// Whether the subscript is computed from the counter, itself or by variables that the loop sets.
bool FortranTouchBuilder::namesLoop(StringRef Subscript, StringRef Counter) const {
  std::vector<StringRef> Work = plainNames(Subscript);
  for (std::size_t K = 0; K < Work.size() && K < MaxFollowed; ++K) {
    if (Work[K] == Counter)
      return true;
    if (auto It = Followed.find(Work[K]); It != Followed.end()) {
      std::vector<StringRef> Of = plainNames(It->second);
      Work.insert(Work.end(), Of.begin(), Of.end());
    }
  }
  return false;
}

// Fortran keeps what differs in the first index side by side: the parts of threads that share it lie on the same pages.
bool FortranTouchBuilder::follows(const Array &A, const Loop &L) const {
  if (L.Counter.empty())
    return false;
  for (std::size_t K = 0; K < A.Subscripts.size(); ++K) {
    if (!namesLoop(A.Subscripts[K], L.Counter))
      continue;
    const bool Alone =
        all_of(drop_begin(A.Subscripts), [&](StringRef S) { return Names.constant(Now, S).has_value(); });
    if (K > 0 || Alone)
      return true;
  }
  return false;
}

// Whether each thread's share is some pages.
bool FortranTouchBuilder::isPlaceable(const Array &A, const Loop &L) const {
  std::int64_t Bytes = A.Variable.elementBytes();
  for (std::size_t K = 0; K < A.Subscripts.size(); ++K) {
    if (namesLoop(A.Subscripts[K], L.Counter)) {
      Bytes = times(Bytes, trips(L));
      break;
    }
    Bytes = times(Bytes, K < A.Extents.size() ? Names.extent(Now, A.Extents[K]) : std::nullopt);
  }
  return Bytes < 0 || Bytes >= FewThreads * prices::PageBytes;
}

// Of collapsed loops the outermost divides the work, if it has iterations for all.
bool FortranTouchBuilder::followsTeam(const Array &A) const {
  for (const Loop &L : Loops) {
    if (!L.Shared)
      continue;
    if (follows(A, L))
      return isPlaceable(A, L);
    if (const std::optional<std::int64_t> Trips = trips(L); !Trips || *Trips >= FewThreads)
      break;
  }
  const Loop *Shared = sharedLoop();
  return Shared && any_of(Loops, [&](const Loop &L) {
           return !L.Shared && L.Statement > Shared->Statement && namesLoop(L.First, Shared->Counter) && follows(A, L);
         });
}

// The loops from the shared one on, other than short ones, that choose the element; a section is one.
unsigned FortranTouchBuilder::dimensions(const Array &A) const {
  const auto First = find_if(Loops, [](const Loop &L) { return L.Shared; });
  const auto Chosen = std::count_if(First, Loops.end(), [&](const Loop &L) {
    const std::optional<std::int64_t> Trips = trips(L);
    return !L.Counter.empty() && (!Trips || *Trips >= limits::touch::LittleRatio) &&
           any_of(A.Subscripts, [&](StringRef S) { return namesLoop(S, L.Counter); });
  });
  if (A.Subscripts.empty())
    return A.Variable.Rank;
  return unsigned(Chosen + count_if(A.Subscripts, [](StringRef S) { return S == ":"; }));
}

void FortranTouchBuilder::sharedUse(const Array &A, bool Writes, bool Updates) {
  Meter::count();
  if (WorkShare ? !A.IsWhole() : !followsTeam(A))
    return;
  const Loop *Shared = sharedLoop();
  TouchEvent E;
  E.K = TouchEvent::TeamUse;
  E.Object = A.Where;
  E.Name = A.Name.str();
  E.Orphan = !InTeam;
  E.Overwrites = Writes && !Updates;
  E.Updates = Updates;
  E.Dealt = Dealt;
  E.Dims = dimensions(A);
  E.InLoop = Shared ? Shared != &Loops.front() : !Loops.empty();
  if (Shared)
    if (std::vector<StringRef> Of = plainNames(Shared->First); Of.size() == 1)
      if (const std::optional<FortranVariable> V = Names.variable(Now, Of.front()); V && V->isGlobal())
        E.From.push_back(V->Root);
  add(std::move(E), header(Shared ? Shared->Statement : Now));
}

// Marks the uses of arrays that have fewer long loops than others of the same shared loop: an iteration touches little
// of them.
void FortranTouchBuilder::compareUses() {
  std::map<unsigned, unsigned> Most; // by the loop's line
  for (const TouchEvent &E : Out.Events)
    if (E.K == TouchEvent::TeamUse)
      Most[E.Where.Line] = std::max(Most[E.Where.Line], E.Dims);
  for (TouchEvent &E : Out.Events)
    if (E.K == TouchEvent::TeamUse)
      E.Beside = E.Dims < Most[E.Where.Line];
}

// Integers that say, one for each iteration, which element of another array to work on.
void FortranTouchBuilder::indexLists(const Array &A) {
  const Loop *Shared = sharedLoop();
  for (StringRef S : A.Subscripts) {
    if (auto It = Followed.find(S); It != Followed.end())
      S = It->second;
    std::optional<FortranDesignator> D = fortranDesignator(S);
    std::optional<Array> List = D && D->Text.size() == S.size() ? array(*D) : std::nullopt;
    if (!Shared || !List || List->Subscripts.size() != 1 || !hasTerm(List->Subscripts.front(), Shared->Counter))
      continue;
    TouchEvent E;
    E.K = TouchEvent::TeamUse;
    E.Object = List->Where;
    E.Name = List->Name.str();
    E.Orphan = !InTeam;
    E.List = true;
    E.Dealt = Dealt;
    E.InLoop = Shared != &Loops.front();
    add(std::move(E), header(Shared->Statement));
  }
}

} // namespace stridewise
