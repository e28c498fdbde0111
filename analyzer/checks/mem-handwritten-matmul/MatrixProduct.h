// Matrix products written as loops, known by how their three operands move.
//
// In C(i,j) += A(i,k) * B(k,j) each loop leaves exactly one operand where it is: the sum loop k the result, the row
// loop i the right factor, the column loop j the left one. This holds in any order of the loops, for transposed and
// flattened matrices, row tables, accessors, and for a sum kept in a scalar; no other arithmetic moves like it.
#ifndef STRIDEWISE_CHECKS_MEM_HANDWRITTEN_MATMUL_MATRIXPRODUCT_H
#define STRIDEWISE_CHECKS_MEM_HANDWRITTEN_MATMUL_MATRIXPRODUCT_H

#include "loops/Strides.h"
#include "llvm/IR/Instruction.h"
#include <string>
#include <vector>

namespace stridewise {

struct MatrixProduct {
  struct Operand {
    llvm::Instruction *At = nullptr; // load or store
    llvm::Value *Pointer = nullptr;
    const llvm::SCEV *Address = nullptr; // rewritten
    const llvm::SCEV *Array = nullptr;   // equal for operands in one array
  };
  struct Dimension {
    llvm::SmallVector<const llvm::Loop *, 2> Loops; // innermost first; several when an index is spread over loops
    /// Constant number of iterations or an upper bound; 0 when unknown.
    unsigned Extent = 0;
  };
  llvm::Instruction *Multiply = nullptr;
  Operand Result, Left, Right;
  Dimension Row, Column, Sum;
  const llvm::Loop *Inner = nullptr, *Outer = nullptr; // deepest and outermost loop of the product
  unsigned ElementBytes = 0;                           // of one scalar
  bool Floating = false;
  bool Complex = false;    // pairs of scalars
  bool InPlace = false;    // the result overwrites a factor, as in products with a triangular matrix
  bool SameFactor = false; // a matrix times its own transpose
  bool Triangular = false; // the length of the sum depends on the row or the column
  bool HalfFactor = false; // what it multiplies is a triangle of a factor
  bool HalfResult = false; // what it computes is a triangle of the result
  bool Batched = false;    // a loop around it goes on to other matrices
  bool Blocked = false;    // a block of a larger product: loops around it come back to its dimensions
};

/// All matrix products of a function, of whatever size. Of blocked ones only the loops are known. Empty for most
/// functions.
std::vector<MatrixProduct> matrixProducts(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// True when the operand moves by a cache line or more, or by an unknown step, in each iteration of the loop.
bool isStrided(const MatrixProduct::Operand &O, const llvm::Loop *L, StrideEngine &Engine);
/// The operand that is strided in the innermost loop, a factor before the result; null when none is.
const MatrixProduct::Operand *stridedOperand(const MatrixProduct &P, StrideEngine &Engine);
/// "call cblas_dgemm": the library's function for this product; empty when BLAS has none. In Fortran also its own.
std::string libraryCall(const MatrixProduct &P, bool Fortran = false);

} // namespace stridewise
#endif
