! Evapotranspiration, recharge and rivers.  EVT part taken over from the F77 version.
module gw_evt
  use gw_types
  use gw_comm
  implicit none
  real(dp) :: etsurf(mxc,mxr), exdp(mxc,mxr), rfl(mxc,mxr), rech(mxc,mxr)
  common /evtdat/ etsurf, exdp, rfl, rech
contains
  subroutine evt_init()
    etsurf(1:g%nc,1:g%nrl) = g%top(1:g%nc,1:g%nrl) - 1.5d0
    exdp(1:g%nc,1:g%nrl)   = 4.d0
    rfl(1:g%nc,1:g%nrl)    = 0.d0
  end subroutine evt_init
  ! rain on the surface, interception and infiltration capacity
  subroutine recharge(t)
    real(dp), intent(in) :: t
    integer :: ic, ir
    real(dp) :: rain, cap, wet
    do ir = 1, g%nrl
       do ic = 1, g%nc
          rain = 2.d-3*(1.d0 + sin(6.2831853d0*t/365.d0 + 0.01d0*ic))
          wet  = max(0.d0, min(1.d0, (hnew(ic,ir,1) - g%bot(ic,ir,1))/14.d0))
          cap  = 6.d-3*exp(-2.5d0*wet)*(1.d0 - wet**1.7d0)
          rech(ic,ir) = min(rain, cap)
          rfl(ic,ir)  = rain - rech(ic,ir)
       end do
    end do
  end subroutine recharge
  ! overland flow runs to the south within the strip and infiltrates on its way
  subroutine overland()
    integer :: ic, ir
    real(dp) :: carry
    do ic = 1, g%nc
       carry = 0.d0
       do 30 ir = 1, g%nrl
          carry = carry*0.7d0 + rfl(ic,ir)
          rech(ic,ir) = rech(ic,ir) + 0.1d0*carry
30     continue
    end do
  end subroutine overland
  subroutine evt_form(rate)
    real(dp), intent(in) :: rate
    integer :: ic, ir
    real(dp) :: d, area
    area = g%dx*g%dy
!$omp parallel do private(ic,d)
    do ir = 1, g%nrl
       do ic = 1, g%nc
          d = etsurf(ic,ir) - hnew(ic,ir,1)
          rhs(ic,ir,1) = rhs(ic,ir,1) - rech(ic,ir)*area
          if (d > exdp(ic,ir)) cycle
          if (d <= 0.d0) then
             rhs(ic,ir,1) = rhs(ic,ir,1) + rate*area
          else
             rhs(ic,ir,1)  = rhs(ic,ir,1) + rate*area*(1.d0 - etsurf(ic,ir)/exdp(ic,ir))
             hcof(ic,ir,1) = hcof(ic,ir,1) - rate*area/exdp(ic,ir)
          end if
       end do
    end do
  end subroutine evt_form
  ! several reaches may lie in one cell
  subroutine river_form()
    integer :: n, i, j, k
    real(dp) :: dh, qr
!$omp parallel do private(i,j,k,qr)
    do n = 1, size(reaches)
       i = reaches(n)%ic; j = reaches(n)%ir; k = reaches(n)%il
       dh = hnew(i,j,k) - reaches(n)%rbot
       if (dh > 0.d0) then
          qr = reaches(n)%cond*reaches(n)%stage
!$omp atomic
          rhs(i,j,k) = rhs(i,j,k) - qr
!$omp atomic
          hcof(i,j,k) = hcof(i,j,k) - reaches(n)%cond
       else
!$omp atomic
          rhs(i,j,k) = rhs(i,j,k) - reaches(n)%cond*(reaches(n)%stage - reaches(n)%rbot)
       end if
       reaches(n)%q = reaches(n)%cond*(reaches(n)%stage - reaches(n)%rbot - max(dh, 0.d0))
    end do
  end subroutine river_form
end module gw_evt
