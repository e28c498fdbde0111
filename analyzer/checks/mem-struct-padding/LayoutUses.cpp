// Two ways to depend on a layout. By order: initialisers by position, structured bindings, constructors: the record
// itself. By bytes: casts, unions, copies, offsets, sizes: all records inside the one whose bytes are meant.
#include "checks/mem-struct-padding/LayoutUses.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace stridewise {
namespace {

const RecordDecl *recordOf(QualType T, const ASTContext &Ctx) {
  if (T.isNull() || T->isDependentType())
    return nullptr;
  const RecordDecl *R = Ctx.getBaseElementType(T.getNonReferenceType())->getAsRecordDecl();
  return R ? R->getDefinition() : nullptr;
}

// The field whose address an expression is: &p->x, or an array member that decays.
const FieldDecl *addressedField(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
    E = U->getSubExpr()->IgnoreParens();
  else if (!E->getType()->isArrayType())
    return nullptr;
  while (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
    E = S->getBase()->IgnoreParenImpCasts();
  const auto *M = dyn_cast<MemberExpr>(E);
  return M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
}

// memcpy and its likes under the names that headers and compilers give them.
llvm::StringRef libraryName(const FunctionDecl *F) {
  llvm::StringRef Name = F && F->getIdentifier() ? F->getName() : "";
  if (Name.consume_front("__builtin___"))
    Name.consume_back("_chk");
  Name.consume_front("__builtin_");
  return Name;
}

const llvm::StringSet<> Allocators{"malloc",         "calloc",   "realloc", "reallocarray", "aligned_alloc",
                                   "posix_memalign", "memalign", "valloc",  "alloca",       "free"};
// These sort and search whole records of a given size.
const llvm::StringSet<> Sorters{"qsort", "bsearch", "qsort_r", "lfind", "lsearch"};
// These say something of an address to the compiler.
const llvm::StringSet<> Hints{"expect", "prefetch", "assume_aligned", "object_size", "dynamic_object_size", "assume"};

bool allocates(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E->IgnoreParenCasts());
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  return F && (Allocators.contains(libraryName(F)) || F->hasAttr<RestrictAttr>() || F->hasAttr<AllocSizeAttr>());
}

class Collector : public Visitor<Collector> {
public:
  Collector(ASTContext &Ctx, LayoutUses &Uses) : Ctx(Ctx), Uses(Uses), Names(Ctx) {
    ShouldVisitTemplateInstantiations = ShouldVisitPrototypes = true;
  }

  // What a function of which nothing is known gets as bytes.
  void notePassedBytes(const CallExpr &E, const FunctionDecl *F, llvm::StringRef Name) {
    std::string Shown = Name.empty() ? "a function" : "'" + Name.str() + "'";
    for (const Expr *A : E.arguments())
      if (const RecordDecl *R = asBytes(A))
        bytes(R, A->getExprLoc(), "its bytes are passed to " + Shown);
    if (!F || !F->isInStdNamespace())
      return;
    if (Ctx.getLangOpts().CPlusPlus20 && E.getNumArgs() &&
        (Name.starts_with("emplace") || Name.starts_with("make_") || Name.starts_with("construct")))
      noteParentheses(F, E.getExprLoc());
    if (Name == "bit_cast" || Name == "as_bytes" || Name == "as_writable_bytes")
      noteBytesOfTemplate(F, E.getExprLoc());
  }

  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *F = E->getDirectCallee();
    llvm::StringRef Name = libraryName(F);
    for (const Expr *A : E->arguments())
      noteArgumentCasts(A);
    bool Copies = Name == "memcpy" || Name == "memmove" || Name == "mempcpy",
         Fills = Name == "memset" || Name == "bzero";
    if (Allocators.contains(Name) || Sorters.contains(Name) || Hints.contains(Name)) {
      for (const Expr *A : E->arguments())
        approveSizes(A);
    } else if ((Copies && E->getNumArgs() == 3) || (Fills && E->getNumArgs() >= 2)) {
      noteWholeCopy(E, Copies);
    } else {
      notePassedBytes(*E, F, Name);
    }
    return true;
  }

