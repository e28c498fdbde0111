void sum_all(double *values, int count);
void most_of(int count, double *values);
void sum_part(double *values, int count);
void sum_later(double *values, int count);
void sum_turned(double *values, int count);
void sum_odd(double *values, int count);
void sum_offset(double *values, int count);
void sum_twice(double *values, int count, double *copies);
void sum_counted(double *values, int count);
