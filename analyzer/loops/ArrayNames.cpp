#include "loops/ArrayNames.h"
#include "fortran/DeclaredArrays.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopInterchange.h"
#include "unit/Visitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr unsigned MaxNesting = 32;

// The variable or member at the root of an lvalue or pointer expression, and its declaration. One dispatch over kinds
// of expressions, complexity 34.
std::string rootName(const Expr *E, const ValueDecl *&Declared, unsigned Nesting = 0) {
  if (!E || Nesting > MaxNesting)
    return {};
  E = E->IgnoreParenImpCasts();
  auto Of = [&](const Expr *Part) { return rootName(Part, Declared, Nesting + 1); };
  if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return Of(S->getBase());
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    // `cells[i].mass`: the array is what is subscripted.
    if (!M->getType()->isPointerType() && !M->getType()->isArrayType() && !M->getType()->isRecordType())
      return Of(M->getBase());
    if (!isa<FieldDecl>(M->getMemberDecl()))
      return Of(M->getBase());
    std::string Owner = isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()) ? std::string() : Of(M->getBase());
    Declared = M->getMemberDecl();
    return Owner + (Owner.empty() ? "" : M->isArrow() ? "->" : ".") + M->getMemberDecl()->getNameAsString();
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    Declared = D->getDecl();
    return isa<VarDecl>(Declared) ? Declared->getNameAsString() : std::string();
  }
  if (const auto *O = dyn_cast<UnaryOperator>(E))
    return Of(O->getSubExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp())
      return Of(B->getLHS());
    return Of(B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS());
  }
  if (const auto *C = dyn_cast<ExplicitCastExpr>(E))
    return Of(C->getSubExpr());
  if (const auto *C = dyn_cast<CXXOperatorCallExpr>(E)) {
    bool Selects = C->getOperator() == OO_Subscript || C->getOperator() == OO_Call || C->getNumArgs() == 1;
    return (Selects || C->isAssignmentOp()) && C->getNumArgs() ? Of(C->getArg(0)) : std::string();
  }
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E))
    return isa<CXXThisExpr>(C->getImplicitObjectArgument()->IgnoreParenImpCasts()) ? std::string()
                                                                                   : Of(C->getImplicitObjectArgument());
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    // An accessor takes one array; which of several a call reads is not told here.
    const Expr *Array = nullptr;
    for (const Expr *A : C->arguments())
      if (QualType T = A->getType(); T->isPointerType() || T->isArrayType() || T->isRecordType()) {
        if (Array)
          return {};
        Array = A;
      }
    return Array ? Of(Array) : std::string();
  }
  return {};
}

// The outermost expression that code generation places at this location.
struct Finder : Visitor<Finder> {
  const SourceManager &SM;
  SourceLocation Wanted;
  std::string Name;
  const ValueDecl *Declared = nullptr;
  Finder(const SourceManager &SM, SourceLocation Wanted) : SM(SM), Wanted(Wanted) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
  }
  bool VisitExpr(Expr *E) override {
    if (SM.getExpansionLoc(E->getExprLoc()) != Wanted && SM.getExpansionLoc(E->getBeginLoc()) != Wanted)
      return true;
    const auto *Assignment = dyn_cast<BinaryOperator>(E);
    if (!isa<ArraySubscriptExpr, MemberExpr, UnaryOperator, CallExpr, DeclRefExpr>(E) &&
        !(Assignment && Assignment->isAssignmentOp()))
      return true;
    Name = rootName(E, Declared);
    return Name.empty();
  }
};

// Nothing but blanks stands before it on its line.
bool beginsLine(const SourceManager &SM, SourceLocation Loc) {
  const auto [File, Offset] = SM.getDecomposedLoc(Loc);
  const llvm::StringRef Before = SM.getBufferData(File).take_front(Offset);
  return Before.rtrim(" \t").empty() || Before.rtrim(" \t").ends_with("\n");
}

std::string identifierAt(Unit &U, SourceLocation Loc) {
  const SourceManager &SM = U.sources();
  const LangOptions &Lang = U.ast().getLangOpts();
  Token Name, Next;
  auto Read = [&](SourceLocation At, Token &T) {
    return At.isValid() && !Lexer::getRawToken(At, T, SM, Lang, /*IgnoreWhiteSpace=*/true);
  };
  if (Loc.isInvalid() || SM.isInSystemHeader(Loc) || !Read(Loc, Name))
    return {};
  // `*nx` is named by its pointer.
  if (Name.is(tok::star) && !Read(Name.getEndLoc(), Name))
    return {};
  if (!Name.is(tok::raw_identifier) || !Read(Name.getEndLoc(), Next) ||
      Next.isOneOf(tok::l_square, tok::l_paren, tok::arrow, tok::period))
    return {};
  // A macro that is a statement by itself declares what it likes; its own name is none of theirs.
  const auto Known = U.ast().Idents.find(Name.getRawIdentifier());
  if (Known != U.ast().Idents.end() && Known->second->hadMacroDefinition() && beginsLine(SM, Name.getLocation()))
    return {};
  return Name.getRawIdentifier().str();
}

} // namespace

