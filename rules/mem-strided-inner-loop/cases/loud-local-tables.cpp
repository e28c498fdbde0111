// Steps and indices in small local arrays, which short loops go over: each of their elements is one number.
#include <cmath>
#include <cstddef>

struct Block {
  int id, jd, ni, nj, nk;
  double *density, *momentum, *radius, *area[3];
};

void radii(Block *b) {
  const int step[3] = {1, b->id, b->id * b->jd};
  for (int i = 1; i < b->ni; i++)
    for (int j = 1; j < b->nj; j++)
      // expect: mem-strided-inner-loop medium "8 * id * jd bytes" "over 'i' the step is 8 bytes"
      for (int k = 1; k < b->nk; k++) {
        const int cell = i + b->id * (j + b->jd * k);
        double sum = 0.0;
        for (int d = 0; d < 3; d++)
          sum += 0.5 * (b->area[d][cell] + b->area[d][cell - step[d]]);
        b->radius[cell] = sum * std::fabs(b->momentum[cell]) / b->density[cell];
      }
}

template <int Rank> class View {
public:
  template <typename... Indices> double &operator()(Indices... indices) const {
    const std::size_t index[] = {static_cast<std::size_t>(indices)...};
    std::size_t offset = 0;
    for (int d = Rank - 1; d >= 0; --d)
      offset = offset * extents[d] + index[d];
    return data[offset];
  }

private:
  double *data;
  std::size_t extents[Rank];
};

void smooth(const View<3> &from, const View<3> &to, int nx, int ny, int nz) {
  for (int x = 1; x < nx - 1; x++)
    for (int y = 1; y < ny - 1; y++)
      // expect: mem-strided-inner-loop medium "over 'x' the step is 8 bytes"
      for (int z = 1; z < nz - 1; z++)
        to(x, y, z) = 0.5 * (from(x, y, z - 1) + from(x, y, z + 1));
}
