#include "checks/omp-region-in-loop/FortranRows.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr std::int64_t Rim = limits::omp::RimRows;

std::optional<FortranElement> elementOf(StringRef Designator) {
  if (!Designator.consume_back(")"))
    return std::nullopt;
  const std::size_t Open = Designator.find('(');
  if (Open == StringRef::npos || Designator.drop_front(Open + 1).contains(")%"))
    return std::nullopt;
  return FortranElement{Designator.take_front(Open), fortranList(Designator.drop_front(Open + 1))};
}

// The dimension that goes with a loop: "j" or "j-1" in a(i,j-1).
std::optional<unsigned> dimension(const FortranElement &E, StringRef Counter) {
  for (unsigned D = 0; D < E.Subscripts.size(); ++D)
    if (const FortranSum S = fortranSum(E.Subscripts[D]); S.Name == Counter && std::abs(S.Number) <= Rim)
      return D;
  return std::nullopt;
}

bool names(const FortranElement &E, StringRef Counter) {
  return any_of(E.Subscripts, [&](StringRef S) { return is_contained(fortranNames(S), Counter); });
}

bool isNear(StringRef Extent, StringRef Bound) {
  const FortranSum A = fortranSum(Extent), B = fortranSum(Bound);
  return A.Name == B.Name && std::abs(A.Number - B.Number) <= Rim;
}

// Numbers are no question here: of loops of known length others know more.
bool coversExtent(ArrayRef<StringRef> Extents, unsigned D, const FortranElement &E, const FortranBounds &Bounds) {
  if (Extents.size() != E.Subscripts.size())
    return false;
  const std::size_t Colon = outsideBrackets(Extents[D], ':');
  const StringRef Low = Colon == StringRef::npos ? StringRef("1") : Extents[D].take_front(Colon);
  const StringRef High = Colon == StringRef::npos ? Extents[D] : Extents[D].drop_front(Colon + 1);
  return isNear(Low, Bounds.First) && isNear(High, Bounds.Last) && !fortranSum(High).Name.empty();
}

} // namespace

FortranSum fortranSum(StringRef Text) {
  std::int64_t Number = 0;
  if (!Text.getAsInteger(10, Number))
    return {{}, Number};
  const std::size_t Sign = Text.find_last_of("+-");
  if (Sign == StringRef::npos || Sign == 0 || Text.drop_front(Sign + 1).getAsInteger(10, Number))
    return {Text, 0};
  return {Text.take_front(Sign), Text[Sign] == '-' ? -Number : Number};
}

std::vector<FortranElement> fortranElements(StringRef Text) {
  std::vector<FortranElement> Out;
  for (std::size_t Open = Text.find('('); Open != StringRef::npos; Open = Text.find('(', Open + 1)) {
    std::size_t Begin = Open;
    while (Begin > 0 && (isAlnum(Text[Begin - 1]) || Text[Begin - 1] == '_' || Text[Begin - 1] == '%'))
      --Begin;
    StringRef Inside = Text.drop_front(Open + 1);
    Inside = Inside.take_front(outsideBrackets(Inside, ')'));
    if (Begin < Open)
      Out.push_back({Text.slice(Begin, Open), fortranList(Inside)});
  }
  return Out;
}

FortranRows::FortranRows(const FortranRegions &Regions) : Regions(Regions) {
  for (const FortranStatement &S : statements()) {
    Meter::count();
    if (StringRef Text = S.Text; Text.consume_front("allocate(") && Text.consume_back(")"))
      for (StringRef Part : fortranList(Text))
        if (std::optional<FortranElement> Made = elementOf(Part))
          Allocations.try_emplace(Made->Array, Allocation{Regions.number(S), std::move(Made->Subscripts)});
  }
}

bool FortranRows::isArray(unsigned Statement, StringRef Name) const {
  const FortranEntity *Declared = Regions.procedures().find(Statement, Name);
  return (Declared && Declared->isArray()) || Allocations.contains(Name);
}

bool FortranRows::areCovered(const FortranConstruct &Region, const FortranStatement &Serial) const {
  bool Any = false;
  if (Serial.Counters.size() != 1)
    return false;
  StringRef Counter = Serial.Counters.front();
  for (unsigned S = Region.First; S < Region.Last; ++S)
    for (const FortranElement &E : fortranElements(statements()[S].Text)) {
      Meter::count();
      const std::optional<unsigned> Along = dimension(E, Counter);
      const bool Array = isArray(S, E.Array);
      if (!Along && (!Array || !names(E, Counter)))
        continue; // of what is called with elements, these are looked at by themselves
      if (!Along || !Array || !covers(S, E, *Along, Serial) || !isCoveredWithin(Region, S, E, *Along))
        return false;
      Any = true;
    }
  return Any;
}

// Another dimension, by a loop of the region.
bool FortranRows::isCoveredWithin(const FortranConstruct &Region, unsigned Statement, const FortranElement &E,
                                  unsigned But) const {
  for (unsigned L = Region.First; L < Statement; ++L)
    if (const FortranStatement &Loop = statements()[L]; Loop.Counters.size() == 1)
      if (std::optional<unsigned> D = dimension(E, Loop.Counters.front());
          D && *D != But && covers(Statement, E, *D, Loop))
        return true;
  return false;
}

// Whether the loop covers the dimension but for a rim.
bool FortranRows::covers(unsigned Statement, const FortranElement &E, unsigned Dimension,
                         const FortranStatement &Loop) const {
  const std::optional<FortranBounds> Bounds = fortranBounds(Loop);
  if (!Bounds || !Bounds->Step.empty())
    return false;
  const std::string Asked = ("(" + E.Array + "," + Twine(Dimension + 1) + ")").str();
  if (isNear("1", Bounds->First) && (isNear("size" + Asked, Bounds->Last) || isNear("ubound" + Asked, Bounds->Last)))
    return true;
  const FortranEntity *Declared = Regions.procedures().find(Statement, E.Array);
  if (Declared && coversExtent(fortranList(Declared->Dimensions), Dimension, E, *Bounds))
    return true;
  auto Made = Allocations.find(E.Array);
  return Made != Allocations.end() && coversExtent(Made->second.Extents, Dimension, E, *Bounds) &&
         sameNames(Statement, Made->second.Statement, Made->second.Extents[Dimension]);
}

// An extent's names stand for the same variables where the array is allocated and where it is used.
bool FortranRows::sameNames(unsigned A, unsigned B, StringRef Extent) const {
  return all_of(fortranNames(Extent), [&](StringRef Name) {
    return Regions.procedures().find(A, Name) == Regions.procedures().find(B, Name);
  });
}

} // namespace stridewise
