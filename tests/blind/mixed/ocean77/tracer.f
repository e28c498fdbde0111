      SUBROUTINE EOS
C     DENSITY FROM T AND S
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      REAL*8 DENS
      EXTERNAL DENS
      INTEGER I,J,K
C$OMP PARALLEL DO PRIVATE(I,J,K)
      DO 10 K=1,KM
        DO 10 J=1,JM
          DO 10 I=1,IM
            RHO(I,J,K)=DENS(T(I,J,K),S(I,J,K),ZL(K))
 10   CONTINUE
      RETURN
      END

      SUBROUTINE BAROCL
C     PRESSURE GRADIENT, LEVEL BY LEVEL FROM THE TOP
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      REAL*8 PX(IMX,JMX),PY(IMX,JMX)
      INTEGER I,J,K
      DO 5 J=1,JM
        DO 5 I=1,IM
          PX(I,J)=0.D0
          PY(I,J)=0.D0
 5    CONTINUE
      DO 30 K=1,KM
C$OMP PARALLEL DO PRIVATE(I,J)
        DO 20 J=2,JM-1
          DO 20 I=2,IM-1
            PX(I,J)=PX(I,J)+DZ(K)*(RHO(I+1,J,K)-RHO(I-1,J,K))
            PY(I,J)=PY(I,J)+DZ(K)*(RHO(I,J+1,K)-RHO(I,J-1,K))
            U(I,J,K)=U(I,J,K)-DT*GRAV*PX(I,J)/(2.05D3*DX)*1.D-2
            V(I,J,K)=V(I,J,K)-DT*GRAV*PY(I,J)/(2.05D3*DY)*1.D-2
 20     CONTINUE
 30   CONTINUE
      RETURN
      END

      SUBROUTINE ADVECT
C     UPSTREAM ADVECTION AND LATERAL DIFFUSION OF T, THEN S
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      REAL*8 FX,FY
      INTEGER I,J,K
C$OMP PARALLEL DO PRIVATE(I,J,FX,FY)
      DO 20 K=1,KM
        DO 20 J=2,JM-1
          COEF=AH*DT/(DX*DX)*(1.D0+0.1D0*COS(0.1D0*J))
          DO 20 I=2,IM-1
            FX=U(I,J,K)*(T(I+1,J,K)-T(I-1,J,K))/(2.D0*DX)
            FY=V(I,J,K)*(T(I,J+1,K)-T(I,J-1,K))/(2.D0*DY)
            TN(I,J,K)=T(I,J,K)-DT*(FX+FY)+COEF*(T(I+1,J,K)
     &       +T(I-1,J,K)+T(I,J+1,K)+T(I,J-1,K)-4.D0*T(I,J,K))
 20   CONTINUE
C$OMP PARALLEL DO PRIVATE(I,J,K) COLLAPSE(2)
      DO 30 K=1,KM
        DO 30 J=2,JM-1
          DO 30 I=2,IM-1
            T(I,J,K)=TN(I,J,K)
 30   CONTINUE
C$OMP PARALLEL DO PRIVATE(I,J,FX,FY)
      DO 40 K=1,KM
        DO 40 J=2,JM-1
          DO 40 I=2,IM-1
            FX=U(I,J,K)*(S(I+1,J,K)-S(I-1,J,K))/(2.D0*DX)
            FY=V(I,J,K)*(S(I,J+1,K)-S(I,J-1,K))/(2.D0*DY)
            TN(I,J,K)=S(I,J,K)-DT*(FX+FY)
 40   CONTINUE
      DO 50 K=1,KM
        DO 50 J=2,JM-1
          DO 50 I=2,IM-1
            S(I,J,K)=TN(I,J,K)
 50   CONTINUE
      RETURN
      END

      SUBROUTINE VMIX
C     IMPLICIT VERTICAL DIFFUSION, ONE COLUMN AT A TIME
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      REAL*8 A(KMX),B(KMX),C(KMX),D(KMX)
      REAL*8 W
      INTEGER I,J,K
C$OMP PARALLEL DO PRIVATE(I,J,K,A,B,C,D,W)
      DO 90 J=2,JM-1
        DO 80 I=2,IM-1
          DO 10 K=1,KM
            D(K)=T(I,J,K)
 10       CONTINUE
          DO 20 K=2,KM-1
            A(K)=-DT*RK(K)/(DZ(K)*DZ(K))
            C(K)=-DT*RK(K+1)/(DZ(K)*DZ(K))
            B(K)=1.D0-A(K)-C(K)
 20       CONTINUE
          A(1)=0.D0
          C(1)=-DT*RK(2)/(DZ(1)*DZ(1))
          B(1)=1.D0-C(1)
          A(KM)=-DT*RK(KM)/(DZ(KM)*DZ(KM))
          C(KM)=0.D0
          B(KM)=1.D0-A(KM)
          DO 30 K=2,KM
            W=A(K)/B(K-1)
            B(K)=B(K)-W*C(K-1)
            D(K)=D(K)-W*D(K-1)
 30       CONTINUE
          T(I,J,KM)=D(KM)/B(KM)
          DO 40 K=KM-1,1,-1
            T(I,J,K)=(D(K)-C(K)*T(I,J,K+1))/B(K)
 40       CONTINUE
 80     CONTINUE
 90   CONTINUE
      RETURN
      END

      SUBROUTINE DRIFT
C     MOVE THE DRIFTERS
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      INTEGER N,I,J,K
C$OMP PARALLEL DO PRIVATE(N,I,J,K) SCHEDULE(STATIC)
      DO 10 N=1,NPART
        I=INT(PART(1,N))
        J=INT(PART(2,N))
        K=INT(PART(3,N))
        PART(4,N)=U(I,J,K)
        PART(5,N)=V(I,J,K)
        PART(6,N)=T(I,J,K)
        PART(1,N)=MIN(MAX(PART(1,N)+DT*PART(4,N)/DX,2.D0),IM-1.D0)
        PART(2,N)=MIN(MAX(PART(2,N)+DT*PART(5,N)/DY,2.D0),JM-1.D0)
 10   CONTINUE
      CALL DRAGE
      RETURN
      END

      SUBROUTINE DRAGE
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      INTEGER N
      DO 20 N=1,NPART
        PART(7,N)=PART(7,N)+DT
        IF (PART(7,N).GT.1.D7) PART(7,N)=0.D0
 20   CONTINUE
      RETURN
      END
