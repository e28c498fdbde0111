// Which scalar loops are no work for vectors although they run often: what shows that they are short, or that something
// beside them takes the time.
#ifndef STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_SHORTLOOPS_H
#define STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_SHORTLOOPS_H

#include "loops/Strides.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace stridewise {

/// Whether it walks one row of a table whose rows begin where neighbouring elements of another array say: the rows of a
/// sparse matrix, whose length the source does not tell and which are a handful of elements as a rule.
bool walksTableRow(const llvm::Loop &L, StrideEngine &Engine);

/// Whether it walks a list that each iteration of a loop around it gathers anew: its length was counted there, so that
/// making the list took as many steps as walking it.
bool walksGatheredList(const llvm::Loop &L, StrideEngine &Engine);

/// Whether each iteration of a loop around it also runs another loop that calls functions of the program: that takes
/// the time. With `InFunction`, the whole function is such an iteration.
bool standsBesideCalls(const llvm::Loop &L, const llvm::LoopInfo &LI, const llvm::TargetLibraryInfo &TLI,
                       bool InFunction);

/// Whether each iteration of a loop around it also runs loops that take many times its cycles, as far as the source
/// tells. With `InFunction`, the whole function is such an iteration.
bool standsBesideWork(const llvm::Loop &L, StrideEngine &Engine, bool InFunction);

/// Whether it runs in some of the iterations of a loop around it only, one of so many: a report now and then.
bool runsNowAndThen(const llvm::Loop &L, const llvm::LoopInfo &LI);

/// Whether all that the loops around it do, or its function where there are none, is to read and to print: a check of
/// results or a report.
bool onlyReports(const llvm::Loop &L, llvm::Function &F);

/// Whether a sum in a fixed order, as it stands, keeps up with what the memory delivers to one core while all of them
/// are at work: vectors would wait for the same bytes. Arrays that the loop around it walks again are taken to stay in
/// the cache.
bool waitsForMemory(const llvm::Loop &L, StrideEngine &Engine);

} // namespace stridewise
#endif
