module sn_input
  use sn_data
  implicit none
contains
  subroutine make_problem()
    integer :: i, j, k, g, gp, m, a
    do k = 1, nz
       do i = 1, nx
          do j = 1, ny
             zone(i,j,k)%mat = int(1 + mod(i/6 + j/6 + k/3, nmat),1)
             zone(i,j,k)%dens = 1.0_r8
             zone(i,j,k)%void = .false.
             zone(i,j,k)%temp = 600.0_r8
             mat(i,j,k) = zone(i,j,k)%mat
          end do
       end do
    end do
    do g = 1, ngrp
       chi(g) = merge(0.4_r8, 0.0_r8, g <= 2)
       do m = 1, nmat
          sigt(m,g) = 1.0_r8 + 0.1_r8*m + 0.05_r8*g
          nusf(m,g) = merge(0.3_r8, 0.0_r8, m == 1)
          do gp = 1, ngrp
             sigs(m,g,gp) = merge(0.5_r8/(1 + abs(g-gp))/ngrp, 0.0_r8, gp <= g)
          end do
       end do
    end do
    allocate(quad%mu(nang), quad%eta(nang), quad%xi(nang), quad%w(nang), quad%ylm(nmom,nang))
    do a = 1, nang
       quad%mu(a) = cos(0.06_r8*a)
       quad%eta(a) = 0.7_r8*sin(0.06_r8*a)
       quad%xi(a) = 0.7_r8*sin(0.06_r8*a)
       quad%w(a) = 1.0_r8/nang
       do m = 1, nmom
          quad%ylm(m,a) = quad%mu(a)**(m-1)
       end do
    end do
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             do g = 1, ngrp
                qext(g,i,j,k) = merge(1.0_r8, 0.0_r8, mat(i,j,k) == 2)
             end do
          end do
       end do
    end do
  end subroutine make_problem
end module sn_input
