#include "checks/mpi-duplicate-exchange/FlowLink.h"
#include "unit/Counted.h"
#include <map>
#include <set>
#include <tuple>
#include <variant>

using namespace llvm;

namespace stridewise {
namespace {

// A function that writes to more places than this may write anything; one whose blocks take more rounds, too.
constexpr std::size_t MostWrites = 256;
constexpr unsigned MostRounds = 12;

struct Step {
  std::optional<std::int64_t> Bytes;
  std::string Member;
  std::string From; // the value of the function that the bytes are counted from
  auto operator<=>(const Step &) const = default;
};
// A place in memory: pointers loaded one from another, each step but the last.
struct Path {
  std::string Root;
  std::vector<Step> Steps;
  auto operator<=>(const Path &) const = default;
  bool isKnown() const { return Root != "*"; }
  bool isDirect() const { return Steps.size() == 1; }
  /// Where the pointer to it was loaded.
  Path slot() const { return {Root, {Steps.begin(), Steps.end() - 1}}; }
  /// Loaded from the same places all along.
  bool sharesBase(const Path &O) const {
    return Root == O.Root && Steps.size() == O.Steps.size() &&
           std::equal(Steps.begin(), Steps.end() - 1, O.Steps.begin()) &&
           none_of(slot().Steps, [](const Step &S) { return !S.Bytes; });
  }
};
struct Write {
  Path To;
  char Kind = 'm'; // of what is written: a float, an integer, a pointer, or anything
  auto operator<=>(const Write &) const = default;
};
using Argument = std::variant<std::monostate, std::int64_t, Path>;

// An exchange with what it is given: where two are the same, so is what they exchange.
struct Exchange {
  std::string Callee;
  std::vector<Argument> Arguments; // but for tags
  auto operator<=>(const Exchange &) const = default;
};

struct Call {
  std::string Callee, Function;
  std::vector<Argument> Arguments;
  std::vector<Place> Places; // as written, and the calls of the helpers around it
  unsigned Begin = 0, End = 0;
  std::vector<std::string> Texts;
};
struct Event {
  enum Kind { Writes, Unknown, Clock, Defines, Calls } Is = Unknown;
  Write W{};
  Call C{};
  std::string Value;
};
struct Code {
  std::vector<std::vector<Event>> Blocks;
  std::vector<std::vector<int>> Next; // -1: returns
  bool Fills = false;
  std::vector<Path> Reads, Arrays;
  std::set<unsigned> Tags;
};

// Where an exchange that is still valid was made; `Entry`: before the function, on some way.
struct Origin {
  std::vector<Place> Places;
  bool Entry = false;
};
using State = std::map<Exchange, Origin>;

// An exchange that repeats one made before the function, if that is still valid there.
struct Exposed {
  Exchange What;
  Place Where;
  std::string Text;
};
struct Effects {
  bool Unknown = false;
  std::set<Write> Writes;
  State Exit;
  std::vector<Exposed> Demands;
};

Path pathFrom(const stored::Value &V) {
  Path P;
  const stored::Array &Parts = *V.getAsArray();
  P.Root = Parts[0].getAsString().value_or("*").str();
  for (const stored::Value &S : *Parts[1].getAsArray()) {
    const stored::Array &Each = *S.getAsArray();
    P.Steps.push_back(
        {Each[0].getAsInteger(), Each[1].getAsString().value_or("").str(), Each[2].getAsString().value_or("").str()});
  }
  return P;
}

Argument argumentFrom(const stored::Value &V) {
  if (std::optional<std::int64_t> Number = V.getAsInteger())
    return *Number;
  return V.getAsArray() ? Argument(pathFrom(V)) : Argument();
}

Event eventFrom(const stored::Array &A) {
  Event E;
  const StringRef Kind = A[0].getAsString().value_or("u");
  if (Kind == "w") {
    E.Is = Event::Writes;
    E.W = {pathFrom(A[1]), A[2].getAsString().value_or("m")[0]};
  } else if (Kind == "t") {
    E.Is = Event::Clock;
  } else if (Kind == "d") {
    E.Is = Event::Defines;
    E.Value = A[1].getAsString().value_or("").str();
  } else if (Kind == "c") {
    E.Is = Event::Calls;
    E.C.Callee = A[1].getAsString().value_or("").str();
    for (const stored::Value &V : *A[2].getAsArray())
      E.C.Arguments.push_back(argumentFrom(V));
    for (const stored::Value &V : *A[3].getAsArray())
      if (std::optional<Place> P = placeFromJson(V))
        E.C.Places.push_back(*P);
    E.C.Function = A[4].getAsString().value_or("").str();
    E.C.Begin = unsigned(A[5].getAsInteger().value_or(0));
    E.C.End = unsigned(A[6].getAsInteger().value_or(0));
    for (const stored::Value &V : *A[7].getAsArray())
      E.C.Texts.push_back(V.getAsString().value_or("").str());
  }
  return E;
}

Code codeFrom(const stored::Object &O) {
  Code Out;
  for (const stored::Value &B : *O.getArray("events")) {
    std::vector<Event> &Block = Out.Blocks.emplace_back();
    for (const stored::Value &E : *B.getAsArray())
      Block.push_back(eventFrom(*E.getAsArray()));
  }
  for (const stored::Value &B : *O.getArray("next")) {
    std::vector<int> &Behind = Out.Next.emplace_back();
    for (const stored::Value &N : *B.getAsArray())
      Behind.push_back(int(N.getAsInteger().value_or(-1)));
  }
  if (const stored::Object *Fills = O.getObject("fills")) {
    Out.Fills = true;
    for (const stored::Value &V : *Fills->getArray("reads"))
      Out.Reads.push_back(pathFrom(V));
    for (const stored::Value &V : *Fills->getArray("arrays"))
      Out.Arrays.push_back(pathFrom(V));
    for (const stored::Value &V : *Fills->getArray("tags"))
      Out.Tags.insert(unsigned(V.getAsInteger().value_or(0)));
  }
  return Out;
}

// --- what may be the same memory -------------------------------------------------------------------------------------

// By a caller, or by a function that returned it.
bool isGiven(const Path &P) { return P.Root[0] == 'a' || P.Root[0] == 'R'; }
bool isLocal(const Path &P) { return P.Root[0] == 'L'; }

// Two places at which pointers stand: whether those are different variables or members.
bool areDifferentNames(const Path &A, const Path &B) {
  const Step &X = A.Steps.back(), &Y = B.Steps.back();
  if (!X.Member.empty() && !Y.Member.empty() && X.Member != Y.Member)
    return true;
  // A row that a table holds may be a part of any array.
  if (A.Steps.size() != B.Steps.size())
    return false;
  if (X.Bytes && Y.Bytes && X.From == Y.From && *X.Bytes != *Y.Bytes)
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
  return !Names && !isLocal(A) && !isLocal(B) && (isGiven(A) || isGiven(B));
}

// What a pointer leads to, and something that has a name.
bool meetThrough(const Path &Pointer, const Path &Named) {
  // What a record's member leads to is not the record.
  return Pointer.Root != Named.Root && isGiven(Named);
}

bool mayMeet(const Write &W, const Path &P) {
  if (W.To.sharesBase(P)) {
    const Step &X = W.To.Steps.back(), &Y = P.Steps.back();
    return W.Kind == 'm' || !X.Bytes || !Y.Bytes || X.From != Y.From || *X.Bytes == *Y.Bytes;
  }
  if (!W.To.isDirect() && !P.isDirect())
    return !areDifferentNames(W.To.slot(), P.slot());
  if (!W.To.isKnown() || !P.isKnown())
    return true;
  if (W.To.isDirect() && P.isDirect())
    return meetDirectly(W.To, P);
  return P.isDirect() ? meetThrough(W.To, P) || (isLocal(P) && W.To.Root != P.Root) : meetThrough(P, W.To);
}

// --- the program -----------------------------------------------------------------------------------------------------

class FlowLinker {
public:
  explicit FlowLinker(ArrayRef<stored::Value> Summaries) {
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        if (const stored::Object *Functions = O->getObject("flow"))
          for (const auto &[Name, F] : *Functions)
            ByName.try_emplace(Name.str(), F.getAsObject());
  }

