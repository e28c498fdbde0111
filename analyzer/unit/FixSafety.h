// What makes a fix safe, beside the proof that a rule has for the code it sees: that there is no other code.
#ifndef STRIDEWISE_UNIT_FIXSAFETY_H
#define STRIDEWISE_UNIT_FIXSAFETY_H

#include "unit/Finding.h"
#include "clang/AST/ASTContext.h"

namespace stridewise {

/// `Proof` says why no program behaves differently afterwards.
Fix safeFix(std::string Description, std::vector<Edit> Edits, std::string Proof);
/// `Doubt` says in which program it would.
Fix unsafeFix(std::string Description, std::vector<Edit> Edits, std::string Doubt);
/// Makes a safe fix unsafe; the first doubt is the one shown.
void doubt(Fix &X, std::string Why);

/// Whether preprocessor conditionals stand among these lines: another configuration compiles other code there.
bool hasConditionals(clang::SourceRange R, const clang::ASTContext &Ctx);
/// Doubts a fix whose proof read the function, where another configuration or another instance has other code in it.
void doubtOtherCode(Fix &X, const clang::FunctionDecl *F, const clang::ASTContext &Ctx);

/// Whether the unit alone proves the fix: it is safe, and nothing beyond the main file could notice.
bool provenHere(const Fix &X, const clang::SourceManager &SM);

} // namespace stridewise
#endif
