int whole_lines(int n);
int given(int n);
int next_power(int n);
int components(int kind);