  std::vector<LinkFinding> find() {
    bool Any = false;
    for (const auto &[Name, F] : ByName)
      Any |= F->getObject("fills") != nullptr;
    if (Any)
      for (const auto &[Name, F] : ByName)
        effectsOf(Name);
    std::vector<LinkFinding> Out;
    for (auto &[Where, F] : Found)
      Out.push_back(std::move(F));
    return Out;
  }

private:
  const Code &codeOf(const std::string &Name) {
    auto [It, New] = Codes.try_emplace(Name);
    if (New)
      It->second = codeFrom(*ByName.at(Name));
    return It->second;
  }

  static std::optional<Path> substitute(const Path &P, const std::vector<Argument> &Arguments) {
    if (P.Root[0] == '@' || !P.isKnown())
      return P;
    Path Out{"*", P.Steps};
    if (P.Root[0] == 'R')
      return Out;
    if (P.Root[0] == 'L')
      return P.isDirect() ? std::nullopt : std::optional(Out); // the callee's own
    const std::size_t Number = std::size_t(std::stoul(P.Root.substr(1)));
    const Path *Given = Number < Arguments.size() ? std::get_if<Path>(&Arguments[Number]) : nullptr;
    if (!Given)
      return Out;
    Out = *Given;
    const Step First = P.Steps.front();
    Step &Last = Out.Steps.back();
    Last = {Last.Bytes && First.Bytes ? std::optional(*Last.Bytes + *First.Bytes) : std::nullopt, First.Member,
            Last.From};
    Out.Steps.insert(Out.Steps.end(), P.Steps.begin() + 1, P.Steps.end());
    return Out;
  }
  static bool isExact(const Path &P, bool Outward) {
    if (Outward &&
        (P.Root[0] == 'L' || P.Root[0] == 'R' || any_of(P.Steps, [](const Step &S) { return !S.From.empty(); })))
      return false;
    return (P.isKnown() || !P.Steps.front().From.empty()) && all_of(P.Steps, [](const Step &S) { return S.Bytes; });
  }
  // In the caller's terms; nothing where they do not say for sure what is exchanged.
  static std::optional<Exchange> substitute(const Exchange &E, const std::vector<Argument> &Arguments) {
    Exchange Out{E.Callee, {}};
    for (const Argument &A : E.Arguments) {
      const auto *P = std::get_if<Path>(&A);
      std::optional<Path> Now = P ? substitute(*P, Arguments) : std::nullopt;
      if (P && (!Now || !isExact(*Now, false))) {
        // A parameter that is a number here.
        const std::size_t Number =
            P->Root[0] == 'a' && P->isDirect() ? std::size_t(std::stoul(P->Root.substr(1))) : ~0u;
        if (Number >= Arguments.size() || !std::holds_alternative<std::int64_t>(Arguments[Number]))
          return std::nullopt;
        Out.Arguments.push_back(Arguments[Number]);
        continue;
      }
      Out.Arguments.push_back(P ? Argument(*Now) : A);
    }
    return Out;
  }
  std::optional<Exchange> exchangeOf(const Call &C, const Code &Callee) {
    Exchange Out{C.Callee, {}};
    for (unsigned K = 0; K < C.Arguments.size(); ++K) {
      const auto *P = std::get_if<Path>(&C.Arguments[K]);
      if (Callee.Tags.contains(K))
        Out.Arguments.push_back(std::int64_t(0));
      else if (std::holds_alternative<std::monostate>(C.Arguments[K]) || (P && !isExact(*P, false)))
        return std::nullopt;
      else
        Out.Arguments.push_back(C.Arguments[K]);
    }
    return Out;
  }

