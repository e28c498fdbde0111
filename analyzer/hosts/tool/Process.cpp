#include "hosts/tool/Process.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace stridewise {

void endWithParent() {
  const char *Text = std::getenv("STRIDEWISE_PARENT");
  int Parent = 0;
  if (!Text || llvm::StringRef(Text).getAsInteger(10, Parent) || Parent <= 1)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (kill(Parent, 0) && errno == ESRCH) // it went before that counted
    llvm::sys::Process::Exit(2, /*NoCleanup=*/true);
}

void growHeapInLargePages() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t LargePage = std::size_t(2) << 20;
  constexpr std::size_t MaxStep = std::size_t(256) << 20;   // of addresses: memory is what is written to
  constexpr std::size_t MaxOfHeap = 4 * sizeof(long) << 20; // the most that glibc takes
  if (!mallopt(M_MMAP_THRESHOLD, MaxOfHeap) || !mallopt(M_TOP_PAD, MaxStep) || !mallopt(M_TRIM_THRESHOLD, MaxStep))
    return;
  void *Before = sbrk(0);
  // More than the heap has left: it grows. A compiler may leave out what nothing looks at.
  void *volatile Block = std::malloc(LargePage);
  std::free(Block);
  mallopt(M_TOP_PAD, LargePage); // later ones, or where addresses are limited, in small steps
  std::uintptr_t First = llvm::alignTo(reinterpret_cast<std::uintptr_t>(Before), LargePage);
  std::uintptr_t End = llvm::alignDown(reinterpret_cast<std::uintptr_t>(sbrk(0)), LargePage);
  if (First < End)
    madvise(reinterpret_cast<void *>(First), End - First, MADV_HUGEPAGE);
#endif
}

} // namespace stridewise
