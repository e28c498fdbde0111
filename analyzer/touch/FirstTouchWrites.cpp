// Serial loops and library calls that write whole arrays.
#include "touch/FirstTouchBuilder.h"

using namespace clang;

namespace stridewise {

TouchBuilder::Sweep TouchBuilder::sweepOf(const ObjectPath &P, std::int64_t Size) {
  Sweep W;
  for (const Loop &X : Loops) {
    if (!X.Counter)
      continue;
    bool Moves = false;
    for (const ObjectPath::Step &S : P.Steps)
      if (S.isElement() && S.Index.mentions(*X.Counter)) {
        Moves = true;
        if (std::optional<std::int64_t> C = S.Index.coefficient(*X.Counter); C && *C)
          W.Stride = std::min(W.Stride, std::abs(*C) * Size);
      }
    if (!Moves)
      continue;
    if (!W.Outermost)
      W.Outermost = &X;
    std::optional<std::int64_t> Trips = X.Range ? X.Range->trips() : std::nullopt;
    if (W.Elements && Trips)
      *W.Elements *= *Trips;
    else
      W.Elements.reset();
    if (X.Range)
      W.Count = W.Count * (X.Range->Step > 0 ? X.Range->End - X.Range->Begin : X.Range->Begin - X.Range->End);
    if (!X.Range)
      W.FactorsKnown = false;
    else if (!Trips)
      W.FactorsKnown &= factors(X.Range->End - X.Range->Begin, W.Factors);
  }
  return W;
}

void TouchBuilder::serialWrite(const Expr *E, const ObjectPath &P, Location L) {
  const std::int64_t Size = sizeOf(E->getType());
  auto [Outermost, Elements, Stride, Factors, FactorsKnown, Count] = sweepOf(P, Size);
  std::vector<std::string> From;
  bool Sure = true;
  if (!Outermost) {
    // *p++, a[k++]: a pointer or an index that walks over the array.
    if (Loops.empty() || !walks(P, Size))
      return;
    Outermost = &Loops.front();
    Elements.reset();
    FactorsKnown = Sure = false;
  } else if (Stride > PageBytes) {
    return; // leaves pages out: a column, one element of each row
  } else if (startsInside(P) && !coversAllocation(L, Count, Size) && !startsOf(P, From)) {
    return; // the rest behind what was written before, perhaps a few elements
  } else {
    for (std::size_t I = Outermost->ArmsAround; I < Arms.size(); ++I)
      if (!Arms[I].Exhaustive)
        return;
  }
  TouchEvent Event;
  Event.K = Outermost->Input ? TouchEvent::Foreign : TouchEvent::Fill;
  Event.Object = std::move(L);
  Event.Name = nameOf(P);
  Event.Sure = Sure;
  // A loop that chooses the part to fill by a table does not fill the same again.
  Event.InLoop = std::any_of(static_cast<const Loop *>(Loops.data()), Outermost, [&](const Loop &X) {
    return !X.Once && !(X.Counter && llvm::any_of(P.Steps, [&](const ObjectPath::Step &S) {
                          return S.isElement() && Paths.dependsOn(S.Index, *X.Counter);
                        }));
  });
  // Integers that are appended one by one choose elements of something.
  Event.List = E->getType()->isPointerType() || (!Sure && E->getType()->isIntegralOrEnumerationType());
  Event.From = std::move(From);
  if (Elements)
    Event.Bytes = *Elements * Size;
  if (FactorsKnown)
    Event.Sizes = std::move(Factors);
  Event.Range = {Outermost->S->getBeginLoc(), forHeaderEnd(Outermost->S)};
  Event.Scope = Outermost->S->getSourceRange();
  add(std::move(Event), Outermost->S->getBeginLoc());
}

// Whether a loop that starts at a number known at run time only makes the first element one that is not the array's
// first, as far as the unit shows. Rows that start where a list says are written one after another.
bool TouchBuilder::startsInside(const ObjectPath &P) const {
  for (const Loop &X : Loops) {
    if (!X.Counter || !X.Range)
      continue;
    // A loop that counts down gets to the first element at its end.
    const bool Down = X.Range->Step < 0;
    const Poly &Lowest = Down ? X.Range->End : X.Range->Begin;
    if (Lowest.asConstant() || dependsOnLoops(Lowest))
      continue;
    for (const ObjectPath::Step &S : P.Steps) {
      if (!S.isElement() || !S.Index.mentions(*X.Counter))
        continue;
      Poly First = S.Index;
      if (Down) {
        const std::optional<std::int64_t> Step = S.Index.coefficient(*X.Counter);
        if (!Step)
          continue;
        First = First + Poly::constant(*Step / X.Range->Step) * (X.Range->End - X.Range->Begin);
      }
      for (SymbolId Y : First.symbols()) {
        const bool IsCounter = llvm::any_of(Loops, [&](const Loop &L) { return L.Counter == Y; });
        if (!IsCounter && Lowest.mentions(Y) && First.coefficient(Y) != 0)
          return true;
      }
    }
  }
  return false;
}

// The name of the only number that a loop starts at, give or take a constant: of a field or a global variable, which is
// the same one in other functions. Empty for others.
std::string TouchBuilder::nameOfStart(const Poly &Start, const PathResolver &Paths) {
  const std::set<SymbolId> Symbols = Start.symbols();
  if (Symbols.size() != 1 || Start.coefficient(*Symbols.begin()) != 1)
    return {};
  const SymbolInfo &I = Paths.symbol(*Symbols.begin());
  if (I.Var)
    return I.Var->hasGlobalStorage() ? I.Var->getQualifiedNameAsString() : std::string();
  const FieldDecl *F = I.Loaded && !I.Loaded->Steps.empty() ? I.Loaded->Steps.back().Field : nullptr;
  return F ? F->getQualifiedNameAsString() : std::string();
}

// What the loops over the array start at. False where one of them has no name.
bool TouchBuilder::startsOf(const ObjectPath &P, std::vector<std::string> &Into) const {
  for (const Loop &X : Loops) {
    if (!X.Counter || !X.Range || X.Range->Step < 0 || X.Range->Begin.asConstant() ||
        llvm::none_of(
            P.Steps, [&](const ObjectPath::Step &S) { return S.isElement() && S.Index.mentions(*X.Counter); }))
      continue;
    Into.push_back(nameOfStart(X.Range->Begin, Paths));
    if (Into.back().empty())
      return false;
  }
  return !Into.empty();
}

// Whether so many elements are all that the array was allocated for in this function, but for a few.
bool TouchBuilder::coversAllocation(const Location &L, const Poly &Elements, std::int64_t Size) const {
  if (L.empty() || L.back() != "*")
    return false;
  auto It = AllocatedBytes.find(Location(L.begin(), L.end() - 1));
  return It != AllocatedBytes.end() && It->second && (*It->second - Poly::constant(Size) * Elements).asConstant();
}

// Whether a local variable on the way is counted up or down, in steps that leave no page out.
bool TouchBuilder::walks(const ObjectPath &P, std::int64_t Size) const {
  auto Steps = [&](const VarDecl *V) {
    auto It = Unit.Sources.find(V);
    return V->hasLocalStorage() && !Unit.AddressTaken.contains(V) && It != Unit.Sources.end() &&
           llvm::is_contained(It->second, nullptr);
  };
  if (P.Root == ObjectPath::Variable && P.Steps.size() == 1 && P.Var->getType()->isPointerType() && Steps(P.Var))
    return true;
  const ObjectPath::Step *Last = nullptr;
  for (const ObjectPath::Step &S : P.Steps)
    if (S.isElement())
      Last = &S;
  return Last && llvm::any_of(Last->Index.symbols(), [&](SymbolId S) {
           std::optional<std::int64_t> C = Last->Index.coefficient(S);
           const VarDecl *V = Paths.symbol(S).Var;
           return V && C && *C && std::abs(*C) * Size <= PageBytes && Steps(V);
         });
}

SourceLocation TouchBuilder::forHeaderEnd(const Stmt *S) {
  if (const auto *F = dyn_cast<ForStmt>(S))
    return F->getRParenLoc();
  if (const auto *F = dyn_cast<CXXForRangeStmt>(S))
    return F->getRParenLoc();
  return S->getBeginLoc();
}

// The names of the factors of a product, when it is one; constants have none.
bool TouchBuilder::factors(const Poly &P, std::vector<std::string> &Into) const {
  if (P.asConstant())
    return true;
  // n - 1 and n + 2 count as n.
  const Poly::Monomial *Only = nullptr;
  for (const auto &[M, C] : P.terms())
    if (!M.empty()) {
      if (Only)
        return false;
      Only = &M;
    }
  for (SymbolId S : *Only) {
    const SymbolInfo &I = Paths.symbol(S);
    if (I.Var)
      Into.push_back(I.Var->getNameAsString());
    else if (I.Loaded && !I.Loaded->Steps.empty() && I.Loaded->Steps.back().Field)
      Into.push_back(I.Loaded->Steps.back().Field->getNameAsString());
    else
      return false;
  }
  return true;
}

// True when nothing more is to be said about the call.
// Members of containers that get or give up memory.
void TouchBuilder::containerCall(const Expr *Call, const CXXMethodDecl &M, llvm::ArrayRef<const Expr *> Args,
                                 const Expr *Object) {
  llvm::StringRef Name = M.getName();
  Location Holder = toLocation(Object->getType()->isPointerType() ? Paths.pointee(Object) : Paths.lvalue(Object));
  if (Holder.empty())
    return;
  QualType T = M.getThisType()->getPointeeType(), Element = elementType(T);
  if ((Name == "resize" || Name == "assign") && !Args.empty() && Args[0]->getType()->isIntegralOrEnumerationType()) {
    if (!Element.isNull() && Paths.integer(Args[0]).asConstant() != 0) {
      fresh(Holder, Element, Args[0], Name.str(), Call->getExprLoc());
      if (Args.size() > 1)
        rows(Holder, Element, Args[1], Call->getExprLoc(), Paths.integer(Args[0]));
    }
  } else if (Name == "reserve" && Args.size() == 1) {
    if (!Element.isNull())
      fresh(Holder, Element, Args[0], "", Call->getExprLoc(), /*Reserves=*/true);
  } else if (Name == "push_back" || Name == "emplace_back") {
    appended(Call, std::move(Holder), Element, Args);
  } else if (Name == "reset" && !Args.empty() && isOwner(T)) {
    give(Holder, Args[0]->getType(), Args[0], Call->getExprLoc());
  } else if (Name == "swap" && Args.size() == 1) {
    swap(Holder, toLocation(Paths.lvalue(Args[0])), Call);
  }
}

// One more element, which is what the call is given or constructs of its arguments.
void TouchBuilder::appended(const Expr *Call, Location Holder, QualType Element, llvm::ArrayRef<const Expr *> Args) {
  if (Element.isNull())
    return;
  Holder.push_back("*");
  const QualType Given = Args.size() == 1 ? Args[0]->getType().getNonReferenceType() : QualType();
  if (!Given.isNull() && (Ctx.hasSameUnqualifiedType(Given, Element) || (isOwner(Element) && isOwner(Given))))
    return give(std::move(Holder), Element, Args[0], Call->getExprLoc());
  if (!Given.isNull() && isOwner(Element) && Given->isPointerType())
    return give(std::move(Holder), Given, Args[0], Call->getExprLoc());
  const CXXConstructorDecl *Made = constructorFor(Element->getAsCXXRecordDecl(), Args.size());
  if (!Made)
    return;
  TouchEvent E;
  E.K = TouchEvent::Call;
  E.Callee = Ids.of(Made);
  E.InLoop = !Loops.empty();
  TouchEvent::Argument This;
  This.Where = std::move(Holder);
  This.Reference = true;
  E.Arguments.push_back(std::move(This));
  for (unsigned I = 0; I < Args.size(); ++I)
    E.Arguments.push_back(argument(Args[I], Made->getParamDecl(I)->getType()));
  add(std::move(E), Call->getExprLoc());
}

// posix_memalign(&p, alignment, size)
void TouchBuilder::aligned(const Expr *Call, llvm::ArrayRef<const Expr *> Args) {
  Location Holder = toLocation(Paths.pointee(Args[0]));
  if (Holder.empty())
    return;
  TouchEvent E;
  E.K = TouchEvent::Allocate;
  E.Name = lastName(Holder);
  E.Object = std::move(Holder);
  size(Paths.integer(Args[2]), 1, E);
  add(std::move(E), Call->getExprLoc());
}

bool TouchBuilder::libraryCall(const Expr *Call, const FunctionDecl *F, llvm::ArrayRef<const Expr *> Args,
                               const Expr *Object) {
  if (!F || !F->getIdentifier())
    return false;
  llvm::StringRef Name = F->getName();
  if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && Object && PathResolver::isContainer(Object->getType())) {
    containerCall(Call, *M, Args, Object);
    return true;
  }
  if (!F->isExternC() && !F->isInStdNamespace())
    return false;
  if (PathResolver::isAllocation(Call) || Name == "free" || Name == "munmap")
    return true;
  if (Name == "posix_memalign" && Args.size() == 3) {
    aligned(Call, Args);
    return true;
  }
  if (Name == "swap" && Args.size() == 2) {
    if (Args[0]->getType()->isPointerType() || PathResolver::isContainer(Args[0]->getType()))
      swap(toLocation(Paths.lvalue(Args[0])), toLocation(Paths.lvalue(Args[1])), Call);
    return true;
  }
  if ((Name == "memset" || Name == "memcpy" || Name == "memmove") && Args.size() == 3)
    return wholeWrite(Call, Args[0], Args[2], 1);
  if (Name == "bzero" && Args.size() == 2)
    return wholeWrite(Call, Args[0], Args[1], 1);
  return F->isInStdNamespace() && algorithm(Call, Name, Args);
}

