/******************************  su3.h **********************************/
#ifndef _SU3_H
#define _SU3_H
typedef struct { double real, imag; } complex;
typedef struct { complex e[3][3]; } su3_matrix;
typedef struct { complex c[3]; } su3_vector;
typedef struct { double m01r, m01i, m02r, m02i, m12r, m12i, m00, m11, m22; } anti_hermitmat;

#define CMUL(a,b,c)     { (c).real = (a).real*(b).real - (a).imag*(b).imag; \
                          (c).imag = (a).real*(b).imag + (a).imag*(b).real; }
#define CMULJ_(a,b,c)   { (c).real = (a).real*(b).real + (a).imag*(b).imag; \
                          (c).imag = (a).real*(b).imag - (a).imag*(b).real; }
#define CSUM(a,b)       { (a).real += (b).real; (a).imag += (b).imag; }

void mult_su3_nn(su3_matrix *a, su3_matrix *b, su3_matrix *c);
void mult_su3_na(su3_matrix *a, su3_matrix *b, su3_matrix *c);
void mult_su3_an(su3_matrix *a, su3_matrix *b, su3_matrix *c);
void mult_su3_mat_vec(su3_matrix *a, su3_vector *b, su3_vector *c);
void mult_adj_su3_mat_vec(su3_matrix *a, su3_vector *b, su3_vector *c);
void add_su3_vector(su3_vector *a, su3_vector *b, su3_vector *c);
void sub_su3_vector(su3_vector *a, su3_vector *b, su3_vector *c);
void scalar_mult_add_su3_vector(su3_vector *a, su3_vector *b, double s, su3_vector *c);
double magsq_su3vec(su3_vector *a);
double su3_rdot(su3_vector *a, su3_vector *b);
double realtrace_su3(su3_matrix *a, su3_matrix *b);
void reunit_su3(su3_matrix *c);
#endif
