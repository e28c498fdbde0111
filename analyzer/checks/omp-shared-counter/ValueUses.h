// Whether a region uses what a variable counts while it still counts: as the number of a slot, in a condition.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_VALUEUSES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_VALUEUSES_H

namespace clang {
class Stmt;
class VarDecl;
} // namespace clang

namespace stridewise {

/// Whether the code reads the variable for anything but its own next value (`list[n] = i; n++`, `list[n++] = i`): each
/// thread's copy of a reduction begins anew, so that all of them would count the same slots.
bool usesValue(const clang::Stmt *Code, const clang::VarDecl *V);

} // namespace stridewise
#endif
