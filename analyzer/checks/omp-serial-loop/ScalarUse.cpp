#include "checks/omp-serial-loop/ScalarUse.h"
#include "loops/LoopInterchange.h"
#include "omp/OmpRegion.h"
#include "omp/OmpSites.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace stridewise {

class MentionWalker {
public:
  explicit MentionWalker(ScalarUse &Out) : Out(Out) {}

  void walk(const Stmt *S) {
    if (!S)
      return;
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
      return walk(constructBody(*D));
    if (isLoop(S))
      return loop(S);
    if (isa<LambdaExpr, GotoStmt, LabelStmt, ReturnStmt, CXXTryStmt, CXXThrowExpr, AsmStmt>(S))
      for (const Stmt *L : Stack)
        Out.Strange[L] = true;
    if (const auto *D = dyn_cast<DeclStmt>(S))
      return declarations(*D);
    if (const auto *E = dyn_cast<Expr>(S))
      return expression(E);
    children(S);
  }

private:
  void children(const Stmt *S) {
    for (const Stmt *X : S->children())
      walk(X);
  }
  void loop(const Stmt *S) {
    for (const Stmt *L : Stack)
      Out.Around.emplace_back(S, L);
    const unsigned First = now();
    Stack.push_back(S);
    if (const auto *For = dyn_cast<ForStmt>(S)) {
      walk(For->getInit());
      if (For->getConditionVariableDeclStmt())
        walk(For->getConditionVariableDeclStmt());
      walk(For->getCond());
      walk(For->getBody());
      walk(For->getInc());
    } else {
      children(S);
    }
    Stack.pop_back();
    Out.Loops[S] = {First, now()};
  }
  void declarations(const DeclStmt &D) {
    for (const Decl *X : D.decls())
      if (const auto *V = dyn_cast<VarDecl>(X)) {
        walk(V->getInit());
        // A static variable is one for all iterations.
        if (!V->isStaticLocal())
          Out.Declared[V->getCanonicalDecl()] = now();
        add(V, Mention::Sets);
      }
  }

  // --- expressions -------------------------------------------------------------------------------------------------

