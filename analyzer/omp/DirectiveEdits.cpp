#include "omp/DirectiveEdits.h"
#include "unit/Reporter.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace stridewise {
namespace {

// Offsets of the line that holds a whole directive and nothing else.
struct DirectiveLine {
  std::string File;
  unsigned Begin = 0, TextEnd = 0, Next = 0; // of the line, behind its text, of the line after it
};

std::optional<DirectiveLine> lineOfDirective(const OMPExecutableDirective &D, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  if (D.getBeginLoc().isInvalid() || D.getBeginLoc().isMacroID())
    return std::nullopt;
  auto [File, At] = SM.getDecomposedLoc(D.getBeginLoc());
  llvm::StringRef Text = SM.getBufferData(File);
  std::size_t Before = Text.slice(0, At).rfind('\n');
  std::size_t Begin = Before == llvm::StringRef::npos ? 0 : Before + 1, End = Text.find('\n', At);
  if (End == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef Line = Text.slice(Begin, End).rtrim();
  llvm::StringRef Bare = Line.ltrim();
  if (!Bare.starts_with("#") || Bare.ends_with("\\") || Bare.contains("//") || Bare.contains("/*"))
    return std::nullopt;
  return DirectiveLine{placeOf(Ctx, SourceRange(D.getBeginLoc())).File, unsigned(Begin), unsigned(Begin + Line.size()),
                       unsigned(End + 1)};
}

} // namespace

std::optional<Edit> addClause(const OMPExecutableDirective &D, llvm::StringRef Clause, const ASTContext &Ctx) {
  std::optional<DirectiveLine> Line = lineOfDirective(D, Ctx);
  if (!Line)
    return std::nullopt;
  return Edit{Line->File, Line->TextEnd, Line->TextEnd, " " + Clause.str()};
}

std::optional<Edit> removeDirective(const OMPExecutableDirective &D, const ASTContext &Ctx) {
  std::optional<DirectiveLine> Line = lineOfDirective(D, Ctx);
  if (!Line)
    return std::nullopt;
  return Edit{Line->File, Line->Begin, Line->Next, ""};
}

std::optional<Edit> withoutTeam(const OMPExecutableDirective &D, const ASTContext &Ctx) {
  const std::optional<DirectiveLine> Line = lineOfDirective(D, Ctx);
  if (!Line)
    return std::nullopt;
  const SourceManager &SM = Ctx.getSourceManager();
  llvm::StringRef Text = SM.getBufferData(SM.getFileID(D.getBeginLoc())).slice(Line->Begin, Line->TextEnd);
  constexpr llvm::StringLiteral Word = "parallel ";
  const std::size_t At = Text.find(Word);
  if (At == llvm::StringRef::npos || !Text.substr(At + Word.size()).ltrim().starts_with("for"))
    return std::nullopt;
  return Edit{Line->File, unsigned(Line->Begin + At), unsigned(Line->Begin + At + Word.size()), ""};
}

std::optional<Edit> replaceClause(const OMPClause &C, llvm::StringRef By, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  SourceLocation Begin = C.getBeginLoc(), End = C.getEndLoc();
  if (Begin.isInvalid() || End.isInvalid() || Begin.isMacroID() || End.isMacroID())
    return std::nullopt;
  End = Lexer::getLocForEndOfToken(End, 0, SM, Ctx.getLangOpts());
  auto [File, From] = SM.getDecomposedLoc(Begin);
  auto [EndFile, To] = SM.getDecomposedLoc(End);
  if (File != EndFile || To <= From)
    return std::nullopt;
  return Edit{placeOf(Ctx, SourceRange(Begin)).File, From, To, By.str()};
}

} // namespace stridewise
