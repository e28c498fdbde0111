// Columns are packed one after the other into a message: either the source or the buffer is strided.
int pack(double *buffer, const double *field, int rows, int pitch, int first, int last) {
  for (int j = first; j < last; j++)
    for (int i = 0; i < rows; i++)
      buffer[(j - first) * rows + i] = field[i * pitch + j];
  return (last - first) * rows;
}
