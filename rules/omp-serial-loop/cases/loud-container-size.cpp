// flags: -fopenmp
// As long as the container is, in one thread's loop and in the team's.
#include <cstddef>
#include <vector>

struct layer {
  std::vector<float> weight, gradient, moment;
};

void backward(layer &l, const std::vector<float> &input) {
#pragma omp parallel for
  for (std::size_t k = 0; k < l.weight.size(); ++k)
    l.gradient[k] = input[k] * l.weight[k];
}

void step(layer &l, float rate) {
  // expect: omp-serial-loop medium "'l.gradient'"
  for (std::size_t k = 0; k < l.weight.size(); ++k) {
    l.moment[k] = 0.9f * l.moment[k] + 0.1f * l.gradient[k];
    l.weight[k] -= rate * l.moment[k];
  }
}

void train(layer &l, const std::vector<float> &input, int steps) {
  for (int s = 0; s < steps; ++s) {
    backward(l, input);
    step(l, 0.01f);
  }
}
