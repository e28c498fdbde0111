#include "unit/BuildTraits.h"

namespace stridewise {

static thread_local bool Keeps = false;

bool keepsTraps() { return Keeps; }
void setKeepsTraps(bool Value) { Keeps = Value; }

} // namespace stridewise
