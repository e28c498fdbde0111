// Cells of one rank with a frame of ghost cells around them. The values of a cell are contiguous, and so are the cells
// of a column: y is the fast index.
#ifndef LBM_MESH_H
#define LBM_MESH_H

#define DIRECTIONS 9

typedef struct {
  double *cells;
  int width; // with the two ghost columns
  int height;
} Mesh;

static inline double *mesh_cell(const Mesh *mesh, int x, int y) {
  return &mesh->cells[(x * mesh->height + y) * DIRECTIONS];
}

void mesh_create(Mesh *mesh, int width, int height);
void mesh_destroy(Mesh *mesh);

#endif
