// Reads the facts of touch/FirstTouch.h from the body of one function: private to the files FirstTouch*.cpp, each of
// which has one subject.
#ifndef STRIDEWISE_TOUCH_FIRSTTOUCHBUILDER_H
#define STRIDEWISE_TOUCH_FIRSTTOUCHBUILDER_H

#include "omp/OmpRegion.h"
#include "prices.h"
#include "touch/FirstTouch.h"
#include "unit/Unit.h"
#include "clang/AST/Mangle.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace stridewise {

constexpr std::int64_t PageBytes = prices::PageBytes;

/// Names of functions and variables that are the same in all units that mean the same.
class TouchNames {
public:
  explicit TouchNames(clang::ASTContext &Ctx);
  std::string of(const clang::NamedDecl *D);
  /// What runs for a call of the method: itself, or the only one of the unit's that implements it.
  const clang::FunctionDecl *implementation(const clang::FunctionDecl *F, const UnitFunctions &Unit);

private:
  llvm::DenseMap<const clang::CXXMethodDecl *, llvm::SmallVector<const clang::FunctionDecl *, 1>> Implementations;
  bool Searched = false;
  clang::ASTContext &Ctx;
  clang::ASTNameGenerator Generator;
  std::string Main;
  llvm::DenseMap<const clang::Decl *, std::string> Known;
};

/// Of a pointer of the unit's own that is given memory of a known size before `main`, and keeps it: an array but for
/// its type.
std::optional<TouchEvent> allocatedAtTheStart(const clang::VarDecl &V, TouchNames &Ids, UnitFunctions &Unit,
                                              clang::ASTContext &Ctx);

class TouchBuilder : public AccessWalker {
public:
  TouchBuilder(clang::ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit, TouchNames &Ids,
               TouchSilencer Suppressed, FunctionTouches &Out)
      : AccessWalker(Ctx, Paths), Unit(Unit), Ids(Ids), Suppressed(Suppressed), Out(Out) {}
  void run(const clang::FunctionDecl *F);

protected:
  void called(const clang::Expr *Call, const clang::FunctionDecl *Callee, llvm::ArrayRef<const clang::Expr *> Args,
              const clang::Expr *Object) override;
  bool walksInto(const clang::Expr *Call, const clang::FunctionDecl *Body, llvm::ArrayRef<const clang::Expr *> Args,
                 const clang::Expr *Object) override;
  void assigned(const clang::Expr *Target, const clang::VarDecl *Declared, const clang::Expr *Value) override;
  void declared(const clang::VarDecl *V) override;
  void loop(const clang::Stmt *S) override;
  void branch(const clang::IfStmt *S) override;
  void select(const clang::SwitchStmt *S) override;
  void label(const clang::SwitchCase *S) override;
  void jump(const clang::Stmt *S) override;
  void strange(const clang::Stmt *S) override;
  void directive(const clang::OMPExecutableDirective *D) override;
  void touched(const clang::Expr *E, ObjectPath P, bool Reads, bool Writes) override;

private:
  struct Loop {
    const clang::Stmt *S = nullptr;
    std::optional<CounterRange> Range;
    std::optional<SymbolId> Counter;
    bool Shared = false;
    bool Input = false; // reads data from outside
    bool Once = false;  // what is walked runs in one of its iterations: if (i == rank)
    std::size_t ArmsAround = 0;
  };
  struct Arm {
    unsigned Branch, Arm;
    bool Exhaustive; // some arm always runs
  };

  // Loops, branches and constructs, calls of the user's functions: FirstTouchFacts.cpp

