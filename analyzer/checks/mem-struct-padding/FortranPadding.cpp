#include "checks/mem-struct-padding/FortranPadding.h"
#include "fortran/Constructs.h"
#include "fortran/DerivedTypes.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "loops/CallHeat.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include <map>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mem-struct-padding";

// The components by falling alignment, in their order else, and the bytes of a record then.
std::pair<std::string, std::uint64_t> bestOrder(const DerivedType &T) {
  std::vector<FortranComponent> Best = T.Components;
  sort(Best, [](const auto &A, const auto &B) {
    return std::make_pair(B.Alignment, A.Begin) < std::make_pair(A.Alignment, B.Begin);
  });
  std::string Names;
  std::uint64_t Bytes = 0;
  for (const FortranComponent &C : Best) {
    Names += (Names.empty() ? "" : ", ") + C.Name;
    Bytes = alignTo(Bytes, C.Alignment) + C.Bytes;
  }
  return {Names, alignTo(Bytes, Best.front().Alignment)};
}

// The number of elements of an array; 0 where only the run knows it.
std::int64_t elementsOf(const FortranEntity &E, unsigned Statement, const FortranNames &Names) {
  std::int64_t All = 1;
  for (StringRef Dimension : fortranList(E.Dimensions)) {
    const std::optional<std::int64_t> Extent = Names.extent(Statement, Dimension);
    if (!Extent)
      return 0;
    All *= *Extent;
  }
  return All;
}

// Arrays of derived types: name of the type, where, and how many elements; -1 for those that callers hand over.
json::Array arraysOf(Unit &U) {
  json::Array Out;
  const FortranNames &Names = fortranNames(U);
  const clang::SourceManager &SM = U.sources();
  for (const FortranProcedure &P : fortranProcedures(U).all())
    for (const auto &Named : P.Names) {
      Meter::count();
      const FortranEntity &E = Named.second;
      StringRef Type = E.Type;
      if (!E.isArray() || !Type.consume_front("type(") || !Type.consume_back(")") || !E.Line)
        continue;
      const clang::SourceLocation At = SM.translateLineCol(SM.getMainFileID(), E.Line, 1);
      Out.push_back(json::Object{{"type", Type.str()},
                                 {"name", Named.getKey().str()},
                                 {"elements", E.Argument ? -1 : elementsOf(E, P.First, Names)},
                                 {"place", toJson(placeOf(U.ast(), {At, At}))}});
    }
  return Out;
}

// The procedures with loops that name a component so, by the types that have it.
class Users {
public:
  explicit Users(Unit &U) : Text(fortranText(U)), Procedures(fortranProcedures(U)) {
    for (const auto &[Procedure, Name] : fortranCalls(U).Names)
      ByLine[Procedure->getLine()] = Name;
  }

  void add(const DerivedType &T) {
    for (const FortranComponent &C : T.Components)
      Types[C.Name].push_back(T.Symbol);
  }

  json::Array of(const std::string &Symbol) {
    if (Found.empty())
      find();
    json::Array Out;
    for (const std::string &Procedure : Found[Symbol])
      Out.push_back(Procedure);
    return Out;
  }

private:
  void find() {
    for (unsigned K = 0; K < Text.statements().size(); ++K) {
      Meter::count();
      const StringRef Statement = Text.statements()[K].Text;
      if (!Statement.contains('%') || Procedures.of(K) < 0 || !isInLoop(K))
        continue;
      SmallVector<StringRef, 8> Parts;
      Statement.split(Parts, '%');
      for (StringRef Part : drop_begin(Parts))
        if (const auto It = Types.find(Part.take_while([](char C) { return isAlnum(C) || C == '_'; }));
            It != Types.end())
          for (const std::string &Symbol : It->second)
            Found[Symbol].insert(nameOf(Procedures.all()[Procedures.of(K)]));
    }
  }

  std::string nameOf(const FortranProcedure &P) const {
    const auto It = ByLine.find(Text.statements()[P.First].Line);
    return P.K == FortranProcedure::Program || It == ByLine.end() ? "main" : It->second;
  }

