#include "fortran/Constructs.h"
#include "fortran/FortranLoops.h"
#include "unit/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

bool isName(char C) { return isAlnum(C) || C == '_'; }

// Words that make up directives' names. What follows them is clauses.
const StringSet<> &directiveWords() {
  static const StringSet<> Words{"parallel",     "do",     "simd",          "sections",  "section",  "workshare",
                                 "single",       "master", "masked",        "critical",  "atomic",   "barrier",
                                 "ordered",      "task",   "taskloop",      "taskwait",  "scope",    "taskgroup",
                                 "taskyield",    "flush",  "threadprivate", "target",    "teams",    "distribute",
                                 "declare",      "data",   "enter",         "exit",      "update",   "cancel",
                                 "cancellation", "point",  "loop",          "reduction", "requires", "end"};
  return Words;
}

// `paralleldo`, `enddo`: free form may leave out these blanks, fixed form any.
void splitJoined(StringRef Word, SmallVectorImpl<StringRef> &Into) {
  for (StringRef First : {"end", "parallel", "do", "target", "teams", "task", "distribute"})
    if (Word.starts_with(First) && Word != First && !directiveWords().contains(Word)) {
      StringRef Rest = Word.drop_front(First.size());
      SmallVector<StringRef, 4> Parts;
      splitJoined(Rest, Parts);
      if (all_of(Parts, [](StringRef P) { return directiveWords().contains(P); })) {
        Into.push_back(First);
        Into.append(Parts.begin(), Parts.end());
        return;
      }
    }
  Into.push_back(Word);
}

struct Directive {
  SmallVector<StringRef, 4> Words;
  std::vector<FortranClause> Clauses;
  std::string Argument; // of critical, threadprivate, flush
  bool Ends = false;
  bool has(StringRef W) const { return is_contained(Words, W); }
  std::string name() const { return join(Words, " "); }
};

std::string withoutBlanks(StringRef Text) {
  std::string Out;
  copy_if(Text, std::back_inserter(Out), [](char C) { return !isSpace(C); });
  return Out;
}

StringRef takeArguments(StringRef &Text) {
  Text = Text.ltrim();
  if (!Text.starts_with("("))
    return {};
  const std::size_t End = outsideBrackets(Text.drop_front(), ')');
  StringRef Inside = Text.drop_front().take_front(End);
  Text = End == StringRef::npos ? StringRef() : Text.drop_front(End + 2);
  return Inside;
}

Directive read(StringRef Text) {
  Directive D;
  bool Named = true; // names come first
  while (!(Text = Text.ltrim(" \t,")).empty()) {
    StringRef Word = Text.take_while(isName);
    if (Word.empty()) {
      Text = Text.drop_front();
      continue;
    }
    Text = Text.drop_front(Word.size());
    if (Named) {
      SmallVector<StringRef, 4> Parts;
      splitJoined(Word, Parts);
      // `reduction` and `ordered` are clauses, too, and so is what `atomic` is followed by.
      const bool IsClause =
          (Word == "reduction" && !D.has("declare")) ||
          (!D.Words.empty() && (Word == "ordered" || D.has("atomic") || D.has("taskgroup")) && !D.has("end")) ||
          !all_of(Parts, [](StringRef P) { return directiveWords().contains(P); });
      if (!IsClause) {
        D.Words.append(Parts.begin(), Parts.end());
        if (D.has("critical") || D.has("threadprivate") || D.has("flush"))
          D.Argument = withoutBlanks(takeArguments(Text));
        continue;
      }
      Named = false;
    }
    D.Clauses.push_back({Word.str(), withoutBlanks(takeArguments(Text))});
  }
  if (!D.Words.empty() && D.Words.front() == "end") {
    D.Ends = true;
    D.Words.erase(D.Words.begin());
  }
  return D;
}

// One line for each property, complexity 31.
void classify(const Directive &D, FortranConstruct &C) {
  C.Name = D.name();
  C.Device = D.has("target") || D.has("teams");
  C.StartsTeam = D.has("parallel");
  C.SharesLoop = D.has("do") || (D.has("loop") && !D.has("taskloop"));
  C.SharesOther = D.has("sections") || D.has("workshare");
  C.SameThread = D.has("master") || D.has("masked");
  C.OneThread = C.SameThread || D.has("single") || D.has("section") || D.has("task") || D.has("taskloop");
  C.Exclusive = D.has("critical") || D.has("atomic") || D.has("ordered");
  C.Tasks = D.has("task") || D.has("taskloop") || D.has("taskwait") || D.has("taskgroup") || D.has("taskyield");
  C.StandsAlone = D.has("barrier") || D.has("taskwait") || D.has("taskyield") || D.has("flush") || D.has("cancel") ||
                  D.has("cancellation") || D.has("threadprivate") || D.has("declare") || D.has("requires") ||
                  D.has("enter") || D.has("exit") || D.has("update");
  C.EndsWithBarrier = C.StartsTeam || C.SharesLoop || C.SharesOther || D.has("single");
  C.Clauses = D.Clauses;
  if (!D.Argument.empty())
    C.Clauses.push_back({"", D.Argument});
}

