PROGRAM scf
  USE params
  USE linalg
  USE dfints
  USE fock
  USE gridft
  IMPLICIT NONE
  REAL(dp), ALLOCATABLE :: c(:,:), d(:,:), dold(:,:), f(:,:), k(:,:), fo(:,:), tmp(:,:)
  REAL(dp), ALLOCATABLE :: jt(:), eps(:), x(:,:), tri(:), pop(:), line(:)
  REAL(dp) :: e, rms, vs, t0
  INTEGER :: it, i, j, ierr, p, st(MPI_STATUS_SIZE)

  CALL start
  CALL ints_init
  CALL grid_init
  ALLOCATE(c(nbf,nbf), d(nbf,nbf), dold(nbf,nbf), f(nbf,nbf), k(nbf,nbf), fo(nbf,nbf))
  ALLOCATE(tmp(nbf,nbf), x(nbf,nbf), jt(nbf*(nbf+1)/2), tri(nbf*(nbf+1)/2), eps(nbf), pop(nbf), line(nbf))
  x = 0.0_dp
  DO j = 1, nbf
     DO i = 1, nbf
        x(i,j) = MERGE(1.0_dp, 0.02_dp*EXP(-0.5_dp*(xpos(i)-xpos(j))**2), i==j)
     END DO
  END DO
  f = h1; dold = 0.0_dp
  t0 = MPI_WTIME()
  DO it = 1, maxit
     ! orthogonal basis: X(T) F X
     CALL mxm(f, x, tmp, nbf)
     CALL mtxm(x, tmp, fo, nbf)
     CALL jacobi(fo, tmp, eps, nbf)
     c = MATMUL(x, tmp)
     CALL density(c, d)
     CALL pack_tri(d, tri, nbf)
     CALL build_j(d, jt)
     CALL build_k(c, k)
     CALL near_k(d, k)
     CALL fock_sum(jt, k, f)
     CALL longrange(vs)
     CALL shift_diag(f, vs*1.0E-6_dp)
     CALL energy(d, f, dold, e, rms)
     dold = d
     ! populations of the rows from all tasks
     DO i = 1, nbf
        pop(i) = SUM(d(i,iam+1:nbf:npe))
     END DO
     IF (iam == 0) THEN
        DO p = 1, npe-1
           CALL MPI_RECV(line, nbf, MPI_DOUBLE_PRECISION, p, 9, world, st, ierr)
           pop = pop + line
        END DO
     ELSE
        CALL MPI_SEND(pop, nbf, MPI_DOUBLE_PRECISION, 0, 9, world, ierr)
     END IF
     IF (iam == 0) PRINT '(I4,F18.8,ES12.3,F14.6)', it, e, rms, SUM(pop)
     IF (rms < thresh) EXIT
  END DO
  IF (iam == 0) PRINT *, 'time', MPI_WTIME()-t0
  DO p = 0, npe-1
     IF (p == iam .AND. iam > 0) CALL MPI_SEND(eps, nbf, MPI_DOUBLE_PRECISION, 0, 10, world, ierr)
     IF (iam == 0 .AND. p > 0) CALL MPI_RECV(line, nbf, MPI_DOUBLE_PRECISION, p, 10, world, st, ierr)
  END DO
  CALL MPI_FINALIZE(ierr)
CONTAINS
  SUBROUTINE shift_diag(a, s)
    REAL(dp), INTENT(INOUT) :: a(:,:)
    REAL(dp), INTENT(IN) :: s
    INTEGER :: m
    DO m = 1, SIZE(a,1)
       a(m,m) = a(m,m) + s
    END DO
  END SUBROUTINE shift_diag
END PROGRAM scf
