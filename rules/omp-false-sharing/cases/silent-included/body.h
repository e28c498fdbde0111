int t = omp_get_thread_num();
for (int i = 0; i < length; i++)
  sums[t + i * 64] = values[i];