  void expression(const Expr *E) {
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp()) {
      walk(B->getRHS());
      return written(B->getLHS(), B->isCompoundAssignmentOp() ? Mention::Updates : Mention::Sets);
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      if (U->isIncrementDecrementOp())
        return written(U->getSubExpr(), Mention::Updates);
      if (U->getOpcode() == UO_AddrOf)
        return written(U->getSubExpr(), Mention::Hands);
    }
    if (const auto *C = dyn_cast<CallExpr>(E))
      return call(*C);
    // Of what an accessor leads to, the one element.
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E); S && isa<CallExpr>(S->getBase()->IgnoreParenImpCasts())) {
      walk(S->getIdx());
      Subscripts.push_back(S->getIdx());
      walk(S->getBase());
      return Subscripts.pop_back();
    }
    if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
      for (unsigned K = 0; K < C->getNumArgs(); ++K)
        argument(C->getArg(K),
                 K < C->getConstructor()->getNumParams() ? C->getConstructor()->getParamDecl(K) : nullptr);
      return;
    }
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        add(V, Mention::Reads);
      return;
    }
    children(E);
  }

  static bool handsOver(QualType T) { return T->isReferenceType() && !T.getNonReferenceType().isConstQualified(); }
  void argument(const Expr *A, const ParmVarDecl *P) {
    const Expr *Plain = A->IgnoreParenImpCasts();
    if ((P && handsOver(P->getType())) || (Plain->getType()->isArrayType() && !isa<StringLiteral>(Plain)))
      return written(A, Mention::Hands);
    walk(A);
  }
  void call(const CallExpr &C) {
    const FunctionDecl *F = C.getDirectCallee();
    unsigned First = 0;
    if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(&C)) {
      if (Operator->isAssignmentOp() && C.getNumArgs() == 2) {
        walk(C.getArg(1));
        return written(C.getArg(0), Operator->getOperator() == OO_Equal ? Mention::Sets : Mention::Updates);
      }
      const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
      if (Method && !Method->isConst() && !Method->isStatic())
        object(C.getArg(0), C);
      else
        argument(C.getArg(0), F && !Method && F->getNumParams() ? F->getParamDecl(0) : nullptr);
      for (unsigned K = 1; K < C.getNumArgs(); ++K) {
        const unsigned Parameter = Method ? K - 1 : K;
        argument(C.getArg(K), F && Parameter < F->getNumParams() ? F->getParamDecl(Parameter) : nullptr);
      }
      return;
    }
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(&C)) {
      const CXXMethodDecl *Method = Member->getMethodDecl();
      if (Method && !Method->isConst() && !onlyLeads(*Method))
        object(Member->getImplicitObjectArgument(), C);
      else
        walk(Member->getImplicitObjectArgument());
    } else {
      walk(C.getCallee());
    }
    for (unsigned K = First; K < C.getNumArgs(); ++K)
      argument(C.getArg(K), F && K < F->getNumParams() ? F->getParamDecl(K) : nullptr);
  }
  // `begin()`, `end()`, `data()`: what the standard library has for constant objects, too, leaves the object as it is.
  static bool onlyLeads(const CXXMethodDecl &Method) {
    const CXXRecordDecl &Of = *Method.getParent();
    return Of.isInStdNamespace() && !Method.getNumParams() &&
           llvm::any_of(Of.methods(), [&](const CXXMethodDecl *Twin) {
             return Twin->isConst() && !Twin->getNumParams() && Twin->getDeclName() == Method.getDeclName();
           });
  }
  // An object that a method may change. An accessor that is asked for the element of an iteration gives that alone.
  void object(const Expr *E, const CallExpr &C) {
    const std::size_t Before = Subscripts.size();
    for (const Expr *A : C.arguments())
      if (A != E)
        Subscripts.push_back(A);
    written(E, Mention::Hands);
    Subscripts.resize(Before);
  }

  static Mention::Kind partOf(Mention::Kind K) {
    if (K == Mention::Sets || K == Mention::SetsPart)
      return Mention::SetsPart;
    return K == Mention::Updates || K == Mention::AddsPart ? Mention::AddsPart : Mention::Hands;
  }
  // The variable whose own storage the place is in; none where a pointer, a reference or a global leads there.
  void written(const Expr *E, Mention::Kind K) {
    E = E->IgnoreParenImpCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        add(V, V->getType()->isReferenceType() && K != Mention::Hands ? Mention::Hands : K);
      return;
    }
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        return through(M->getBase());
      return written(M->getBase(), Mention::Hands);
    }
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      walk(S->getIdx());
      const Expr *Base = S->getBase()->IgnoreParenImpCasts();
      Subscripts.push_back(S->getIdx());
      if (Base->getType()->isArrayType())
        written(Base, partOf(K));
      else
        through(Base);
      Subscripts.pop_back();
      return;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      return through(U->getSubExpr());
    walk(E);
  }
  // What a pointer leads to is written; where it comes from is in the expression, and chosen by what else is in it.
  void through(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        add(V, Mention::Leads);
      return;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
      const bool Left = B->getLHS()->getType()->isAnyPointerType() || B->getLHS()->getType()->isArrayType();
      const Expr *Index = Left ? B->getRHS() : B->getLHS();
      walk(Index);
      Subscripts.push_back(Index);
      through(Left ? B->getLHS() : B->getRHS());
      Subscripts.pop_back();
      return;
    }
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return M->isArrow() ? through(M->getBase()) : led(M->getBase());
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      walk(S->getIdx());
      Subscripts.push_back(S->getIdx());
      const Expr *Base = S->getBase()->IgnoreParenImpCasts();
      Base->getType()->isArrayType() ? led(Base) : through(Base);
      Subscripts.pop_back();
      return;
    }
    walk(E);
  }
  // A pointer that a variable holds as a part.
  void led(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
      return through(S);
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return through(M);
    if (const auto *D = dyn_cast<DeclRefExpr>(E); D && isa<VarDecl>(D->getDecl()))
      return add(cast<VarDecl>(D->getDecl()), Mention::Leads);
    walk(E);
  }

  unsigned now() const { return static_cast<unsigned>(Out.Mentions.size()); }
  void add(const VarDecl *V, Mention::Kind K) {
    V = V->getCanonicalDecl();
    const bool Whole = K == Mention::Reads || K == Mention::Sets || K == Mention::Updates;
    Out.Mentions.push_back({K, V, Whole ? std::vector<const Expr *>() : Subscripts});
  }

  ScalarUse &Out;
  std::vector<const Stmt *> Stack;
  std::vector<const Expr *> Subscripts; // on the way to the variable
};

ScalarUse::ScalarUse(const FunctionDecl &F) { MentionWalker(*this).walk(F.getBody()); }

bool ScalarUse::isReadFirst(const VarDecl *V, unsigned From, unsigned To) const {
  for (const Mention &M : llvm::ArrayRef(Mentions).slice(From, To - From))
    if (M.V == V)
      return M.K != Mention::Sets && M.K != Mention::SetsPart;
  return false;
}

