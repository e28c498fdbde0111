#include "checks/mpi-duplicate-exchange/FlowLink.h"
#include "checks/mpi-duplicate-exchange/FlowRepeat.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include <memory>
#include <tuple>

using namespace llvm;

namespace stridewise {
namespace flow {
namespace {

// A function that writes to more places than this may write anything; one whose blocks take more rounds, too.
constexpr std::size_t MostWrites = 256;
constexpr unsigned MostRounds = 12;

// An exchange with what it is given: where two are the same, so is what they exchange.
struct Exchange {
  std::string Callee;
  std::vector<Argument> Arguments; // but for tags
  auto operator<=>(const Exchange &) const = default;
};

// Where an exchange that is still valid was made; `Entry`: before the function, on some way.
struct Origin {
  std::vector<Place> Places;
  bool Entry = false;
  bool Timed = false;  // a clock was asked since, on some way
  bool Worked = false; // functions have computed since, on all ways

  // What lies between clocks, and nothing else, is measured.
  bool isMeasured() const { return Timed && !Worked; }
  // Holds on two ways; true where that is less than before.
  bool weaken(const Origin &O) {
    const bool Changed = (O.Timed && !Timed) || (Worked && !O.Worked);
    Timed |= O.Timed;
    Worked &= O.Worked;
    return Changed;
  }
};
using State = std::map<Exchange, Origin>;

// An exchange that repeats one made before the function, if that is still valid there.
struct Exposed {
  Exchange What;
  Place Where;
  std::string Text;
};
// What a function has begun to receive and leaves to others to wait for; by the exchange that began it, where that is
// known.
struct Posted {
  Path To;
  std::optional<Exchange> By;
  auto operator<=>(const Posted &) const = default;
};
struct Effects {
  bool Unknown = false;
  bool Waits = false;     // for what its callers have begun
  bool Completes = false; // what it has begun itself, or they
  std::set<Write> Writes;
  std::set<Posted> Posts;
  State Exit;
  std::vector<Exposed> Demands;
};

// --- the program -----------------------------------------------------------------------------------------------------

class FlowLinker {
public:
  explicit FlowLinker(ArrayRef<stored::Value> Summaries) : P(Summaries), Repeated(P) {}

  std::vector<LinkFinding> find() {
    bool Any = false;
    if (!P.sendsAny())
      return {};
    for (const auto &[Name, F] : P)
      Any |= Repeated.exchange(Name) != nullptr;
    if (Any)
      for (const auto &[Name, F] : P)
        effectsOf(Name);
    std::vector<LinkFinding> Out;
    for (auto &[Where, F] : Found)
      Out.push_back(std::move(F));
    return Out;
  }

private:
  static bool isExact(const Path &P, bool Outward) {
    if (Outward && (P.isOwn() || P.Root[0] == 'R' || any_of(P.Steps, [](const Step &S) { return !S.From.empty(); })))
      return false;
    return (P.isKnown() || !P.Steps.front().From.empty()) && all_of(P.Steps, [](const Step &S) { return S.Bytes; });
  }
  // In the caller's terms; nothing where they do not say for sure what is exchanged.
  static std::optional<Exchange> substitute(const Exchange &E, const std::vector<Argument> &Arguments,
                                            const Code &Caller) {
    Exchange Out{E.Callee, {}};
    for (const Argument &A : E.Arguments) {
      const auto *Place = std::get_if<Path>(&A);
      std::vector<Path> Now = Place ? inCaller(*Place, Arguments, Caller) : std::vector<Path>();
      if (!Place) {
        Out.Arguments.push_back(A);
      } else if (Now.size() == 1 && isExact(Now[0], false)) {
        Out.Arguments.push_back(Now[0]);
      } else {
        // A parameter that is a number here.
        const std::size_t Number =
            Place->Root[0] == 'a' && Place->isDirect() ? std::size_t(std::stoul(Place->Root.substr(1))) : ~0u;
        if (Number >= Arguments.size() || !std::holds_alternative<std::int64_t>(Arguments[Number]))
          return std::nullopt;
        Out.Arguments.push_back(Arguments[Number]);
      }
    }
    return Out;
  }
  static std::optional<Exchange> exchangeOf(const Call &C, const Code &Callee) {
    Exchange Out{C.Callee, {}};
    for (unsigned K = 0; K < C.Arguments.size(); ++K) {
      const auto *Place = std::get_if<Path>(&C.Arguments[K]);
      if (Callee.Tags.contains(K))
        Out.Arguments.push_back(std::int64_t(0));
      else if (std::holds_alternative<std::monostate>(C.Arguments[K]) || (Place && !isExact(*Place, false)))
        return std::nullopt;
      else
        Out.Arguments.push_back(C.Arguments[K]);
    }
    return Out;
  }