  bool isKilled(const Exchange &E, const Write &W) {
    auto Meets = [&](const Path &P) {
      if (mayMeet(W, P))
        return true;
      for (Path Slot = P; !Slot.isDirect();) {
        Slot = Slot.slot();
        if (mayMeet(W, Slot))
          return true;
      }
      return false;
    };
    for (const Argument &A : E.Arguments)
      if (const auto *P = std::get_if<Path>(&A); P && !P->isDirect() && Meets(P->slot()))
        return true;
    const Code &Callee = codeOf(E.Callee);
    auto Touches = [&](const Path &P) {
      std::optional<Path> Here = substitute(P, E.Arguments);
      return Here && Meets(*Here);
    };
    return any_of(Callee.Reads, Touches) || any_of(Callee.Arrays, Touches);
  }

  // --- one function --------------------------------------------------------------------------------------------------

  struct Run {
    Effects *Out; // filled by the first run
    std::set<Exchange> *Asked;
    bool Seeded = false;
    int Header = -1; // of a loop of which the iterations before count alone
  };

  void write(const Write &W, State &S, const Run &R) {
    if (R.Out->Writes.size() >= MostWrites)
      R.Out->Unknown = true;
    else if (W.To.Root[0] != 'L' || !W.To.isDirect())
      R.Out->Writes.insert(W);
    std::erase_if(S, [&](const auto &Each) { return isKilled(Each.first, W); });
  }

  void meet(const Exchange &E, const Call &C, const Place *Inner, StringRef Text, State &S, const Run &R) {
    R.Asked->insert(E);
    auto It = S.find(E);
    if (It == S.end() || C.Places.empty())
      return;
    if (It->second.Entry) {
      R.Out->Demands.push_back({E, Inner ? *Inner : C.Places.front(), Text.str()});
      return;
    }
    if (!R.Seeded)
      report(E, C, Inner, Text, It->second, R.Header >= 0);
  }

