#include "mpi/SourceCalls.h"
#include "fortran/FortranLoops.h"
#include "library/MpiCall.h"
#include "library/ThinWrappers.h"
#include "loops/LoopPlaces.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace stridewise {

struct SourceCalls::FunctionIndex {
  std::multimap<std::pair<clang::FileID, unsigned>, const clang::CallExpr *> Calls;
  struct Choice {
    clang::FileID File;
    unsigned Begin, End;
    const clang::Expr *Condition;
  };
  std::vector<Choice> Choices;
};

namespace {
struct CallCollector : Visitor<CallCollector> {
  const clang::SourceManager &SM;
  std::multimap<std::pair<clang::FileID, unsigned>, const clang::CallExpr *> &Calls;
  llvm::function_ref<void(const clang::Stmt *, const clang::Expr *)> AddChoice;
  CallCollector(const clang::SourceManager &SM, decltype(Calls) Calls, decltype(AddChoice) AddChoice)
      : SM(SM), Calls(Calls), AddChoice(AddChoice) {}

  // Code generation gives a call the place of its expression, which for member calls and operators is not its begin.
  bool VisitCallExpr(clang::CallExpr *E) override {
    auto Begin = SM.getDecomposedLoc(SM.getExpansionLoc(E->getBeginLoc()));
    auto Expr = SM.getDecomposedLoc(SM.getExpansionLoc(E->getExprLoc()));
    Calls.emplace(Expr, E);
    if (Begin != Expr)
      Calls.emplace(Begin, E);
    return true;
  }
  bool VisitIfStmt(clang::IfStmt *S) override {
    AddChoice(S->getThen(), S->getCond());
    if (S->getElse())
      AddChoice(S->getElse(), S->getCond());
    return true;
  }
  bool VisitSwitchStmt(clang::SwitchStmt *S) override {
    AddChoice(S->getBody(), S->getCond());
    return true;
  }
  bool VisitConditionalOperator(clang::ConditionalOperator *E) override {
    AddChoice(E->getTrueExpr(), E->getCond());
    AddChoice(E->getFalseExpr(), E->getCond());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *E) override {
    if (E->isLogicalOp())
      AddChoice(E->getRHS(), E->getLHS());
    return true;
  }
};

struct CommunicationFinder : Visitor<CommunicationFinder> {
  bool Found = false;
  bool VisitCallExpr(clang::CallExpr *E) override {
    const MpiSignature *Sig = findMpiCall(*E);
    Found |= Sig && (Sig->Traits & (MpiSend | MpiRecv | MpiCollective | MpiWait));
    return !Found;
  }
};
} // namespace

const SourceCalls::FunctionIndex &SourceCalls::index(const clang::FunctionDecl *F) {
  std::shared_ptr<FunctionIndex> &I = Indices[F];
  if (I)
    return *I;
  I = std::make_shared<FunctionIndex>();
  const clang::SourceManager &SM = U.sources();
  auto AddChoice = [&](const clang::Stmt *S, const clang::Expr *Condition) {
    auto [File, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(S->getBeginLoc()));
    auto [EndFile, End] = SM.getDecomposedLoc(SM.getExpansionLoc(S->getEndLoc()));
    // In `CHECK(MPI_Barrier(comm))` the macro's branch for errors has the place of the call, and does not contain it.
    if (Begin == End && S->getBeginLoc().isMacroID()) {
      CommunicationFinder Finder;
      Finder.TraverseStmt(const_cast<clang::Stmt *>(S));
      if (!Finder.Found)
        return;
    }
    if (Condition && File == EndFile)
      I->Choices.push_back({File, Begin, End, Condition});
  };
  CallCollector(SM, I->Calls, AddChoice).TraverseStmt(F->getBody());
  return *I;
}