  bool isKilled(const Exchange &E, const Write &W, const Code &In) {
    auto Meets = [&](const Read &R) {
      if (mayMeet(W, R))
        return true;
      for (Path Slot = R.From; !Slot.isDirect();) {
        Slot = Slot.slot();
        if (mayMeet(W, Read{Slot, 'p'}))
          return true;
      }
      return false;
    };
    for (const Argument &A : E.Arguments)
      if (const auto *P = std::get_if<Path>(&A); P && !P->isDirect() && Meets({P->slot(), 'm'}))
        return true;
    const Moves *Callee = Repeated.exchange(E.Callee);
    auto Touches = [&](const Read &R) {
      return any_of(inCaller(R.From, E.Arguments, In), [&](const Path &P) { return Meets({P, R.Kind}); });
    };
    return !Callee || any_of(Callee->Reads, Touches) ||
           any_of(Callee->Arrays, [&](const Path &P) { return Touches({P, 'm'}); });
  }

  // --- one function --------------------------------------------------------------------------------------------------

  struct Run {
    const Code *In;
    Effects *Out; // filled by the first run
    std::set<Exchange> *Asked;
    bool Seeded = false;
    int Header = -1; // of a loop of which the iterations before count alone
  };

  // `By`: the exchange that this write belongs to.
  void write(const Write &W, State &S, const Run &R, const std::optional<Exchange> &By = std::nullopt) {
    if (R.Out->Writes.size() >= MostWrites)
      R.Out->Unknown = true;
    else if (!W.To.isPrivate())
      R.Out->Writes.insert(W);
    std::erase_if(S, [&](const auto &Each) { return By != Each.first && isKilled(Each.first, W, *R.In); });
  }
  void wait(State &S, const Run &R) {
    R.Out->Waits |= R.Out->Posts.empty();
    R.Out->Completes = true;
    for (const Posted &Each : R.Out->Posts)
      write({Each.To, 'm'}, S, R, Each.By);
  }

  void meet(const Exchange &E, const Call &C, const Place *Inner, StringRef Text, State &S, const Run &R) {
    R.Asked->insert(E);
    auto It = S.find(E);
    if (It == S.end() || C.Places.empty() || It->second.isMeasured())
      return;
    if (It->second.Entry) {
      R.Out->Demands.push_back({E, Inner ? *Inner : C.Places.front(), Text.str()});
      return;
    }
    if (!R.Seeded)
      report(E, C, Inner, Text, It->second, R);
  }

  // What a function writes, in the caller's terms.
  void writeAll(const Effects &Callee, const Call &C, bool Works, State &S, const Run &R) {
    for (const Write &W : Callee.Writes)
      for (const Path &To : inCaller(W.To, C.Arguments, *R.In))
        write({To, W.Kind}, S, R);
    if (Works && any_of(Callee.Writes, [](const Write &W) { return W.Kind == 'f'; }))
      for (auto &[E, Where] : S)
        Where.Worked = true;
  }

