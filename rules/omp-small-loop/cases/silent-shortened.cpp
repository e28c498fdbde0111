// flags: -fopenmp -O2
// What is undefined lets the compiler shorten a loop: the helper promises a value, and its body is switched off. How long
// the loop of the source takes, the shortened one does not tell.
static int match(int query, const int *lengths, int queries) {
  if (query >= queries)
    return 0;
#if 0
  return lengths[query];
#endif
}

void matchAll(const int *lengths, int queries, int rounds) {
  for (int r = 0; r < rounds; ++r) {
#pragma omp parallel for
    for (int i = 0; i < queries; ++i)
      match(i, lengths, queries);
  }
}
