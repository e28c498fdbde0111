#include <complex.h>
#include <stddef.h>

struct field {
  double complex *at;
  size_t rows, columns;
};

void apply(struct field *out, const struct field *map, const struct field *in) {
  // expect: mem-handwritten-matmul high
  for (size_t j = 0; j < in->columns; j++)
    for (size_t i = 0; i < map->rows; i++) {
      double complex sum = 0.0;
      // expect: mem-strided-inner-loop medium "16 * columns bytes" "16 bytes"
      for (size_t k = 0; k < map->columns; k++)
        sum += map->at[i * map->columns + k] * in->at[k * in->columns + j];
      out->at[i * out->columns + j] = sum;
    }
}
