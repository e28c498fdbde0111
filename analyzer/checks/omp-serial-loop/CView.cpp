#include "checks/omp-serial-loop/ScalarUse.h"
#include "checks/omp-serial-loop/SourceView.h"
#include "loops/LoopInterchange.h"
#include "omp/OmpSites.h"
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
    if (Out.K == SourceLoop::Unknown && !Divided.contains(position(At)) && isa<ForStmt>(S) &&
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

  std::optional<LoopClauses> clauses(const llvm::Loop &L, ReductionKind Reduction) override {
    const auto *For = dyn_cast_or_null<ForStmt>(U.loopStatement(&L));
    const FunctionDecl *F = For ? U.functionAt(For->getBeginLoc()) : nullptr;
    if (!F || !F->hasBody() || F->isDependentContext() || !isCanonical(*For))
      return std::nullopt;
    auto [It, New] = Scalars.try_emplace(F->getCanonicalDecl());
    if (New)
      It->second = std::make_unique<ScalarUse>(*F);
    std::vector<const VarDecl *> Private, Updated;
    if (!It->second->classify(*For, Private, Updated) || Updated.size() != (Reduction == ReductionKind::None ? 0U : 1U))
      return std::nullopt;
    std::vector<std::string> Names;
    for (const VarDecl *V : Private) {
      if (!V->getType()->isScalarType())
        return std::nullopt;
      Names.push_back(V->getNameAsString());
    }
    if (!Updated.empty() && !Updated[0]->getType()->isArithmeticType())
      return std::nullopt;
    return loopClauses(Names, Updated.empty() ? "" : Updated[0]->getNameAsString(), Reduction);
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

  // As a directive wants it: a counter, compared with a number that stays, counted on by one amount.
  static bool isCanonical(const ForStmt &F) {
    const auto *Cond = dyn_cast_or_null<BinaryOperator>(F.getCond() ? F.getCond()->IgnoreParenImpCasts() : nullptr);
    const VarDecl *V = loopVariable(&F);
    if (!Cond || !V || !F.getInit() || !F.getInc() || !V->getType()->isIntegerType())
      return false;
    auto Names = [&](const Expr *E) {
      const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
      return D && D->getDecl()->getCanonicalDecl() == V->getCanonicalDecl();
    };
    if (!Cond->isRelationalOp() || (!Names(Cond->getLHS()) && !Names(Cond->getRHS())))
      return false;
    const Expr *Inc = F.getInc()->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(Inc))
      return U->isIncrementDecrementOp() && Names(U->getSubExpr());
    const auto *B = dyn_cast<BinaryOperator>(Inc);
    return B && (B->getOpcode() == BO_AddAssign || B->getOpcode() == BO_SubAssign) && Names(B->getLHS());
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
