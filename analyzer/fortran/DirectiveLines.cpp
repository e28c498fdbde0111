#include "fortran/DirectiveLines.h"
#include "fortran/FortranLoops.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

// What the language's standards and compilers take for a line.
constexpr unsigned MaxFixedColumns = 72, MaxFreeColumns = 132;

// A directive that has a line of its own; offsets are bytes of the file.
struct DirectiveLine {
  std::string File;
  StringRef Text;                            // without the line's end
  unsigned Begin = 0, TextEnd = 0, Next = 0; // of the line, behind its text, of the line after it
  unsigned Most = 0;                         // columns
};

std::optional<DirectiveLine> lineOf(unsigned Line, StringRef Words, Unit &U) {
  const clang::SourceManager &SM = U.sources();
  const FortranText &Text = fortranText(U);
  const auto D = find_if(Text.directives(), [&](const FortranDirective &X) { return X.Line == Line; });
  if (D == Text.directives().end() || !D->OpenMP || D->LastLine != Line || !StringRef(D->Text).starts_with(Words))
    return std::nullopt;
  const StringRef File = SM.getBufferData(SM.getMainFileID());
  if (File.starts_with("#") || File.contains("\n#"))
    return std::nullopt;
  auto Entry = SM.getFileEntryRefForID(SM.getMainFileID());
  DirectiveLine L;
  L.File = Entry ? std::string(Entry->getFileEntry().tryGetRealPathName()) : std::string();
  L.Begin = SM.getFileOffset(SM.translateLineCol(SM.getMainFileID(), Line, 1));
  const std::size_t End = File.find('\n', L.Begin);
  if (L.File.empty() || End == StringRef::npos)
    return std::nullopt;
  L.Text = File.slice(L.Begin, End).rtrim();
  L.TextEnd = L.Begin + L.Text.size();
  L.Next = End + 1;
  L.Most = Text.isFixedForm() ? MaxFixedColumns : MaxFreeColumns;
  // The sentinel is the only mark of a comment.
  if (L.Text.ltrim().drop_front().contains('!') || L.Text.contains('&') || L.Text.size() > L.Most)
    return std::nullopt;
  return L;
}

// The line of the directive that ends the construct; nothing where none does.
std::optional<unsigned> endLine(const FortranConstruct &C, Unit &U) {
  for (const FortranDirective &D : fortranText(U).directives())
    if (D.Line == C.EndLine && D.Line != C.Line && StringRef(D.Text).starts_with("end"))
      return D.Line;
  return std::nullopt;
}

} // namespace

static std::optional<Edit> addTo(const std::optional<DirectiveLine> &L, StringRef Clause) {
  if (!L || L->Text.size() + 1 + Clause.size() > L->Most)
    return std::nullopt;
  return Edit{L->File, L->TextEnd, L->TextEnd, " " + Clause.str()};
}

std::optional<Edit> addFortranClause(const FortranConstruct &C, StringRef Clause, Unit &U) {
  return addTo(lineOf(C.Line, C.Name, U), Clause);
}

std::optional<Edit> addFortranEndClause(const FortranConstruct &C, StringRef Clause, Unit &U) {
  const std::optional<unsigned> Line = endLine(C, U);
  return Line ? addTo(lineOf(*Line, "end", U), Clause) : std::nullopt;
}

std::optional<Edit> replaceFortranClause(const FortranConstruct &C, StringRef Name, StringRef By, Unit &U) {
  const std::optional<DirectiveLine> L = lineOf(C.Line, C.Name, U);
  if (!L)
    return std::nullopt;
  const std::string Lower = L->Text.lower();
  const std::size_t Begin = Lower.find(Name.str());
  if (Begin == std::string::npos || Lower.find(Name.str(), Begin + 1) != std::string::npos)
    return std::nullopt;
  const StringRef Behind = StringRef(Lower).drop_front(Begin + Name.size());
  const std::size_t Open = Behind.find_first_not_of(" \t");
  if (Open == StringRef::npos || Behind[Open] != '(')
    return std::nullopt;
  const std::size_t Close = outsideBrackets(Behind.drop_front(Open + 1), ')');
  if (Close == StringRef::npos)
    return std::nullopt;
  const unsigned Size = Name.size() + Open + Close + 2;
  if (L->Text.size() - Size + By.size() > L->Most)
    return std::nullopt;
  return Edit{L->File, unsigned(L->Begin + Begin), unsigned(L->Begin + Begin + Size), By.str()};
}

std::optional<std::vector<Edit>> removeFortranDirective(const FortranConstruct &C, Unit &U) {
  const std::optional<DirectiveLine> L = lineOf(C.Line, C.Name, U);
  if (!L)
    return std::nullopt;
  std::vector<Edit> Out{{L->File, L->Begin, L->Next, ""}};
  if (std::optional<unsigned> Line = endLine(C, U)) {
    const std::optional<DirectiveLine> End = lineOf(*Line, "end", U);
    if (!End)
      return std::nullopt;
    Out.push_back({End->File, End->Begin, End->Next, ""});
  }
  return Out;
}

std::optional<std::vector<Edit>> replaceFortranDirective(const FortranConstruct &C, StringRef By, Unit &U) {
  const std::optional<DirectiveLine> L = lineOf(C.Line, C.Name, U);
  std::optional<std::vector<Edit>> Out = removeFortranDirective(C, U);
  if (!L || !Out)
    return std::nullopt;
  const std::size_t Word = StringRef(L->Text.lower()).find(C.Name);
  if (Word == StringRef::npos)
    return std::nullopt;
  Out->front() = {L->File, unsigned(L->Begin + Word), L->TextEnd, By.str()};
  return Out;
}

} // namespace stridewise