  bool isInLoop(unsigned K) const {
    for (int B = Procedures.blockOf(K); B >= 0; B = Procedures.blocks()[B].Parent)
      if (Procedures.blocks()[B].K == FortranBlock::Loop)
        return true;
    return false;
  }

  const FortranText &Text;
  const FortranProcedures &Procedures;
  std::map<unsigned, std::string> ByLine; // procedures, as calls name them
  StringMap<std::vector<std::string>> Types;
  std::map<std::string, std::set<std::string>> Found;
};

struct KnownType {
  const stored::Object *Layout = nullptr;
  std::optional<Place> Declared, Array;
  std::string ArrayName;
  bool Silenced = false, HasOrder = false, Many = false;
  bool Walked = false;       // by what does not run once
  std::int64_t Elements = 0; // of the largest array; 0 where one's length is only known to the run
};

// Of arrays, one that the program makes counts more than one that a procedure is handed, and a longer one more.
void takeArray(KnownType &T, const stored::Object &O) {
  const std::int64_t Elements = O.getInteger("elements").value_or(0);
  const bool Many = Elements >= 0, IsFirst = !T.Array;
  const bool Longer = Elements == 0 || (T.Elements > 0 && Elements > T.Elements);
  if (IsFirst || (Many && (!T.Many || Longer))) {
    T.Elements = std::max<std::int64_t>(Elements, 0);
    const stored::Value *Where = O.get("place");
    T.Array = Where ? placeFromJson(*Where) : std::nullopt;
    T.ArrayName = O.getString("name").value_or("").str();
  }
  T.Many |= Many;
}

void report(const KnownType &T, const stored::Object &Limits, LinkReporter &R) {
  const auto Limit = [&](StringRef Name) { return Limits.getNumber(Name).value_or(0); };
  const double Saved = T.Layout->getNumber("saved").value_or(0);
  if (!T.Declared || !T.Array || T.Silenced || T.HasOrder || (T.Elements > 0 && T.Elements * Saved < Limit("total")))
    return;
  LinkFinding F;
  F.Rule = Slug;
  const bool IsSure = T.Walked && T.Layout->getBoolean("sure").value_or(false);
  F.Conf = !IsSure ? Confidence::Low : T.Many ? Confidence::High : Confidence::Medium;
  F.Where = *T.Declared;
  F.ScopeBegin = T.Declared->Line;
  F.ScopeEnd = T.Declared->EndLine;
  const std::int64_t Size = T.Layout->getInteger("size").value_or(0);
  const std::string Order = T.Layout->getString("order").value_or("").str();
  F.Args = {{"record", T.Layout->getString("name").value_or("").str()},
            {"size_bytes", Size},
            {"wasted_bytes", static_cast<std::int64_t>(Saved)},
            {"best_size_bytes", Size - static_cast<std::int64_t>(Saved)},
            {"order", Order},
            {"remedy", variant(Slug, "components", {{"order", Order}})}};
  if (T.Elements > 0)
    F.Args["elements"] = T.Elements;
  F.Relateds.push_back({*T.Array, "'" + T.ArrayName + "' is an array of them"});
  R.report(std::move(F));
}

} // namespace

PaddingLimits::PaddingLimits(const Reporter &R)
    : SavedBytes(R.threshold(Slug, "min_saved_bytes")), SavedPercent(R.threshold(Slug, "min_saved_percent")),
      TotalBytes(R.threshold(Slug, "min_total_saved_bytes")), SurePercent(R.threshold(Slug, "sure_saved_percent")),
      SureBytes(R.threshold(Slug, "sure_saved_bytes")), SureWordPercent(R.threshold(Slug, "sure_word_percent")) {}

bool PaddingLimits::isWorth(double Saved, double Size) const {
  return Saved >= SavedBytes && 100.0 * Saved >= SavedPercent * Size;
}

bool PaddingLimits::isSure(double Saved, double Size) const {
  const double Percent = 100.0 * Saved / Size;
  return Percent >= SurePercent && (Saved >= SureBytes || Percent >= SureWordPercent);
}