// Code of an INCLUDE file has the lines of that file under the name of the other one: a call counts where the text has
// one of its name.
std::vector<SourceFrame> SourceCalls::fortranFrames(const CallBase &C) {
  std::vector<SourceFrame> Frames;
  const FortranText &Text = fortranText(U);
  const MpiSignature *Sig = findMpiCall(C);
  for (const DILocation *D = C.getDebugLoc(); D; D = D->getInlinedAt()) {
    SourceFrame Frame;
    Frame.Procedure = D->getScope()->getSubprogram();
    const std::string Callee = !Frames.empty() ? Frames.back().Procedure->getName().lower()
                               : Sig           ? StringRef(Sig->Name).lower()
                                               : "";
    Frame.Where = U.locate(DebugLoc(D));
    Frame.Code = Frames.empty() ? &C : nullptr;
    // A generic name stands for the procedure of another unit that is the call.
    Frame.Statement = Text.calling(D->getLine(), Frames.empty() && !wrapperOf(C).empty() ? "" : Callee);
    if (!Frame.Statement && Frames.empty() && Sig)
      Frame.Statement = Text.calling(D->getLine(), "p" + Callee);
    if (!Frame.Procedure || !Frame.Statement || Frame.Statement->OnDevice || Frame.Where.isInvalid())
      return {};
    Frame.ProcedureName = procedureName(Frame.Procedure);
    Frame.ProcedureRange = procedureRange(Frame.Procedure, U);
    Frames.push_back(std::move(Frame));
  }
  return Frames;
}

std::vector<SourceFrame> SourceCalls::frames(const CallBase &C) {
  if (U.isFortran())
    return fortranFrames(C);
  std::vector<SourceFrame> Frames;
  const clang::SourceManager &SM = U.sources();
  const clang::FunctionDecl *Inner = nullptr;
  for (const DILocation *D = C.getDebugLoc(); D; D = D->getInlinedAt()) {
    SourceFrame Frame;
    Frame.Where = U.locate(DebugLoc(D));
    if (Frame.Where.isInvalid() || SM.isInSystemHeader(Frame.Where))
      continue;
    Frame.Function = U.functionAt(Frame.Where);
    if (Frame.Function && Frame.Function->getBody()) {
      auto [Begin, End] = index(Frame.Function).Calls.equal_range(SM.getDecomposedLoc(Frame.Where));
      for (auto It = Begin; It != End; ++It) {
        const clang::FunctionDecl *Callee = It->second->getDirectCallee();
        bool Wanted = Inner ? Callee && Callee->getMostRecentDecl() == Inner->getMostRecentDecl()
                            : findMpiCall(*It->second) != nullptr;
        if (Wanted || !Frame.Call)
          Frame.Call = It->second;
        if (Wanted)
          break;
      }
    }
    Inner = Frame.Function;
    Frame.Code = Frames.empty() ? &C : nullptr;
    Frames.push_back(Frame);
  }
  return Frames;
}

std::string SourceCalls::text(const clang::Expr *E) {
  const clang::SourceManager &SM = U.sources();
  auto Range = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(E->getSourceRange()), SM,
                                               U.ast().getLangOpts());
  StringRef T = Range.isValid() ? clang::Lexer::getSourceText(Range, SM, U.ast().getLangOpts()) : StringRef();
  return T.size() > 60 || T.contains('\n') ? std::string() : T.str();
}

// Whether the first argument of the code is the object whose function is called.
static bool isObjectsOwn(const clang::CallExpr &E) {
  const auto *Method = dyn_cast_or_null<clang::CXXMethodDecl>(E.getDirectCallee());
  return Method && !Method->isStatic() && isa<clang::CXXMemberCallExpr>(E);
}

std::string SourceCalls::argumentText(ArrayRef<SourceFrame> Frames, int Position, std::size_t Level) {
  if (Frames.empty() || Position < 0)
    return {};
  if (Frames[0].Statement) {
    std::optional<unsigned> Argument = passedArgument(*Frames[0].Code, unsigned(Position));
    return Level == 0 && Argument ? Frames[0].Statement->argumentOfCall(*Argument) : std::string();
  }
  if (!Frames[0].Call)
    return {};
  std::optional<unsigned> Argument = passedArgument(*Frames[0].Code, unsigned(Position));
  if (Argument && isObjectsOwn(*Frames[0].Call))
    Argument = *Argument ? std::optional(*Argument - 1) : std::nullopt;
  if (!Argument || *Argument >= Frames[0].Call->getNumArgs())
    return {};
  const clang::Expr *E = Frames[0].Call->getArg(*Argument);
  for (std::size_t At = 0; At < Level && At + 1 < Frames.size(); ++At) {
    const auto *Ref = dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
    const auto *Parameter = Ref ? dyn_cast<clang::ParmVarDecl>(Ref->getDecl()) : nullptr;
    const clang::CallExpr *Call = Frames[At + 1].Call;
    if (!Parameter || !Call)
      break;
    unsigned Index = Parameter->getFunctionScopeIndex();
    if (isa<clang::CXXOperatorCallExpr>(Call) && isa_and_nonnull<clang::CXXMethodDecl>(Call->getDirectCallee()))
      ++Index;
    if (Index >= Call->getNumArgs())
      break;
    E = Call->getArg(Index);
  }
  return text(E->IgnoreParenImpCasts());
}

