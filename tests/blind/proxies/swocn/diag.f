C     ENERGY, MASS AND ENSTROPHY
      SUBROUTINE BUDGET(E)
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER I, J, K, IT, IERR, OMP_GET_THREAD_NUM
      REAL*8 E(4), Z, S, A
      EXTERNAL OMP_GET_THREAD_NUM
      DO 5 IT = 1, MXT
    5 PART(IT) = 0.0D0
C$OMP PARALLEL PRIVATE(I,J,K,IT)
      IT = OMP_GET_THREAD_NUM() + 1
C$OMP DO
      DO 30 J = 1, JM
         DO 20 K = 1, KM
            DO 10 I = 1, IM
               PART(IT) = PART(IT) + 0.5D0*H(I,J,K)*
     &            (U(I,J,K)**2 + V(I,J,K)**2)
   10       CONTINUE
   20    CONTINUE
   30 CONTINUE
C$OMP END PARALLEL
      E(1) = 0.0D0
      DO 35 IT = 1, MXT
   35 E(1) = E(1) + PART(IT)
      S = 0.0D0
C$OMP PARALLEL DO PRIVATE(I) REDUCTION(+:S)
      DO 50 J = 1, JM
         DO 40 I = 1, IM
            S = S + ETA(I,J)*MASK(I,J)
   40    CONTINUE
   50 CONTINUE
      E(2) = S
      Z = 0.0D0
C$OMP PARALLEL DO PRIVATE(I,A) REDUCTION(+:Z)
      DO 70 J = 1, JM
         DO 60 I = 2, IM - 1
            A = (V(I+1,J,1) - V(I-1,J,1))/(2.0D0*DX)
     &        - (U(I,J+1,1) - U(I,J-1,1))/(2.0D0*DY)
            Z = Z + A*A
   60    CONTINUE
   70 CONTINUE
      E(3) = Z
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, E(1), 1, MPI_DOUBLE_PRECISION,
     &     MPI_SUM, ICOMM, IERR)
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, E(2), 1, MPI_DOUBLE_PRECISION,
     &     MPI_SUM, ICOMM, IERR)
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, E(3), 1, MPI_DOUBLE_PRECISION,
     &     MPI_SUM, ICOMM, IERR)
      RETURN
      END

C     LARGEST COURANT NUMBER
      SUBROUTINE COURAN(CMAX)
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER I, J, IERR
      REAL*8 CMAX, C
      CMAX = 0.0D0
C$OMP PARALLEL DO PRIVATE(I,C)
      DO 20 J = 1, JM
         DO 10 I = 1, IM
            C = DT*(ABS(U(I,J,1))/DX + ABS(V(I,J,1))/DY)
C$OMP CRITICAL
            IF (C .GT. CMAX) CMAX = C
C$OMP END CRITICAL
   10    CONTINUE
   20 CONTINUE
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, CMAX, 1, MPI_DOUBLE_PRECISION,
     &     MPI_MAX, ICOMM, IERR)
      RETURN
      END

C     MERIDIONAL STREAM FUNCTION, SUMMED FROM THE SOUTHERN WALL
      SUBROUTINE STREAM
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER I, J, IERR, ISTAT(MPI_STATUS_SIZE)
      DO 5 I = 1, IM
    5 PSI(I,0) = 0.0D0
      IF (SOUTH .NE. MPI_PROC_NULL) CALL MPI_RECV(PSI(1,0), IM,
     &     MPI_DOUBLE_PRECISION, SOUTH, 77, ICOMM, ISTAT, IERR)
      DO 20 J = 1, JM
         DO 10 I = 1, IM
            PSI(I,J) = PSI(I,J-1) - U(I,J,1)*H(I,J,1)*DY
   10    CONTINUE
   20 CONTINUE
      IF (NORTH .NE. MPI_PROC_NULL) CALL MPI_SEND(PSI(1,JM), IM,
     &     MPI_DOUBLE_PRECISION, NORTH, 77, ICOMM, IERR)
      RETURN
      END

C     ZONAL MEANS TO RANK 0 FOR THE PRINT FILE
      SUBROUTINE ZONAL(IU)
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER IU, I, J, IP, IERR, ISTAT(MPI_STATUS_SIZE)
      REAL*8 Z(JMX), B(JMX)
      DO 20 J = 1, JM
         Z(J) = 0.0D0
         DO 10 I = 1, IM
            Z(J) = Z(J) + U(I,J,1)/IM
   10    CONTINUE
   20 CONTINUE
      IF (ME .NE. 0) THEN
         CALL MPI_SEND(Z, JM, MPI_DOUBLE_PRECISION, 0, 88, ICOMM, IERR)
      ELSE
         WRITE(IU,'(6E12.4)') (Z(J), J = 1, JM, 20)
         DO 30 IP = 1, NPE - 1
            CALL MPI_RECV(B, JM, MPI_DOUBLE_PRECISION, IP, 88, ICOMM,
     &           ISTAT, IERR)
            WRITE(IU,'(6E12.4)') (B(J), J = 1, JM, 20)
   30    CONTINUE
      ENDIF
      RETURN
      END