json::Value fortranPadding(Unit &U, Reporter &R) {
  const PaddingLimits Limits(R);
  json::Array Layouts, Declarations;
  Users By(U);
  const std::vector<DerivedType> Types = derivedTypes(U);
  for (const DerivedType &T : Types)
    By.add(T);
  for (const DerivedType &T : Types) {
    const auto [Order, Best] = bestOrder(T);
    const auto Saved = static_cast<double>(T.Bytes - std::min(T.Bytes, Best)), Size = static_cast<double>(T.Bytes);
    if (Limits.isWorth(Saved, Size))
      Layouts.push_back(json::Object{{"symbol", T.Symbol},
                                     {"name", T.Name},
                                     {"size", static_cast<std::int64_t>(T.Bytes)},
                                     {"saved", static_cast<std::int64_t>(Saved)},
                                     {"users", By.of(T.Symbol)},
                                     {"sure", Limits.isSure(Saved, Size)},
                                     {"order", Order}});
  }
  for (const TypeDeclaration &T : typeDeclarations(U))
    Declarations.push_back(json::Object{{"symbol", T.Symbol},
                                        {"place", toJson(placeOf(U.ast(), headerOf(*T.At, U)))},
                                        {"has_order", T.HasOrder},
                                        {"silenced", R.silences(Slug, headerOf(*T.At, U).getBegin())}});
  json::Array Arrays = arraysOf(U);
  json::Value Calls = fortranCallEdges(U);
  if (Layouts.empty() && Declarations.empty() && Arrays.empty() && Calls.kind() == json::Value::Null)
    return nullptr;
  return json::Object{{"calls", std::move(Calls)},
                      {"total", Limits.TotalBytes},
                      {"layouts", std::move(Layouts)},
                      {"declarations", std::move(Declarations)},
                      {"arrays", std::move(Arrays)}};
}

void reportFortranPadding(ArrayRef<const stored::Value *> OfUnits, LinkReporter &R) {
  std::map<std::string, KnownType> Known;
  const stored::Object *Limits = nullptr;
  const auto ForEach = [&](StringRef List, function_ref<void(const stored::Object &)> Take) {
    for (const stored::Value *V : OfUnits)
      if (const stored::Object *Unit = V ? V->getAsObject() : nullptr)
        if (const stored::Array *All = Unit->getArray(List))
          for (const stored::Value &Each : *All)
            if (const stored::Object *O = Each.getAsObject()) {
              Limits = Unit;
              Take(*O);
            }
  };
  const auto Word = [](const stored::Object &O, StringRef Name) { return O.getString(Name).value_or("").str(); };
  const auto PlaceOf = [](const stored::Object &O) {
    const stored::Value *Where = O.get("place");
    return Where ? placeFromJson(*Where) : std::nullopt;
  };
  std::map<std::string, unsigned> Named; // types by their own names: of two modules they may be mixed up
  ForEach("declarations", [&](const stored::Object &O) {
    KnownType &T = Known[Word(O, "symbol")];
    T.Declared = PlaceOf(O);
    T.HasOrder = O.getBoolean("has_order").value_or(true);
    T.Silenced = O.getBoolean("silenced").value_or(false);
  });
  for (const auto &[Symbol, T] : Known)
    ++Named[StringRef(Symbol).rsplit('T').second.str()];
  std::vector<const stored::Value *> Calls;
  for (const stored::Value *V : OfUnits)
    if (const stored::Object *Unit = V ? V->getAsObject() : nullptr)
      if (const stored::Value *Edges = Unit->get("calls"))
        Calls.push_back(Edges);
  const std::set<std::string> Once = functionsRunOnce(Calls);
  ForEach("layouts", [&](const stored::Object &O) {
    KnownType &T = Known[Word(O, "symbol")];
    T.Layout = &O;
    if (const stored::Array *Users = O.getArray("users"))
      T.Walked |= any_of(
          *Users, [&](const stored::Value &Name) { return !Once.contains(Name.getAsString().value_or("").str()); });
  });
  ForEach("arrays", [&](const stored::Object &O) {
    for (auto &[Symbol, T] : Known) {
      const std::string Type = Word(O, "type");
      if (!T.Layout || StringRef(Symbol).rsplit('T').second != Type || Named[Type] != 1)
        continue;
      takeArray(T, O);
    }
  });
  for (const auto &[Symbol, T] : Known)
    if (T.Layout && Limits)
      report(T, *Limits, R);
}

} // namespace stridewise
