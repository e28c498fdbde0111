#include "unit/FixSafety.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace stridewise {

Fix safeFix(std::string Description, std::vector<Edit> Edits, std::string Proof) {
  return {std::move(Description), std::move(Edits), FixSafety::Safe, std::move(Proof), "", {}};
}

Fix unsafeFix(std::string Description, std::vector<Edit> Edits, std::string Doubt) {
  return {std::move(Description), std::move(Edits), FixSafety::Unsafe, std::move(Doubt), "", {}};
}

void doubt(Fix &X, std::string Why) {
  if (X.Safety == FixSafety::Safe)
    X.Why = std::move(Why);
  X.Safety = FixSafety::Unsafe;
}

bool hasConditionals(SourceRange R, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  auto [File, Begin] = SM.getDecomposedLoc(SM.getFileLoc(R.getBegin()));
  auto [EndFile, End] = SM.getDecomposedLoc(SM.getFileLoc(R.getEnd()));
  if (File != EndFile)
    return true; // the text is made of several files
  llvm::SmallVector<llvm::StringRef, 64> Lines;
  SM.getBufferData(File).slice(Begin, End).split(Lines, '\n');
  return llvm::any_of(Lines, [](llvm::StringRef Line) {
    Line = Line.ltrim();
    if (!Line.consume_front("#") && !Line.consume_front("%:") && !Line.consume_front("?\?="))
      return false;
    Line = Line.ltrim();
    // What a file brings along may differ from one configuration to the other, too.
    return Line.starts_with("if") || Line.starts_with("el") || Line.starts_with("endif") ||
           Line.starts_with("include") || Line.starts_with("import");
  });
}

void doubtOtherCode(Fix &X, const FunctionDecl *F, const ASTContext &Ctx) {
  if (F && (F->isTemplated() || F->isTemplateInstantiation()))
    doubt(X, "'" + F->getNameAsString() + "' is a template, of which other instances may exist");
  if (F && hasConditionals(F->getSourceRange(), Ctx))
    doubt(X, "'" + F->getNameAsString() + "' has code of other configurations, which was not analysed");
}

bool provenHere(const Fix &X, const SourceManager &SM) {
  OptionalFileEntryRef Main = SM.getFileEntryRefForID(SM.getMainFileID());
  return X.Safety == FixSafety::Safe && X.Beyond.empty() && Main && llvm::all_of(X.Edits, [&](const Edit &E) {
           OptionalFileEntryRef File = SM.getFileManager().getOptionalFileRef(E.File);
           return File && *File == *Main;
         });
}

} // namespace stridewise
