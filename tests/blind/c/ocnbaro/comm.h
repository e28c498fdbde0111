/* comm.h - everything about message passing is in macros (PVM, then SHMEM,
   now MPI); keep it that way */
#ifndef COMM_H
#define COMM_H
#include <mpi.h>

#define COMM        MPI_COMM_WORLD
#define CHK(call)   do { if ((call) != MPI_SUCCESS) ocn_abort(__FILE__, __LINE__); } while (0)
#define SEND_TO(p,b,n,t)    CHK(MPI_Send((b), (n), MPI_DOUBLE, (p), (t), COMM))
#define RECV_FR(p,b,n,t)    CHK(MPI_Recv((b), (n), MPI_DOUBLE, (p), (t), COMM, MPI_STATUS_IGNORE))
#define SWAP(to,sb,fr,rb,n,t) \
  CHK(MPI_Sendrecv((sb), (n), MPI_DOUBLE, (to), (t), (rb), (n), MPI_DOUBLE, (fr), (t), COMM, MPI_STATUS_IGNORE))
#define BARRIER()   CHK(MPI_Barrier(COMM))
#define GSUM(x)     do { double g_; CHK(MPI_Allreduce(&(x), &g_, 1, MPI_DOUBLE, MPI_SUM, COMM)); (x) = g_; } while (0)
#define GMAX(x)     do { double g_; CHK(MPI_Allreduce(&(x), &g_, 1, MPI_DOUBLE, MPI_MAX, COMM)); (x) = g_; } while (0)
#define GSUMV(v,n)  CHK(MPI_Allreduce(MPI_IN_PLACE, (v), (n), MPI_DOUBLE, MPI_SUM, COMM))
#define EXCH2(f)    exch2d(f)
#define EXCH3(f)    exch3d(f)
#define ON_MASTER   if (myproc == 0)
#endif
