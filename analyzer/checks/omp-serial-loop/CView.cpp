#include "checks/omp-serial-loop/ScalarUse.h"
#include "checks/omp-serial-loop/SourceView.h"
#include "loops/LoopInterchange.h"
#include "omp/OmpSites.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <map>

using namespace clang;

namespace stridewise {
namespace {

class CView : public SourceView {
public:
  explicit CView(Unit &U) : U(U), SM(U.sources()), Sites(U.ast()) {
    for (const OmpSite &Site : Sites.Constructs)
      index(Site);
  }

  SourceLoop loop(const llvm::Loop &L) override {
    SourceLoop Out;
    const SourceLocation At = U.loopLocation(&L);
    if (At.isInvalid())
      return Out;
    const Stmt *S = U.loopStatement(&L);
    if (auto It = Divided.find(position(At)); It != Divided.end()) {
      Out.K = It->second.second ? SourceLoop::Shared : SourceLoop::Unknown;
      S = It->second.first;
    }
    const FunctionDecl *F = S ? U.functionAt(S->getBeginLoc()) : nullptr;
    if (!F) {
      Out.K = SourceLoop::Unknown;
      return Out;
    }
    Out.Header = loopHeader(S);
    Out.Range = S->getSourceRange();
    Out.Function = Unit::functionName(F);
    nameContainer(*S, Out);
    if (Out.K == SourceLoop::Unknown && !Divided.contains(position(At)) && isa<ForStmt, CXXForRangeStmt>(S) &&
        !S->getBeginLoc().isMacroID() && !SM.isInSystemHeader(S->getBeginLoc()) && U.ast().getLangOpts().OpenMP)
      Out.K = SourceLoop::Serial;
    return Out;
  }

  bool isInConstruct(const llvm::DebugLoc &At) override {
    for (const llvm::DILocation *D = At.get(); D; D = D->getInlinedAt()) {
      const SourceLocation Loc = U.locate(llvm::DebugLoc(D));
      if (Loc.isInvalid())
        continue;
      const auto [File, Offset] = position(Loc);
      auto It = Bodies.find(File);
      if (It != Bodies.end() && llvm::any_of(It->second, [&, Offset = Offset](const auto &Range) {
            return Range.first <= Offset && Offset <= Range.second;
          }))
        return true;
    }
    return false;
  }

  bool sharesForCallers(const llvm::Function &F) override {
    const llvm::DISubprogram *P = F.getSubprogram();
    if (!P)
      return false;
    const SourceLocation Loc =
        U.locate(llvm::DILocation::get(F.getContext(), P->getLine(), 1, const_cast<llvm::DISubprogram *>(P)));
    const FunctionDecl *Of = nullptr;
    for (const FunctionDecl *X : Orphaned)
      if (X->hasBody() && Loc.isValid() && SM.getExpansionLineNumber(X->getLocation()) == P->getLine() &&
          SM.getFileID(SM.getExpansionLoc(X->getLocation())) == SM.getFileID(SM.getExpansionLoc(Loc)))
        Of = X;
    return Of != nullptr;
  }

  std::optional<LoopClauses> clauses(const llvm::Loop &L, const IterationProof &Proof) override {
    const Stmt *Loop = U.loopStatement(&L);
    const FunctionDecl *F = Loop ? U.functionAt(Loop->getBeginLoc()) : nullptr;
    if (!F || !F->hasBody() || F->isDependentContext() || !isCanonical(*Loop))
      return std::nullopt;
    auto [It, New] = Scalars.try_emplace(F->getCanonicalDecl());
    if (New)
      It->second = std::make_unique<ScalarUse>(*F);
    std::vector<const VarDecl *> Private, Updated;
    if (!It->second->classify(*Loop, Private, Updated))
      return std::nullopt;
    std::vector<std::string> Names, Sums;
    for (const VarDecl *V : Private) {
      if (!V->getType()->isScalarType() && !V->getType()->isConstantArrayType())
        return std::nullopt;
      Names.push_back(V->getNameAsString());
    }
    std::uint64_t Elements = 0; // of arrays, which the code may keep one by one
    for (const VarDecl *V : Updated) {
      const auto *Array = U.ast().getAsConstantArrayType(V->getType());
      if (!(Array ? Array->getElementType() : V->getType())->isArithmeticType())
        return std::nullopt;
      const std::uint64_t Size = Array ? Array->getSize().getZExtValue() : 1;
      Elements += Size;
      Sums.push_back(V->getNameAsString() + (Array ? "[:" + std::to_string(Size) + "]" : ""));
    }
    if (Updated.size() != Proof.Reduced && Elements != Proof.Reduced)
      return std::nullopt;
    return loopClauses(Names, Sums, Proof.Reduction);
  }

