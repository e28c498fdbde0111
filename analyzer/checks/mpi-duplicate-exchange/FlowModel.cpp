#include "checks/mpi-duplicate-exchange/FlowModel.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;

namespace stridewise::flow {
namespace {

// No number or pointer that is written at once is longer.
constexpr std::int64_t MaxWordBytes = 8;
// Pointers that one variable of a function's own may hold.
constexpr std::size_t MostHeld = 4;

// By a caller, or by a function that returned it.
bool isGiven(const Path &P) { return P.Root[0] == 'a' || P.Root[0] == 'R' || P.Root[0] == 'A'; }

std::array<Step::Window, 2> windowsOf(const Step &S) {
  const Step::Window Exact{0, S.Bytes.value_or(0), 0};
  return S.Bytes && S.From.empty() ? std::array{Exact, Exact} : S.Windows;
}
std::int64_t restOf(std::int64_t At, std::int64_t Modulus) {
  return Modulus ? ((At % Modulus) + Modulus) % Modulus : At;
}

// Two places at which pointers stand: whether those are different variables or members.
bool areDifferentNames(const Path &A, const Path &B) {
  const Step &X = A.Steps.back(), &Y = B.Steps.back();
  if (!X.Member.empty() && !Y.Member.empty() && X.Member != Y.Member)
    return true;
  // A row that a table holds may be a part of any array.
  if (A.Steps.size() != B.Steps.size())
    return false;
  if (areApart(X, Y))
    return true;
  const bool Variables = A.isDirect() && B.isDirect() && !isGiven(A) && !isGiven(B) && A.isKnown() && B.isKnown();
  return A.isDirect() ? Variables && A.Root != B.Root : areDifferentNames(A.slot(), B.slot());
}

// Places in what has a name of its own.
bool meetDirectly(const Path &A, const Path &B) {
  const std::string &X = A.Steps.back().Member, &Y = B.Steps.back().Member;
  if (!X.empty() && !Y.empty() && X != Y)
    return false;
  if (A.Root == B.Root)
    return true;
  // Two parameters are two arrays; two calls may return one.
  const bool Names = A.Root[0] == B.Root[0] && A.Root[0] != 'R';
  return !Names && !A.isOwn() && !B.isOwn() && (isGiven(A) || isGiven(B));
}

// What a pointer leads to, and something that has a name.
bool meetThrough(const Path &Pointer, const Path &Named) {
  // What a record's member leads to is not the record.
  return Pointer.Root != Named.Root && isGiven(Named);
}

std::string textOf(const stored::Value &V) { return V.getAsString().value_or("").str(); }
unsigned numberOf(const stored::Value &V) { return unsigned(V.getAsInteger().value_or(0)); }

} // namespace

// Words of which none lies where one of the other kind may.
bool areApart(const Step &X, const Step &Y) {
  if (X.Bytes && Y.Bytes && X.From == Y.From)
    return *X.Bytes != *Y.Bytes;
  const std::array<Step::Window, 2> First = windowsOf(X), Second = windowsOf(Y);
  return any_of(First, [&](const Step::Window &A) {
    return any_of(Second, [&](const Step::Window &B) {
      const std::int64_t Modulus = std::gcd(A.Modulus, B.Modulus);
      const std::int64_t Mine = A.Span + MaxWordBytes, Other = B.Span + MaxWordBytes;
      if (Modulus == 0)
        return A.Begin + Mine <= B.Begin || B.Begin + Other <= A.Begin;
      const std::int64_t Between = restOf(B.Begin - A.Begin, Modulus);
      return Between >= Mine && Modulus - Between >= Other;
    });
  });
}

Step Step::plus(const Step &By) const {
  Step Out{std::nullopt, By.Member, From};
  if (Bytes && By.Bytes && By.From.empty())
    Out.Bytes = *Bytes + *By.Bytes;
  if (Out.Bytes && From.empty())
    return Out;
  const std::array<Window, 2> A = windowsOf(*this), B = windowsOf(By);
  for (std::size_t K = 0; K < A.size(); ++K) {
    const std::int64_t Modulus = std::gcd(A[K].Modulus, B[K].Modulus);
    Out.Windows[K] = {Modulus, restOf(A[K].Begin + B[K].Begin, Modulus), A[K].Span + B[K].Span};
  }
  return Out;
}

bool Path::sharesBase(const Path &O) const {
  return Root == O.Root && Steps.size() == O.Steps.size() &&
         std::equal(Steps.begin(), Steps.end() - 1, O.Steps.begin()) &&
         none_of(slot().Steps, [](const Step &S) { return !S.Bytes; });
}

bool mayMeet(const Write &W, const Path &P) {
  if (W.To.sharesBase(P)) {
    const Step &X = W.To.Steps.back(), &Y = P.Steps.back();
    return W.Kind == 'm' || !areApart(X, Y);
  }
  if (!W.To.isDirect() && !P.isDirect())
    return !areDifferentNames(W.To.slot(), P.slot());
  if (!W.To.isKnown() || !P.isKnown())
    return true;
  if (W.To.isDirect() && P.isDirect())
    return meetDirectly(W.To, P);
  return meetThrough(P.isDirect() ? W.To : P, P.isDirect() ? P : W.To);
}

bool mayMeet(const Write &W, const Read &R) {
  return (W.Kind == 'm' || R.Kind == 'm' || W.Kind == R.Kind) && mayMeet(W, R.From);
}

std::vector<Path> Code::resolve(const Path &P) const {
  const auto It = (P.isOwn() || P.Root[0] == 'A') && !P.isDirect() && P.Steps[0].Bytes && P.Steps[0].From.empty()
                      ? Holds.find({P.Root, *P.Steps[0].Bytes})
                      : Holds.end();
  if (It == Holds.end() || It->second.size() > MostHeld ||
      any_of(It->second, [](const Path &Held) { return !Held.isKnown(); }))
    return {P};
  std::vector<Path> Out;
  for (const Path &Held : It->second) {
    Path Each = Held;
    Each.Steps.back() = Each.Steps.back().plus(P.Steps[1]);
    Each.Steps.insert(Each.Steps.end(), P.Steps.begin() + 2, P.Steps.end());
    Out.push_back(std::move(Each));
  }
  return Out;
}

Program::Program(ArrayRef<stored::Value> Summaries) {
  for (const stored::Value &V : Summaries)
    if (const stored::Object *O = V.getAsObject())
      if (const stored::Object *Functions = O->getObject("flow"))
        for (const auto &[Name, F] : *Functions)
          ByName.try_emplace(Name.str(), F.getAsObject());
}

bool Program::sendsAny() const {
  return any_of(ByName, [](const auto &Each) {
    const stored::Object *Own = Each.second->getObject("moves");
    return Own && Own->getInteger("messages").value_or(0) != 0;
  });
}

const Code &Program::code(const std::string &Name) {
  auto [It, New] = Codes.try_emplace(Name);
  if (New) {
    It->second = codeFrom(*ByName.at(Name));
    release(It->second);
  }
  return It->second;
}

// "H3 alloc" is memory of its own if `alloc` gives fresh memory, else what a call returned.
std::string Program::rootFrom(StringRef Root) const {
  const auto [Number, Giver] = Root.split(' ');
  if (Giver.empty() || Root.starts_with("@"))
    return Root.str();
  const auto It = ByName.find(Giver.str());
  const bool Fresh = It != ByName.end() && It->second->get("fresh");
  return (Fresh ? Number.take_front().str() : "R") + Number.drop_front().str();
}

Path Program::pathFrom(const stored::Value &V) const {
  Path P;
  const stored::Array &Parts = *V.getAsArray();
  P.Root = rootFrom(Parts[0].getAsString().value_or("*"));
  for (const stored::Value &S : *Parts[1].getAsArray()) {
    const stored::Array &Each = *S.getAsArray();
    Step &To = P.Steps.emplace_back(Step{Each[0].getAsInteger(), textOf(Each[1]), textOf(Each[2])});
    for (std::size_t K = 0; Each.size() > 3 && K < To.Windows.size(); ++K)
      To.Windows[K] = {Each[3 * K + 3].getAsInteger().value_or(1), Each[3 * K + 4].getAsInteger().value_or(0),
                       Each[3 * K + 5].getAsInteger().value_or(0)};
  }
  return P;
}

Argument Program::argumentFrom(const stored::Value &V) const {
  if (std::optional<std::int64_t> Number = V.getAsInteger())
    return *Number;
  return V.getAsArray() ? Argument(pathFrom(V)) : Argument();
}

Event Program::eventFrom(const stored::Array &A) const {
  Event E;
  const StringRef Kind = A[0].getAsString().value_or("u");
  if (Kind == "w") {
    E.Is = Event::Writes;
    E.W = {pathFrom(A[1]), textOf(A[2])[0]};
  } else if (Kind == "t") {
    E.Is = Event::Clock;
  } else if (Kind == "W") {
    E.Is = Event::Waits;
  } else if (Kind == "p") {
    E.Is = Event::Posts;
    E.W = {pathFrom(A[1]), A[2].getAsBoolean().value_or(false) ? 'w' : 'm'};
  } else if (Kind == "d") {
    E.Is = Event::Defines;
    E.Value = textOf(A[1]);
  } else if (Kind == "c") {
    E.Is = Event::Calls;
    E.C.Callee = textOf(A[1]);
    for (const stored::Value &V : *A[2].getAsArray())
      E.C.Arguments.push_back(argumentFrom(V));
    for (const stored::Value &V : *A[3].getAsArray())
      if (std::optional<Place> P = placeFromJson(V))
        E.C.Places.push_back(*P);
    E.C.Function = textOf(A[4]);
    E.C.Begin = numberOf(A[5]);
    E.C.End = numberOf(A[6]);
    for (const stored::Value &V : *A[7].getAsArray())
      E.C.Texts.push_back(textOf(V));
    E.C.UsesResult = A[8].getAsBoolean().value_or(false);
  }
  return E;
}

Moves Program::movesFrom(const stored::Object &O) const {
  Moves Out;
  for (const stored::Value &V : *O.getArray("reads"))
    Out.Reads.insert({pathFrom((*V.getAsArray())[0]), textOf((*V.getAsArray())[1])[0]});
  for (const stored::Value &V : *O.getArray("arrays"))
    Out.Arrays.insert(pathFrom(V));
  for (const stored::Value &V : *O.getArray("moves")) {
    const stored::Array &Each = *V.getAsArray();
    Out.All.insert({pathFrom(Each[0]), pathFrom(Each[1]), numberOf(Each[2])});
  }
  Out.Messages = unsigned(O.getInteger("messages").value_or(0));
  return Out;
}

Code Program::codeFrom(const stored::Object &O) const {
  Code Out;
  Out.Name = O.getString("name").value_or("").str();
  for (const stored::Value &B : *O.getArray("events")) {
    std::vector<Event> &Block = Out.Blocks.emplace_back();
    for (const stored::Value &E : *B.getAsArray())
      if (const stored::Array &Each = *E.getAsArray(); Each[0].getAsString() == "h") {
        const Path Slot = pathFrom(Each[1]);
        if (Slot.Steps[0].Bytes && Slot.Steps[0].From.empty())
          Out.Holds[{Slot.Root, *Slot.Steps[0].Bytes}].insert(pathFrom(Each[2]));
      } else {
        Block.push_back(eventFrom(Each));
      }
  }
  for (const stored::Value &B : *O.getArray("next")) {
    std::vector<int> &Behind = Out.Next.emplace_back();
    for (const stored::Value &N : *B.getAsArray())
      Behind.push_back(int(N.getAsInteger().value_or(-1)));
  }
  if (const stored::Array *Loops = O.getArray("loops"))
    for (const stored::Value &V : *Loops) {
      const stored::Array &Each = *V.getAsArray();
      LoopOfCalls &L = Out.Loops[int(Each[0].getAsInteger().value_or(0))];
      for (const stored::Value &B : *Each[1].getAsArray())
        L.Blocks.insert(int(B.getAsInteger().value_or(0)));
      L.Where = placeFromJson(Each[2]);
      L.Counter = textOf(Each[3]);
      L.Trips = numberOf(Each[4]);
    }
  if (const stored::Object *Own = O.getObject("moves")) {
    Out.Own = movesFrom(*Own);
    for (const stored::Value &V : *Own->getArray("tags"))
      Out.Tags.insert(numberOf(V));
  }
  return Out;
}

// Memory of a function's own whose address a callee keeps may be met by other names from then on.
void Program::release(Code &C) const {
  std::set<std::string> Kept;
  auto Look = [&](const Call &Each) {
    const auto It = ByName.find(Each.Callee);
    const stored::Array *Keeps = It == ByName.end() ? nullptr : It->second->getArray("keeps");
    for (std::size_t K = 0; K < Each.Arguments.size(); ++K)
      if (const auto *P = std::get_if<Path>(&Each.Arguments[K]); P && P->isOwn() && P->isDirect())
        if (!Keeps || any_of(*Keeps, [&](const stored::Value &V) { return numberOf(V) == K; }))
          Kept.insert(P->Root);
  };
  for (const std::vector<Event> &B : C.Blocks)
    for (const Event &E : B)
      if (E.Is == Event::Calls)
        Look(E.C);
  if (Kept.empty())
    return;
  auto Release = [&](Path &P) {
    if (Kept.contains(P.Root))
      P.Root[0] = 'A';
  };
  for (std::vector<Event> &B : C.Blocks)
    for (Event &E : B) {
      Release(E.W.To);
      for (Argument &A : E.C.Arguments)
        if (auto *P = std::get_if<Path>(&A))
          Release(*P);
    }
  if (!C.Own)
    return;
  Moves Now;
  Now.Messages = C.Own->Messages;
  for (Read R : C.Own->Reads) {
    Release(R.From);
    Now.Reads.insert(std::move(R));
  }
  for (Path Each : C.Own->Arrays) {
    Release(Each);
    Now.Arrays.insert(std::move(Each));
  }
  for (Move M : C.Own->All) {
    Release(M.From);
    Release(M.To);
    Now.All.insert(std::move(M));
  }
  C.Own = std::move(Now);
}

} // namespace stridewise::flow
