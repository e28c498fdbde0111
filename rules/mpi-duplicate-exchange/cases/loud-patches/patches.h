#pragma once
#include <mpi.h>
#include <vector>

struct Patch {
  int cells;
  std::vector<double> state, rate;
};

class Level {
public:
  Level(int patches, int cells);
  void exchange();
  std::vector<Patch> &patches() { return patches_; }

private:
  std::vector<Patch> patches_;
};

double fastest(const Patch &p);
void rates(Patch &p);
void advance(Patch &p, double dt);
