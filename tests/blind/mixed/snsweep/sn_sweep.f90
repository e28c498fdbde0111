module sn_sweep
  use sn_data
  use sn_comm
  use omp_lib
  implicit none
contains

  subroutine sweep_group(g)
    integer, intent(in) :: g
    real(r8), allocatable :: psix(:), psiy(:,:)
    real(r8) :: s, p, den, cx, cy, cz, fx
    integer :: a, i, j, k, t
    call recv_face(g)
    psiz(:,:,:,g) = psiz_in(:,:,:,g)
    flux(:,:,:,g) = 0.0_r8
    do k = 1, nz
!$omp parallel private(a,i,j,s,p,den,cx,cy,cz,fx,psix,psiy,t)
       t = omp_get_thread_num() + 1
       allocate(psix(ny), psiy(nx,1))
!$omp do schedule(static)
       do a = 1, nang
          cx = 2.0_r8*quad%mu(a)/hx
          cy = 2.0_r8*quad%eta(a)/hy
          cz = 2.0_r8*quad%xi(a)/hz
          psiy = 0.0_r8
          do j = 1, ny
             fx = 0.0_r8
             do i = 1, nx
                s = qsrc(i,j,k,g)
                den = sigt(mat(i,j,k),g) + cx + cy + cz
                p = (s + cx*fx + cy*psiy(i,1) + cz*psiz(a,i,j,g))/den
                fx = 2.0_r8*p - fx
                if (fx < 0.0_r8) then
                   fx = 0.0_r8
                   ptal(t)%fixups = ptal(t)%fixups + 1
                end if
                psiy(i,1) = max(2.0_r8*p - psiy(i,1), 0.0_r8)
                psiz(a,i,j,g) = max(2.0_r8*p - psiz(a,i,j,g), 0.0_r8)
!$omp atomic
                flux(i,j,k,g) = flux(i,j,k,g) + quad%w(a)*p
                tally(t)%absorb = tally(t)%absorb + quad%w(a)*p
             end do
          end do
       end do
!$omp end do
       deallocate(psix, psiy)
!$omp end parallel
    end do
    call send_face(g)
  end subroutine sweep_group

  ! angular moments on the outgoing face
  subroutine face_moments(g, fm)
    integer, intent(in) :: g
    real(r8), intent(out) :: fm(nmom)
    real(r8) :: loc(nmom)
    integer :: i, j, a, m
    fm = 0.0_r8
!$omp parallel private(i,j,a,m,loc)
    loc = 0.0_r8
!$omp do
    do j = 1, ny
       do i = 1, nx
          do a = 1, nang
             do m = 1, nmom
                loc(m) = loc(m) + quad%ylm(m,a)*quad%w(a)*psiz(a,i,j,g)
             end do
          end do
       end do
    end do
!$omp end do nowait
!$omp critical
    fm = fm + loc
!$omp end critical
!$omp end parallel
  end subroutine face_moments

  ! leakage through the sides
  subroutine leakage(g, lk)
    integer, intent(in) :: g
    real(r8), intent(out) :: lk
    integer :: j, k
    real(r8) :: e
    lk = 0.0_r8
!$omp parallel do private(k)
    do k = 1, nz
       do j = 1, ny
          e = flux(1,j,k,g) + flux(nx,j,k,g)
          lk = lk + 0.25_r8*e*hy*hz
       end do
    end do
  end subroutine leakage

  ! largest relative change, cell by cell
  function change(g) result(d)
    integer, intent(in) :: g
    real(r8) :: d, e
    integer :: i, j, k
    d = 0.0_r8
!$omp parallel do private(i,j,k,e)
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             e = abs(flux(i,j,k,g) - flux0(i,j,k,g))/(flux(i,j,k,g) + 1.0e-20_r8)
             if (e > d) then
!$omp critical (chg)
                if (e > d) d = e
!$omp end critical (chg)
             end if
          end do
       end do
    end do
  end function change

  subroutine keep(g)
    integer, intent(in) :: g
    integer :: i, j, k
!$omp parallel do private(i,j) schedule(static)
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             flux0(i,j,k,g) = flux(i,j,k,g)
          end do
       end do
    end do
  end subroutine keep
end module sn_sweep
