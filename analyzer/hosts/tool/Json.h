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

} // namespace stridewise
#endif
