// The exchange of two `for` headers in the source. It only moves text; that the new order computes the same is for the
// caller to prove.
#include "loops/LoopInterchange.h"
#include "unit/FixSafety.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace stridewise {
namespace {

const VarDecl *variableOf(const Expr *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

// The variable that a for statement sets at its start.
const VarDecl *initialised(const ForStmt *For) {
  const Stmt *Init = For->getInit();
  if (const auto *D = dyn_cast_or_null<DeclStmt>(Init))
    return D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Init);
  return Assign && Assign->getOpcode() == BO_Assign ? variableOf(Assign->getLHS()) : nullptr;
}

// The variable that a for statement steps.
const VarDecl *stepped(const ForStmt *For) {
  const Expr *Inc = For->getInc();
  if (!Inc)
    return nullptr;
  Inc = Inc->IgnoreParens();
  if (const auto *Unary = dyn_cast<UnaryOperator>(Inc))
    return Unary->isIncrementDecrementOp() ? variableOf(Unary->getSubExpr()) : nullptr;
  if (const auto *Binary = dyn_cast<BinaryOperator>(Inc))
    return Binary->isAssignmentOp() ? variableOf(Binary->getLHS()) : nullptr;
  if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(Inc))
    return Call->getNumArgs() ? variableOf(Call->getArg(0)) : nullptr;
  return nullptr;
}

struct Mentions : Visitor<Mentions> {
  const VarDecl *Var;
  bool Found = false;
  explicit Mentions(const VarDecl *Var) : Var(Var) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    Found |= E->getDecl() == Var;
    return !Found;
  }
};

bool mentions(const Stmt *S, const VarDecl *Var) {
  Mentions M(Var);
  M.TraverseStmt(const_cast<Stmt *>(S));
  return M.Found;
}

// A header whose parts can be evaluated elsewhere: one variable, no side effect but its own step.
bool isSimple(const ForStmt *For, const VarDecl *Var, const ASTContext &Ctx) {
  if (For->getConditionVariable() || !For->getCond() || stepped(For) != Var || initialised(For) != Var ||
      !Var->getType()->isIntegerType() || Var->getType().isVolatileQualified())
    return false;
  const Expr *Start = nullptr;
  if (const auto *D = dyn_cast<DeclStmt>(For->getInit()))
    Start = cast<VarDecl>(D->getSingleDecl())->getInit();
  else
    Start = cast<BinaryOperator>(For->getInit())->getRHS();
  const auto *Compare = dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
  return Start && !Start->HasSideEffects(Ctx) && Compare && Compare->isComparisonOp() &&
         !Compare->HasSideEffects(Ctx) &&
         (variableOf(Compare->getLHS()) == Var || variableOf(Compare->getRHS()) == Var);
}

// Whether an expression can be evaluated at any time: where the outer loop runs no iteration, the header of the inner
// one was not evaluated at all before the exchange.
struct Traps : Visitor<Traps> {
  const ASTContext &Ctx;
  llvm::DenseSet<const VarDecl *> Followed; // pointers that the outer loop's header follows in any case
  bool Found = false;
  explicit Traps(const ASTContext &Ctx) : Ctx(Ctx) {}
  bool VisitStmt(Stmt *S) override {
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && (B->isMultiplicativeOp() && B->getOpcode() != BO_Mul)) {
      Expr::EvalResult By;
      Found |=
          B->getRHS()->isValueDependent() || !B->getRHS()->EvaluateAsInt(By, Ctx) || !By.Val.getInt().getBoolValue();
    } else if (const auto *M = dyn_cast<MemberExpr>(S)) {
      Found |= M->isArrow() && !isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()) &&
               !Followed.contains(variableOf(M->getBase()));
    } else if (const auto *U = dyn_cast<UnaryOperator>(S)) {
      Found |= U->getOpcode() == UO_Deref;
    }
    Found |= isa<ArraySubscriptExpr, CallExpr, CXXConstructExpr, StmtExpr, AsmStmt>(S);
    return !Found;
  }
};

