module mp2_mod
  use qc_kinds
  use omp_lib
  implicit none
contains
  ! y(j) = sum_r x(r) c(r,j)
  subroutine vecmat(x, c, n, m, y)
    integer  :: n, m, j, r
    real(dp) :: x(n), c(n,m), y(m), acc
    intent(in) :: x, c, n, m; intent(out) :: y
    do j = 1, m
       acc = 0.0_dp
       !$omp simd reduction(+:acc)
       do r = 1, n
          acc = acc + x(r)*c(r,j)
       end do
       y(j) = acc
    end do
  end subroutine vecmat

  subroutine ao2mo(eri, co, cv, n, no, nv, ov)
    integer,  intent(in) :: n, no, nv
    real(dp), intent(in) :: eri(n,n,n,n), co(n,no), cv(n,nv)
    real(dp), intent(out) :: ov(no,nv,no,nv)
    real(dp), allocatable :: t1(:,:,:,:), t2(:,:,:,:), t3(:,:,:,:)
    real(dp) :: acc, w, row(no)
    integer  :: p, q, r, s, i, j, a, b
    allocate(t1(no,n,n,n), t2(no,nv,n,n), t3(no,nv,no,n))
    !$omp parallel do collapse(2) private(i, p, q, acc) schedule(static)
    do s = 1, n
       do r = 1, n
          do q = 1, n
             do i = 1, no
                acc = 0.0_dp
                do p = 1, n
                   acc = acc + co(p,i)*eri(p,q,r,s)
                end do
                t1(i,q,r,s) = acc
    end do; end do; end do; end do
    !$omp parallel do private(i, a, q, w) collapse(2) schedule(static)
    do s = 1, n
       do r = 1, n
          do a = 1, nv
             t2(:,a,r,s) = 0.0_dp
             do q = 1, n
                w = cv(q,a)
                do i = 1, no
                   t2(i,a,r,s) = t2(i,a,r,s) + w*t1(i,q,r,s)
    end do; end do; end do; end do; end do
    do s = 1, n
       do a = 1, nv
          do i = 1, no
             call vecmat(t2(i,a,:,s), co, n, no, row)
             t3(i,a,:,s) = row
    end do; end do; end do
    !$omp parallel do private(i, a, j, b, s, acc) schedule(static)
    do i = 1, no
       do a = 1, nv
          do j = 1, no
             do b = 1, nv
                acc = 0.0_dp
                do s = 1, n
                   acc = acc + t3(i,a,j,s)*cv(s,b)
                end do
                ov(i,a,j,b) = acc
    end do; end do; end do; end do
  end subroutine ao2mo

  subroutine mp2_energy(ov, eps, no, nv, e2)
    integer,  intent(in)  :: no, nv
    real(dp), intent(in)  :: ov(no,nv,no,nv), eps(:)
    real(dp), intent(out) :: e2
    real(dp), allocatable :: esum(:,:)
    real(dp) :: dab, eb
    integer  :: i, j, a, b, it, nt, ierr
    nt = omp_get_max_threads()
    allocate(esum(16,0:nt-1), source=0.0_dp)
    !$omp parallel private(it, i, j, a, b, dab, eb)
    it = omp_get_thread_num()
    !$omp do schedule(static)
    do b = 1 + world%rank, nv, world%size
       do j = 1, no
          eb = 0.0_dp
          do a = 1, nv
             dab = eps(j) - eps(no+a) - eps(no+b)
             do i = 1, no
                eb = eb + ov(i,a,j,b)*(2.0_dp*ov(i,a,j,b) - ov(i,b,j,a))/(eps(i) + dab)
          end do; end do
          esum(1,it) = esum(1,it) + eb
    end do; end do
    !$omp end parallel
    e2 = sum(esum(1,:))
    call mpi_allreduce(MPI_IN_PLACE, e2, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world%comm, ierr)
  end subroutine mp2_energy
end module mp2_mod
