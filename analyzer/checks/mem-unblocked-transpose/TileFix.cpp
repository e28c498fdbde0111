// No dependence goes forward in one of the two loops and back in the other, else they could not be exchanged: then
// tiles keep them all (Wolf and Lam, A data locality optimizing algorithm, PLDI 1991: fully permutable loops).
#include "checks/mem-unblocked-transpose/TileFix.h"
#include "loops/ArrayNames.h"
#include "loops/LoopInterchange.h"
#include "omp/OmpSites.h"
#include "unit/FixSafety.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace stridewise {
namespace {

// for (Type Counter = Start; Counter < Bound; Counter++)
struct Header {
  const VarDecl *Counter = nullptr;
  std::string Type, Name, Start, Relation, Bound;
  bool IsWide = false; // too long a loop for its counter to come to its type's end

  std::string first() const { return "first_" + Name; }
  std::string ofTiles(const std::string &Tile) const {
    return Type + " " + first() + " = " + Start + "; " + first() + Relation + Bound + "; " + first() + " += " + Tile;
  }
  std::string ofTile(const std::string &Tile) const {
    return Type + " " + Name + " = " + first() + "; " + Name + Relation + Bound + " && " + Name + " - " + first() +
           " < " + Tile + "; " + Name + "++";
  }
};

// As it is written, macros by their names.
std::string written(const Expr *E, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  const CharSourceRange Range =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(E->getSourceRange()), SM, Ctx.getLangOpts());
  llvm::StringRef Text = Range.isValid() ? Lexer::getSourceText(Range, SM, Ctx.getLangOpts()) : "";
  return Text.empty() || Text.contains('\n') ? textOf(E, Ctx) : Text.str();
}

std::optional<Header> headerOf(const ForStmt &For, ASTContext &Ctx) {
  const auto *Init = dyn_cast_or_null<DeclStmt>(For.getInit());
  const auto *V = Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
  const auto *Compare = dyn_cast_or_null<BinaryOperator>(For.getCond());
  const auto *Step = dyn_cast_or_null<UnaryOperator>(For.getInc());
  const auto *Left = Compare ? dyn_cast<DeclRefExpr>(Compare->getLHS()->IgnoreParenImpCasts()) : nullptr;
  if (!V || !V->getInit() || !Step || !Step->isIncrementOp() || !Left || Left->getDecl() != V ||
      (Compare->getOpcode() != BO_LT && Compare->getOpcode() != BO_LE) || V->getType().hasQualifiers())
    return std::nullopt;
  Header H;
  H.Counter = V;
  H.Type = V->getType().getAsString(Ctx.getPrintingPolicy());
  H.Name = V->getNameAsString();
  H.Start = written(V->getInit(), Ctx);
  H.Relation = Compare->getOpcode() == BO_LT ? " < " : " <= ";
  H.Bound = written(Compare->getRHS(), Ctx);
  Expr::EvalResult Known;
  H.IsWide = Ctx.getTypeSize(V->getType()) == 64 ||
             (Compare->getRHS()->EvaluateAsInt(Known, Ctx) && Known.Val.getInt().getSignificantBits() <= 30);
  return H;
}

} // namespace

std::optional<Fix> tileLoops(const Stmt *OuterLoop, const Stmt *InnerLoop, const ExchangeVerdict &V, unsigned Tile,
                             Unit &U) {
  ASTContext &Ctx = U.ast();
  const auto *Outer = dyn_cast_or_null<ForStmt>(OuterLoop), *Inner = dyn_cast_or_null<ForStmt>(InnerLoop);
  const bool IsOrder = (V.K == ExchangeVerdict::Proven || V.K == ExchangeVerdict::Assumed) && !V.CopiesScalars &&
                       V.Rows.empty() && !V.SiblingLoops && !V.TestsBound;
  if (!Outer || !Inner || !IsOrder)
    return std::nullopt;
  // What forbids to write the headers in another order forbids this, too.
  const std::optional<Fix> Exchange = exchangeHeaders(Outer, Inner, U);
  const std::optional<Header> A = headerOf(*Outer, Ctx), B = headerOf(*Inner, Ctx);
  const FunctionDecl *F = U.functionAt(Outer->getForLoc());
  if (!Exchange || Exchange->Edits.size() != 2 || !A || !B || !F)
    return std::nullopt;
  const std::string Whole = textOf(F->getBody(), Ctx);
  if (Whole.find(A->first()) != std::string::npos || Whole.find(B->first()) != std::string::npos)
    return std::nullopt;
  const SourceManager &SM = U.sources();
  auto [File, At] = SM.getDecomposedLoc(Outer->getForLoc());
  llvm::StringRef Text = SM.getBufferData(File).take_front(At);
  const std::string Indent =
      Text.substr(Text.rfind('\n') + 1).take_while([](char C) { return C == ' ' || C == '\t'; }).str();
  const std::string Length = std::to_string(Tile), Next = ")\n" + Indent + "  for (";
  std::vector<Edit> Edits = Exchange->Edits;
  Edits[0].Replacement = A->ofTiles(Length) + Next + B->ofTiles(Length) + Next + A->ofTile(Length);
  Edits[1].Replacement = B->ofTile(Length);
  Fix X = safeFix("go through the loops over '" + A->Name + "' and '" + B->Name + "' in tiles", std::move(Edits),
                  "no iteration needs what a later one of the other order makes");
  if (V.DistinctArrays)
    doubt(X, arrayNames(V.Distinct, U) + " may overlap");
  else if (V.K == ExchangeVerdict::Assumed)
    doubt(X, "an index may leave its row");
  if (V.ReordersSum)
    doubt(X, "sums are rounded in another order");
  if (!A->IsWide || !B->IsWide)
    doubt(X, "a counter could pass the end of its type in loops that are almost as long");
  if (!SM.isInMainFile(Outer->getForLoc()))
    doubt(X, "other units may compile this function with other arguments");
  doubtOtherCode(X, F, Ctx);
  return X;
}

} // namespace stridewise