// The pointers that a loop's header follows before the loop's first iteration.
struct Follows : Visitor<Follows> {
  llvm::DenseSet<const VarDecl *> Found;
  bool VisitMemberExpr(MemberExpr *M) override {
    if (const VarDecl *V = M->isArrow() ? variableOf(M->getBase()) : nullptr)
      Found.insert(V);
    return true;
  }
  // What stands behind these is not always evaluated.
  bool TraverseStmt(Stmt *S) override {
    if (auto *B = dyn_cast_or_null<BinaryOperator>(S); B && B->isLogicalOp())
      return TraverseStmt(B->getLHS());
    if (auto *C = dyn_cast_or_null<ConditionalOperator>(S))
      return TraverseStmt(C->getCond());
    return Visitor::TraverseStmt(S);
  }
};

// Statements that leave the nest in the middle: which iteration does so first depends on the order.
struct Exits : Visitor<Exits> {
  bool Found = false;
  bool VisitStmt(Stmt *S) override {
    const auto *Call = dyn_cast<CallExpr>(S);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    Found |= isa<ReturnStmt, GotoStmt, IndirectGotoStmt, CXXThrowExpr, AsmStmt>(S) || (Callee && Callee->isNoReturn());
    return !Found;
  }
};

const Stmt *onlyStatement(const Stmt *Body) {
  while (Body) {
    if (const auto *Block = dyn_cast<CompoundStmt>(Body))
      Body = Block->size() == 1 ? Block->body_front() : nullptr;
    else if (const auto *Directive = dyn_cast<OMPExecutableDirective>(Body))
      Body = Directive->hasAssociatedStmt() ? Directive->getRawStmt() : nullptr;
    else
      break;
  }
  return Body;
}

// What the whole function says of the two variables and of directives around the nest.
class Context : public Visitor<Context> {
public:
  /// `Shared` is the directive that divides the nest's outer loop, or null.
  Context(const ForStmt *Nest, const VarDecl *A, const VarDecl *B, const OMPLoopDirective *Shared)
      : Nest(Nest), Variables{A, B}, Shared(Shared) {}

  bool UnderDirective = false, Leaks = false;

  bool TraverseStmt(Stmt *S) override {
    if (!S)
      return true;
    bool Directive = isa<OMPLoopBasedDirective>(S) && S != Shared;
    const auto *For = dyn_cast<ForStmt>(S);
    const VarDecl *Sets = For ? initialised(For) : nullptr;
    if (S == Nest)
      UnderDirective |= Directives > 0;
    Directives += Directive;
    if (Sets)
      ++Initialised[Sets];
    bool Continue = Visitor::TraverseStmt(S);
    if (Sets)
      --Initialised[Sets];
    Directives -= Directive;
    return Continue;
  }

  // A use outside all loops that set the variable sees the value that the last of them left.
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    for (const VarDecl *V : Variables)
      Leaks |= E->getDecl() == V && !Initialised.lookup(V);
    return true;
  }

  // An address could be kept and read anywhere.
  bool VisitUnaryOperator(UnaryOperator *Op) override {
    if (Op->getOpcode() == UO_AddrOf)
      for (const VarDecl *V : Variables)
        Leaks |= variableOf(Op->getSubExpr()) == V;
    return true;
  }

private:
  const ForStmt *Nest;
  const VarDecl *Variables[2];
  const OMPLoopDirective *Shared;
  unsigned Directives = 0;
  llvm::DenseMap<const VarDecl *, unsigned> Initialised;
};

StringRef textBetween(SourceLocation Begin, SourceLocation End, const ASTContext &Ctx) {
  return Lexer::getSourceText(CharSourceRange::getCharRange(Begin, End), Ctx.getSourceManager(), Ctx.getLangOpts());
}

