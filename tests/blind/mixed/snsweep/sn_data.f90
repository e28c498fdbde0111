module sn_data
  implicit none
  integer, parameter :: r8 = selected_real_kind(15)
  integer :: nx = 48, ny = 48, nz = 12, ngrp = 12, nang = 24, nmom = 4, nmat = 4
  integer :: iam, npes, pe_dn, pe_up
  real(r8) :: hx = 0.1_r8, hy = 0.1_r8, hz = 0.1_r8, eps = 1.0e-5_r8

  type quad_t
     real(r8), allocatable :: mu(:), eta(:), xi(:), w(:)
     real(r8), allocatable :: ylm(:,:)          ! moment, angle
  end type quad_t
  type(quad_t) :: quad

  ! one cell of the geometry
  type zone_t
     integer(1) :: mat
     real(r8)   :: dens
     logical(1) :: void
     real(r8)   :: temp
  end type zone_t
  type(zone_t), allocatable :: zone(:,:,:)

  ! balance counters, one per thread
  type tally_t
     real(r8) :: leak, absorb, fiss
  end type tally_t
  type(tally_t), allocatable :: tally(:)

  ! counters padded out to their own lines
  type ptally_t
     integer :: fixups
     integer :: pad(15)
  end type ptally_t
  type(ptally_t), allocatable :: ptal(:)

  integer, allocatable :: mat(:,:,:)
  real(r8), allocatable :: sigt(:,:), sigs(:,:,:), nusf(:,:), chi(:)   ! mat,group
  real(r8), allocatable :: flux(:,:,:,:)        ! x,y,z,g
  real(r8), allocatable :: flux0(:,:,:,:)
  real(r8), allocatable :: qsrc(:,:,:,:)
  real(r8), allocatable :: qext(:,:,:,:)        ! g,x,y,z
  real(r8), allocatable :: fsrc(:,:,:)
  real(r8), allocatable :: psiz(:,:,:,:)        ! angle,x,y,g
  real(r8), allocatable :: psiz_in(:,:,:,:)
contains
  subroutine alloc_all(nthr)
    integer, intent(in) :: nthr
    integer :: g, i, j, k
    allocate(mat(nx,ny,nz), zone(nx,ny,nz))
    allocate(sigt(nmat,ngrp), nusf(nmat,ngrp), chi(ngrp), sigs(nmat,ngrp,ngrp))
    allocate(flux(nx,ny,nz,ngrp), flux0(nx,ny,nz,ngrp), qsrc(nx,ny,nz,ngrp))
    allocate(qext(ngrp,nx,ny,nz), fsrc(nx,ny,nz))
    allocate(psiz(nang,nx,ny,ngrp), psiz_in(nang,nx,ny,ngrp))
    allocate(tally(nthr), ptal(nthr))
    flux = 0.0_r8
    qsrc = 0.0_r8
    qext = 0.0_r8
!$omp parallel do private(i,j,g) schedule(static)
    do k = 1, nz
       do g = 1, ngrp
          do j = 1, ny
             do i = 1, nx
                flux0(i,j,k,g) = 0.0_r8
             end do
          end do
       end do
    end do
    psiz = 0.0_r8
    psiz_in = 0.0_r8
    fsrc = 0.0_r8
  end subroutine alloc_all
end module sn_data
