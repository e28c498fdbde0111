C     SOIL HEAT AND SATURATION ROUTINES (FROM THE OLD COLUMN MODEL)
      SUBROUTINE SOILST(NLON, NLAT, TAIR, DT)
      IMPLICIT REAL*8 (A-H,O-Z)
      PARAMETER (MXLON=362, MXLAT=182, NSL=6)
      COMMON /SOIL/ TS(MXLON,MXLAT,NSL), DZ(NSL), CAP(NSL), INIT
      DIMENSION TAIR(0:NLON+1,0:NLAT+1)
      IF (INIT .NE. 4711) THEN
        DO 10 L = 1, NSL
          DZ(L) = 0.05D0*2.0D0**(L-1)
          CAP(L) = 2.0D6*DZ(L)
          DO 10 I = 1, NLON
            DO 10 J = 1, NLAT
   10   TS(I,J,L) = TAIR(I,J)
        INIT = 4711
      ENDIF
C$OMP PARALLEL DO PRIVATE(J,L,FUP,FDN)
      DO 40 I = 1, NLON
        DO 30 J = 1, NLAT
          FUP = 12.0D0*(TAIR(I,J) - TS(I,J,1))
          DO 20 L = 1, NSL
            FDN = 0.0D0
            IF (L .LT. NSL) FDN = 1.5D0*(TS(I,J,L)-TS(I,J,L+1))
     &                            /(0.5D0*(DZ(L)+DZ(L+1)))
            TS(I,J,L) = TS(I,J,L) + DT*(FUP-FDN)/CAP(L)*0.2D0
            FUP = FDN
   20     CONTINUE
   30   CONTINUE
   40 CONTINUE
      END

      REAL*8 FUNCTION SATQ(T, P)
      IMPLICIT REAL*8 (A-H,O-Z)
      COMMON /SATCNT/ NCALL
      TC = T - 273.16D0
      IF (TC .GT. 0.0D0) THEN
        ES = 610.78D0*EXP(17.27D0*TC/(T-35.86D0))
      ELSE
        ES = 610.78D0*EXP(21.875D0*TC/(T-7.66D0))
      ENDIF
      SATQ = 0.622D0*ES/MAX(P-0.378D0*ES, ES)
      END

      SUBROUTINE RADTAB(TAB)
C     GREY ABSORPTION TABLE 16 G-POINTS X 8 BANDS
      REAL*8 TAB(16,8)
      DO 60 IG = 1, 16
        DO 60 IB = 1, 8
   60 TAB(IG,IB) = 1.0D-1*IB/(IG*IG)
      END