  void call(const Call &C, State &S, const Run &R) {
    if (!ByName.contains(C.Callee)) {
      R.Out->Unknown = true;
      S.clear();
      return;
    }
    const Effects &Callee = effectsOf(C.Callee);
    const Code &Body = codeOf(C.Callee);
    std::optional<Exchange> Own = Body.Fills ? exchangeOf(C, Body) : std::nullopt;
    if (Own)
      meet(*Own, C, nullptr, textOf(C, Body), S, R);
    for (const Exposed &D : Callee.Demands)
      if (std::optional<Exchange> E = substitute(D.What, C.Arguments))
        meet(*E, C, &D.Where, D.Text, S, R);
    std::optional<Origin> Still;
    if (Own && S.contains(*Own))
      Still = S[*Own];
    if (Callee.Unknown) {
      R.Out->Unknown = true;
      S.clear();
      return;
    }
    for (const Write &W : Callee.Writes)
      if (std::optional<Path> To = substitute(W.To, C.Arguments))
        write({*To, W.Kind}, S, R);
    if (Own)
      S[*Own] = Still ? *Still : Origin{C.Places, false};
    for (const auto &[E, From] : Callee.Exit)
      if (std::optional<Exchange> Here = substitute(E, C.Arguments))
        S.try_emplace(*Here, Origin{From.Places, false});
  }
  // The array as it is written.
  static std::string textOf(const Call &C, const Code &Callee) {
    for (bool Direct : {true, false})
      for (unsigned K = 0; K < C.Texts.size(); ++K)
        if (any_of(Callee.Arrays,
                   [&](const Path &P) { return P.Root == "a" + std::to_string(K) && P.isDirect() == Direct; }))
          return C.Texts[K];
    return "";
  }

  void run(const Code &F, State Entry, const Run &R) {
    std::vector<std::optional<State>> In(F.Blocks.size()), Ends(1);
    In[0] = std::move(Entry);
    std::optional<State> Exit;
    bool Settled = false;
    for (unsigned Round = 0;; ++Round) {
      bool Changed = false;
      Exit.reset();
      R.Out->Demands.clear();
      const bool Last = Round + 1 == MostRounds;
      for (std::size_t K = 0; K < F.Blocks.size(); ++K) {
        if (!In[K])
          continue;
        Meter::count();
        State S = *In[K];
        for (const Event &E : F.Blocks[K])
          step(E, S, {R.Out, R.Asked, R.Seeded || !Settled, R.Header});
        for (int Next : F.Next[K])
          if (Next < 0)
            join(Exit, S);
          else if (Next != R.Header)
            Changed |= join(In[std::size_t(Next)], S);
          else if (int(K) >= Next)
            Changed |= takeOver(*In[std::size_t(Next)], S);
          else if (!In[std::size_t(Next)])
            In[std::size_t(Next)] = seeds(*R.Asked);
      }
      if (Settled)
        break;
      if (Last) {
        R.Out->Unknown = true;
        R.Out->Demands.clear();
        return;
      }
      Settled = !Changed; // once more, to report
    }
    if (!R.Seeded && Exit)
      R.Out->Exit = std::move(*Exit);
  }
  void step(const Event &E, State &S, const Run &R) {
    if (E.Is == Event::Writes)
      write(E.W, S, R);
    else if (E.Is == Event::Calls)
      call(E.C, S, R);
    else if (E.Is == Event::Defines)
      std::erase_if(S, [&](const auto &Each) { return names(Each.first, E.Value); });
    else
      S.clear(); // what lies between clocks is measured
    R.Out->Unknown |= E.Is == Event::Unknown;
  }
  // What holds at the end of an iteration, and from where.
  static bool takeOver(State &To, const State &From) {
    bool Changed = std::erase_if(To, [&](const auto &Each) { return !From.contains(Each.first); }) > 0;
    for (auto &[E, Where] : To)
      if (const Origin &O = From.at(E); O.Entry != Where.Entry) {
        Where = O;
        Changed = true;
      }
    return Changed;
  }
  static State seeds(const std::set<Exchange> &Asked) {
    State Out;
    for (const Exchange &E : Asked)
      Out[E] = {{}, true};
    return Out;
  }
  static bool names(const Exchange &E, StringRef Value) {
    return any_of(E.Arguments, [&](const Argument &A) {
      const auto *P = std::get_if<Path>(&A);
      return P && any_of(P->Steps, [&](const Step &S) { return S.From == Value; });
    });
  }
  // Keeps what holds on both ways; true where that is less than before.
  static bool join(std::optional<State> &To, const State &From) {
    if (!To) {
      To = From;
      return true;
    }
    bool Changed = std::erase_if(*To, [&](const auto &Each) { return !From.contains(Each.first); }) > 0;
    for (auto &[E, Where] : *To)
      if (const Origin &O = From.at(E); O.Entry && !Where.Entry) {
        Where.Entry = true;
        Changed = true;
      }
    return Changed;
  }

