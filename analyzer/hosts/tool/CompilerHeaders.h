// Headers that come with GCC and not with clang: openacc.h, quadmath.h, …
#ifndef STRIDEWISE_HOSTS_TOOL_COMPILERHEADERS_H
#define STRIDEWISE_HOSTS_TOOL_COMPILERHEADERS_H

#include "clang/Lex/HeaderSearchOptions.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace stridewise {

/// Where --gcc-install-dir stands in the arguments, that GCC's folder of headers is searched behind all others, and the
/// file system that is returned shows of it only what clang's own folder lacks: clang's headers would go on to the
/// other ones with include_next, which are not made for it.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> withHeadersOfGcc(llvm::ArrayRef<std::string> Args,
                                                                 clang::HeaderSearchOptions &Search,
                                                                 llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace stridewise
#endif
