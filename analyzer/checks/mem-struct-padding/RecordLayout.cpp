#include "checks/mem-struct-padding/RecordLayout.h"
#include "unit/OwnDecls.h"
#include "unit/Reporter.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace stridewise {

// Bits that follow one another as the System V ABI places them: none straddles a unit of its own type. The end, in
// bytes.
static CharUnits afterBits(llvm::ArrayRef<const FieldDecl *> Bits, CharUnits Begin, const ASTContext &Ctx) {
  std::uint64_t At = static_cast<std::uint64_t>(Ctx.toBits(Begin));
  for (const FieldDecl *F : Bits) {
    const std::uint64_t Unit = Ctx.getTypeSize(F->getType()), Width = F->getBitWidthValue(Ctx);
    if (At / Unit != (At + Width - 1) / Unit)
      At = llvm::alignTo(At, Unit);
    At += Width;
  }
  return CharUnits::fromQuantity(static_cast<std::int64_t>(llvm::divideCeil(At, Ctx.getCharWidth())));
}

std::vector<Padding> paddingOf(const RecordDecl *R, const ASTContext &Ctx) {
  const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R);
  const auto BitsOf = [&](const FieldDecl *F) {
    return F->isBitField() ? F->getBitWidthValue(Ctx) : Ctx.getTypeSize(F->getType());
  };
  std::vector<Padding> Out;
  for (const FieldDecl *F : R->fields()) {
    const unsigned Next = F->getFieldIndex() + 1;
    const std::uint64_t End = Layout.getFieldOffset(F->getFieldIndex()) + BitsOf(F),
                        Begin = Next < Layout.getFieldCount()
                                    ? Layout.getFieldOffset(Next)
                                    : static_cast<std::uint64_t>(Ctx.toBits(Layout.getSize()));
    if (Begin >= End + Ctx.getCharWidth())
      Out.push_back({F, (Begin - End) / Ctx.getCharWidth()});
  }
  return Out;
}

std::optional<FieldOrder> bestFieldOrder(const RecordDecl *R, ASTContext &Ctx) {
  if (R->isInvalidDecl() || R->isDependentContext() || R->isUnion() || R->hasFlexibleArrayMember() ||
      R->hasAttr<PackedAttr>() || R->hasAttr<AlignedAttr>() || R->hasAttr<MaxFieldAlignmentAttr>())
    return std::nullopt;
  std::vector<const FieldDecl *> Left, Bits;
  for (const FieldDecl *F : R->fields()) {
    if (F->isInvalidDecl() || F->hasAttr<AlignedAttr>() || F->hasAttr<PackedAttr>() || F->isZeroSize(Ctx) ||
        F->isUnnamedBitField())
      return std::nullopt;
    (F->isBitField() ? Bits : Left).push_back(F);
  }
  if (Left.size() + Bits.size() < 2 || Left.empty())
    return std::nullopt;

  const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R);
  auto AlignOf = [&](const FieldDecl *F) { return Ctx.toCharUnitsFromBits(Ctx.getTypeAlign(F->getType())); };
  auto SizeOf = [&](const FieldDecl *F) { return Ctx.getTypeSizeInChars(F->getType()); };

  FieldOrder Out;
  Out.SizeBytes = Layout.getSize().getQuantity();
  // Bases and the virtual table pointer keep their place in front.
  CharUnits At = Ctx.toCharUnitsFromBits(Layout.getFieldOffset(0));
  // Largest alignment that needs no padding here; where each needs some, the one that needs least. Sizes are multiples
  // of alignments, so after the first aligned field the rest follows without a gap.
  while (!Left.empty()) {
    auto Rank = [&](const FieldDecl *F) {
      return std::pair((At.alignTo(AlignOf(F)) - At).getQuantity(), -AlignOf(F).getQuantity());
    };
    auto Pick = llvm::min_element(Left, [&](auto *A, auto *B) { return Rank(A) < Rank(B); });
    At = At.alignTo(AlignOf(*Pick)) + SizeOf(*Pick);
    Out.Best.push_back(*Pick);
    Left.erase(Pick);
  }
  // Bits share their units with one another best when they stand together, the wide ones first.
  llvm::sort(Bits, [&](const FieldDecl *A, const FieldDecl *B) {
    return std::pair(B->getBitWidthValue(Ctx), A->getFieldIndex()) <
           std::pair(A->getBitWidthValue(Ctx), B->getFieldIndex());
  });
  At = afterBits(Bits, At, Ctx);
  Out.Best.insert(Out.Best.end(), Bits.begin(), Bits.end());
  Out.BestSizeBytes = At.alignTo(Layout.getAlignment()).getQuantity();
  // A derived class may live in this one's tail padding, so its fields are not ours to count.
  if (Out.BestSizeBytes >= Out.SizeBytes)
    return std::nullopt;
  return Out;
}

namespace {
// One declaration with what belongs to it: comments above and behind.
struct Chunk {
  unsigned Begin, End;
};
} // namespace

