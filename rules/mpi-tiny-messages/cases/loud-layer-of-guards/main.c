#include "layer.h"

void send_columns(const double *field, const double *other, int rows, int pitch, int east) {
  for (int j = 0; j < rows; j++)
    // expect: mpi-tiny-messages high "loop over 'j' sends 8 bytes per message"
    put(&field[j * pitch], 1, east);
  for (int j = 0; j < rows; j++)
    // expect: mpi-tiny-messages high "loop over 'j' sends 8 bytes per message"
    put_up(&other[j * pitch], 1, east);
  for (int j = 0; j < rows; j++)
    put_counted(&field[j * pitch], 1, east);
  for (int j = 0; j < rows; j++)
    put_inside(&field[j * pitch], 1, east);
  for (int j = 0; j < rows; j++)
    put_if_any(&field[j * pitch], 1, east);
}
