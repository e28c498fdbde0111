int next_power(int n);
int whole_pages(int n);
