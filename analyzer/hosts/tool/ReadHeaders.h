// Headers alone, for units to come.
#ifndef STRIDEWISE_HOSTS_TOOL_READHEADERS_H
#define STRIDEWISE_HOSTS_TOOL_READHEADERS_H

#include "hosts/tool/CommandLine.h"

namespace stridewise {

/// What --make-preamble and --list-headers ask for. Returns the exit status.
int readHeaders(const CommandLine &Cmd);

} // namespace stridewise
#endif
