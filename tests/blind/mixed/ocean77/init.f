      SUBROUTINE SETGRD
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      INTEGER I,J,K
      DX=1.0D4
      DY=1.0D4
      DT=60.D0
      GRAV=9.81D0
      AH=500.D0
      DO 10 K=1,KM
        DZ(K)=20.D0+10.D0*K
        RK(K)=1.D-3/(1.D0+K)
 10   CONTINUE
      ZL(1)=0.5D0*DZ(1)
      DO 15 K=2,KM
        ZL(K)=ZL(K-1)+0.5D0*(DZ(K-1)+DZ(K))
 15   CONTINUE
C     DEPTH, ONCE
      DO 20 I=1,IM
        DO 20 J=1,JM
          HH(I,J)=2000.D0+500.D0*SIN(0.05D0*I)*COS(0.1D0*(J+MYID*JM))
 20   CONTINUE
      RETURN
      END

      SUBROUTINE SETFLD
C     STATE AT REST WITH A FRONT
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      INTEGER I,J,K
      DO 30 K=1,KM
        DO 30 J=1,JM
          DO 30 I=1,IM
            T(I,J,K)=20.D0-0.01D0*ZL(K)+0.5D0*TANH(0.1D0*(J-32))
            S(I,J,K)=35.D0+0.0005D0*ZL(K)
            U(I,J,K)=0.1D0*EXP(-ZL(K)/500.D0)
            V(I,J,K)=0.02D0*SIN(0.02D0*I)
 30   CONTINUE
C$OMP PARALLEL DO PRIVATE(I,J)
      DO 40 J=1,JM
        DO 40 I=1,IM
          ETA(I,J)=0.1D0*EXP(-((I-128)**2+(J-32)**2)/400.D0)
          ETN(I,J)=ETA(I,J)
          UB(I,J)=0.D0
          VB(I,J)=0.D0
          RHS(I,J)=0.D0
 40   CONTINUE
C$OMP PARALLEL DO PRIVATE(I,J)
      DO 45 K=1,KM
        DO 45 J=1,JM
          DO 45 I=1,IM
            RHO(I,J,K)=1025.D0
            TN(I,J,K)=0.D0
 45   CONTINUE
      RETURN
      END

      SUBROUTINE SETPRT
      IMPLICIT NONE
      INCLUDE 'ocean.inc'
      INTEGER N
      DO 50 N=1,NPART
        PART(1,N)=2.D0+MOD(N*37,IM-4)
        PART(2,N)=2.D0+MOD(N*13,JM-4)
        PART(3,N)=1.D0+MOD(N,KM)
        PART(4,N)=0.D0
        PART(5,N)=0.D0
        PART(6,N)=0.D0
        PART(7,N)=0.D0
        PART(8,N)=N
 50   CONTINUE
      RETURN
      END
