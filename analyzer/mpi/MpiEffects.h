// What code does that other ranks could notice without a message: the reasons why a barrier may be needed.
#ifndef STRIDEWISE_MPI_MPIEFFECTS_H
#define STRIDEWISE_MPI_MPIEFFECTS_H

#include "mpi/MpiFacts.h"
#include <set>

namespace stridewise {

namespace effects {
enum Effect : unsigned {
  Unknown = 1u << 0,    // files, processes, code of other units
  Clock = 1u << 1,      // reads a clock
  Output = 1u << 2,     // to a stream, by any rank
  RankOutput = 1u << 3, // to a stream or a file, by one rank
  Shared = 1u << 4,     // memory that other ranks reach: windows, atomics, MPI-IO, ready sends
  Wildcard = 1u << 5,   // receives or probes that name no source
  Message = 1u << 6,    // any communication
  ToOneRank = 1u << 7,  // sends of which all may go to one rank
  Work = 1u << 8,       // computation
  Meeting = 1u << 9,    // a full synchronisation, of whichever ranks
  Files = 1u << 10,     // files that any rank opens, reads or closes; MpiEffects::of() has them as Unknown
  Atomic = 1u << 11 // atomic or volatile access: Shared where other ranks reach the memory, else a matter of threads
};
} // namespace effects

/// Effects of instructions, through calls of functions that the unit defines.
class MpiEffects {
public:
  explicit MpiEffects(Unit &U) : U(U) {}
  /// Bits of effects::Effect. `In` holds the facts of the instruction's function.
  unsigned of(const llvm::Instruction &I, MpiFunction &In);

  /// The same with functions of other units apart: their names instead of effects::Unknown.
  struct Apart {
    unsigned Bits = 0;
    std::set<std::string> Foreign;
    std::set<std::string> Alone; // of Foreign, those that rank 0 of all calls, and no other
    void add(const std::string &Name, bool OneRank);
    void add(const Apart &Other);
  };
  void add(const llvm::Instruction &I, MpiFunction &In, Apart &To) { add(I, In.function(), To); }
  void add(const llvm::Instruction &I, llvm::Function &In, Apart &To);
  const Apart &of(llvm::Function &F);

private:
  void addCall(const llvm::CallBase &C, llvm::Function &Callee, llvm::Function &In, Apart &To);
  unsigned of(const MpiSite &S, MpiFunction &In);
  Unit &U;
  std::map<const llvm::Function *, Apart> Summaries;
};

/// What is left of effects where rank 0 of all has them alone: program order orders its files and its output.
unsigned ofOneRank(unsigned Bits);
/// Whether rank 0 of all comes to the instruction, and no other.
bool isOfOneRank(const llvm::Instruction &I, llvm::Function &In, Unit &U);
/// A function's name among those of all units.
std::string linkName(const llvm::Function &F);
/// What stands for the functions that a call through a pointer may come to: those of its type of which some address is
/// taken, wherever they are.
std::string pointerName(const llvm::FunctionType &Type);

} // namespace stridewise
#endif