// Algorithms of the C++ library that write whole ranges.
bool TouchBuilder::algorithm(const Expr *Call, llvm::StringRef Name, llvm::ArrayRef<const Expr *> Args) {
  if ((Name == "fill" || Name == "iota") && Args.size() >= 3)
    return wholeWrite(Call, Args[0], nullptr, 0);
  if (Name == "fill_n" && Args.size() >= 3)
    return wholeWrite(Call, Args[0], Args[1], 0);
  if (Name == "copy" && Args.size() == 3)
    return wholeWrite(Call, Args[2], nullptr, 0);
  if (Name == "copy_n" && Args.size() == 3)
    return wholeWrite(Call, Args[2], Args[1], 0);
  return false;
}

bool TouchBuilder::swap(Location A, Location B, const Expr *At) {
  if (A.empty() || B.empty())
    return true;
  TouchEvent E;
  E.K = TouchEvent::Swap;
  E.Object = std::move(A);
  E.Other = std::move(B);
  add(std::move(E), At->getExprLoc());
  return true;
}

// Whether a call writes one plane of an array of planes of rows, of which each is behind a pointer: its count has fewer
// factors than that, the size of an element left out.
bool TouchBuilder::isOnePlane(const ObjectPath &P, const Poly &Count, std::int64_t Size) const {
  const auto Field = std::find_if(P.Steps.rbegin(), P.Steps.rend(), [](const ObjectPath::Step &S) { return S.Field; });
  if (Count.asConstant() ||
      std::any_of(P.Steps.rbegin(), Field, [&](const ObjectPath::Step &S) { return dependsOnLoops(S.Index); }))
    return false;
  std::int64_t Largest = 0;
  for (const auto &[Factors, Times] : Count.terms())
    if (Factors.size() == Count.degree())
      Largest = std::max(Largest, Times);
  // One factor behind two pointers is what *out = malloc(…) gives to a caller.
  const std::size_t Dimensions = Count.degree() + (Largest > Size);
  return Dimensions > 1 && Dimensions < std::size_t(std::distance(P.Steps.rbegin(), Field));
}

