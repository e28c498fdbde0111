#include "checks/omp-shared-counter/HandedScratch.h"
#include "checks/omp-shared-counter/RegionUpdates.h"
#include "unit/Meter.h"

using namespace llvm;

namespace stridewise {
namespace {

using Functions = std::map<std::string, const std::map<unsigned, ArgumentUse> *>;

// What a function of the program does, with what it hands the argument on to.
ArgumentUse wholeUse(const Functions &All, const HandedOn &To, unsigned Depth) {
  ArgumentUse Out;
  const auto It = All.find(To.Function);
  Meter::count();
  if (It == All.end() || !It->second || Depth > DeepestSharedCall)
    return Out;
  const auto Use = It->second->find(To.Number);
  if (Use == It->second->end())
    return Out;
  Out.join(Use->second, To.Sure);
  Out.On.clear();
  for (const HandedOn &Next : Use->second.On)
    Out.join(wholeUse(All, Next, Depth + 1), To.Sure);
  return Out;
}

json::Array toJson(ArrayRef<HandedOn> All) {
  json::Array Out;
  for (const HandedOn &Each : All)
    Out.push_back(json::Object{{"function", Each.Function}, {"number", Each.Number}, {"sure", Each.Sure}});
  return Out;
}

std::vector<HandedOn> handedOnFrom(const stored::Object &O) {
  std::vector<HandedOn> Out;
  if (const stored::Array *All = O.getArray("on"))
    for (const stored::Value &Each : *All)
      if (const stored::Object *On = Each.getAsObject())
        Out.push_back({On->getString("function").value_or("").str(), unsigned(On->getInteger("number").value_or(0)),
                       On->getBoolean("sure").value_or(false)});
  return Out;
}

std::string stringOf(const stored::Object &O, StringRef Name) { return O.getString(Name).value_or("").str(); }
bool flagOf(const stored::Object &O, StringRef Name) { return O.getBoolean(Name).value_or(false); }

std::optional<Place> placeOf(const stored::Object &O, StringRef Name) {
  const stored::Value *V = O.get(Name);
  return V ? placeFromJson(*V) : std::nullopt;
}

} // namespace

std::vector<std::pair<const HandedCall *, bool>> handedRaces(ArrayRef<UnitHanded> Units) {
  Functions All;
  for (const UnitHanded &U : Units)
    for (const auto &[Name, Uses] : U.Functions)
      if (auto [It, New] = All.try_emplace(Name, &Uses); !New)
        It->second = nullptr;
  std::vector<std::pair<const HandedCall *, bool>> Out;
  for (const UnitHanded &U : Units)
    for (const HandedCall &C : U.Calls) {
      ArgumentUse Use;
      for (const HandedOn &To : C.On)
        Use.join(wholeUse(All, To, 0), true);
      if (Use.Sets && (C.Read || Use.Reads))
        Out.push_back({&C, C.Sure && Use.Sure});
    }
  return Out;
}

json::Object toJson(const UnitHanded &Unit) {
  json::Array Calls, Uses;
  for (const HandedCall &C : Unit.Calls)
    Calls.push_back(json::Object{{"where", toJson(C.Where)},
                                 {"region", toJson(C.Region)},
                                 {"caller", C.Function},
                                 {"variable", C.Variable},
                                 {"remedy", C.Remedy},
                                 {"sure", C.Sure},
                                 {"read", C.Read},
                                 {"silenced", C.Silenced},
                                 {"on", toJson(C.On)}});
  for (const auto &[Name, Parameters] : Unit.Functions)
    for (const auto &[Number, Use] : Parameters)
      Uses.push_back(json::Object{{"name", Name},
                                  {"number", Number},
                                  {"sets", Use.Sets},
                                  {"sure", Use.Sure},
                                  {"reads", Use.Reads},
                                  {"on", toJson(Use.On)}});
  return json::Object{{"handed", std::move(Calls)}, {"uses", std::move(Uses)}};
}

UnitHanded unitHandedFromJson(const stored::Value &V) {
  UnitHanded Unit;
  const stored::Object *O = V.getAsObject();
  const stored::Array *Calls = O ? O->getArray("handed") : nullptr, *Uses = O ? O->getArray("uses") : nullptr;
  if (!Calls || !Uses)
    return Unit;
  for (const stored::Value &Each : *Calls) {
    const stored::Object *C = Each.getAsObject();
    const std::optional<Place> Where = C ? placeOf(*C, "where") : std::nullopt;
    const std::optional<Place> Region = C ? placeOf(*C, "region") : std::nullopt;
    if (Where && Region)
      Unit.Calls.push_back({*Where, *Region, stringOf(*C, "caller"), stringOf(*C, "variable"), stringOf(*C, "remedy"),
                            flagOf(*C, "sure"), flagOf(*C, "read"), flagOf(*C, "silenced"), handedOnFrom(*C)});
  }
  for (const stored::Value &Each : *Uses)
    if (const stored::Object *F = Each.getAsObject())
      Unit.Functions[stringOf(*F, "name")][unsigned(F->getInteger("number").value_or(0))] = {
          flagOf(*F, "sets"), flagOf(*F, "sure"), flagOf(*F, "reads"), handedOnFrom(*F)};
  return Unit;
}

} // namespace stridewise
