#!/usr/bin/env bash
# Installs what a build and the tests need, when something is missing: Debian packages (as root or through sudo, without
# questions) and the Python environment in build/venv. Does nothing, in well under a second, when all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  # static half, and the build itself
  llvm-19-dev libclang-19-dev libclang-cpp19-dev clang-19 clang-tidy-19 clang-format-19 lld-19 libomp-19-dev
  cmake ninja-build ccache make git openssl
  # run-time half and its tests
  gcc g++ gfortran libc6-dev openmpi-bin libopenmpi-dev mpich libmpich-dev valgrind
  python3 python3-venv
  # tests of the package and of what shells show
  debhelper dh-python mandoc zsh fish tcsh
  # a client of the language server, for its tests
  neovim
  # what commands execute, for tests/hostile
  strace
  # build systems of tests/firsthour
  automake autoconf libtool libtool-bin meson
)
# A machine with two memory nodes for tests/placement.
[[ $(uname -m) != x86_64 ]] || packages+=(qemu-system-x86 busybox-static)
tools=(clang-19 clang-tidy-19 clang-format-19 ld.lld-19 cmake ninja ccache gcc g++ gfortran mpicc mpirun valgrind python3)

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
    say "needed: LLVM and Clang 19 with development files, clang-tidy 19, lld, CMake 3.22, Ninja, ccache, an MPI, Valgrind, Python 3.11"
    say "Debian's names for them: ${packages[*]}"
  fi
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
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || "${apt[@]}" update || true
  for try in 1 2 3; do
    # --no-remove: never take away a package that somebody installed, such as another version of libomp.
    if "${apt[@]}" install --yes --no-install-recommends --no-remove "${missing[@]}" </dev/null >/dev/null; then
      return
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
  python=$(find_python)
  say "creating $venv"
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
  fetch_kernel
else
  without_apt "this is no Debian system"
fi
make_environment
