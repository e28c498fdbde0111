#include "fortran/Procedures.h"
#include "unit/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

bool isName(char C) { return isAlnum(C) || C == '_'; }

// `(` at the front of the text: what stands in the brackets; the text goes on behind them.
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

// The type that a declaration or a function begins with.
StringRef takeType(StringRef &Text) {
  StringRef Rest = Text;
  const bool Derived = Rest.starts_with("type(") || Rest.starts_with("class(");
  bool Known = Derived && (Rest.consume_front("type") || Rest.consume_front("class"));
  for (StringRef Word : {"doubleprecision", "doublecomplex", "integer", "real", "complex", "logical", "character"})
    if (!Known)
      Known = Rest.consume_front(Word);
  if (!Known)
    return {};
  if (!Derived && Rest.consume_front("*")) {
    if (!takeBrackets(Rest))
      Rest = Rest.drop_while(isDigit);
  } else {
    takeBrackets(Rest);
  }
  StringRef Type = Text.drop_back(Rest.size());
  Text = Rest;
  return Type;
}

// Words that may stand before `subroutine` and `function`.
void takePrefixes(StringRef &Text, bool &Recursive) {
  for (bool Any = true; Any;) {
    Any = false;
    for (StringRef Word : {"recursive", "pure", "impure", "elemental", "module"})
      if (Text.consume_front(Word)) {
        Any = true;
        Recursive |= Word == "recursive";
      }
  }
}

} // namespace

std::size_t outsideBrackets(StringRef Text, char Wanted, std::size_t From) {
  int Depth = 0;
  for (std::size_t I = From; I < Text.size(); ++I) {
    if (Text[I] == Wanted && Depth == 0)
      return I;
    Depth += Text[I] == '(' || Text[I] == '[';
    Depth -= Text[I] == ')' || Text[I] == ']';
  }
  return StringRef::npos;
}

std::vector<StringRef> fortranList(StringRef Text) {
  std::vector<StringRef> Parts;
  while (!Text.empty()) {
    const std::size_t Comma = outsideBrackets(Text, ',');
    Parts.push_back(Text.take_front(Comma));
    Text = Comma == StringRef::npos ? StringRef() : Text.drop_front(Comma + 1);
  }
  return Parts;
}

StringRef fortranBase(StringRef Designator) { return Designator.take_while(isName); }

std::vector<StringRef> fortranNames(StringRef Text) {
  std::vector<StringRef> Names;
  for (std::size_t I = 0; I < Text.size();) {
    if (!isName(Text[I])) {
      ++I;
      continue;
    }
    const StringRef Word = Text.drop_front(I).take_while(isName);
    const char Before = I ? Text[I - 1] : ' ', Behind = I + Word.size() < Text.size() ? Text[I + Word.size()] : ' ';
    const char Second = I + Word.size() + 1 < Text.size() ? Text[I + Word.size() + 1] : ' ';
    const bool Keyword = Behind == '=' && Second != '=' && (Before == '(' || Before == ',');
    if (!isDigit(Word.front()) && Before != '%' && Before != '.' && !Keyword)
      Names.push_back(Word);
    I += Word.size();
  }
  return Names;
}

std::optional<FortranAssignment> fortranAssignment(StringRef Statement) {
  FortranAssignment A;
  if (StringRef Rest = Statement; Rest.consume_front("if"))
    if (std::optional<StringRef> Condition = takeBrackets(Rest); Condition && !Rest.empty() && isName(Rest.front())) {
      A.Condition = *Condition;
      Statement = Rest;
    }
  const std::size_t Equals = outsideBrackets(Statement, '=');
  if (Equals == StringRef::npos || Equals == 0 || Statement.drop_front(Equals + 1).starts_with("=") ||
      Statement.drop_front(Equals + 1).starts_with(">") || StringRef("/<>=").contains(Statement[Equals - 1]))
    return std::nullopt;
  A.Target = Statement.take_front(Equals);
  A.Value = Statement.drop_front(Equals + 1);
  // `do i = 1, n`, `parameter`, `data` and declarations with a value are none.
  if (!isAlpha(A.Target.front()) || A.Target.contains("::") || A.Target.contains('\'') ||
      outsideBrackets(A.Value, ',') != StringRef::npos || outsideBrackets(A.Target, ',') != StringRef::npos)
    return std::nullopt;
  return A;
}

class FortranOutline {
public:
  FortranOutline(FortranProcedures &Out, const FortranText &Text) : Out(Out), Text(Text) {}

  void run() {
    ArrayRef<FortranStatement> All = Text.statements();
    Out.Of.assign(All.size(), -1);
    Out.InBlock.assign(All.size(), -1);
    for (unsigned K = 0; K < All.size(); ++K) {
      Meter::count();
      const FortranStatement &S = All[K];
      const bool Opened = open(S.Text, K);
      Out.Of[K] = Stack.empty() ? -1 : Stack.back();
      if (!Opened)
        declare(S, K);
      block(S, K);
      if (endsUnit(S))
        close(K + 1);
    }
    while (!Stack.empty())
      close(All.size());
    for (FortranProcedure &P : Out.Procedures) {
      for (const std::string &A : P.Arguments)
        P.Names[A].Argument = true;
      for (int Up = P.Parent; Up >= 0; Up = Out.Procedures[Up].Parent)
        P.HasImplicitNone |= Out.Procedures[Up].HasImplicitNone;
    }
  }

private:
  FortranProcedure *here() { return Stack.empty() ? nullptr : &Out.Procedures[Stack.back()]; }