std::vector<const clang::Expr *> SourceCalls::conditionsAround(clang::SourceLocation Where) {
  std::vector<const clang::Expr *> Out;
  const clang::FunctionDecl *F = U.functionAt(Where);
  if (!F || !F->getBody())
    return Out;
  auto [File, Offset] = U.sources().getDecomposedLoc(U.sources().getExpansionLoc(Where));
  for (const FunctionIndex::Choice &C : index(F).Choices)
    if (C.File == File && C.Begin <= Offset && Offset <= C.End)
      Out.push_back(C.Condition);
  return Out;
}

std::string loopVariable(const Loop *L, Unit &U) {
  if (!U.isFortran())
    return loopVariable(U.loopStatement(L));
  std::optional<FortranLoop> Found = fortranLoop(L, U);
  return Found && !Found->IsSection ? Found->Counter : std::string();
}

clang::SourceRange loopRange(const Loop *L, Unit &U) {
  std::optional<LoopPlace> Found = loopPlace(L, U);
  return Found ? Found->Range : clang::SourceRange();
}

std::string loopVariable(const clang::Stmt *Loop) {
  auto NameOf = [](const clang::Expr *E) -> std::string {
    if (E)
      if (const auto *Ref = dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts()))
        return Ref->getDecl()->getNameAsString();
    return {};
  };
  if (const auto *R = dyn_cast_or_null<clang::CXXForRangeStmt>(Loop))
    return R->getLoopVariable()->getNameAsString();
  struct FirstVariable : Visitor<FirstVariable> {
    std::string Name;
    bool VisitDeclRefExpr(clang::DeclRefExpr *E) override {
      if (isa<clang::VarDecl>(E->getDecl()))
        Name = E->getDecl()->getNameAsString();
      return Name.empty();
    }
  } InCondition;
  if (const auto *While = dyn_cast_or_null<clang::WhileStmt>(Loop))
    InCondition.TraverseStmt(const_cast<clang::Expr *>(While->getCond()));
  else if (const auto *Do = dyn_cast_or_null<clang::DoStmt>(Loop))
    InCondition.TraverseStmt(const_cast<clang::Expr *>(Do->getCond()));
  const auto *For = dyn_cast_or_null<clang::ForStmt>(Loop);
  if (!For)
    return InCondition.Name;
  const clang::Expr *Inc = For->getInc() ? For->getInc()->IgnoreParenImpCasts() : nullptr;
  if (const auto *E = dyn_cast_or_null<clang::ExprWithCleanups>(Inc))
    Inc = E->getSubExpr()->IgnoreParenImpCasts();
  while (const auto *Comma = dyn_cast_or_null<clang::BinaryOperator>(Inc)) {
    if (Comma->getOpcode() != clang::BO_Comma)
      break;
    Inc = Comma->getLHS()->IgnoreParenImpCasts();
  }
  if (const auto *Unary = dyn_cast_or_null<clang::UnaryOperator>(Inc))
    return NameOf(Unary->getSubExpr());
  if (const auto *Assign = dyn_cast_or_null<clang::BinaryOperator>(Inc); Assign && Assign->isAssignmentOp())
    return NameOf(Assign->getLHS());
  if (const auto *Call = dyn_cast_or_null<clang::CXXOperatorCallExpr>(Inc); Call && Call->getNumArgs())
    return NameOf(Call->getArg(0));
  if (const auto *Decls = dyn_cast_or_null<clang::DeclStmt>(For->getInit()); Decls && Decls->isSingleDecl())
    if (const auto *V = dyn_cast<clang::VarDecl>(Decls->getSingleDecl()))
      return V->getNameAsString();
  if (For->getCond())
    InCondition.TraverseStmt(const_cast<clang::Expr *>(For->getCond()));
  return InCondition.Name;
}

} // namespace stridewise
