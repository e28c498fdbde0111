#include "checks/mem-strided-inner-loop/FortranExchange.h"
#include "fortran/FortranLoops.h"
#include "unit/FixSafety.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

// What the language's standards and compilers take for a line.
constexpr unsigned MaxFixedColumns = 72, MaxFreeColumns = 132;

// What a header counts, as the text has it: `i = 1, n`.
struct Control {
  const FortranStatement *Loop = nullptr;
  unsigned Begin = 0, End = 0; // bytes of the file
  StringRef Text, Line;
  unsigned Columns = 0; // of the line's code
};

std::string squeezed(StringRef Text) {
  std::string Out;
  for (char C : Text)
    if (!isSpace(C))
      Out += toLower(C);
  return Out;
}

// A line that says something to a compiler, not to a reader.
bool isDirective(StringRef Line) {
  if (Line.starts_with("#"))
    return true;
  Line = Line.ltrim();
  if (Line.empty() || !StringRef("!cC*").contains(Line.front()))
    return false;
  Line = Line.drop_front();
  return Line.take_while([](char C) { return isAlpha(C); }).size() <= 4 &&
         Line.drop_while([](char C) { return isAlpha(C); }).starts_with("$");
}

bool mentions(StringRef Text, StringRef Name) { return is_contained(fortranNames(Text), Name); }

// Whether it declares names, and uses none of them.
bool isDeclaration(StringRef Text) {
  if (Text.contains("::"))
    return true;
  return outsideBrackets(Text, '=') == StringRef::npos &&
         any_of(
             std::initializer_list<StringRef>{"integer", "real", "doubleprecision", "complex", "logical", "character"},
             [&](StringRef W) { return Text.starts_with(W); });
}

class Exchange {
public:
  Exchange(ArrayRef<const FortranStatement *> Nest, Unit &U)
      : Nest(Nest), U(U), Text(fortranText(U)), Procedures(fortranProcedures(U)), Constructs(fortranConstructs(U)),
        File(U.sources().getBufferData(U.sources().getMainFileID())) {}

  std::optional<Fix> make() {
    if (!isPerfect() || !haveOwnBounds() || !countersStayInside() || !mayMove())
      return std::nullopt;
    for (const FortranStatement *Loop : Nest)
      if (std::optional<Control> C = controlOf(*Loop))
        Controls.push_back(*C);
      else
        return std::nullopt;
    std::optional<std::vector<Edit>> Edits = edits();
    if (!Edits)
      return std::nullopt;
    const std::string Outer = "'" + Nest.front()->Counters.front() + "'";
    const std::string Title = Nest.size() == 2
                                  ? "exchange the loops over " + Outer + " and '" + Nest.back()->Counters.front() + "'"
                                  : "make the loop over " + Outer + " the innermost one";
    Fix Result = safeFix(Title, std::move(*Edits), "every iteration reads and writes the same values in both orders");
    if (File.starts_with("#") || File.contains("\n#"))
      doubt(Result, "the preprocessor may make other code of the file, which was not analysed");
    if (Text.sharesStorage())
      doubt(Result, "arrays may overlap where the file has pointers, targets or storage with two names");
    return Result;
  }

private:
  unsigned number(const FortranStatement &S) const { return &S - Text.statements().data(); }
  StringRef textOf(unsigned Statement) const { return Text.statements()[Statement].Text; }

  // --- the nest --------------------------------------------------------------------------------------------------

  bool isPerfect() const {
    for (unsigned K = 0; K < Nest.size(); ++K)
      if (Nest[K]->Counters.size() != 1 || Nest[K]->Concurrent || Nest[K]->OnDevice)
        return false;
    for (unsigned K = 0; K + 1 < Nest.size(); ++K) {
      const FortranBlock *Outer = Procedures.loopAt(number(*Nest[K]));
      const FortranBlock *Inner = Procedures.loopAt(number(*Nest[K + 1]));
      if (!Outer || !Inner || Inner->Begin != Outer->Begin + 1 || !Nest[K + 1]->Directive.empty())
        return false;
      if (!endsAlone(*Outer) || !endsAlone(*Inner))
        return false;
      // Loops that a label ends may end together.
      const StringRef Last = textOf(Outer->End - 1);
      const bool Ends = Last.starts_with("enddo");
      if (Inner->End == Outer->End ? Ends : Inner->End + 1 != Outer->End || (!Ends && Last != "continue"))
        return false;
    }
    // A loop inside that is no part of the nest, since it was unrolled, would be the innermost one still.
    const FortranBlock &Last = *Procedures.loopAt(number(*Nest.back()));
    for (unsigned K = Last.Begin + 1; K < Last.End; ++K)
      if (Text.statements()[K].IsLoop)
        return false;
    return !holdsOtherLines();
  }

