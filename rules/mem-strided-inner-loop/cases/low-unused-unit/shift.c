/* Called from Fortran, whose compilers put something behind the names of procedures. */
void shift_(double *field, const int *n) {
  const int size = *n;
  for (int i = 0; i < size; i++)
    /* Columns of Fortran are rows here. */
    // expect: mem-strided-inner-loop medium "8 * n bytes"
    for (int j = 0; j < size; j++)
      field[j * size + i] += 1.0;
}
