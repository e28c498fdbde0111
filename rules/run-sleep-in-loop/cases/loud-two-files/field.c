#include "field.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

Field field_create(const Settings *settings) {
  Field field = {malloc(sizeof(double) * settings->rows * settings->columns), settings->rows, settings->columns};
  for (int i = 0; i < field.rows * field.columns; i++)
    field.values[i] = i % 7;
  return field;
}

void relax(Field *field) {
  for (int i = 1; i < field->rows - 1; i++)
    for (int j = 1; j < field->columns - 1; j++)
      field->values[i * field->columns + j] *= 0.99;
}

static void settle(void) {
  // expect: run-sleep-in-loop high "'step' in main.c" "sleep"
  sleep(1);
}

void store(const Field *field, const Settings *settings) {
  FILE *out = fopen("field.raw", "ab");
  if (out == NULL)
    return;
  if (settings->interval > 0)
    fwrite(field->values, sizeof(double), (size_t)field->rows * field->columns, out);
  fclose(out);
  settle();
}
