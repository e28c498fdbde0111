double largest_of_all(double mine);
int sum_of_all(int mine);
void add_all(double *number);
double half_of_all(double mine);
