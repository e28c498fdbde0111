#include "field.h"

void stress(struct field *f) {
  for (int i = 0; i < 8 * f->n; i++)
    f->s[i] += 0.5 * (f->v[i + f->n] - f->v[i]);
}

void shear(struct field *f) {
  for (int i = 0; i < 8 * f->n; i++)
    f->s[i] *= 1.0 - 0.1 * f->v[i + f->n];
}

void move(struct field *f) {
  for (int i = f->n; i < 8 * f->n; i++)
    f->v[i] += 0.1 * f->s[i];
}
