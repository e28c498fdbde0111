// What keeps its meaning: the iterations of each loop, who has them, the barrier behind each, and what is shared, since
// all that a combined directive shares by default is shared by the region around it, too. What changes: serial code
// within the region is executed by each thread. So there may be none but declarations of values and the header of the
// serial loop, and these may read nothing that the shared loops write.
#include "omp/OneRegion.h"
#include "omp/DirectiveEdits.h"
#include "omp/OmpRegion.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "unit/Visitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace stridewise {
namespace {

const VarDecl *variableOf(const Expr *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

// A combined directive whose clauses may stand on a `for` as well.
bool isConvertible(const OMPExecutableDirective &D) {
  return (D.getDirectiveKind() == llvm::omp::OMPD_parallel_for ||
          D.getDirectiveKind() == llvm::omp::OMPD_parallel_for_simd) &&
         llvm::all_of(D.clauses(), [](const OMPClause *C) {
           return C->isImplicit() || isa<OMPScheduleClause, OMPCollapseClause, OMPPrivateClause, OMPFirstprivateClause,
                                         OMPLastprivateClause, OMPReductionClause>(C);
         });
}

// What some statements write by name, through what types they write, and whether they call what may write anything.
struct Effects : Visitor<Effects> {
  llvm::DenseSet<const VarDecl *> Named;
  llvm::SmallVector<QualType, 8> Through;
  bool Calls = false;

  void write(const Expr *E) {
    if (const VarDecl *V = variableOf(E); V && !V->getType()->isReferenceType())
      Named.insert(V);
    else
      Through.push_back(E->getType());
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isAssignmentOp())
      write(B->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
      write(U->getSubExpr());
    return true;
  }
  bool VisitStmt(Stmt *S) override {
    Calls |= isa<CallExpr, CXXConstructExpr, CXXNewExpr, CXXDeleteExpr, AsmStmt, AtomicExpr, LambdaExpr>(S);
    return true;
  }
  void add(const OMPExecutableDirective &D) {
    TraverseStmt(const_cast<Stmt *>(constructBody(D)));
    for (const Expr *E : resultVariables(D))
      write(E);
  }

  // Whether these statements leave alone what the expression reads. Names without an address are their own; memory of
  // another type is other memory.
  bool spares(const Stmt *E, const ASTContext &Ctx) const {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      return !V || (!Named.contains(V) && !V->getType()->isReferenceType() && !V->getType().isVolatileQualified() &&
                    (V->getType().isConstQualified() || V->hasLocalStorage() || !mayWrite(V->getType(), Ctx)));
    }
    if (const auto *M = dyn_cast<MemberExpr>(E); M && mayWrite(M->getType(), Ctx))
      return false;
    if (isa<CallExpr, CXXConstructExpr, CXXNewExpr, ArraySubscriptExpr, StmtExpr, LambdaExpr, AtomicExpr>(E))
      return false;
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf))
      return false;
    return llvm::all_of(E->children(), [&](const Stmt *C) { return !C || spares(C, Ctx); });
  }
  bool mayWrite(QualType T, const ASTContext &Ctx) const {
    return Calls || llvm::any_of(Through, [&](QualType X) {
             return X->isAnyCharacterType() || X->isRecordType() || Ctx.hasSameUnqualifiedType(X, T);
           });
  }
};

// The address of a variable, which others could write through.
struct Addresses : Visitor<Addresses> {
  llvm::DenseSet<const VarDecl *> Taken;
  bool VisitUnaryOperator(UnaryOperator *U) override {
    if (U->getOpcode() == UO_AddrOf)
      Taken.insert(variableOf(U->getSubExpr()));
    return true;
  }
  bool VisitVarDecl(VarDecl *V) override {
    if (V->getType()->isReferenceType() && V->getInit())
      Taken.insert(variableOf(V->getInit()));
    return true;
  }
};

bool mentionsAny(const Stmt *S, const llvm::DenseSet<const VarDecl *> &Of) {
  if (const auto *Ref = dyn_cast_or_null<DeclRefExpr>(S))
    if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()); V && Of.contains(V))
      return true;
  return S && llvm::any_of(S->children(), [&](const Stmt *C) { return mentionsAny(C, Of); });
}

// A declaration of values that each thread can compute for itself.
bool isComputed(const DeclStmt &S, const Effects &E, const llvm::DenseSet<const VarDecl *> &Taken,
                const ASTContext &Ctx) {
  return llvm::all_of(S.decls(), [&](const Decl *D) {
    const auto *V = dyn_cast<VarDecl>(D);
    return V && V->hasLocalStorage() && V->getType()->isScalarType() && V->getInit() && !E.Named.contains(V) &&
           !Taken.contains(V) && !V->getInit()->HasSideEffects(Ctx) && E.spares(V->getInit(), Ctx) &&
           !mentionsAny(V->getInit(), Taken);
  });
}

