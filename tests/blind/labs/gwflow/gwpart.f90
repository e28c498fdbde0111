! Particle tracking (semi analytical within the cell replaced by Euler steps).
module gw_part
  use gw_types
  use gw_comm
  implicit none
  integer, parameter :: nbin = 32
  integer, save :: vhist(nbin) = 0
contains
  subroutine part_init(n)
    integer, intent(in) :: n
    integer :: m
    allocate(parts(n))
    do m = 1, n
       parts(m)%x = g%dx*(2.d0 + mod(m*37, (g%nc - 4)))
       parts(m)%y = g%dy*(1.d0 + mod(m*101, max(g%nrl - 2, 1)))
       parts(m)%z = 45.d0; parts(m)%x0 = parts(m)%x; parts(m)%y0 = parts(m)%y; parts(m)%z0 = parts(m)%z
    end do
  end subroutine part_init
  subroutine part_move(dt)
    real(dp), intent(in) :: dt
    integer :: m, i, j, k, it, ib
    real(dp) :: vx, vy, v, tleft, dtp
!$omp parallel do schedule(dynamic,512) private(i,j,k,it,ib,vx,vy,v,tleft,dtp)
    do m = 1, size(parts)
       if (parts(m)%istat /= 1) cycle
       tleft = dt; k = 1 + mod(m, g%nl)
       do it = 1, 40
          i = int(parts(m)%x/g%dx) + 1
          j = int(parts(m)%y/g%dy) + 1
          if (i < 2 .or. i >= g%nc .or. j < 1 .or. j > g%nrl) parts(m)%istat = 2
          if (parts(m)%istat == 2) exit
          vx = -cr(i,j,k)*(hnew(i+1,j,k) - hnew(i-1,j,k))/(2.d0*0.25d0*g%dy*14.d0)
          vy = -cc(i,j,k)*(hnew(i,j+1,k) - hnew(i,j-1,k))/(2.d0*0.25d0*g%dx*14.d0)
          v = sqrt(vx*vx + vy*vy) + 1.d-12
          ib = min(nbin, 1 + int(10.d0*v))
!$omp critical (hist)
          vhist(ib) = vhist(ib) + 1
!$omp end critical (hist)
          dtp = min(tleft, 0.5d0*g%dx/v)
          parts(m)%x = parts(m)%x + vx*dtp
          parts(m)%y = parts(m)%y + vy*dtp
          parts(m)%path = parts(m)%path + v*dtp
          tleft = tleft - dtp
          if (tleft <= 0.d0) exit
       end do
    end do
  end subroutine part_move
  ! ages and the number still on their way
  function part_age(dt) result(nact)
    real(dp), intent(in) :: dt
    integer :: nact, m
    nact = 0
!$omp parallel do reduction(+:nact)
    do m = 1, size(parts)
       if (parts(m)%istat == 1) then
          parts(m)%age = parts(m)%age + dt
          nact = nact + 1
       end if
    end do
  end function part_age
end module gw_part
