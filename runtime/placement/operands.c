/* A decoder of x86-64 instructions, as far as memory operands and lengths need it.
 *
 * Tables of Intel's manual (volume 2, appendix A) as ranges. An instruction that is not known ends the search, so a
 * wrong guess is never built upon. What a page holds is the question here: an address that is off by one vector is good
 * enough.
 */
#include "operands.h"

#include <string.h>

enum { MostInstructions = 24 };

/* What follows an opcode: a ModRM byte, and how many bytes of constant (V: 4, or 2 with the prefix 66). */
enum { N = 0, M = 1, I1 = 2, V = 4, M1 = M | I1, MV = M | V, Bad = 128 };

struct decoder {
  const uint8_t *at;
  int rex_w, rex_r, rex_x, rex_b;
  int narrow;     /* prefix 66 */
  int repeated;   /* prefix F2 or F3 */
  int segmented;  /* fs, gs: thread-local data */
  int wide_index; /* a gather or scatter: the index is a vector */
  int disp8_scale;
};

/* One table of opcodes as ranges, complexity 48. */
static int one_byte(uint8_t op) {
  if (op < 0x40) {
    static const uint8_t row[8] = {M, M, M, M, I1, V, Bad, Bad};
    return row[op & 7];
  }
  if (op < 0x50)
    return Bad;
  if (op < 0x60)
    return N;
  if (op < 0x70) {
    static const uint8_t row[16] = {Bad, Bad, Bad, M, Bad, Bad, Bad, Bad, V, MV, I1, M1, Bad, Bad, Bad, Bad};
    return row[op & 15];
  }
  if (op < 0x80)
    return I1;
  if (op < 0x90)
    return op == 0x80 || op == 0x83 ? M1 : op == 0x81 ? MV : op == 0x82 ? Bad : M;
  if (op < 0xa0)
    return op == 0x9a ? Bad : N;
  if (op < 0xb0)
    return op < 0xa4 ? Bad : op == 0xa8 ? I1 : op == 0xa9 ? V : N;
  if (op < 0xc0)
    return op < 0xb8 ? I1 : V;
  switch (op) {
  case 0xc0:
  case 0xc1:
  case 0xc6:
    return M1;
  case 0xc7:
    return MV;
  case 0xc2:
  case 0xc3:
  case 0xc9:
  case 0xcc:
  case 0xf4:
  case 0xf5:
  case 0xf8:
  case 0xf9:
  case 0xfc:
  case 0xfd:
    return N;
  case 0xe0:
  case 0xe1:
  case 0xe2:
  case 0xe3:
  case 0xeb:
    return I1;
  case 0xe8:
  case 0xe9:
    return V;
  case 0xf6:
  case 0xf7:
  case 0xfe:
  case 0xff:
    return M; /* f6 and f7 have a constant for two of their forms */
  default:
    return (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) ? M : Bad;
  }
}

/* One table of opcodes behind 0f as ranges, complexity 28. */
static int two_byte(uint8_t op) {
  if (op >= 0x80 && op < 0x90)
    return V;
  if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 || (op >= 0xc4 && op <= 0xc6))
    return M1;
  if (op == 0x77 || (op >= 0xa0 && op <= 0xa2) || (op >= 0xc8 && op <= 0xcf) || (op >= 0x30 && op <= 0x33))
    return N;
  if ((op >= 0x10 && op < 0x20) || (op >= 0x28 && op < 0x30) || (op >= 0x40 && op < 0x80) || op >= 0x90 || op == 0x0d)
    return op == 0xaa || op == 0xff ? Bad : M;
  return Bad;
}

static uint64_t signed_bytes(const uint8_t *at, int bytes) {
  if (bytes == 1)
    return (uint64_t)(int64_t)(int8_t)at[0];
  int32_t value = 0;
  if (bytes == 2) {
    int16_t narrow;
    memcpy(&narrow, at, sizeof narrow);
    value = narrow;
  } else if (bytes == 4) {
    memcpy(&value, at, sizeof value);
  }
  return (uint64_t)(int64_t)value;
}