// A directive that the compiler may not have been told to read still binds to the loop below it. `Shared` is the one
// that is allowed for.
bool hasPragma(const ForStmt *Outer, const ForStmt *Inner, const OMPLoopDirective *Shared, const ASTContext &Ctx) {
  if (textBetween(Outer->getRParenLoc(), Inner->getForLoc(), Ctx).contains('#'))
    return true;
  if (Shared)
    return Shared->getEndLoc().isMacroID() || !textBetween(Shared->getEndLoc(), Outer->getForLoc(), Ctx).trim().empty();
  const SourceManager &SM = Ctx.getSourceManager();
  auto [File, Offset] = SM.getDecomposedLoc(Outer->getForLoc());
  StringRef Before = SM.getBufferData(File).take_front(Offset);
  Before = Before.take_front(Before.rfind('\n') + 1).rtrim();
  StringRef Line = Before.substr(Before.rfind('\n') + 1).ltrim();
  // What is ended further down marks a region and binds to no loop.
  StringRef Rest = Line;
  if (Rest.consume_front("#pragma ") && Rest.trim().find_first_of(" \t(") == StringRef::npos &&
      SM.getBufferData(File).drop_front(Offset).contains(("\n#pragma end" + Rest.trim() + "\n").str()))
    return false;
  return Line.starts_with("#");
}

// What depends on which thread runs an iteration, or orders the iterations of a team.
struct ThreadBound : Visitor<ThreadBound> {
  bool Found = false;
  bool VisitStmt(Stmt *S) override {
    const auto *Call = dyn_cast<CallExpr>(S);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    Found |= isa<OMPExecutableDirective>(S) || (Call && !Callee) ||
             (Callee && Callee->getIdentifier() && Callee->getName().starts_with("omp_"));
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    Found |= Var && (Var->getTLSKind() != VarDecl::TLS_None || Var->hasAttr<OMPThreadPrivateDeclAttr>());
    return !Found;
  }
};

// Loops that do not wait at their end: the next one may count on a thread finding there what itself has written here.
struct Unwaited : Visitor<Unwaited> {
  bool Found = false;
  bool VisitOMPLoopDirective(OMPLoopDirective *D) override {
    Found |= D->hasClausesOfKind<OMPNowaitClause>();
    return !Found;
  }
};

// Whether the directive does no more than divide the iterations of one loop, whichever that is.
bool onlyDivides(const OMPLoopDirective &D) {
  if ((D.getDirectiveKind() != llvm::omp::OMPD_for && D.getDirectiveKind() != llvm::omp::OMPD_parallel_for) ||
      D.getLoopsNumber() != 1)
    return false;
  return llvm::all_of(D.clauses(), [](const OMPClause *C) {
    return isa<OMPScheduleClause, OMPSharedClause, OMPDefaultClause, OMPNumThreadsClause, OMPIfClause,
               OMPProcBindClause>(C) ||
           C->isImplicit();
  });
}

// Whether a loop counts with a variable of its own.
bool declaresCounter(const ForStmt *For) { return isa_and_nonnull<DeclStmt>(For->getInit()); }

// The scalars that a statement writes, but for a loop's own variable.
struct Scalars : Visitor<Scalars> {
  const VarDecl *Counter;
  bool Written = false;
  explicit Scalars(const VarDecl *Counter) : Counter(Counter) {}
  void write(const Expr *E) {
    const VarDecl *V = variableOf(E);
    Written |= V && V != Counter;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isAssignmentOp())
      write(B->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *Op) override {
    if (Op->isIncrementDecrementOp() || Op->getOpcode() == UO_AddrOf)
      write(Op->getSubExpr());
    return true;
  }
};

// A loop whose body is one inner loop between expressions that hand it nothing in a scalar.
struct Split {
  StringRef Before, After; // text of the expressions, with their semicolons
  SourceLocation InnerEnd; // behind the inner loop
  SourceLocation End;      // behind the brace of the outer one
};

