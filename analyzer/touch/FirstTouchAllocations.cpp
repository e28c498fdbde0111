// Where pointers and containers get their memory, and who writes it with that.
#include "touch/FirstTouchBuilder.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace stridewise {

// The allocation that a pointer comes from: malloc(size) + 1 - first, too, so that the indices start elsewhere.
static const Expr *allocated(const Expr *V) {
  V = V->IgnoreParenCasts();
  while (const auto *B = dyn_cast<BinaryOperator>(V)) {
    if (!B->isAdditiveOp() || !B->getType()->isPointerType())
      return nullptr;
    V = (B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS())->IgnoreParenCasts();
  }
  return PathResolver::isAllocation(V) ? V : nullptr;
}

static const Expr *withoutTemporaries(const Expr *E) {
  const Expr *V = E->IgnoreParenImpCasts();
  while (isa<FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr, CXXFunctionalCastExpr>(V)) {
    if (const auto *F = dyn_cast<FullExpr>(V))
      V = F->getSubExpr();
    else if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(V))
      V = M->getSubExpr();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(V))
      V = B->getSubExpr();
    else
      V = cast<CXXFunctionalCastExpr>(V)->getSubExpr();
    V = V->IgnoreParenImpCasts();
  }
  return V;
}

void TouchBuilder::give(Location Holder, QualType T, const Expr *Value, SourceLocation At) {
  const Expr *V = Value->IgnoreParenImpCasts();
  while (const auto *F = dyn_cast<FullExpr>(V))
    V = F->getSubExpr()->IgnoreParenImpCasts();
  if (T->isPointerType()) {
    if (const auto *N = dyn_cast<CXXNewExpr>(V->IgnoreParenCasts()); N && !N->isArray() && N->getConstructExpr()) {
      TouchEvent E;
      E.K = TouchEvent::Assign;
      E.Object = std::move(Holder);
      E.Other = {temporary(N->getConstructExpr())};
      return add(std::move(E), At);
    }
    if (const Expr *Block = allocated(V))
      return allocate(std::move(Holder), Block, At);
    ObjectPath P = Paths.pointee(Value);
    if (P.Root == ObjectPath::Literal)
      return;
    TouchEvent E;
    E.K = TouchEvent::Assign;
    E.Object = std::move(Holder);
    E.Other = toLocation(P);
    if (E.Other.empty())
      E.Other = {temporary(Value)};
    return add(std::move(E), At);
  }
  if (!T->isRecordType())
    return;
  if (PathResolver::isContainer(T) && container(Holder, T, Value, At))
    return;
  const Expr *From = withoutTemporaries(V);
  while (const auto *C = dyn_cast<CXXConstructExpr>(From)) {
    if (C->getNumArgs() != 1 || !C->getConstructor()->isCopyOrMoveConstructor())
      break;
    From = C->getArg(0)->IgnoreParenImpCasts();
    while (const auto *M = dyn_cast<MaterializeTemporaryExpr>(From))
      From = M->getSubExpr()->IgnoreParenImpCasts();
  }
  if (const auto *Init = dyn_cast<InitListExpr>(From))
    return initList(Holder, T, Init, At);
  TouchEvent E;
  E.K = TouchEvent::Copy;
  E.Object = std::move(Holder);
  if (isa<CXXConstructExpr, CallExpr>(From) && !From->isGLValue())
    E.Other = {temporary(From)};
  else
    E.Other = toLocation(Paths.lvalue(From));
  if (!E.Other.empty())
    add(std::move(E), At);
}

void TouchBuilder::initList(const Location &Holder, QualType T, const InitListExpr *Init, SourceLocation At) {
  const auto *R = T->getAsRecordDecl();
  if (!R || R->isUnion())
    return;
  unsigned I = 0;
  for (const FieldDecl *F : R->fields()) {
    if (F->isUnnamedBitField())
      continue;
    if (I >= Init->getNumInits())
      return;
    const Expr *V = Init->getInit(I++);
    if (isa<ImplicitValueInitExpr>(V))
      continue;
    Location L = Holder;
    L.push_back("." + F->getNameAsString());
    give(std::move(L), F->getType(), V, At);
  }
}