  const Effects &effectsOf(const std::string &Name) {
    auto It = Known.find(Name);
    if (It != Known.end())
      return It->second;
    Known[Name].Unknown = true; // recursion
    const Code &F = codeOf(Name);
    Effects Out;
    if (F.Fills) {
      for (const std::vector<Event> &Block : F.Blocks)
        for (const Event &E : Block)
          if (E.Is == Event::Writes && (E.W.To.Root[0] != 'L' || !E.W.To.isDirect()))
            Out.Writes.insert(E.W);
      return Known[Name] = std::move(Out);
    }
    std::set<Exchange> Asked;
    run(F, {}, {&Out, &Asked, false});
    Out.Demands.clear();
    if (!Asked.empty()) {
      Effects Again;
      run(F, seeds(Asked), {&Again, &Asked, true});
      Out.Demands = std::move(Again.Demands);
      for (std::size_t K = 0; K < F.Next.size(); ++K)
        for (int Next : F.Next[K])
          if (Next >= 0 && Next <= int(K)) {
            Effects Round;
            run(F, {}, {&Round, &Asked, false, Next});
          }
    }
    auto Leaves = [](const Exchange &E) {
      return all_of(E.Arguments, [](const Argument &A) {
        const auto *P = std::get_if<Path>(&A);
        return !P || isExact(*P, true);
      });
    };
    std::erase_if(Out.Exit, [&](const auto &Each) { return !Leaves(Each.first); });
    std::erase_if(Out.Demands, [&](const Exposed &D) { return !Leaves(D.What); });
    return Known[Name] = std::move(Out);
  }

  static bool isSame(const Place &A, const Place &B) {
    return A.File == B.File && A.Line == B.Line && A.Column == B.Column;
  }

  void report(const Exchange &E, const Call &C, const Place *Inner, StringRef Text, const Origin &Before,
              bool Carried) {
    // Where the two part: of what a helper does twice, the helper's call is not the place.
    std::size_t Mine = C.Places.size(), First = Before.Places.size();
    while (Mine > 1 && First > 1 && isSame(C.Places[Mine - 1], Before.Places[First - 1]))
      --Mine, --First;
    if (First == 0 || isSame(C.Places[Mine - 1], Before.Places[First - 1]))
      return; // the same call in each iteration
    const Place &Where = C.Places[Mine - 1], &Earlier = Before.Places.front();
    LinkFinding F;
    F.Conf = Confidence::Medium;
    F.Where = Where;
    F.Accesses = {Where};
    F.Function = C.Function;
    F.ScopeBegin = C.Begin;
    F.ScopeEnd = C.End;
    F.Relateds.emplace_back(Earlier, "exchanged here already");
    if (Inner || Mine > 1)
      F.Relateds.emplace_back(Inner ? *Inner : C.Places.front(), "exchanged again here");
    const std::string File = Earlier.File == Where.File ? "" : StringRef(Earlier.File).rsplit('/').second.str() + ", ";
    F.Args = {{"call", E.Callee},
              {"verb", std::string("exchanges")},
              {"remedy", std::string(Carried ? "remove_carried" : "remove")},
              {"effect", (Text.empty() ? std::string("the same data") : "'" + Text.str() + "'") +
                             " a second time after " + File + "line " + std::to_string(Earlier.Line) +
                             (Carried ? " of the iteration before" : "") + "; nothing changes it in between"}};
    Found.try_emplace({Where.File, Where.Line, Where.Column}, std::move(F));
  }

  std::map<std::string, const stored::Object *> ByName;
  std::map<std::string, Code> Codes;
  std::map<std::string, Effects> Known;
  std::map<std::tuple<std::string, unsigned, unsigned>, LinkFinding> Found;
};

} // namespace

std::vector<LinkFinding> linkFlow(ArrayRef<stored::Value> Summaries) { return FlowLinker(Summaries).find(); }

} // namespace stridewise
