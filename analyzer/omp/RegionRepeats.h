// Parallel regions that a serial loop opens again and again: which loop, and how much work each opening does.
#ifndef STRIDEWISE_OMP_REGIONREPEATS_H
#define STRIDEWISE_OMP_REGIONREPEATS_H

#include "loops/Strides.h"
#include "omp/RegionWork.h"

namespace stridewise {

struct RegionRepeat {
  const clang::Stmt *Loop = nullptr; // the serial loop
  double Openings = 0;               // its iterations; 0 when unknown
  bool Spatial = false;              // it runs over the data as the shared loop does: each opening gets one row
  bool Reads = false;                // of these data it only reads a row; what it writes is the same again
  bool Sums = false;                 // each opening only adds up one of its results
  bool Triangular = false;           // the rows get longer or shorter with each opening
  bool Listed = false;               // a table has the length of each opening, and a list its elements: fronts, levels
  enum {
    Unknown, // nothing says how long the serial loop is: a border may have one row or two
    Rows,    // it runs over the rows of whole arrays
    Long     // as long as the shared loop, as an array's extent, or of known length
  } Length = Unknown;
  LoopWork Work; // of one opening
};

/// Two shared loops of one region as one: what holds for both.
void joinRepeats(std::optional<RegionRepeat> &All, const RegionRepeat &Here);
/// The shared loops of a region that holds nothing else but declarations: a combined directive, or those in a block.
/// Empty for others.
std::vector<const clang::OMPExecutableDirective *> sharedParts(const clang::OMPExecutableDirective &D);

/// What the loop around the shared one is to it, but for its place in the source and the work. Whether a list that
/// seems to have the elements of each opening is one, the source says.
RegionRepeat repeatBy(const llvm::Loop *Serial, const RegionWork::Copy &Shared, StrideEngine &Engine);
/// The loop, or the innermost one around it, that has this many iterations, or nobody knows how many.
const llvm::Loop *longOpener(const llvm::Loop *Serial, double MinOpenings, StrideEngine &Engine);

/// The innermost serial loop that opens the region of such loops, through inlined calls too; loops of fewer
/// iterations than `MinOpenings` are looked through. Of several copies the one with the most work per opening, nothing
/// when some copy stands in no such loop.
std::optional<RegionRepeat> repeatOf(const clang::OMPExecutableDirective &D, double MinOpenings, RegionWork &Work);
/// The same of one call of a loop template that is given its body, `parallel_for(n, [&](int i) …)`: where the loop and
/// that call stand in one function.
std::optional<RegionRepeat> repeatOf(const clang::OMPExecutableDirective &D, const OmpSite &Call, double MinOpenings,
                                     RegionWork &Work);
/// Whether a function is a loop template for a body that one call of it has in its text.
bool isGivenBody(const clang::FunctionDecl &F);

} // namespace stridewise
#endif
