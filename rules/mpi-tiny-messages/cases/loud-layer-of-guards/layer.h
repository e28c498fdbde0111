#ifndef LAYER_H
#define LAYER_H

void put(const double *values, int count, int to);
void put_up(const double *values, int count, int to);
void put_counted(const double *values, int count, int to);
void put_inside(const double *values, int count, int to);
void put_if_any(const double *values, int count, int to);

#endif
