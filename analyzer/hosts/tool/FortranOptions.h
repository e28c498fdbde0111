// What a compile command of Fortran asks, in the words of stridewise/collect/fortran_options.py.
#ifndef STRIDEWISE_HOSTS_TOOL_FORTRANOPTIONS_H
#define STRIDEWISE_HOSTS_TOOL_FORTRANOPTIONS_H

#include "unit/Unit.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace stridewise {

/// Of the build's compiler: -O2, -g, -march=…. `Processor` becomes the one that it names.
BuildOptions backEndOptions(llvm::ArrayRef<std::string> Words, std::string &Processor);
/// The form of the text, by the last word about it; nothing where the file's name says it.
std::optional<bool> fixedForm(llvm::ArrayRef<std::string> Words);

} // namespace stridewise
#endif
