// A precompiled header of headers that many units include: made of a file that includes nothing else, and used by a
// unit that would read it no other way. What a unit does of its own accord before such a header (a macro that the
// header looks at, say) can change what the header means, so the unit is watched while it is read; when it could have
// seen the difference, it is read again without.
#ifndef STRIDEWISE_HOSTS_TOOL_PREAMBLE_H
#define STRIDEWISE_HOSTS_TOOL_PREAMBLE_H

#include "clang/AST/DeclBase.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stridewise {

/// What is known of a precompiled header beside its tree; lies in a file of its name and this ending.
class Preamble {
public:
  static constexpr llvm::StringLiteral Ending = ".json";

  /// Null where there is none, or no sound one.
  static std::unique_ptr<Preamble> load(const std::string &Precompiled);

  const std::string &file() const { return File; }
  /// What it was made of, as RecordingFileSystem::toJson() has it.
  const llvm::json::Object &inputs() const { return Inputs; }

  /// To be called before the unit is read, and once for each reading.
  void watch(clang::CompilerInstance &CI);
  /// A declaration was read: what its code names must not be found in headers that are yet to be included.
  void sawCode(clang::Decl *D, clang::CompilerInstance &CI);
  /// Whether the unit, which has been read, means the same with and without.
  bool isSound(const clang::SourceManager &SM);
  /// Why it does not, as far as that is known.
  std::string problem() const;
  /// Declarations at the top of those of its headers that are no system headers.
  std::vector<clang::Decl *> ownDecls(clang::CompilerInstance &CI) const;

private:
  class Watch;
  void differs(llvm::StringRef Where, llvm::StringRef Name);
  /// Whether something stands in a header that the unit includes behind `Place`, or has not included yet.
  bool isUnseen(clang::SourceLocation Loc, const clang::SourceManager &SM, clang::SourceLocation Place = {}) const;
  std::string File;
  llvm::json::Object Inputs;
  llvm::StringMap<unsigned> Headers; // by the name under which they were included
  std::vector<std::vector<unsigned>> Includes;
  std::vector<std::uint64_t>
      OwnFiles; // where files begin that are no system headers, in the precompiled header's terms
  std::string Text;
  llvm::DenseSet<llvm::StringRef> Words; // identifiers that the headers look at
  llvm::BitVector Seen;                  // headers that the unit has included so far
  unsigned Missing = 0;
  std::vector<clang::SourceLocation> SeenAt;
  clang::SourceLocation LastSeenAt;
  std::vector<std::pair<const clang::Decl *, clang::SourceLocation>> Around; // what stands around inclusions
  std::string Why;
};

/// Notes, while a precompiled header is made or only preprocessed, what a Preamble has to know, and which headers it
/// names.
class PreambleNotes {
public:
  void watch(clang::Preprocessor &PP);
  /// Without the inputs.
  llvm::json::Object toJson() const;

private:
  class Watch;
  unsigned number(llvm::StringRef Header);
  std::vector<std::string> Headers;
  llvm::StringMap<unsigned> Numbers;
  std::vector<std::vector<unsigned>> Includes;
  std::vector<std::uint64_t> OwnFiles;
  std::string Words;
  std::map<std::string, unsigned> Named; // by the main file, as it spells them
};

} // namespace stridewise
#endif
