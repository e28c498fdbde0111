# The original as somebody might build it for a start: nothing says that the compiler should optimise.
CC = mpicc
CFLAGS = -std=c11 -g -ffp-contract=off -fopenmp -Iinclude
objects = comm.o config.o exchange.o main.o mesh.o physics.o save.o special.o

lbm: $(objects)
	$(CC) $(CFLAGS) -o $@ $(objects) -lm

$(objects): $(wildcard include/*.h)
