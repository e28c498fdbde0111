C     UPWIND ADVECTION OF THE TRACERS WITH THE TOP LAYER FLOW
      SUBROUTINE ADVTRC
      INCLUDE 'ocean.inc'
      INTEGER I, J, N
      REAL*8 CX, CY
      DO 60 N = 1, NTR
C$OMP PARALLEL DO PRIVATE(I,CX,CY)
         DO 20 J = 1, JM
            DO 10 I = 2, IM - 1
               CX = U(I,J,1)*DT/DX
               CY = V(I,J,1)*DT/DY
               WRK(I,J) = TRC(N,I,J)
     &           - MAX(CX,0.0D0)*(TRC(N,I,J) - TRC(N,I-1,J))
     &           - MIN(CX,0.0D0)*(TRC(N,I+1,J) - TRC(N,I,J))
     &           - MAX(CY,0.0D0)*(TRC(N,I,J) - TRC(N,I,J-1))
     &           - MIN(CY,0.0D0)*(TRC(N,I,J+1) - TRC(N,I,J))
   10       CONTINUE
   20    CONTINUE
C$OMP PARALLEL DO PRIVATE(I)
         DO 40 J = 1, JM
            DO 30 I = 2, IM - 1
               TRC(N,I,J) = WRK(I,J)
   30       CONTINUE
   40    CONTINUE
   60 CONTINUE
      RETURN
      END

C     SOURCES AND DECAY, ALL TRACERS OF A POINT TOGETHER
      SUBROUTINE REACT
      INCLUDE 'ocean.inc'
      INTEGER I, J, N
      REAL*8 S
C$OMP PARALLEL DO PRIVATE(I,N,S) SCHEDULE(DYNAMIC,4)
      DO 40 J = 1, JM
         DO 30 I = 1, IM
            IF (MASK(I,J) .LT. 0.5D0) GOTO 30
            S = 0.0D0
            DO 10 N = 1, NTR
               S = S + TRC(N,I,J)
   10       CONTINUE
            DO 20 N = 1, NTR
               TRC(N,I,J) = TRC(N,I,J) + 1.0D-4*(S/NTR - TRC(N,I,J))
   20       CONTINUE
   30    CONTINUE
   40 CONTINUE
      RETURN
      END

C     BUOYANCY FLUX; TX AND TY LIVE IN COMMON FOR HISTORICAL REASONS
      SUBROUTINE BFLUX
      INCLUDE 'ocean.inc'
      INTEGER I, J
      REAL*8 RHO, EQSTAT
      EXTERNAL EQSTAT
C$OMP PARALLEL DO PRIVATE(I,RHO)
      DO 20 J = 1, JM
         DO 10 I = 2, IM - 1
            RHO = EQSTAT(TRC(1,I,J), TRC(2,I,J))
            SX = TRC(1,I+1,J) - TRC(1,I-1,J)
            SY = TRC(1,I,J+1) - TRC(1,I,J-1)
            FLX(I,J) = (SX*SX + SY*SY)/RHO
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
