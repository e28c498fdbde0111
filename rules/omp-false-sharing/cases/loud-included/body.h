int t = omp_get_thread_num();
for (int i = 0; i < length; i++)
  // expect: omp-false-sharing high "'sums'" "4 bytes apart"
  sums[t + i * 64] = values[i];
