#include "hosts/tool/CompilerHeaders.h"
#include "llvm/Support/Path.h"

namespace path = llvm::sys::path;
namespace vfs = llvm::vfs;

namespace stridewise {
namespace {

// Hides the files of one folder that another one has, too.
class WithoutTwins : public vfs::ProxyFileSystem {
public:
  WithoutTwins(llvm::IntrusiveRefCntPtr<vfs::FileSystem> Base, llvm::StringRef Folder, llvm::StringRef Other)
      : ProxyFileSystem(std::move(Base)), Folder(Folder), Other(Other) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine &Path) override {
    if (isTwin(Path))
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::status(Path);
  }

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine &Path) override {
    if (isTwin(Path))
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::openFileForRead(Path);
  }

  bool exists(const llvm::Twine &Path) override { return !isTwin(Path) && ProxyFileSystem::exists(Path); }

private:
  bool isTwin(const llvm::Twine &Path) {
    llvm::SmallString<256> Room;
    llvm::StringRef Name = Path.toStringRef(Room);
    if (!Name.consume_front(Folder) || !Name.consume_front("/"))
      return false;
    llvm::SmallString<256> Twin(Other);
    path::append(Twin, Name);
    return ProxyFileSystem::exists(Twin);
  }

  std::string Folder, Other;
};

} // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> withHeadersOfGcc(llvm::ArrayRef<std::string> Args,
                                                           clang::HeaderSearchOptions &Search,
                                                           llvm::IntrusiveRefCntPtr<vfs::FileSystem> Files) {
  llvm::StringRef Install;
  for (llvm::StringRef A : Args)
    if (A.consume_front("--gcc-install-dir="))
      Install = A;
  llvm::SmallString<256> Folder(Install), Own(Search.ResourceDir);
  path::append(Folder, "include");
  path::append(Own, "include");
  if (Install.empty() || Search.ResourceDir.empty() || !Files->exists(Folder))
    return Files;
  Search.AddPath(Folder, clang::frontend::After, /*IsFramework=*/false, /*IgnoreSysRoot=*/true);
  return llvm::makeIntrusiveRefCnt<WithoutTwins>(std::move(Files), Folder, Own);
}

} // namespace stridewise
