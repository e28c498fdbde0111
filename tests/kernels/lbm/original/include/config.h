// What the user asked for: read from a file of `key = value` lines, then from `key=value` arguments.
#ifndef LBM_CONFIG_H
#define LBM_CONFIG_H

typedef struct {
  double inflow_speed; // at the middle of the left edge, in cells per step
  double viscosity;
  int width; // of the whole domain, in cells
  int height;
  int iterations;
  int ranks_x; // ranks along x; 0 puts all of them along x
  int save_interval;
  int save_pause_ms;
  int threads;
  int obstacle_x;
  int obstacle_y;
  int obstacle_radius;
  char output[256]; // empty: frames are computed and gathered, but not written
} Config;

void config_load(Config *config, int argc, char **argv);

#endif
