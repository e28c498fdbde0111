#include "fortran/SourceText.h"
#include "unit/Meter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned FixedStatementColumn = 6; // counted from 0; the one before it marks continued lines

bool isName(char C) { return isAlnum(C) || C == '_'; }

// Where, outside of brackets, the character stands first; npos where it does not.
std::size_t outside(StringRef Text, char Wanted, std::size_t From = 0) {
  int Depth = 0;
  for (std::size_t I = From; I < Text.size(); ++I) {
    if (Text[I] == Wanted && Depth == 0)
      return I;
    Depth += Text[I] == '(' || Text[I] == '[';
    Depth -= Text[I] == ')' || Text[I] == ']';
  }
  return StringRef::npos;
}

} // namespace

class FortranScanner {
public:
  FortranScanner(FortranText &Out, bool Fixed) : Out(Out), Fixed(Fixed) {}

  void run(StringRef Text) {
    unsigned Line = 0;
    while (!Text.empty()) {
      StringRef Now;
      std::tie(Now, Text) = Text.split('\n');
      take(Now.rtrim('\r'), ++Line);
    }
    finish();
    for (unsigned K = 0; K < Out.Statements.size(); ++K)
      Out.ByLine[Out.Statements[K].Line].push_back(K);
  }

private:
  struct OpenLoop {
    unsigned Statement, Label;
  };

  // --- lines -----------------------------------------------------------------------------------------------------

  void take(StringRef Now, unsigned Line) {
    if (Now.starts_with("#"))
      return;
    StringRef Trimmed = Now.ltrim();
    if (Trimmed.empty())
      return;
    if (isComment(Now, Trimmed))
      return directive(Trimmed.drop_front(), Line, Now.size() - Trimmed.size() + 1);
    std::size_t Start = Now.size() - Trimmed.size();
    bool Continues;
    if (Fixed) {
      Continues = Now.size() > FixedStatementColumn - 1 && !Now.starts_with("\t") && Now[5] != ' ' && Now[5] != '0' &&
                  Now.take_front(5).trim().empty();
      if (Continues)
        Start = FixedStatementColumn;
    } else {
      Continues = Open;
      if (Continues && Trimmed.starts_with("&"))
        ++Start;
    }
    if (!Continues)
      finish();
    append(Now, Start, Line);
  }

  bool isComment(StringRef Now, StringRef Trimmed) const {
    if (Trimmed.starts_with("!"))
      return !(Fixed && Now.size() - Trimmed.size() == 5); // a mark of a continued line
    return Fixed && StringRef("cC*dD").contains(Now.front());
  }

  void append(StringRef Now, std::size_t Start, unsigned Line) {
    Open = false;
    if (Quote && !Fixed && Text.empty())
      Quote = 0;
    for (std::size_t I = Start; I < Now.size(); ++I) {
      char C = Now[I];
      if (Quote) {
        if (C == Quote)
          Quote = 0;
        else if (C == '&' && !Fixed && Now.drop_front(I + 1).trim().empty())
          Open = true;
        continue;
      }
      if (C == '!')
        break;
      if (C == '\'' || C == '"') {
        Quote = C;
        Text += '\'';
        continue;
      }
      if (C == '&' && !Fixed) {
        Open = true;
        continue;
      }
      if (C == ';') {
        statement();
        continue;
      }
      if (isSpace(C))
        continue;
      if (Text.empty()) {
        Begin = Line;
        BeginColumn = I + 1;
      }
      Text += toLower(C);
      Columns.push_back(I + 1);
      Last = Line;
    }
    if (!Open)
      Quote = 0;
    if (!Fixed && !Open)
      finish();
  }

  void finish() {
    statement();
    Open = false;
    Quote = 0;
  }

  // --- directives ------------------------------------------------------------------------------------------------

