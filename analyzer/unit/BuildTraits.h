// What the build's own compiler does otherwise than clang, which reads in its place.
#ifndef STRIDEWISE_UNIT_BUILDTRAITS_H
#define STRIDEWISE_UNIT_BUILDTRAITS_H

namespace stridewise {

/// Whether it does no arithmetic that the program would not do, since a result might trap: gcc without
/// -fno-trapping-math, where no mask of the processor can hold lanes back.
bool keepsTraps();
void setKeepsTraps(bool Keeps);

} // namespace stridewise
#endif
