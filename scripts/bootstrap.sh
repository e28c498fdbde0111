#!/usr/bin/env bash
# Installs what is missing: Debian packages (as root or through sudo, without questions) and the Python environment in
# build/venv. `bootstrap.sh demo` does so for a build and the demonstration, `bootstrap.sh` for the tests, too. Does
# nothing, in well under a second, when all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for_what=${1:-tests}
packages=(
  # static half, and the build itself
  llvm-19-dev libclang-19-dev libclang-cpp19-dev clang-19 lld-19 libomp-19-dev libzstd-dev zlib1g-dev
  cmake ninja-build ccache make git
  # run-time half
  gcc g++ libc6-dev openmpi-bin libopenmpi-dev valgrind
  python3 python3-venv
)
if [[ $for_what != demo ]]; then
  packages+=(
    # hosts of the checks, style
    clang-tidy-19 clang-format-19
    # sanitizers and fuzzers
    libclang-rt-19-dev
    # the other MPI, Fortran programs
    mpich libmpich-dev gfortran flang-19 openssl
    # tests of the package and of what shells show
    debhelper dh-python mandoc zsh fish tcsh
    # a client of the language server
    neovim
    # a browser, for tests/browser
    chromium chromium-driver
    # the reader of OTF2 traces, for tests/mpi
    otf2-tools
    # what commands execute, for tests/hostile
    strace
    # build systems of tests/firsthour
    automake autoconf libtool libtool-bin meson
  )
  # A machine with two memory nodes for tests/placement.
  [[ $(uname -m) != x86_64 ]] || packages+=(qemu-system-x86 busybox-static)
fi
tools=(clang-19 ld.lld-19 cmake ninja ccache gcc g++ mpicc mpirun valgrind python3)
[[ $for_what == demo ]] || tools+=(clang-tidy-19 clang-format-19 gfortran flang-new-19)

say() { printf 'bootstrap: %s\n' "$*" >&2; }

missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^ii *//p' || true)
  comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) <(sort -u <<<"$installed")
}

# Goes on where every tool is there already, whoever installed it; the build then says what it lacks.
without_apt() {
  local tool absent=()
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || absent+=("$tool")
  done
  if ((${#absent[@]})); then
    say "$1; these tools are not on PATH: ${absent[*]}"
    say "needed: LLVM and Clang 19 with development files, lld, CMake 3.22, Ninja, ccache, an MPI, Valgrind, Python 3.11; for the tests clang-tidy 19, too"
    say "Debian's names for them: ${packages[*]}"
  fi
}

# What apt tells about its progress, as a line for each further tenth.
tenths() {
  local kind share last=-1 now
  while IFS=: read -r kind _ share _; do
    [[ $kind == dlstatus || $kind == pmstatus ]] || continue
    now="$kind $((${share%%.*} / 10))"
    [[ $now == "$last" ]] && continue
    last=$now
    [[ $kind == dlstatus ]] && say "  fetched ${share%%.*} %" || say "  installed ${share%%.*} %"
  done
}

install_packages() {
  local missing=("$@") root=() try
  if ((EUID != 0)); then
    if ! sudo -n true 2>/dev/null; then
      without_apt "cannot install without root or sudo: apt-get install ${missing[*]}"
      return
    fi
    root=(sudo -n)
  fi
  # Options, not the environment: sudo drops most of that.
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 -qq)
  say "installing ${missing[*]}"
  say "  (LLVM and Clang are most of it: some minutes)"
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || "${apt[@]}" update || true
  for try in 1 2 3; do
    # --no-remove: never take away a package that somebody installed, such as another version of libomp.
    # A descriptor for the progress passes through no sudo.
    if ((${#root[@]})); then
      "${apt[@]}" install --yes --no-install-recommends --no-remove "${missing[@]}" </dev/null >/dev/null && return
    else
      "${apt[@]}" -o APT::Status-Fd=3 install --yes --no-install-recommends --no-remove "${missing[@]}" \
        </dev/null >/dev/null 3> >(tenths) && return
    fi
    ((try == 3)) && break
    say "that failed; refreshing the package lists and trying again"
    sleep $((5 * try))
    "${apt[@]}" update || true
  done
  without_apt "apt-get could not install ${missing[*]}"
}

find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  say "no Python 3.11 or newer with the venv module is on PATH (Debian: python3-venv)"
  return 1
}

make_environment() {
  local venv=build/venv requirements=scripts/requirements.txt python stamp
  stamp="$(sha256sum <"$requirements") $PWD"
  if [[ -x $venv/bin/python && "$(cat "$venv/.complete" 2>/dev/null)" == "$stamp" ]]; then
    return
  fi
  if [[ $for_what == demo ]]; then
    # The commands need nothing that does not come with Python.
    [[ -x $venv/bin/python ]] || "$(find_python)" -m venv "$venv"
    return
  fi
  python=$(find_python)
  say "installing the packages of $requirements in $venv"
  "$python" -m venv --clear "$venv"
  if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 --require-hashes -r "$requirements"; then
    say "pip could not install $requirements"
    say "behind a proxy set HTTPS_PROXY, with a mirror PIP_INDEX_URL; offline put the wheels in a folder and set PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER"
    return 1
  fi
  printf '%s' "$stamp" >"$venv/.complete"
}

# The kernel for that machine, taken out of its package: installing one would change what this computer boots. Without it
# the tests that need it are skipped and say so.
fetch_kernel() {
  local folder=build/kernel name work
  [[ $(uname -m) == x86_64 ]] || return 0
  if compgen -G "$folder/vmlinuz-*-cloud-amd64" >/dev/null || compgen -G '/boot/vmlinuz-*-cloud-amd64' >/dev/null; then
    return 0
  fi
  name=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -1) || true
  [[ -n $name ]] || return 0
  say "fetching $name for a test machine"
  work=$(mktemp -d)
  if (cd "$work" && apt-get -qq download "$name" >/dev/null 2>&1) && mkdir -p "$folder" &&
    dpkg-deb --fsys-tarfile "$work"/*.deb | tar -x -C "$work" --wildcards './boot/vmlinuz-*'; then
    mv "$work"/boot/vmlinuz-* "$folder/"
  else
    say "that failed; the tests on two memory nodes will be skipped"
  fi
  rm -rf "$work"
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  [[ $for_what == demo ]] || fetch_kernel
else
  without_apt "this is no Debian system"
fi
make_environment
