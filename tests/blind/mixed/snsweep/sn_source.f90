module sn_source
  use sn_data
  implicit none
contains
  subroutine fission_source()
    integer :: i, j, k, g
!$omp parallel private(g,k,j,i)
    do g = 1, ngrp
!$omp do
       do k = 1, nz
          do j = 1, ny
             do i = 1, nx
                if (g == 1) fsrc(i,j,k) = 0.0_r8
                fsrc(i,j,k) = fsrc(i,j,k) + nusf(mat(i,j,k),g)*flux(i,j,k,g)
             end do
          end do
       end do
!$omp end do
    end do
!$omp end parallel
  end subroutine fission_source

  subroutine group_source(g, keff)
    integer, intent(in) :: g
    real(r8), intent(in) :: keff
    integer :: i, j, k, gp
    do k = 1, nz
!$omp parallel do private(i)
       do j = 1, ny
          do i = 1, nx
             qsrc(i,j,k,g) = chi(g)*fsrc(i,j,k)/keff + qext(g,i,j,k)
          end do
       end do
    end do
!$omp parallel do private(k,j,i,gp)
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             do gp = 1, g-1
                qsrc(i,j,k,g) = qsrc(i,j,k,g) + sigs(mat(i,j,k),g,gp)*flux(i,j,k,gp)
             end do
          end do
       end do
    end do
  end subroutine group_source

  ! total scattering rate per group for the balance
  subroutine scatter_rates(sr)
    real(r8), intent(out) :: sr(ngrp)
    integer :: g, gp, i, j, k
    sr = 0.0_r8
!$omp parallel do private(gp,k,j,i) reduction(+:sr)
    do g = 1, ngrp
       do gp = 1, g
          do k = 1, nz
             do j = 1, ny
                do i = 1, nx
                   sr(g) = sr(g) + sigs(mat(i,j,k),g,gp)*flux(i,j,k,gp)
                end do
             end do
          end do
       end do
    end do
  end subroutine scatter_rates
end module sn_source
