/* Which memory the interrupted code is about to touch. */
#ifndef STRIDEWISE_PLACEMENT_OPERANDS_H
#define STRIDEWISE_PLACEMENT_OPERANDS_H

#include <stdint.h>

enum { SW_REGISTERS = 16, SW_MOST_OPERANDS = 16 };

/* One decoded instruction. Without a memory operand `has_address` is 0. */
struct sw_instruction {
  int length; /* 0: not known */
  int has_address;
  uint64_t address;
  int written;     /* the register whose value it replaces, else -1 */
  int stops;       /* call, return, indirect jump: what follows is not known */
  int jumps;       /* direct jump, conditional or not */
  uint64_t target; /* of such a jump */
};

/* Decodes one x86-64 instruction at `code`, with the registers in hardware order (rax, rcx, rdx, rbx, rsp, rbp, rsi,
 * rdi, r8…). `unknown` is a mask of registers whose values are stale: operands that need one have no address. */
struct sw_instruction sw_decode(const uint8_t *code, const uint64_t *registers, unsigned unknown);

/* The addresses of the next memory operands from `pc` on, along the path that a loop takes; returns how many. They are
 * those of this iteration: steps of constants (the increments of a loop) are not followed. Safe in a signal handler. */
int sw_operands(uint64_t pc, const uint64_t *registers, uint64_t *addresses);

#endif
