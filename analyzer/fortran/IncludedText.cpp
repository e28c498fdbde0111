#include "fortran/IncludedText.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {

// What a line has between quotes.
static StringRef quoted(StringRef Raw, unsigned Line) {
  for (; Line > 1 && !Raw.empty(); --Line)
    Raw = Raw.split('\n').second;
  Raw = Raw.split('\n').first;
  const std::size_t Begin = Raw.find_first_of("'\"");
  return Begin == StringRef::npos ? StringRef() : Raw.drop_front(Begin + 1).split(Raw[Begin]).first;
}

std::string nameOfFile(Unit &U) {
  const clang::SourceManager &SM = U.sources();
  return SM.getFilename(SM.getLocForStartOfFile(SM.getMainFileID())).str();
}

std::unique_ptr<MemoryBuffer> includedFile(StringRef Raw, unsigned Line, Unit &U) {
  const StringRef Name = quoted(Raw, Line);
  if (Name.empty())
    return nullptr;
  SmallString<256> Path = sys::path::parent_path(nameOfFile(U));
  sys::path::append(Path, Name);
  auto Buffer = U.sources().getFileManager().getBufferForFile(sys::path::is_absolute(Name) ? Name : StringRef(Path));
  return Buffer ? std::move(*Buffer) : nullptr;
}

} // namespace stridewise
