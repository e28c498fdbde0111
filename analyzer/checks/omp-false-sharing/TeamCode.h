// The code of one team, or of a thread that the program starts: every access in it, the loop that it stands in, and
// whether threads share what it touches. Which of its writes stay in their loops after optimisation (SlotFate.cpp), and
// how far apart the threads' elements lie (SlotDistance.cpp).
#ifndef STRIDEWISE_CHECKS_OMP_FALSE_SHARING_TEAMCODE_H
#define STRIDEWISE_CHECKS_OMP_FALSE_SHARING_TEAMCODE_H

#include "checks/omp-false-sharing/SlotWrites.h"
#include "checks/omp-false-sharing/StartedThreads.h"
#include "omp/OmpRegion.h"

namespace stridewise {

class TeamCode : public AccessWalker {
public:
  TeamCode(clang::ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit, const clang::FunctionDecl *F,
           const SlotLimits &Limits)
      : AccessWalker(Ctx, Paths), Unit(Unit), Functions{F}, Limits(Limits), Thread(Paths.threadNumber()) {}
  std::vector<SlotWrite> Found;
  // With `TrustsQueries` a function of another unit is taken to say who calls it: the one that was `Asked`.
  bool TrustsQueries = false, MayAsk = false;
  const clang::FunctionDecl *Asked = nullptr;
  void region(const clang::OMPExecutableDirective &D);
  void orphan(const clang::FunctionDecl *F);
  // What a small function that threads call changes in each call, of the thread's own elements: the state of a
  // generator, a count. Behind `orphan`.
  std::vector<SlotWrite> inEachCall() const;

  // What one of several threads runs: with `Number` those that a loop starts, the counter being their number.
  void started(const ThreadStart &S, bool IsNumbered);

  // A write that threads of one start repeat, to memory that others may share.
  struct Repeated {
    SlotWrite Write;
    std::string Object; // equal for equal objects
    std::int64_t Begin = 0, End = 0;
    std::int64_t Alignment = 1;
  };
  // The writes to fixed places of named objects.
  std::vector<Repeated> repeated();

protected:
  void touched(const clang::Expr *E, ObjectPath P, bool Reads, bool Writes) override;
  void updated(const clang::Expr *E, ObjectPath P, clang::QualType T) override {
    access(E, std::move(P), true, true, Fixed, T);
  }
  void called(const clang::Expr *Call, const clang::FunctionDecl *Callee, llvm::ArrayRef<const clang::Expr *> Args,
              const clang::Expr *Object) override;
  bool walksInto(const clang::Expr *, const clang::FunctionDecl *Body, llvm::ArrayRef<const clang::Expr *>,
                 const clang::Expr *) override;
  void inlined(const clang::FunctionDecl *Body) override;
  void declared(const clang::VarDecl *V) override;
  // tid = omp_get_thread_num(), of a variable that was declared before.
  void assigned(const clang::Expr *Target, const clang::VarDecl *Declared, const clang::Expr *Value) override;
  void loop(const clang::Stmt *S) override;
  void branch(const clang::IfStmt *S) override;
  void select(const clang::SwitchStmt *S) override;
  void jump(const clang::Stmt *S) override;
  void strange(const clang::Stmt *S) override;
  void directive(const clang::OMPExecutableDirective *D) override;

private:
  // The branches that code stands in, by numbers of their own, outermost first.
  using ArmPath = llvm::SmallVector<unsigned, 4>;
  // A loop of the team's code; the root stands for the code outside of all loops.
  struct Level {
    const clang::Stmt *S = nullptr;
    Level *Parent = nullptr;
    std::vector<Level *> Inner;
    std::optional<SymbolId> Counter;
    std::optional<std::int64_t> Trips;
    const clang::OMPExecutableDirective *Shared = nullptr;
    bool Jumps = false;         // an iteration may end early
    bool Blocks = false;        // calls code that may read or write any memory
    std::vector<ArmPath> Heavy; // the branches around the calls of something long
    ArmPath Under;              // the branches around the loop
    bool Unknown = false;       // calls code of unknown length
    bool Clock = false;         // asks for the time
    bool Listed = false;        // a table has both ends: a row of a graph or a sparse matrix
    llvm::DenseSet<const clang::VarDecl *> Assigned;
  };
  enum Special { Plain, Fixed, Growth };
  bool asksForThread(const clang::FunctionDecl &Query, const clang::Expr *Value);
  static std::optional<Special> changes(const clang::CXXMethodDecl &M);
  void advances(const clang::FunctionDecl &Generator, llvm::ArrayRef<const clang::Expr *> Args);
  struct Access {
    const clang::Expr *E;
    ObjectPath P;
    clang::QualType Type;
    Level *In;
    bool Reads, Writes, Own, Alone; // Own: memory of the thread; Alone: by one thread
    unsigned Condition;             // number of loops around the innermost branch that it depends on
    ArmPath Under;                  // the branches around it
    Special Kind;
    const clang::FunctionDecl *Function;
  };
  unsigned depth() const;
  static bool within(const Level *L, const Level *Outer);
  void enterLoop(const clang::Stmt *S);
  void leaveLoop() { Current = Current->Parent; }

  // A pointer that each thread has a copy of still points at what all share.
  std::vector<const clang::VarDecl *> makePrivate(const clang::OMPExecutableDirective &D);
  const clang::VarDecl *bindCounter(const CounterRange &R);

  // for (i = tid; i < n; i += threads): the iterations are handed out one by one.
  const clang::VarDecl *strideLoop(const clang::ForStmt *F);
  const clang::VarDecl *rangeLoop(const clang::CXXForRangeStmt *S);
  void sharedLoop(const clang::OMPExecutableDirective &D);

