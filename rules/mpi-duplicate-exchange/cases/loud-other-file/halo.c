// Functions that exchange the ghost rows of a field, and some that do more.
#include "halo.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int width = 64, height = 64, up, down, exchanges;
static double *rows;

void halo(double *field) {
  if (!rows)
    rows = row_buffer(2 * width);
  for (int i = 0; i < width; i++)
    rows[i] = field[width + i];
  MPI_Sendrecv(rows, width, MPI_DOUBLE, up, 1, rows + width, width, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < width; i++)
    field[i] = rows[width + i];
}

void halo_of_level(int n, double *field) {
  MPI_Request requests[2];
  MPI_Irecv(field, n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(field + n, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// Again and again is not the same as once.
void add_ghosts(double *field) {
  double *in = malloc(width * sizeof *in);
  MPI_Sendrecv(field, width, MPI_DOUBLE, down, 3, in, width, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < width; i++)
    field[width + i] += in[i];
  free(in);
}

// The blocks go round a ring.
void turn(double *field) {
  double *in = malloc(width * sizeof *in);
  MPI_Sendrecv(field, width, MPI_DOUBLE, up, 4, in, width, MPI_DOUBLE, down, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < width; i++)
    field[i] = in[i];
  free(in);
}

// A count of calls is nothing that is sent.
void halo_counted(double *field) {
  exchanges++;
  MPI_Sendrecv(field + width, width, MPI_DOUBLE, up, 5, field, width, MPI_DOUBLE, down, 5, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// It fills two arrays.
void copy_halo(double *field, double *copy) {
  MPI_Sendrecv(field + width, width, MPI_DOUBLE, up, 6, field, width, MPI_DOUBLE, down, 6, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < width; i++)
    copy[i] = field[i];
}

double *row_buffer(int cells) { return malloc(cells * sizeof(double)); }

void smooth(double *field) {
  for (int i = width; i < width * height; i++)
    field[i] = 0.5 * (field[i] + field[i - width]);
}

// What comes is not always the same.
void halo_of_anyone(double *field) {
  MPI_Request request;
  MPI_Isend(field + width, width, MPI_DOUBLE, up, 7, MPI_COMM_WORLD, &request);
  MPI_Recv(field, width, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void replace(double *field) {
  MPI_Sendrecv_replace(field, width, MPI_DOUBLE, up, 8, down, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// More than an exchange.
void halo_and_sum(double *field, double sum) {
  static double all;
  MPI_Sendrecv(field + width, width, MPI_DOUBLE, up, 9, field, width, MPI_DOUBLE, down, 9, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void halo_logged(double *field) {
  log_exchange(width);
  MPI_Sendrecv(field + width, width, MPI_DOUBLE, up, 10, field, width, MPI_DOUBLE, down, 10, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

void halo_of_zeros(double *field) {
  memset(field + 2 * width, 0, width * sizeof *field);
  MPI_Sendrecv(field + width, width, MPI_DOUBLE, up, 11, field, width, MPI_DOUBLE, down, 11, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
