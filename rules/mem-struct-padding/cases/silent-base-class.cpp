// The members of a base class stay together before those of the derived one; each order is the best for its class.
#include <vector>

struct Shape {
  double area;
  int id;
  int kind;
};

struct Circle : Shape {
  double radius;
  double x;
  double y;
};

double total(const std::vector<Circle> &circles) {
  double sum = 0.0;
  for (const Circle &circle : circles)
    sum += circle.area + circle.radius + circle.x + circle.y + circle.id + circle.kind;
  return sum;
}
