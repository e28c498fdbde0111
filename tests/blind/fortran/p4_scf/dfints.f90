! Model three-index integrals and one-electron matrices
MODULE dfints
  USE params
  IMPLICIT NONE
  REAL(dp), ALLOCATABLE :: bq(:,:,:)       ! (mu,nu,q), own q only
  REAL(dp), ALLOCATABLE :: h1(:,:)
  REAL(dp), ALLOCATABLE :: xpos(:), zeta(:)
CONTAINS

  SUBROUTINE ints_init
    INTEGER :: i, j, q
    REAL(dp) :: r, c
    ALLOCATE(bq(nbf,nbf,nq), h1(nbf,nbf), xpos(nbf), zeta(nbf))
    DO i = 1, nbf
       xpos(i) = 0.4_dp*i
       zeta(i) = 0.5_dp + 0.25_dp*MOD(i,3)
    END DO
!$OMP PARALLEL DO PRIVATE(i,j,c,r) SCHEDULE(DYNAMIC,1)
    DO q = 1, nq
       c = 0.4_dp*nbf*(q1+q-1)/naux
       DO j = 1, nbf
          DO i = 1, nbf
             r = (xpos(i)-c)**2 + (xpos(j)-c)**2
             IF (r > 60.0_dp) THEN
                bq(i,j,q) = 0.0_dp
             ELSE
                bq(i,j,q) = 0.3_dp*EXP(-0.2_dp*r)*prim(zeta(i)+zeta(j), r)
             END IF
          END DO
       END DO
    END DO
!$OMP END PARALLEL DO
    DO i = 1, nbf
       DO j = 1, nbf
          h1(i,j) = -EXP(-0.3_dp*(xpos(i)-xpos(j))**2)*(1.0_dp+0.2_dp*COS(xpos(i)+xpos(j)))
       END DO
    END DO
  END SUBROUTINE ints_init

  ! Boys-like function, series or asymptotic
  REAL(dp) FUNCTION prim(z, r)
    REAL(dp), INTENT(IN) :: z, r
    REAL(dp) :: t, term
    INTEGER :: k
    t = z*r
    IF (t > 12.0_dp) THEN
       prim = 0.886227_dp/SQRT(t)
    ELSE
       term = 1.0_dp; prim = 1.0_dp
       DO k = 1, 40
          term = term*t/(k+0.5_dp)
          prim = prim + term
          IF (term < 1.0E-12_dp*prim) EXIT
       END DO
       prim = prim*EXP(-t)
    END IF
  END FUNCTION prim
END MODULE dfints
