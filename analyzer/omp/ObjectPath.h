// Which memory an expression names, in terms of the source: a variable, then fields and elements, the elements with
// their index as a polynomial over variables. References, pointers that are set once, accessors and operator[] are seen
// through, so that `mesh_cell(mesh, x, y)[k]`, `mesh->cells[(x * h + y) * 9 + k]` and `m.at(x, y, k)` are alike.
#ifndef STRIDEWISE_OMP_OBJECTPATH_H
#define STRIDEWISE_OMP_OBJECTPATH_H

#include "omp/UnitFunctions.h"
#include "unit/Polynomial.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stridewise {

/// Indices as the source computes them.
using SymbolId = unsigned;
using Poly = Polynomial<SymbolId>;

struct ObjectPath {
  enum RootKind { Unknown, Variable, This, Result, Literal };
  struct Step {
    const clang::FieldDecl *Field = nullptr; // null: an element
    Poly Index;
    bool Embedded = false; // element of an array that lies inside the object so far, not behind a pointer
    bool isElement() const { return !Field; }
  };
  RootKind Root = Unknown;
  const clang::VarDecl *Var = nullptr; // of a Variable
  const clang::Expr *From = nullptr;   // the call or new-expression of a Result, the expression otherwise
  std::vector<Step> Steps;

  bool isPlainVariable() const { return Root == Variable && Steps.empty(); }
  /// Number of elements reached through a pointer or container on the way.
  unsigned hops() const;
};

/// What a symbol stands for.
struct SymbolInfo {
  std::string Key;                     // equal keys are the same value, unless something it reads is written between
  const clang::VarDecl *Var = nullptr; // a variable's value
  std::optional<ObjectPath> Loaded;    // a value read from memory
  std::set<SymbolId> Inputs;           // what an opaque value is computed from
  bool Opaque = false;                 // neither of the above
};

/// The range of an integer counter that goes from Begin, while below End, by a constant Step (negative: while above).
struct CounterRange {
  const clang::VarDecl *Counter = nullptr;
  Poly Begin, End;
  std::int64_t Step = 1;
  bool sameTrips(const CounterRange &O) const { return Step == O.Step && End - Begin == O.End - O.Begin; }
  /// Number of iterations, when constant.
  std::optional<std::int64_t> trips() const;
};

/// What a call of a class of the standard library means for the memory of its object.
enum class ContainerCall { None, Element, Pointer, Size, Resize };

class PathResolver {
public:
  PathResolver(clang::ASTContext &Ctx, const UnitFunctions &Unit) : Ctx(Ctx), Unit(Unit) {}

  ObjectPath lvalue(const clang::Expr *E);
  /// What a pointer expression points at.
  ObjectPath pointee(const clang::Expr *E);
  /// What lies so many elements behind that.
  ObjectPath pointeeAt(const clang::Expr *E, const Poly &Elements);
  Poly integer(const clang::Expr *E);
  std::optional<CounterRange> range(const clang::Stmt *Loop);
  /// The element that the variable of a range-based loop stands for.
  ObjectPath rangeElement(const clang::CXXForRangeStmt *S, Poly Index);

  SymbolId intern(SymbolInfo Info);
  /// The number of the thread that runs the code.
  SymbolId threadNumber();
  /// The number of an iteration, from 0; `Range` holds what the loop's bounds are computed from.
  SymbolId counter(std::string Key, const Poly &Range);
  const SymbolInfo &symbol(SymbolId S) const { return Symbols[S]; }
  /// True when the value rests on S, directly or through what it is computed from.
  bool dependsOn(const Poly &P, SymbolId S) const;
  std::string key(const Poly &P) const;
  std::string key(const ObjectPath &P) const;

  /// The body that a call runs, when it is known and no virtual dispatch is in between.
  static const clang::FunctionDecl *definition(const clang::CallExpr *C);
  /// The expression that a function returns, when that is all it does.
  static const clang::Expr *returned(const clang::FunctionDecl *F);
  static const clang::Expr *object(const clang::CallExpr *C);
  static ContainerCall containerCall(const clang::CallExpr *C);
  /// A class that owns elements: std::vector, std::array, std::unique_ptr<T[]>, …
  static bool isContainer(clang::QualType T);
  static bool isAllocation(const clang::Expr *E);

  /// Lets parameters stand for arguments, `this` for the call's object. Undone by leave().
  void enter(const clang::FunctionDecl *F, llvm::ArrayRef<const clang::Expr *> Args, const clang::Expr *Object,
             std::optional<ObjectPath> This = std::nullopt);
  void leave();
  bool isActive(const clang::FunctionDecl *F) const;
  std::size_t depth() const { return Frames.size(); }
  void bind(const clang::VarDecl *V, Poly P);
  void bind(const clang::VarDecl *V, ObjectPath Target);
  void unbind(const clang::VarDecl *V);
  /// What memory holds where nothing else says so: asked for each value that is loaded from there. Another value makes
  /// it unknown again.
  void hold(const ObjectPath &Where, Poly Value);
  void hold(const ObjectPath &Where, ObjectPath Target);
  void forget(const ObjectPath &Where);

private:
  struct Binding {
    std::optional<Poly> Value;
    std::optional<ObjectPath> Target; // of a reference: the object; of a pointer: what it points at
  };
  struct Frame {
    const clang::FunctionDecl *F;
    std::optional<ObjectPath> This;
    std::vector<std::pair<const clang::VarDecl *, std::optional<Binding>>> Saved;
  };
  const Binding *binding(const clang::VarDecl *V);
  /// Enters the function that a call runs, and gives what it returns, where that is all it does; else null.
  const clang::Expr *enterReturned(const clang::CallExpr *C);
  template <typename Result>
  Result through(const clang::CallExpr *C, Result (PathResolver::*What)(const clang::Expr *), Result Otherwise) {
    const clang::Expr *Value = enterReturned(C);
    if (!Value)
      return Otherwise;
    Result R = (this->*What)(Value);
    leave();
    return R;
  }
  ObjectPath variable(const clang::DeclRefExpr *D);
  ObjectPath member(const clang::MemberExpr *M);
  ObjectPath containerElement(const clang::CallExpr *C);
  ObjectPath castPointer(const clang::CastExpr *C);
  ObjectPath loadedPointer(const clang::Expr *From);
  ObjectPath computedPointer(const clang::BinaryOperator *B);
  ObjectPath returnedPointer(const clang::CallExpr *C);
  ObjectPath chosenPointer(const clang::AbstractConditionalOperator *C);
  Poly castInteger(const clang::CastExpr *C);
  Poly computedInteger(const clang::BinaryOperator *B);
  Poly returnedInteger(const clang::CallExpr *C);
  std::optional<Poly> knownValue(const clang::VarDecl *V);
  Poly loadedInteger(const clang::Expr *E);
  std::optional<std::int64_t> stepOf(const clang::Expr *Inc, const clang::VarDecl *Counter);
  Poly opaque(const clang::Expr *E, std::string Key, llvm::ArrayRef<Poly> From);
  ObjectPath advance(ObjectPath P, const Poly &By);

  clang::ASTContext &Ctx;
  const UnitFunctions &Unit;
  std::vector<SymbolInfo> Symbols;
  std::map<std::string, SymbolId> ByKey;
  llvm::DenseMap<const clang::VarDecl *, Binding> Bindings;
  std::map<std::string, Binding> Contents; // by the path's key
  std::vector<Frame> Frames;
  static constexpr unsigned MostNested = 12; // initialisers that are looked through
  unsigned Nesting = 0;
};

} // namespace stridewise
#endif
