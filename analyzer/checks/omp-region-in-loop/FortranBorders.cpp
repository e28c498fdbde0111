#include "checks/omp-region-in-loop/FortranBorders.h"
#include "fortran/FortranNames.h"
#include "fortran/Updates.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr std::int64_t Rim = limits::omp::RimRows, FewTrips = limits::loops::MinBlockTrips;

bool isNumber(StringRef Text) {
  Text.consume_front("-");
  return !Text.empty() && all_of(Text, isDigit);
}

bool isBranchOrEnd(StringRef Text) {
  return (Text.starts_with("if(") && Text.ends_with(")then")) || Text == "else" || Text == "endif" || Text == "enddo" ||
         Text == "continue";
}

// The name by which a loop begins earlier and ends later than the data inside of a rim.
StringRef widening(const FortranBounds &B) {
  const std::size_t Minus = B.First.rfind('-'), Plus = B.Last.rfind('+');
  if (Minus == StringRef::npos || Plus == StringRef::npos || Minus == 0)
    return {};
  const StringRef Name = B.First.drop_front(Minus + 1);
  return !Name.empty() && isAlpha(Name.front()) && Name == B.Last.drop_front(Plus + 1) ? Name : StringRef();
}

} // namespace

FortranBorders::FortranBorders(Unit &U, const FortranRegions &Regions) : U(U), Regions(Regions) {
  for (const FortranStatement &S : counted(statements()))
    if (const std::optional<FortranBounds> B = fortranBounds(S))
      if (const StringRef Name = widening(*B); !Name.empty())
        Depths.insert({Regions.procedures().of(Regions.number(S)), Name.str()});
}

// From the rim's first row to its last one, or back.
bool FortranBorders::isHalo(const FortranStatement &Loop) const {
  const std::optional<FortranBounds> B = fortranBounds(Loop);
  const auto IsDepth = [&](StringRef Name) {
    return Depths.count({Regions.procedures().of(Regions.number(Loop)), Name.str()}) > 0;
  };
  return B && ((isNumber(B->First) && IsDepth(B->Last)) || (isNumber(B->Last) && IsDepth(B->First)));
}

bool FortranBorders::isShort(unsigned Statement, const FortranStatement &Loop) const {
  const std::optional<FortranBounds> B = fortranBounds(Loop);
  const FortranNames &Names = fortranNames(U);
  const std::optional<std::int64_t> First = B ? Names.constant(Statement, B->First) : std::nullopt;
  const std::optional<std::int64_t> Last = B ? Names.constant(Statement, B->Last) : std::nullopt;
  return First && Last && std::abs(*Last - *First) + 1 < FewTrips;
}

// The region's loops, if it holds nothing but loops, branches and assignments.
bool FortranBorders::read(const FortranConstruct &Region, Loops &Into) const {
  for (unsigned S = Region.First; S < Region.Last; ++S) {
    Meter::count();
    const FortranStatement &At = statements()[S];
    if (At.IsLoop) {
      if (At.Concurrent || At.Counters.size() != 1)
        return false;
      if (isHalo(At))
        Into.Halo.insert(At.Counters.front());
      else if (!isShort(S, At))
        Into.Long.insert(At.Counters.front());
    } else if (const std::optional<FortranAssignment> A = fortranAssignment(At.Text)) {
      if (fortranBase(A->Target) == A->Target)
        Into.Set.insert(A->Target);
    } else if (!isBranchOrEnd(At.Text)) {
      return false;
    }
  }
  // Loops of one thread around the region, in its procedure, may go through the halo, too.
  ArrayRef<FortranBlock> Blocks = Regions.procedures().blocks();
  for (int B = Regions.procedures().blockOf(Region.First); B >= 0; B = Blocks[B].Parent)
    if (const FortranStatement &Loop = statements()[Blocks[B].Begin];
        Blocks[B].Begin < Region.First && Loop.IsLoop && isHalo(Loop))
      Into.Halo.insert(Loop.Counters.front());
  return true;
}

std::vector<std::string> FortranBorders::extents(unsigned Statement, StringRef Array) const {
  if (const FortranEntity *E = Regions.procedures().find(Statement, Array); E && E->isArray()) {
    std::vector<std::string> Out;
    for (StringRef Dimension : fortranList(E->Dimensions))
      Out.push_back(Dimension.str());
    return Out;
  }
  const std::optional<FortranVariable> V = fortranNames(U).variable(Statement, Array);
  return V ? V->Extents : std::vector<std::string>();
}

