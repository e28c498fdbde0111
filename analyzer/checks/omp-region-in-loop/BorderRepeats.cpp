#include "checks/omp-region-in-loop/BorderRepeats.h"
#include "unit/Meter.h"
#include <map>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

class CallTree {
public:
  explicit CallTree(ArrayRef<const UnitBorders *> Units) {
    for (const UnitBorders *U : Units) {
      for (const BorderCall &C : U->Calls)
        Callers[C.Callee].push_back(&C);
      for (const std::string &Name : U->Defined)
        Definitions[Name].insert(U->File);
    }
  }

  struct Around {
    unsigned Loops = 0;
    const Place *Loop = nullptr; // the innermost one
    bool InTeam = false;
  };
  const Around &of(const std::string &Procedure) {
    if (const auto It = Known.find(Procedure); It != Known.end())
      return It->second;
    static const Around Nothing;
    if (const auto It = Definitions.find(Procedure); It != Definitions.end() && It->second.size() > 1)
      return Nothing;
    if (!Active.insert(Procedure).second)
      return Nothing;
    Around Deepest;
    for (const BorderCall *C : Callers[Procedure]) {
      Meter::count();
      const Around &Outer = of(C->Caller);
      Deepest.InTeam |= C->InTeam || Outer.InTeam;
      if (C->Loops + Outer.Loops <= Deepest.Loops)
        continue;
      Deepest.Loops = C->Loops + Outer.Loops;
      Deepest.Loop = C->Loop ? &*C->Loop : Outer.Loop;
    }
    Active.erase(Procedure);
    return Known[Procedure] = Deepest;
  }

private:
  std::map<std::string, std::vector<const BorderCall *>> Callers;
  std::map<std::string, std::set<std::string>> Definitions;
  std::map<std::string, Around> Known;
  std::set<std::string> Active;
};

json::Value placeOrNull(const std::optional<Place> &P) { return P ? toJson(*P) : json::Value(nullptr); }

std::optional<Place> placeOf(const stored::Object &O, StringRef Name) {
  const stored::Value *V = O.get(Name);
  return V && V->getAsObject() ? placeFromJson(*V) : std::nullopt;
}

std::string stringOf(const stored::Object &O, StringRef Name) { return O.getString(Name).value_or("").str(); }
unsigned numberOf(const stored::Object &O, StringRef Name) { return unsigned(O.getInteger(Name).value_or(0)); }

template <typename Take> void forEach(const stored::Object &O, StringRef Name, Take T) {
  if (const stored::Array *All = O.getArray(Name))
    for (const stored::Value &V : *All)
      if (const stored::Object *Each = V.getAsObject())
        T(*Each);
}

} // namespace

std::vector<BorderRepeat> borderRepeats(ArrayRef<const UnitBorders *> Units) {
  CallTree Calls(Units);
  std::vector<BorderRepeat> Out;
  for (const UnitBorders *U : Units)
    for (const BorderRegion &R : U->Regions) {
      const CallTree::Around &Around = Calls.of(R.Procedure);
      const Place *Loop = R.Loop ? &*R.Loop : Around.Loop;
      if (Loop && !Around.InTeam)
        Out.push_back({&R, *Loop, R.Loops + Around.Loops});
    }
  return Out;
}

json::Value toJson(const UnitBorders &Unit) {
  if (Unit.Regions.empty() && Unit.Calls.empty())
    return nullptr;
  json::Array Regions, Calls, Defined;
  for (const std::string &Name : Unit.Defined)
    Defined.push_back(Name);
  for (const BorderRegion &R : Unit.Regions)
    Regions.push_back(json::Object{{"where", toJson(R.Where)},
                                   {"end", R.EndLine},
                                   {"function", R.Function},
                                   {"procedure", R.Procedure},
                                   {"work", R.Work},
                                   {"remedy", R.Remedy},
                                   {"arrays", R.Arrays},
                                   {"loops", R.Loops},
                                   {"loop", placeOrNull(R.Loop)},
                                   {"silenced", R.Silenced}});
  for (const BorderCall &C : Unit.Calls)
    Calls.push_back(json::Object{{"callee", C.Callee},
                                 {"caller", C.Caller},
                                 {"loops", C.Loops},
                                 {"loop", placeOrNull(C.Loop)},
                                 {"team", C.InTeam}});
  return json::Object{{"file", Unit.File},
                      {"defined", std::move(Defined)},
                      {"regions", std::move(Regions)},
                      {"calls", std::move(Calls)}};
}

UnitBorders unitBordersFromJson(const stored::Value &V) {
  UnitBorders Unit;
  const stored::Object *O = V.getAsObject();
  if (!O)
    return Unit;
  Unit.File = stringOf(*O, "file");
  if (const stored::Array *Names = O->getArray("defined"))
    for (const stored::Value &Name : *Names)
      Unit.Defined.push_back(Name.getAsString().value_or("").str());
  forEach(*O, "regions", [&](const stored::Object &R) {
    const stored::Value *Where = R.get("where");
    if (const std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt)
      Unit.Regions.push_back({*P, numberOf(R, "end"), stringOf(R, "function"), stringOf(R, "procedure"),
                              stringOf(R, "work"), stringOf(R, "remedy"), numberOf(R, "arrays"), numberOf(R, "loops"),
                              placeOf(R, "loop"), R.getBoolean("silenced").value_or(false)});
  });
  forEach(*O, "calls", [&](const stored::Object &C) {
    Unit.Calls.push_back({stringOf(C, "callee"), stringOf(C, "caller"), numberOf(C, "loops"), placeOf(C, "loop"),
                          C.getBoolean("team").value_or(false)});
  });
  return Unit;
}

} // namespace stridewise
