// No gaps at all: the record is read from a device as it is.
#include <stdint.h>
#include <stdlib.h>

struct __attribute__((packed)) frame {
  uint8_t type;
  uint64_t time;
  uint16_t channel;
  double value;
};

struct frame *create(size_t count) { return malloc(count * sizeof(struct frame)); }
