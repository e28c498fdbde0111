#include "checks/omp-shared-counter/RotatedPointers.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/MapVector.h"

using namespace clang;

namespace stridewise {
namespace {

class Rotations {
public:
  Rotations(const OMPExecutableDirective &Region, ASTContext &Ctx) : Ctx(Ctx) { walk(&Region); }

  std::vector<RotatedPointer> find() const {
    for (const auto &[To, Given] : Assigned)
      if (isShared(To))
        for (const auto &[E, From] : Given)
          if (const VarDecl *Source = origin(From); Source && Source != To && comesBack(Source, To, {}))
            return {{E, To, Source}};
    return {};
  }

private:
  void walk(const Stmt *S) {
    if (!S || isa<LambdaExpr, BlockExpr>(S))
      return;
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      const OmpConstruct C = classify(*D, Ctx);
      if (C.OneThread || C.Exclusive || C.Device || C.Tasks || C.Other || !constructBody(*D))
        return;
      for (const VarDecl *V : privateVariables(*D))
        Private.insert(V);
      return walk(constructBody(*D));
    }
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      // A condition may ask for one thread.
      walk(If->getCond());
      return;
    }
    note(S);
    for (const Stmt *Child : S->children())
      walk(Child);
  }

  void note(const Stmt *S) {
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : Decls->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each)) {
          Private.insert(V->getCanonicalDecl());
          if (V->hasInit() && V->getType()->isPointerType())
            assign(*V->getInit(), V, V->getInit());
        }
    if (const auto *B = dyn_cast<BinaryOperator>(S);
        B && B->getOpcode() == BO_Assign && B->getLHS()->getType()->isPointerType())
      if (const VarDecl *To = namedVariable(B->getLHS()->IgnoreParenImpCasts()))
        assign(*B, To, B->getRHS());
    if (const auto *Call = dyn_cast<CallExpr>(S); Call && Call->getNumArgs() == 2 && isSwap(Call->getDirectCallee())) {
      const VarDecl *A = namedVariable(Call->getArg(0)->IgnoreParenImpCasts());
      const VarDecl *B = namedVariable(Call->getArg(1)->IgnoreParenImpCasts());
      if (A && B) {
        Assigned[A].push_back({Call, B});
        Assigned[B].push_back({Call, A});
      }
    }
  }

  static bool isSwap(const FunctionDecl *F) {
    return F && F->isInStdNamespace() && F->getIdentifier() && F->getName() == "swap";
  }

  void assign(const Expr &E, const VarDecl *To, const Expr *Value) {
    Assigned[To].push_back({&E, namedVariable(Value->IgnoreParenImpCasts())});
  }

  // The pointer whose value a variable of the thread's own was given.
  const VarDecl *origin(const VarDecl *V) const {
    const auto It = V && Private.contains(V) ? Assigned.find(V) : Assigned.end();
    return It == Assigned.end() || It->second.size() != 1 ? V : It->second.front().second;
  }

  // Whether what the second pointer held goes to the first one, by way of others perhaps: else all threads may well set
  // them to the same, and none is exchanged.
  bool comesBack(const VarDecl *V, const VarDecl *To, llvm::SmallPtrSet<const VarDecl *, 4> Seen) const {
    const auto It = isShared(V) && Seen.insert(V).second ? Assigned.find(V) : Assigned.end();
    return It != Assigned.end() && llvm::any_of(It->second, [&](const auto &Each) {
             const VarDecl *Source = origin(Each.second);
             return Source && (Source == To || comesBack(Source, To, Seen));
           });
  }

  bool isShared(const VarDecl *V) const {
    return !Private.contains(V) && V->getTLSKind() == VarDecl::TLS_None && !V->hasAttr<OMPThreadPrivateDeclAttr>() &&
           !V->getType().isVolatileQualified();
  }

  ASTContext &Ctx;
  llvm::SmallPtrSet<const VarDecl *, 8> Private; // by a clause or by where they are declared
  llvm::MapVector<const VarDecl *, std::vector<std::pair<const Expr *, const VarDecl *>>> Assigned;
};

} // namespace

std::vector<RotatedPointer> findRotatedPointers(const OMPExecutableDirective &Region, ASTContext &Ctx) {
  return Rotations(Region, Ctx).find();
}

} // namespace stridewise