  // Whether the loop's last statement has a line of its own: ends of loops are known by their lines.
  bool endsAlone(const FortranBlock &Loop) const {
    const auto Statements = Text.statements();
    return Loop.End >= Loop.Begin + 2 && Statements[Loop.End - 1].Line > Statements[Loop.End - 2].Line;
  }

  // Directives of any compiler, and the preprocessor's: between the headers, in the nest, and in front of it.
  bool holdsOtherLines() const {
    SmallVector<StringRef, 0> Lines;
    File.split(Lines, '\n');
    const unsigned First = Nest.front()->Line, Inner = Nest.back()->Line;
    for (unsigned Line = First; Line <= Nest.front()->EndLine && Line <= Lines.size(); ++Line)
      if (Lines[Line - 1].starts_with("#") || (Line < Inner && isDirective(Lines[Line - 1])))
        return true;
    for (unsigned Line = First - 1; Line > 0; --Line) {
      const StringRef Above = Lines[Line - 1].trim();
      if (isDirective(Lines[Line - 1]))
        return !isShared();
      if (!Above.empty() && !Above.starts_with("!"))
        break;
    }
    return false;
  }

  bool isShared() const { return Nest.front()->isShared(); }

  // --- headers ---------------------------------------------------------------------------------------------------

  // Bounds that can be evaluated at any time: sums and products of numbers and scalars, none of them another counter.
  bool haveOwnBounds() const {
    for (const FortranStatement *Loop : Nest) {
      const StringRef Bounds = StringRef(Loop->Text).split('=').second;
      if (Bounds.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_+-*(),") != StringRef::npos)
        return false;
      for (StringRef Name : fortranNames(Bounds)) {
        if (any_of(Nest, [&](const FortranStatement *Other) { return Other->Counters.front() == Name; }))
          return false;
        if (isCalled(Bounds, Name))
          return false;
      }
    }
    return true;
  }

  // Whether brackets follow the name: an element of an array, or a function.
  static bool isCalled(StringRef Bounds, StringRef Name) {
    for (std::size_t At = Bounds.find(Name); At != StringRef::npos; At = Bounds.find(Name, At + 1))
      if (Bounds.drop_front(At + Name.size()).starts_with("("))
        return true;
    return false;
  }

  std::optional<Control> controlOf(const FortranStatement &Loop) const {
    const clang::SourceManager &SM = U.sources();
    const unsigned Start = SM.getFileOffset(headerOf(Loop, U).getBegin());
    StringRef Code = File.drop_front(Start).take_until([](char C) { return C == '\n' || C == '!' || C == ';'; });
    if (Text.isFixedForm() && Loop.Column + Code.rtrim().size() > MaxFixedColumns + 1)
      return std::nullopt;
    Code = Code.rtrim();
    if (squeezed(Code) != Loop.Text) // continued on another line
      return std::nullopt;
    StringRef Rest = Code.drop_front(2).ltrim();
    Rest = Rest.drop_while(isDigit).ltrim();
    Rest.consume_front(",");
    Rest = Rest.ltrim();
    Control C;
    C.Loop = &Loop;
    C.Text = Rest;
    C.Begin = Rest.data() - File.data();
    C.End = C.Begin + Rest.size();
    const std::size_t LineStart = File.rfind('\n', Start) + 1;
    C.Line = File.drop_front(LineStart).take_until([](char Each) { return Each == '\n' || Each == '\r'; });
    C.Columns = C.Line.take_until([](char Each) { return Each == '!'; }).rtrim().size();
    return C;
  }

  std::optional<std::vector<Edit>> edits() const {
    const clang::SourceManager &SM = U.sources();
    auto Entry = SM.getFileEntryRefForID(SM.getMainFileID());
    if (!Entry)
      return std::nullopt;
    std::vector<Edit> Out;
    const unsigned Most = Text.isFixedForm() ? MaxFixedColumns : MaxFreeColumns;
    for (unsigned K = 0; K < Controls.size(); ++K) {
      const Control &Old = Controls[K], &New = Controls[(K + 1) % Controls.size()];
      if (Old.Columns - Old.Text.size() + New.Text.size() > Most)
        return std::nullopt;
      if (K && Old.Loop->Line == Controls[K - 1].Loop->Line && Text.isFixedForm())
        return std::nullopt;
      Out.push_back({std::string(Entry->getFileEntry().tryGetRealPathName()), Old.Begin, Old.End, New.Text.str()});
    }
    if (Out.front().File.empty())
      return std::nullopt;
    return Out;
  }

  // --- counters --------------------------------------------------------------------------------------------------

  bool countersStayInside() const {
    const int Procedure = Procedures.of(number(*Nest.front()));
    if (Procedure < 0)
      return false;
    const FortranProcedure &P = Procedures.all()[Procedure];
    for (const FortranStatement *Loop : Nest)
      if (!isLocal(Loop->Counters.front(), number(*Loop), P) || isUsedOutside(Loop->Counters.front(), Procedure))
        return false;
    return true;
  }

  bool isLocal(StringRef Name, unsigned Statement, const FortranProcedure &P) const {
    const FortranEntity *E = Procedures.find(Statement, Name);
    if (!E) // of the default type, where nothing else may declare it
      return !P.HasImplicitNone && !P.Includes && P.Parent < 0 && Name.front() >= 'i' && Name.front() <= 'n';
    return Procedures.isOwn(Statement, Name) && StringRef(E->Type).starts_with("integer") && !E->isArray() &&
           !E->Argument && !E->Common && !E->Saved && !E->Pointer && !E->Allocatable && !E->ThreadPrivate;
  }

  // Whether a statement outside of all loops over it has the name: it sees what the last of these loops left.
  bool isUsedOutside(StringRef Name, int Procedure) const {
    for (unsigned K = 0; K < Text.statements().size(); ++K) {
      const int Here = Procedures.of(K);
      const bool Contained = Here >= 0 && Here != Procedure && isWithin(Here, Procedure);
      if ((Here != Procedure && !Contained) || (Contained && Procedures.isOwn(K, Name)))
        continue;
      const FortranStatement &S = Text.statements()[K];
      if (isDeclaration(S.Text))
        continue;
      StringRef Read = S.Text;
      if (S.IsLoop && is_contained(S.Counters, Name))
        Read = Read.split('=').second;
      if (mentions(Read, Name) && (Contained || !isInLoopOver(K, Name)))
        return true;
    }
    return false;
  }

  bool isWithin(int Procedure, int Around) const {
    while (Procedure >= 0 && Procedure != Around)
      Procedure = Procedures.all()[Procedure].Parent;
    return Procedure == Around;
  }

  bool isInLoopOver(unsigned Statement, StringRef Name) const {
    for (int B = Procedures.blockOf(Statement); B >= 0; B = Procedures.blocks()[B].Parent) {
      const FortranBlock &Block = Procedures.blocks()[B];
      if (Block.K == FortranBlock::Loop && Block.Begin != Statement &&
          is_contained(Text.statements()[Block.Begin].Counters, Name))
        return true;
    }
    return false;
  }

  // --- directives ------------------------------------------------------------------------------------------------

  // Constructs around that count several loops as one, keep the order of iterations, or hand on counters.
  bool mayMove() const {
    const unsigned First = number(*Nest.front());
    for (int C = Constructs.around(First); C >= 0; C = Constructs.all()[C].Parent) {
      const FortranConstruct &Around = Constructs.all()[C];
      if (Around.collapsed() > 1 || Around.has("ordered") || Around.has("lastprivate") || Around.has("linear") ||
          StringRef(Around.Name).contains("simd"))
        return false;
      if (Around.SharesLoop && Around.First == First && !onlyDivides(Around))
        return false;
    }
    if (Constructs.region(First) && any_of(Nest, [&](const FortranStatement *Loop) {
          return Constructs.sharing(number(*Loop), Loop->Counters.front()) != FortranSharing::Private;
        }))
      return false;
    return !isShared() || canBeShared();
  }

  static bool onlyDivides(const FortranConstruct &C) {
    return (C.Name == "parallel do" || C.Name == "do") && all_of(C.Clauses, [](const FortranClause &Clause) {
             return is_contained({"private", "shared", "default", "schedule", "num_threads", "if", "proc_bind"},
                                 StringRef(Clause.Name));
           });
  }

  // Nothing in the file counts on who has which iteration, and nothing in the nest does on which thread it runs.
  bool canBeShared() const {
    const unsigned First = number(*Nest.front());
    if (!Constructs.region(First) || Text.holdsDirective(*Nest.front()))
      return false;
    if (any_of(Constructs.all(), [](const FortranConstruct &C) { return C.has("nowait"); }))
      return false;
    return none_of(Text.statements(), [&](const FortranStatement &S) {
      return S.Line > Nest.front()->Line && S.Line <= Nest.front()->EndLine &&
             (StringRef(S.Text).contains("omp_") || StringRef(S.Text).starts_with("call") ||
              any_of(fortranNames(S.Text), [&](StringRef Name) { return Constructs.isThreadPrivate(Name); }));
    });
  }

  ArrayRef<const FortranStatement *> Nest;
  Unit &U;
  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  StringRef File;
  SmallVector<Control, 4> Controls;
};

} // namespace

std::optional<Fix> exchangeFortranLoops(ArrayRef<const FortranStatement *> Nest, Unit &U) {
  if (Nest.size() < 2)
    return std::nullopt;
  return Exchange(Nest, U).make();
}

} // namespace stridewise