  void directive(StringRef Behind, unsigned Line, unsigned Column) {
    if (!Behind.consume_front("$"))
      return;
    std::string Words = Behind.take_until([](char C) { return C == '!'; }).lower();
    StringRef Text = Words;
    StringRef Kind = Text.take_front(3);
    if (Kind != "omp" && Kind != "acc")
      return;
    Text = Text.drop_front(3);
    const bool Continues = Text.ltrim().starts_with("&") || (Fixed && !Text.empty() && !isSpace(Text.front())) ||
                           (!Fixed && OpenDirective);
    OpenDirective = !Fixed && Text.rtrim().ends_with("&");
    if (Continues && !Out.Directives.empty()) {
      if (Fixed)
        Text = Text.drop_front(); // the mark of a continued line
      const std::string More = " " + Text.trim(" \t&").str();
      Out.Directives.back().Text += More;
      Out.Directives.back().LastLine = Line;
      if (!Pending.empty())
        Pending += More;
      return;
    }
    Text = Text.trim(" \t&");
    statement();
    Out.Directives.push_back({Line, Column, Line, unsigned(Out.Statements.size()), Kind == "omp", Text.str()});
    if (Kind == "omp") {
      team(Text);
      turns(Text);
    }
    if (Kind == "acc")
      offload(Text, Kind, {"kernels", "parallel", "serial"}, "routine");
    else
      offload(Text, Kind, {"target"}, "declare target");
    if (!Text.starts_with("end"))
      Pending = (Pending.empty() ? "" : Pending + " ") + (Kind + " " + Text).str();
  }

  // Where several threads are, each at a place of its own: regions that are no loop's, and what one thread of a team
  // does for all.
  void team(StringRef Text) {
    const bool Ends = Text.consume_front("end");
    Text = Text.ltrim();
    StringRef Word = Text.take_while(isName);
    StringRef Next = Text.drop_front(Word.size()).ltrim().take_while(isName);
    const bool OneThread = Word == "master" || Word == "masked" || Word == "single" || Word == "task";
    if (!OneThread && (Word != "parallel" || Next == "do"))
      return;
    if (!Ends)
      ++Teams;
    else if (Teams)
      --Teams;
  }

  // Parallel regions that are no loop's, and what one thread at a time, or the main one alone, does in a team. A
  // section is another thread's than the next.
  void turns(StringRef Text) {
    const bool Ends = Text.consume_front("end");
    Text = Text.ltrim();
    const StringRef Word = Text.take_while(isName);
    const StringRef Next = Text.drop_front(Word.size()).ltrim().take_while(isName);
    if (Word == "parallel" && Next != "do") {
      Parallels = Ends ? Parallels - (Parallels > 0) : Parallels + 1;
      return;
    }
    const bool IsMain = Word == "master" || Word == "masked";
    if (!IsMain && Word != "single" && Word != "critical" && Word != "ordered")
      return;
    if (!Ends)
      Turns.push_back(IsMain ? FortranStatement::Main : FortranStatement::InTurn);
    else if (!Turns.empty())
      Turns.pop_back();
  }

  // Regions for devices have an end of their own unless they are about the loop that follows.
  void offload(StringRef Text, StringRef Kind, std::initializer_list<StringRef> Regions, StringRef Procedure) {
    if (Text.starts_with(Procedure)) {
      DeviceProcedure = true;
      return;
    }
    StringRef Ends = Text;
    if (Ends.consume_front("end")) {
      Ends = Ends.ltrim();
      if (any_of(Regions, [&](StringRef R) { return Ends.starts_with(R); }) && DeviceRegions)
        --DeviceRegions;
      return;
    }
    SmallVector<StringRef, 8> Words;
    Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
    bool AboutLoop = any_of(Words, [](StringRef W) { return W == "loop" || W == "do" || W.starts_with("simd"); });
    bool Moves = Words.size() > 1 && any_of(std::initializer_list<StringRef>{"data", "update", "enter", "exit"},
                                            [&](StringRef W) { return Words[1].starts_with(W); });
    if (!Moves && !AboutLoop && any_of(Regions, [&](StringRef R) { return Text.starts_with(R); }))
      ++DeviceRegions;
  }