std::optional<Split> splitAround(const ForStmt *Outer, const ForStmt *Inner, const VarDecl *InnerCounter,
                                 const ASTContext &Ctx) {
  const auto *Block = dyn_cast<CompoundStmt>(Outer->getBody());
  if (!Block || Block->size() < 2 || Block->getRBracLoc().isMacroID())
    return std::nullopt;
  bool Seen = false;
  for (const Stmt *S : Block->body()) {
    Seen |= S == Inner;
    if (S != Inner && !isa<Expr>(S))
      return std::nullopt;
  }
  Scalars Kept(InnerCounter);
  Kept.TraverseStmt(const_cast<CompoundStmt *>(Block));
  Exits Leaving;
  Leaving.TraverseStmt(const_cast<CompoundStmt *>(Block));
  if (!Seen || Kept.Written || Leaving.Found)
    return std::nullopt;
  const SourceManager &SM = Ctx.getSourceManager();
  SourceLocation End = Inner->getEndLoc();
  if (isa<CompoundStmt>(Inner->getBody()))
    End = End.isMacroID() ? SourceLocation() : Lexer::getLocForEndOfToken(End, 0, SM, Ctx.getLangOpts());
  else
    End = Lexer::findLocationAfterToken(SM.getExpansionRange(End).getEnd(), tok::semi, SM, Ctx.getLangOpts(), false);
  if (End.isInvalid())
    return std::nullopt;
  Split Parts;
  Parts.InnerEnd = End;
  Parts.End = Block->getRBracLoc().getLocWithOffset(1);
  Parts.Before = textBetween(Block->getLBracLoc().getLocWithOffset(1), Inner->getForLoc(), Ctx).trim();
  Parts.After = textBetween(End, Block->getRBracLoc(), Ctx).trim();
  if (Parts.Before.contains('#') || Parts.After.contains('#') ||
      textBetween(Inner->getForLoc(), End, Ctx).contains('#') || (Parts.Before.empty() && Parts.After.empty()))
    return std::nullopt;
  return Parts;
}

} // namespace

const VarDecl *loopVariable(const Stmt *Loop) {
  if (const auto *Range = dyn_cast_or_null<CXXForRangeStmt>(Loop))
    return Range->getLoopVariable();
  if (const auto *For = dyn_cast_or_null<ForStmt>(Loop)) {
    const VarDecl *Step = stepped(For);
    return Step ? Step : initialised(For);
  }
  // A while loop counts with what it compares.
  const Expr *Condition = nullptr;
  if (const auto *While = dyn_cast_or_null<WhileStmt>(Loop))
    Condition = While->getCond();
  else if (const auto *Do = dyn_cast_or_null<DoStmt>(Loop))
    Condition = Do->getCond();
  const auto *Compare = dyn_cast_or_null<BinaryOperator>(Condition ? Condition->IgnoreParenImpCasts() : nullptr);
  return Compare && Compare->isComparisonOp() ? variableOf(Compare->getLHS()) : nullptr;
}

SourceRange loopHeader(const Stmt *Loop) {
  if (const auto *For = dyn_cast<ForStmt>(Loop))
    return {For->getForLoc(), For->getRParenLoc()};
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(Loop))
    return {Range->getForLoc(), Range->getRParenLoc()};
  if (const auto *While = dyn_cast<WhileStmt>(Loop))
    return {While->getWhileLoc(), While->getRParenLoc()};
  return {Loop->getBeginLoc(), Loop->getBeginLoc()};
}

bool isPerfectNest(const Stmt *Outer, const Stmt *Inner) {
  const Stmt *Loop = Outer;
  while (Loop && Loop != Inner) {
    if (const auto *For = dyn_cast<ForStmt>(Loop))
      Loop = onlyStatement(For->getBody());
    else if (const auto *Range = dyn_cast<CXXForRangeStmt>(Loop))
      Loop = onlyStatement(Range->getBody());
    else
      return isa<WhileStmt, DoStmt>(Loop); // its counter is stepped between the two
  }
  return Loop == Inner;
}