// A call that writes a whole array. Each is the size of what Count counts; 0 for elements.
bool TouchBuilder::wholeWrite(const Expr *Call, const Expr *To, const Expr *Count, std::int64_t Each) {
  ObjectPath P = Paths.pointee(To);
  Location L = objectOf(P);
  if (L.empty())
    return true;
  TouchEvent E;
  E.K = By == Runs::Serial ? TouchEvent::Fill : By == Runs::One ? TouchEvent::Foreign : TouchEvent::TeamWrite;
  E.Object = std::move(L);
  E.Name = nameOf(P);
  if (const auto *C = dyn_cast<CallExpr>(Call); E.K == TouchEvent::Fill && C && C->getDirectCallee())
    if (llvm::StringRef Callee = C->getDirectCallee()->getName(); Callee == "memset" || Callee == "bzero") {
      E.Implicit = true;
      E.Writer = Callee.str();
    }
  if (Count) {
    Poly N = Paths.integer(Count);
    const QualType Pointer = To->IgnoreParenCasts()->getType();
    if (isOnePlane(P, N, Each && Pointer->isPointerType() ? sizeOf(Pointer->getPointeeType()) : 1))
      return true;
    if (!Each) {
      QualType T = To->getType()->isPointerType() ? To->getType()->getPointeeType() : QualType();
      Each = T.isNull() ? 0 : sizeOf(T);
    }
    if (std::optional<std::int64_t> C = N.asConstant(); C && Each)
      E.Bytes = *C * Each;
    std::vector<std::string> Factors;
    if (factors(N, Factors))
      E.Sizes = std::move(Factors);
  }
  // Part by part in a loop, with parts of constant size: how much in all is not known.
  if (E.Bytes >= 0 && dependsOnPath(P))
    E.Bytes = -1;
  if (dependsOnPath(P))
    E.Sizes.clear();
  E.Range = Call->getSourceRange();
  add(std::move(E), Call->getBeginLoc());
  return true;
}

bool TouchBuilder::dependsOnPath(const ObjectPath &P) const {
  return llvm::any_of(P.Steps, [&](const ObjectPath::Step &S) { return S.isElement() && dependsOnLoops(S.Index); });
}

} // namespace stridewise
