#include "hosts/tool/Preamble.h"
#include "unit/Visitor.h"
#include "clang/AST/DeclBase.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/ModuleFile.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {

constexpr std::int64_t Version = 1;

// The making

class PreambleNotes::Watch : public PPCallbacks {
public:
  Watch(PreambleNotes &Out, Preprocessor &PP) : Out(Out), PP(PP) {}

  void InclusionDirective(SourceLocation Hash, const Token &, StringRef Spelled, bool, CharSourceRange,
                          OptionalFileEntryRef To, StringRef, StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    const SourceManager &SM = PP.getSourceManager();
    FileID In = SM.getFileID(Hash);
    if (!To)
      return;
    unsigned Number = Out.number(To->getName());
    if (In == SM.getMainFileID()) {
      Out.Named.emplace(Spelled, Number);
    } else if (OptionalFileEntryRef From = SM.getFileEntryRefForID(In)) {
      unsigned Above = Out.number(From->getName());
      Out.Includes[Above].push_back(Number);
    }
  }

  void FileChanged(SourceLocation Loc, FileChangeReason Why, SrcMgr::CharacteristicKind Kind, FileID) override {
    const SourceManager &SM = PP.getSourceManager();
    FileID Entered = SM.getFileID(Loc);
    if (Why == EnterFile && !SrcMgr::isSystem(Kind) && Entered != SM.getMainFileID() && SM.getFileEntryForID(Entered))
      Out.OwnFiles.push_back(SM.getLocForStartOfFile(Entered).getRawEncoding());
  }

  void EndOfMainFile() override {
    std::vector<llvm::StringRef> Words;
    for (const auto &Entry : PP.getIdentifierTable())
      Words.push_back(Entry.getKey());
    llvm::sort(Words);
    Out.Words = llvm::join(Words, "\n");
  }

private:
  PreambleNotes &Out;
  Preprocessor &PP;
};

unsigned PreambleNotes::number(llvm::StringRef Header) {
  auto [It, New] = Numbers.try_emplace(Header, Headers.size());
  if (New) {
    Headers.push_back(Header.str());
    Includes.emplace_back();
  }
  return It->second;
}

void PreambleNotes::watch(Preprocessor &PP) { PP.addPPCallbacks(std::make_unique<Watch>(*this, PP)); }

json::Object PreambleNotes::toJson() const {
  json::Array Files, Own;
  for (unsigned I = 0; I != Headers.size(); ++I) {
    std::vector<unsigned> Below = Includes[I];
    llvm::sort(Below);
    Below.erase(std::unique(Below.begin(), Below.end()), Below.end());
    Files.push_back(json::Array{json::fixUTF8(Headers[I]), json::Array(Below)});
  }
  for (std::uint64_t Start : OwnFiles)
    Own.push_back(static_cast<std::int64_t>(Start));
  json::Object Roots;
  for (const auto &[Name, Number] : Named)
    Roots[json::fixUTF8(Name)] = Number;
  return json::Object{{"version", Version},
                      {"headers", std::move(Files)},
                      {"named", std::move(Roots)},
                      {"own", std::move(Own)},
                      {"words", json::fixUTF8(Words)}};
}

// The use

class Preamble::Watch : public PPCallbacks {
public:
  Watch(Preamble &P, CompilerInstance &CI) : P(P), CI(CI), SM(CI.getSourceManager()) {}

  void InclusionDirective(SourceLocation Hash, const Token &, StringRef, bool, CharSourceRange, OptionalFileEntryRef To,
                          StringRef, StringRef, const Module *, bool, SrcMgr::CharacteristicKind) override {
    if (!P.Missing || !To)
      return;
    auto It = P.Headers.find(To->getName());
    if (It == P.Headers.end() || P.Seen[It->second])
      return;
    notePlace(Hash, To->getName());
    std::vector<unsigned> Open{It->second};
    while (!Open.empty()) {
      unsigned Header = Open.back();
      Open.pop_back();
      if (P.Seen[Header])
        continue;
      P.Seen.set(Header);
      P.SeenAt[Header] = P.LastSeenAt = Hash;
      --P.Missing;
      Open.insert(Open.end(), P.Includes[Header].begin(), P.Includes[Header].end());
    }
  }