  // --- statements ------------------------------------------------------------------------------------------------

  void statement() {
    if (Text.empty())
      return;
    FortranStatement S;
    S.Line = Begin;
    S.EndLine = Last;
    StringRef Rest = Text;
    StringRef Digits = Rest.take_while(isDigit);
    unsigned Label = 0;
    if (!Digits.empty() && !Digits.getAsInteger(10, Label))
      Rest = Rest.drop_front(Digits.size());
    StringRef Name = Rest.take_while(isName);
    if (StringRef Behind = Rest.drop_front(Name.size());
        !Name.empty() && Behind.starts_with(":") && !Behind.starts_with("::") && Behind.drop_front().starts_with("do"))
      Rest = Behind.drop_front();
    std::size_t Skipped = Text.size() - Rest.size();
    S.FirstColumn = BeginColumn;
    S.Column = Skipped < Columns.size() ? Columns[Skipped] : BeginColumn;
    S.Text = Rest.str();
    S.Directive = std::move(Pending);
    Pending.clear();
    S.OnDevice = DeviceRegions || DeviceProcedure || StringRef(S.Directive).contains("acc ") ||
                 StringRef(S.Directive).contains("omp target");
    S.InTeam = Teams;
    S.InParallel = Parallels || any_of(Loops, [&](const OpenLoop &L) {
                     return StringRef(Out.Statements[L.Statement].Directive).contains("parallel");
                   });
    S.Who = Turns.empty() ? FortranStatement::All : Turns.back();
    S.EndsProcedure = endsProcedure(Rest);
    unsigned EndLabel = readLoop(Rest, S);
    bool IsLoop = S.IsLoop, EndsProcedure = S.EndsProcedure;
    unsigned LastLine = Last;
    unsigned Index = Out.Statements.size();
    Out.Statements.push_back(std::move(S));
    if (IsLoop)
      Loops.push_back({Index, EndLabel});
    else if (Rest.starts_with("enddo") && outside(Rest, '=') == StringRef::npos)
      close(LastLine);
    else if (EndsProcedure) {
      Loops.clear();
      Turns.clear();
      Teams = Parallels = 0;
      DeviceProcedure = false;
      DeviceRegions = 0;
    }
    while (Label && !Loops.empty() && Loops.back().Label == Label)
      close(LastLine);
    Text.clear();
    Columns.clear();
  }

  static bool endsProcedure(StringRef Rest) {
    if (!Rest.consume_front("end") || outside(Rest, '=') != StringRef::npos)
      return false;
    return Rest.empty() || any_of(std::initializer_list<StringRef>{"subroutine", "function", "program", "procedure"},
                                  [&](StringRef W) { return Rest.starts_with(W); });
  }

  void close(unsigned Line) {
    if (Loops.empty())
      return;
    Out.Statements[Loops.back().Statement].EndLine = Line;
    Loops.pop_back();
  }

  // Marks a DO statement; \returns the label of its last statement, 0 where it ends with END DO.
  static unsigned readLoop(StringRef Rest, FortranStatement &S) {
    unsigned Label = 0;
    if (!Rest.consume_front("do"))
      return 0;
    StringRef Digits = Rest.take_while(isDigit);
    if (!Digits.empty() && Digits.getAsInteger(10, Label))
      return 0;
    Rest = Rest.drop_front(Digits.size());
    Rest.consume_front(",");
    if (Rest.empty() || (Rest.starts_with("while(") && outside(Rest, '=') == StringRef::npos)) {
      S.IsLoop = true;
      return Label;
    }
    if (Rest.starts_with("concurrent(") && outside(Rest, '=') == StringRef::npos) {
      S.IsLoop = S.Concurrent = true;
      readHeader(Rest.drop_front(StringRef("concurrent").size()), S);
      return Label;
    }
    StringRef Name = Rest.take_while(isName);
    StringRef Bounds = Rest.drop_front(Name.size());
    if (Name.empty() || isDigit(Name.front()) || !Bounds.consume_front("=") || outside(Bounds, ',') == StringRef::npos)
      return 0;
    S.IsLoop = true;
    S.Counters.push_back(Name.str());
    return Label;
  }

