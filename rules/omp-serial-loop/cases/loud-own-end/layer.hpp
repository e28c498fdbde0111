#include <vector>

struct Layer {
  int in, out;
  std::vector<double> w, g;
};
void gradient(Layer &l);
void update(Layer &l);
