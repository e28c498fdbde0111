// The time loop is here, the sleep two calls away in the other file.
#include "field.h"

int main(void) {
  Settings settings = {400, 20, 64, 64};
  Field field = field_create(&settings);
  store(&field, &settings);
  for (int step = 1; step <= settings.steps; step++) {
    relax(&field);
    if (step % settings.interval == 0)
      store(&field, &settings);
  }
  return field.values[field.columns] > 2.0;
}
