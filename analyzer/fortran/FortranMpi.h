// Calls of MPI in flang's code, made those of C: `call mpi_send(a, n, type, …, ierror)` hands over addresses alone, and
// becomes MPI_Send with the numbers that stand there. So the engines of messages read both languages alike.
#ifndef STRIDEWISE_FORTRAN_FORTRANMPI_H
#define STRIDEWISE_FORTRAN_FORTRANMPI_H

#include "llvm/IR/Module.h"

namespace stridewise {

/// Every binding: mpif.h, mpi and mpi_f08 are the same calls with our stand-ins, since none of them has interfaces.
/// Descriptors are to be known as contiguous before (FortranCode.cpp).
void translateMpi(llvm::Module &M);

struct MpiSignature;
/// Of the procedure that a source calls by this name, in lower case; null for what is no call of MPI.
const MpiSignature *fortranMpiCall(llvm::StringRef Name);

/// Whether a buffer is, or may be, a copy of an array section that lives as long as the call. Nothing is known of it.
bool isCopiedBuffer(const llvm::Value *Buffer);

} // namespace stridewise
#endif
