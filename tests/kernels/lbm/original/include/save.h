// Density and speed of the whole domain, collected on rank 0.
#ifndef LBM_SAVE_H
#define LBM_SAVE_H

#include "comm.h"
#include "config.h"
#include "mesh.h"

#include <stdint.h>
#include <stdio.h>

/// Opened on rank 0 only, and only if the configuration names an output; null otherwise.
FILE *save_open(const Config *config, const Comm *comm);
void save_close(FILE *file);
void save_frame(FILE *file, const Config *config, const Comm *comm, const Mesh *mesh);

/// Depends on the cells' bits and places only, not on how ranks share them. Valid on rank 0.
uint64_t checksum(const Comm *comm, const Mesh *mesh);

#endif
