/* Whether a fault is switched on (STRIDEWISE_FAULT, its number), and, with STRIDEWISE_FAULT_LOG, which faults each test
 * comes by. */
#pragma once
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int stridewise_fault_number = -1;
static const char *stridewise_fault_log;
static unsigned char stridewise_fault_seen[1 << 16];

__attribute__((unused, noinline, cold)) static int stridewise_fault_passed(int number) {
  if (stridewise_fault_number == -1) {
    const char *text = getenv("STRIDEWISE_FAULT");
    stridewise_fault_log = getenv("STRIDEWISE_FAULT_LOG");
    stridewise_fault_number = text ? atoi(text) : 0;
  }
  if (stridewise_fault_log && !stridewise_fault_seen[number & 0xffff]) {
    stridewise_fault_seen[number & 0xffff] = 1;
    const char *test = getenv("PYTEST_CURRENT_TEST");
    char line[4096];
    int length = snprintf(line, sizeof line, "%d\t%s\n", number, test ? test : "");
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
