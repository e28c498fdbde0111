MODULE params
  USE mpi
  IMPLICIT NONE
  INTEGER, PARAMETER :: dp = KIND(1.0D0)
  ! small test; production runs have nbf of 600 to 2000, naux = 3 nbf
  INTEGER :: nbf  = 120
  INTEGER :: nocc = 24
  INTEGER :: naux = 96
  INTEGER, PARAMETER :: ng = 256        ! grid for the long range part
  INTEGER :: maxit = 3
  INTEGER :: iam, npe, world
  INTEGER :: q1, q2, nq                 ! own auxiliary functions
  REAL(dp), PARAMETER :: thresh = 1.0E-7_dp
CONTAINS
  SUBROUTINE start
    INTEGER :: ierr, p
    CALL MPI_INIT_THREAD(MPI_THREAD_FUNNELED, p, ierr)
    world = MPI_COMM_WORLD
    CALL MPI_COMM_RANK(world, iam, ierr)
    CALL MPI_COMM_SIZE(world, npe, ierr)
    nq = naux/npe
    q1 = iam*nq + 1
    IF (iam == npe-1) nq = naux - q1 + 1
    q2 = q1 + nq - 1
  END SUBROUTINE start

  PURE INTEGER FUNCTION itri(i, j)
    INTEGER, INTENT(IN) :: i, j
    IF (i >= j) THEN
       itri = i*(i-1)/2 + j
    ELSE
       itri = j*(j-1)/2 + i
    END IF
  END FUNCTION itri
END MODULE params
