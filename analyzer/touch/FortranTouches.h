// The facts of touch/FirstTouch.h of a unit of Fortran, by its text.
#ifndef STRIDEWISE_TOUCH_FORTRANTOUCHES_H
#define STRIDEWISE_TOUCH_FORTRANTOUCHES_H

#include "touch/FirstTouch.h"
#include "unit/Unit.h"

namespace stridewise {

TouchFacts collectFortranTouches(Unit &U, TouchSilencer Suppressed);

} // namespace stridewise
#endif
