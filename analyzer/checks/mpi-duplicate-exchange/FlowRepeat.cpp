#include "checks/mpi-duplicate-exchange/FlowRepeat.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace stridewise::flow {
namespace {

// A function that reads or moves more, with all that it calls, does more than to exchange.
constexpr std::size_t MostPlaces = 192;

// Whether what is left at one place is taken from the other. What has another name is another array.
bool follows(const Path &To, const Path &From) {
  auto Named = [](const Path &P) { return P.isKnown() && P.Root[0] != 'R'; };
  if (Named(To) && Named(From) && To.Root != From.Root)
    return false;
  const std::string &Left = To.Steps.back().Member, &Taken = From.Steps.back().Member;
  if (!Left.empty() && !Taken.empty() && Left != Taken)
    return false;
  return mayMeet({To, To.Steps.back().Bytes && From.Steps.back().Bytes ? 'i' : 'm'}, From);
}

// From each move the moves that lead on, and on.
std::vector<BitVector> reach(const std::vector<Move> &All, function_ref<bool(const Move &)> Counts) {
  std::vector<BitVector> Out(All.size(), BitVector(unsigned(All.size())));
  for (std::size_t K = 0; K < All.size(); ++K)
    for (std::size_t N = 0; N < All.size(); ++N)
      if (Counts(All[K]) && Counts(All[N]) && follows(All[K].To, All[N].From))
        Out[K].set(unsigned(N));
  for (std::size_t By = 0; By < All.size(); ++By)
    for (std::size_t K = 0; K < All.size(); ++K)
      if (Out[K].test(unsigned(By)))
        Out[K] |= Out[By];
  return Out;
}

// In one array, or in rows of one table.
bool isWithin(const Path &A, const Path &B) {
  return A.Root == B.Root && A.Steps.size() == B.Steps.size() &&
         std::equal(A.Steps.begin(), A.Steps.end() - 1, B.Steps.begin(),
                    [](const Step &X, const Step &Y) { return X.Member == Y.Member && !areApart(X, Y); });
}

bool isLasting(const Move &M) { return !M.From.isPrivate() || !M.To.isPrivate(); }

// What is sent comes from the array that is received: a worker that asks for more gets something else.
bool swaps(const Moves &M) {
  const std::vector<Move> All(M.All.begin(), M.All.end());
  const std::vector<BitVector> Way = reach(All, [](const Move &) { return true; });
  for (unsigned K = 0; K < All.size(); ++K)
    if ((All[K].Bits & Message) && !(All[K].Bits & Computed)) {
      const bool Lasts = any_of(seq(0u, unsigned(All.size())),
                                [&](unsigned N) { return isLasting(All[N]) && Way[K].test(N) && Way[N].test(K); });
      if (Lasts)
        return true;
    }
  return false;
}

} // namespace

std::vector<Path> inCaller(const Path &P, const std::vector<Argument> &Arguments, const Code &Caller) {
  if (P.Root[0] == '@' || !P.isKnown())
    return {P};
  const Path Unknown{"*", P.Steps};
  if (P.isPrivate())
    return {};
  const std::size_t Number = P.Root[0] == 'a' ? std::size_t(std::stoul(P.Root.substr(1))) : Arguments.size();
  if (Number < Arguments.size() && std::holds_alternative<std::int64_t>(Arguments[Number]))
    return {}; // a constant
  const Path *Given = Number < Arguments.size() ? std::get_if<Path>(&Arguments[Number]) : nullptr;
  if (!Given)
    return {Unknown};
  Path Out = *Given;
  Out.Steps.back() = Out.Steps.back().plus(P.Steps.front());
  Out.Steps.insert(Out.Steps.end(), P.Steps.begin() + 1, P.Steps.end());
  return Caller.resolve(Out);
}

const Moves *Repeats::exchange(const std::string &Name) {
  auto It = Exchanges.find(Name);
  if (It == Exchanges.end()) {
    const std::optional<Moves> &M = all(Name);
    const bool Talks = M && !(M->Messages & Half) && ((M->Messages & Collects) || swaps(*M));
    It = Exchanges.emplace(Name, Talks && repeats(*M)).first;
  }
  return It->second ? &*Known.at(Name) : nullptr;
}

const std::optional<Moves> &Repeats::all(const std::string &Name) {
  auto [It, New] = Known.try_emplace(Name); // nothing, if it calls itself
  if (New && P.knows(Name)) {
    std::optional<Moves> M = join(P.code(Name));
    Known[Name] = std::move(M);
  }
  return Known.at(Name);
}

