#include "checks/omp-shared-counter/StaticRaces.h"
#include "unit/Meter.h"
#include <map>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

struct Way {
  const Place *Region = nullptr;
  bool Sure = false;
};

// The procedures that teams run, each with a region from which it is called, if possible without a condition.
std::map<std::string, Way> teamProcedures(ArrayRef<const UnitStatics *> Units) {
  std::map<std::string, std::set<std::string>> Definitions;
  std::map<std::string, std::vector<const StaticCall *>> Outside; // of regions, by caller
  std::vector<std::pair<std::string, Way>> Work;
  for (const UnitStatics *U : Units) {
    for (const std::string &Name : U->Defined)
      Definitions[Name].insert(U->File);
    for (const StaticCall &C : U->Calls)
      if (C.Region)
        Work.push_back({C.Callee, {&*C.Region, C.Sure}});
      else
        Outside[C.Caller].push_back(&C);
  }
  std::map<std::string, Way> Out;
  while (!Work.empty()) {
    const auto [Name, Here] = Work.back();
    Work.pop_back();
    Meter::count();
    const auto It = Definitions.find(Name);
    if (It == Definitions.end() || It->second.size() > 1)
      continue;
    auto [Known, New] = Out.try_emplace(Name, Here);
    if (!New && (Known->second.Sure || !Here.Sure))
      continue;
    Known->second = Here;
    for (const StaticCall *C : Outside[Name])
      Work.push_back({C->Callee, {Here.Region, Here.Sure && C->Sure}});
  }
  return Out;
}

std::string stringOf(const stored::Object &O, StringRef Name) { return O.getString(Name).value_or("").str(); }

std::optional<Place> placeIn(const stored::Object &O, StringRef Name) {
  const stored::Value *V = O.get(Name);
  return V && V->getAsObject() ? placeFromJson(*V) : std::nullopt;
}

template <typename Take> void forEach(const stored::Object &O, StringRef Name, Take T) {
  if (const stored::Array *All = O.getArray(Name))
    for (const stored::Value &V : *All)
      T(V);
}

json::Array strings(ArrayRef<std::string> All) {
  json::Array Out;
  for (const std::string &S : All)
    Out.push_back(S);
  return Out;
}

} // namespace

std::vector<ReachedRace> reachedRaces(ArrayRef<const UnitStatics *> Units) {
  const std::map<std::string, Way> Run = teamProcedures(Units);
  std::set<std::string> Shared;
  for (const UnitStatics *U : Units)
    Shared.insert(U->Shared.begin(), U->Shared.end());
  std::vector<ReachedRace> Out;
  for (const UnitStatics *U : Units)
    for (const StaticRace &R : U->Races)
      if (const auto It = Run.find(R.Procedure);
          It != Run.end() && (R.Module.empty() || Shared.count(R.Module + "%" + R.Variable)))
        Out.push_back({&R, *It->second.Region, R.Sure && It->second.Sure});
  return Out;
}

json::Value toJson(const UnitStatics &Unit) {
  if (Unit.Defined.empty() && Unit.Shared.empty() && Unit.Calls.empty())
    return nullptr;
  json::Array Races, Calls;
  for (const StaticRace &R : Unit.Races)
    Races.push_back(json::Object{{"procedure", R.Procedure},
                                 {"function", R.Function},
                                 {"variable", R.Variable},
                                 {"module", R.Module},
                                 {"kind", int(R.K)},
                                 {"sure", R.Sure},
                                 {"where", toJson(R.Where)},
                                 {"end", R.EndLine},
                                 {"silenced", R.Silenced}});
  for (const StaticCall &C : Unit.Calls)
    Calls.push_back(json::Object{{"callee", C.Callee},
                                 {"caller", C.Caller},
                                 {"region", C.Region ? toJson(*C.Region) : json::Value(nullptr)},
                                 {"sure", C.Sure}});
  return json::Object{{"file", Unit.File},
                      {"defined", strings(Unit.Defined)},
                      {"shared", strings(Unit.Shared)},
                      {"races", std::move(Races)},
                      {"calls", std::move(Calls)}};
}

UnitStatics unitStaticsFromJson(const stored::Value &V) {
  UnitStatics Unit;
  const stored::Object *O = V.getAsObject();
  if (!O)
    return Unit;
  Unit.File = stringOf(*O, "file");
  forEach(*O, "defined", [&](const stored::Value &S) { Unit.Defined.push_back(S.getAsString().value_or("").str()); });
  forEach(*O, "shared", [&](const stored::Value &S) { Unit.Shared.push_back(S.getAsString().value_or("").str()); });
  forEach(*O, "races", [&](const stored::Value &Each) {
    const stored::Object *R = Each.getAsObject();
    const std::optional<Place> Where = R ? placeIn(*R, "where") : std::nullopt;
    if (Where)
      Unit.Races.push_back({stringOf(*R, "procedure"), stringOf(*R, "function"), stringOf(*R, "variable"),
                            stringOf(*R, "module"), StaticRace::Kind(R->getInteger("kind").value_or(0)),
                            R->getBoolean("sure").value_or(false), *Where, unsigned(R->getInteger("end").value_or(0)),
                            R->getBoolean("silenced").value_or(false)});
  });
  forEach(*O, "calls", [&](const stored::Value &Each) {
    if (const stored::Object *C = Each.getAsObject())
      Unit.Calls.push_back({stringOf(*C, "callee"), stringOf(*C, "caller"), placeIn(*C, "region"),
                            C->getBoolean("sure").value_or(false)});
  });
  return Unit;
}

} // namespace stridewise
