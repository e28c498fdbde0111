// Three indices, the last one fast; the loops run in the opposite order.
template <typename T> struct Box {
  T *data;
  int nx, ny, nz;
  int index(int i, int j, int k) const { return (i * ny + j) * nz + k; }
  T &at(int i, int j, int k) { return data[index(i, j, k)]; }
};

template <typename T> void blend(Box<T> &into, Box<T> &from, T share) {
  for (int k = 0; k < into.nz; k++)
    for (int j = 0; j < into.ny; j++)
      // expect: mem-strided-inner-loop medium "8 * nz * ny bytes" "8 bytes"
      for (int i = 0; i < into.nx; i++)
        into.at(i, j, k) += share * (from.at(i, j, k) - into.at(i, j, k));
}

template void blend<double>(Box<double> &, Box<double> &, double);
