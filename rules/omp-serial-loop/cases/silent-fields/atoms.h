struct atom {
  double r[3], v[3], old[3];
  int cell;
};
extern struct atom *at;
extern int *near, *next, *head, natom;
void relax(double far);
void list(double far, int width);