  std::optional<Edit> directive(const llvm::Loop &L, const LoopClauses &Clauses) override {
    const Stmt *S = U.loopStatement(&L);
    if (!S)
      return std::nullopt;
    const auto [File, Offset] = SM.getDecomposedLoc(S->getBeginLoc());
    const llvm::StringRef Before = SM.getBufferData(File).take_front(Offset);
    const llvm::StringRef Indent = Before.take_back(Before.size() - (Before.rfind('\n') + 1));
    auto Entry = SM.getFileEntryRefForID(File);
    if (!Entry || !Indent.trim().empty())
      return std::nullopt;
    const std::string Path = Entry->getFileEntry().tryGetRealPathName().str();
    if (Path.empty())
      return std::nullopt;
    return Edit{Path, Offset, Offset, "#pragma omp parallel for" + Clauses.Text + "\n" + Indent.str()};
  }

private:
  using Position = std::pair<FileID, unsigned>;
  Position position(SourceLocation L) const { return SM.getDecomposedLoc(SM.getExpansionLoc(L)); }

  void nameContainer(const Stmt &Loop, SourceLoop &Out) const {
    const VarDecl *V = loopVariable(&Loop);
    const Expr *Of = nullptr;
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(&Loop))
      Of = Range->getRangeInit();
    else if (const Expr *Init = V && !V->getType()->isIntegerType() ? V->getInit() : nullptr)
      if (const auto *Begin = dyn_cast<CXXMemberCallExpr>(Init->IgnoreUnlessSpelledInSource()))
        Of = Begin->getImplicitObjectArgument();
    if (!V || !Of)
      return;
    Out.Element = V->getNameAsString();
    Out.Container = textOf(Of, U.ast());
  }

  void index(const OmpSite &Site) {
    const OMPExecutableDirective &D = *Site.directive();
    const OpenMPDirectiveKind Kind = D.getDirectiveKind();
    const OmpConstruct C = classify(D, U.ast());
    const bool Team = C.SharesLoop && !C.Device && !isOpenMPDistributeDirective(Kind);
    std::vector<const ForStmt *> Loops = sharedLoops(D);
    for (std::size_t K = 0; K < Loops.size(); ++K)
      Divided[position(Loops[K]->getBeginLoc())] = {Loops[K], Team && K == 0};
    if (!Loops.empty())
      Divided[position(D.getBeginLoc())] = {Loops.front(), Team};
    const Stmt *Body = constructBody(D);
    if (!Body || (isOpenMPSimdDirective(Kind) && !C.SharesLoop && !C.StartsTeam && !C.Device))
      return;
    const Position Begin = position(Body->getBeginLoc());
    Bodies[Begin.first].emplace_back(Begin.second, position(Body->getEndLoc()).second);
    const bool Works = C.SharesLoop || C.OneThread || C.Exclusive;
    if (Works && !C.StartsTeam && !C.Device && !OmpSites::region(Site, U.ast()))
      Orphaned.insert(Site.In);
  }

