#ifndef FIELD_H
#define FIELD_H

struct field {
  double *v, *s, *in, *out;
  int n, lower, upper;
};

void exchange(struct field *f, double *a);
void stress(struct field *f);
void shear(struct field *f);
void move(struct field *f);

#endif