// Behind the last token of a loop.
std::optional<unsigned> endOf(const Stmt *S, const ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  while (true) {
    if (const auto *For = dyn_cast_or_null<ForStmt>(S))
      S = For->getBody();
    else if (const auto *While = dyn_cast_or_null<WhileStmt>(S))
      S = While->getBody();
    else if (const auto *If = dyn_cast_or_null<IfStmt>(S))
      S = If->getElse() ? If->getElse() : If->getThen();
    else
      break;
  }
  if (!S || S->getEndLoc().isInvalid() || S->getEndLoc().isMacroID() || (!isa<CompoundStmt, Expr>(S)))
    return std::nullopt;
  const SourceLocation End =
      isa<CompoundStmt>(S) ? S->getEndLoc().getLocWithOffset(1)
                           : Lexer::findLocationAfterToken(S->getEndLoc(), tok::semi, SM, Ctx.getLangOpts(), false);
  return End.isValid() ? std::optional(SM.getFileOffset(End)) : std::nullopt;
}

// The line that a place is on: its beginning, and the blanks there.
std::pair<unsigned, std::string> lineOf(SourceLocation At, const SourceManager &SM) {
  auto [File, Offset] = SM.getDecomposedLoc(At);
  llvm::StringRef Text = SM.getBufferData(File).take_front(Offset);
  const std::size_t Begin = Text.rfind('\n') + 1;
  return {unsigned(Begin), Text.substr(Begin).take_while([](char C) { return C == ' ' || C == '\t'; }).str()};
}

Fix described(std::string Name, std::vector<Edit> Edits, const FunctionDecl *In, const ASTContext &Ctx) {
  Fix X = safeFix(std::move(Name), std::move(Edits),
                  "each loop keeps its iterations, its threads and the barrier behind it");
  doubtOtherCode(X, In, Ctx);
  return X;
}

// Variables that a clause takes values from, or hands results to, must belong to the team.
bool areShared(const OMPExecutableDirective &D, const llvm::DenseSet<const VarDecl *> &Own) {
  for (const auto *C : D.getClausesOfKind<OMPFirstprivateClause>())
    if (llvm::any_of(C->varlists(), [&](const Expr *E) { return Own.contains(variableOf(E)); }))
      return false;
  return llvm::none_of(resultVariables(D), [&](const Expr *E) { return Own.contains(variableOf(E)); });
}

} // namespace

std::optional<Fix> fuseRegions(llvm::ArrayRef<const OMPExecutableDirective *> Run, const CompoundStmt *Block,
                               const FunctionDecl *In, ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  Effects Written;
  std::vector<Edit> Edits;
  for (const OMPExecutableDirective *D : Run) {
    std::optional<Edit> E = isConvertible(*D) ? withoutTeam(*D, Ctx) : std::nullopt;
    if (!E)
      return std::nullopt;
    Edits.push_back(std::move(*E));
    Written.add(*D);
  }
  if (!Block || !In || !In->hasBody() || Run.size() < 2)
    return std::nullopt;
  Addresses Others;
  Others.TraverseStmt(In->getBody());
  llvm::DenseSet<const VarDecl *> Own;
  const auto *First = llvm::find(Block->body(), Run.front()), *Last = llvm::find(Block->body(), Run.back());
  if (First == Block->body_end() || Last == Block->body_end())
    return std::nullopt;
  for (const Stmt *S : llvm::make_range(First, Last)) {
    if (llvm::is_contained(Run, S) || isa<NullStmt>(S))
      continue;
    const auto *D = dyn_cast<DeclStmt>(S);
    if (!D || !isComputed(*D, Written, Others.Taken, Ctx))
      return std::nullopt;
    for (const Decl *V : D->decls())
      Own.insert(cast<VarDecl>(V));
  }
  for (const Stmt *S : llvm::make_range(std::next(Last), Block->body_end()))
    if (mentionsAny(S, Own))
      return std::nullopt;
  if (!llvm::all_of(Run, [&](const OMPExecutableDirective *D) { return areShared(*D, Own); }))
    return std::nullopt;
  const std::optional<unsigned> End = endOf(constructBody(*Run.back()), Ctx);
  // Where a configuration leaves directives out, it would have one of the braces alone.
  if (!End || hasConditionals({Run.front()->getBeginLoc(), constructBody(*Run.back())->getEndLoc()}, Ctx))
    return std::nullopt;
  const unsigned Begin = lineOf(Run.front()->getBeginLoc(), SM).first;
  const Stmt *Loop = constructBody(*Run.front());
  const std::string Indent = lineOf(Loop->getBeginLoc(), SM).second, File = Edits.front().File;
  Edits.push_back({File, Begin, Begin, Indent + "#pragma omp parallel\n" + Indent + "{\n"});
  Edits.push_back({File, *End, *End, "\n" + Indent + "}"});
  return described("put the " + std::to_string(Run.size()) + " loops into one region", std::move(Edits), In, Ctx);
}

