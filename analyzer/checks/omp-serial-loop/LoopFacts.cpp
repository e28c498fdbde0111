#include "checks/omp-serial-loop/LoopFacts.h"
#include "thresholds.h"
#include "unit/Meter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

namespace json = llvm::json;
using llvm::StringRef;

namespace stridewise {
namespace {

constexpr unsigned MaxCallDepth = 3; // callers of callers, and callees of callees
constexpr std::int64_t PointerBytes = sizeof(void *);
constexpr std::size_t MaxUses = 400; // of a function with all that it calls
enum { Elsewhere = -1 };             // of steps: some loop of a caller or callee
using limits::omp_serial_loop::RimShare;

// --- keys in a caller's terms ----------------------------------------------------------------------------------------

// "+8" at the end of a key; 0 where there is none.
std::int64_t takeOffset(std::string &Key) {
  const std::size_t Plus = Key.find_last_of("+>");
  std::int64_t Offset = 0;
  if (Plus == std::string::npos || Key[Plus] == '>' || StringRef(Key).drop_front(Plus + 1).getAsInteger(10, Offset))
    return 0;
  Key.resize(Plus);
  return Offset;
}

// The key with the argument that it begins with replaced; nothing where the caller does not say what that is, or where
// it names what the callee alone knows.
std::optional<std::string> inCaller(StringRef Key, const CallFact &Call) {
  if (Key.starts_with("g") || Key.starts_with("#"))
    return Key.str();
  if (!Key.consume_front("a"))
    return std::nullopt;
  unsigned Number = 0;
  if (Key.consumeInteger(10, Number) || Number >= Call.Arguments.size() || Call.Arguments[Number].empty())
    return std::nullopt;
  std::string Base = Call.Arguments[Number];
  if (Key.starts_with("+")) {
    std::int64_t Own = 0;
    Key = Key.drop_front();
    if (Key.consumeInteger(10, Own))
      return std::nullopt;
    if (const std::int64_t Offset = takeOffset(Base) + Own)
      Base += "+" + std::to_string(Offset);
  }
  return Base + Key.str();
}

std::string arrayKey(std::string Key) {
  takeOffset(Key);
  return Key;
}

std::optional<ArrayUse> inCaller(const ArrayUse &Use, const CallFact &Call) {
  std::optional<std::string> Key = inCaller(Use.Key, Call);
  if (!Key)
    return std::nullopt;
  ArrayUse Out = Use;
  Out.Key = arrayKey(*Key);
  Out.Own = false;
  Out.Steps = Call.Steps;
  for (StepLoop &Step : Out.Steps)
    Step.Order += Use.Order;
  Out.Order = Call.Order + Use.Order;
  if (!Use.Steps.empty() && !Call.Rare)
    Out.Steps.push_back({Elsewhere, Out.Order});
  Out.Sizes.clear();
  for (const std::string &Size : Use.Sizes)
    if (std::optional<std::string> S = inCaller(Size, Call))
      Out.Sizes.push_back(*S);
    else
      ++Out.Unknown;
  llvm::sort(Out.Sizes);
  return Out;
}

// Whether a number is an extent of the array, by its own descriptor.
bool isOwnExtent(StringRef Size, const ArrayUse &Use) {
  StringRef Descriptor = Use.Key;
  return Descriptor.consume_back(">") && Size.consume_front(Descriptor) && Size.starts_with("+");
}

// Whether a number tells where the array ends: the pointer to it itself, and what is kept right behind that, as in a
// container of the standard library or in a record of a pointer and a length.
bool isOwnEnd(std::string Size, std::string Array) {
  if (Size == Array)
    return true;
  if (!StringRef(Size).ends_with(">") || !StringRef(Array).ends_with(">"))
    return false;
  Size.pop_back();
  Array.pop_back();
  const std::int64_t Behind = takeOffset(Size) - takeOffset(Array);
  return Size == Array && Behind == PointerBytes;
}
bool isWhole(const ArrayUse &Use) {
  return !Use.Sizes.empty() && !Use.Unknown &&
         llvm::all_of(Use.Sizes, [&](const std::string &Size) { return isOwnEnd(Size, Use.Key); });
}

// An operation on whole arrays: over all extents of the array, by its own descriptor.
bool hasItsExtents(const ArrayUse &Serial, const ArrayUse &Team) {
  return Serial.Dims >= Team.Dims && !Serial.Unknown && Serial.Sizes.size() == Serial.Dims &&
         llvm::all_of(Serial.Sizes, [&](const std::string &Size) { return isOwnExtent(Size, Serial); });
}

// Whether a loop goes over about as many elements of the array as the team's does, or over all that it has.
bool covers(const ArrayUse &Serial, const ArrayUse &Team) {
  if (Serial.Key != Team.Key)
    return false;
  if (isWhole(Serial) || hasItsExtents(Serial, Team))
    return true;
  return Serial.Dims >= Team.Dims && !Team.Unknown && Serial.Long * RimShare >= Team.Long &&
         llvm::all_of(Team.Sizes, [&](const std::string &Size) {
           return llvm::is_contained(Serial.Sizes, Size) ||
                  (isOwnExtent(Size, Team) && Serial.Elements > Team.Elements);
         });
}

class Search {
public:
  explicit Search(llvm::ArrayRef<const UnitLoops *> Program) {
    for (const UnitLoops *U : Program)
      for (const FunctionLoops &F : U->Functions)
        Functions.try_emplace(F.Name, &F);
    for (const auto &[Name, F] : Functions)
      for (const CallFact &C : F->Calls) {
        Callers[C.Callee].emplace_back(F, &C);
        if (C.InTeam)
          reach(C.Callee, InTeam);
        if (!C.Rare && !C.Steps.empty())
          reach(C.Callee, Again);
      }
    for (const auto &[Name, F] : Functions)
      for (const ArrayUse &U : F->Shared)
        if (StringRef(U.Key).starts_with("g") && isRepeated(*F, U))
          Globals[U.Key].push_back(&U);
  }

