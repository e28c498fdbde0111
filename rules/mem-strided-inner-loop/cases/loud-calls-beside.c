// For each vector of a bundle a sum over its elements, and then a call with the sum: the calls stay in their order.
void reduce(double *sum);
double total(double sum);

void products(const double *v, const double *r, double *out, int vectors, int n) {
  for (int k = 0; k < vectors; k++) {
    double sum = 0;
    // expect: mem-strided-inner-loop medium "over 'k' the step is 8 bytes" "the calls beside the inner loop"
    for (int i = 0; i < n; i++)
      sum += v[(long)i * vectors + k] * r[i];
    out[k] = total(sum);
    reduce(&out[k]);
  }
}
