#ifndef WORK_H
#define WORK_H

double series(double x, int terms);
double counted(double x);
double scaled(double x, float by);
double shifted(double x, float by);

#endif
