#include "fortran/Designators.h"
#include "fortran/Procedures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

bool isName(char C) { return isAlnum(C) || C == '_'; }

// The text in the brackets that it begins with; the text goes on behind them.
std::optional<StringRef> takeBrackets(StringRef &Text) {
  if (!Text.starts_with("("))
    return std::nullopt;
  const std::size_t End = outsideBrackets(Text.drop_front(), ')');
  if (End == StringRef::npos)
    return std::nullopt;
  StringRef Inside = Text.drop_front().take_front(End);
  Text = Text.drop_front(End + 2);
  return Inside;
}

// What a name begins; the text goes on behind it.
FortranDesignator take(StringRef &Text) {
  FortranDesignator D;
  const StringRef From = Text;
  while (true) {
    FortranDesignator::Part &P = D.Parts.emplace_back();
    P.Name = Text.take_while(isName);
    Text = Text.drop_front(P.Name.size());
    if (std::optional<StringRef> Inside = takeBrackets(Text))
      P.Subscripts = fortranList(*Inside);
    if (!Text.starts_with("%") || Text.size() < 2 || !isAlpha(Text[1]))
      break;
    Text = Text.drop_front();
  }
  D.Text = From.drop_back(Text.size());
  return D;
}

void collect(StringRef Text, std::vector<FortranDesignator> &Into) {
  while (!Text.empty()) {
    const char C = Text.front();
    if (isAlpha(C)) {
      Into.push_back(take(Text));
      const auto Parts = Into.back().Parts;
      for (const FortranDesignator::Part &P : Parts)
        if (P.Subscripts)
          for (StringRef S : *P.Subscripts)
            collect(S, Into);
    } else if (C == '.') {
      // An operator, or the fraction of a number.
      StringRef Word = Text.drop_front().take_while(isAlpha);
      const bool Operator = !Word.empty() && Text.drop_front(1 + Word.size()).starts_with(".");
      Text = Text.drop_front(Operator ? Word.size() + 2 : 1);
      if (!Operator && !Text.empty() && isAlnum(Text.front()))
        Text = Text.drop_while(isName);
    } else if (isDigit(C)) {
      Text = Text.drop_while([](char D) { return isDigit(D); });
      if (!Text.empty() && (isAlpha(Text.front()) || Text.front() == '_'))
        Text = Text.drop_while(isName); // 1d0, 2_8
    } else {
      Text = Text.drop_front();
    }
  }
}

} // namespace

int FortranDesignator::lastIndexed() const {
  for (int K = int(Parts.size()) - 1; K >= 0; --K)
    if (Parts[K].Subscripts)
      return K;
  return -1;
}

std::vector<FortranDesignator> fortranDesignators(StringRef Text) {
  std::vector<FortranDesignator> Out;
  collect(Text, Out);
  return Out;
}

std::optional<FortranDesignator> fortranDesignator(StringRef Text) {
  if (Text.empty() || !isAlpha(Text.front()))
    return std::nullopt;
  return take(Text);
}

StringRef behindCondition(StringRef Statement) {
  StringRef Rest = Statement;
  if (!Rest.consume_front("if") || !takeBrackets(Rest) || Rest.empty() || Rest == "then" || !isAlpha(Rest.front()))
    return Statement;
  return Rest;
}

std::vector<StringRef> plainNames(StringRef Subscript) {
  std::vector<StringRef> Names;
  while (!Subscript.empty()) {
    if (!isAlpha(Subscript.front())) {
      // Digits may be followed by the letters of a kind or an exponent.
      Subscript = isDigit(Subscript.front()) ? Subscript.drop_while(isName) : Subscript.drop_front();
      continue;
    }
    FortranDesignator D = take(Subscript);
    if (D.Parts.size() == 1 && !D.Parts.front().Subscripts)
      Names.push_back(D.Parts.front().Name);
  }
  return Names;
}

bool hasTerm(StringRef Subscript, StringRef Name) {
  int Depth = 0;
  std::size_t Begin = 0;
  for (std::size_t I = 0; I <= Subscript.size(); ++I) {
    const char C = I < Subscript.size() ? Subscript[I] : '+';
    Depth += C == '(';
    Depth -= C == ')';
    if (Depth != 0 || (C != '+' && C != '-'))
      continue;
    if (Subscript.slice(Begin, I) == Name)
      return true;
    Begin = I + 1;
  }
  return false;
}

} // namespace stridewise
