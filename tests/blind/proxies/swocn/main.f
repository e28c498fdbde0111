      PROGRAM SWOCN
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER IERR, N, IREQ(4), IPROV, NPRT
      REAL*8 E(4), CMAX, T0, T1, TX
      CALL MPI_INIT_THREAD(MPI_THREAD_FUNNELED, IPROV, IERR)
      ICOMM = MPI_COMM_WORLD
      NSTEP = 12
      NPRT = 6
      CALL SETUP
      CALL MPI_BARRIER(ICOMM, IERR)
      T0 = MPI_WTIME()
      TX = 0.0D0
      DO 100 N = 1, NSTEP
         T1 = MPI_WTIME()
         CALL HALO3(U, 10)
         CALL HALO3(V, 12)
         CALL HALO2(ETA, 20, IREQ)
         CALL MPI_WAITALL(4, IREQ, MPI_STATUSES_IGNORE, IERR)
         TX = TX + MPI_WTIME() - T1
         CALL WALLS
         CALL MOMENT
         CALL CONTIN
         CALL MPI_BARRIER(ICOMM, IERR)
         CALL ELEVAT
         CALL FILTER(2)
         CALL SWAPTL
         CALL VMIXU
         CALL VMIXV
         IF (MOD(N,4) .EQ. 0) CALL CONVEC
         CALL HALO3(U, 10)
         CALL HALO3(V, 12)
         CALL HALOT
         CALL ADVTRC
         CALL REACT
         CALL HALOT
         CALL BFLUX
         CALL HALO3(U, 10)
         CALL HALO3(V, 12)
         CALL STREAM
         CALL BUDGET(E)
         CALL COURAN(CMAX)
         IF (MOD(N,NPRT) .EQ. 0) THEN
            IF (ME .EQ. 0) WRITE(*,'(I5,4E14.6)') N, E(1), E(2), E(3),
     &         CMAX
            CALL ZONAL(6)
            CALL MPI_BARRIER(ICOMM, IERR)
         ENDIF
  100 CONTINUE
      T1 = MPI_WTIME() - T0
      IF (ME .EQ. 0) WRITE(*,'(A,F9.3,A,F9.3)') ' TIME', T1,
     &   '  HALO', TX
      CALL MPI_FINALIZE(IERR)
      END