namespace {

// A serial loop of which every thread can count the iterations for itself.
class CountedByAll {
public:
  CountedByAll(const ForStmt &For, const FunctionDecl &In, ASTContext &Ctx) : For(For), Ctx(Ctx) {
    Others.TraverseStmt(In.getBody());
    const auto *Init = dyn_cast_or_null<DeclStmt>(For.getInit());
    Counter = Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
  }
  const VarDecl *Counter;

  /// The edits of the directives within; none where something else stands among them.
  std::vector<Edit> edits() {
    std::vector<const Stmt *> Statements{For.getBody()};
    if (const auto *Block = dyn_cast<CompoundStmt>(For.getBody()))
      Statements.assign(Block->body_begin(), Block->body_end());
    std::vector<Edit> Edits;
    for (const Stmt *S : Statements)
      if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
        std::optional<Edit> E = isConvertible(*D) ? withoutTeam(*D, Ctx) : std::nullopt;
        if (!E)
          return {};
        Edits.push_back(std::move(*E));
        Written.add(*D);
      }
    llvm::DenseSet<const VarDecl *> Own{Counter};
    for (const Stmt *S : Statements) {
      const auto *D = dyn_cast<DeclStmt>(S);
      if (D ? !isComputed(*D, Written, Others.Taken, Ctx) : !isa<OMPExecutableDirective, NullStmt>(S))
        return {};
      if (D)
        for (const Decl *V : D->decls())
          Own.insert(cast<VarDecl>(V));
    }
    for (const Stmt *S : Statements)
      if (const auto *D = dyn_cast<OMPExecutableDirective>(S); D && !areShared(*D, Own))
        return {};
    return Edits;
  }

  /// Whether its header counts with a variable of its own and reads nothing that the loops write.
  bool hasFreeHeader() const {
    return Counter && Counter->getInit() && For.getCond() && For.getInc() && Counter->getType()->isIntegerType() &&
           steps() && !Written.Named.contains(Counter) && !Others.Taken.contains(Counter) &&
           isFree(Counter->getInit()) && isFree(For.getCond());
  }

private:
  bool isFree(const Expr *E) const {
    return !E->HasSideEffects(Ctx) && Written.spares(E, Ctx) && !mentionsAny(E, Others.Taken);
  }
  bool steps() const {
    const Expr *Inc = For.getInc()->IgnoreParens();
    if (const auto *Step = dyn_cast<UnaryOperator>(Inc))
      return Step->isIncrementDecrementOp() && variableOf(Step->getSubExpr()) == Counter;
    const auto *Added = dyn_cast<CompoundAssignOperator>(Inc);
    return Added && variableOf(Added->getLHS()) == Counter && isFree(Added->getRHS());
  }

  const ForStmt &For;
  ASTContext &Ctx;
  Effects Written;
  Addresses Others;
};

// Nothing stands before the loop in its line, and no other directive is for it.
bool beginsLine(const ForStmt &For, const SourceManager &SM) {
  const unsigned Begin = lineOf(For.getForLoc(), SM).first;
  llvm::StringRef Text = SM.getBufferData(SM.getFileID(For.getForLoc()));
  llvm::StringRef Before = Text.take_front(Begin).rtrim();
  return Text.slice(Begin, SM.getFileOffset(For.getForLoc())).trim().empty() &&
         !Before.substr(Before.rfind('\n') + 1).ltrim().starts_with("#pragma");
}

} // namespace

std::optional<Fix> hoistRegion(const Stmt *Loop, const FunctionDecl *In, ASTContext &Ctx) {
  const auto *For = dyn_cast_or_null<ForStmt>(Loop);
  if (!For || !In || !In->hasBody() || For->getForLoc().isMacroID() || !beginsLine(*For, Ctx.getSourceManager()))
    return std::nullopt;
  CountedByAll Serial(*For, *In, Ctx);
  std::vector<Edit> Edits = Serial.edits();
  // Where a configuration leaves directives out, each thread would do all of the work.
  if (Edits.empty() || !Serial.hasFreeHeader() || hasConditionals(For->getSourceRange(), Ctx))
    return std::nullopt;
  auto [Begin, Indent] = lineOf(For->getForLoc(), Ctx.getSourceManager());
  Edits.push_back({Edits.front().File, Begin, Begin, Indent + "#pragma omp parallel\n"});
  return described("open the region once, around the loop over '" + Serial.Counter->getNameAsString() + "'",
                   std::move(Edits), In, Ctx);
}

} // namespace stridewise