// Constructs about the loop behind them.
bool isAboutLoop(const FortranConstruct &C) {
  return C.SharesLoop || StringRef(C.Name).contains("simd") || StringRef(C.Name).contains("taskloop") ||
         StringRef(C.Name).contains("distribute");
}

} // namespace

std::optional<StringRef> FortranConstruct::clause(StringRef Wanted) const {
  for (const FortranClause &C : Clauses)
    if (C.Name == Wanted)
      return StringRef(C.Arguments);
  return std::nullopt;
}

unsigned FortranConstruct::collapsed() const {
  unsigned Loops = 1;
  if (std::optional<StringRef> Number = clause("collapse"); Number && !Number->getAsInteger(10, Loops))
    return std::max(1U, Loops);
  return 1;
}

class FortranConstructReader {
public:
  FortranConstructReader(FortranConstructs &Out) : Out(Out), Statements(Out.Text.statements()) {}

  void run() {
    for (const FortranDirective &D : Out.Text.directives()) {
      Meter::count();
      if (!D.OpenMP)
        continue;
      leave(D.Next);
      take(D, read(D.Text));
    }
    leave(Statements.size());
    Out.Around.assign(Statements.size(), -1);
    // Inner ones come later.
    for (unsigned K = 0; K < Out.Constructs.size(); ++K)
      for (unsigned S = Out.Constructs[K].First; S < Out.Constructs[K].Last && S < Statements.size(); ++S)
        Out.Around[S] = int(K);
  }

private:
  FortranConstruct &top() { return Out.Constructs[Stack.back()]; }

  // Constructs that end by themselves: with their loop, and all of them with their procedure.
  void leave(unsigned Next) {
    while (!Stack.empty()) {
      FortranConstruct &C = top();
      const int Owner = Out.Procedures.of(C.First);
      const unsigned Until = Owner >= 0 ? Out.Procedures.all()[Owner].Last : unsigned(Statements.size());
      if (C.Last ? C.Last > Next : Until > Next)
        return;
      if (!C.Last)
        C.Last = Until;
      Ended = Stack.pop_back_val();
    }
  }

  void take(const FortranDirective &D, const Directive &Said) {
    if (Said.Ends)
      return end(D, Said);
    FortranConstruct C;
    classify(Said, C);
    C.Line = D.Line;
    C.Column = D.Column;
    C.EndLine = D.LastLine;
    C.First = D.Next;
    if (Said.has("threadprivate"))
      for (const FortranClause &Clause : C.Clauses)
        for (StringRef Name : fortranNames(Clause.Arguments))
          Out.ThreadPrivate.insert(Name);
    if (C.Name == "section" && !Stack.empty() && top().Name == "section") {
      top().Last = D.Next;
      Stack.pop_back();
    }
    C.Parent = Stack.empty() ? -1 : Stack.back();
    if (C.StandsAlone || D.Next >= Statements.size())
      C.Last = C.First;
    else if (isAboutLoop(C))
      C.Last = Statements[D.Next].IsLoop ? behind(Statements[D.Next].EndLine, D.Next) : C.First;
    else if (C.isAtomic())
      C.Last = D.Next + 1;
    if (C.Last > C.First)
      C.EndLine = Statements[C.Last - 1].EndLine;
    Out.Constructs.push_back(std::move(C));
    const FortranConstruct &Kept = Out.Constructs.back();
    if (Kept.Last != Kept.First)
      Stack.push_back(int(Out.Constructs.size()) - 1);
  }

  // The first statement behind the line.
  unsigned behind(unsigned Line, unsigned From) const {
    while (From < Statements.size() && Statements[From].Line <= Line)
      ++From;
    return From;
  }

