// All edits are of a whole statement of a block. What is evaluated again, pointer and number of elements, has no side
// effect and is not of a type that the zeros could change.
#include "checks/omp-calloc-first-touch/ParallelZeros.h"
#include "omp/OmpSites.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "unit/Visitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Counter = "element";

// The statement of a block that holds the expression which begins at a place.
struct Statement : Visitor<Statement> {
  SourceLocation At;
  const Stmt *Found = nullptr;
  explicit Statement(SourceLocation At) : At(At) {}
  bool VisitCompoundStmt(CompoundStmt *B) override {
    for (const Stmt *S : B->body())
      if (isa<DeclStmt, Expr>(S) && holds(S))
        Found = S;
    return true;
  }
  bool holds(const Stmt *S) const {
    return S && ((isa<CallExpr, CXXNewExpr>(S) && S->getBeginLoc() == At) ||
                 llvm::any_of(S->children(), [&](const Stmt *X) { return holds(X); }));
  }
};

struct Zeros {
  std::string Pointer, Count;
  std::vector<Edit> Edits; // of the statement itself
  bool MayBeNull = false, Overflows = false, Replaces = false;
};

class Zeroing {
public:
  Zeroing(const Stmt &S, ASTContext &Ctx) : S(S), Ctx(Ctx), SM(Ctx.getSourceManager()) {}

  std::optional<Fix> fix(const FunctionDecl *F) {
    const std::optional<Zeros> Z = read();
    const std::optional<unsigned> End = Z ? endOfStatement() : std::nullopt;
    if (!End || !isNameFree(*Z) || Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("size_t")).empty())
      return std::nullopt;
    auto [File, Begin] = SM.getDecomposedLoc(S.getBeginLoc());
    llvm::StringRef Text = SM.getBufferData(File);
    const std::size_t Line = Text.take_front(Begin).rfind('\n') + 1;
    const std::string Indent = Text.slice(Line, Begin).str();
    if (!llvm::StringRef(Indent).trim().empty())
      return std::nullopt;
    std::string Loop = Z->MayBeNull ? Indent + "if (" + Z->Pointer + ")\n" : "";
    const std::string Inner = Z->MayBeNull ? Indent + "  " : Indent;
    Loop += Inner + "#pragma omp parallel for schedule(static)\n";
    Loop += Inner + "for (size_t " + Counter.str() + " = 0; " + Counter.str() + " < " + Z->Count + "; " +
            Counter.str() + "++)\n" + Inner + "  " + Z->Pointer + "[" + Counter.str() + "] = 0;";
    std::vector<Edit> Edits = Z->Edits;
    const std::string Name = placeOf(Ctx, S.getBeginLoc()).File;
    if (Z->Replaces)
      Edits.push_back({Name, unsigned(Line), *End, std::move(Loop)});
    else
      Edits.push_back({Name, *End, *End, "\n" + Loop});
    Fix X = safeFix("zero '" + Z->Pointer + "' in a parallel loop", std::move(Edits), "the same elements become zero");
    if (Z->Overflows)
      doubt(X, "calloc refuses a size that overflows");
    doubtOtherCode(X, F, Ctx);
    return X;
  }