  std::vector<SerialShare> find() {
    std::map<std::pair<std::string, std::pair<unsigned, unsigned>>, SerialShare> Found;
    std::set<std::pair<std::string, std::pair<unsigned, unsigned>>> Refused;
    for (const auto &[Name, F] : Functions)
      for (const SerialLoop &L : F->Serial) {
        const auto Where = std::pair(L.Where.File, std::pair(L.Where.Line, L.Where.Column));
        // A team that runs it already shares out its calls.
        if (F->InTeam || InTeam.contains(Name)) {
          Refused.insert(Where);
          continue;
        }
        std::optional<SerialShare> Share = shareOf(*F, L);
        auto It = Found.find(Where);
        if (Share && (It == Found.end() || (It->second.Steps < 0 && Share->Steps >= 0)))
          Found.insert_or_assign(Where, *Share);
      }
    std::vector<SerialShare> Out;
    for (auto &[Where, Share] : Found)
      if (!Refused.contains(Where))
        Out.push_back(Share);
    return Out;
  }

private:
  void reach(const std::string &Name, std::set<std::string> &Into) {
    std::vector<std::string> Work{Name};
    while (!Work.empty()) {
      const std::string Next = std::move(Work.back());
      Work.pop_back();
      if (!Into.insert(Next).second)
        continue;
      if (auto It = Functions.find(Next); It != Functions.end())
        for (const CallFact &C : It->second->Calls)
          if (!C.Rare || &Into == &InTeam)
            Work.push_back(C.Callee);
    }
  }
  bool isRepeated(const FunctionLoops &F, const ArrayUse &U) const {
    return !U.Steps.empty() || Again.contains(F.Name);
  }

  // What the function's team loops use, and those of what it calls.
  const std::vector<ArrayUse> &uses(const FunctionLoops &F, unsigned Depth = MaxCallDepth) {
    auto [It, New] = Known.try_emplace({&F, Depth});
    if (!New)
      return It->second;
    std::vector<ArrayUse> Uses = F.Shared;
    if (Depth)
      for (const CallFact &C : F.Calls) {
        auto Callee = Functions.find(C.Callee);
        if (Callee == Functions.end() || C.Rare || Callee->second == &F)
          continue;
        for (const ArrayUse &U : uses(*Callee->second, Depth - 1)) {
          Meter::count();
          if (std::optional<ArrayUse> Here = inCaller(U, C); Here && Uses.size() < MaxUses)
            Uses.push_back(std::move(*Here));
        }
      }
    return Known[{&F, Depth}] = std::move(Uses);
  }

