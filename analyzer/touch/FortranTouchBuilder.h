// Reads the facts of touch/FirstTouch.h from the statements of one procedure: private to the files FortranTouch*.cpp.
//
// Every array is what the variable or component that names it points at: [root, ".component", "*"], whether it is
// allocatable, a pointer or has memory of its own, which users in other files cannot tell. Elements of arrays of
// derived types are one.
#ifndef STRIDEWISE_TOUCH_FORTRANTOUCHBUILDER_H
#define STRIDEWISE_TOUCH_FORTRANTOUCHBUILDER_H

#include "fortran/FortranNames.h"
#include "prices.h"
#include "touch/FirstTouch.h"
#include "unit/Unit.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace stridewise {

class FortranTouchBuilder {
public:
  FortranTouchBuilder(Unit &U, const FortranNames &Names, TouchSilencer Suppressed, FunctionTouches &Out);
  void run(int Procedure);

  /// The factors of a number of elements, one for each dimension of no constant size; nothing where one is unknown.
  class Factors {
  public:
    void add(llvm::StringRef Dimension);
    std::vector<std::string> known() const { return Known ? Names : std::vector<std::string>(); }

  private:
    std::vector<std::string> Names;
    bool Known = true;
  };
  /// The allocation of a variable that has memory of its own; nothing for others.
  static std::optional<TouchEvent> inPlace(const FortranVariable &V, llvm::StringRef Name, Unit &U);

private:
  struct Loop {
    unsigned Statement = 0, End = 0;
    llvm::StringRef Counter, First, Last, Step; // of a DO loop over numbers
    int Block = -1;
    bool Shared = false;
  };
  // An array that a statement names.
  struct Array {
    Location Where;                          // the array
    Location Holder;                         // what points at it
    FortranVariable Variable;                // of the designator's first name
    llvm::StringRef Base, Name;              // the first name, the array's own
    std::vector<llvm::StringRef> Subscripts; // empty for a whole array
    std::vector<std::string> Extents;        // as declared, where known
    bool Record = false;                     // components of its elements follow
    bool IsWhole() const;
    llvm::StringRef Text;
  };

  // Statements: FortranTouches.cpp

  void statement(unsigned K);
  void findThreads(unsigned K);
  void findLoops(unsigned K);
  void arms(unsigned K);
  void allocate(llvm::StringRef List);
  void call(llvm::StringRef Call);
  TouchEvent::Argument argument(llvm::StringRef Text);
  void assigned(const FortranAssignment &A);
  void pointer(llvm::StringRef Target, llvm::StringRef Value);
  void input(llvm::StringRef Statement);
  void reads(llvm::StringRef Text);
  void functions(llvm::StringRef Text);
  bool isPassedInPart(const Array &A) const;
  std::optional<Loop> loop(int Block) const;
  std::optional<Array> array(const FortranDesignator &D, bool Deep = false) const;
  Location place(const FortranDesignator &D, std::size_t Parts) const;

  // Accesses: FortranTouchAccesses.cpp

  struct Sweep {
    int Outermost = -1; // loop
    std::int64_t Bytes = -1;
    Factors Sizes;
    std::vector<std::string> From;
    bool Counted = false; // by a number that is counted up, not by a loop's own
  };
  void serialWrite(const Array &A, llvm::StringRef Value);
  bool covers(const Array &A, Sweep &S) const;
  bool coversDimension(const Array &A, std::size_t Dimension, Sweep &S, std::int64_t &Elements) const;
  bool startsAtFirst(const Array &A, std::size_t Dimension, const Loop &L, Sweep &S) const;
  int walkedBy(llvm::StringRef Subscript) const;
  int countedFrom(llvm::StringRef Subscript) const;
  bool isAlways(const Loop *Outermost) const;
  void sharedUse(const Array &A, bool Writes, bool Updates);
  bool followsTeam(const Array &A) const;
  bool follows(const Array &A, const Loop &L) const;
  bool isPlaceable(const Array &A, const Loop &L) const;
  unsigned dimensions(const Array &A) const;
  void compareUses();
  void indexLists(const Array &A);
  bool namesLoop(llvm::StringRef Subscript, llvm::StringRef Counter) const;
  std::optional<std::int64_t> trips(const Loop &L) const;
  const Loop *sharedLoop() const;

  void add(TouchEvent::Kind K, Location L);
  void add(TouchEvent E, clang::SourceRange At);
  bool isPrivate(llvm::StringRef Name) const;
  clang::SourceRange header(unsigned Statement) const;

  Unit &U;
  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  const FortranNames &Names;
  TouchSilencer Suppressed;
  FunctionTouches &Out;

  // Of the statement that is read.
  unsigned Now = 0;
  Runs By = Runs::Serial;
  bool InTeam = false, Dealt = false, WorkShare = false, Conditional = false;
  std::vector<Loop> Loops; // outermost first
  std::vector<std::pair<unsigned, unsigned>> Arms;

  llvm::DenseMap<int, unsigned> ArmOf;   // by block
  llvm::DenseSet<int> Exhaustive;        // branches of which some arm always runs
  llvm::DenseSet<unsigned> Inputs;       // statements that read data from outside
  llvm::StringMap<std::string> Followed; // what variables are set to in the shared loop that they stand in
  unsigned FollowedIn = 0;
  llvm::StringMap<std::vector<std::string>> Shapes; // of what the procedure has allocated, by holder
  llvm::StringSet<> Said;
};

} // namespace stridewise
#endif
