/* GCC's unwinder asks glibc for the module of an address by _dl_find_object, which older systems lack. This one, seen
 * by nothing outside the library, answers from dl_iterate_phdr, so that one build serves old and new systems. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
struct query {
  uintptr_t address;
  struct dl_find_object *result;
};

static int match(struct dl_phdr_info *info, size_t size, void *argument) {
  struct query *query = argument;
  (void)size;
  uintptr_t begin = UINTPTR_MAX, end = 0, frame_header = 0;
  int inside = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME)
      frame_header = start;
    if (segment->p_type != PT_LOAD)
      continue;
    inside |= query->address >= start && query->address < start + segment->p_memsz;
    begin = start < begin ? start : begin;
    end = start + segment->p_memsz > end ? start + segment->p_memsz : end;
  }
  if (!inside || !frame_header)
    return 0;
  query->result->dlfo_flags = 0;
  query->result->dlfo_map_start = (void *)begin;
  query->result->dlfo_map_end = (void *)end;
  query->result->dlfo_link_map = NULL;
  query->result->dlfo_eh_frame = (void *)frame_header;
  return 1;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void *address, struct dl_find_object *result) {
  struct query query = {(uintptr_t)address, result};
  return dl_iterate_phdr(match, &query) == 1 ? 0 : -1;
}
#endif

/* The unwinder's thread functions, redirected here at link time (--wrap): the same functions, by the version that every
 * glibc has. */
#if defined(__x86_64__)
#define SW_OLDEST "GLIBC_2.2.5"
#else
#define SW_OLDEST "GLIBC_2.17"
#endif
extern int sw_old_once(int *control, void (*function)(void)) __attribute__((weak));
extern int sw_old_key_create(unsigned *key, void (*function)(void *)) __attribute__((weak));
__asm__(".symver sw_old_once,pthread_once@" SW_OLDEST);
__asm__(".symver sw_old_key_create,__pthread_key_create@" SW_OLDEST);

__attribute__((visibility("hidden"))) int __wrap_pthread_once(int *control, void (*function)(void));
__attribute__((visibility("hidden"))) int __wrap___pthread_key_create(unsigned *key, void (*function)(void *));

int __wrap_pthread_once(int *control, void (*function)(void)) {
  return sw_old_once ? sw_old_once(control, function) : -1;
}

int __wrap___pthread_key_create(unsigned *key, void (*function)(void *)) {
  return sw_old_key_create ? sw_old_key_create(key, function) : -1;
}