// Construction of a container. False when it is a copy like that of any record.
bool TouchBuilder::container(const Location &Holder, QualType T, const Expr *Value, SourceLocation At,
                             const Poly &Times) {
  const Expr *V = withoutTemporaries(Value);
  // A pointer to a base class, made of one to the derived class.
  if (const auto *C = dyn_cast<CXXConstructExpr>(V);
      C && C->getNumArgs() && isOwner(T) && isOwner(C->getArg(0)->getType()))
    return container(Holder, C->getArg(0)->getType(), C->getArg(0), At, Times);
  if (const auto *C = dyn_cast<CallExpr>(V))
    return madeByCall(Holder, T, *C, At);
  const auto *C = dyn_cast<CXXConstructExpr>(V);
  return C ? constructed(Holder, T, C, At, Times) : isa<InitListExpr>(V);
}

bool TouchBuilder::madeByCall(const Location &Holder, QualType T, const CallExpr &C, SourceLocation At) {
  if (constructorMade(&C)) {
    TouchEvent E;
    E.K = TouchEvent::Assign;
    E.Object = Holder;
    E.Other = {temporary(&C)};
    add(std::move(E), At);
    return true;
  }
  const FunctionDecl *F = C.getDirectCallee();
  llvm::StringRef Name = F && F->isInStdNamespace() && F->getIdentifier() ? F->getName() : "";
  bool Writes = Name == "make_unique" || Name == "make_shared";
  if ((!Writes && Name != "make_unique_for_overwrite" && Name != "make_shared_for_overwrite") || !C.getNumArgs())
    return false;
  QualType Element = elementType(T);
  if (!Element.isNull() && C.getArg(0)->getType()->isIntegralOrEnumerationType() && isArrayOwner(T))
    fresh(Holder, Element, C.getArg(0), Writes ? "std::" + Name.str() : "", At);
  return true;
}

bool TouchBuilder::constructed(const Location &Holder, QualType T, const CXXConstructExpr *C, SourceLocation At,
                               const Poly &Times) {
  if (C->getNumArgs() == 0)
    return true;
  const Expr *First = C->getArg(0);
  if (First->getType()->isPointerType() && isOwner(T)) {
    give(Holder, First->getType(), First, At);
    return true;
  }
  QualType Element = elementType(T);
  if (Element.isNull())
    return true;
  if (First->getType()->isIntegralOrEnumerationType()) {
    fresh(Holder, Element, First, constructorOf(T), At, /*Reserves=*/false, Times);
    if (C->getNumArgs() > 1)
      rows(Holder, Element, C->getArg(1), At, Times * Paths.integer(First));
    return true;
  }
  if (C->getConstructor()->isCopyConstructor() && !isArrayOwner(T)) {
    fresh(Holder, Element, nullptr, constructorOf(T), At);
    return true;
  }
  if (C->getConstructor()->isMoveConstructor())
    return false;
  return true;
}

// The element type of a vector-like class with the standard allocator: another one may place pages itself.
QualType TouchBuilder::elementType(QualType T) const {
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
  if (!S || S->getName() == "array" || S->getName() == "span" || S->getTemplateArgs().size() == 0 ||
      S->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return {};
  if (S->getName() == "vector" && S->getTemplateArgs().size() > 1) {
    const CXXRecordDecl *A = S->getTemplateArgs()[1].getAsType()->getAsCXXRecordDecl();
    if (!A || !A->isInStdNamespace() || !A->getIdentifier() || A->getName() != "allocator")
      return {};
  }
  QualType E = S->getTemplateArgs()[0].getAsType();
  if (const ArrayType *A = E->getAsArrayTypeUnsafe())
    E = A->getElementType();
  return E;
}

bool TouchBuilder::isOwner(QualType T) {
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  return R && R->isInStdNamespace() && R->getIdentifier() &&
         (R->getName() == "unique_ptr" || R->getName() == "shared_ptr");
}

bool TouchBuilder::isArrayOwner(QualType T) {
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
  return S && (S->getName() == "unique_ptr" || S->getName() == "shared_ptr") && S->getTemplateArgs().size() &&
         S->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
         S->getTemplateArgs()[0].getAsType()->isArrayType();
}

// The constructor that std::make_unique<T>(…) or std::make_shared<T>(…) runs, where the number of arguments tells.
const CXXConstructorDecl *TouchBuilder::constructorMade(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->isInStdNamespace() || !F->getIdentifier() ||
      (F->getName() != "make_unique" && F->getName() != "make_shared") || isArrayOwner(C->getType()))
    return nullptr;
  const TemplateArgumentList *Of = F->getTemplateSpecializationArgs();
  if (!Of || Of->size() == 0 || Of->get(0).getKind() != TemplateArgument::Type)
    return nullptr;
  return constructorFor(Of->get(0).getAsType()->getAsCXXRecordDecl(), C->getNumArgs());
}