  static bool endsUnit(const FortranStatement &S) {
    if (S.EndsProcedure)
      return true;
    StringRef T = S.Text;
    return (T.starts_with("endmodule") || T.starts_with("endsubmodule") || T.starts_with("endinterface")) &&
           !T.contains('=');
  }

  void push(FortranProcedure::Kind K, StringRef Name, unsigned First) {
    FortranProcedure &P = Out.Procedures.emplace_back();
    P.K = K;
    P.Name = Name.str();
    P.First = First;
    P.Parent = Stack.empty() ? -1 : Stack.back();
    Stack.push_back(int(Out.Procedures.size()) - 1);
    Open.push_back(-1);
  }

  void close(unsigned Last) {
    if (Stack.empty())
      return;
    Out.Procedures[Stack.back()].Last = Last;
    Stack.pop_back();
    Open.pop_back();
  }

  // As flang has it: `submodule(grid:parts)inner` is gridSpartsSinner.
  static std::string submoduleName(StringRef T) {
    auto [Ancestors, Name] = T.drop_front(StringRef("submodule(").size()).split(')');
    const auto [Module, Parent] = Ancestors.split(':');
    return (Module + (Parent.empty() ? "" : "S") + Parent + "S" + Name).str();
  }

  // Whether the statement begins a program unit. One chain over the ways to begin one, complexity 28.
  bool open(StringRef T, unsigned K) {
    if (T.starts_with("end"))
      return false;
    if (T == "interface" || T == "abstractinterface" ||
        (T.starts_with("interface") && outsideBrackets(T, '=') == StringRef::npos)) {
      push(FortranProcedure::Interface, {}, K);
      return true;
    }
    const bool Assigns = outsideBrackets(T, '=') != StringRef::npos;
    if (!Assigns && T.starts_with("program") && !T.contains('(') && !T.contains(':')) {
      push(FortranProcedure::Program, T.drop_front(StringRef("program").size()), K);
      return true;
    }
    StringRef Rest = T;
    bool Recursive = false;
    if (!Assigns && (Rest.consume_front("module") || Rest.starts_with("submodule(")) &&
        !Rest.starts_with("procedure") && !Rest.starts_with("subroutine") && !Rest.contains("function") &&
        !Rest.contains(',') && !Rest.contains("::")) {
      push(FortranProcedure::Module, Rest.starts_with("submodule(") ? submoduleName(Rest) : fortranBase(Rest).str(), K);
      return true;
    }
    Rest = T;
    takePrefixes(Rest, Recursive);
    takeType(Rest);
    takePrefixes(Rest, Recursive);
    const bool Function = Rest.consume_front("function");
    if ((!Function && !Rest.consume_front("subroutine")) || Assigns)
      return implicitProgram(T, K);
    StringRef Name = fortranBase(Rest);
    Rest = Rest.drop_front(Name.size());
    if (Name.empty() || (!Rest.empty() && !Rest.starts_with("(") && !Rest.starts_with("bind(")))
      return false;
    push(FortranProcedure::Procedure, Name, K);
    here()->Recursive = Recursive;
    if (std::optional<StringRef> Arguments = takeBrackets(Rest))
      for (StringRef A : fortranList(*Arguments))
        here()->Arguments.push_back(A.str());
    return true;
  }

  // A main program needs no statement that says so.
  bool implicitProgram(StringRef, unsigned K) {
    if (Stack.empty())
      push(FortranProcedure::Program, {}, K);
    return false;
  }

  void declare(const FortranStatement &S, unsigned K) {
    FortranProcedure *P = here();
    if (!P)
      return;
    StringRef T = S.Text;
    if (T.starts_with("implicitnone")) {
      P->HasImplicitNone = true;
      return;
    }
    if (T.starts_with("include'") || T.starts_with("use")) {
      P->Includes = true;
      return;
    }
    if (T.consume_front("common")) {
      for (StringRef Part : fortranList(T)) {
        if (Part.consume_front("/"))
          Part = Part.drop_while([](char C) { return C != '/'; }).drop_front();
        entity(*P, Part, {}, S).Common = true;
      }
      return;
    }
    if (StringRef Rest = T; Rest.consume_front("parameter(") && Rest.consume_back(")")) {
      for (StringRef Part : fortranList(Rest))
        entity(*P, Part, {}, S).Parameter = true;
      return;
    }
    if (StringRef Rest = T; Rest.consume_front("dimension") && !Rest.starts_with("(")) {
      for (StringRef Part : fortranList(Rest))
        entity(*P, Part, {}, S);
      return;
    }
    if (StringRef Rest = T; Rest.consume_front("save") && outsideBrackets(Rest, '=') == StringRef::npos) {
      Rest.consume_front("::");
      for (StringRef Part : fortranList(Rest))
        entity(*P, Part, {}, S).Saved = true;
      return;
    }
    StringRef Type = takeType(T);
    if (Type.empty() || T.empty())
      return;
    FortranEntity Model;
    Model.Type = Type.str();
    if (std::size_t Colons = T.find("::"); Colons != StringRef::npos) {
      for (StringRef Attribute : fortranList(T.take_front(Colons).drop_while([](char C) { return C == ','; })))
        attribute(Attribute, Model);
      T = T.drop_front(Colons + 2);
    } else if (outsideBrackets(T, '=') != StringRef::npos || !isAlpha(T.front())) {
      return; // an assignment to something whose name begins like a type
    }
    for (StringRef Part : fortranList(T))
      entity(*P, Part, Model, S);
  }

