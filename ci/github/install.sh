#!/usr/bin/env bash
# Makes the command `stridewise` available to the following steps of a job.
#   install.sh look      says whether it is on PATH, and under which name an installed one is kept
#   install.sh install   installs it into an environment of its own, unless that came from the cache
# Reads INPUT_WHEEL and GitHub's own variables; nothing of them becomes part of a command. What is installed are these sources or
# that file, and for a build the packages of requirements-build.txt, by their checksums: no name is looked up in an index.
set -euo pipefail

environment=${RUNNER_TEMP:?}/stridewise-venv
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$(cd "$here/../.." && pwd)
# What building from source needs; of it, what a wheel needs: clang's own headers.
packages=(llvm-19-dev libclang-19-dev libclang-cpp19-dev clang-19 lld-19 libomp-19-dev cmake ninja-build g++ python3-venv)
[[ -z ${INPUT_WHEEL:-} ]] || packages=(libclang-common-19-dev python3-venv)

say() { printf 'stridewise: %s\n' "$*"; }

look() {
  if command -v stridewise >/dev/null; then
    say "$(command -v stridewise) is there: $(stridewise version)"
    echo "found=true" >>"$GITHUB_OUTPUT"
    return
  fi
  local made
  if [[ -n ${INPUT_WHEEL:-} ]]; then
    [[ $INPUT_WHEEL == *.whl && -f $INPUT_WHEEL ]] || {
      printf '::error title=stridewise::%s\n' "the input 'wheel' names no wheel that is there"
      exit 2
    }
    made=$(sha256sum <"$INPUT_WHEEL")
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
  # The build takes programs of its environment from PATH.
  local python=(env "PATH=$environment/bin:$PATH" "$environment/bin/python") quiet=(--quiet --disable-pip-version-check --retries 5)
  # A wheel brings its own analyser; what it needs of the system are clang's headers.
  install_packages
  if [[ ! -f $environment/.complete ]]; then
    say "installing ${INPUT_WHEEL:-$sources}"
    python3 -m venv --clear "$environment"
    if [[ -n ${INPUT_WHEEL:-} ]]; then
      "${python[@]}" -m pip install "${quiet[@]}" --no-index --no-deps -- "$(realpath -- "$INPUT_WHEEL")"
    else
      "${python[@]}" -m pip install "${quiet[@]}" --require-hashes -r "$here/requirements-build.txt"
      # From source, an analyser that cannot be built is an error, not a part that is left out.
      "${python[@]}" -m pip install "${quiet[@]}" --no-index --no-deps --no-build-isolation \
        --config-settings cmake.define.STRIDEWISE_ANALYZER=ON -- "$sources"
    fi
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
