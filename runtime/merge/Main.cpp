// stridewise-merge: joins the shards of one job into a trace.

#include "Analyses.h"
#include "Timeline.h"
#include "Trace.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <map>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

using namespace stridewise::merge;

namespace {

constexpr const char *Usage =
    "usage: stridewise-merge DIR [-o trace.json] [--job ID] [--end NS] [--timeline FILE]\n"
    "joins the shards that the ranks of an MPI job left in DIR\n"
    "  -o FILE    where to write the trace (default: DIR/trace.json; - is standard output)\n"
    "  --job ID   which job, as in the files' names (default: the newest)\n"
    "  --end NS   when the run ended, in nanoseconds since 1970: calls in progress count up to then\n"
    "  --calls    print the calls of MPI by their numbers in a shard, with their event flags, and nothing else\n"
    "  --timeline FILE   write what each rank was at, call by call, to FILE, too\n"
    "exit codes: 0 done, 2 a shard was left out, a rank is missing or nothing was found\n";

struct Job {
  std::vector<std::string> Files;
  timespec Newest{};
};

void error(const std::string &Text) { std::fprintf(stderr, "stridewise-merge: error: %s\n", Text.c_str()); }
void note(const std::string &Text) { std::fprintf(stderr, "stridewise-merge: %s\n", Text.c_str()); }

/// The job in shard.<job>.<rank>.swshard, or empty.
std::string jobOf(std::string_view Name) {
  constexpr std::string_view Prefix = "shard.", Suffix = ".swshard";
  if (!Name.starts_with(Prefix) || !Name.ends_with(Suffix) || Name.size() <= Prefix.size() + Suffix.size())
    return {};
  Name.remove_prefix(Prefix.size());
  Name.remove_suffix(Suffix.size());
  size_t Dot = Name.rfind('.');
  return Dot == std::string_view::npos ? std::string() : std::string(Name.substr(0, Dot));
}

std::map<std::string, Job> listJobs(const std::string &Folder) {
  std::map<std::string, Job> Jobs;
  DIR *Handle = opendir(Folder.c_str());
  if (!Handle) {
    error(Folder + ": " + std::strerror(errno));
    return Jobs;
  }
  while (const dirent *Entry = readdir(Handle)) {
    std::string Id = jobOf(Entry->d_name);
    if (Id.empty())
      continue;
    std::string Path = Folder + "/" + Entry->d_name;
    Job &J = Jobs[Id];
    struct stat Status{};
    if (stat(Path.c_str(), &Status) == 0 &&
        std::pair(Status.st_mtim.tv_sec, Status.st_mtim.tv_nsec) > std::pair(J.Newest.tv_sec, J.Newest.tv_nsec))
      J.Newest = Status.st_mtim;
    J.Files.push_back(std::move(Path));
  }
  closedir(Handle);
  for (auto &[Id, J] : Jobs)
    std::sort(J.Files.begin(), J.Files.end());
  if (Jobs.empty())
    error(Folder + ": no shard.*.swshard here");
  return Jobs;
}

/// Rank numbers as ranges: 1-3, 7.
std::string ranges(const std::vector<int32_t> &Ranks) {
  std::string Text;
  for (size_t I = 0; I < Ranks.size();) {
    size_t Last = I;
    while (Last + 1 < Ranks.size() && Ranks[Last + 1] == Ranks[Last] + 1)
      ++Last;
    if (!Text.empty())
      Text += ", ";
    Text += std::to_string(Ranks[I]);
    if (Last != I)
      Text.append("-").append(std::to_string(Ranks[Last]));
    I = Last + 1;
  }
  return Text;
}

/// Writes beside the target and renames, so that a reader never sees half a trace.
bool writeFile(const std::string &Path, const std::string &Text) {
  if (Path == "-")
    return std::fwrite(Text.data(), 1, Text.size(), stdout) == Text.size() && std::fflush(stdout) == 0;
  std::string Partial = Path + ".partial";
  std::FILE *File = std::fopen(Partial.c_str(), "wb");
  if (!File)
    return false;
  bool Written = std::fwrite(Text.data(), 1, Text.size(), File) == Text.size();
  Written &= std::fclose(File) == 0;
  if (Written && std::rename(Partial.c_str(), Path.c_str()) == 0)
    return true;
  int Why = errno;
  unlink(Partial.c_str());
  errno = Why;
  return false;
}

int merge(const std::string &Folder, std::string Output, const std::string &Wanted, uint64_t EndRealtimeNs,
          const std::string &TimelineFile) {
  std::map<std::string, Job> Jobs = listJobs(Folder);
  if (Jobs.empty())
    return 2;
  auto Chosen = Jobs.begin();
  if (!Wanted.empty()) {
    Chosen = Jobs.find(Wanted);
    if (Chosen == Jobs.end()) {
      std::string Known;
      for (const auto &[Id, J] : Jobs)
        Known += " " + Id;
      error(Folder + ": no job " + Wanted + "; there is:" + Known);
      return 2;
    }
  } else {
    for (auto It = Jobs.begin(); It != Jobs.end(); ++It)
      if (std::pair(It->second.Newest.tv_sec, It->second.Newest.tv_nsec) >
          std::pair(Chosen->second.Newest.tv_sec, Chosen->second.Newest.tv_nsec))
        Chosen = It;
    if (Jobs.size() > 1)
      note(std::to_string(Jobs.size()) + " jobs in " + Folder + ", taking the newest, " + Chosen->first +
           " (--job chooses another)");
  }

  Trace T = readTrace(Chosen->second.Files, EndRealtimeNs);
  for (const Problem &P : T.Problems)
    error(P.Shard + ": at byte " + std::to_string(P.Offset) + ": " + P.Text + "; left out");
  if (T.Ranks.empty()) {
    error("no shard of job " + Chosen->first + " can be read");
    return 2;
  }
  if (!T.MissingRanks.empty())
    error("job " + Chosen->first + ": no shard of rank " + ranges(T.MissingRanks) + " of " +
          std::to_string(T.WorldSize));
  std::vector<int32_t> Unfinished;
  for (const Rank &R : T.Ranks)
    if (R.State != SW_STATE_CLOSED)
      Unfinished.push_back(R.World);
  if (!Unfinished.empty()) // a reader of the trace has "endings"
    note("rank " + ranges(Unfinished) + " did not come to the end of MPI_Finalize");
  for (const Rank &R : T.Ranks)
    if (R.DroppedCalls != 0)
      T.Notes.push_back("rank " + std::to_string(R.World) + ": " + std::to_string(R.DroppedCalls) +
                        " calls found the table full and are in the totals only");
  for (const std::string &Text : T.Notes)
    note(Text);

  Results R = analyse(T);
  if (Output.empty())
    Output = Folder + "/trace.json";
  if (!writeFile(Output, traceJson(T, R))) {
    error(Output + ": " + std::strerror(errno));
    return 2;
  }
  if (!TimelineFile.empty() && !writeFile(TimelineFile, timeline(T))) {
    error(TimelineFile + ": " + std::strerror(errno));
    return 2;
  }
  return T.Problems.empty() && T.MissingRanks.empty() ? 0 : 2;
}

} // namespace