/* Reads ModRM, SIB and displacement. `rip` operands are relative to the end, which only the caller knows. */
static int memory_operand(struct decoder *d, const uint64_t *registers, unsigned unknown, uint64_t *address, int *rip,
                          int *register_field) {
  uint8_t modrm = *d->at++;
  int mod = modrm >> 6, rm = modrm & 7;
  *register_field = ((modrm >> 3) & 7) | d->rex_r;
  *rip = 0;
  if (mod == 3)
    return 0;
  uint64_t value = 0;
  int known = !d->segmented && !d->wide_index, bytes = mod == 1 ? 1 : mod == 2 ? 4 : 0;
  if (rm == 4) {
    uint8_t sib = *d->at++;
    int index = ((sib >> 3) & 7) | d->rex_x, base = (sib & 7) | d->rex_b;
    if (index != 4) {
      value += registers[index] << (sib >> 6);
      known = known && !(unknown >> index & 1);
    }
    if ((sib & 7) == 5 && mod == 0) {
      bytes = 4;
    } else {
      value += registers[base];
      known = known && !(unknown >> base & 1);
    }
  } else if (rm == 5 && mod == 0) {
    bytes = 4;
    *rip = 1;
  } else {
    int base = rm | d->rex_b;
    value += registers[base];
    known = known && !(unknown >> base & 1);
  }
  uint64_t displacement = signed_bytes(d->at, bytes);
  d->at += bytes;
  *address = value + (bytes == 1 ? displacement * (uint64_t)d->disp8_scale : displacement);
  return known;
}

