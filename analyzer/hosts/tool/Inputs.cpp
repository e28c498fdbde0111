#include "hosts/tool/Inputs.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Path.h"
#include <link.h>

using llvm::ErrorOr;
using llvm::Twine;
namespace vfs = llvm::vfs;
namespace json = llvm::json;

namespace stridewise {

std::string RecordingFileSystem::absolute(const Twine &Path) const {
  llvm::SmallString<256> P;
  Path.toVector(P);
  // Dots stay: behind a symbolic link, `..` is not the folder that the text suggests.
  if (auto EC = makeAbsolute(P); EC)
    return {};
  return std::string(P);
}

void RecordingFileSystem::note(const Twine &Path, const ErrorOr<vfs::Status> &S) {
  std::string Name = absolute(Path);
  if (Name.empty() || !json::isUTF8(Name)) {
    Complete = false;
    return;
  }
  if (!Ignored.empty() && llvm::StringRef(Name).starts_with(Ignored))
    return;
  if (!S) {
    if (S.getError() == std::errc::no_such_file_or_directory || S.getError() == std::errc::not_a_directory)
      Absent.insert(std::move(Name));
    else
      Complete = false;
    return;
  }
  if (S->getType() == llvm::sys::fs::file_type::directory_file || Name == "/dev/null")
    return;
  if (S->getType() != llvm::sys::fs::file_type::regular_file) {
    Complete = false;
    return;
  }
  auto Mtime = S->getLastModificationTime().time_since_epoch();
  Stamp New{S->getSize(), S->getUniqueID().getFile(),
            std::chrono::duration_cast<std::chrono::nanoseconds>(Mtime).count()};
  auto [It, First] = Files.try_emplace(std::move(Name), New);
  if (!First && (It->second.Size != New.Size || It->second.MtimeNs != New.MtimeNs || It->second.Inode != New.Inode))
    Complete = false; // it changed meanwhile
}

ErrorOr<vfs::Status> RecordingFileSystem::status(const Twine &Path) {
  ErrorOr<vfs::Status> S = ProxyFileSystem::status(Path);
  note(Path, S);
  return S;
}

ErrorOr<std::unique_ptr<vfs::File>> RecordingFileSystem::openFileForRead(const Twine &Path) {
  ErrorOr<std::unique_ptr<vfs::File>> F = ProxyFileSystem::openFileForRead(Path);
  note(Path, F ? (*F)->status() : ErrorOr<vfs::Status>(F.getError()));
  return F;
}

vfs::directory_iterator RecordingFileSystem::dir_begin(const Twine &Dir, std::error_code &EC) {
  vfs::directory_iterator It = ProxyFileSystem::dir_begin(Dir, EC);
  std::string Name = absolute(Dir);
  if (Name.empty() || !json::isUTF8(Name))
    Complete = false;
  else
    (EC ? Absent : Listed).insert(std::move(Name));
  return It;
}

bool RecordingFileSystem::exists(const Twine &Path) {
  ErrorOr<vfs::Status> S = ProxyFileSystem::status(Path);
  note(Path, S);
  return S && S->exists();
}

// Adds what `From` has and `To` lacks, by `Key`.
template <typename Range, typename Function>
static void addNew(json::Array &To, const json::Array *From, const Range &Present, Function Key) {
  for (const json::Value &V : From ? *From : json::Array())
    if (std::optional<llvm::StringRef> Name = Key(V); Name && !Present.count(Name->str()))
      To.push_back(V);
}

json::Object RecordingFileSystem::toJson(const json::Object *Preamble) const {
  json::Array Read, Missed, Folders, Libraries;
  for (const auto &[Name, S] : Files)
    Read.push_back(json::Array{Name, S.Size, S.MtimeNs, S.Inode});
  for (const std::string &Name : Absent)
    Missed.push_back(Name);
  for (const std::string &Name : Listed)
    Folders.push_back(Name);
  bool Whole = Complete;
  if (Preamble) {
    auto Itself = [](const json::Value &V) { return V.getAsString(); };
    addNew(Read, Preamble->getArray("files"), Files, [](const json::Value &V) {
      const json::Array *A = V.getAsArray();
      return A && !A->empty() ? A->front().getAsString() : std::nullopt;
    });
    addNew(Missed, Preamble->getArray("absent"), Absent, Itself);
    addNew(Folders, Preamble->getArray("listed"), Listed, Itself);
    Whole &= Preamble->getBoolean("complete") == true;
  }
  dl_iterate_phdr(
      [](dl_phdr_info *Info, std::size_t, void *Out) {
        if (llvm::StringRef Name(Info->dlpi_name); llvm::sys::path::is_absolute(Name) && json::isUTF8(Name))
          static_cast<json::Array *>(Out)->push_back(Name);
        return 0;
      },
      &Libraries);
  return json::Object{{"complete", Whole},
                      {"files", std::move(Read)},
                      {"absent", std::move(Missed)},
                      {"listed", std::move(Folders)},
                      {"libraries", std::move(Libraries)}};
}

} // namespace stridewise
