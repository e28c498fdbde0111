// What a unit's analysis depended on: the files it read, the paths where it looked in vain, the folders it listed. A
// result may be used again as long as none of these changed; a header that appears earlier on the include path changes
// the second kind only.
#ifndef STRIDEWISE_HOSTS_TOOL_INPUTS_H
#define STRIDEWISE_HOSTS_TOOL_INPUTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>
#include <set>

namespace stridewise {

/// The real file system, which keeps a record. Give it to the driver and to the compiler's file manager.
class RecordingFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  RecordingFileSystem() : ProxyFileSystem(llvm::vfs::getRealFileSystem()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &Path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &Dir, std::error_code &EC) override;
  bool exists(const llvm::Twine &Path) override;

  /// Files whose names begin so are no dependencies: what they hold is described by others.
  void ignore(llvm::StringRef Prefix) { Ignored = Prefix.str(); }

  /// {"complete", "files": [[path, size, mtime in ns, inode]], "absent": [path], "listed": [path], "libraries":
  /// [path]}. Sizes and times are those of the file that was read. Not complete: something was read that cannot be
  /// named.
  /// \param Preamble the same of a precompiled header that was used; the unit depends on that, too
  llvm::json::Object toJson(const llvm::json::Object *Preamble = nullptr) const;

private:
  struct Stamp {
    std::uint64_t Size, Inode;
    std::int64_t MtimeNs;
  };
  void note(const llvm::Twine &Path, const llvm::ErrorOr<llvm::vfs::Status> &S);
  std::string absolute(const llvm::Twine &Path) const;
  std::map<std::string, Stamp> Files;
  std::set<std::string> Absent, Listed;
  std::string Ignored;
  bool Complete = true;
};

} // namespace stridewise
#endif
