#include "checks/mem-struct-padding/RecordUses.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

class Collector : public Visitor<Collector> {
public:
  Collector(ASTContext &Ctx, RecordUses &Uses) : Ctx(Ctx), Uses(Uses) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitPrototypes = true; // they name containers
  }

  bool VisitDeclaratorDecl(DeclaratorDecl *D) override {
    QualType T = D->getType();
    if (isa<ParmVarDecl>(D))
      return noteContainer(T.getNonReferenceType(), D->getLocation());
    if (const auto *A = Ctx.getAsConstantArrayType(T)) {
      std::uint64_t N = Ctx.getConstantArrayElementCount(A);
      if (const RecordDecl *R = record(Ctx.getBaseElementType(T)); R && N > 1)
        many(R, D->getLocation(), "array of " + std::to_string(N), N);
    } else if (T->isVariableArrayType() || (T->isIncompleteArrayType() && isa<VarDecl>(D))) {
      if (const RecordDecl *R = record(Ctx.getBaseElementType(T)))
        many(R, D->getLocation(), "array", std::nullopt);
    }
    return noteContainer(T.getNonReferenceType(), D->getLocation());
  }

  bool VisitCXXNewExpr(CXXNewExpr *E) override {
    const RecordDecl *R = record(E->getAllocatedType());
    if (!R || !E->isArray())
      return true;
    std::optional<std::uint64_t> N;
    if (auto Size = E->getArraySize(); Size && *Size)
      N = constant(*Size);
    if (!N || *N > 1)
      many(R, E->getBeginLoc(), "allocation", N);
    return true;
  }

  // n * sizeof(T), calloc(n, sizeof(T)): memory for many records, whatever the allocator is called.
  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (E->getOpcode() == BO_Mul)
      for (auto [Size, Number] : {std::pair(E->getLHS(), E->getRHS()), std::pair(E->getRHS(), E->getLHS())})
        if (const RecordDecl *R = sizeOf(Size))
          noteAllocation(R, Number, E->getExprLoc());
    if (E->isAdditiveOp() && E->getType()->isPointerType() && !constant(E->getRHS()))
      indexed(E->getType()->getPointeeType(), E->getExprLoc());
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *E) override {
    if (E->isIncrementDecrementOp() && E->getType()->isPointerType())
      indexed(E->getType()->getPointeeType(), E->getExprLoc());
    return true;
  }

  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) override {
    if (!E->getBase()->isTypeDependent() && !constant(E->getIdx()) &&
        E->getBase()->IgnoreParenImpCasts()->getType()->isPointerType())
      indexed(E->getType(), E->getExprLoc());
    return true;
  }

  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *F = E->getDirectCallee();
    llvm::StringRef Name = F && F->getIdentifier() ? F->getName() : "";
    if (Name == "calloc" && E->getNumArgs() == 2)
      for (auto [Size, Number] : {std::pair(E->getArg(0), E->getArg(1)), std::pair(E->getArg(1), E->getArg(0))})
        if (const RecordDecl *R = sizeOf(Size))
          noteAllocation(R, Number, E->getBeginLoc());
    return true;
  }

  bool VisitMemberExpr(MemberExpr *E) override {
    if (const auto *F = dyn_cast<FieldDecl>(E->getMemberDecl()))
      Uses.Referenced.insert(F->getCanonicalDecl());
    return true;
  }

private:
  const RecordDecl *record(QualType T) const {
    if (T.isNull() || T->isDependentType())
      return nullptr;
    const RecordDecl *R = T->getAsRecordDecl();
    return R ? R->getDefinition() : nullptr;
  }

  std::optional<std::uint64_t> constant(const Expr *E) const {
    Expr::EvalResult Result;
    if (!E || E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() || !E->EvaluateAsInt(Result, Ctx))
      return std::nullopt;
    return Result.Val.getInt().getLimitedValue();
  }

  const RecordDecl *sizeOf(const Expr *E) const {
    const auto *U = dyn_cast<UnaryExprOrTypeTraitExpr>(E->IgnoreParenCasts());
    return U && U->getKind() == UETT_SizeOf ? record(U->getTypeOfArgument()) : nullptr;
  }

  void noteAllocation(const RecordDecl *R, const Expr *Number, SourceLocation Loc) {
    std::optional<std::uint64_t> N = constant(Number);
    if (!N || *N > 1)
      many(R, Loc, "allocation", N);
  }

  bool noteContainer(QualType T, SourceLocation Loc) {
    const auto *S = T.isNull() ? nullptr : dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
    if (!S || !S->isInStdNamespace())
      return true;
    static const llvm::StringSet<> Containers{
        "vector", "deque",         "list",          "forward_list",       "valarray",           "set",     "multiset",
        "map",    "unordered_map", "unordered_set", "unordered_multimap", "unordered_multiset", "multimap"};
    std::optional<std::uint64_t> N;
    if (S->getName() == "array" && S->getTemplateArgs().size() == 2)
      N = S->getTemplateArgs()[1].getAsIntegral().getLimitedValue();
    else if (!Containers.contains(S->getName()))
      return true;
    for (const TemplateArgument &A : S->getTemplateArgs().asArray().take_front(2))
      if (A.getKind() == TemplateArgument::Type) {
        if (const RecordDecl *R = record(A.getAsType()); R && !R->isInStdNamespace())
          many(R, Loc, "std::" + S->getName().str(), N);
        noteContainer(A.getAsType(), Loc);
      }
    return true;
  }

  void many(const RecordDecl *R, SourceLocation Loc, std::string What, std::optional<std::uint64_t> N) {
    RecordUse &U = Uses.Of[R];
    bool Better = U.Count != RecordUse::Many || (U.Elements && (!N || *N > *U.Elements));
    if (!Better)
      return;
    U.Count = RecordUse::Many;
    U.Where = Loc;
    U.What = std::move(What);
    U.Elements = N;
  }

  void indexed(QualType T, SourceLocation Loc) {
    const RecordDecl *R = record(T);
    if (!R)
      return;
    RecordUse &U = Uses.Of[R];
    if (U.Count == RecordUse::Single) {
      U.Count = RecordUse::Indexed;
      U.Where = Loc;
      U.What = "array";
    }
  }

  ASTContext &Ctx;
  RecordUses &Uses;
};

} // namespace

RecordUses::RecordUses(ASTContext &Ctx) {
  Collector C(Ctx, *this);
  for (Decl *D : ownDecls(Ctx))
    C.TraverseDecl(D);
}

} // namespace stridewise
