// Findings as JSON objects, by rules/finding.schema.json.
#ifndef STRIDEWISE_HOSTS_TOOL_JSON_H
#define STRIDEWISE_HOSTS_TOOL_JSON_H

#include "unit/Reporter.h"
#include "unit/Suppressions.h"
#include "llvm/Support/JSON.h"

namespace stridewise {

llvm::json::Object findingToJson(const Resolved &R, const clang::SourceManager &SM);
llvm::json::Array toJson(const std::vector<FileSuppressions> &Files);
llvm::json::Object linkFindingToJson(const LinkFinding &F);

/// Writes a file, or to standard output where it has no name, and says what went wrong. 0, or the exit status.
int writeOutput(llvm::StringRef File, llvm::function_ref<void(llvm::raw_ostream &)> Write);
int writeOutput(llvm::StringRef File, llvm::json::Object O);

} // namespace stridewise
#endif