  // tid == 0, or t == tid in a loop over t: no other thread, or no other iteration. Where the counter decides by its
  // remainder, or by what lies in its place, each thread has its turns.
  bool meansOneThread(const clang::Expr *A, const clang::Expr *B) const;

  // if (tid == 0): no other thread runs it.
  bool picksThread(const clang::Expr *Cond);

  // Memory

  // Variables of which each thread has its own.
  bool isOwn(const clang::VarDecl *V) const;
  void access(const clang::Expr *E, ObjectPath P, bool Reads, bool Writes, Special Kind = Plain,
              clang::QualType Type = {});
  enum Length { Brief, Other };
  Length calls(const clang::Expr *Call, const clang::FunctionDecl *F);

  // Judgement

  // The type of the elements that the step `At` chooses among.
  clang::QualType elementAt(const Access &A, std::size_t At) const;
  static const Level *sharedAround(const Level *L);
  bool mentionsShared(const Poly &P, const Level *From) const;
  bool isTeamSize(const clang::Expr *E) const;

  // The next loop outside that the same directive collapses with this one.
  static const Level *collapsedWith(const Level *L);

  // Iterations that are divided among the threads: those of collapsed loops multiply.
  static std::optional<std::int64_t> dividedTrips(const Level *Innermost);

  // How far the element moves over `Iterations` consecutive iterations of collapsed loops; nothing when not known.
  std::optional<std::int64_t> distanceOf(std::int64_t Iterations, const Level *Innermost, const Poly &Index,
                                         std::int64_t Size) const;

  // How many iterations of the shared loop a thread gets in a row: 0 when only the number of all of them is known to
  // be small; nothing when that is not to be known or large. `Apart` says how far apart the elements of two threads
  // are that get such chunks.
  std::optional<std::int64_t> chunk(const Level *L, std::int64_t Distance,
                                    llvm::function_ref<std::optional<std::int64_t>(std::int64_t)> Apart,
                                    bool &Sure) const;

  // Whether compilers take the two types for different memory.
  bool differ(clang::QualType A, clang::QualType B) const;

  // Parts of two declared arrays, reached through no pointer.
  static bool areDistinct(const ObjectPath &A, const ObjectPath &B);
  bool varies(const ObjectPath &P, const Level *L) const;
  bool dependsOnCounters(const Poly &P, const Level *L) const;
  static bool any(const Level *L, bool Level::*What) {
    return L->*What || llvm::any_of(L->Inner, [&](const Level *X) { return any(X, What); });
  }
  enum Fate { Stays, MayStay, Goes };
  // What becomes of a write in the code of loop L at a level of optimisation that moves it.
  Fate fate(const Access &A, const Level *L) const;
  void number();

  // Where in its object a write goes, when all steps behind the last pointer have known offsets.
  bool place(const Access &A, Repeated &R) const;
  void judge();
  void judge(const Access &A);

  // Whether the write stands behind a comparison with what it replaces.
  bool isExtremum(const Access &A) const;

  // That loop, and the row in it that a register serves, if there is one.
  std::pair<Level *, const Level *> homeOf(const Access &A, SlotWrite &W) const;
  // Whether the write stays in a loop and is done often enough.
  bool settle(const Access &A, SlotWrite &W) const;

  // Iterations of the loops inside that run whenever the access does, where they are few; `Doubtful` if others may run.
  // The row of a sparse matrix, or the one that the write leaves by a register, is not counted.
  static std::int64_t work(const Level *L, const ArmPath &With, const Level *Row, bool &Doubtful);
  // A loop of unknown length and little work, from which the compiler takes the write.
  bool isCheapRow(const Level &L) const;
  bool isListed(const CounterRange &R) const;
  const clang::Expr *unmasked(const clang::Expr *Number) const;
  // Whether something long runs in the loop whenever the access does; `Doubtful` if it may run.
  static bool isHeavy(const Level *L, const ArmPath &With, bool &Doubtful);

  // Fills in how neighbouring threads' elements lie. False when they share no lines, or nothing is known.
  bool chooses(const Access &A, SlotWrite &W) const;
  std::optional<std::int64_t> factorOf(const Access &A, std::size_t At, SymbolId Chooser) const;
  // The same for a row of each thread, of which the loop writes elements that data choose. `Size` is that of one.
  bool choosesRow(const Access &A, std::size_t At, std::int64_t Size, SlotWrite &W) const;
  bool isScattered(SymbolId S, const Level *L) const;
  bool isLengthOfRow(const Poly &Row, const Level *L) const;
  bool dividesRows(const Access &A, std::size_t At) const;
  static std::string nameOf(const ObjectPath &P, std::size_t At);

  const UnitFunctions &Unit;
  std::vector<const clang::FunctionDecl *> Functions;
  const SlotLimits &Limits;
  SymbolId Thread;
  const clang::OMPExecutableDirective *Team = nullptr;
  bool IsOrphan = false, OneThread = false;
  Level Root;
  Level *Current = &Root;
  std::vector<std::unique_ptr<Level>> Levels;
  std::vector<Access> Accesses;
  std::vector<unsigned> Element; // of each access: equal for equal paths
  std::vector<unsigned> Arms;    // of the branches around, the number of loops around each
  ArmPath Path;
  unsigned ArmsSeen = 0;
  void arm(const clang::Stmt *S);
  llvm::DenseSet<const clang::VarDecl *> Private;
};

/// The variable that an expression names; null for any other.
const clang::VarDecl *variableOf(const clang::Expr *E);
/// A call of a C function with such a name.
bool isCall(const clang::Expr *E, llvm::function_ref<bool(llvm::StringRef)> Named);

} // namespace stridewise
#endif