  bool VisitCastExpr(CastExpr *E) override {
    QualType From = E->getSubExpr()->getType(), To = E->getType();
    if (From.isNull() || From->isDependentType() || To->isDependentType())
      return true;
    SourceLocation Loc = E->getExprLoc();
    switch (E->getCastKind()) {
    case CK_LValueBitCast:
    case CK_LValueToRValueBitCast:
      for (QualType T : {From, To})
        if (const RecordDecl *R = recordOf(T, Ctx))
          bytes(R, Loc, "it is read as another type");
      return true;
    case CK_PointerToIntegral:
      if (const FieldDecl *F = addressedField(E->getSubExpr()))
        bytes(F->getParent(), Loc, "a field's offset is computed");
      else if (const RecordDecl *R = recordOf(From->getPointeeType(), Ctx))
        mayBytes(R, Loc, "its address is used as a number");
      return true;
    case CK_IntegralToPointer:
      if (const RecordDecl *R = recordOf(To->getPointeeType(), Ctx))
        bytes(R, Loc, "it lies at an address that is written as a number");
      return true;
    case CK_BitCast:
    case CK_AddressSpaceConversion:
      return notePointerCast(E, From, To);
    default:
      return true;
    }
  }

  bool VisitOffsetOfExpr(OffsetOfExpr *E) override {
    if (const RecordDecl *R = recordOf(E->getTypeSourceInfo()->getType(), Ctx))
      bytes(R, E->getBeginLoc(), "offsetof is used on it");
    return true;
  }

  bool VisitInitListExpr(InitListExpr *E) override {
    noteInitialisers(E->isSemanticForm() || !E->getSemanticForm() ? E : E->getSemanticForm());
    return true;
  }

  bool VisitCXXParenListInitExpr(CXXParenListInitExpr *E) override {
    if (const RecordDecl *R = recordOf(E->getType(), Ctx))
      order(R, E->getBeginLoc(), "it is initialised by position");
    return true;
  }

  bool VisitDecompositionDecl(DecompositionDecl *D) override {
    if (const RecordDecl *R = recordOf(D->getType(), Ctx))
      order(R, D->getLocation(), "a structured binding names its fields by position");
    return true;
  }

  bool VisitCXXConstructorDecl(CXXConstructorDecl *D) override {
    for (const CXXCtorInitializer *I : D->inits())
      if (I->isWritten() && I->isMemberInitializer())
        order(D->getParent(), D->getLocation(), "a constructor initialises its members in their order");
    return true;
  }