  // (integer :: i = 1:n, j = 1:m, mask)
  static void readHeader(StringRef Header, FortranStatement &S) {
    Header = Header.drop_front();
    Header = Header.take_front(outside(Header, ')'));
    if (std::size_t Type = Header.find("::"); Type != StringRef::npos && Type < Header.find('='))
      Header = Header.drop_front(Type + 2);
    while (!Header.empty()) {
      std::size_t Comma = outside(Header, ',');
      StringRef Item = Header.take_front(Comma);
      StringRef Name = Item.take_while(isName);
      StringRef Range = Item.drop_front(Name.size());
      if (Range.consume_front("=") && !Range.starts_with("=") && outside(Range, ':') != StringRef::npos)
        S.Counters.push_back(Name.str());
      Header = Comma == StringRef::npos ? StringRef() : Header.drop_front(Comma + 1);
    }
  }

  FortranText &Out;
  bool Fixed;
  bool Open = false;          // the next line goes on with the statement, in free form
  bool OpenDirective = false; // the same of a directive
  char Quote = 0;
  std::string Text, Pending;
  SmallVector<unsigned, 64> Columns; // of the characters of Text
  unsigned Begin = 0, BeginColumn = 0, Last = 0, DeviceRegions = 0, Teams = 0, Parallels = 0;
  SmallVector<FortranStatement::Threads, 4> Turns;
  bool DeviceProcedure = false;
  SmallVector<OpenLoop, 8> Loops;
};

FortranText::FortranText(StringRef Text, bool FixedForm) : Fixed(FixedForm) {
  FortranScanner(*this, FixedForm).run(Text);
}

const FortranStatement *FortranText::at(unsigned Line, unsigned Column) const {
  auto It = ByLine.find(Line);
  if (It == ByLine.end())
    return nullptr;
  for (unsigned K : It->second)
    if (Statements[K].Column == Column || Statements[K].FirstColumn == Column)
      return &Statements[K];
  return nullptr;
}

static bool callsProcedure(StringRef Text, StringRef Procedure) {
  if (Procedure.empty())
    return true;
  for (std::size_t At = Text.find(Procedure); At != StringRef::npos; At = Text.find(Procedure, At + 1)) {
    StringRef Before = Text.take_front(At), Behind = Text.drop_front(At + Procedure.size());
    const bool Ends = Behind.empty() || !isName(Behind.front());
    if (Ends && (Before.empty() || !isName(Before.back()) || Before.ends_with("call")))
      return true;
  }
  return false;
}

const FortranStatement *FortranText::calling(unsigned Line, StringRef Procedure) const {
  auto After = upper_bound(Statements, Line, [](unsigned L, const FortranStatement &S) { return L < S.Line; });
  while (After != Statements.begin()) {
    const FortranStatement &S = *--After;
    if (S.IsLoop)
      continue;
    if (S.EndLine < Line)
      break;
    if (callsProcedure(S.Text, Procedure))
      return &S;
  }
  return nullptr;
}

std::vector<const FortranStatement *> FortranText::callsOf(StringRef Procedure) const {
  std::vector<const FortranStatement *> Out;
  for (const FortranStatement &S : Statements) {
    Meter::count();
    StringRef Text = S.Text;
    if (!Procedure.empty() && callsProcedure(Text, Procedure) && !Text.starts_with("end") && !Text.contains("::") &&
        !Text.contains(("subroutine" + Procedure).str()) && !Text.contains(("function" + Procedure).str()))
      Out.push_back(&S);
  }
  return Out;
}

