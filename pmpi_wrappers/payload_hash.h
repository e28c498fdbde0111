/* The hash of a payload, by which the merge tool recognises one that is sent again. */
#ifndef STRIDEWISE_PAYLOAD_HASH_H
#define STRIDEWISE_PAYLOAD_HASH_H

#include <stdint.h>
#include <string.h>

static inline uint64_t sw_multiply(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t sw_word(const unsigned char *p) {
  uint64_t value;
  memcpy(&value, p, sizeof value);
  return value;
}

/* A 64-bit hash of the payload, never 0; four independent multiplications a step keep the pipeline full. */
static inline uint64_t sw_hash_bytes(const unsigned char *p, uint64_t bytes) {
  static const uint64_t key[4] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6e8feb86659fd93),
                                  UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db)};
  uint64_t lane[4] = {key[0] ^ bytes, key[1], key[2], key[3]};
  for (; bytes >= 64; bytes -= 64, p += 64)
    for (int i = 0; i < 4; ++i)
      lane[i] = sw_multiply(lane[i] ^ sw_word(p + 16 * i), key[i] ^ sw_word(p + 16 * i + 8));
  for (int i = 0; bytes >= 8; bytes -= 8, p += 8, i = (i + 1) & 3)
    lane[i] = sw_multiply(lane[i] ^ sw_word(p), key[i]);
  uint64_t rest = 0;
  memcpy(&rest, p, bytes);
  uint64_t hash = sw_multiply(lane[0] ^ rest, key[1]) ^ sw_multiply(lane[1], key[2]) ^ sw_multiply(lane[2], key[3]) ^
                  sw_multiply(lane[3], key[0]);
  return hash ? hash : 1;
}

#endif