int main(int Count, char **Arguments) {
#ifdef __GLIBC__
  // Large blocks go back to the system when they are freed: left to itself, the library keeps more and more of them.
  constexpr int LargeBlock = 1 << 20; // bytes
  mallopt(M_MMAP_THRESHOLD, LargeBlock);
#endif
  std::string Folder, Output, Wanted, End, TimelineFile;
  for (int I = 1; I < Count; ++I) {
    std::string_view Argument = Arguments[I];
    auto Value = [&](std::string &Target) {
      if (I + 1 < Count)
        Target = Arguments[++I];
      return !Target.empty();
    };
    bool Good = true;
    if (Argument == "--calls") {
      std::fputs(callTable().c_str(), stdout);
      return 0;
    }
    if (Argument == "-h" || Argument == "--help") {
      std::fputs(Usage, stdout);
      return 0;
    }
    if (Argument == "-o" || Argument == "--output")
      Good = Value(Output);
    else if (Argument == "--job")
      Good = Value(Wanted);
    else if (Argument == "--timeline")
      Good = Value(TimelineFile);
    else if (Argument == "--end")
      Good = Value(End) && End.find_first_not_of("0123456789") == std::string::npos;
    else if (Argument.starts_with("-") || !Folder.empty())
      Good = false;
    else
      Folder = Argument;
    if (!Good) {
      std::fprintf(stderr, "stridewise-merge: error: unexpected '%s'\n%s", Arguments[I], Usage);
      return 2;
    }
  }
  if (Folder.empty()) {
    std::fputs(Usage, stderr);
    return 2;
  }
  return merge(Folder, Output, Wanted, std::strtoull(End.c_str(), nullptr, 10), TimelineFile);
}