// The expression of an access as the function `Reader` spells it.
static std::pair<std::string, const ValueDecl *> accessed(const llvm::Instruction &Access, const FunctionDecl *Reader,
                                                          Unit &U) {
  const SourceManager &SM = U.sources();
  // From the accessor's own place outwards to the first that stands in the reader.
  for (const llvm::DILocation *D = Access.getDebugLoc(); D; D = D->getInlinedAt()) {
    SourceLocation Loc = U.locate(llvm::DebugLoc(D));
    const FunctionDecl *F = U.functionAt(Loc);
    if (!F || (Reader && F->getCanonicalDecl() != Reader->getCanonicalDecl()))
      continue;
    Finder Search(SM, SM.getExpansionLoc(Loc));
    Search.TraverseStmt(F->getBody());
    return {Search.Name, Search.Name.empty() ? nullptr : Search.Declared};
  }
  return {};
}

std::string arrayName(const llvm::Instruction &Access, const FunctionDecl *Reader, Unit &U) {
  if (!U.isFortran())
    return accessed(Access, Reader, U).first;
  std::string Name = fortranArray(Access);
  if (const std::optional<DeclaredArray> A = Name.empty() ? declaredArray(Access) : std::nullopt)
    Name = A->Name;
  return Name;
}

SourceLocation arrayDeclaration(const llvm::Instruction &Access, const FunctionDecl *Reader, Unit &U) {
  if (U.isFortran()) {
    const std::optional<DeclaredArray> A = declaredArray(Access);
    return A && !A->Extents.empty() ? placeOf(*A, U) : SourceLocation();
  }
  const ValueDecl *D = accessed(Access, Reader, U).second;
  return D && D->getType()->isArrayType() ? D->getLocation() : SourceLocation();
}

std::string arrayNames(llvm::ArrayRef<const llvm::Instruction *> Accesses, Unit &U) {
  constexpr std::size_t MostNames = 4;
  std::vector<std::string> Names;
  for (const llvm::Instruction *I : Accesses)
    if (std::string Name = arrayName(*I, nullptr, U); !llvm::is_contained(Names, Name))
      Names.push_back(Name);
  if (Names.size() < 2 || Names.size() > MostNames || llvm::is_contained(Names, ""))
    return "the arrays";
  std::string Text;
  for (std::size_t K = 0; K < Names.size(); ++K)
    Text += (K == 0 ? "'" : K + 1 < Names.size() ? ", '" : " and '") + Names[K] + "'";
  return Text;
}

std::string loadedName(const llvm::Value *V, Unit &U) {
  const auto *Load = dyn_cast<llvm::LoadInst>(V);
  if (!Load)
    return {};
  if (std::string Name = identifierAt(U, U.locate(Load->getDebugLoc())); !Name.empty())
    return Name;
  // Hoisted loads lose their place; then the address, which code generation names after the member, must do:
  // `height.i7`.
  const IdentifierTable &Known = U.ast().Idents;
  llvm::StringRef Name = Load->getPointerOperand()->getName().split('.').first;
  for (llvm::StringRef Try : {Name, Name.rtrim("0123456789")})
    if (isa<llvm::GetElementPtrInst>(Load->getPointerOperand()) && Known.find(Try) != Known.end())
      return Try.str();
  return {};
}

std::string counterName(const Stmt *Loop) {
  const VarDecl *V = Loop ? loopVariable(Loop) : nullptr;
  return V && V->getDeclName() ? V->getNameAsString() : "its counter";
}

std::string lineOfLoop(const Stmt *Loop, const Stmt *From, Unit &U) {
  const SourceManager &SM = U.sources();
  SourceLocation Loc = SM.getExpansionLoc(Loop->getBeginLoc());
  std::string Line = std::to_string(SM.getSpellingLineNumber(Loc));
  if (SM.getFileID(Loc) != SM.getFileID(SM.getExpansionLoc(From->getBeginLoc())))
    Line += " of " + llvm::sys::path::filename(SM.getFilename(Loc)).str();
  return Line;
}

} // namespace stridewise