  static void attribute(StringRef A, FortranEntity &E) {
    E.Allocatable |= A == "allocatable";
    E.Pointer |= A == "pointer";
    E.Parameter |= A == "parameter";
    E.Saved |= A == "save";
    if (A.consume_front("dimension") && A.starts_with("(") && A.ends_with(")"))
      E.Dimensions = A.drop_front().drop_back().str();
  }

  // name(dimensions)*length = value
  static FortranEntity &entity(FortranProcedure &P, StringRef Part, const FortranEntity &Model,
                               const FortranStatement &S) {
    StringRef Name = fortranBase(Part);
    StringRef Rest = Part.drop_front(Name.size());
    FortranEntity &E = P.Names[Name];
    if (!Model.Type.empty()) {
      const FortranEntity Before = E;
      E = Model;
      E.Saved |= Before.Saved;
      E.Common |= Before.Common;
      if (E.Dimensions.empty())
        E.Dimensions = Before.Dimensions;
    }
    if (!E.Line)
      E.Line = S.Line;
    if (std::optional<StringRef> Dimensions = takeBrackets(Rest))
      E.Dimensions = Dimensions->str();
    if (Rest.starts_with("="))
      E.Saved |= !E.Parameter; // what has a value at first is kept from call to call
    return E;
  }

  // --- loops and branches ------------------------------------------------------------------------------------------

  static FortranBlock::Kind kindOf(const FortranStatement &S, StringRef &Ends) {
    StringRef T = S.Text;
    if (S.IsLoop)
      return FortranBlock::Loop;
    if (outsideBrackets(T, '=') != StringRef::npos)
      return FortranBlock::Other;
    if (T.starts_with("if(") && T.ends_with(")then"))
      Ends = "endif";
    else if (T.starts_with("selectcase(") || T.starts_with("selecttype("))
      Ends = "endselect";
    else if (T.starts_with("where(") && T.ends_with(")"))
      Ends = "endwhere";
    return Ends.empty() ? FortranBlock::Other : FortranBlock::Branch;
  }

  void block(const FortranStatement &S, unsigned K) {
    if (Open.empty())
      return;
    int &Innermost = Open.back();
    // Loops end by line: several may end at one labelled statement.
    while (Innermost >= 0 && Out.Blocks[Innermost].K == FortranBlock::Loop &&
           S.Line > Text.statements()[Out.Blocks[Innermost].Begin].EndLine) {
      Out.Blocks[Innermost].End = K;
      Innermost = Out.Blocks[Innermost].Parent;
    }
    StringRef Ends;
    const FortranBlock::Kind Kind = kindOf(S, Ends);
    if (Kind != FortranBlock::Other) {
      Out.Blocks.push_back({Kind, K, unsigned(Text.statements().size()), Innermost});
      Innermost = int(Out.Blocks.size()) - 1;
    }
    Out.InBlock[K] = Innermost;
    StringRef T = S.Text;
    if (Innermost >= 0 && Out.Blocks[Innermost].K == FortranBlock::Branch &&
        (T.starts_with("endif") || T.starts_with("endselect") || T.starts_with("endwhere")) &&
        outsideBrackets(T, '=') == StringRef::npos) {
      Out.Blocks[Innermost].End = K + 1;
      Innermost = Out.Blocks[Innermost].Parent;
    }
  }

  FortranProcedures &Out;
  const FortranText &Text;
  SmallVector<int, 8> Stack, Open; // open units, and of each its innermost open block
};

FortranProcedures::FortranProcedures(const FortranText &Text) { FortranOutline(*this, Text).run(); }

const FortranEntity *FortranProcedures::find(unsigned Statement, StringRef Name) const {
  for (int P = of(Statement); P >= 0; P = Procedures[P].Parent)
    if (auto It = Procedures[P].Names.find(Name); It != Procedures[P].Names.end())
      return &It->second;
  return nullptr;
}

bool FortranProcedures::isOwn(unsigned Statement, StringRef Name) const {
  const int P = of(Statement);
  return P >= 0 && Procedures[P].Names.contains(Name);
}

const FortranBlock *FortranProcedures::loopAt(unsigned Statement) const {
  const int B = blockOf(Statement);
  return B >= 0 && Blocks[B].Begin == Statement && Blocks[B].K == FortranBlock::Loop ? &Blocks[B] : nullptr;
}

} // namespace stridewise
