#include "checks/mem-handwritten-matmul/LibraryRoutines.h"
#include "thresholds.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <cctype>

using namespace clang;
using stridewise::limits::mem_handwritten_matmul::MinProductParameters;
using stridewise::limits::mem_handwritten_matmul::MinRoutineParameters;

namespace stridewise {
namespace {

// The routines of level 3 and 2 that multiply matrices, without the letter of the element type.
bool isBlas(llvm::StringRef Stem) {
  static const llvm::StringSet<> Names = {"gemm",  "gemm3m", "gemmt", "symm",  "hemm",  "syrk", "herk", "syr2k",
                                          "her2k", "trmm",   "trsm",  "gemv",  "symv",  "hemv", "trmv", "trsv",
                                          "geru",  "gerc",   "syr",   "her",   "syr2",  "her2", "gbmv", "getrf",
                                          "getf2", "getrs",  "potrf", "potf2", "geqrf", "larfb"};
  return Names.contains(Stem);
}

bool isLetter(char C) { return C == 's' || C == 'd' || C == 'c' || C == 'z'; }

// A product of matrices takes their sizes, leading dimensions and scales; nothing with fewer arguments stands in for
// it.
unsigned leastParameters(llvm::StringRef Stem) {
  const bool Product = Stem.ends_with("mm") || Stem.ends_with("mm3m") || Stem.ends_with("mmt") ||
                       Stem.ends_with("rk") || Stem.ends_with("r2k") || Stem == "trsm";
  return Product ? MinProductParameters : MinRoutineParameters;
}

// One word of a name: a routine, or what LAPACK's scheme allows where the compiler of Fortran left its underscore. A
// name with other words beside may be the program's own.
bool namesRoutine(llvm::StringRef Name, unsigned Parameters) {
  std::string Lower = Name.lower();
  llvm::StringRef All = Lower;
  bool Fortran = All.ends_with("_");
  llvm::SmallVector<llvm::StringRef, 4> Words;
  All.split(Words, '_', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Word : Words)
    if (Word.size() > 3 && isLetter(Word[0]) && isBlas(Word.drop_front()) &&
        (Words.size() == 1 || Parameters >= leastParameters(Word.drop_front())))
      return true;
  if (!Fortran || Words.size() != 1 || Words[0].size() < 5 || Words[0].size() > 6 || !isLetter(Words[0][0]))
    return false;
  static const llvm::StringSet<> Matrices = {"ge", "gb", "gt", "gg", "po", "pp", "pb", "pt", "sy",
                                             "sp", "sb", "he", "hp", "hb", "hs", "tr", "tp", "tb",
                                             "tg", "or", "op", "un", "up", "bd", "la", "st"};
  return Matrices.contains(Words[0].substr(1, 2));
}

// Six sizes, three matrices and a scale factor, by value or, as from Fortran, by address.
bool hasBlasParameters(const FunctionDecl &F) {
  unsigned Sizes = 0, Matrices = 0, Scales = 0;
  for (const ParmVarDecl *P : F.parameters()) {
    QualType T = P->getType().getNonReferenceType();
    QualType At = T->isPointerType() ? T->getPointeeType() : T;
    if (At->isRealFloatingType() || At->isAnyComplexType())
      ++(T->isPointerType() ? Matrices : Scales);
    else if (At->isIntegerType() && !At->isAnyCharacterType() && !At->isBooleanType())
      ++Sizes;
  }
  return Sizes >= 6 && Matrices >= 3 && (Scales > 0 || Matrices >= 5);
}

// The types that f2c gives Fortran's.
bool isTranslated(const FunctionDecl &F) {
  unsigned Translated = 0;
  for (const ParmVarDecl *P : F.parameters())
    if (const auto *Pointer = P->getType()->getAs<PointerType>())
      if (const auto *Name = Pointer->getPointeeType()->getAs<TypedefType>()) {
        llvm::StringRef Type = Name->getDecl()->getName();
        Translated += Type == "integer" || Type == "doublereal" || Type == "real" || Type == "doublecomplex" ||
                      Type == "ftnlen" || Type == "logical";
      }
  return Translated >= 3;
}

// A folder that is named after the library whose sources it holds. "blas" alone is no such name: suites of kernels sort
// theirs by it.
bool isInLibraryFolder(llvm::StringRef File) {
  static const llvm::StringSet<> Folders = {"cblas", "lapack", "clapack", "lapacke", "f2c", "f2clibs", "refblas"};
  for (llvm::StringRef Part : llvm::make_range(llvm::sys::path::begin(llvm::sys::path::parent_path(File)),
                                               llvm::sys::path::end(llvm::sys::path::parent_path(File))))
    if (Folders.contains(Part.lower()))
      return true;
  return false;
}

} // namespace

bool isLibraryRoutine(const FunctionDecl &F, ASTContext &Ctx) {
  const SourceManager &SM = Ctx.getSourceManager();
  return (F.getIdentifier() && namesRoutine(F.getName(), F.getNumParams())) || hasBlasParameters(F) ||
         isTranslated(F) || isInLibraryFolder(SM.getFilename(SM.getExpansionLoc(F.getLocation())));
}

bool isLibraryProcedure(llvm::StringRef Name, unsigned Parameters, llvm::StringRef File) {
  return namesRoutine((Name + "_").str(), Parameters) || isInLibraryFolder(File);
}

} // namespace stridewise
