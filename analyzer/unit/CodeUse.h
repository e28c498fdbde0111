// Which checks wanted code that a unit has not.
#ifndef STRIDEWISE_UNIT_CODEUSE_H
#define STRIDEWISE_UNIT_CODEUSE_H

namespace stridewise {

/// Whether Unit::ir() was asked for in vain since this was asked last, by this thread.
bool lackedCode();

} // namespace stridewise
#endif
