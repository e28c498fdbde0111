// The whole-program half of SleepFacts: which sleeps the loops of other units come to.
#include "checks/run-sleep-in-loop/SleepFacts.h"
#include "unit/Meter.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

// The functions of a program by name, from the summaries of its units. Each walk over the calls visits a function once,
// so that the time grows with the program and not with its square.
class SleepLinker {
public:
  explicit SleepLinker(ArrayRef<stored::Value> Summaries) {
    for (const stored::Value &V : Summaries)
      if (const stored::Array *Functions = V.getAsArray())
        for (const stored::Value &F : *Functions)
          if (const stored::Object *O = F.getAsObject())
            if (auto Name = O->getString("name"))
              ByName.try_emplace(Name->str(), O); // the same inline function in several units: one will do
    findWorking();
    findSleeping();
  }

  std::vector<LinkedSleep> find() {
    for (const auto &[Name, F] : ByName)
      for (const stored::Value &V : *F->getArray("calls"))
        if (const stored::Object *Call = V.getAsObject(); Call && !Call->getArray("loops")->empty())
          follow(*Call);
    std::vector<LinkedSleep> Out;
    for (auto &[Where, X] : Found)
      Out.push_back(std::move(X));
    return Out;
  }

private:
  // Functions that match, and all that call them; of calls in loops of their own only where `InLoops`.
  StringSet<> callersOf(function_ref<bool(const stored::Object &)> Matches, bool InLoops) const {
    StringMap<SmallVector<StringRef, 2>> Callers;
    StringSet<> Out;
    SmallVector<StringRef, 16> Work;
    for (const auto &[Name, F] : ByName) {
      if (Matches(*F) && Out.insert(Name).second)
        Work.push_back(Name);
      for (const stored::Value &V : *F->getArray("calls"))
        if (const stored::Object *Call = V.getAsObject(); Call && (InLoops || Call->getArray("loops")->empty()))
          Callers[Call->getString("to").value_or("")].push_back(Name);
    }
    while (!Work.empty())
      for (StringRef Caller : Callers.lookup(Work.pop_back_val()))
        if (Out.insert(Caller).second)
          Work.push_back(Caller);
    return Out;
  }
  void findWorking() {
    Working =
        callersOf([](const stored::Object &F) { return F.getBoolean("works").value_or(false); }, /*InLoops=*/true);
  }
  void findSleeping() {
    Sleeping = callersOf([](const stored::Object &F) { return !F.getArray("sleeps")->empty(); }, /*InLoops=*/false);
  }

  // The innermost loop around the call that works and advances by itself.
  void follow(const stored::Object &Call) {
    StringRef Callee = Call.getString("to").value_or("");
    if (!Sleeping.contains(Callee))
      return;
    for (const stored::Value &V : *Call.getArray("loops")) {
      const stored::Object &L = *V.getAsObject();
      bool Sure = L.getBoolean("sure").value_or(false) || any_of(*L.getArray("calls"), [&](const stored::Value &O) {
                    return Working.contains(O.getAsString().value_or(""));
                  });
      bool Waits = L.getBoolean("waits").value_or(true), Carried = L.getBoolean("carried").value_or(false);
      if (!Sure)
        continue;
      std::optional<Place> Loop = placeFromJson(*L.get("where")), From = placeFromJson(*Call.get("where"));
      if (!Loop || !From)
        return;
      const Confidence Conf = Waits || !Carried ? Confidence::Medium : Confidence::High;
      // A sleep that a call of the same confidence came to before is told of that call, and all behind it, too.
      std::vector<Place> Path;
      collect(Callee, Path, Walked[{Conf, L.getBoolean("clock").value_or(false)}],
              [&](const stored::Object &S) { note(S, L, Conf, *Loop, *From, Path); });
      return;
    }
  }

  void note(const stored::Object &S, const stored::Object &L, Confidence Conf, const Place &Loop, const Place &From,
            ArrayRef<Place> Path) {
    std::optional<Place> Where = placeFromJson(*S.get("where"));
    if (!Where)
      return;
    auto Number = [&](StringRef Key) { return static_cast<unsigned>(S.getInteger(Key).value_or(0)); };
    LinkedSleep X;
    X.Sleep = {*Where,
               S.getString("function").value_or("").str(),
               S.getString("call").value_or("").str(),
               Number("begin"),
               Number("end"),
               S.getNumber("seconds").value_or(0)};
    // Beside a clock, but for naps that wait for something: perhaps a rate that is kept, or work that is left out.
    const bool Polls = S.getBoolean("polls").value_or(false);
    X.Conf = Polls                                   ? std::min(Conf, Confidence::Medium)
             : L.getBoolean("clock").value_or(false) ? Confidence::Low
             : X.Sleep.Seconds <= 0                  ? std::min(Conf, Confidence::Medium)
                                                     : Conf;
    auto [It, New] = Found.try_emplace(std::tuple(Where->File, Where->Line, Where->Column));
    if (!New && X.Conf <= It->second.Conf)
      return;
    X.Loop = L.getString("loop").value_or("").str();
    X.LoopWhere = Loop;
    X.Calls = {From};
    X.Calls.insert(X.Calls.end(), Path.begin(), Path.end());
    It->second = std::move(X);
  }

  void collect(StringRef Name, std::vector<Place> &Path, StringSet<> &Seen,
               function_ref<void(const stored::Object &)> Note) {
    auto It = ByName.find(Name.str());
    if (It == ByName.end() || !Sleeping.contains(Name) || Path.size() > MostCalls || !Seen.insert(Name).second)
      return;
    Meter::count();
    for (const stored::Value &S : *It->second->getArray("sleeps"))
      Note(*S.getAsObject());
    for (const stored::Value &V : *It->second->getArray("calls")) {
      const stored::Object &Call = *V.getAsObject();
      std::optional<Place> Where = placeFromJson(*Call.get("where"));
      // What a loop of its own calls is said of that loop.
      if (!Where || !Call.getArray("loops")->empty())
        continue;
      Path.push_back(*Where);
      collect(Call.getString("to").value_or(""), Path, Seen, Note);
      Path.pop_back();
    }
  }

  // Longer ways from a loop to a sleep are nobody's to read; it also bounds the recursion.
  static constexpr std::size_t MostCalls = 500;

  std::map<std::string, const stored::Object *> ByName;
  StringSet<> Working, Sleeping; // that do work or sleep, or call what does; asleep outside of loops of their own
  std::map<std::pair<Confidence, bool>, StringSet<>> Walked; // from loops without and with a clock
  std::map<std::tuple<std::string, unsigned, unsigned>, LinkedSleep> Found;
};

} // namespace

std::vector<LinkedSleep> SleepFacts::link(ArrayRef<stored::Value> Summaries) { return SleepLinker(Summaries).find(); }

} // namespace stridewise