std::optional<Moves> Repeats::join(const Code &C) {
  if (!C.Own)
    return std::nullopt;
  Moves Out;
  Out.Messages = C.Own->Messages;
  for (const Read &Each : C.Own->Reads)
    for (Path &Found : C.resolve(Each.From))
      Out.Reads.insert({std::move(Found), Each.Kind});
  for (const Path &Each : C.Own->Arrays)
    for (Path &Found : C.resolve(Each))
      Out.Arrays.insert(std::move(Found));
  for (const Move &M : C.Own->All)
    for (const Path &From : C.resolve(M.From))
      for (const Path &To : C.resolve(M.To))
        Out.All.insert({From, To, M.Bits});
  for (const std::vector<Event> &Block : C.Blocks)
    for (const Event &E : Block)
      if (E.Is == Event::Unknown || (E.Is == Event::Calls && !add(E.C, C, Out)))
        return std::nullopt;
  if (Out.Reads.size() > MostPlaces || Out.Arrays.size() > MostPlaces || Out.All.size() > MostPlaces)
    return std::nullopt;
  return Out;
}

bool Repeats::add(const Call &Each, const Code &C, Moves &Out) {
  const std::optional<Moves> &Callee = all(Each.Callee);
  if (!Callee || Each.UsesResult)
    return false;
  const Moves M = withoutPrivate(*Callee);
  auto Known = [&](const Path &P, function_ref<void(Path)> Take) {
    for (Path &Found : inCaller(P, Each.Arguments, C)) {
      if (!Found.isKnown())
        return false;
      if (!Found.isPrivate())
        Take(std::move(Found));
    }
    return true;
  };
  auto Reads = [&](const Read &R) {
    return Known(R.From, [&](Path At) { Out.Reads.insert({std::move(At), R.Kind}); });
  };
  auto Fills = [&](const Path &At) { return Known(At, [&](Path Now) { Out.Arrays.insert(std::move(Now)); }); };
  if (!all_of(M.Reads, Reads) || !all_of(M.Arrays, Fills))
    return false;
  for (const Move &One : M.All)
    for (const Path &From : inCaller(One.From, Each.Arguments, C))
      for (const Path &To : inCaller(One.To, Each.Arguments, C)) {
        if (!From.isKnown() || !To.isKnown())
          return false;
        Out.All.insert({From, To, One.Bits});
      }
  Out.Messages |= M.Messages;
  return Out.All.size() <= MostPlaces;
}

// What goes by way of a function's own memory goes from where it came to where it is left.
Moves Repeats::withoutPrivate(Moves M) {
  std::set<Move> Out;
  for (const Move &First : M.All) {
    if (First.From.isPrivate())
      continue;
    std::set<std::pair<Path, unsigned>> Seen;
    std::vector<std::pair<Path, unsigned>> Work{{First.To, First.Bits}};
    while (!Work.empty()) {
      const auto [At, Bits] = Work.back();
      Work.pop_back();
      if (!At.isPrivate()) {
        Out.insert({First.From, At, Bits});
        continue;
      }
      if (Seen.size() < MostPlaces && Seen.insert({At, Bits}).second)
        for (const Move &Next : M.All)
          if (Next.From.Root == At.Root)
            Work.emplace_back(Next.To, Bits | Next.Bits);
    }
  }
  M.All = std::move(Out);
  return M;
}

// No number that is left behind is computed from what was left behind before, or goes round without a message.
bool Repeats::repeats(const Moves &M) {
  const std::vector<Move> All(M.All.begin(), M.All.end());
  const std::vector<BitVector> Any = reach(All, [](const Move &) { return true; });
  const std::vector<BitVector> Local = reach(All, [](const Move &Each) { return !(Each.Bits & Message); });
  for (unsigned K = 0; K < All.size(); ++K) {
    if (!Any[K].test(K))
      continue; // in no circle
    const bool Lasts = any_of(seq(0u, unsigned(All.size())),
                              [&](unsigned N) { return isLasting(All[N]) && Any[K].test(N) && Any[N].test(K); });
    if ((All[K].Bits & Computed) && Lasts)
      return false;
    const bool Others = any_of(seq(0u, unsigned(All.size())), [&](unsigned N) {
      return N != K && isLasting(All[N]) && Local[K].test(N) && Local[N].test(K) &&
             !(isWithin(All[N].From, All[K].From) && isWithin(All[N].To, All[K].To) &&
               isWithin(All[N].From, All[N].To));
    });
    if (Local[K].test(K) && Others)
      return false;
  }
  return true;
}

} // namespace stridewise::flow