  bool VisitCXXNewExpr(CXXNewExpr *E) override {
    if (const RecordDecl *R = recordOf(E->getAllocatedType(), Ctx))
      for (const Expr *A : E->placement_arguments())
        if (A->getType()->isPointerType())
          mayBytes(R, E->getBeginLoc(), "it is made in memory of another type");
    return true;
  }

  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) override {
    if (E->getKind() != UETT_SizeOf || Approved.contains(E))
      return true;
    if (const RecordDecl *R = recordOf(E->getTypeOfArgument(), Ctx)) {
      if (Constant.contains(E))
        bytes(R, E->getBeginLoc(), "a constant is made of its size");
      else
        mayBytes(R, E->getBeginLoc(), "its size is used as a number");
    }
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (E->getOpcode() == BO_Div && isSizeOf(E->getLHS()) && isSizeOf(E->getRHS())) {
      approveSizes(E); // the number of an array's elements
    } else if (E->getOpcode() == BO_Sub || E->isRelationalOp()) {
      const FieldDecl *A = addressedField(E->getLHS()), *B = addressedField(E->getRHS());
      if (A && B && A != B)
        bytes(A->getParent(), E->getExprLoc(), "addresses of its fields are compared");
    }
    return true;
  }

  bool VisitStaticAssertDecl(StaticAssertDecl *D) override { return constant(D->getAssertExpr()); }
  bool VisitEnumConstantDecl(EnumConstantDecl *D) override { return constant(D->getInitExpr()); }
  bool VisitCaseStmt(CaseStmt *S) override { return constant(S->getLHS()); }
  bool VisitArrayTypeLoc(ArrayTypeLoc L) override { return constant(L.getSizeExpr()); }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc &A) override {
    if (A.getArgument().getKind() == TemplateArgument::Expression && !constant(A.getSourceExpression()))
      return false;
    return Visitor::TraverseTemplateArgumentLoc(A);
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *S) override {
    for (unsigned I = 0; I < S->getNumInputs() + S->getNumOutputs(); ++I) {
      const Expr *E = I < S->getNumInputs() ? S->getInputExpr(I) : S->getOutputExpr(I - S->getNumInputs());
      QualType T = E->IgnoreParenCasts()->getType();
      if (const RecordDecl *R = recordOf(T->isPointerType() ? T->getPointeeType() : T, Ctx))
        bytes(R, S->getBeginLoc(), "assembly works on it");
      else if (const FieldDecl *F = addressedField(E))
        bytes(F->getParent(), S->getBeginLoc(), "assembly works on it");
    }
    return true;
  }

  bool VisitRecordDecl(RecordDecl *D) override {
    if (!D->isCompleteDefinition() || D->isDependentContext())
      return true;
    if (D->isUnion() && std::distance(D->field_begin(), D->field_end()) > 1)
      for (const FieldDecl *F : D->fields())
        if (const RecordDecl *R = recordOf(F->getType(), Ctx))
          bytes(R, F->getLocation(), "a union overlays it");
    if (const auto *C = dyn_cast<CXXRecordDecl>(D))
      for (const CXXBaseSpecifier &B : C->bases()) {
        if (const RecordDecl *R = recordOf(B.getType(), Ctx))
          order(R, B.getBeginLoc(), "another class derives from it");
        order(C, B.getBeginLoc(), "it derives from another class");
      }
    return true;
  }

  bool VisitDeclaratorDecl(DeclaratorDecl *D) override {
    QualType T = D->getType();
    bool Device = false;
    while (!T.isNull() && (T->isPointerType() || T->isReferenceType())) {
      T = T->getPointeeType();
      Device |= T.isVolatileQualified();
    }
    if (const RecordDecl *R = T.isNull() ? nullptr : recordOf(T, Ctx))
      if (Device || T.isVolatileQualified() || D->hasAttr<SectionAttr>())
        bytes(R, D->getLocation(), "it may be a device's or the linker's");
    const auto *V = dyn_cast<VarDecl>(D);
    return isa<FunctionDecl>(D) || (V && V->isFileVarDecl()) ? symbol(D) : true;
  }

  /// What the record's own declaration says of its order.
  void judgeOwn(const RecordDecl *R) {
    for (const FieldDecl *F : R->fields()) {
      if (F->isBitField())
        order(R, F->getLocation(), "bit-fields share their memory with their neighbours");
      if (const Expr *I = F->hasInClassInitializer() ? F->getInClassInitializer() : nullptr)
        if (usesFields(I) || I->HasSideEffects(Ctx))
          order(R, F->getLocation(), "a member's initialiser depends on the members before it");
      if (const TypeSourceInfo *T = F->getTypeSourceInfo(); T && namesFields(T->getTypeLoc()))
        order(R, F->getLocation(), "a member's type depends on the members before it");
      const auto *C = dyn_cast_or_null<CXXRecordDecl>(recordOf(F->getType(), Ctx));
      if (C && !C->isInStdNamespace() && (!C->hasTrivialDestructor() || C->hasNonTrivialDefaultConstructor()))
        might(R, F->getLocation(), "members with constructors of their own are made in the order of the fields");
    }
  }

