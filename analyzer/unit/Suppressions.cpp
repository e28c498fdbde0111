#include "unit/Suppressions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

namespace stridewise {

bool Suppression::isOurs() const {
  return llvm::any_of(Names, [](llvm::StringRef N) {
    N.consume_front("-");
    return N.starts_with("stridewise");
  });
}

static std::vector<std::string> takeNames(llvm::StringRef &After) {
  std::vector<std::string> Names;
  if (!After.starts_with("("))
    return Names;
  auto [Inside, Rest] = After.drop_front().split(')');
  After = Rest;
  llvm::SmallVector<llvm::StringRef> Parts;
  Inside.split(Parts, ',');
  for (llvm::StringRef P : Parts)
    Names.push_back(P.trim().str());
  return Names;
}

std::vector<Suppression> suppressionsIn(llvm::StringRef Text) {
  std::vector<Suppression> All;
  unsigned Line = 1;
  // Most files have none: one search through the text, lines counted only up to each hit.
  for (std::size_t Counted = 0, At = Text.find("NOLINT"); At != llvm::StringRef::npos; At = Text.find("NOLINT", At)) {
    Line += Text.slice(Counted, At).count('\n');
    Counted = At;
    llvm::StringRef Rest = Text.substr(At).take_until([](char C) { return C == '\n'; }).drop_front(6);
    At += 6;
    Suppression S{Suppression::Line, Line, {}, false};
    if (Rest.consume_front("NEXTLINE"))
      S.What = Suppression::NextLine;
    else if (Rest.consume_front("BEGIN"))
      S.What = Suppression::Begin;
    else if (Rest.consume_front("END"))
      S.What = Suppression::End;
    if (!Rest.empty() && (llvm::isAlnum(Rest.front()) || Rest.front() == '_'))
      continue; // a longer word
    S.Names = takeNames(Rest);
    Rest = Rest.ltrim();
    S.HasReason = Rest.consume_front(":") && llvm::any_of(Rest.substr(0, Rest.find("*/")), llvm::isAlnum);
    All.push_back(std::move(S));
  }
  return All;
}

std::vector<SilentLines> silentLines(const std::vector<Suppression> &All) {
  std::vector<SilentLines> Silent;
  std::vector<const Suppression *> Open;
  for (const Suppression &S : All) {
    switch (S.What) {
    case Suppression::Line:
      Silent.push_back({S.At, S.At, S.Names});
      break;
    case Suppression::NextLine:
      Silent.push_back({S.At + 1, S.At + 1, S.Names});
      break;
    case Suppression::Begin:
      Open.push_back(&S);
      break;
    case Suppression::End: {
      auto It = std::find_if(Open.rbegin(), Open.rend(), [&](const Suppression *B) { return B->Names == S.Names; });
      if (It != Open.rend()) {
        Silent.push_back({(*It)->At, S.At, S.Names});
        Open.erase(std::next(It).base());
      }
      break;
    }
    }
  }
  return Silent;
}

std::vector<FileSuppressions> ownSuppressions(const clang::SourceManager &SM) {
  std::vector<FileSuppressions> Out;
  // The table grows while it is asked for a file: it reads the places of a precompiled header then.
  std::vector<clang::FileEntryRef> Files;
  for (auto It = SM.fileinfo_begin(); It != SM.fileinfo_end(); ++It)
    Files.push_back(It->first);
  for (clang::FileEntryRef File : Files) {
    clang::FileID Id = SM.translateFile(File);
    if (Id.isInvalid() || SM.isInSystemHeader(SM.getLocForStartOfFile(Id)))
      continue;
    bool Invalid = false;
    llvm::StringRef Text = SM.getBufferData(Id, &Invalid);
    if (Invalid)
      continue;
    std::vector<Suppression> Ours = suppressionsIn(Text);
    llvm::erase_if(Ours, [](const Suppression &S) { return !S.isOurs(); });
    if (Ours.empty())
      continue;
    llvm::SmallString<256> Path(File.getFileEntry().tryGetRealPathName());
    if (Path.empty())
      Path = File.getName();
    SM.getFileManager().makeAbsolutePath(Path);
    Out.push_back({std::string(Path), std::move(Ours)});
  }
  llvm::sort(Out, [](const FileSuppressions &A, const FileSuppressions &B) { return A.File < B.File; });
  return Out;
}

} // namespace stridewise