// The only constructor of a class of the program's that takes so many arguments.
const CXXConstructorDecl *TouchBuilder::constructorFor(const CXXRecordDecl *R, unsigned Arguments) {
  if (!R || !R->hasDefinition() || R->isInStdNamespace())
    return nullptr;
  const CXXConstructorDecl *Only = nullptr;
  for (const CXXConstructorDecl *X : R->ctors()) {
    if (X->isCopyOrMoveConstructor() || X->isDeleted() || Arguments < X->getMinRequiredArguments() ||
        Arguments > X->getNumParams())
      continue;
    if (Only)
      return nullptr;
    Only = X;
  }
  return Only;
}

std::string TouchBuilder::constructorOf(QualType T) {
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  return "the constructor" + (R && R->getIdentifier() ? " of std::" + R->getName().str() : std::string());
}

// A container whose elements, as many as Count, are containers made like Value.
void TouchBuilder::rows(const Location &Holder, QualType Element, const Expr *Value, SourceLocation At,
                        const Poly &Count) {
  if (!PathResolver::isContainer(Element))
    return;
  Location Row = Holder;
  Row.push_back("*");
  container(Row, Element, Value, At, Count);
}

// A container gets memory of Count elements; nothing known when Count is null. Writer: what writes them, if any does.
void TouchBuilder::fresh(const Location &Holder, QualType Element, const Expr *Count, const std::string &Writer,
                         SourceLocation Place, bool Reserves, const Poly &Times) {
  TouchEvent E;
  E.K = TouchEvent::Allocate;
  E.Object = Holder;
  E.Name = lastName(Holder);
  E.Reserves = Reserves;
  E.Reserved = Writer == "resize" || Writer == "assign";
  // One row after another.
  E.InLoop = !Loops.empty() && llvm::is_contained(Holder, "*");
  if (Count)
    size(Times * Paths.integer(Count), sizeOf(Element), E);
  TouchEvent Fill = E;
  // Their elements lie elsewhere.
  Fill.List = Element->isPointerType() || PathResolver::isContainer(Element) || isOwner(Element);
  add(std::move(E), Place);
  if (!Writer.empty())
    implicitFill(std::move(Fill), Writer, Place);
}

// Of the allocation, as the allocation itself does it.
void TouchBuilder::implicitFill(TouchEvent Fill, std::string Writer, SourceLocation At) {
  Fill.K = By == Runs::Serial ? TouchEvent::Fill : TouchEvent::Foreign;
  Fill.Object.push_back("*");
  Fill.SizeParameter = -1;
  Fill.Sizes.clear();
  Fill.Bytes = -1;
  Fill.Reserved = Fill.Reserves = false;
  Fill.Implicit = true;
  Fill.Perhaps = Writer == "calloc";
  Fill.Writer = std::move(Writer);
  if (Fill.K == TouchEvent::Fill || !Fill.Perhaps)
    add(std::move(Fill), At);
}

