#include "fortran/Updates.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

// Whether `+` or `-` stands outside of brackets, other than in exponents and in front.
bool isSum(StringRef Text) {
  int Depth = 0;
  for (std::size_t I = 0; I < Text.size(); ++I) {
    Depth += Text[I] == '(' || Text[I] == '[';
    Depth -= Text[I] == ')' || Text[I] == ']';
    if (Depth || I == 0 || (Text[I] != '+' && Text[I] != '-'))
      continue;
    const bool Exponent =
        I >= 2 && StringRef("ed").contains(Text[I - 1]) && (isDigit(Text[I - 2]) || Text[I - 2] == '.');
    if (!Exponent && Text[I - 1] != '*')
      return true;
  }
  return false;
}

// What is left of `x op e` or `e op x` without x and the operator; `First` says whether x comes first.
std::optional<StringRef> besides(StringRef Value, StringRef Target, StringRef Operator, bool First) {
  if (First) {
    if (!Value.consume_front(Target) || !Value.consume_front(Operator))
      return std::nullopt;
    return Value;
  }
  if (!Value.consume_back(Target) || !Value.consume_back(Operator))
    return std::nullopt;
  return Value;
}

bool isWhole(StringRef Text) { return !Text.empty() && outsideBrackets(Text, ')') == StringRef::npos; }

void operation(FortranUpdate &U, StringRef Value) {
  struct Form {
    StringRef Sign, Reduction;
    bool Commutes;
  };
  static constexpr Form Forms[] = {{"+", "+", true},          {"-", "+", false},      {"*", "*", true},
                                   {".and.", ".and.", true},  {".or.", ".or.", true}, {".eqv.", ".eqv.", true},
                                   {".neqv.", ".neqv.", true}};
  for (const Form &F : Forms)
    for (bool First : {true, false}) {
      if (!First && !F.Commutes)
        continue;
      std::optional<StringRef> Rest = besides(Value, U.Target, F.Sign, First);
      if (!Rest || !isWhole(*Rest) || namesVariable(*Rest, U.Variable))
        continue;
      // x * a + b is no product of x; x - a + b is one sum.
      if ((F.Sign == "*" && (isSum(*Rest) || Rest->starts_with("*"))) ||
          (!First && F.Sign == "+" && Rest->ends_with("*")))
        continue;
      U.K = FortranUpdate::Operation;
      U.Reduction = F.Reduction.str();
      U.Value = Rest->str();
      return;
    }
}

void function(FortranUpdate &U, StringRef Value) {
  StringRef Name = fortranBase(Value);
  StringRef Inside = Value.drop_front(Name.size());
  if (!Inside.consume_front("(") || !Inside.consume_back(")") || !isWhole(Inside))
    return;
  std::string Plain = Name.str();
  for (StringRef Specific : {"max", "min"}) // amax1, dmin1 and their kin
    if (Name == ("a" + Specific + "1").str() || Name == ("d" + Specific + "1").str() || Name == (Specific + "0").str())
      Plain = Specific.str();
  if (!is_contained(std::initializer_list<StringRef>{"max", "min", "iand", "ior", "ieor"}, Plain))
    return;
  std::vector<StringRef> Others;
  unsigned Own = 0;
  for (StringRef Argument : fortranList(Inside)) {
    if (Argument == U.Target)
      ++Own;
    else
      Others.push_back(Argument);
  }
  if (Own != 1 || Others.empty() || any_of(Others, [&](StringRef O) { return namesVariable(O, U.Variable); }))
    return;
  U.K = Plain == "max" || Plain == "min" ? FortranUpdate::Extremum : FortranUpdate::Operation;
  U.Reduction = Plain;
  U.Value = join(Others, ",");
}

// Whether `Condition` compares the value with the target: the operator says which of them is kept.
std::string comparison(StringRef Condition, StringRef Target, StringRef Value) {
  struct Sign {
    StringRef Text;
    bool Greater;
  };
  static constexpr Sign Signs[] = {{">=", true},   {"<=", false},   {">", true},    {"<", false},
                                   {".gt.", true}, {".lt.", false}, {".ge.", true}, {".le.", false}};
  for (const Sign &S : Signs) {
    if (Condition == (Value + S.Text + Target).str())
      return S.Greater ? "max" : "min";
    if (Condition == (Target + S.Text + Value).str())
      return S.Greater ? "min" : "max";
  }
  return {};
}

} // namespace

bool namesVariable(StringRef Text, StringRef Variable) { return is_contained(fortranNames(Text), Variable); }

std::optional<FortranUpdate> fortranUpdate(StringRef Statement) {
  std::optional<FortranAssignment> A = fortranAssignment(Statement);
  if (!A)
    return std::nullopt;
  FortranUpdate U;
  U.Target = A->Target.str();
  U.Variable = fortranBase(A->Target).str();
  U.Value = A->Value.str();
  if (U.Variable.empty() || U.Variable == "if" || U.Variable == "forall" || U.Variable == "where")
    return std::nullopt;
  if (!A->Condition.empty()) {
    U.Reduction = comparison(A->Condition, U.Target, A->Value);
    if (!U.Reduction.empty()) {
      U.K = FortranUpdate::Extremum;
      return U;
    }
    U.Condition = A->Condition.str();
  }
  operation(U, A->Value);
  if (U.K == FortranUpdate::Store)
    function(U, A->Value);
  return U;
}

std::optional<FortranUpdate> fortranExtremum(StringRef Branch, StringRef Statement) {
  if (!Branch.consume_front("if(") || !Branch.consume_back(")then"))
    return std::nullopt;
  std::optional<FortranUpdate> U = fortranUpdate(("if(" + Branch + ")" + Statement).str());
  return U && U->K == FortranUpdate::Extremum && U->Condition.empty() ? U : std::nullopt;
}

} // namespace stridewise
