/* Whether a fault is switched on, and which faults each test comes by. The file STRIDEWISE_FAULT_NOW has three lines:
 * the number of the fault that is on; the file in which to note what is come by, or nothing; who comes by where
 * PYTEST_CURRENT_TEST does not say. A file and no variable: some tests start programs in an environment of their own. */
#pragma once
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int stridewise_fault_number = -1;
static char stridewise_fault_said[1024];
static const char *stridewise_fault_log, *stridewise_fault_suite;
static unsigned char stridewise_fault_seen[1 << 16];

__attribute__((unused, noinline, cold)) static void stridewise_fault_read(void) {
  int file = open(STRIDEWISE_FAULT_NOW, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, stridewise_fault_said, sizeof stridewise_fault_said - 1);
  if (file >= 0)
    close(file);
  stridewise_fault_said[length > 0 ? length : 0] = 0;
  stridewise_fault_number = atoi(stridewise_fault_said);
  char *log = strchr(stridewise_fault_said, '\n');
  char *suite = log ? strchr(log + 1, '\n') : NULL;
  if (!suite || suite == log + 1)
    return;
  *suite = 0;
  suite[1 + strcspn(suite + 1, "\n")] = 0;
  stridewise_fault_log = log + 1;
  stridewise_fault_suite = suite + 1;
}

__attribute__((unused, noinline, cold)) static int stridewise_fault_passed(int number) {
  if (stridewise_fault_number == -1)
    stridewise_fault_read();
  if (stridewise_fault_log && !stridewise_fault_seen[number & 0xffff]) {
    stridewise_fault_seen[number & 0xffff] = 1;
    const char *test = getenv("PYTEST_CURRENT_TEST");
    char line[4096];
    int length = snprintf(line, sizeof line, "%d\t%s\n", number, test ? test : stridewise_fault_suite);
    int file = open(stridewise_fault_log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) {
      if (length > 0 && length < (int)sizeof line && write(file, line, (size_t)length) < 0)
        abort();
      close(file);
    }
  }
  return stridewise_fault_number == number;
}

__attribute__((unused)) static inline int stridewise_fault(int number) {
  return stridewise_fault_number != -1 && !stridewise_fault_log ? stridewise_fault_number == number
                                                                : stridewise_fault_passed(number);
}