  std::optional<bool> decided(const clang::Expr *Cond) const;
  bool picksOne(const clang::Expr *Cond);
  bool isRepeated() const;
  void follow(const clang::Expr *Target, const clang::Expr *Value);
  void unfollow(std::size_t From);
  /// Whether a statement gives the variable another value than one step more or less.
  bool isGiven(const clang::VarDecl *V, const clang::Stmt *In) const;
  void unfollowChanged(const clang::Stmt *In);
  void sharedNest(const clang::OMPExecutableDirective &D, const clang::Stmt *Body);
  void bindCounters(const clang::ForStmt *F, const CounterRange &R, SymbolId Counter,
                    std::vector<const clang::VarDecl *> &Bound);
  TouchEvent::Argument argument(const clang::Expr *A, clang::QualType T);
  TouchEvent::Argument object(const clang::Expr *Call, const clang::FunctionDecl *Callee, const clang::Expr *Object,
                              bool Made);
  void passesElements(llvm::ArrayRef<const clang::Expr *> Args);
  void readsInput(const clang::Expr *Call, llvm::ArrayRef<const clang::Expr *> Args);
  static bool isLambda(const clang::Expr *A);
  void spoilCaptures(const clang::Expr *A);
  static bool receives(const clang::Expr *A);

  // What a team uses: FirstTouchTeams.cpp

  bool dependsOnLoops(const Poly &P) const;
  bool followsTeam(const ObjectPath &P) const;
  void indexLists(const ObjectPath &P);
  std::int64_t bytesPerIteration(const ObjectPath &P, clang::QualType Type) const;
  unsigned dimensions(const ObjectPath &P) const;
  bool isPlaceable(const ObjectPath &P, clang::QualType Type) const;
  enum class Access { Some, Overwrites, Updates };
  void teamUse(const ObjectPath &P, Location L, Access How = Access::Some, bool List = false, std::int64_t Bytes = 0);
  void compareUses();

  // Serial writes that cover an array: FirstTouchWrites.cpp

  bool startsInside(const ObjectPath &P) const;
  bool startsOf(const ObjectPath &P, std::vector<std::string> &Into) const;
  static std::string nameOfStart(const Poly &Start, const PathResolver &Paths);
  bool coversAllocation(const Location &L, const Poly &Elements, std::int64_t Size) const;
  /// What the loops around a write cover of the array.
  struct Sweep {
    const Loop *Outermost = nullptr; // that moves the index
    std::optional<std::int64_t> Elements = 1;
    std::int64_t Stride = std::numeric_limits<std::int64_t>::max(); // bytes, the smallest
    std::vector<std::string> Factors;                               // of the number of elements
    bool FactorsKnown = true;
    Poly Count = Poly::constant(1);
  };
  Sweep sweepOf(const ObjectPath &P, std::int64_t Size);
  void serialWrite(const clang::Expr *E, const ObjectPath &P, Location L);
  bool walks(const ObjectPath &P, std::int64_t Size) const;
  static clang::SourceLocation forHeaderEnd(const clang::Stmt *S);
  bool factors(const Poly &P, std::vector<std::string> &Into) const;
  bool libraryCall(const clang::Expr *Call, const clang::FunctionDecl *F, llvm::ArrayRef<const clang::Expr *> Args,
                   const clang::Expr *Object);
  void containerCall(const clang::Expr *Call, const clang::CXXMethodDecl &M, llvm::ArrayRef<const clang::Expr *> Args,
                     const clang::Expr *Object);
  void appended(const clang::Expr *Call, Location Holder, clang::QualType Element,
                llvm::ArrayRef<const clang::Expr *> Args);
  void aligned(const clang::Expr *Call, llvm::ArrayRef<const clang::Expr *> Args);
  bool algorithm(const clang::Expr *Call, llvm::StringRef Name, llvm::ArrayRef<const clang::Expr *> Args);
  bool swap(Location A, Location B, const clang::Expr *At);
  bool wholeWrite(const clang::Expr *Call, const clang::Expr *To, const clang::Expr *Count, std::int64_t Each);
  bool isOnePlane(const ObjectPath &P, const Poly &Count, std::int64_t Size) const;
  bool dependsOnPath(const ObjectPath &P) const;

  // Where pointers and objects come from: FirstTouchAllocations.cpp

