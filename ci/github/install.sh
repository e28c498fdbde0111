#!/usr/bin/env bash
# Makes the command `stridewise` available to the following steps of a job.
#   install.sh look      says whether it is on PATH, and under which name an installed one is kept
#   install.sh install   installs it into an environment of its own, unless that came from the cache
# Reads INPUT_PACKAGE and GitHub's own variables; nothing of them becomes part of a command.
set -euo pipefail

environment=${RUNNER_TEMP:?}/stridewise-venv
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# What building from source needs, and clang's own headers at run time.
packages=(llvm-19-dev libclang-19-dev libclang-cpp19-dev clang-19 lld-19 libomp-19-dev cmake ninja-build g++ python3-venv)

say() { printf 'stridewise: %s\n' "$*"; }

look() {
  if command -v stridewise >/dev/null; then
    say "$(command -v stridewise) is there: $(stridewise version)"
    echo "found=true" >>"$GITHUB_OUTPUT"
    return
  fi
  local made
  if [[ -n ${INPUT_PACKAGE:-} ]]; then
    made=$(printf '%s' "$INPUT_PACKAGE" | sha256sum)
  else
    made=$(cd "$sources" && find . -type f -not -path './.git/*' -not -path './build/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  fi
  {
    echo "found=false"
    echo "key=stridewise-${RUNNER_OS:-Linux}-${ImageOS:-$(uname -m)}-${RUNNER_ARCH:-$(uname -m)}-${made%% *}"
  } >>"$GITHUB_OUTPUT"
}

install_packages() {
  local missing=() package root=()
  command -v dpkg-query >/dev/null || { say "no Debian or Ubuntu: LLVM and Clang 19, CMake and Ninja must be there"; return; }
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || root=(sudo)
  say "installing ${missing[*]}"
  "${root[@]}" apt-get -qq update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=5 install --yes --no-install-recommends \
    "${missing[@]}" >/dev/null
}

install() {
  local package=${INPUT_PACKAGE:-$sources} settings=()
  # From source, an analyser that cannot be built is an error, not a part that is left out.
  [[ -n ${INPUT_PACKAGE:-} ]] || settings=(--config-settings cmake.define.STRIDEWISE_ANALYZER=ON)
  # A wheel brings its own analyser; the packages are for a build, and for clang's headers.
  [[ $package == *.whl ]] || install_packages
  if [[ ! -f $environment/.complete ]]; then
    say "installing $package"
    python3 -m venv --clear "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 "${settings[@]}" \
      -- "$package" 'urllib3>=2,<3'
    touch "$environment/.complete" # an environment that was cut short is not taken for one
  fi
  "$environment/bin/stridewise" version
  echo "$environment/bin" >>"$GITHUB_PATH"
}

case ${1:-} in
  look) look ;;
  install) install ;;
  *) say "usage: install.sh look|install" >&2 && exit 2 ;;
esac
