! Transient flow with wells; Picard iterations around PCG.
program gwflow
  use gw_types
  use gw_comm
  use gw_prop
  use gw_evt
  use gw_solve
  use gw_part
  use gw_out
  implicit none
  integer :: nstep, istep, ipic, nit, nact, n, w
  real(dp) :: t, dt, dm, t0, qz(4,nzone), qscale
  real(dp), allocatable :: hprev(:,:,:), wt(:,:)
  character(len=32) :: arg
  call comm_init()
  g%nc = 400; g%nr = 400; g%nl = 8; nstep = 100
  if (command_argument_count() >= 2) then
     call get_command_argument(1, arg); read(arg,*) g%nc
     call get_command_argument(2, arg); read(arg,*) nstep
     g%nr = g%nc
  end if
  call comm_split()
  call alloc_model()
  call evt_init()
  call solve_alloc()
  call part_init(200000)
  call sources()
  allocate(hprev(0:g%nc+1,0:g%nrl+1,0:g%nl+1), wt(g%nc,g%nrl))
  if (me == 0) open(32, file='hydro.txt')
  call mpi_barrier(mpi_comm_world, ierr)
  t0 = mpi_wtime()
  t = 0.d0; dt = 1.d0
  do istep = 1, nstep
     t = t + dt
     call pumping(t)
     call recharge(t)
     call overland()
     do ipic = 1, 12
        hprev = hnew
        call halo_rows(hnew)
        call update_sat()
        call conduct()
        call storage(dt)
        call evt_form(1.5d-3)
        call river_form()
        do w = 1, size(wells)
           if (.not. wells(w)%active .or. wells(w)%ir < 1 .or. wells(w)%ir > g%nrl) cycle
           rhs(wells(w)%ic, wells(w)%ir, wells(w)%il) = rhs(wells(w)%ic, wells(w)%ir, wells(w)%il) - wells(w)%q
        end do
        call build_diag()
        if (ipic == 1) call zebra(hnew, 2)
        call pcg(hnew, 1.d-3, 200, nit)
        dm = max_change(hprev)
        if (dm < 1.d-3) exit
     end do
     call damp_heads(mod(istep, 2) == 0)
     call halo_rows(hnew)
     call part_move(dt)
     nact = part_age(dt)
     call water_table(wt)
     call zone_budget(qz)
     call mpi_barrier(mpi_comm_world, ierr)
     call write_heads(istep, wt)
     call hydrographs(t)
     hold = hnew
     if (me == 0) write(*,'(a,i5,a,f9.2,a,i3,a,i4,a,es10.2,a,i8,a,es12.4)') ' step', istep, ' t', t, &
          ' picard', ipic, ' pcg', nit, ' dhmax', dm, ' parts', nact, ' sink', sum(qz(4,:))
  end do
  if (me == 0) write(*,*) 'elapsed', mpi_wtime() - t0
  call mpi_finalize(ierr)
contains
  subroutine sources()
    allocate(wells(40), reaches(6*g%nrl))
    do n = 1, size(wells)
       write(wells(n)%name,'(a,i3.3)') 'PW', n
       wells(n)%ic = 3 + mod(n*53, g%nc - 6)
       wells(n)%ir = 1 + mod(n*29, g%nr) - g%r0
       wells(n)%il = min(3, g%nl)
       wells(n)%q = -400.d0
    end do
    do n = 1, size(reaches)
       reaches(n)%ir = 1 + mod(n, g%nrl)
       reaches(n)%ic = min(g%nc - 2, max(2, g%nc/3 + mod(n, 5)/2))
       reaches(n)%il = 1
       reaches(n)%stage = 61.d0; reaches(n)%rbot = 58.d0; reaches(n)%cond = 20.d0; reaches(n)%q = 0.d0
    end do
  end subroutine sources
  ! rates come from the schedule on rank 0
  subroutine pumping(time)
    real(dp), intent(in) :: time
    do n = 1, size(wells)
       qscale = 1.d0 + 0.4d0*sin(0.017d0*time + n)
       if (me == 0) wells(n)%q = -400.d0*qscale
       call mpi_bcast(wells(n)%q, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    end do
  end subroutine pumping
end program gwflow
