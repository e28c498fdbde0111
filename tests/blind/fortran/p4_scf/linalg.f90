MODULE linalg
  USE params
  IMPLICIT NONE
CONTAINS

  ! C = A*B by hand, from the first version of the program
  SUBROUTINE mxm(a, b, c, n)
    INTEGER, INTENT(IN) :: n
    REAL(dp), INTENT(IN) :: a(n,n), b(n,n)
    REAL(dp), INTENT(OUT) :: c(n,n)
    INTEGER :: i, j, k
    REAL(dp) :: s
!$OMP PARALLEL DO PRIVATE(j,k,s)
    DO i = 1, n
       DO j = 1, n
          s = 0.0_dp
          DO k = 1, n
             s = s + a(i,k)*b(k,j)
          END DO
          c(i,j) = s
       END DO
    END DO
!$OMP END PARALLEL DO
  END SUBROUTINE mxm

  ! C = A(T)*B
  SUBROUTINE mtxm(a, b, c, n)
    INTEGER, INTENT(IN) :: n
    REAL(dp), INTENT(IN) :: a(n,n), b(n,n)
    REAL(dp), INTENT(OUT) :: c(n,n)
    INTEGER :: i, j, k
    REAL(dp) :: s
!$OMP PARALLEL DO PRIVATE(i,k,s) SCHEDULE(STATIC)
    DO j = 1, n
       DO i = 1, n
          s = 0.0_dp
          DO k = 1, n
             s = s + a(k,i)*b(k,j)
          END DO
          c(i,j) = s
       END DO
    END DO
!$OMP END PARALLEL DO
  END SUBROUTINE mtxm

  ! half transformed three-index block: nocc x n of each q
  SUBROUTINE halftr(b, c, h, n, no)
    INTEGER, INTENT(IN) :: n, no
    REAL(dp), INTENT(IN) :: b(n,n), c(n,n)
    REAL(dp), INTENT(OUT) :: h(n,no)
    INTEGER :: i, m, l
    DO i = 1, no
       h(:,i) = 0.0_dp
       DO l = 1, n
          DO m = 1, n
             h(m,i) = h(m,i) + b(m,l)*c(l,i)
          END DO
       END DO
    END DO
  END SUBROUTINE halftr

  ! square -> packed lower triangle
  SUBROUTINE pack_tri(a, t, n)
    INTEGER, INTENT(IN) :: n
    REAL(dp), INTENT(IN) :: a(n,n)
    REAL(dp), INTENT(OUT) :: t(*)
    INTEGER :: i, j
    DO j = 1, n
       DO i = j, n
          t(i*(i-1)/2+j) = a(i,j)
       END DO
    END DO
  END SUBROUTINE pack_tri

  SUBROUTINE unpack_tri(t, a, n)
    INTEGER, INTENT(IN) :: n
    REAL(dp), INTENT(IN) :: t(*)
    REAL(dp), INTENT(OUT) :: a(n,n)
    INTEGER :: i, j, ij
    ij = 0
    DO i = 1, n
       DO j = 1, i
          ij = ij + 1
          a(j,i) = t(ij)
       END DO
    END DO
!$OMP PARALLEL DO PRIVATE(j) SCHEDULE(STATIC,8)
    DO i = 1, n
       DO j = i+1, n
          a(j,i) = a(i,j)
       END DO
    END DO
!$OMP END PARALLEL DO
  END SUBROUTINE unpack_tri

  ! cyclic Jacobi for the symmetric eigenproblem
  SUBROUTINE jacobi(a, v, e, n)
    INTEGER, INTENT(IN) :: n
    REAL(dp), INTENT(INOUT) :: a(n,n)
    REAL(dp), INTENT(OUT) :: v(n,n), e(n)
    INTEGER :: p, q, k, sweep
    REAL(dp) :: th, t, c, s, x, off
    v = 0.0_dp
    DO p = 1, n
       v(p,p) = 1.0_dp
    END DO
    DO sweep = 1, 6
       off = 0.0_dp
       DO q = 2, n
          DO p = 1, q-1
             off = off + a(p,q)**2
          END DO
       END DO
       IF (off < 1.0E-16_dp) EXIT
       DO p = 1, n-1
          DO q = p+1, n
             IF (ABS(a(p,q)) < 1.0E-14_dp) CYCLE
             th = (a(q,q)-a(p,p))/(2*a(p,q))
             t = SIGN(1.0_dp,th)/(ABS(th)+SQRT(th*th+1))
             c = 1/SQRT(t*t+1); s = t*c
!$OMP PARALLEL DO PRIVATE(x) IF(n>16)
             DO k = 1, n
                x = a(k,p)
                a(k,p) = c*x - s*a(k,q)
                a(k,q) = s*x + c*a(k,q)
             END DO
!$OMP END PARALLEL DO
             DO k = 1, n
                x = a(p,k)
                a(p,k) = c*x - s*a(q,k)
                a(q,k) = s*x + c*a(q,k)
             END DO
!$OMP PARALLEL DO PRIVATE(x) IF(n>16)
             DO k = 1, n
                x = v(k,p)
                v(k,p) = c*x - s*v(k,q)
                v(k,q) = s*x + c*v(k,q)
             END DO
!$OMP END PARALLEL DO
          END DO
       END DO
    END DO
    DO p = 1, n
       e(p) = a(p,p)
    END DO
    CALL esort(e, v, n)
  END SUBROUTINE jacobi

  SUBROUTINE esort(e, v, n)
    INTEGER, INTENT(IN) :: n
    REAL(dp), INTENT(INOUT) :: e(n), v(n,n)
    INTEGER :: i, k
    REAL(dp) :: x, col(n)
    DO i = 1, n-1
       k = MINLOC(e(i:n), 1) + i - 1
       IF (k /= i) THEN
          x = e(i); e(i) = e(k); e(k) = x
          col = v(:,i); v(:,i) = v(:,k); v(:,k) = col
       END IF
    END DO
  END SUBROUTINE esort
END MODULE linalg