static SmallVector<StringRef, 8> wordsOf(StringRef Directive) {
  SmallVector<StringRef, 8> Words;
  Directive.split(Words, ' ', -1, /*KeepEmpty=*/false);
  return Words;
}

bool FortranStatement::isShared() const {
  return any_of(wordsOf(Directive), [](StringRef W) { return W == "do" || W.starts_with("do(") || W == "paralleldo"; });
}

bool FortranText::holdsDirective(const FortranStatement &Loop) const {
  return any_of(Statements, [&](const FortranStatement &S) {
    const SmallVector<StringRef, 8> Words = wordsOf(S.Directive);
    return S.Line > Loop.Line && S.Line <= Loop.EndLine && Words.size() > 1 && Words[0] == "omp" &&
           !Words[1].starts_with("simd");
  });
}

// Of `do k = from, to, by`: empty where the header has none.
namespace {
struct DoBounds {
  StringRef From, To, By;
  explicit DoBounds(const FortranStatement &S) {
    const std::size_t Equals = StringRef(S.Text).find('=');
    if (S.Concurrent || S.Counters.size() != 1 || Equals == StringRef::npos)
      return;
    StringRef Rest = StringRef(S.Text).drop_front(Equals + 1);
    for (StringRef *Part : {&From, &To, &By}) {
      const std::size_t Comma = outside(Rest, ',');
      *Part = Rest.take_front(Comma);
      Rest = Comma == StringRef::npos ? StringRef() : Rest.drop_front(Comma + 1);
    }
  }
  bool byOne() const { return By.empty() || By == "1" || By == "-1"; }
};
} // namespace

StringRef FortranStatement::start() const { return DoBounds(*this).From; }

std::optional<std::int64_t> FortranStatement::iterations() const {
  const DoBounds Bounds(*this);
  std::int64_t From = 0, To = 0;
  if (Bounds.By.empty() && !Bounds.From.getAsInteger(10, From) && !Bounds.To.getAsInteger(10, To))
    return To - From + 1;
  return std::nullopt;
}

std::vector<std::string> FortranStatement::sections() const {
  std::vector<std::string> Out;
  SmallVector<std::size_t, 4> Open; // brackets
  StringRef Rest = Text;
  for (std::size_t I = 0; I < Rest.size(); ++I) {
    if (Rest[I] == '(') {
      Open.push_back(I);
    } else if (Rest[I] == ')' && !Open.empty()) {
      const std::size_t Begin = Open.pop_back_val();
      const StringRef Inside = Rest.slice(Begin + 1, I);
      if (Open.empty() || outside(Inside, ':') == StringRef::npos)
        continue;
      std::size_t Name = Begin;
      while (Name && (isName(Rest[Name - 1]) || Rest[Name - 1] == '%'))
        --Name;
      std::size_t End = I + 1; // "a(:)%x" with its component
      while (End < Rest.size() && Rest[I + 1] == '%' && (isName(Rest[End]) || Rest[End] == '%'))
        ++End;
      if (Name < Begin)
        Out.push_back(Rest.slice(Name, End).str());
    }
  }
  return Out;
}

static bool namesAny(StringRef Expression, ArrayRef<StringRef> Names) {
  while (!Expression.empty()) {
    Expression = Expression.drop_until(isName);
    const StringRef Word = Expression.take_while(isName);
    if (is_contained(Names, Word))
      return true;
    Expression = Expression.drop_front(Word.size());
  }
  return false;
}

bool FortranText::namesComponent(const FortranStatement &Loop, StringRef Component) const {
  return any_of(Statements, [&](const FortranStatement &S) {
    if (S.Line <= Loop.Line || S.Line > Loop.EndLine)
      return false;
    SmallVector<StringRef, 8> Parts;
    StringRef(S.Text).split(Parts, '%');
    return any_of(drop_begin(Parts), [&](StringRef Part) { return Part.take_while(isName) == Component; });
  });
}