  static const StepLoop *stepOf(const ArrayUse &Use, int Number) {
    const auto It = llvm::find_if(Use.Steps, [&](const StepLoop &S) { return S.Number == Number; });
    return It == Use.Steps.end() || Number == Elsewhere ? nullptr : &*It;
  }
  // The innermost loop around both.
  static const StepLoop *commonStep(const ArrayUse &A, const ArrayUse &B) {
    for (const StepLoop &Step : A.Steps)
      if (stepOf(B, Step.Number))
        return &Step;
    return nullptr;
  }

  // A loop over all elements that an array has goes over as many dimensions as others make of it.
  static int hiddenDims(const ArrayUse &Own, llvm::ArrayRef<ArrayUse> Team) {
    unsigned Dims = Own.Dims;
    for (const ArrayUse &U : Team)
      if (U.Key == Own.Key && isWhole(Own))
        Dims = std::max(Dims, U.Dims);
    return static_cast<int>(Dims - Own.Dims);
  }
  // A team's loops that are deeper make a plain loop beside them a small matter; those over other arrays, of which
  // nobody knows how long they are in one more dimension, when they are much deeper, or deeper by a loop that repeats
  // them.
  static bool isMinor(const SerialLoop &L, const ArrayUse &Own, const StepLoop *Step, const ArrayUse &Beside,
                      llvm::ArrayRef<ArrayUse> Team) {
    const int Hidden = hiddenDims(Own, Team);
    return isMinor(L, Own, Step, Beside, Hidden) || isMinor(L, Own, Step, Team, 1 + Hidden);
  }
  static bool isMinor(const SerialLoop &L, const ArrayUse &Own, const StepLoop *Step, llvm::ArrayRef<ArrayUse> Team,
                      int Deeper) {
    return !L.Heavy && llvm::any_of(Team, [&](const ArrayUse &U) {
      const StepLoop *Its = Step ? stepOf(U, Step->Number) : nullptr;
      if (Step && !Its)
        return false;
      const int Theirs = Its ? Its->Order : U.Order, Ours = Step ? Step->Order : Own.Order;
      const bool Repeats = llvm::any_of(U.Steps, [&](const StepLoop &S) { return !Its || S.Order < Its->Order; });
      return Theirs > Ours + (Repeats ? 0 : Deeper) ||
             (Theirs == Ours && U.Elements >= limits::omp_serial_loop::MinorRatio * std::max(L.Elements, Own.Elements));
    });
  }

  // A table of pointers, through which the loop goes on to rows of elements: of these, who goes over the table may
  // touch few.
  static bool isTable(const ArrayUse &U, llvm::ArrayRef<ArrayUse> Team) {
    return llvm::any_of(Team, [&](const ArrayUse &Row) {
      return Row.Line == U.Line && Row.File == U.File && Row.Dims > U.Dims && Row.Key.size() > U.Key.size() &&
             StringRef(Row.Key).starts_with(U.Key);
    });
  }
  // Again and again over what the team's loop goes over once.
  static bool runsMoreOften(const ArrayUse &Own, const ArrayUse &Team) {
    return Team.Steps.empty() &&
           llvm::any_of(Own.Steps, [&](const StepLoop &Step) { return Own.Order > Step.Order; }) &&
           Own.Order > Team.Order;
  }

  std::optional<SerialShare> beside(const FunctionLoops &F, const SerialLoop &L, const ArrayUse &Own) {
    const std::vector<ArrayUse> &Team = uses(F);
    std::optional<SerialShare> Best;
    for (const ArrayUse &U : Team) {
      Meter::count();
      if (!covers(Own, U) || isTable(U, Team) || llvm::is_contained(L.Otherwise, placeOf(U)))
        continue;
      const StepLoop *Step = commonStep(Own, U);
      if ((!Step && !Again.contains(F.Name) && !runsMoreOften(Own, U)) || isMinor(L, Own, Step, U, Team))
        continue;
      if (!Best || (Best->Steps < 0 && Step))
        Best = SerialShare{&L, nullptr, U, Step ? Step->Number : Elsewhere};
    }
    return Best;
  }

  std::optional<SerialShare> through(const FunctionLoops &F, const SerialLoop &L, const ArrayUse &Own, unsigned Depth) {
    if (std::optional<SerialShare> Here = beside(F, L, Own))
      return Here;
    if (Depth)
      for (const auto &[Caller, Call] : Callers[F.Name]) {
        if (Call->Rare || Caller == &F)
          continue;
        std::optional<ArrayUse> There = inCaller(Own, *Call);
        if (!There)
          continue;
        if (std::optional<SerialShare> Share = through(*Caller, L, *There, Depth - 1)) {
          Share->Steps = Elsewhere;
          return Share;
        }
      }
    return std::nullopt;
  }

