module sn_accel
  use sn_data
  use sn_comm
  implicit none
  real(r8), allocatable :: corr(:,:,:), cw(:,:,:)
contains

  ! diffusion correction by damped Jacobi
  subroutine dsa(nit)
    integer, intent(in) :: nit
    real(r8) :: lo(nx,ny), hi(nx,ny), r, rr, d
    integer :: it, i, j, k
    if (.not. allocated(corr)) allocate(corr(nx,ny,nz), cw(nx,ny,nz))
    corr = 0.0_r8
    cw = 0.0_r8
    do it = 1, nit
       call swap_planes(corr, lo, hi)
       r = 0.0_r8
!$omp parallel do private(i,j,k,d) reduction(+:r)
       do k = 1, nz
          do i = 2, nx-1
             do j = 2, ny-1
                d = corr(i-1,j,k) + corr(i+1,j,k) + corr(i,j-1,k) + corr(i,j+1,k)
                if (k > 1) then
                   d = d + corr(i,j,k-1)
                else
                   d = d + lo(i,j)
                end if
                if (k < nz) then
                   d = d + corr(i,j,k+1)
                else
                   d = d + hi(i,j)
                end if
                cw(i,j,k) = (fsrc(i,j,k) + d)/7.0_r8
                r = r + (cw(i,j,k) - corr(i,j,k))**2
             end do
          end do
       end do
       do k = 1, nz
          do j = 1, ny
             do i = 1, nx
                corr(i,j,k) = cw(i,j,k)
             end do
          end do
       end do
       rr = gsum(r)
       if (rr < 1.0e-12_r8) exit
    end do
  end subroutine dsa

  ! smoothing of the correction with the halo on the way
  subroutine smooth_corr()
    real(r8) :: lo(nx,ny), hi(nx,ny)
    integer :: i, j, k, rq(4)
    call swap_planes_begin(corr, lo, hi, rq)
!$omp parallel do private(i,j)
    do k = 2, nz-1
       do j = 1, ny
          do i = 1, nx
             cw(i,j,k) = 0.5_r8*corr(i,j,k) + 0.25_r8*(corr(i,j,k-1) + corr(i,j,k+1))
          end do
       end do
    end do
    call swap_planes_end(rq)
    cw(:,:,1) = 0.5_r8*corr(:,:,1) + 0.25_r8*(lo + corr(:,:,2))
    cw(:,:,nz) = 0.5_r8*corr(:,:,nz) + 0.25_r8*(hi + corr(:,:,nz-1))
  end subroutine smooth_corr

  subroutine apply_corr()
    integer :: i, j, k, g
!$omp parallel do collapse(2) private(i,j)
    do g = 1, ngrp
       do k = 1, nz
          do j = 1, ny
             do i = 1, nx
                flux(i,j,k,g) = flux(i,j,k,g) + 1.0e-3_r8*cw(i,j,k)
             end do
          end do
       end do
    end do
  end subroutine apply_corr
end module sn_accel
