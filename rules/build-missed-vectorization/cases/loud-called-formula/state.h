// An equation of state, and another one to choose from.
#ifndef STATE_H
#define STATE_H

double pressure(double density, double energy);
double stiff(double density, double energy);

#endif