/* The constant behind the operand of a vector instruction (VEX and EVEX maps 1 to 3, 5, 6). */
static int vector_form(int map, uint8_t op) {
  switch (map) {
  case 1:
    return op == 0x77 ? N : (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ? M1 : M;
  case 2:
  case 5:
  case 6:
    return M;
  case 3:
    return M1;
  default:
    return Bad;
  }
}

static int is_scalar(int map, uint8_t op, int pp) {
  return map == 1 && pp >= 2 && (op == 0x10 || op == 0x11 || op == 0x2a || (op >= 0x51 && op <= 0x5f));
}

/* Reads a VEX or EVEX prefix and its opcode; returns the form. */
static int vector_prefix(struct decoder *d, uint8_t first, uint8_t *opcode) {
  const uint8_t *p = d->at;
  int map = 1, pp, length = 0;
  if (first == 0xc5) {
    d->rex_r = p[0] & 0x80 ? 0 : 8;
    pp = p[0] & 3;
    d->at += 1;
  } else {
    d->rex_r = p[0] & 0x80 ? 0 : 8;
    d->rex_x = p[0] & 0x40 ? 0 : 8;
    d->rex_b = p[0] & 0x20 ? 0 : 8;
    map = p[0] & (first == 0x62 ? 7 : 31);
    d->rex_w = p[1] & 0x80 ? 8 : 0;
    pp = p[1] & 3;
    length = first == 0x62 ? (p[2] >> 5) & 3 : 0;
    d->at += first == 0x62 ? 3 : 2;
  }
  uint8_t op = *d->at++;
  *opcode = op;
  if (first == 0x62) {
    int element = d->rex_w ? 8 : 4;
    d->disp8_scale = (p[2] & 0x10) || is_scalar(map, op, pp) ? element : 16 << length;
  }
  d->wide_index = map == 2 && ((op >= 0x90 && op <= 0x93) || (op >= 0xa0 && op <= 0xa3));
  return vector_form(map, op);
}

/* Passes over the prefixes; 0 if there are more than an instruction has. */
static int skip_prefixes(struct decoder *d) {
  const uint8_t *code = d->at;
  for (;; ++d->at) {
    uint8_t byte = *d->at;
    if (byte == 0x66)
      d->narrow = 1;
    else if (byte == 0xf2 || byte == 0xf3)
      d->repeated = 1;
    else if (byte == 0x64 || byte == 0x65)
      d->segmented = 1;
    else if (byte != 0xf0 && byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26)
      return 1;
    if (d->at - code > 10)
      return 0;
  }
}

struct opcode {
  uint8_t op;
  int form;
  int map;    /* 0: one byte, 1: behind 0f, 2: behind 0f38 and 0f3a */
  int vector; /* by a prefix, which has its own map */
};

static struct opcode read_opcode(struct decoder *d) {
  struct opcode o = {.op = *d->at++};
  if ((o.op & 0xf0) == 0x40) {
    uint8_t rex = o.op;
    d->rex_w = rex & 8, d->rex_r = (rex & 4) << 1, d->rex_x = (rex & 2) << 2, d->rex_b = (rex & 1) << 3;
    o.op = *d->at++;
  }
  if (o.op == 0xc4 || o.op == 0xc5 || o.op == 0x62) {
    o.vector = 1;
    o.form = vector_prefix(d, o.op, &o.op);
  } else if (o.op != 0x0f) {
    o.form = one_byte(o.op);
  } else {
    o.op = *d->at++;
    o.map = 1;
    if (o.op == 0x38 || o.op == 0x3a) {
      o.form = o.op == 0x38 ? M : M1;
      o.map = 2;
      o.op = *d->at++;
    } else {
      o.form = two_byte(o.op);
    }
  }
  return o;
}

/* Bytes of the constant at the end. */
static int constant_bytes(const struct decoder *d, const struct opcode *o) {
  int constant = o->form & I1 ? 1 : o->form & V ? (d->narrow ? 2 : 4) : 0;
  if (o->vector)
    return constant;
  if (o->map == 0) {
    if (o->op >= 0xb8 && o->op <= 0xbf && d->rex_w)
      return 8;
    if (o->op == 0xe8 || o->op == 0xe9)
      return 4;
    if (o->op == 0xc2)
      return 2;
  }
  return o->map == 1 && (o->op & 0xf0) == 0x80 ? 4 : constant;
}

static void two_byte_effects(uint8_t op, int field, struct sw_instruction *out) {
  out->jumps = (op & 0xf0) == 0x80;
  if (op == 0x0d || (op >= 0x18 && op <= 0x1f)) /* prefetches and no-ops touch nothing */
    out->has_address = 0;
  if (op == 0xaf || (op & 0xf0) == 0x40 || op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf || op == 0x2c ||
      op == 0x2d)
    out->written = field;
}

/* `between`: the operand is a register, and the last byte is ModRM. */
static void one_byte_effects(uint8_t op, int field, int between, const struct decoder *d, struct sw_instruction *out) {
  out->jumps = (op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3) || op == 0xe9 || op == 0xeb;
  out->stops =
      op == 0xe8 || op == 0xc2 || op == 0xc3 || op == 0xcc || op == 0xf4 || (op == 0xff && field >= 2 && field <= 5);
  if (op == 0x8b || op == 0x8d || op == 0x63 || op == 0x69 || op == 0x6b || (op < 0x38 && (op & 7) == 3))
    out->written = field;
  else if ((op & 0xf8) == 0x58 || (op & 0xf8) == 0xb8)
    out->written = (op & 7) | d->rex_b;
  else if ((op == 0x89 || (op < 0x38 && (op & 7) == 1)) && between)
    out->written = (d->at[-1] & 7) | d->rex_b;
}

static int is_string_instruction(uint8_t op) { return op >= 0xa4 && op <= 0xaf && op != 0xa8 && op != 0xa9; }

struct sw_instruction sw_decode(const uint8_t *code, const uint64_t *registers, unsigned unknown) {
  struct sw_instruction out = {.written = -1};
  struct decoder d = {.at = code, .disp8_scale = 1};
  if (!skip_prefixes(&d))
    return out;
  struct opcode o = read_opcode(&d);
  if (o.form == Bad)
    return out;

  int rip = 0, field = 0, known = 0, plain = o.map == 0 && !o.vector;
  if (o.form & M) {
    known = memory_operand(&d, registers, unknown, &out.address, &rip, &field);
    if (plain && (o.op == 0xf6 || o.op == 0xf7) && (field & 6) == 0)
      o.form |= o.op == 0xf6 ? I1 : V;
  }
  int constant = constant_bytes(&d, &o);
  uint64_t immediate = constant && constant != 8 ? signed_bytes(d.at, constant) : 0;
  d.at += constant;
  out.length = (int)(d.at - code);
  uint64_t end = (uint64_t)(uintptr_t)d.at;
  if (rip)
    out.address += end;
  out.has_address = known;

  if (o.vector || o.map == 2)
    return out;
  out.target = end + immediate;
  if (o.map == 1) {
    two_byte_effects(o.op, field, &out);
    return out;
  }
  if (o.op == 0x8d)
    out.has_address = 0;
  one_byte_effects(o.op, field, !out.has_address && !rip, &d, &out);
  if (is_string_instruction(o.op)) {
    out.has_address = !(unknown >> 7 & 1);
    out.address = registers[o.op == 0xac || o.op == 0xad ? 6 : 7];
  }
  return out;
}

int sw_operands(uint64_t pc, const uint64_t *registers, uint64_t *addresses) {
  int found = 0;
  unsigned unknown = 0;
  uint64_t begin = pc;
  for (int i = 0; i < MostInstructions && found < SW_MOST_OPERANDS; ++i) {
    struct sw_instruction now = sw_decode((const uint8_t *)(uintptr_t)pc, registers, unknown);
    if (now.length == 0 || now.stops)
      break;
    if (now.has_address)
      addresses[found++] = now.address;
    if (now.written >= 0 && now.written < SW_REGISTERS)
      unknown |= 1u << now.written;
    /* Backwards is the next iteration: whose operands are these, or those before the interrupted place. */
    pc = now.jumps && now.target <= pc ? now.target : pc + (uint64_t)now.length;
    if (pc == begin)
      break;
  }
  return found;
}