void TouchBuilder::size(const Poly &Count, std::int64_t Each, TouchEvent &E) const {
  if (std::optional<std::int64_t> C = Count.asConstant()) {
    E.Bytes = std::max<std::int64_t>(0, *C * Each);
    return;
  }
  std::vector<std::string> Factors;
  if (factors(Count, Factors))
    E.Sizes = std::move(Factors);
  // A wrapper that allocates as many bytes as its caller says.
  if (Each == 1 && Count.terms().size() == 1 && Count.degree() == 1 && Count.terms().begin()->second == 1)
    if (const VarDecl *V = Paths.symbol(Count.terms().begin()->first.front()).Var)
      if (const auto *P = dyn_cast<ParmVarDecl>(V); P && P->getDeclContext() == Function)
        E.SizeParameter = P->getFunctionScopeIndex();
}

void TouchBuilder::allocate(Location Holder, const Expr *V, SourceLocation At) {
  TouchEvent E;
  E.K = TouchEvent::Allocate;
  E.Name = lastName(Holder);
  E.InLoop = !Loops.empty() && !llvm::is_contained(Holder, "*"); // again and again, not row by row
  E.Object = std::move(Holder);
  V = V->IgnoreParenCasts();
  std::string Writer;
  if (const auto *N = dyn_cast<CXXNewExpr>(V)) {
    if (auto Count = N->getArraySize(); Count && *Count)
      size(Paths.integer(*Count), sizeOf(N->getAllocatedType()), E);
    else
      E.Bytes = sizeOf(N->getAllocatedType());
    // new T[n]() and elements with constructors of their own write; new double[n] does not.
    const CXXConstructExpr *C = N->getConstructExpr();
    if (N->isArray() && N->getInitializer() && (!C || C->requiresZeroInitialization()))
      Writer = "new[]()";
    else if (N->isArray() && C && !C->getConstructor()->isTrivial())
      Writer = "new[]";
  } else if (const auto *C = dyn_cast<CallExpr>(V)) {
    llvm::StringRef Name = C->getDirectCallee()->getName();
    Poly Count = Poly::constant(0);
    if (Name == "calloc" && C->getNumArgs() == 2)
      Writer = "calloc";
    if (!Writer.empty())
      Count = Paths.integer(C->getArg(0)) * Paths.integer(C->getArg(1));
    else if (C->getNumArgs())
      Count = Paths.integer(C->getArg(Name == "aligned_alloc" || Name == "memalign" || Name == "mmap" ? 1 : 0));
    if (auto [It, New] = AllocatedBytes.try_emplace(E.Object, Count); !New && It->second != Count)
      It->second = std::nullopt;
    size(Count, 1, E);
  }
  SourceLocation Place = V->getBeginLoc().isValid() ? V->getBeginLoc() : At;
  TouchEvent Fill = E;
  add(std::move(E), Place);
  if (!Writer.empty())
    implicitFill(std::move(Fill), Writer, Place);
}

void TouchBuilder::initializer(const CXXCtorInitializer *I) {
  const Expr *Init = I->getInit();
  if (!Init)
    return;
  if (const auto *D = dyn_cast<CXXDefaultInitExpr>(Init))
    Init = D->getExpr();
  operand(Init);
  Location Holder{"this"};
  QualType T;
  if (const FieldDecl *F = I->getAnyMember()) {
    Holder.push_back("." + F->getNameAsString());
    T = F->getType();
    if (T->isReferenceType()) {
      TouchEvent E;
      E.K = TouchEvent::Assign;
      E.Object = std::move(Holder);
      E.Other = toLocation(Paths.lvalue(Init));
      if (!E.Other.empty())
        add(std::move(E), Init->getExprLoc());
      return;
    }
  } else {
    T = Init->getType();
  }
  give(std::move(Holder), T, Init, I->isWritten() ? I->getSourceLocation() : Init->getExprLoc());
}

std::optional<TouchEvent> TouchBuilder::inPlace(const VarDecl *V, Location L, std::string Name) const {
  if (V->getType()->isIncompleteType() || V->getType()->isDependentType() || V->getType()->isVariableArrayType())
    return std::nullopt;
  TouchEvent E;
  E.K = TouchEvent::Allocate;
  E.InPlace = true;
  E.Object = std::move(L);
  E.Name = std::move(Name);
  E.Bytes = sizeOf(V->getType());
  return E;
}

} // namespace stridewise
