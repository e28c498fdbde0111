/* The operands of some loops, decoded from a place within them. */
#include "operands.h"

#include <stdio.h>

int main(void) {
  /* vmovupd (%rsi,%rax,8),%ymm0; vaddpd 0x40(%rdi,%rax,8),%ymm0,%ymm0; vmovupd %ymm0,(%rdi,%rax,8); add $4,%rax;
   * cmp %rcx,%rax; jne back */
  static const uint8_t loop[] = {0xc5, 0xfd, 0x10, 0x04, 0xc6, 0xc5, 0xfd, 0x58, 0x44, 0xc7, 0x40, 0xc5, 0xfd,
                                 0x11, 0x04, 0xc7, 0x48, 0x83, 0xc0, 0x04, 0x48, 0x39, 0xc8, 0x75, 0xe7, 0xc3};
  /* mov (%rdi),%rax; mov 8(%rax),%rdx (not known before the first has been done); fs-relative; lea; prefetch; ret */
  static const uint8_t chase[] = {0x48, 0x8b, 0x07, 0x48, 0x8b, 0x50, 0x08, 0x64, 0x48, 0x8b, 0x04, 0x25,
                                  0x10, 0,    0,    0,    0x48, 0x8d, 0x46, 0x08, 0x0f, 0x18, 0x0e, 0xc3};
  /* vaddpd 0x40(%rdi),%zmm0,%zmm0 with a compressed displacement; vmovsd 0x8(%rsi),%xmm16; rep movsb; ret */
  static const uint8_t wide[] = {0x62, 0xf1, 0xfd, 0x48, 0x58, 0x47, 0x01, 0x62, 0xe1,
                                 0xff, 0x08, 0x10, 0x46, 0x01, 0xf3, 0xa4, 0xc3};
  uint64_t registers[SW_REGISTERS] = {[0] = 10, [6] = 0x10000, [7] = 0x20000}, found[SW_MOST_OPERANDS];
  const struct {
    const uint8_t *code;
    int from;
  } tries[] = {{loop, 0}, {loop, 16}, {chase, 0}, {wide, 0}};
  for (unsigned i = 0; i < sizeof tries / sizeof *tries; ++i) {
    int count = sw_operands((uint64_t)(uintptr_t)(tries[i].code + tries[i].from), registers, found);
    for (int j = 0; j < count; ++j)
      printf("%lx ", (unsigned long)found[j]);
    printf("\n");
  }
  return 0;
}
