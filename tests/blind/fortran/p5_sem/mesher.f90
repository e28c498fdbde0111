subroutine create_mesh
  use sem_par
  implicit none
  integer :: ix, iy, iz, ispec, i, j, k, n, ic, ip, c, ierr
  real(CUSTOM) :: h

  nez_loc = NEZ/sizeprocs
  nspec = NEX*NEY*nez_loc
  npx = NEX*(NGLLX-1)+1; npy = NEY*(NGLLX-1)+1; npz = nez_loc*(NGLLX-1)+1
  nglob = npx*npy*npz
  h = 1.d0/NEX
  call gll_tables
  allocate(ibool(NGLLX,NGLLX,NGLLX,nspec), jacobian(NGLLX,NGLLX,NGLLX,nspec))
  allocate(mustore(NGLLX,NGLLX,NGLLX,nspec), kappastore(NGLLX,NGLLX,NGLLX,nspec))
  allocate(qmu(nspec,NGLL3), rmem(nspec,NGLL3,NSLS), xix(nspec,NGLLX,NGLLX,NGLLX))
  allocate(displ(NDIM,nglob), veloc(NDIM,nglob), accel(NDIM,nglob), rmass(nglob))
  allocate(xs(nglob), ys(nglob), zs(nglob))

  ispec = 0
  do iz = 1, nez_loc
     do iy = 1, NEY
        do ix = 1, NEX
           ispec = ispec + 1
           do i = 1, NGLLX
              do j = 1, NGLLX
                 do k = 1, NGLLX
                    ip = (ix-1)*(NGLLX-1)+i + npx*((iy-1)*(NGLLX-1)+j-1 + npy*((iz-1)*(NGLLX-1)+k-1))
                    ibool(i,j,k,ispec) = ip
                    xs(ip) = (ix-1+0.5d0*(1+xigll(i)))*h
                    ys(ip) = (iy-1+0.5d0*(1+xigll(j)))*h
                    zs(ip) = (iz-1+myrank*nez_loc+0.5d0*(1+xigll(k)))*h
                    jacobian(i,j,k,ispec) = (0.5d0*h)**3
                    mustore(i,j,k,ispec) = 1.d0 + 0.5d0*zs(ip)
                    kappastore(i,j,k,ispec) = 2.d0 + zs(ip)
                    xix(ispec,i,j,k) = 2.d0/h
                 enddo
              enddo
           enddo
        enddo
     enddo
  enddo
  qmu = 50.d0
  rmem = 0.d0
  displ = 0.d0
  veloc = 0.d0
  accel = 0.d0

  ! eight colours by parity
  ncolors = 8
  allocate(perm(nspec), first_elem(ncolors+1), is_outer(nspec))
  n = 0
  do c = 0, 7
     first_elem(c+1) = n + 1
     ispec = 0
     do iz = 1, nez_loc
        do iy = 1, NEY
           do ix = 1, NEX
              ispec = ispec + 1
              if (mod(ix,2)+2*mod(iy,2)+4*mod(iz,2) == c) then
                 n = n + 1; perm(n) = ispec
              endif
              is_outer(ispec) = iz == 1 .or. iz == nez_loc
           enddo
        enddo
     enddo
  enddo
  first_elem(9) = nspec + 1

  ! interface points
  rbot = myrank-1; if (rbot < 0) rbot = MPI_PROC_NULL
  rtop = myrank+1; if (rtop >= sizeprocs) rtop = MPI_PROC_NULL
  nibot = npx*npy; nitop = npx*npy
  allocate(ipbot(nibot), iptop(nitop))
  do ic = 1, npx*npy
     ipbot(ic) = ic
     iptop(ic) = ic + npx*npy*(npz-1)
  enddo

  ! mass matrix
  rmass = 0.d0
  do ispec = 1, nspec
     do k = 1, NGLLX
        do j = 1, NGLLX
           do i = 1, NGLLX
              ip = ibool(i,j,k,ispec)
              rmass(ip) = rmass(ip) + wgll(i)*wgll(j)*wgll(k)*jacobian(i,j,k,ispec)
           enddo
        enddo
     enddo
  enddo

  ! stations along a line
  nrec = 6
  allocate(sta(nrec), seis(NDIM,nrec,NSTEP))
  do i = 1, nrec
     sta(i)%iglob = 1 + (i*npx)/8 + npx*(npy/2)
     write(sta(i)%name,'(a,i2.2)') 'ST', i
  enddo

  ! dense coarse factor, unit diagonal
  do i = 1, nco
     do j = 1, nco
        lco(i,j) = 0.d0
        if (j < i) lco(i,j) = 0.1d0*exp(-abs(i-j)/10.d0)
        if (j == i) lco(i,j) = 1.d0
     enddo
  enddo
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
end subroutine create_mesh

subroutine gll_tables
  use sem_par
  implicit none
  integer :: i, j, l, m
  real(CUSTOM) :: p, s
  xigll = (/ -1.d0, -sqrt(3.d0/7.d0), 0.d0, sqrt(3.d0/7.d0), 1.d0 /)
  wgll  = (/ 0.1d0, 49.d0/90.d0, 32.d0/45.d0, 49.d0/90.d0, 0.1d0 /)
  do i = 1, NGLLX
     do j = 1, NGLLX
        s = 0.d0
        do l = 1, NGLLX
           if (l == j) cycle
           p = 1.d0/(xigll(j)-xigll(l))
           do m = 1, NGLLX
              if (m == j .or. m == l) cycle
              p = p*(xigll(i)-xigll(m))/(xigll(j)-xigll(m))
           enddo
           s = s + p
        enddo
        hprime(i,j) = s
     enddo
  enddo
  do j = 1, NGLLX
     do i = 1, NGLLX
        hw(i,j) = hprime(i,j)*wgll(i)
     enddo
  enddo
end subroutine gll_tables