bool FortranText::goesByBlocks(const FortranStatement &Loop) const {
  const DoBounds Own(Loop);
  if (Own.From.empty())
    return false;
  // What begins a block: the counter, or its product with the blocks' length.
  SmallVector<StringRef, 4> Begins{Loop.Counters.front()};
  const auto Begin = [&](StringRef Expression) {
    return namesAny(Expression, Begins) && (!Own.byOne() || Begins.size() > 1 || Expression.contains('*'));
  };
  for (const FortranStatement &S : Statements) {
    if (S.Line <= Loop.Line || S.Line > Loop.EndLine)
      continue;
    if (S.IsLoop) {
      const DoBounds Inner(S);
      const bool Length = !Own.byOne() && Inner.byOne() && (Inner.To == Own.By || namesAny(Inner.To, {Own.By}));
      if (!Inner.From.empty() && (Begin(Inner.From) || Length))
        return true;
      continue;
    }
    const StringRef Name = StringRef(S.Text).take_while(isName);
    const StringRef Behind = StringRef(S.Text).drop_front(Name.size());
    if (!Name.empty() && Behind.starts_with("=") && !Behind.starts_with("==") && Begin(Behind.drop_front()))
      Begins.push_back(Name);
  }
  return false;
}

bool FortranText::isInLoop(const FortranStatement &S) const {
  return any_of(Statements, [&](const FortranStatement &Loop) {
    return Loop.IsLoop && Loop.Line < S.Line && S.Line < Loop.EndLine;
  });
}

unsigned FortranText::endOfProcedure(unsigned Line) const {
  auto It = lower_bound(Statements, Line, [](const FortranStatement &S, unsigned L) { return S.Line < L; });
  bool InInterface = false;
  for (; It != Statements.end(); ++It) {
    StringRef Text = It->Text;
    if (Text.starts_with("endinterface"))
      InInterface = false;
    else if (Text == "abstractinterface" || (Text.starts_with("interface") && !Text.contains('=')))
      InInterface = true;
    else if (It->EndsProcedure && !InInterface)
      return It->EndLine;
  }
  return Line;
}

constexpr std::size_t LongestArgument = 60;

std::string FortranStatement::argumentOfCall(unsigned Position) const {
  StringRef Rest = Text;
  // `if (c) call send(…)`: the condition comes in brackets first.
  if (Rest.starts_with("if("))
    Rest = Rest.drop_front(std::min(Rest.size(), outside(Rest.drop_front(3), ')') + StringRef("if()").size()));
  if (!Rest.consume_front("call"))
    return {};
  Rest = Rest.drop_until([](char C) { return C == '('; });
  if (!Rest.consume_front("("))
    return {};
  Rest = Rest.take_front(outside(Rest, ')'));
  for (; Position; --Position) {
    std::size_t Comma = outside(Rest, ',');
    if (Comma == StringRef::npos)
      return {};
    Rest = Rest.drop_front(Comma + 1);
  }
  Rest = Rest.take_front(outside(Rest, ','));
  return Rest.size() > LongestArgument || Rest.contains('\'') ? std::string() : Rest.str();
}

unsigned FortranText::lastLine(unsigned Line) const {
  unsigned Last = Line;
  if (auto It = ByLine.find(Line); It != ByLine.end())
    for (unsigned K : It->second)
      if (!Statements[K].IsLoop)
        Last = std::max(Last, Statements[K].EndLine);
  return Last;
}

bool FortranText::sharesStorage() const {
  return any_of(Statements, [](const FortranStatement &S) {
    StringRef Text = S.Text;
    return Text.starts_with("equivalence(") || Text.contains("=>") || Text.contains("c_f_pointer(") ||
           (Text.contains("::") && (Text.contains(",target") || Text.contains(",pointer")));
  });
}

bool isFixedForm(StringRef File) {
  return StringSwitch<bool>(sys::path::extension(File).lower())
      .Cases(".f", ".for", ".ftn", ".f77", ".fpp", true)
      .Default(false);
}

} // namespace stridewise