private:
  struct FieldFinder : Visitor<FieldFinder> {
    bool Found = false;
    bool VisitCXXThisExpr(CXXThisExpr *) override { return !(Found = true); }
    bool VisitDeclRefExpr(DeclRefExpr *E) override { return !(Found |= isa<FieldDecl>(E->getDecl())); }
    bool VisitMemberExpr(MemberExpr *E) override { return !(Found |= isa<FieldDecl>(E->getMemberDecl())); }
  };
  static bool usesFields(const Expr *E) {
    FieldFinder F;
    F.TraverseStmt(const_cast<Expr *>(E));
    return F.Found;
  }
  static bool namesFields(TypeLoc T) {
    FieldFinder F;
    F.TraverseTypeLoc(T);
    return F.Found;
  }

  // A list and those within it, also those whose braces are left out: the form as written has none of these.
  bool noteInitialisers(const InitListExpr *E) {
    for (const Expr *I : E->inits())
      if (const auto *Inner = dyn_cast_or_null<InitListExpr>(I))
        noteInitialisers(Inner->isSemanticForm() || !Inner->getSemanticForm() ? Inner : Inner->getSemanticForm());
    if (E->getType().isNull() || !E->getType()->isRecordType())
      return true;
    const RecordDecl *R = recordOf(E->getType(), Ctx);
    if (!R)
      return true;
    const InitListExpr *Written = E->getSyntacticForm();
    unsigned Positional = 0, Designated = 0, Effects = 0;
    const Expr *Only = nullptr;
    for (const Expr *I : (Written ? Written : E)->inits()) {
      if (!I || isa<ImplicitValueInitExpr, NoInitExpr, CXXDefaultInitExpr>(I))
        continue;
      Effects += !I->isInstantiationDependent() && I->HasSideEffects(Ctx);
      if (isa<DesignatedInitExpr>(I)) {
        ++Designated;
      } else {
        ++Positional;
        Only = I;
      }
    }
    SourceLocation Loc = E->getBeginLoc();
    if (Positional + Designated == 0)
      return true;
    if (Positional == 0) {
      if (Designated > 1 && Ctx.getLangOpts().CPlusPlus)
        order(R, Loc, "its designated initialisers must stand in the order of its fields");
      else if (Effects > 1)
        might(R, Loc, "its initialisers have effects, and are evaluated in the order of its fields");
      return true;
    }
    if (Positional == 1 && Designated == 0) {
      if (recordOf(Only->getType(), Ctx) == R)
        return true; // a copy
      const auto *Zero = dyn_cast<IntegerLiteral>(Only->IgnoreParenImpCasts());
      if (Zero && Zero->getValue() == 0 && takesZero(R))
        return true;
    }
    order(R, Loc, "it is initialised by position");
    return true;
  }

  // Whether the initialiser {0} means the same with the new first field, without a warning.
  bool takesZero(const RecordDecl *R) const {
    auto It = Uses.Improvable.find(R);
    if (It == Uses.Improvable.end())
      return true;
    QualType T = It->second.Best.front()->getType();
    return T->isArithmeticType() || T->isPointerType();
  }

  bool isSizeOf(const Expr *E) const {
    const auto *U = dyn_cast<UnaryExprOrTypeTraitExpr>(E->IgnoreParenCasts());
    return U && U->getKind() == UETT_SizeOf;
  }

  template <typename F> static void eachSizeOf(const Stmt *S, F Do) {
    if (!S)
      return;
    if (const auto *U = dyn_cast<UnaryExprOrTypeTraitExpr>(S); U && U->getKind() == UETT_SizeOf)
      Do(U);
    for (const Stmt *X : S->children())
      eachSizeOf(X, Do);
  }
  void approveSizes(const Expr *E) {
    eachSizeOf(E, [&](const UnaryExprOrTypeTraitExpr *U) { Approved.insert(U); });
  }
  bool constant(const Expr *E) {
    eachSizeOf(E, [&](const UnaryExprOrTypeTraitExpr *U) { Constant.insert(U); });
    return true;
  }

  // A number of whole records: a sum or product with the size of that record, or of arrays of it.
  bool isWhole(const Expr *E, const RecordDecl *R) const {
    E = E->IgnoreParenCasts();
    if (const auto *U = dyn_cast<UnaryExprOrTypeTraitExpr>(E))
      return U->getKind() == UETT_SizeOf && recordOf(U->getTypeOfArgument(), Ctx) == R;
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (B && B->getOpcode() == BO_Mul)
      return isWhole(B->getLHS(), R) || isWhole(B->getRHS(), R);
    return B && B->isAdditiveOp() && isWhole(B->getLHS(), R) && isWhole(B->getRHS(), R);
  }

  // The record whose bytes an argument hands over: a pointer to it that became a pointer to void or to characters.
  const RecordDecl *asBytes(const Expr *A) const {
    if (A->isTypeDependent() || !A->getType()->isPointerType())
      return nullptr;
    QualType To = A->getType()->getPointeeType();
    if (!To->isVoidType() && !To->isCharType())
      return nullptr;
    QualType From = A->IgnoreParenCasts()->getType();
    if (From->isArrayType())
      return recordOf(From, Ctx);
    return From->isPointerType() ? recordOf(From->getPointeeType(), Ctx) : nullptr;
  }

  // Between two places of one type, or all of one place, in whole records; anything else reads or makes their bytes.
  void noteWholeCopy(const CallExpr *E, bool Copies) {
    const RecordDecl *To = asBytes(E->getArg(0)), *From = Copies ? asBytes(E->getArg(1)) : To;
    const Expr *Size = E->getArg(E->getNumArgs() - 1);
    if (To && To == From && isWhole(Size, To)) {
      approveSizes(Size);
      return;
    }
    for (const RecordDecl *R : {To, From}) {
      if (!R)
        continue;
      // A number of bytes that nothing here explains may still be of whole records.
      if (To == From && !isa<IntegerLiteral>(Size->IgnoreParenCasts()))
        mayBytes(R, E->getBeginLoc(), "a number of its bytes is copied or set");
      else
        bytes(R, E->getBeginLoc(), "its bytes are copied");
    }
  }

  void noteBytesOfTemplate(const FunctionDecl *F, SourceLocation Loc) {
    if (const TemplateArgumentList *Args = F->getTemplateSpecializationArgs())
      for (const TemplateArgument &A : Args->asArray())
        if (A.getKind() == TemplateArgument::Type)
          if (const RecordDecl *R = recordOf(A.getAsType(), Ctx))
            bytes(R, Loc, "its bytes are read");
  }

  // Since C++20 the library makes aggregates of the arguments in parentheses.
  void noteParentheses(const FunctionDecl *F, SourceLocation Loc) {
    const auto *C = dyn_cast<ClassTemplateSpecializationDecl>(F->getParent());
    for (const TemplateArgumentList *Args : {F->getTemplateSpecializationArgs(), C ? &C->getTemplateArgs() : nullptr})
      for (const TemplateArgument &A : Args ? Args->asArray() : llvm::ArrayRef<TemplateArgument>())
        if (A.getKind() == TemplateArgument::Type)
          if (const auto *R = dyn_cast_or_null<CXXRecordDecl>(recordOf(A.getAsType(), Ctx)); R && R->isAggregate())
            order(R, Loc, "it is initialised by position");
  }

  // The casts of an argument are judged by what the call does with it.
  void noteArgumentCasts(const Expr *A) {
    while (true) {
      if (const auto *P = dyn_cast<ParenExpr>(A))
        A = P->getSubExpr();
      else if (const auto *C = dyn_cast<CastExpr>(A))
        Arguments.insert(C), A = C->getSubExpr();
      else
        return;
    }
  }

  bool notePointerCast(const CastExpr *E, QualType From, QualType To) {
    if (!From->isPointerType() || !To->isPointerType() ||
        E->getSubExpr()->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNotNull))
      return true;
    QualType Source = From->getPointeeType(), Target = To->getPointeeType();
    SourceLocation Loc = E->getExprLoc();
    if (const FieldDecl *F = addressedField(E->getSubExpr()); F && !Source->isVoidType())
      mayBytes(F->getParent(), Loc, "a field is reached through a pointer of another type");
    const RecordDecl *R = recordOf(Source, Ctx), *S = recordOf(Target, Ctx);
    if (R == S)
      return true;
    bool Argument = Arguments.contains(E);
    if (R && !Target->isVoidType() && !(Argument && Target->isCharType()))
      bytes(R, Loc, "it is read through a pointer of another type");
    else if (R && !Argument)
      mayBytes(R, Loc, "its address is kept without its type");
    if (S && !Source->isVoidType())
      bytes(S, Loc, "memory of another type is taken for it");
    else if (S && !allocates(E->getSubExpr()))
      mayBytes(S, Loc, "memory of unknown origin is taken for it");
    return true;
  }

  bool symbol(const DeclaratorDecl *D) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    const auto *V = dyn_cast<VarDecl>(D);
    if (!D->isExternallyVisible() || D->isTemplated() || D->isImplicit() || D->getType()->isDependentType())
      return true;
    if (F && F->isMain()) {
      Uses.HasMain |= F->isThisDeclarationADefinition();
      return true;
    }
    bool Defined = F ? F->isDefined() : V->hasDefinition() != VarDecl::DeclarationOnly;
    if ((!Defined && !D->isReferenced() && !D->isUsed()) || !Symbols.insert(D->getCanonicalDecl()).second)
      return true;
    llvm::SmallPtrSet<const RecordDecl *, 8> Seen;
    ExternalSymbol S;
    bool Memory = false;
    reach(D->getType(), Seen, S, Memory);
    if (!Memory)
      return true;
    S.Name = Names.getName(D);
    S.Shown = D->getQualifiedNameAsString();
    S.Defined = Defined;
    Uses.Symbols.push_back(std::move(S));
    return true;
  }

  // The records that a type leads to, through pointers, fields, parameters and results.
  void reach(QualType T, llvm::SmallPtrSetImpl<const RecordDecl *> &Seen, ExternalSymbol &S, bool &Memory) {
    if (T.isNull() || T->isDependentType())
      return;
    T = Ctx.getCanonicalType(T);
    if (T->isPointerType() || T->isReferenceType() || T->isMemberPointerType()) {
      QualType To = T->getPointeeType();
      Memory |= !To->isIncompleteType() || To->isVoidType();
      reach(To, Seen, S, Memory);
    } else if (const auto *A = T->getAsArrayTypeUnsafe()) {
      Memory = true;
      reach(A->getElementType(), Seen, S, Memory);
    } else if (const auto *P = T->getAs<FunctionType>()) {
      reach(P->getReturnType(), Seen, S, Memory);
      if (const auto *Q = dyn_cast<FunctionProtoType>(P))
        for (QualType X : Q->param_types())
          reach(X, Seen, S, Memory);
    } else if (const RecordDecl *R = recordOf(T, Ctx)) {
      Memory = true;
      if (!Seen.insert(R).second)
        return;
      if (Uses.Improvable.count(R))
        S.Reaches.push_back(R);
      for (const FieldDecl *F : R->fields())
        reach(F->getType(), Seen, S, Memory);
      if (const auto *X = dyn_cast<ClassTemplateSpecializationDecl>(R))
        for (const TemplateArgument &A : X->getTemplateArgs().asArray())
          if (A.getKind() == TemplateArgument::Type)
            reach(A.getAsType(), Seen, S, Memory);
    }
  }

  void note(const RecordDecl *R, SourceLocation Loc, std::string Why, bool Breaks) {
    R = R ? R->getDefinition() : nullptr;
    if (R && Uses.Improvable.count(R))
      Uses.Of[R].push_back({Loc, std::move(Why), Breaks});
  }
  void order(const RecordDecl *R, SourceLocation Loc, std::string Why) { note(R, Loc, std::move(Why), true); }
  void might(const RecordDecl *R, SourceLocation Loc, std::string Why) { note(R, Loc, std::move(Why), false); }
  void bytes(const RecordDecl *R, SourceLocation Loc, const std::string &Why) {
    for (const RecordDecl *X : inside(R))
      note(X, Loc, Why, true);
  }
  void mayBytes(const RecordDecl *R, SourceLocation Loc, const std::string &Why) {
    for (const RecordDecl *X : inside(R))
      note(X, Loc, Why, false);
  }

  // The improvable records whose fields lie inside the record, itself among them.
  const std::vector<const RecordDecl *> &inside(const RecordDecl *R) {
    R = R->getDefinition() ? R->getDefinition() : R;
    auto [It, New] = Inside.try_emplace(R);
    if (!New)
      return It->second;
    std::vector<const RecordDecl *> Out;
    if (Uses.Improvable.count(R))
      Out.push_back(R);
    auto Add = [&](QualType T) {
      if (const RecordDecl *X = recordOf(T, Ctx))
        for (const RecordDecl *Y : std::vector<const RecordDecl *>(inside(X)))
          Out.push_back(Y);
    };
    for (const FieldDecl *F : R->fields())
      if (!F->getType()->isReferenceType())
        Add(F->getType());
    if (const auto *C = dyn_cast<CXXRecordDecl>(R); C && C->hasDefinition())
      for (const CXXBaseSpecifier &B : C->bases())
        Add(B.getType());
    return Inside[R] = std::move(Out);
  }

  ASTContext &Ctx;
  LayoutUses &Uses;
  ASTNameGenerator Names;
  llvm::DenseSet<const Stmt *> Approved, Constant, Arguments;
  llvm::DenseSet<const Decl *> Symbols;
  llvm::DenseMap<const RecordDecl *, std::vector<const RecordDecl *>> Inside;
};

} // namespace

LayoutUses::LayoutUses(ASTContext &Ctx, llvm::ArrayRef<const RecordDecl *> Records) {
  for (const RecordDecl *R : Records)
    if (std::optional<FieldOrder> Order = bestFieldOrder(R, Ctx))
      Improvable.insert({R, std::move(*Order)});
  Collector C(Ctx, *this);
  for (auto &[R, Order] : Improvable)
    C.judgeOwn(R);
  for (Decl *D : ownDecls(Ctx))
    C.TraverseDecl(D);
}

const LayoutUse *LayoutUses::worst(const RecordDecl *R) const {
  auto It = Of.find(R);
  if (It == Of.end() || It->second.empty())
    return nullptr;
  auto Breaks = llvm::find_if(It->second, [](const LayoutUse &U) { return U.Breaks; });
  return Breaks != It->second.end() ? &*Breaks : &It->second.front();
}

} // namespace stridewise
