/* What the recorders write down of a program or library in memory, so that its shards can be read elsewhere. */
#ifndef STRIDEWISE_LOADED_MODULE_H
#define STRIDEWISE_LOADED_MODULE_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The addresses [*begin, *end) that its segments span; 0 if it has none. */
static inline int sw_loaded_range(const struct dl_phdr_info *info, uint64_t *begin, uint64_t *end) {
  *begin = UINT64_MAX;
  *end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      *begin = start < *begin ? start : *begin;
      *end = start + info->dlpi_phdr[i].p_memsz > *end ? start + info->dlpi_phdr[i].p_memsz : *end;
    }
  return *begin < *end;
}

/* The linker's build id and its length in bytes; NULL where it was linked without one (--build-id=none). */
static inline const unsigned char *sw_loaded_build_id(const struct dl_phdr_info *info, size_t *bytes) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_NOTE)
      continue;
    const unsigned char *notes = (const unsigned char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    size_t left = info->dlpi_phdr[i].p_memsz;
    while (left >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *note = (const void *)notes;
      size_t name = ((size_t)note->n_namesz + 3) & ~(size_t)3, data = ((size_t)note->n_descsz + 3) & ~(size_t)3;
      if (sizeof *note + name + data > left)
        break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(notes + sizeof *note, "GNU", 4)) {
        *bytes = note->n_descsz;
        return notes + sizeof *note + name;
      }
      notes += sizeof *note + name + data;
      left -= sizeof *note + name + data;
    }
  }
  *bytes = 0;
  return NULL;
}

#endif