  std::optional<SerialShare> shareOf(const FunctionLoops &F, const SerialLoop &L) {
    std::optional<SerialShare> Best;
    for (const ArrayUse &Own : L.Uses) {
      std::optional<SerialShare> Share = through(F, L, Own, MaxCallDepth);
      if (!Share && Again.contains(F.Name))
        for (const ArrayUse *U : Globals[Own.Key])
          if (covers(Own, *U) && !isMinor(L, Own, nullptr, *U, uses(F))) {
            Share = SerialShare{&L, nullptr, *U, Elsewhere};
            break;
          }
      if (!Share || (Best && (Best->Steps >= 0 || Share->Steps < 0)))
        continue;
      Share->Own = &Own;
      Best = Share;
    }
    return Best;
  }

  std::map<std::string, const FunctionLoops *> Functions;
  std::map<std::string, std::vector<std::pair<const FunctionLoops *, const CallFact *>>> Callers;
  std::map<std::string, std::vector<const ArrayUse *>> Globals;
  std::set<std::string> InTeam, Again;
  std::map<std::pair<const FunctionLoops *, unsigned>, std::vector<ArrayUse>> Known;
};

// --- as units keep them ----------------------------------------------------------------------------------------------

template <typename T> json::Array listOf(const std::vector<T> &V) {
  json::Array A;
  for (const T &X : V)
    A.push_back(X);
  return A;
}
std::vector<std::string> strings(const stored::Array *A) {
  std::vector<std::string> Out;
  if (A)
    for (const stored::Value &X : *A)
      Out.push_back(X.getAsString().value_or("").str());
  return Out;
}
// Pairs of a number and an order, one behind the other.
std::vector<StepLoop> steps(const stored::Array *A) {
  std::vector<StepLoop> Out;
  for (std::size_t K = 0; A && K + 1 < A->size(); K += 2)
    Out.push_back({static_cast<int>((*A)[K].getAsInteger().value_or(0)),
                   static_cast<int>((*A)[K + 1].getAsInteger().value_or(0))});
  return Out;
}
json::Array listOf(const std::vector<StepLoop> &Steps) {
  json::Array A;
  for (const StepLoop &S : Steps) {
    A.push_back(S.Number);
    A.push_back(S.Order);
  }
  return A;
}

json::Object toJson(const ArrayUse &U) {
  return json::Object{
      {"key", U.Key},   {"sizes", listOf(U.Sizes)}, {"elements", U.Elements}, {"long", U.Long}, {"unknown", U.Unknown},
      {"dims", U.Dims}, {"steps", listOf(U.Steps)}, {"name", U.Name},         {"file", U.File}, {"line", U.Line},
      {"own", U.Own},   {"order", U.Order}};
}
ArrayUse useFromJson(const stored::Object &O) {
  ArrayUse U;
  U.Key = O.getString("key").value_or("").str();
  U.Sizes = strings(O.getArray("sizes"));
  U.Elements = O.getNumber("elements").value_or(1);
  U.Long = O.getNumber("long").value_or(1);
  U.Unknown = O.getInteger("unknown").value_or(0);
  U.Dims = O.getInteger("dims").value_or(0);
  U.Steps = steps(O.getArray("steps"));
  U.Name = O.getString("name").value_or("").str();
  U.File = O.getString("file").value_or("").str();
  U.Line = O.getInteger("line").value_or(0);
  U.Order = O.getInteger("order").value_or(0);
  U.Own = O.getBoolean("own").value_or(true);
  return U;
}
std::vector<ArrayUse> usesFromJson(const stored::Array *A) {
  std::vector<ArrayUse> Out;
  if (A)
    for (const stored::Value &X : *A)
      if (const stored::Object *O = X.getAsObject())
        Out.push_back(useFromJson(*O));
  return Out;
}
json::Array toJson(const std::vector<ArrayUse> &V) {
  json::Array A;
  for (const ArrayUse &U : V)
    A.push_back(toJson(U));
  return A;
}

json::Object toJson(const SerialLoop &L) {
  json::Object Args;
  for (const auto &[Name, Value] : L.Args)
    if (const auto *Text = std::get_if<std::string>(&Value))
      Args[Name] = *Text;
    else if (const auto *Number = std::get_if<std::int64_t>(&Value))
      Args[Name] = *Number;
  json::Object O{
      {"where", toJson(L.Where)}, {"number", L.Number}, {"uses", toJson(L.Uses)},           {"elements", L.Elements},
      {"function", L.Function},   {"own", L.Own},       {"otherwise", listOf(L.Otherwise)}, {"sums", L.Sums},
      {"scatters", L.Scatters},   {"heavy", L.Heavy},   {"args", std::move(Args)},          {"silenced", L.Silenced}};
  if (L.Change)
    O["fix"] = toJson(*L.Change);
  return O;
}
SerialLoop serialFromJson(const stored::Object &O) {
  SerialLoop L;
  if (const stored::Value *V = O.get("where"))
    L.Where = placeFromJson(*V).value_or(Place());
  L.Number = O.getInteger("number").value_or(0);
  L.Uses = usesFromJson(O.getArray("uses"));
  L.Otherwise = strings(O.getArray("otherwise"));
  L.Elements = O.getNumber("elements").value_or(1);
  L.Function = O.getString("function").value_or("").str();
  L.Own = O.getBoolean("own").value_or(true);
  L.Sums = O.getBoolean("sums").value_or(false);
  L.Scatters = O.getBoolean("scatters").value_or(false);
  L.Heavy = O.getBoolean("heavy").value_or(false);
  L.Silenced = O.getBoolean("silenced").value_or(false);
  if (const stored::Value *V = O.get("fix"))
    L.Change = fixFromJson(*V);
  if (const stored::Object *Args = O.getObject("args"))
    for (StringRef Name : {"remedy", "nanoseconds"}) {
      if (auto Text = Args->getString(Name))
        L.Args[Name.str()] = Text->str();
      else if (auto Number = Args->getInteger(Name))
        L.Args[Name.str()] = *Number;
    }
  return L;
}

CallFact callFromJson(const stored::Object &O) {
  CallFact C;
  C.Callee = O.getString("callee").value_or("").str();
  C.Arguments = strings(O.getArray("arguments"));
  C.Steps = steps(O.getArray("steps"));
  C.Order = O.getInteger("order").value_or(0);
  C.Rare = O.getBoolean("rare").value_or(false);
  C.InTeam = O.getBoolean("in_team").value_or(false);
  return C;
}

template <typename T> void each(const stored::Array *A, T Take) {
  if (A)
    for (const stored::Value &X : *A)
      if (const stored::Object *O = X.getAsObject())
        Take(*O);
}

} // namespace

json::Value toJson(const UnitLoops &U) {
  json::Array Functions;
  for (const FunctionLoops &F : U.Functions) {
    json::Array Calls, Serial;
    for (const CallFact &C : F.Calls)
      Calls.push_back(json::Object{{"callee", C.Callee},
                                   {"arguments", listOf(C.Arguments)},
                                   {"steps", listOf(C.Steps)},
                                   {"order", C.Order},
                                   {"rare", C.Rare},
                                   {"in_team", C.InTeam}});
    for (const SerialLoop &L : F.Serial)
      Serial.push_back(toJson(L));
    Functions.push_back(json::Object{{"name", F.Name},
                                     {"in_team", F.InTeam},
                                     {"shared", toJson(F.Shared)},
                                     {"calls", std::move(Calls)},
                                     {"serial", std::move(Serial)}});
  }
  return Functions.empty() ? json::Value(nullptr) : json::Value(std::move(Functions));
}

UnitLoops unitLoopsFromJson(const stored::Value &V) {
  UnitLoops U;
  each(V.getAsArray(), [&](const stored::Object &O) {
    FunctionLoops F;
    F.Name = O.getString("name").value_or("").str();
    F.InTeam = O.getBoolean("in_team").value_or(false);
    F.Shared = usesFromJson(O.getArray("shared"));
    each(O.getArray("calls"), [&](const stored::Object &X) { F.Calls.push_back(callFromJson(X)); });
    each(O.getArray("serial"), [&](const stored::Object &X) { F.Serial.push_back(serialFromJson(X)); });
    U.Functions.push_back(std::move(F));
  });
  return U;
}

std::string placeOf(const ArrayUse &Use) { return Use.File + ":" + std::to_string(Use.Line); }

std::vector<SerialShare> serialShares(llvm::ArrayRef<const UnitLoops *> Program) { return Search(Program).find(); }

} // namespace stridewise
