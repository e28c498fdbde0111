// What the threads of a region of Fortran read and write, by the text, and whether two of these accesses may meet.
#ifndef STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_FORTRANACCESSES_H
#define STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_FORTRANACCESSES_H

#include "fortran/FortranNames.h"

namespace stridewise {

struct SharedAccess {
  enum Thread { All, Shared, One, Master } By = All;
  std::string Root;                        // of the variable
  std::vector<llvm::StringRef> Path;       // components
  std::vector<llvm::StringRef> Subscripts; // of the last array on the way
  bool Writes = false;
  unsigned At = 0;                             // the statement
  const FortranConstruct *Construct = nullptr; // that shares the loop
  llvm::StringRef Counter, Bounds;             // of that loop
};

class FortranAccesses {
protected:
  explicit FortranAccesses(Unit &U);

  const FortranStatement &at(unsigned K) const { return Text.statements()[K]; }
  /// The block that holds the statement: that around it, where it opens one.
  int holderOf(unsigned K) const;
  /// Whether nothing is handed over at the construct's begin or end.
  static bool isSimple(const FortranConstruct &C);
  /// What stands behind the counter of a DO loop and its sign.
  llvm::StringRef boundsOf(unsigned Loop) const;
  /// The accesses of statements [From, To); Understood is false where one of them may do anything else.
  void collect(unsigned From, unsigned To, std::vector<SharedAccess> &Into);
  void statement(unsigned K, std::vector<SharedAccess> &Into);
  /// Whether two accesses may be of one element, by different threads. NeedsStatic is set where they are not once both
  /// loops have a static schedule.
  bool mayConflict(const SharedAccess &X, const SharedAccess &Y);

  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  const FortranConstruct *Region = nullptr; // to be set before accesses are asked for
  bool Understood = true, NeedsStatic = false;

private:
  bool runs(unsigned K, SharedAccess &A) const;
  static bool isBare(llvm::StringRef T);
  static bool isPlain(llvm::StringRef T);
  void names(llvm::StringRef In, unsigned K, const SharedAccess &By, std::vector<SharedAccess> &Into);
  bool isDeclared(llvm::StringRef Component) const;
  void access(const FortranDesignator &D, unsigned K, SharedAccess A, std::vector<SharedAccess> &Into);
  bool areApart(const SharedAccess &X, const SharedAccess &Y) const;
  bool isSameThread(const SharedAccess &X, const SharedAccess &Y);
  static bool isVector(const SharedAccess &X);
  bool isSteady(llvm::StringRef Bounds);
  bool staysSteady(llvm::StringRef Bounds) const;

  const FortranNames &Names;
  llvm::StringMap<bool> Steady; // by region and bounds
};

} // namespace stridewise
#endif
