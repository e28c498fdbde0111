module spray_m
  use types_m
  implicit none
  type(droplet_t), allocatable :: drop(:)
contains
  subroutine init_spray(n)
    integer, intent(in) :: n
    integer :: i
    allocate(drop(n))
    do i = 1, n
       drop(i)%alive = .true.; drop(i)%blk = int(1 + mod(i,2),1)
       drop(i)%x = dble(i)/n; drop(i)%v = 1.d0 + mod(i,7)
       drop(i)%wet = .false.; drop(i)%d = 1.d-5; drop(i)%temp = 320.d0; drop(i)%cell = 1_2
    end do
  end subroutine init_spray

  subroutine move_spray(dt, nout, buf)
    real(dp), intent(in) :: dt
    integer, intent(out) :: nout
    real(dp), intent(out) :: buf(:,:)
    integer :: i
    nout = 0
    do i = 1, size(drop)
       if (.not. drop(i)%alive) cycle
       drop(i)%x = drop(i)%x + dt*drop(i)%v
       drop(i)%temp = drop(i)%temp + dt*(600.d0 - drop(i)%temp)
       drop(i)%d = drop(i)%d*(1.d0 - 0.01d0*dt)
       drop(i)%cell = int(1 + mod(int(drop(i)%x*64),64),2)
       drop(i)%wet = drop(i)%temp < 373.d0
       if (drop(i)%x > 1.d0 .and. nout < size(buf,2)) then
          nout = nout + 1
          buf(:,nout) = (/ drop(i)%x - 1.d0, drop(i)%v, drop(i)%d, drop(i)%temp /)
          drop(i)%x = drop(i)%x - 1.d0
       end if
    end do
  end subroutine move_spray
end module spray_m
