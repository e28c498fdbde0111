// Arrays that are members: what two of them hold is different memory, also where their elements differ in size. Work
// behind a condition on data counts where it is all that the nest is for.
#include <vector>

class Lattice {
public:
  int sx, sy, nx, ny, nz;
  std::vector<unsigned char> flags;
  std::vector<double> parts, density;
  std::vector<float> damp_x, damp_y, damp_z;
  float *field, *mask;

  int index(int x, int y, int z) const { return x + sx * (y + sy * z); }
  void sums();
  void fluid_sums();
  void damp();
  void damp_masked();
};

void Lattice::sums() {
  for (int x = 1; x <= nx; ++x)
    for (int y = 1; y <= ny; ++y)
      // expect: mem-strided-inner-loop high "over 'x' the step is 8 bytes"
      for (int z = 1; z <= nz; ++z) {
        double sum = 0;
        for (int q = 0; q < 19; q++)
          sum += parts[index(x, y, z) * 19 + q];
        density[index(x, y, z)] = sum;
      }
}

void Lattice::fluid_sums() {
  for (int x = 1; x <= nx; ++x)
    for (int y = 1; y <= ny; ++y)
      // expect: mem-strided-inner-loop medium "over 'x' the step is 1 byte"
      for (int z = 1; z <= nz; ++z) {
        if (flags[index(x, y, z)] == 1)
          continue;
        double sum = 0;
        for (int q = 0; q < 19; q++)
          sum += parts[index(x, y, z) * 19 + q];
        density[index(x, y, z)] = sum;
      }
}

void Lattice::damp() {
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      // expect: mem-strided-inner-loop medium "over 'z' the step is 4 bytes"
      for (int x = 0; x < nx; x++) {
        const float s = damp_x[x] * damp_y[y] * damp_z[z];
        if (s < 1.0f)
          field[(x * ny + y) * nz + z] *= s;
      }
}

// The mask is walked along its rows, and it says how often the field is touched.
void Lattice::damp_masked() {
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++)
        if (mask[(z * ny + y) * nx + x] < 1.0f)
          field[(x * ny + y) * nz + z] *= 0.5f;
}