// What stood before the inner loop in a loop of its own, then the exchanged nest, then what stood behind it.
static std::string splitText(const Split &Parts, const ForStmt *Outer, const ForStmt *Inner, StringRef OuterHeader,
                             StringRef InnerHeader, ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  auto [File, Offset] = SM.getDecomposedLoc(Outer->getForLoc());
  StringRef Line = SM.getBufferData(File).take_front(Offset);
  Line = Line.substr(Line.rfind('\n') + 1);
  std::string Indent = Line.take_while([](char C) { return C == ' ' || C == '\t'; }).str();
  std::string Head = "for (" + OuterHeader.str() + ")", NewLine = "\n" + Indent;
  auto Alone = [&](StringRef Statements) { return Head + " {" + NewLine + "  " + Statements.str() + NewLine + "}"; };
  std::string Body = textBetween(Inner->getRParenLoc().getLocWithOffset(1), Parts.InnerEnd, Ctx).str();
  std::string Text = Parts.Before.empty() ? "" : Alone(Parts.Before) + NewLine;
  Text += "for (" + InnerHeader.str() + ")" + NewLine + "  " + Head + Body;
  if (!Parts.After.empty())
    Text += NewLine + Alone(Parts.After);
  DynTypedNodeList Parents = Ctx.getParents(*Outer);
  bool InBlock = !Parents.empty() && Parents[0].get<CompoundStmt>();
  return InBlock ? Text : "{" + NewLine + Text + NewLine + "}";
}

// Whether threads can divide the inner loop's iterations as they divide the outer one's now, once these are known to be
// independent.
static bool canBeShared(const ForStmt *Outer, const ForStmt *Inner, const OMPLoopDirective &Shared, Unit &U) {
  ThreadBound Body;
  Body.TraverseStmt(const_cast<Stmt *>(Inner->getBody()));
  Unwaited Elsewhere;
  for (Decl *D : U.ast().getTranslationUnitDecl()->decls())
    Elsewhere.TraverseDecl(D);
  return onlyDivides(Shared) && declaresCounter(Outer) && declaresCounter(Inner) && !Body.Found && !Elsewhere.Found;
}

static bool headerMentions(const ForStmt *For, const VarDecl *V) {
  return any_of(ArrayRef<const Stmt *>{For->getInit(), For->getCond(), For->getInc()},
                [&](const Stmt *Part) { return mentions(Part, V); });
}

// Whether each loop counts simply with a variable of its own, and neither header names the other one's.
static bool haveOwnHeaders(const ForStmt *Outer, const VarDecl *A, const ForStmt *Inner, const VarDecl *B,
                           const ASTContext &Ctx) {
  return A && B && A != B && A->hasLocalStorage() && B->hasLocalStorage() && isSimple(Outer, A, Ctx) &&
         isSimple(Inner, B, Ctx) && !headerMentions(Inner, A) && !headerMentions(Outer, B);
}

static bool areInOneFile(const ForStmt *Outer, const ForStmt *Inner, const SourceManager &SM) {
  for (const ForStmt *For : {Outer, Inner})
    for (SourceLocation Loc : {For->getForLoc(), For->getLParenLoc(), For->getRParenLoc()})
      if (Loc.isMacroID() || SM.getFileID(Loc) != SM.getFileID(Outer->getForLoc()))
        return false;
  return true;
}

// Whether the inner header follows pointers that the outer one has not followed before.
static bool mayTrap(const ForStmt *Outer, const ForStmt *Inner, ASTContext &Ctx) {
  Follows Before;
  for (const Stmt *Part : {Outer->getInit(), cast<Stmt>(Outer->getCond())})
    Before.TraverseStmt(const_cast<Stmt *>(Part));
  Traps Risky(Ctx);
  Risky.Followed = std::move(Before.Found);
  for (const Stmt *Part : {Inner->getInit(), cast<Stmt>(Inner->getCond())})
    Risky.TraverseStmt(const_cast<Stmt *>(Part));
  return Risky.Found;
}