  void give(Location Holder, clang::QualType T, const clang::Expr *Value, clang::SourceLocation At);
  void initList(const Location &Holder, clang::QualType T, const clang::InitListExpr *Init, clang::SourceLocation At);
  bool container(const Location &Holder, clang::QualType T, const clang::Expr *Value, clang::SourceLocation At,
                 const Poly &Times = Poly::constant(1));
  bool madeByCall(const Location &Holder, clang::QualType T, const clang::CallExpr &C, clang::SourceLocation At);
  bool constructed(const Location &Holder, clang::QualType T, const clang::CXXConstructExpr *C,
                   clang::SourceLocation At, const Poly &Times);
  clang::QualType elementType(clang::QualType T) const;
  static bool isOwner(clang::QualType T);
  static bool isArrayOwner(clang::QualType T);
  static const clang::CXXConstructorDecl *constructorMade(const clang::CallExpr *C);
  static const clang::CXXConstructorDecl *constructorFor(const clang::CXXRecordDecl *R, unsigned Arguments);
  static std::string constructorOf(clang::QualType T);
  void rows(const Location &Holder, clang::QualType Element, const clang::Expr *Value, clang::SourceLocation At,
            const Poly &Count);
  void fresh(const Location &Holder, clang::QualType Element, const clang::Expr *Count, const std::string &Writer,
             clang::SourceLocation Place, bool Reserves = false, const Poly &Times = Poly::constant(1));
  void implicitFill(TouchEvent Fill, std::string Writer, clang::SourceLocation At);
  void size(const Poly &Count, std::int64_t Each, TouchEvent &E) const;
  void allocate(Location Holder, const clang::Expr *V, clang::SourceLocation At);
  void initializer(const clang::CXXCtorInitializer *I);
  std::optional<TouchEvent> inPlace(const clang::VarDecl *V, Location L, std::string Name) const;

  // Names of places, and events: FirstTouchPlaces.cpp

  std::string root(const clang::VarDecl *V);
  std::string temporary(const clang::Expr *E);
  Location toLocation(const ObjectPath &P, std::size_t Steps = ~std::size_t(0));
  Location objectOf(const ObjectPath &P);
  static std::string nameOf(const ObjectPath &P);
  std::string lastName(const Location &Holder) const;
  std::int64_t sizeOf(clang::QualType T) const;
  void add(TouchEvent::Kind K, Location L, clang::SourceLocation At);
  void add(TouchEvent E, clang::SourceLocation At);
  std::uintptr_t loopKey() const;
  unsigned armKey() const;

  // State

  const UnitFunctions &Unit;
  TouchNames &Ids;
  TouchSilencer Suppressed;
  FunctionTouches &Out;
  const clang::FunctionDecl *Function = nullptr;
  Runs By = Runs::Serial;
  bool InTeam = false, NextIsShared = false;
  bool Dealt = false; // the shared loop's iterations go to threads as they come for them
  std::vector<Loop> Loops;
  std::vector<Arm> Arms;
  std::optional<unsigned> Switch;
  llvm::DenseSet<const clang::VarDecl *> TeamLocals;
  llvm::DenseMap<const clang::VarDecl *, unsigned> Locals;
  llvm::StringMap<const clang::VarDecl *> Globals; // by the name of their place
  llvm::DenseMap<const clang::Expr *, unsigned> Temporaries;
  llvm::StringSet<> Said;
  std::vector<const clang::VarDecl *> Followed;           // local variables whose present value is known
  std::map<Location, std::optional<Poly>> AllocatedBytes; // by holder; nothing where the allocations differ
  // By shared loop: uses as indices of events, with the bytes from one iteration's elements to the next one's.
  llvm::DenseMap<const clang::Stmt *, std::vector<std::pair<std::size_t, std::int64_t>>> Moves;
  unsigned LastLoop = 0, LastBranch = 0;
  static constexpr unsigned MostWalked = 200; // bodies of functions that are walked where they are called
  unsigned Walked = 0;
};

} // namespace stridewise
#endif
