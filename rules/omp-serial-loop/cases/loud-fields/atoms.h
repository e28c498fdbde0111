struct atom {
  double r[3], v[3], old[3];
  int cell;
};
enum { MaxNear = 20 };
extern struct atom *at;
extern int *near, *count, *next, *head, natom;
void build(double far);