// Whether the subscript names the end of the dimension, but for a rim. The components of an element have no ends to
// speak of.
bool FortranBorders::isAtEnd(unsigned Statement, const FortranElement &E, unsigned Dimension) const {
  const std::vector<std::string> Extents = extents(Statement, E.Array);
  if (Extents.size() != E.Subscripts.size())
    return false;
  const StringRef Extent = Extents[Dimension];
  const std::size_t Colon = outsideBrackets(Extent, ':');
  const FortranSum End = fortranSum(Colon == StringRef::npos ? Extent : Extent.drop_front(Colon + 1));
  const FortranSum Here = fortranSum(E.Subscripts[Dimension]);
  if (End.Name.empty() || End.Name != Here.Name || std::abs(End.Number - Here.Number) > Rim)
    return false;
  const std::optional<std::int64_t> Length = fortranNames(U).extent(Statement, Extent);
  return !Length || *Length >= FewTrips;
}

bool FortranBorders::hasEndElsewhere(unsigned Statement, const FortranElement &E, unsigned Dimension) const {
  const int P = Regions.procedures().of(Statement);
  if (P < 0)
    return false;
  const FortranProcedure &Around = Regions.procedures().all()[P];
  for (unsigned S = Around.First; S < Around.Last; ++S)
    if (fortranAssignment(statements()[S].Text))
      for (const FortranElement &Other : fortranElements(statements()[S].Text)) {
        Meter::count();
        if (Other.Array == E.Array && Other.Subscripts.size() == E.Subscripts.size() && isAtEnd(S, Other, Dimension))
          return true;
      }
  return false;
}

bool FortranBorders::isBorder(unsigned Statement, const FortranElement &E, const Loops &In) const {
  bool Border = false, Along = false;
  for (unsigned D = 0; D < E.Subscripts.size(); ++D) {
    const std::vector<StringRef> Names = fortranNames(E.Subscripts[D]);
    const auto Has = [&](const StringSet<> &Of) { return any_of(Names, [&](StringRef N) { return Of.contains(N); }); };
    if (Has(In.Set))
      return false;
    if (Has(In.Long))
      Along = true;
    else if (Has(In.Halo))
      Border = true;
    else if (isNumber(E.Subscripts[D]))
      Border |= hasEndElsewhere(Statement, E, D);
    else
      Border |= isAtEnd(Statement, E, D);
  }
  return Border && Along;
}

bool FortranBorders::goesOverBorder(unsigned Statement, StringRef Text, const Loops &In, StringSet<> &Into) const {
  std::size_t Rank = 0;
  std::vector<FortranElement> Arrays;
  for (FortranElement &E : fortranElements(Text)) {
    const FortranEntity *Declared = Regions.procedures().find(Statement, E.Array);
    const bool Array = (Declared && Declared->isArray()) || !extents(Statement, E.Array).empty();
    if (!Array && fortranNames(U).isProcedure(Statement, E.Array))
      return false;
    Rank = std::max(Rank, Array ? E.Subscripts.size() : 0);
    if (Array)
      Arrays.push_back(std::move(E));
  }
  erase_if(Arrays, [&](const FortranElement &E) { return E.Subscripts.size() < Rank; });
  if (!Arrays.empty())
    Into.insert(Arrays.front().Array);
  return Rank > 1 && all_of(Arrays, [&](const FortranElement &E) { return isBorder(Statement, E, In); });
}

std::optional<FortranBorders::Border> FortranBorders::borderOf(const FortranConstruct &Region) const {
  Loops In;
  if (!read(Region, In))
    return std::nullopt;
  std::optional<unsigned> Along;
  StringSet<> Arrays;
  ArrayRef<FortranBlock> Blocks = Regions.procedures().blocks();
  for (unsigned S = Region.First; S < Region.Last; ++S) {
    const std::optional<FortranAssignment> A =
        statements()[S].IsLoop ? std::nullopt : fortranAssignment(statements()[S].Text);
    if (!A || fortranBase(A->Target) == A->Target)
      continue;
    if (!goesOverBorder(S, statements()[S].Text, In, Arrays))
      return std::nullopt;
    unsigned Around = 0;
    for (int B = Regions.procedures().blockOf(S); B >= 0 && Blocks[B].Begin >= Region.First; B = Blocks[B].Parent)
      if (const FortranStatement &Loop = statements()[Blocks[B].Begin]; Loop.IsLoop)
        Around += In.Long.contains(Loop.Counters.front());
    Along = std::max(Along.value_or(0), Around);
  }
  return Along ? std::optional(Border{*Along, unsigned(Arrays.size())}) : std::nullopt;
}

} // namespace stridewise
