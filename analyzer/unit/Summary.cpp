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

static llvm::json::Value text(llvm::StringRef S) { return llvm::json::isUTF8(S) ? S.str() : llvm::json::fixUTF8(S); }

llvm::json::Value toJson(const Fix &X) {
  llvm::json::Array Edits;
  for (const Edit &E : X.Edits)
    Edits.push_back(llvm::json::Object{{"file", text(E.File)},
                                       {"begin_offset", E.Begin},
                                       {"end_offset", E.End},
                                       {"replacement", text(E.Replacement)}});
  llvm::json::Object O{{"description", text(X.Description)},
                       {"edits", std::move(Edits)},
                       {"safety", X.Safety == FixSafety::Safe ? "safe" : "unsafe"},
                       {"why", text(X.Why)}};
  if (!X.Beyond.empty() || !X.Words.empty()) {
    llvm::json::Array Words;
    for (const std::string &W : X.Words)
      Words.push_back(text(W));
    O["beyond"] = llvm::json::Object{{"why", text(X.Beyond)}, {"words", std::move(Words)}};
  }
  return O;
}

// Fixes that whole programs decide about are the units' own findings: `beyond` is left out.
std::optional<Fix> fixFromJson(const stored::Value &V) {
  const stored::Object *O = V.getAsObject();
  const stored::Array *Edits = O ? O->getArray("edits") : nullptr;
  if (!Edits || O->get("beyond"))
    return std::nullopt;
  Fix X;
  X.Description = O->getString("description").value_or("").str();
  X.Safety = O->getString("safety").value_or("") == "safe" ? FixSafety::Safe : FixSafety::Unsafe;
  X.Why = O->getString("why").value_or("").str();
  for (const stored::Value &Each : *Edits)
    if (const stored::Object *E = Each.getAsObject())
      X.Edits.push_back({E->getString("file").value_or("").str(), unsigned(E->getInteger("begin_offset").value_or(0)),
                         unsigned(E->getInteger("end_offset").value_or(0)),
                         E->getString("replacement").value_or("").str()});
  return X;
}

} // namespace stridewise