std::optional<Fix> exchangeHeaders(const Stmt *OuterLoop, const Stmt *InnerLoop, Unit &U,
                                   const OMPLoopDirective *Shared) {
  const auto *Outer = dyn_cast_or_null<ForStmt>(OuterLoop), *Inner = dyn_cast_or_null<ForStmt>(InnerLoop);
  if (!Outer || !Inner)
    return std::nullopt;
  ASTContext &Ctx = U.ast();
  const SourceManager &SM = U.sources();
  const VarDecl *A = initialised(Outer), *B = initialised(Inner);
  std::optional<Split> Parts; // where other statements stand between the two
  if (onlyStatement(Outer->getBody()) != Inner) {
    Parts = splitAround(Outer, Inner, B, Ctx);
    if (!Parts)
      return std::nullopt;
  }
  if (Shared && (Parts || !canBeShared(Outer, Inner, *Shared, U)))
    return std::nullopt;
  if (!haveOwnHeaders(Outer, A, Inner, B, Ctx) || !areInOneFile(Outer, Inner, SM))
    return std::nullopt;
  const FunctionDecl *F = U.functionAt(Outer->getForLoc());
  Exits Leaving;
  Leaving.TraverseStmt(const_cast<Stmt *>(Inner->getBody()));
  if (!F || Leaving.Found || hasPragma(Outer, Inner, Shared, Ctx))
    return std::nullopt;
  Context Around(Outer, A, B, Shared);
  Around.TraverseStmt(F->getBody());
  if (Around.UnderDirective || Around.Leaks)
    return std::nullopt;

  auto Header = [&](const ForStmt *For) {
    return textBetween(For->getLParenLoc().getLocWithOffset(1), For->getRParenLoc(), Ctx);
  };
  StringRef OuterText = Header(Outer), InnerText = Header(Inner);
  if (OuterText.empty() || InnerText.empty() || OuterText.contains('#') || InnerText.contains('#'))
    return std::nullopt;
  auto Replace = [&](SourceLocation Begin, SourceLocation End, std::string Text) {
    auto File = SM.getFileEntryRefForID(SM.getFileID(Begin));
    Edit E;
    E.File = File ? std::string(File->getFileEntry().tryGetRealPathName()) : std::string();
    E.Begin = SM.getFileOffset(Begin);
    E.End = SM.getFileOffset(End);
    E.Replacement = std::move(Text);
    return E;
  };
  auto InParentheses = [&](const ForStmt *For, StringRef Text) {
    return Replace(For->getLParenLoc().getLocWithOffset(1), For->getRParenLoc(), Text.str());
  };
  std::string Names = "'" + A->getNameAsString() + "' and '" + B->getNameAsString() + "'";
  Fix Result;
  if (Parts) {
    std::string Text = splitText(*Parts, Outer, Inner, OuterText, InnerText, Ctx);
    Result = unsafeFix("split the loop over '" + A->getNameAsString() + "' and exchange those over " + Names,
                       {Replace(Outer->getForLoc(), Parts->End, std::move(Text))},
                       "the statements around the inner loop then run before or behind all of it");
  } else {
    Result =
        safeFix("exchange the loops over " + Names, {InParentheses(Outer, InnerText), InParentheses(Inner, OuterText)},
                "every iteration reads and writes the same values in both orders");
  }
  if (Result.Edits[0].File.empty())
    return std::nullopt;
  if (mayTrap(Outer, Inner, Ctx))
    doubt(Result, "the inner loop's bound is then read where the outer loop runs no iteration, too");
  doubtOtherCode(Result, F, Ctx);
  return Result;
}

std::optional<Fix> moveInnermost(const Stmt *OuterLoop, const Stmt *MiddleLoop, const Stmt *InnerLoop, Unit &U) {
  const auto *Outer = dyn_cast_or_null<ForStmt>(OuterLoop), *Inner = dyn_cast_or_null<ForStmt>(InnerLoop);
  std::optional<Fix> First = exchangeHeaders(OuterLoop, MiddleLoop, U),
                     Then = exchangeHeaders(MiddleLoop, InnerLoop, U);
  // A single edit splits the loops, which is no exchange of headers.
  if (!First || !Then || First->Edits.size() != 2 || Then->Edits.size() != 2)
    return std::nullopt;
  const VarDecl *A = initialised(Outer), *C = initialised(Inner);
  if (A == C || headerMentions(Inner, A) || headerMentions(Outer, C))
    return std::nullopt;
  Edit Last = Then->Edits[1];
  Last.Replacement = First->Edits[1].Replacement;
  Fix Result = safeFix("make the loop over '" + A->getNameAsString() + "' the innermost one",
                       {First->Edits[0], Then->Edits[0], Last}, "every iteration reads and writes the same values");
  for (const Fix *Part : {&*First, &*Then})
    if (Part->Safety != FixSafety::Safe)
      doubt(Result, Part->Why);
  return Result;
}

} // namespace stridewise
