// What the process asks of the system before it begins.
#ifndef STRIDEWISE_HOSTS_TOOL_PROCESS_H
#define STRIDEWISE_HOSTS_TOOL_PROCESS_H

namespace stridewise {

/// Ends with the process that STRIDEWISE_PARENT names: who waits for the result names itself, and without it there is
/// nobody to work for.
void endWithParent();

/// Has the heap grow in large steps, on large pages where the system has them: a unit of C++ takes some 20,000 small
/// ones, each of which costs a way into the kernel.
void growHeapInLargePages();

} // namespace stridewise
#endif