static std::optional<std::vector<Chunk>> chunks(const RecordDecl *R, ASTContext &Ctx, FileID File) {
  const SourceManager &SM = Ctx.getSourceManager();
  llvm::StringRef Text = SM.getBufferData(File);
  std::vector<Chunk> Out;
  for (const Decl *D : R->decls()) {
    if (D->isImplicit())
      continue;
    const auto *F = dyn_cast<FieldDecl>(D);
    SourceRange Range = D->getSourceRange();
    if (!F || Range.getBegin().isMacroID() || Range.getEnd().isMacroID() || SM.getFileID(Range.getBegin()) != File)
      return std::nullopt;
    auto Semicolon = Lexer::findLocationAfterToken(Range.getEnd(), tok::semi, SM, Ctx.getLangOpts(),
                                                   /*SkipTrailingWhitespaceAndNewLine=*/false);
    if (Semicolon.isInvalid())
      return std::nullopt; // `int a, b;`: the comma's neighbours share one declaration
    unsigned Begin = SM.getFileOffset(Range.getBegin()), End = SM.getFileOffset(Semicolon);
    // A comment behind the declaration goes with it, up to the end of the line.
    llvm::StringRef Rest = Text.substr(End).take_until([](char C) { return C == '\n'; });
    llvm::StringRef Trimmed = Rest.ltrim();
    if (Trimmed.starts_with("//"))
      End += Rest.rtrim().size();
    else if (std::size_t Close = Trimmed.find("*/"); Trimmed.starts_with("/*") && Close != llvm::StringRef::npos)
      End += Rest.size() - Trimmed.size() + Close + 2;
    if (!Out.empty() && Begin < Out.back().End)
      return std::nullopt;
    Out.push_back({Begin, End});
  }
  // Comment lines directly above a declaration go with it too.
  for (std::size_t I = 0; I < Out.size(); ++I) {
    unsigned Limit = I ? Out[I - 1].End : SM.getFileOffset(R->getBraceRange().getBegin()) + 1;
    llvm::StringRef Between = Text.slice(Limit, Out[I].Begin);
    if (Between.contains('#'))
      return std::nullopt;
    llvm::StringRef Body = Between.ltrim();
    if (!Body.empty())
      Out[I].Begin = Limit + (Between.size() - Body.size());
  }
  return Out;
}

std::optional<Edit> reorderEdit(const RecordDecl *R, llvm::ArrayRef<const FieldDecl *> Order, ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  SourceLocation Brace = R->getBraceRange().getBegin();
  if (Brace.isInvalid() || Brace.isMacroID())
    return std::nullopt;
  FileID File = SM.getFileID(Brace);
  auto Parts = chunks(R, Ctx, File);
  if (!Parts || Parts->size() != Order.size())
    return std::nullopt;
  std::vector<const FieldDecl *> Now(R->field_begin(), R->field_end());
  llvm::StringRef Text = SM.getBufferData(File);
  if (Text.slice(Parts->back().End, SM.getFileOffset(R->getBraceRange().getEnd())).contains('#'))
    return std::nullopt;

  Edit E;
  E.File = placeOf(Ctx, R->getSourceRange()).File;
  E.Begin = Parts->front().Begin;
  E.End = Parts->back().End;
  for (std::size_t I = 0; I < Order.size(); ++I) {
    const Chunk &From = (*Parts)[llvm::find(Now, Order[I]) - Now.begin()];
    E.Replacement += Text.slice(From.Begin, From.End);
    if (I + 1 == Order.size())
      break;
    // The white space between two declarations stays where it is; a line comment needs its line to end.
    llvm::StringRef Gap = Text.slice((*Parts)[I].End, (*Parts)[I + 1].Begin);
    bool LineComment = Text.slice(From.Begin, From.End).rsplit('\n').second.contains("//") ||
                       Text.slice(From.Begin, From.End).rsplit(';').second.contains("//");
    E.Replacement += Gap.contains('\n') || !LineComment ? Gap.str() : "\n" + Gap.str();
  }
  return E;
}

namespace {

class DefinitionCollector {
public:
  explicit DefinitionCollector(const SourceManager &SM) : SM(SM) {}
  void collect(const DeclContext *DC) { collect(std::vector<Decl *>(DC->decls_begin(), DC->decls_end())); }

  void collect(llvm::ArrayRef<Decl *> Decls) {
    for (Decl *D : Decls) {
      if (SM.isInSystemHeader(D->getLocation()))
        continue;
      if (auto *T = dyn_cast<ClassTemplateDecl>(D)) {
        for (ClassTemplateSpecializationDecl *S : T->specializations())
          if (S->isCompleteDefinition())
            add(S);
      } else if (auto *R = dyn_cast<RecordDecl>(D)) {
        add(R);
      } else if (auto *F = dyn_cast<FunctionDecl>(D)) {
        if (F->doesThisDeclarationHaveABody())
          collect(F);
      } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D)) {
        collect(cast<DeclContext>(D));
      }
    }
  }

  void add(RecordDecl *R) {
    if (const auto *C = dyn_cast<CXXRecordDecl>(R); C && (C->isLambda() || C->isDependentContext()))
      return;
    if (R->isThisDeclarationADefinition() && !R->isImplicit())
      Records.push_back(R);
    collect(R);
  }

  std::vector<const RecordDecl *> Records;

private:
  const SourceManager &SM;
};

} // namespace

std::vector<const RecordDecl *> recordDefinitions(ASTContext &Ctx) {
  DefinitionCollector Collector(Ctx.getSourceManager());
  Collector.collect(ownDecls(Ctx));
  return std::move(Collector.Records);
}

} // namespace stridewise