  void end(const FortranDirective &D, const Directive &Said) {
    const std::string Name = Said.name();
    auto Matches = [&](const FortranConstruct &C) {
      return C.Name == Name || (C.isAtomic() && Name == "atomic") || (C.isCritical() && Said.has("critical"));
    };
    auto Finish = [&](FortranConstruct &C) {
      C.EndLine = D.LastLine;
      C.Clauses.insert(C.Clauses.end(), Said.Clauses.begin(), Said.Clauses.end());
    };
    if (Ended >= 0 && Matches(Out.Constructs[Ended]) && Out.Constructs[Ended].Last == D.Next)
      return Finish(Out.Constructs[Ended]);
    auto Open = find_if(reverse(Stack), [&](int K) { return Matches(Out.Constructs[K]); });
    if (Open == Stack.rend()) {
      // An atomic construct whose second statement comes before its end.
      if (Ended >= 0 && Matches(Out.Constructs[Ended]) && Out.Constructs[Ended].isAtomic()) {
        Out.Constructs[Ended].Last = D.Next;
        Finish(Out.Constructs[Ended]);
      }
      return;
    }
    const int Wanted = *Open;
    while (!Stack.empty()) {
      const int K = Stack.pop_back_val();
      Out.Constructs[K].Last = D.Next;
      if (K == Wanted)
        break;
    }
    Finish(Out.Constructs[Wanted]);
  }

  FortranConstructs &Out;
  ArrayRef<FortranStatement> Statements;
  SmallVector<int, 8> Stack;
  int Ended = -1; // the one that ended last by itself
};

FortranConstructs::FortranConstructs(const FortranText &Text, const FortranProcedures &Procedures, bool Heeded)
    : Text(Text), Procedures(Procedures) {
  if (Heeded)
    FortranConstructReader(*this).run();
}

const FortranConstruct *FortranConstructs::parent(const FortranConstruct &C) const {
  return C.Parent >= 0 ? &Constructs[C.Parent] : nullptr;
}

const FortranConstruct *FortranConstructs::region(unsigned Statement) const {
  for (int K = around(Statement); K >= 0; K = Constructs[K].Parent)
    if (Constructs[K].StartsTeam)
      return &Constructs[K];
  return nullptr;
}

// What one construct's clauses say of the variable.
static FortranSharing said(const FortranConstruct &C, StringRef Name) {
  for (const FortranClause &Clause : C.Clauses) {
    StringRef Names = Clause.Arguments;
    if (std::size_t Colon = outsideBrackets(Names, ':'); Colon != StringRef::npos && Clause.Name != "shared")
      Names = Clause.Name == "linear" ? Names.take_front(Colon) : Names.drop_front(Colon + 1);
    if (none_of(fortranList(Names), [&](StringRef N) { return fortranBase(N) == Name; }))
      continue;
    if (Clause.Name == "shared" || Clause.Name == "copyprivate")
      return FortranSharing::Shared;
    if (StringRef(Clause.Name).ends_with("private") || Clause.Name == "linear" || Clause.Name == "copyin")
      return FortranSharing::Private;
    if (StringRef(Clause.Name).ends_with("reduction"))
      return FortranSharing::Reduced;
  }
  return FortranSharing::Unknown;
}

FortranSharing FortranConstructs::sharing(unsigned Statement, StringRef Name) const {
  if (isThreadPrivate(Name))
    return FortranSharing::Private;
  for (int K = around(Statement); K >= 0; K = Constructs[K].Parent) {
    const FortranConstruct &C = Constructs[K];
    if (FortranSharing S = said(C, Name); S != FortranSharing::Unknown)
      return S;
    if (!C.StartsTeam)
      continue;
    // The counters of the loops around, within the construct, are private, shared or not.
    for (int B = Procedures.blockOf(Statement); B >= 0; B = Procedures.blocks()[B].Parent) {
      const FortranBlock &Block = Procedures.blocks()[B];
      if (Block.Begin < C.First)
        break;
      if (Block.K == FortranBlock::Loop && is_contained(Text.statements()[Block.Begin].Counters, Name))
        return FortranSharing::Private;
    }
    if (std::optional<StringRef> Default = C.clause("default"))
      return *Default == "shared"                                  ? FortranSharing::Shared
             : *Default == "private" || *Default == "firstprivate" ? FortranSharing::Private
                                                                   : FortranSharing::Unknown;
    return FortranSharing::Shared;
  }
  return FortranSharing::Unknown;
}

const FortranProcedures &fortranProcedures(Unit &U) {
  return U.fact<FortranProcedures>([&] { return FortranProcedures(fortranText(U)); });
}

const FortranConstructs &fortranConstructs(Unit &U) {
  return U.fact<FortranConstructs>(
      [&] { return FortranConstructs(fortranText(U), fortranProcedures(U), U.hasFortranOpenMP()); });
}

} // namespace stridewise
