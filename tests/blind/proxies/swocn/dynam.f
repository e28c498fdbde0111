C     ONE STEP OF THE LAYERED MOMENTUM AND CONTINUITY EQUATIONS
      SUBROUTINE MOMENT
      INCLUDE 'ocean.inc'
      INTEGER I, J, K
      REAL*8 F, GX, GY, R
      DO 40 K = 1, KM
C$OMP PARALLEL DO PRIVATE(I,F,GX,GY,R) SCHEDULE(STATIC)
      DO 20 J = 1, JM
         F = F0 + BETA*DY*(ME*JM + J)
         DO 10 I = 2, IM - 1
            GX = G*(ETA(I+1,J) - ETA(I-1,J))/(2.0D0*DX)
            GY = G*(ETA(I,J+1) - ETA(I,J-1))/(2.0D0*DY)
            R = AH/(DX*DX)
            UN(I,J,K) = MASK(I,J)*(U(I,J,K) + DT*(F*V(I,J,K) - GX
     &        + R*(U(I+1,J,K) + U(I-1,J,K) + U(I,J+1,K)
     &        + U(I,J-1,K) - 4.0D0*U(I,J,K))))
            VN(I,J,K) = MASK(I,J)*(V(I,J,K) - DT*(F*U(I,J,K) + GY
     &        - R*(V(I+1,J,K) + V(I-1,J,K) + V(I,J+1,K)
     &        + V(I,J-1,K) - 4.0D0*V(I,J,K))))
   10    CONTINUE
   20 CONTINUE
C$OMP END PARALLEL DO
   40 CONTINUE
C     WIND ON THE TOP LAYER
C$OMP PARALLEL DO PRIVATE(I)
      DO 60 J = 1, JM
         DO 50 I = 2, IM - 1
            UN(I,J,1) = UN(I,J,1) + DT*TAUX(I,J)/(1.0D3*H(I,J,1))
   50    CONTINUE
   60 CONTINUE
      RETURN
      END

      SUBROUTINE CONTIN
      INCLUDE 'ocean.inc'
      INTEGER I, J, K
      REAL*8 DIV
C$OMP PARALLEL DO PRIVATE(I,J,DIV)
      DO 30 K = 1, KM
      DO 20 I = 2, IM - 1
      DO 10 J = 1, JM
         DIV = (U(I+1,J,K) - U(I-1,J,K))/(2.0D0*DX)
     &       + (V(I,J+1,K) - V(I,J-1,K))/(2.0D0*DY)
         HN(I,J,K) = H(I,J,K) - DT*H(I,J,K)*DIV*MASK(I,J)
   10 CONTINUE
   20 CONTINUE
   30 CONTINUE
      RETURN
      END

C     SURFACE ELEVATION FROM THE TRANSPORT OF ALL LAYERS
      SUBROUTINE ELEVAT
      INCLUDE 'ocean.inc'
      INTEGER I, J, K
      REAL*8 S
C$OMP PARALLEL DO PRIVATE(I,K,S)
      DO 30 J = 1, JM
         DO 20 I = 2, IM - 1
            S = 0.0D0
            DO 10 K = 1, KM
               S = S + H(I,J,K)*(U(I+1,J,K) - U(I-1,J,K))/(2.0D0*DX)
     &               + H(I,J,K)*(V(I,J+1,K) - V(I,J-1,K))/(2.0D0*DY)
   10       CONTINUE
            WRK(I,J) = ETA(I,J) - 1.0D-2*DT*S*MASK(I,J)
   20    CONTINUE
   30 CONTINUE
C$OMP PARALLEL DO PRIVATE(I)
      DO 50 J = 1, JM
         DO 40 I = 2, IM - 1
            ETA(I,J) = WRK(I,J)
   40    CONTINUE
   50 CONTINUE
      RETURN
      END

C     NEW TIME LEVEL
      SUBROUTINE SWAPTL
      INCLUDE 'ocean.inc'
      INTEGER I, J, K
C$OMP PARALLEL PRIVATE(I,J,K)
      DO 40 K = 1, KM
C$OMP DO
      DO 20 J = 1, JM
         DO 10 I = 1, IM
            U(I,J,K) = UN(I,J,K)
            V(I,J,K) = VN(I,J,K)
            H(I,J,K) = HN(I,J,K)
   10    CONTINUE
   20 CONTINUE
C$OMP END DO
C$OMP BARRIER
   40 CONTINUE
C$OMP END PARALLEL
      RETURN
      END

C     CLOSED WALLS IN X AND AT THE OUTER RANKS
      SUBROUTINE WALLS
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER I, J, K
      DO 20 K = 1, KM
         DO 10 J = 0, JM + 1
            U(1,J,K) = 0.0D0
            U(IM,J,K) = 0.0D0
            V(1,J,K) = V(2,J,K)
            V(IM,J,K) = V(IM-1,J,K)
   10    CONTINUE
         IF (SOUTH .EQ. MPI_PROC_NULL) THEN
            DO 12 I = 1, IM
   12       V(I,0,K) = 0.0D0
         ENDIF
         IF (NORTH .EQ. MPI_PROC_NULL) THEN
            DO 14 I = 1, IM
   14       V(I,JM+1,K) = 0.0D0
         ENDIF
   20 CONTINUE
      RETURN
      END

C     SMOOTHING OF THE ELEVATION, FIVE POINTS
      SUBROUTINE FILTER(NPASS)
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER NPASS, N, I, J, IREQ(4), IERR
      DO 50 N = 1, NPASS
         CALL HALO2(ETA, 60, IREQ)
         CALL MPI_WAITALL(4, IREQ, MPI_STATUSES_IGNORE, IERR)
         DO 20 J = 1, JM
C$OMP PARALLEL DO
            DO 10 I = 2, IM - 1
               WRK(I,J) = 0.8D0*ETA(I,J) + 0.05D0*(ETA(I-1,J)
     &            + ETA(I+1,J) + ETA(I,J-1) + ETA(I,J+1))
   10       CONTINUE
   20    CONTINUE
C$OMP PARALLEL DO PRIVATE(I)
         DO 40 J = 1, JM
            DO 30 I = 2, IM - 1
               ETA(I,J) = WRK(I,J)*MASK(I,J)
   30       CONTINUE
   40    CONTINUE
   50 CONTINUE
      RETURN
      END
