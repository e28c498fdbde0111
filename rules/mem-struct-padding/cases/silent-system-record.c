// The record belongs to the system's interface.
#include <stdlib.h>
#include <sys/socket.h>

struct msghdr *create_headers(size_t count) {
  struct msghdr *headers = calloc(count, sizeof *headers);
  for (size_t n = 0; headers != NULL && n < count; n++)
    headers[n].msg_iovlen = 1;
  return headers;
}