  void call(const Call &C, State &S, const Run &R) {
    if (!P.knows(C.Callee)) {
      R.Out->Unknown = true;
      S.clear();
      return;
    }
    const std::shared_ptr<const Effects> Found = effectsOf(C.Callee);
    const Effects &Callee = *Found;
    const Code &Body = P.code(C.Callee);
    const Moves *Fills = C.UsesResult ? nullptr : Repeated.exchange(C.Callee);
    std::optional<Exchange> Own = Fills ? exchangeOf(C, Body) : std::nullopt;
    std::optional<Origin> Still;
    if (Own) {
      if (auto It = S.find(*Own); It != S.end())
        Still = It->second;
      meet(*Own, C, nullptr, textOf(C, *Fills), S, R);
    }
    // What is repeated as a whole is not told once more by its parts.
    for (const Exposed &D : Callee.Demands)
      if (std::optional<Exchange> E = substitute(D.What, C.Arguments, *R.In); E && (!Still || Still->Entry))
        meet(*E, C, &D.Where, D.Text, S, R);
    if (Callee.Unknown) {
      R.Out->Unknown = true;
      S.clear();
      return;
    }
    writeAll(Callee, C, /*Works=*/!Own, S, R);
    for (const Posted &Each : Callee.Posts)
      for (const Path &To : inCaller(Each.To, C.Arguments, *R.In))
        R.Out->Posts.insert({To, Own || !Each.By ? Own : substitute(*Each.By, C.Arguments, *R.In)});
    if (Callee.Waits)
      wait(S, R);
    if (Own)
      S[*Own] = Still && !Still->Entry ? *Still : Origin{C.Places, false};
    for (const auto &[E, From] : Callee.Exit)
      if (std::optional<Exchange> Here = substitute(E, C.Arguments, *R.In))
        if (Origin &At = S[*Here]; At.Entry || At.Places.empty())
          At = {From.Places, false, From.Timed, From.Worked};
  }
  // The array as it is written.
  static std::string textOf(const Call &C, const Moves &Callee) {
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
          step(E, S, {R.In, R.Out, R.Asked, R.Seeded || !Settled, R.Header});
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
      for (const Path &To : R.In->resolve(E.W.To))
        write({To, E.W.Kind}, S, R);
    else if (E.Is == Event::Calls)
      call(E.C, S, R);
    else if (E.Is == Event::Waits)
      wait(S, R);
    else if (E.Is == Event::Posts)
      post(E.W, R);
    else if (E.Is == Event::Defines)
      std::erase_if(S, [&](const auto &Each) { return names(Each.first, E.Value); });
    else if (E.Is == Event::Clock)
      for (auto &[Each, Where] : S)
        Where.Timed = true;
    else
      S.clear();
    R.Out->Unknown |= E.Is == Event::Unknown;
  }
  static void post(const Write &W, const Run &R) {
    if (W.Kind == 'm')
      for (const Path &To : R.In->resolve(W.To))
        R.Out->Posts.insert({To, std::nullopt});
  }
  // What holds at the end of an iteration, and from where.
  static bool takeOver(State &To, const State &From) {
    bool Changed = std::erase_if(To, [&](const auto &Each) { return !From.contains(Each.first); }) > 0;
    for (auto &[E, Where] : To)
      if (const Origin &O = From.at(E); O.Entry != Where.Entry) {
        Where = O;
        Changed = true;
      } else {
        Changed |= Where.weaken(O);
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
      if (const Origin &O = From.at(E); (O.Entry && !Where.Entry) || Where.weaken(O)) {
        Where.Entry |= O.Entry;
        Changed = true;
      }
    return Changed;
  }

  // Functions that call each other are run until they write nothing new.
  std::shared_ptr<const Effects> effectsOf(const std::string &Name) {
    if (auto Under = Running.find(Name); Under != Running.end()) {
      Deepest = std::min(Deepest, Under->second);
      return Known[Name];
    }
    if (auto It = Known.find(Name); It != Known.end())
      return It->second;
    const std::size_t Depth = Running.size(), Outer = std::exchange(Deepest, Depth + 1);
    Known[Name] = std::make_shared<Effects>();
    for (unsigned Round = 0;; ++Round) {
      Running[Name] = Depth;
      Effects Now = effectsOnce(Name);
      Running.erase(Name);
      const bool Again = Deepest <= Depth && (Now.Writes != Known[Name]->Writes || Now.Unknown != Known[Name]->Unknown);
      Now.Unknown |= Again && Round == MostRounds;
      Known[Name] = std::make_shared<Effects>(std::move(Now));
      if (!Again)
        break;
      for (const std::string &Each : Tentative)
        Known.erase(Each);
      Tentative.clear();
      if (Round == MostRounds)
        break;
    }
    if (Deepest < Depth)
      Tentative.insert(Name);
    Deepest = std::min(Deepest, Outer);
    return Known[Name];
  }
  Effects effectsOnce(const std::string &Name) {
    const Code &F = P.code(Name);
    Effects Out;
    std::set<Exchange> Asked;
    run(F, {}, {&F, &Out, &Asked, false});
    Out.Demands.clear();
    if (Out.Completes)
      Out.Posts.clear();
    if (!Asked.empty()) {
      Effects Again;
      run(F, seeds(Asked), {&F, &Again, &Asked, true});
      Out.Demands = std::move(Again.Demands);
      for (std::size_t K = 0; K < F.Next.size(); ++K)
        for (int Next : F.Next[K])
          if (Next >= 0 && Next <= int(K)) {
            Effects Round;
            run(F, {}, {&F, &Round, &Asked, false, Next});
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
    return Out;
  }

  static bool isSame(const Place &A, const Place &B) {
    return A.File == B.File && A.Line == B.Line && A.Column == B.Column;
  }

  // Whether the loop does more than to measure what it calls.
  bool computes(const LoopOfCalls &L, const Code &F) {
    return any_of(L.Blocks, [&](int K) {
      return any_of(F.Blocks[std::size_t(K)], [&](const Event &E) {
        if (E.Is == Event::Writes)
          return E.W.Kind == 'f';
        if (E.Is != Event::Calls || !P.knows(E.C.Callee) || Repeated.exchange(E.C.Callee))
          return false;
        return any_of(effectsOf(E.C.Callee)->Writes, [](const Write &W) { return W.Kind == 'f'; });
      });
    });
  }

  // The loop that carries an exchange from one iteration to the next, if it is one that matters.
  const LoopOfCalls *carrier(const Run &R) {
    const auto Loop = R.In->Loops.find(R.Header);
    if (Loop == R.In->Loops.end() || !computes(Loop->second, *R.In))
      return nullptr;
    const unsigned Trips = Loop->second.Trips;
    return Trips && Trips < limits::mpi_duplicate_exchange::MinTrips ? nullptr : &Loop->second;
  }

  void report(const Exchange &E, const Call &C, const Place *Inner, StringRef Text, const Origin &Before,
              const Run &R) {
    const bool Carried = R.Header >= 0;
    const LoopOfCalls *Loop = Carried ? carrier(R) : nullptr;
    // Where the two part: of what a helper does twice, the helper's call is not the place.
    std::size_t Mine = C.Places.size(), First = Before.Places.size();
    while (Mine > 1 && First > 1 && isSame(C.Places[Mine - 1], Before.Places[First - 1]))
      --Mine, --First;
    if (First == 0 || (Carried && !Loop))
      return;
    const bool Same = isSame(Inner ? *Inner : C.Places[Mine - 1], Before.Places[First - 1]);
    if (Same && !Carried)
      return;
    if (Same)
      Mine = C.Places.size();
    const Place &Where = C.Places[Mine - 1], &Earlier = Before.Places.front();
    LinkFinding F;
    F.Conf = Confidence::Medium;
    F.Where = Where;
    F.Accesses = {Where};
    F.Function = C.Function;
    F.ScopeBegin = C.Begin;
    F.ScopeEnd = C.End;
    if (!Same)
      F.Relateds.emplace_back(Earlier, "exchanged here already");
    if (Inner || Mine > 1)
      F.Relateds.emplace_back(Inner ? *Inner : C.Places.front(), "exchanged again here");
    if (Same && Loop->Where)
      F.Relateds.emplace_back(*Loop->Where, "repeated by this loop");
    const std::string &Name = P.code(E.Callee).Name;
    F.Args = {{"call", Name.empty() ? E.Callee : Name},
              {"verb", std::string("exchanges")},
              {"remedy", std::string(Same      ? "hoist"
                                     : Carried ? "remove_carried"
                                               : "remove")},
              {"effect", (Text.empty() ? std::string("the same data") : "'" + Text.str() + "'") +
                             (Same ? each(*Loop) : again(Where, Earlier, Carried))}};
    Found.try_emplace({Where.File, Where.Line, Where.Column}, std::move(F));
  }
  static std::string each(const LoopOfCalls &L) {
    return " in each iteration of the loop" + (L.Counter.empty() ? std::string() : " over '" + L.Counter + "'") +
           ", although nothing in the loop changes it";
  }
  static std::string again(const Place &Where, const Place &Earlier, bool Carried) {
    const std::string File = Earlier.File == Where.File ? "" : StringRef(Earlier.File).rsplit('/').second.str() + ", ";
    return " a second time after " + File + "line " + std::to_string(Earlier.Line) +
           (Carried ? " of the iteration before" : "") + "; nothing changes it in between";
  }

  Program P;
  Repeats Repeated;
  std::map<std::string, std::shared_ptr<const Effects>> Known;
  std::map<std::string, std::size_t> Running; // how deep in the calls
  std::set<std::string> Tentative;            // found while a function that they call is being run
  std::size_t Deepest = ~std::size_t(0);      // of those that were called again meanwhile
  std::map<std::tuple<std::string, unsigned, unsigned>, LinkFinding> Found;
};

} // namespace
} // namespace flow

std::vector<LinkFinding> linkFlow(ArrayRef<stored::Value> Summaries) { return flow::FlowLinker(Summaries).find(); }

} // namespace stridewise
