#include "checks/omp-critical-section/FortranSectionFix.h"
#include "fortran/DirectiveLines.h"
#include "fortran/FortranLoops.h"
#include "unit/FixSafety.h"

using namespace llvm;

namespace stridewise {
namespace {

// Whether it is a variable of the procedure itself, of a type of the language.
const FortranEntity *ownVariable(unsigned Statement, StringRef Name, Unit &U) {
  const FortranProcedures &Procedures = fortranProcedures(U);
  const FortranEntity *E = Procedures.find(Statement, Name);
  const bool Own = E && Procedures.isOwn(Statement, Name) && !E->Pointer && !E->Common && !E->Saved &&
                   !E->ThreadPrivate && !StringRef(E->Type).starts_with("type(") &&
                   !StringRef(E->Type).starts_with("class(") && !E->Type.empty();
  return Own ? E : nullptr;
}

bool isWhole(const FortranEntity &E) { return StringRef(E.Type).starts_with("integer"); }

// `x = x + e` and `x = max(x, e)`: behind the operator nothing binds as loosely as that.
bool isAtomicForm(StringRef Statement, StringRef Target) {
  if (!Statement.consume_front(Target) || !Statement.consume_front("="))
    return false;
  for (StringRef Function : {"max(", "min("})
    if (Statement.starts_with((Function + Target + ",").str()))
      return outsideBrackets(Statement.drop_front(Function.size()), ')') == Statement.size() - Function.size() - 1;
  if (!Statement.consume_front(Target) || Statement.empty() || !StringRef("+-*").contains(Statement.front()) ||
      Statement.starts_with("**"))
    return false;
  const bool Product = Statement.front() == '*';
  const StringRef Rest = Statement.drop_front();
  for (char Operator : {'+', '-'})
    if (outsideBrackets(Rest, Operator) != StringRef::npos)
      return false;
  return !Rest.empty() &&
         (!Product || (outsideBrackets(Rest, '*') == StringRef::npos && outsideBrackets(Rest, '/') == StringRef::npos));
}

// Whether a clause of the directive names it already, as whatever.
bool namesInClauses(const FortranConstruct &C, StringRef Name) {
  return any_of(C.Clauses, [&](const FortranClause &X) { return namesVariable(X.Arguments, Name); });
}

} // namespace

std::optional<Fix> fortranReduction(const FortranProtected &P, const FortranConstruct &Share, StringRef Clauses,
                                    Unit &U) {
  if (fortranText(U).sharesStorage() || Share.has("nowait") || (P.C.isAtomic() && P.C.has("hint")))
    return std::nullopt;
  bool Whole = true;
  for (const FortranUpdate &X : P.Updates) {
    const FortranEntity *E = ownVariable(P.C.First, X.Variable, U);
    if (!E || namesInClauses(Share, X.Variable))
      return std::nullopt;
    // What is added must not look at what the others have gathered so far.
    if (namesVariable(X.Value, X.Variable))
      return std::nullopt;
    Whole &= isWhole(*E);
  }
  std::optional<Edit> Clause = addFortranClause(Share, Clauses, U);
  std::optional<std::vector<Edit>> Gone = removeFortranDirective(P.C, U);
  if (!Clause || !Gone)
    return std::nullopt;
  Gone->insert(Gone->begin(), std::move(*Clause));
  Fix X = safeFix("use a reduction", std::move(*Gone),
                  "only this section touches the variable in the loop, and integers are exact in any order");
  if (!Whole)
    doubt(X, "a floating-point result is rounded in another order");
  return X;
}

std::optional<Fix> fortranAtomic(const FortranProtected &P, const FortranConstruct &Region, Unit &U) {
  const FortranText &Text = fortranText(U);
  if (!P.C.isCritical() || P.Updates.size() != 1 || P.C.Last != P.C.First + 1 || Text.sharesStorage())
    return std::nullopt;
  const FortranUpdate &X = P.Updates.front();
  const StringRef Statement = Text.statements()[P.C.First].Text;
  if (!ownVariable(P.C.First, X.Variable, U) || !isAtomicForm(Statement, X.Target) ||
      namesVariable(X.Value, X.Variable) ||
      namesVariable(StringRef(X.Target).drop_front(X.Variable.size()), X.Variable))
    return std::nullopt;
  for (unsigned K = Region.First; K < Region.Last; ++K)
    if (K != P.C.First && namesVariable(Text.statements()[K].Text, X.Variable))
      return std::nullopt;
  std::optional<std::vector<Edit>> Edits = replaceFortranDirective(P.C, "atomic", U);
  if (!Edits)
    return std::nullopt;
  return safeFix("use an atomic update", std::move(*Edits),
                 "it is the only statement of the region that touches the variable, and the section holds no other");
}

} // namespace stridewise
