// Units that do not compile as a whole: the functions that no error touches are analysed.
#ifndef STRIDEWISE_HOSTS_TOOL_BROKENFUNCTIONS_H
#define STRIDEWISE_HOSTS_TOOL_BROKENFUNCTIONS_H

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace stridewise {

/// Takes the bodies of the functions whose tree is not what the source says: errors stand in them, or they use what was
/// declared with one. To all that reads the tree they are functions of another unit.
/// \returns those of them that stand in the project's sources, each once, in the order of the source.
std::vector<const clang::FunctionDecl *> removeBrokenFunctions(clang::ASTContext &Ctx,
                                                               llvm::ArrayRef<clang::SourceLocation> Errors);

} // namespace stridewise
#endif
