long part(int n) {
  long sum = 0;
  for (int round = 0; round < 20; round++)
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += i;
  return sum;
}
