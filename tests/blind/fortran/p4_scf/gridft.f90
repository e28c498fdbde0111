! Long range potential on a plane grid: FFT in x, transposition, FFT in y
MODULE gridft
  USE params
  IMPLICIT NONE
  COMPLEX(dp), ALLOCATABLE :: wa(:,:), wb(:,:), sb(:,:,:), rb(:,:,:)
  INTEGER :: nloc
CONTAINS

  SUBROUTINE grid_init
    INTEGER :: i, j
    nloc = ng/npe
    ALLOCATE(wa(ng,nloc), wb(ng,nloc))
    ALLOCATE(sb(nloc,nloc,npe), rb(nloc,nloc,npe))
    DO j = 1, nloc
       DO i = 1, ng
          wa(i,j) = EXP(-((i-ng/2)**2+(j+iam*nloc-ng/2)**2)/900.0_dp)
       END DO
    END DO
    wb = (0.0_dp,0.0_dp)
  END SUBROUTINE grid_init

  ! radix 2, in place
  SUBROUTINE fft(x, n, isign)
    INTEGER, INTENT(IN) :: n, isign
    COMPLEX(dp), INTENT(INOUT) :: x(n)
    INTEGER :: i, j, m, mmax, istep
    COMPLEX(dp) :: t, w, wp
    j = 1
    DO i = 1, n
       IF (j > i) THEN
          t = x(j); x(j) = x(i); x(i) = t
       END IF
       m = n/2
       DO WHILE (m >= 1 .AND. j > m)
          j = j - m; m = m/2
       END DO
       j = j + m
    END DO
    mmax = 1
    DO WHILE (mmax < n)
       istep = 2*mmax
       wp = EXP(CMPLX(0.0_dp, isign*3.14159265358979_dp/mmax, dp))
       w = (1.0_dp,0.0_dp)
       DO m = 1, mmax
          DO i = m, n, istep
             j = i + mmax
             t = w*x(j)
             x(j) = x(i) - t
             x(i) = x(i) + t
          END DO
          w = w*wp
       END DO
       mmax = istep
    END DO
  END SUBROUTINE fft

  ! global transposition
  SUBROUTINE transp(a, b)
    COMPLEX(dp), INTENT(IN) :: a(ng,nloc)
    COMPLEX(dp), INTENT(OUT) :: b(ng,nloc)
    INTEGER :: p, i, j, ierr
    DO p = 1, npe
       DO j = 1, nloc
          DO i = 1, nloc
             sb(j,i,p) = a((p-1)*nloc+i,j)
          END DO
       END DO
    END DO
    CALL MPI_ALLTOALL(sb, nloc*nloc, MPI_DOUBLE_COMPLEX, rb, nloc*nloc, MPI_DOUBLE_COMPLEX, world, ierr)
    DO p = 1, npe
       DO j = 1, nloc
          DO i = 1, nloc
             b((p-1)*nloc+i,j) = rb(i,j,p)
          END DO
       END DO
    END DO
  END SUBROUTINE transp

  ! filter across the columns of the own block: line by line
  SUBROUTINE yfilter(a)
    COMPLEX(dp), INTENT(INOUT) :: a(ng,nloc)
    COMPLEX(dp) :: line(nloc)
    INTEGER :: i, j
!$OMP PARALLEL DO PRIVATE(j,line)
    DO i = 1, ng
       DO j = 1, nloc
          line(j) = a(i,j)
       END DO
       CALL fft(line, nloc, 1)
       line(nloc/4:nloc/2) = 0.5_dp*line(nloc/4:nloc/2)
       CALL fft(line, nloc, -1)
       a(i,:) = line(:)/nloc
    END DO
!$OMP END PARALLEL DO
  END SUBROUTINE yfilter

  SUBROUTINE longrange(vsum)
    REAL(dp), INTENT(OUT) :: vsum
    INTEGER :: i, j, jg, ierr
    REAL(dp) :: g2
!$OMP PARALLEL DO
    DO j = 1, nloc
       CALL fft(wa(1,j), ng, 1)
    END DO
    CALL transp(wa, wb)
    CALL MPI_BARRIER(world, ierr)
!$OMP PARALLEL DO PRIVATE(i,jg,g2)
    DO j = 1, nloc
       CALL fft(wb(1,j), ng, 1)
       jg = MIN(j-1+iam*nloc, ng-j+1-iam*nloc)
       DO i = 1, ng
          g2 = MIN(i-1,ng-i+1)**2 + jg**2
          wb(i,j) = wb(i,j)/(1.0_dp+g2)
       END DO
       CALL fft(wb(1,j), ng, -1)
    END DO
    CALL transp(wb, wa)
!$OMP PARALLEL DO
    DO j = 1, nloc
       CALL fft(wa(1,j), ng, -1)
       wa(:,j) = wa(:,j)/(REAL(ng,dp)**2)
    END DO
    CALL yfilter(wa)
    vsum = SUM(REAL(wa))
    CALL MPI_ALLREDUCE(MPI_IN_PLACE, vsum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world, ierr)
  END SUBROUTINE longrange
END MODULE gridft
