// The declarations that are the user's: those at the top of the unit outside of system headers. Every walk begins
// there. Of a precompiled header no other declaration is read unless something asks for it.
#ifndef STRIDEWISE_UNIT_OWNDECLS_H
#define STRIDEWISE_UNIT_OWNDECLS_H

#include "clang/AST/ASTContext.h"
#include <vector>

namespace stridewise {

/// In the order of the unit.
std::vector<clang::Decl *> ownDecls(clang::ASTContext &Ctx);

/// Makes walks over the whole tree, and the search for parents, walks over the user's declarations: for a host whose
/// tree serves nobody else.
void limitToOwnDecls(clang::ASTContext &Ctx);

/// The same for a unit whose precompiled header is not to be read.
/// \param Precompiled the user's declarations in that header
void limitToOwnDecls(clang::ASTContext &Ctx, std::vector<clang::Decl *> Precompiled);

} // namespace stridewise
#endif
