program specns
  use kinds
  use mpi
  use field_mod
  use transpose_mod
  use solver_mod
  use diag_mod
  implicit none
  type(dom_t) :: d
  type(state_t) :: s
  integer :: n, nstep, it, ierr, prov, ndump, h(32)
  real(dp) :: e(3), e2(3), um, dt, nu, t0, t1
  real(dp), allocatable :: sp(:), tr(:), pr(:)
  character(len=32) :: arg

  call MPI_Init_thread(MPI_THREAD_FUNNELED, prov, ierr)
  n = 64; nstep = 3; ndump = 0
  if (command_argument_count() > 0) then
     call get_command_argument(1, arg); read(arg, *) n
  end if
  if (command_argument_count() > 1) then
     call get_command_argument(2, arg); read(arg, *) nstep
  end if
  if (command_argument_count() > 2) then
     call get_command_argument(3, arg); read(arg, *) ndump
  end if
  dt = 1.0e-3_dp
  nu = 5.0e-3_dp
  call dom_create(d, n)
  call transpose_create(d)
  call state_create(s, d, nu, dt)
  call state_init(s, d)
  allocate(sp(0:n), tr(0:n), pr(n))

  call MPI_Barrier(d%comm, ierr)
  t0 = MPI_Wtime()
  do it = 1, nstep
     call advance(s, d, dt)
     call budget(s, d, e)
     call umax(s, d, um)
     call spectrum(s, d, sp)
     call transfer(s, d, tr)
     call profile(s, d, pr)
     call pdf(s, d, h)
     call budget(s, d, e2)
     if (e2(1) > 1.0e6_dp) exit
     if (ndump > 0) then
        if (mod(it, ndump) == 0) then
           call dump(s, d, it)
           call MPI_Barrier(d%comm, ierr)
        end if
     end if
     call execute_command_line('sleep 0.02')
     if (d%me == 0) write(*, '(i4,3es14.6,f9.4,es12.4,i8)') it, e, um, sp(2), h(1)
  end do
  t1 = MPI_Wtime() - t0
  call MPI_Allreduce(MPI_IN_PLACE, t1, 1, MPI_DOUBLE_PRECISION, MPI_MAX, d%comm, ierr)
  if (d%me == 0) write(*, '(a,f9.3,a,f9.3)') ' time ', t1, '  comm ', t_comm
  call MPI_Finalize(ierr)
end program specns
