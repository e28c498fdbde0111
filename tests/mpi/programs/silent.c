/* No MPI program: counts its threads and the files that it has open. */
#include <dirent.h>
#include <stdio.h>

static int entries(const char *folder) {
  int count = 0;
  DIR *directory = opendir(folder);
  while (directory && readdir(directory))
    ++count;
  if (directory)
    closedir(directory);
  return count;
}

int main(void) {
  printf("%d threads, %d files\n", entries("/proc/self/task") - 2, entries("/proc/self/fd") - 3);
  return 0;
}
