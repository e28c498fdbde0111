// What of headers need not be read, since no unit's meaning rests on it.
#ifndef STRIDEWISE_HOSTS_TOOL_HEADERCOST_H
#define STRIDEWISE_HOSTS_TOOL_HEADERCOST_H

#include "clang/Frontend/CompilerInstance.h"
#include <string>

namespace stridewise {

/// From here on bodies of templates in system headers are parsed when the unit is at its end, and only those that it
/// instantiates. Not for C++20 and later, where declarations depend on bodies in more ways.
void parseLibraryTemplatesLate(clang::CompilerInstance &CI);

/// MPI's C++ bindings, which the standard gave up and `mpi.h` may still include, are left out by the macros that MPI
/// libraries have for that. A unit that needs them, or what they include, has errors then.
/// Returns text to put before a unit's first line.
std::string withoutMpiBindings();

/// Notes in `LeftOut`, while the unit is read, whether one of its headers left something out by those macros.
void watchMpiBindings(clang::CompilerInstance &CI, bool &LeftOut);

} // namespace stridewise
#endif
