#ifndef FIELD_H
#define FIELD_H

enum { CELLS = 600000 };

double *zeros(void);
void spread(double *field);

#endif
