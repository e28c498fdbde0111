// Which function of a unit names which: calls, addresses that are handed over, tables. To be asked before anything is
// inlined or left out.
#ifndef STRIDEWISE_UNIT_REFERENCES_H
#define STRIDEWISE_UNIT_REFERENCES_H

#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace stridewise {

struct ReferringFunction {
  std::string Name; // as the linker knows it
  bool Internal = false;
  const llvm::DILocation *First = nullptr, *Last = nullptr; // lines of its own code
  std::vector<std::string> Names;                           // functions that its code names, each once
};

struct References {
  std::vector<ReferringFunction> Functions; // those with a body
  std::vector<std::string> FromData;        // functions whose address stands in data, or that have another name
};

References referencesOf(const llvm::Module &M);

} // namespace stridewise
#endif
