module forces
  use sem_par
  implicit none
contains

  ! stiffness of the elements of one phase (outer or inner), coloured
  subroutine compute_forces(outer)
    logical, intent(in) :: outer
    integer :: icol, ie, ispec
    real(CUSTOM) :: f(NDIM,NGLLX,NGLLX,NGLLX)
    integer :: i, j, k, ip
    do icol = 1, ncolors
!$omp parallel do private(ispec,f,i,j,k,ip) schedule(static)
       do ie = first_elem(icol), first_elem(icol+1)-1
          ispec = perm(ie)
          if (is_outer(ispec) .neqv. outer) cycle
          call element_force(ispec, xix(ispec,:,:,:), f)
          do k = 1, NGLLX
             do j = 1, NGLLX
                do i = 1, NGLLX
                   ip = ibool(i,j,k,ispec)
                   accel(1,ip) = accel(1,ip) - f(1,i,j,k)
                   accel(2,ip) = accel(2,ip) - f(2,i,j,k)
                   accel(3,ip) = accel(3,ip) - f(3,i,j,k)
                enddo
             enddo
          enddo
       enddo
!$omp end parallel do
    enddo
  end subroutine compute_forces

  subroutine element_force(ispec, xi, f)
    integer, intent(in) :: ispec
    real(CUSTOM), intent(in) :: xi(NGLLX,NGLLX,NGLLX)
    real(CUSTOM), intent(out) :: f(NDIM,NGLLX,NGLLX,NGLLX)
    real(CUSTOM) :: u(NDIM,NGLLX,NGLLX,NGLLX), g(NDIM,NDIM,NGLLX,NGLLX,NGLLX)
    real(CUSTOM) :: t1(NDIM), t2(NDIM), t3(NDIM), tr, la, mu, w
    integer :: i, j, k, l, d, m
    do k = 1, NGLLX
       do j = 1, NGLLX
          do i = 1, NGLLX
             u(:,i,j,k) = displ(:,ibool(i,j,k,ispec))
          enddo
       enddo
    enddo
    do k = 1, NGLLX
       do j = 1, NGLLX
          do i = 1, NGLLX
             t1 = 0.d0; t2 = 0.d0; t3 = 0.d0
             do l = 1, NGLLX
                t1 = t1 + hprime(i,l)*u(:,l,j,k)
                t2 = t2 + hprime(j,l)*u(:,i,l,k)
                t3 = t3 + hprime(k,l)*u(:,i,j,l)
             enddo
             mu = mustore(i,j,k,ispec); la = kappastore(i,j,k,ispec) - 2.d0*mu/3.d0
             w = xi(i,j,k)
             tr = (t1(1)+t2(2)+t3(3))*w
             do d = 1, NDIM
                g(d,1,i,j,k) = mu*w*t1(d)
                g(d,2,i,j,k) = mu*w*t2(d)
                g(d,3,i,j,k) = mu*w*t3(d)
             enddo
             do d = 1, NDIM
                g(d,d,i,j,k) = g(d,d,i,j,k) + la*tr
             enddo
          enddo
       enddo
    enddo
    do k = 1, NGLLX
       do j = 1, NGLLX
          do i = 1, NGLLX
             f(:,i,j,k) = 0.d0
             do m = 1, NGLLX
                f(:,i,j,k) = f(:,i,j,k) + xi(i,j,k)*jacobian(i,j,k,ispec)*( &
                     hw(m,i)*g(:,1,m,j,k)*wgll(j)*wgll(k) + hw(m,j)*g(:,2,i,m,k)*wgll(i)*wgll(k) &
                     + hw(m,k)*g(:,3,i,j,m)*wgll(i)*wgll(j))
             enddo
          enddo
       enddo
    enddo
  end subroutine element_force

  ! attenuation: memory variables of the trace
  subroutine update_memory
    integer :: ispec, ig, s
    real(CUSTOM) :: a, b, un, d1
    do ispec = 1, nspec
       do s = 1, NSLS
          a = exp(-deltat*10.d0**s); b = 1.d0 - a
          do ig = 1, NGLL3
             un = divu(ispec, ig)
             d1 = un/qmu(ispec,ig)
             rmem(ispec,ig,s) = a*rmem(ispec,ig,s) + b*d1
          enddo
       enddo
    enddo
  end subroutine update_memory

  real(CUSTOM) function divu(ispec, ig)
    integer, intent(in) :: ispec, ig
    integer :: i, j, k
    i = mod(ig-1,NGLLX)+1; j = mod((ig-1)/NGLLX,NGLLX)+1; k = (ig-1)/(NGLLX*NGLLX)+1
    divu = displ(1,ibool(i,j,k,ispec)) + displ(2,ibool(i,j,k,ispec)) + displ(3,ibool(i,j,k,ispec))
  end function divu

  ! back to the points; written when there were no colours
  subroutine add_memory
    integer :: ispec, i, j, k, ig, ip
    real(CUSTOM) :: r
!$omp parallel do private(i,j,k,ig,ip,r)
    do ispec = 1, nspec
       do k = 1, NGLLX
          do j = 1, NGLLX
             do i = 1, NGLLX
                ig = i + (j-1)*NGLLX + (k-1)*NGLLX*NGLLX
                r = sum(rmem(ispec,ig,:))*jacobian(i,j,k,ispec)
                ip = ibool(i,j,k,ispec)
                accel(3,ip) = accel(3,ip) - 1.d-3*r
             enddo
          enddo
       enddo
    enddo
!$omp end parallel do
  end subroutine add_memory

  ! damping by the strain, all elements at once
  subroutine damp_elements(ethr)
    real(CUSTOM), intent(in) :: ethr
    integer :: ispec, i, j, k, ip
    real(CUSTOM) :: loc(NGLLX,NGLLX,NGLLX), v2
!$omp parallel do private(i,j,k,ip,loc,v2)
    do ispec = 1, nspec
       v2 = 0.d0
       do k = 1, NGLLX
          do j = 1, NGLLX
             do i = 1, NGLLX
                ip = ibool(i,j,k,ispec)
                loc(i,j,k) = veloc(1,ip)**2 + veloc(2,ip)**2 + veloc(3,ip)**2
                v2 = v2 + loc(i,j,k)
             enddo
          enddo
       enddo
       if (v2 < ethr) cycle
!$omp critical (damp)
       do k = 1, NGLLX
          do j = 1, NGLLX
             do i = 1, NGLLX
                ip = ibool(i,j,k,ispec)
                accel(:,ip) = accel(:,ip) - 1.d-4*loc(i,j,k)*veloc(:,ip)*jacobian(i,j,k,ispec)
             enddo
          enddo
       enddo
!$omp end critical (damp)
    enddo
!$omp end parallel do
  end subroutine damp_elements

  ! coarse gravity correction, forward and back substitution
  subroutine coarse_solve
    integer :: i, j
    do i = 1, nco
       xco(i) = bco(i)
       do j = 1, i-1
          xco(i) = xco(i) - lco(i,j)*xco(j)
       enddo
    enddo
    do i = nco, 1, -1
       do j = i+1, nco
          xco(i) = xco(i) - lco(j,i)*xco(j)
       enddo
    enddo
  end subroutine coarse_solve
end module forces