  // As a directive wants it: a counter or an iterator, compared with what stays, counted on by one amount.
  static bool isCanonical(const Stmt &Loop) {
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(&Loop))
      return Range->getBeginStmt() && Range->getBeginStmt()->isSingleDecl() &&
             isRandomAccess(cast<VarDecl>(Range->getBeginStmt()->getSingleDecl())->getType());
    const auto *F = dyn_cast<ForStmt>(&Loop);
    const VarDecl *V = F ? loopVariable(F) : nullptr;
    if (!V || !F->getInit() || !F->getInc() || !F->getCond())
      return false;
    auto Names = [&](const Expr *E) {
      const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
      return D && D->getDecl()->getCanonicalDecl() == V->getCanonicalDecl();
    };
    if (!V->getType()->isIntegerType())
      return isRandomAccess(V->getType()) && countsIterator(*F, Names);
    const auto *Cond = dyn_cast<BinaryOperator>(F->getCond()->IgnoreParenImpCasts());
    if (!Cond || !Cond->isRelationalOp() || (!Names(Cond->getLHS()) && !Names(Cond->getRHS())))
      return false;
    const Expr *Inc = F->getInc()->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(Inc))
      return U->isIncrementDecrementOp() && Names(U->getSubExpr());
    const auto *B = dyn_cast<BinaryOperator>(Inc);
    return B && (B->getOpcode() == BO_AddAssign || B->getOpcode() == BO_SubAssign) && Names(B->getLHS());
  }
  // `it != v.end(); ++it`
  static bool countsIterator(const ForStmt &F, llvm::function_ref<bool(const Expr *)> Names) {
    const auto *Cond = dyn_cast<CXXOperatorCallExpr>(F.getCond()->IgnoreUnlessSpelledInSource());
    const auto *Inc = dyn_cast<CXXOperatorCallExpr>(F.getInc()->IgnoreUnlessSpelledInSource());
    if (const auto *Rewritten = dyn_cast<CXXRewrittenBinaryOperator>(F.getCond()->IgnoreParenImpCasts()))
      return Inc && Inc->getOperator() == OO_PlusPlus && Names(Inc->getArg(0)) && Rewritten->isComparisonOp() &&
             Names(Rewritten->getLHS());
    return Cond && Inc && Inc->getOperator() == OO_PlusPlus && Names(Inc->getArg(0)) &&
           (Cond->getOperator() == OO_ExclaimEqual || Cond->getOperator() == OO_Less) && Cond->getNumArgs() == 2 &&
           Names(Cond->getArg(0));
  }
  // A pointer, or an iterator of the standard library that goes any number of elements at once.
  static bool isRandomAccess(QualType T) {
    T = T.getNonReferenceType();
    if (T->isPointerType())
      return true;
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    return R && R->hasDefinition() && isInStd(*R) && llvm::any_of(R->methods(), [](const CXXMethodDecl *M) {
             return M->getOverloadedOperator() == OO_PlusEqual;
           });
  }
  static bool isInStd(const CXXRecordDecl &R) {
    const DeclContext *Around = R.getDeclContext();
    while (Around && !Around->isTranslationUnit() && !Around->isStdNamespace())
      if (const auto *Space = dyn_cast<NamespaceDecl>(Around); Space && Space->getName() == "__gnu_cxx")
        return true;
      else
        Around = Around->getParent();
    return Around && Around->isStdNamespace();
  }

  Unit &U;
  const SourceManager &SM;
  OmpSites Sites;
  std::map<Position, std::pair<const Stmt *, bool>> Divided; // by the place of loop or directive; whether by a team
  std::map<FileID, std::vector<std::pair<unsigned, unsigned>>> Bodies;
  llvm::DenseSet<const FunctionDecl *> Orphaned;
  std::map<const FunctionDecl *, std::unique_ptr<ScalarUse>> Scalars;
};

} // namespace

std::unique_ptr<SourceView> viewOfC(Unit &U) { return std::make_unique<CView>(U); }

} // namespace stridewise
