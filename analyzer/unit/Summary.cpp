#include "unit/Summary.h"

namespace stridewise {

llvm::json::Value toJson(const Place &P) {
  return llvm::json::Object{
      {"file", P.File}, {"line", P.Line}, {"column", P.Column}, {"end_line", P.EndLine}, {"end_column", P.EndColumn}};
}

std::optional<Place> placeFromJson(const stored::Value &V) {
  const auto *O = V.getAsObject();
  if (!O || !O->getString("file"))
    return std::nullopt;
  auto Number = [&](llvm::StringRef Key) { return static_cast<unsigned>(O->getInteger(Key).value_or(0)); };
  return Place{O->getString("file")->str(), Number("line"), Number("column"), Number("end_line"), Number("end_column")};
}

} // namespace stridewise
