#ifndef FIELD_H
#define FIELD_H

typedef struct {
  int steps, interval, rows, columns;
} Settings;

typedef struct {
  double *values;
  int rows, columns;
} Field;

Field field_create(const Settings *settings);
void relax(Field *field);
void store(const Field *field, const Settings *settings);

#endif
