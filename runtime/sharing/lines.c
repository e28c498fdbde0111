/* Runs that are limited to some lines of the source: STRIDEWISE_SHARING_LINES names a file with `line path` in each
 * line.
 *
 * The pass tells which lines each function was compiled from. In a limited run a team's threads start with the level
 * SW_NAMED, at which functions run bare unless they are made from one of the named lines. The first of these that a
 * thread enters raises it to SW_ALL, so that all which the thread does until the region ends is seen; further
 * executions of that region start there.
 */
#include "sharing.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
  uint32_t line;
  char *path;
};
static struct named *all;
static size_t count;
static bool limited;

static int by_line(const void *a, const void *b) {
  const struct named *one = a, *two = b;
  return (one->line > two->line) - (one->line < two->line);
}

void sw_read_lines(void) {
  const char *path = secure_getenv("STRIDEWISE_SHARING_LINES");
  FILE *file = path && *path ? fopen(path, "re") : NULL;
  if (!file)
    return; /* everything is seen, which is no less than what was asked for */
  limited = true;
  char text[PATH_MAX + 16], source[PATH_MAX + 1];
  size_t room = 0;
  uint32_t line;
  while (fgets(text, sizeof(text), file)) {
    int at = 0;
    if (sscanf(text, "%u %n", &line, &at) != 1 || !at)
      continue;
    snprintf(source, sizeof(source), "%s", text + at);
    source[strcspn(source, "\n")] = '\0';
    if (count == room) {
      room = room ? 2 * room : 64;
      struct named *more = realloc(all, room * sizeof(*all));
      if (!more)
        break;
      all = more;
    }
    if ((all[count].path = strdup(source)))
      all[count++].line = line;
  }
  fclose(file);
  if (count)
    qsort(all, count, sizeof(*all), by_line);
}

bool sw_limited(void) { return limited; }

/* Equal, or where one of them is relative, the tail of the other. */
static bool same_file(const char *a, const char *b) {
  if (*a == '/' && *b == '/')
    return strcmp(a, b) == 0;
  size_t m = strlen(a), n = strlen(b);
  const char *longer = m >= n ? a : b, *shorter = m >= n ? b : a;
  size_t rest = m >= n ? m - n : n - m;
  return strcmp(longer + rest, shorter) == 0 && (rest == 0 || longer[rest - 1] == '/');
}

static bool is_named(const char *path, uint32_t line) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (all[middle].line < line)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < count && all[low].line == line; ++low)
    if (same_file(all[low].path, path))
      return true;
  return false;
}

/* Called by the constructor of each instrumented object file. */
SW_API void __stridewise_sharing_functions(const struct sw_function *functions, uint64_t n) {
  if (n)
    sw_remember_module(functions[0].levels);
  for (uint64_t i = 0; limited && i < n; ++i)
    for (uint64_t k = 0; k < functions[i].count && !(*functions[i].levels & SW_NAMED); ++k)
      if (is_named(functions[i].path, functions[i].lines[k]))
        *functions[i].levels |= SW_NAMED;
}