  void MacroDefined(const Token &Name, const MacroDirective *) override { changed(Name); }
  void MacroUndefined(const Token &Name, const MacroDefinition &, const MacroDirective *) override { changed(Name); }
  void MacroExpands(const Token &Name, const MacroDefinition &MD, SourceRange, const MacroArgs *) override {
    asked(Name, MD);
  }
  void Defined(const Token &Name, const MacroDefinition &MD, SourceRange) override { asked(Name, MD); }
  void Ifdef(SourceLocation, const Token &Name, const MacroDefinition &MD) override { asked(Name, MD); }
  void Ifndef(SourceLocation, const Token &Name, const MacroDefinition &MD) override { asked(Name, MD); }
  void Elifdef(SourceLocation, const Token &Name, const MacroDefinition &MD) override { asked(Name, MD); }
  void Elifndef(SourceLocation, const Token &Name, const MacroDefinition &MD) override { asked(Name, MD); }

private:
  // What stands around the parser's place. It has read one token more than it has understood: what seems to be open may
  // just have been closed, which is known in the end.
  void notePlace(SourceLocation Hash, llvm::StringRef Header) {
    if (!CI.hasSema())
      return;
    Sema &S = CI.getSema();
    if (S.AlignPackStack.CurrentValue != S.AlignPackStack.DefaultValue)
      P.differs("packed is", Header);
    for (const DeclContext *In = S.CurContext; In && !In->isTranslationUnit(); In = In->getParent())
      if (const auto *D = cast<Decl>(In); !isa<FunctionDecl>(D) && isUsers(D->getLocation()))
        P.Around.push_back({D, Hash});
  }
  // System headers do not depend on which of them came first.
  bool isUsers(SourceLocation Loc) const { return !SM.isInSystemHeader(SM.getExpansionLoc(Loc)); }
  // A header that the unit has yet to include would have seen the change.
  void changed(const Token &Name) {
    if (!P.Missing || !isUsers(Name.getLocation()))
      return;
    llvm::StringRef Word = Name.getIdentifierInfo()->getName();
    if (!P.Words.contains(Word))
      return;
    for (const auto &Header : P.Headers)
      if (!P.Seen[Header.second] && mentions(Header.first(), Word))
        return P.differs("headers to come look at the macro", Word);
  }
  bool mentions(llvm::StringRef Header, llvm::StringRef Word) const {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> Text = CI.getFileManager().getBufferForFile(Header);
    if (!Text)
      return true;
    llvm::StringRef All = (*Text)->getBuffer();
    for (std::size_t At = All.find(Word); At != llvm::StringRef::npos; At = All.find(Word, At + 1))
      if ((!At || !isAsciiIdentifierContinue(All[At - 1])) &&
          (At + Word.size() == All.size() || !isAsciiIdentifierContinue(All[At + Word.size()])))
        return true;
    return false;
  }
  // The unit must not see what a header defines that it has yet to include.
  void asked(const Token &Name, const MacroDefinition &MD) {
    if (!P.Missing || !MD.getMacroInfo() || !isUsers(Name.getLocation()))
      return;
    if (P.isUnseen(MD.getMacroInfo()->getDefinitionLoc(), SM))
      P.differs("not yet included is what defines", Name.getIdentifierInfo()->getName());
  }

  Preamble &P;
  CompilerInstance &CI;
  const SourceManager &SM;
};

std::unique_ptr<Preamble> Preamble::load(const std::string &Precompiled) {
  auto Buffer = llvm::MemoryBuffer::getFile(Precompiled + Ending.str());
  if (!Buffer)
    return nullptr;
  llvm::Expected<json::Value> Read = json::parse((*Buffer)->getBuffer());
  if (!Read) {
    llvm::consumeError(Read.takeError());
    return nullptr;
  }
  json::Object *Root = Read->getAsObject();
  if (!Root || Root->getInteger("version") != Version)
    return nullptr;
  json::Array *Headers = Root->getArray("headers"), *Own = Root->getArray("own");
  json::Object *Inputs = Root->getObject("inputs");
  std::optional<llvm::StringRef> Words = Root->getString("words");
  if (!Headers || !Own || !Inputs || !Words)
    return nullptr;
  auto P = std::make_unique<Preamble>();
  P->File = Precompiled;
  for (const json::Value &V : *Headers) {
    const json::Array *Entry = V.getAsArray();
    std::optional<llvm::StringRef> Name = Entry && Entry->size() == 2 ? (*Entry)[0].getAsString() : std::nullopt;
    const json::Array *Below = Name ? (*Entry)[1].getAsArray() : nullptr;
    if (!Below)
      return nullptr;
    P->Headers.try_emplace(*Name, P->Includes.size());
    std::vector<unsigned> &Into = P->Includes.emplace_back();
    for (const json::Value &Number : *Below) {
      std::optional<std::uint64_t> N = Number.getAsUINT64();
      if (!N || *N >= Headers->size())
        return nullptr;
      Into.push_back(*N);
    }
  }
  for (const json::Value &V : *Own)
    if (std::optional<std::uint64_t> Start = V.getAsUINT64())
      P->OwnFiles.push_back(*Start);
  P->Text = Words->str();
  llvm::SmallVector<llvm::StringRef, 0> Each;
  llvm::StringRef(P->Text).split(Each, '\n');
  P->Words.insert(Each.begin(), Each.end());
  P->Inputs = std::move(*Inputs);
  P->Seen.resize(P->Includes.size());
  P->SeenAt.resize(P->Includes.size());
  P->Missing = P->Includes.size();
  return P;
}

