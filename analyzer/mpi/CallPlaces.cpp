#include "mpi/CallPlaces.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {

namespace {
struct ThinBody : Visitor<ThinBody> {
  const clang::FunctionDecl *Callee; // null: the MPI call itself counts
  unsigned Calls = 0;
  bool Loops = false;
  explicit ThinBody(const clang::FunctionDecl *Callee) : Callee(Callee) {}
  bool VisitCallExpr(clang::CallExpr *E) override {
    const MpiSignature *Sig = findMpiCall(*E);
    // In a template the callee is a name until the types of the arguments are known.
    if (const auto *Name = dyn_cast<clang::UnresolvedLookupExpr>(E->getCallee()))
      Sig = findMpiCall(StringRef(Name->getName().getAsString()));
    const clang::FunctionDecl *F = E->getDirectCallee();
    Calls += (Sig && (Sig->Traits & (MpiSend | MpiRecv | MpiCollective))) ||
             (Callee && F && F->getMostRecentDecl() == Callee->getMostRecentDecl());
    return true;
  }
  bool VisitStmt(clang::Stmt *S) override {
    // `do { … } while (0)` is a macro's way to be one statement.
    const auto *Do = dyn_cast<clang::DoStmt>(S);
    const auto *Never = Do ? dyn_cast<clang::IntegerLiteral>(Do->getCond()->IgnoreParenImpCasts()) : nullptr;
    Loops |= isa<clang::ForStmt, clang::WhileStmt, clang::CXXForRangeStmt>(S) ||
             (Do && !(Never && Never->getValue().isZero()));
    return true;
  }
};
} // namespace

CallPlaces::CallPlaces(Unit &U, ArrayRef<MpiFunction *> Functions, SourceCalls &Sources) : U(U) {
  for (MpiFunction *M : Functions)
    for (const MpiSite &S : M->sites()) {
      std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
      for (std::size_t Level = 1; Level < Frames.size(); ++Level)
        Callers[key(Frames[Level - 1])].insert(key(Frames[Level]));
    }
}

CallPlaces::Key CallPlaces::key(const SourceFrame &F) const { return U.sources().getDecomposedLoc(F.Where); }

std::size_t CallPlaces::level(ArrayRef<SourceFrame> Frames) const {
  std::size_t Level = 0;
  for (; Level + 1 < Frames.size(); ++Level) {
    auto It = Callers.find(key(Frames[Level]));
    if (It == Callers.end() || It->second.size() < 2 ||
        !isThin(Frames[Level].Function, Level ? Frames[Level - 1].Function : nullptr))
      break;
  }
  return Level;
}

bool CallPlaces::isThin(const clang::FunctionDecl *F, const clang::FunctionDecl *Callee) const {
  if (!F || !F->getBody())
    return false;
  auto [It, New] = Thin.try_emplace({F, Callee}, false);
  if (New) {
    ThinBody Body(Callee);
    Body.TraverseStmt(F->getBody());
    It->second = Body.Calls == 1 && !Body.Loops;
  }
  return It->second;
}

bool isOutnumbered(MpiFunction &M, const Loop *Around) {
  return Around && any_of(M.sites(), [&](const MpiSite &S) {
           const Loop *L = M.engine().loops().getLoopFor(S.Call->getParent());
           return S.is(MpiFullSync) && !S.is(MpiBarrier) && L != Around && Around->contains(L) &&
                  !M.engine().tripCount(L);
         });
}

} // namespace stridewise
