#include "checks/mem-array-of-structs/FortranTypes.h"
#include "fortran/Constructs.h"
#include "fortran/FortranLoops.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {

// The name in `type particle` and `type, extends(base) :: particle`; empty for all else.
static StringRef declaredType(StringRef Statement) {
  if (!Statement.consume_front("type"))
    return {};
  if (const std::size_t Names = Statement.rfind("::"); Names != StringRef::npos) {
    // `type(particle) :: p` declares a variable.
    if (!Statement.starts_with(",") && !Statement.starts_with("::"))
      return {};
    Statement = Statement.drop_front(Names + 2);
  }
  const bool IsName = !Statement.empty() && all_of(Statement, [](char C) { return isAlnum(C) || C == '_'; });
  return IsName ? Statement : StringRef();
}

json::Value fortranTypePlaces(Unit &U) {
  json::Object Out;
  const FortranText &Text = fortranText(U);
  const FortranProcedures &Procedures = fortranProcedures(U);
  for (unsigned K = 0; K < Text.statements().size(); ++K) {
    Meter::count();
    const StringRef Type = declaredType(Text.statements()[K].Text);
    const int In = Type.empty() ? -1 : Procedures.of(K);
    if (In >= 0 && Procedures.all()[In].K == FortranProcedure::Module)
      Out["_QM" + Procedures.all()[In].Name + "T" + Type.str()] =
          toJson(placeOf(U.ast(), headerOf(Text.statements()[K], U)));
  }
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

std::map<std::string, Place> fortranTypePlaces(ArrayRef<const stored::Value *> OfUnits) {
  std::map<std::string, Place> Out;
  for (const stored::Value *V : OfUnits)
    if (const stored::Object *Types = V ? V->getAsObject() : nullptr)
      for (const auto &[Symbol, Where] : *Types)
        if (const std::optional<Place> At = placeFromJson(Where))
          Out.try_emplace(std::string(Symbol), *At);
  return Out;
}

} // namespace stridewise
