MODULE fock
  USE params
  USE linalg
  USE dfints
  IMPLICIT NONE
  EXTERNAL :: dgemm
CONTAINS

  ! D = 2 C_occ C_occ(T)
  SUBROUTINE density(c, d)
    REAL(dp), INTENT(IN) :: c(nbf,nbf)
    REAL(dp), INTENT(OUT) :: d(nbf,nbf)
    INTEGER :: i, j, k
    DO j = 1, nbf
       DO i = 1, nbf
          d(i,j) = 0.0_dp
          DO k = 1, nocc
             d(i,j) = d(i,j) + 2.0_dp*c(i,k)*c(j,k)
          END DO
       END DO
    END DO
  END SUBROUTINE density

  ! Coulomb: gamma_q = (q|D), then J packed
  SUBROUTINE build_j(d, jt)
    REAL(dp), INTENT(IN) :: d(nbf,nbf)
    REAL(dp), INTENT(OUT) :: jt(*)
    REAL(dp) :: g(nq), s
    INTEGER :: i, j, q, ij
!$OMP PARALLEL DO PRIVATE(i,j,s)
    DO q = 1, nq
       s = 0.0_dp
       DO j = 1, nbf
          DO i = 1, nbf
             s = s + bq(i,j,q)*d(i,j)
          END DO
       END DO
       g(q) = s
    END DO
!$OMP END PARALLEL DO
!$OMP PARALLEL DO PRIVATE(j,q,ij,s) SCHEDULE(STATIC)
    DO i = 1, nbf
       DO j = 1, i
          ij = i*(i-1)/2 + j
          s = 0.0_dp
          DO q = 1, nq
             s = s + bq(j,i,q)*g(q)
          END DO
          jt(ij) = s
       END DO
    END DO
!$OMP END PARALLEL DO
  END SUBROUTINE build_j

  ! exchange: K += H_q H_q(T), by integral direct pairs
  SUBROUTINE build_k(c, k)
    REAL(dp), INTENT(IN) :: c(nbf,nbf)
    REAL(dp), INTENT(OUT) :: k(nbf,nbf)
    REAL(dp), ALLOCATABLE :: h(:,:), kp(:,:)
    INTEGER :: q
    k = 0.0_dp
!$OMP PARALLEL PRIVATE(h,kp,q)
    ALLOCATE(h(nbf,nocc), kp(nbf,nbf))
    kp = 0.0_dp
!$OMP DO SCHEDULE(DYNAMIC)
    DO q = 1, nq
       CALL halftr(bq(1,1,q), c, h, nbf, nocc)
       CALL dgemm('N', 'T', nbf, nbf, nocc, 1.0_dp, h, nbf, h, nbf, 1.0_dp, kp, nbf)
    END DO
!$OMP END DO NOWAIT
!$OMP CRITICAL (ksum)
    k = k + kp
!$OMP END CRITICAL (ksum)
    DEALLOCATE(h, kp)
!$OMP END PARALLEL
  END SUBROUTINE build_k

  ! local (screened) exchange between near pairs, on top
  SUBROUTINE near_k(d, k)
    REAL(dp), INTENT(IN) :: d(nbf,nbf)
    REAL(dp), INTENT(INOUT) :: k(nbf,nbf)
    INTEGER :: i, j
    REAL(dp) :: w
!$OMP PARALLEL DO PRIVATE(j,w) SCHEDULE(GUIDED)
    DO i = 1, nbf
       DO j = 1, nbf
          w = 0.01_dp*EXP(-(xpos(i)-xpos(j))**2)/npe
          IF (w < 1.0E-9_dp) CYCLE
!$OMP CRITICAL (nearsum)
          k(i,j) = k(i,j) + w*d(i,j)
          k(j,i) = k(j,i) + w*d(j,i)
!$OMP END CRITICAL (nearsum)
       END DO
    END DO
!$OMP END PARALLEL DO
  END SUBROUTINE near_k

  ! sum over the tasks and F = h + J - K/2
  SUBROUTINE fock_sum(jt, k, f)
    REAL(dp), INTENT(INOUT) :: jt(*), k(nbf,nbf)
    REAL(dp), INTENT(OUT) :: f(nbf,nbf)
    INTEGER :: ierr, j, i, ntt
    ntt = nbf*(nbf+1)/2
    CALL MPI_ALLREDUCE(MPI_IN_PLACE, jt, ntt, MPI_DOUBLE_PRECISION, MPI_SUM, world, ierr)
    DO j = 1, nbf
       CALL MPI_ALLREDUCE(MPI_IN_PLACE, k(1,j), nbf, MPI_DOUBLE_PRECISION, MPI_SUM, world, ierr)
    END DO
    CALL unpack_tri(jt, f, nbf)
!$OMP PARALLEL DO PRIVATE(i)
    DO j = 1, nbf
       DO i = 1, nbf
          f(i,j) = h1(i,j) + f(i,j) - 0.5_dp*k(i,j)
       END DO
    END DO
  END SUBROUTINE fock_sum

  ! energies of this iteration
  SUBROUTINE energy(d, f, dold, e, rms)
    REAL(dp), INTENT(IN) :: d(nbf,nbf), f(nbf,nbf), dold(nbf,nbf)
    REAL(dp), INTENT(OUT) :: e, rms
    INTEGER :: i, j, jj, ierr
    REAL(dp) :: e1, e2, r, t
    e1 = 0; e2 = 0; r = 0
!$OMP PARALLEL DO PRIVATE(i,j) REDUCTION(+:e1,e2,r)
    DO jj = iam+1, nbf, npe
       j = jj
       DO i = 1, nbf
          t = d(i,j)
          e1 = e1 + t*h1(i,j)
          e2 = e2 + 0.5_dp*t*(f(i,j)-h1(i,j))
          r  = r + (t-dold(i,j))**2
       END DO
    END DO
    CALL MPI_ALLREDUCE(MPI_IN_PLACE, e1, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world, ierr)
    CALL MPI_ALLREDUCE(MPI_IN_PLACE, e2, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world, ierr)
    CALL MPI_ALLREDUCE(MPI_IN_PLACE, r, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world, ierr)
    e = e1 + e2
    rms = SQRT(r)/nbf
  END SUBROUTINE energy
END MODULE fock
