#ifndef FIELD_H
#define FIELD_H

enum { ROWS = 600, COLUMNS = 700 };

double *wave(void);
double *walk(void);
void damp(double *field);

#endif
