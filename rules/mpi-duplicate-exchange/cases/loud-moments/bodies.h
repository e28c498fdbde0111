struct body {
  double position[3], mass, force[3];
  int key;
};
struct moments {
  double centre[3], mass;
  int count;
};
struct node {
  int left, right;
  double mass;
};
extern struct body *bodies;
extern struct node *nodes;
extern struct moments *all;
extern int count;

void share_moments(void);
void build(void);
void attract(void);
void drift(double dt);
