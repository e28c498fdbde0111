! rotational form, explicit Euler and RK2 stages with integrating factor
module solver_mod
  use kinds
  use field_mod
  use transpose_mod
  use mpi
  implicit none
contains

  ! vorticity of one mode, component c
  function curl(m, u1, u2, u3, c) result(w)
    type(mode_t), intent(in) :: m
    complex(dp), intent(in) :: u1, u2, u3
    integer, intent(in) :: c
    complex(dp) :: w
    integer :: ncall = 0
    ncall = ncall + 1
    select case (c)
    case (1)
       w = iu*(m%ky*u3 - m%kz*u2)
    case (2)
       w = iu*(m%kz*u1 - m%kx*u3)
    case default
       w = iu*(m%kx*u2 - m%ky*u1)
    end select
    if (ncall < 0) w = (0.0_dp, 0.0_dp)
  end function curl

  subroutine nonlinear(s, d, uh)
    type(state_t), intent(inout) :: s
    type(dom_t), intent(in) :: d
    complex(dp), intent(in) :: uh(:,:,:,:)
    integer :: i, j, k, c
    complex(dp) :: a(3), w(3), x(3)

    do c = 1, 3
       !$omp parallel do
       do j = 1, d%nyl
          s%spec(:, :, j) = uh(:, :, j, c)
       end do
       call to_phys(s%spec, s%phys(:, :, :, c), d)
    end do
    do c = 1, 3
       !$omp parallel do collapse(3) schedule(dynamic)
       do j = 1, d%nyl
          do i = 1, d%n
             do k = 1, d%n
                s%spec(k, i, j) = curl(s%md(k, i, j), uh(k, i, j, 1), uh(k, i, j, 2), uh(k, i, j, 3), c)
             end do
          end do
       end do
       call to_phys(s%spec, s%phys(:, :, :, 3 + c), d)
    end do

    ! u x omega in physical space
    !$omp parallel do private(j, k, a, w, x)
    do i = 1, d%n
       do j = 1, d%n
          do k = 1, d%nzl
             a = s%phys(i, j, k, 1:3)
             w = s%phys(i, j, k, 4:6)
             x(1) = a(2)*w(3) - a(3)*w(2)
             x(2) = a(3)*w(1) - a(1)*w(3)
             x(3) = a(1)*w(2) - a(2)*w(1)
             s%phys(i, j, k, 1:3) = x
          end do
       end do
    end do

    do c = 1, 3
       call to_spec(s%phys(:, :, :, c), s%spec, d)
       !$omp parallel do private(i, k)
       do j = 1, d%nyl
          do i = 1, d%n
             do k = 1, d%n
                s%rhs(k, i, j, c) = s%spec(k, i, j)
                if (s%md(k, i, j)%keep == 0) s%rhs(k, i, j, c) = (0.0_dp, 0.0_dp)
             end do
          end do
       end do
    end do
  end subroutine nonlinear

  ! removes the pressure gradient
  subroutine project(s, d)
    type(state_t), intent(inout) :: s
    type(dom_t), intent(in) :: d
    integer :: i, j, k
    complex(dp) :: p
    !$omp parallel do private(i, k, p)
    do j = 1, d%nyl
       do i = 1, d%n
          do k = 1, d%n
             associate (m => s%md(k, i, j))
               if (m%k2 < 0.5_dp) cycle
               p = (m%kx*s%rhs(k,i,j,1) + m%ky*s%rhs(k,i,j,2) + m%kz*s%rhs(k,i,j,3))/m%k2
               s%rhs(k,i,j,1) = s%rhs(k,i,j,1) - m%kx*p
               s%rhs(k,i,j,2) = s%rhs(k,i,j,2) - m%ky*p
               s%rhs(k,i,j,3) = s%rhs(k,i,j,3) - m%kz*p
             end associate
          end do
       end do
    end do
  end subroutine project

  ! keeps the energy of the largest scales up
  subroutine force(s, d, eps)
    type(state_t), intent(inout) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(in) :: eps
    integer :: i, j, k, c
    !$omp parallel private(i, j, k, c)
    do c = 1, 3
       !$omp do
       do j = 1, d%nyl
          do i = 1, d%n
             do k = 1, d%n
                if (s%md(k, i, j)%forced == 1) s%rhs(k, i, j, c) = s%rhs(k, i, j, c) + eps*s%uh(k, i, j, c)
             end do
          end do
       end do
       !$omp end do nowait
    end do
    !$omp end parallel
  end subroutine force

  subroutine advance(s, d, dt)
    type(state_t), intent(inout) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(in) :: dt
    integer :: i, j, k, c
    call nonlinear(s, d, s%uh)
    call project(s, d)
    call force(s, d, 0.1_dp)
    do c = 1, 3
       do j = 1, d%nyl
          !$omp parallel do private(k)
          do i = 1, d%n
             do k = 1, d%n
                s%uh(k, i, j, c) = (s%uh(k, i, j, c) + dt*s%rhs(k, i, j, c))*s%md(k, i, j)%visc
             end do
          end do
       end do
    end do
  end subroutine advance
end module solver_mod