private:
  std::optional<Zeros> read() {
    const Expr *Value = nullptr;
    std::string Pointer;
    QualType Element;
    if (const auto *D = dyn_cast<DeclStmt>(&S)) {
      const auto *V = D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
      if (!V || !V->getInit() || !V->getType()->isPointerType())
        return std::nullopt;
      Value = V->getInit();
      Pointer = V->getNameAsString();
      Element = V->getType()->getPointeeType();
    } else if (const auto *B = dyn_cast<BinaryOperator>(&S)) {
      if (B->getOpcode() != BO_Assign || !B->getLHS()->getType()->isPointerType() || B->getLHS()->HasSideEffects(Ctx))
        return std::nullopt;
      Value = B->getRHS();
      Pointer = textOf(B->getLHS(), Ctx);
      Element = B->getLHS()->getType()->getPointeeType();
    } else {
      return readMemset();
    }
    if (!isNumber(Element) || llvm::StringRef(Pointer).contains('*'))
      return std::nullopt;
    Value = Value->IgnoreParenCasts();
    if (const auto *C = dyn_cast<CallExpr>(Value))
      return readCalloc(*C, Pointer, Element);
    const auto *N = dyn_cast<CXXNewExpr>(Value);
    return N ? readNew(*N, Pointer, Element) : std::nullopt;
  }

  std::optional<Zeros> readNew(const CXXNewExpr &N, std::string Pointer, QualType Element) const {
    const SourceRange Parens = N.getDirectInitRange();
    if (!N.isArray() || !N.getArraySize() || !*N.getArraySize() || Parens.isInvalid() || N.getNumPlacementArgs() ||
        !Ctx.hasSameUnqualifiedType(N.getAllocatedType(), Element) || !isNumber(Element))
      return std::nullopt;
    const Expr *Count = *N.getArraySize();
    std::optional<Edit> Drop = replace(Parens, "");
    if (!Drop || !isStable(Count, Element))
      return std::nullopt;
    return Zeros{std::move(Pointer), cast(Count), {std::move(*Drop)}};
  }

  std::optional<Zeros> readCalloc(const CallExpr &C, std::string Pointer, QualType Element) const {
    const FunctionDecl *F = C.getDirectCallee();
    if (!F || !F->getIdentifier() || F->getName() != "calloc" || C.getNumArgs() != 2)
      return std::nullopt;
    const bool SecondIsSize = isSizeOf(C.getArg(1), Element);
    if (!SecondIsSize && !isSizeOf(C.getArg(0), Element))
      return std::nullopt;
    const Expr *Count = C.getArg(SecondIsSize ? 0 : 1), *Size = C.getArg(SecondIsSize ? 1 : 0);
    std::optional<Edit> Name = replace(C.getCallee()->getSourceRange(), "malloc"),
                        Args = replace({C.getArg(0)->getBeginLoc(), C.getArg(1)->getEndLoc()},
                                       cast(Count) + " * " + textOf(Size, Ctx));
    if (!Name || !Args || !isStable(Count, Element))
      return std::nullopt;
    Expr::EvalResult Known;
    return Zeros{
        std::move(Pointer), cast(Count), {std::move(*Name), std::move(*Args)}, true, !Count->EvaluateAsInt(Known, Ctx)};
  }

  std::optional<Zeros> readMemset() const {
    const auto *C = dyn_cast<CallExpr>(&S);
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    Expr::EvalResult Value;
    if (!F || !F->getIdentifier() || F->getName() != "memset" || C->getNumArgs() != 3 ||
        !C->getArg(1)->EvaluateAsInt(Value, Ctx) || Value.Val.getInt() != 0)
      return std::nullopt;
    const Expr *To = C->getArg(0)->IgnoreParenImpCasts();
    if (!isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(To) || To->HasSideEffects(Ctx))
      return std::nullopt;
    QualType T = To->getType();
    const QualType Element = T->isPointerType()              ? T->getPointeeType()
                             : Ctx.getAsConstantArrayType(T) ? Ctx.getAsConstantArrayType(T)->getElementType()
                                                             : QualType();
    const std::string Count = Element.isNull() ? "" : countOf(C->getArg(2), Element);
    if (Count.empty() || !isNumber(Element))
      return std::nullopt;
    return Zeros{textOf(To, Ctx), Count, {}, false, false, true};
  }

  // The number of elements of so many bytes, as text: the factors of the product but for the size of an element.
  std::string countOf(const Expr *Bytes, QualType Element) const {
    const Expr *E = Bytes->IgnoreParenImpCasts();
    const std::uint64_t Size = Ctx.getTypeSizeInChars(Element).getQuantity();
    if (const auto *Of = dyn_cast<UnaryExprOrTypeTraitExpr>(E); Of && Of->getKind() == UETT_SizeOf) {
      Expr::EvalResult Known;
      const bool Whole =
          !Of->isArgumentType() && Of->EvaluateAsInt(Known, Ctx) && Known.Val.getInt().getZExtValue() % Size == 0;
      return Whole ? textOf(E, Ctx) + " / " + std::to_string(Size) : "";
    }
    llvm::SmallVector<const Expr *, 4> Factors;
    if (!flatten(E, Factors))
      return {};
    const auto *One = llvm::find_if(Factors, [&](const Expr *X) { return isSizeOf(X, Element); });
    if (One == Factors.end())
      return {};
    Factors.erase(One);
    std::string Text;
    for (const Expr *X : Factors) {
      if (!isStable(X, Element))
        return {};
      Text += (Text.empty() ? "" : " * ") + cast(X);
    }
    return Text;
  }
  // Products of the width of the whole: narrower ones may wrap, and stay as they are.
  bool flatten(const Expr *E, llvm::SmallVectorImpl<const Expr *> &Into) const {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (B && B->getOpcode() == BO_Mul && Ctx.hasSameType(B->getType(), Ctx.getSizeType()))
      return flatten(B->getLHS(), Into) && flatten(B->getRHS(), Into);
    Into.push_back(E->IgnoreParenImpCasts());
    return E->IgnoreParenImpCasts()->getType()->isIntegerType();
  }

  bool isSizeOf(const Expr *E, QualType Element) const {
    const auto *Of = dyn_cast<UnaryExprOrTypeTraitExpr>(E->IgnoreParenImpCasts());
    Expr::EvalResult Known;
    return Of && Of->getKind() == UETT_SizeOf && Of->EvaluateAsInt(Known, Ctx) &&
           Known.Val.getInt().getZExtValue() == std::uint64_t(Ctx.getTypeSizeInChars(Element).getQuantity());
  }

  bool isNumber(QualType T) const {
    return !T.isNull() && !T->isIncompleteType() && !T->isDependentType() && T->isArithmeticType() &&
           !T.isVolatileQualified() && !T.isConstQualified();
  }

  // Evaluated in each iteration of the loop of zeros, it stays what it is: no calls, no memory of the elements' type.
  bool isStable(const Stmt *E, QualType Element) const {
    const auto *X = dyn_cast<Expr>(E);
    if (X && X->getBeginLoc().isMacroID())
      return isa<IntegerLiteral>(X->IgnoreParenImpCasts());
    if (X && X->isValueDependent())
      return false;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      return isa<EnumConstantDecl>(Ref->getDecl()) ||
             (V && !V->getType().isVolatileQualified() && !V->getType()->isReferenceType() &&
              (V->hasLocalStorage() || V->getType().isConstQualified() ||
               !Ctx.hasSameUnqualifiedType(V->getType(), Element)));
    }
    if (const auto *M = dyn_cast<MemberExpr>(E); M && Ctx.hasSameUnqualifiedType(M->getType(), Element))
      return false;
    if (isa<CallExpr, CXXConstructExpr, UnaryOperator, ArraySubscriptExpr, StmtExpr, LambdaExpr>(E))
      return false;
    const auto *B = dyn_cast<BinaryOperator>(E);
    return !(B && B->isAssignmentOp()) &&
           llvm::all_of(E->children(), [&](const Stmt *C) { return !C || isStable(C, Element); });
  }

  std::string cast(const Expr *E) const {
    const Expr *Bare = E->IgnoreParenImpCasts();
    std::string Text = textOf(Bare, Ctx);
    if (Ctx.hasSameType(Bare->getType(), Ctx.getSizeType()))
      return isa<DeclRefExpr, MemberExpr>(Bare) ? Text : "(" + Text + ")";
    return "(size_t)" + (isa<DeclRefExpr, MemberExpr, IntegerLiteral>(Bare) ? Text : "(" + Text + ")");
  }

  std::optional<Edit> replace(SourceRange R, std::string By) const {
    if (R.getBegin().isMacroID() || R.getEnd().isMacroID())
      return std::nullopt;
    const SourceLocation End = Lexer::getLocForEndOfToken(R.getEnd(), 0, SM, Ctx.getLangOpts());
    return Edit{placeOf(Ctx, R.getBegin()).File, SM.getFileOffset(R.getBegin()), SM.getFileOffset(End), std::move(By)};
  }

  // Behind the statement, with the comment behind it.
  std::optional<unsigned> endOfStatement() const {
    if (S.getBeginLoc().isMacroID() || S.getEndLoc().isMacroID())
      return std::nullopt;
    SourceLocation End = S.getEndLoc();
    if (isa<DeclStmt>(S))
      End = End.getLocWithOffset(1);
    else
      End = Lexer::findLocationAfterToken(End, tok::semi, SM, Ctx.getLangOpts(), false);
    if (End.isInvalid())
      return std::nullopt;
    auto [File, At] = SM.getDecomposedLoc(End);
    llvm::StringRef Rest = SM.getBufferData(File).drop_front(At);
    Rest = Rest.take_front(Rest.find('\n'));
    if (!Rest.trim().empty() && !Rest.ltrim().starts_with("//"))
      return std::nullopt;
    return At + Rest.rtrim().size();
  }

  static bool isNameFree(const Zeros &Z) {
    return !llvm::StringRef(Z.Count).contains(Counter) && !llvm::StringRef(Z.Pointer).contains(Counter);
  }

  const Stmt &S;
  ASTContext &Ctx;
  const SourceManager &SM;
};

} // namespace

std::optional<Fix> zeroByTeam(SourceLocation At, Unit &U) {
  const FunctionDecl *F = U.functionAt(At);
  const LangOptions &Language = U.ast().getLangOpts();
  if (!F || !F->hasBody() || !Language.OpenMP || !(Language.C99 || Language.CPlusPlus))
    return std::nullopt;
  Statement Search(At);
  Search.TraverseStmt(F->getBody());
  return Search.Found ? Zeroing(*Search.Found, U.ast()).fix(F) : std::nullopt;
}

} // namespace stridewise