// Behind the loop, or in the next iteration of a loop around.
bool ScalarUse::isReadLater(const VarDecl *V, const Stmt &Loop) const {
  const Range Own = Loops.lookup(&Loop);
  if (isReadFirst(V, Own.Last, Mentions.size()))
    return true;
  return llvm::any_of(Around, [&](const auto &Pair) {
    if (Pair.first != &Loop)
      return false;
    return isReadFirst(V, Loops.lookup(Pair.second).First, Own.First);
  });
}

bool ScalarUse::isDeclaredIn(const VarDecl *V, Range Own) const {
  const auto At = Declared.find(V);
  return At != Declared.end() && At->second >= Own.First && At->second < Own.Last;
}

// Whether the iteration chooses what is written. Parts of variables, which the code may keep in registers, only its
// counter chooses; of what a pointer leads to the code tells more.
bool ScalarUse::isOwnPlace(const Mention &M, const VarDecl *Counter, Range Own) const {
  if (llvm::any_of(M.Subscripts, [&](const Expr *X) { return mentions(X, Counter); }))
    return true;
  if (M.K != Mention::Leads)
    return false;
  if (!isReadFirst(M.V, Own.First, Own.Last))
    return true;
  llvm::DenseSet<const ValueDecl *> Named;
  for (const Expr *X : M.Subscripts)
    collectNames(X, Named);
  return llvm::any_of(Named, [&](const ValueDecl *N) {
    const auto *V = dyn_cast<VarDecl>(N);
    return V && (isDeclaredIn(V, Own) || !isReadFirst(V, Own.First, Own.Last));
  });
}

// A local array that the iteration sets before it does anything else with it: the code tells the rest.
bool ScalarUse::isArrayOfIteration(const VarDecl *V, const Stmt &Loop, Range Own) const {
  return V->getType()->isConstantArrayType() && Declared.contains(V) && !V->hasGlobalStorage() &&
         !isReadFirst(V, Own.First, Own.Last) && !isReadLater(V, Loop);
}

// A local array whose elements the loop adds to, and mentions for nothing else.
bool ScalarUse::isSumOfParts(const VarDecl *V, Range Own) const {
  return V->getType()->isConstantArrayType() && Declared.contains(V) && !V->hasGlobalStorage() &&
         llvm::all_of(llvm::ArrayRef(Mentions).slice(Own.First, Own.Last - Own.First),
                      [&](const Mention &M) { return M.V != V || M.K == Mention::AddsPart; });
}

// An iterator that its own operators count on, and the element that it is at.
static bool isIterator(const Mention &M) {
  const QualType T = M.V->getType();
  return T->isRecordType() || T->isReferenceType() || M.K == Mention::Leads;
}

bool ScalarUse::classify(const Stmt &Loop, std::vector<const VarDecl *> &Private,
                         std::vector<const VarDecl *> &Updated) const {
  const auto Found = Loops.find(&Loop);
  const VarDecl *Counter = loopVariable(&Loop);
  if (Found == Loops.end() || Strange.contains(&Loop) || !Counter)
    return false;
  Counter = Counter->getCanonicalDecl();
  const Range Own = Found->second;
  llvm::DenseSet<const VarDecl *> Seen;
  for (const Mention &M : llvm::ArrayRef(Mentions).slice(Own.First, Own.Last - Own.First)) {
    const bool Inside = isDeclaredIn(M.V, Own);
    if (M.K == Mention::Reads || (Inside && M.V != Counter))
      continue;
    if (M.K != Mention::Sets && M.K != Mention::Updates) {
      if ((M.V == Counter && Inside && isIterator(M)) || isOwnPlace(M, Counter, Own))
        continue;
      const bool Filled = isArrayOfIteration(M.V, Loop, Own);
      if (!Filled && !isSumOfParts(M.V, Own))
        return false;
      if (Seen.insert(M.V).second)
        (Filled ? Private : Updated).push_back(M.V);
      continue;
    }
    if (!Seen.insert(M.V).second)
      continue;
    if (M.V == Counter) {
      if (!Inside && isReadLater(M.V, Loop))
        return false;
      continue;
    }
    if (isReadFirst(M.V, Own.First, Own.Last)) {
      Updated.push_back(M.V);
      continue;
    }
    if (M.V->hasGlobalStorage() || isReadLater(M.V, Loop))
      return false;
    Private.push_back(M.V);
  }
  return true;
}

} // namespace stridewise