static SourceLocation closingBrace(const Decl *D) {
  if (const auto *N = dyn_cast<NamespaceDecl>(D))
    return N->getRBraceLoc();
  if (const auto *L = dyn_cast<LinkageSpecDecl>(D))
    return L->getRBraceLoc();
  const auto *T = dyn_cast<TagDecl>(D);
  return T ? T->getBraceRange().getEnd() : SourceLocation();
}

bool Preamble::isSound(const SourceManager &SM) {
  for (auto [D, Hash] : Around)
    if (SourceLocation End = closingBrace(D); End.isInvalid() || !SM.isBeforeInTranslationUnit(End, Hash))
      differs("a header stands inside of", D->getDeclKindName());
  return Why.empty() && Missing == 0;
}

void Preamble::differs(llvm::StringRef Where, llvm::StringRef Name) {
  if (Why.empty())
    Why = (Where + " " + Name).str();
}

std::string Preamble::problem() const {
  if (!Why.empty() || !Missing)
    return Why;
  for (const auto &Header : Headers)
    if (!Seen[Header.second])
      return ("not included is " + Header.first()).str();
  return "";
}

bool Preamble::isUnseen(SourceLocation Loc, const SourceManager &SM, SourceLocation Place) const {
  Loc = SM.getExpansionLoc(Loc);
  if (!SM.isLoadedSourceLocation(Loc))
    return false;
  OptionalFileEntryRef In = SM.getFileEntryRefForID(SM.getFileID(Loc));
  auto It = In ? Headers.find(In->getName()) : Headers.end();
  if (It == Headers.end())
    return false;
  return !Seen[It->second] || (Place.isValid() && SM.isBeforeInTranslationUnit(Place, SeenAt[It->second]));
}

namespace {
// Names that code looks up outside of functions and records, and where it found them.
struct NamesInCode : Visitor<NamesInCode> {
  llvm::SetVector<std::pair<DeclarationName, const DeclContext *>> All;
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const DeclContext *In = E->getDecl()->getDeclContext()->getRedeclContext();
    if (In->isFileContext())
      All.insert({E->getDecl()->getDeclName(), In});
    return true;
  }
  bool VisitUnresolvedLookupExpr(UnresolvedLookupExpr *E) override {
    All.insert({E->getName(), nullptr});
    for (const NamedDecl *D : E->decls())
      if (const DeclContext *In = D->getDeclContext()->getRedeclContext(); In->isFileContext())
        All.insert({E->getName(), In});
    return true;
  }
};
} // namespace

void Preamble::sawCode(Decl *D, CompilerInstance &CI) {
  const SourceManager &SM = CI.getSourceManager();
  if (!Why.empty() || D->isFromASTFile() || SM.isInSystemHeader(D->getLocation()))
    return;
  // The parser has read one token, and the inclusions before it, more than it has understood.
  SourceLocation End = SM.getExpansionLoc(D->getEndLoc());
  if (!Missing && (LastSeenAt.isInvalid() || !SM.isBeforeInTranslationUnit(End, LastSeenAt)))
    return;
  NamesInCode Names;
  Names.TraverseDecl(D);
  const DeclContext *Top = CI.getASTContext().getTranslationUnitDecl(), *Std = CI.getSema().getStdNamespace();
  auto Has = [&](const DeclContext *In, DeclarationName Name) {
    return In &&
           llvm::any_of(In->lookup(Name), [&](const NamedDecl *D) { return isUnseen(D->getLocation(), SM, End); });
  };
  for (auto [Name, Found] : Names.All)
    // An operator of the user's types has no rivals in the library.
    if (Has(Found, Name) || Has(Top, Name) || (Name.isIdentifier() && Has(Std, Name)))
      return differs("code stands before what declares", Name.getAsString());
}

void Preamble::watch(CompilerInstance &CI) { CI.getPreprocessor().addPPCallbacks(std::make_unique<Watch>(*this, CI)); }

std::vector<Decl *> Preamble::ownDecls(CompilerInstance &CI) const {
  std::vector<Decl *> Out;
  llvm::IntrusiveRefCntPtr<ASTReader> Reader = CI.getASTReader();
  if (!Reader)
    return Out;
  const SourceManager &SM = CI.getSourceManager();
  serialization::ModuleFile &M = Reader->getModuleManager().getPrimaryModule();
  for (std::uint64_t Start : OwnFiles) {
    SourceLocation Loc = Reader->TranslateSourceLocation(M, SourceLocation::getFromRawEncoding(Start));
    FileID File = SM.getFileID(Loc);
    llvm::SmallVector<Decl *, 0> Found;
    Reader->FindFileRegionDecls(File, 0, SM.getFileIDSize(File), Found);
    for (Decl *D : Found)
      if (D->getLexicalDeclContext()->isTranslationUnit() && !SM.isInSystemHeader(D->getLocation()))
        Out.push_back(D);
  }
  return Out;
}

} // namespace stridewise
