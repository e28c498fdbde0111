// Calls on both sides of the loop come in turns; what one of them fills, the loop reads.
void begin(int k);
void end(int k, double sum);
void receive(double *buffer, int n, int k);

void timed(const double *v, int vectors, int n) {
  for (int k = 0; k < vectors; k++) {
    begin(k);
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += v[(long)i * vectors + k];
    end(k, sum);
  }
}

void unpack(double *v, double *buffer, int vectors, int n) {
  for (int k = 0; k < vectors; k++) {
    receive(buffer, n, k);
    for (int i = 0; i < n; i++)
      v[(long)i * vectors + k] = buffer[i];
  }
}
