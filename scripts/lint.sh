#!/usr/bin/env bash
# Format, types and linters, over files that git knows; then the product over its own C and C++. Goes through all of them
# before it fails.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0
# check COMMAND … runs it and remembers a failure.
check() {
  printf "$ %s (%d arguments)\n" "$1" $(($# - 1))
  "$@" || status=1
}
list() { git ls-files -z --cached --others --exclude-standard -- "$@"; }

mapfile -d '' -t sources < <(list 'analyzer/*.h' 'analyzer/*.cpp' 'analyzer/*.c' 'pmpi_wrappers/*.h' \
  'pmpi_wrappers/*.c' 'runtime/*.h' 'runtime/*.cpp' 'runtime/*.c')
mapfile -d '' -t python < <(list '*.py')
mapfile -d '' -t scripts < <(list 'scripts/*.sh' 'ci/*.sh' .ci/run)
venv=build/venv/bin
# tests/mpi takes the table of calls from its generator, tests/docs the site, the gallery the browser.
export MYPYPATH=pmpi_wrappers:scripts:benchmarks:tests/browser

check clang-format-19 --dry-run -Werror "${sources[@]}"
check "$venv/ruff" format --check --quiet "${python[@]}"
check "$venv/ruff" check --quiet "${python[@]}"
# Folders of tests have modules of the same names.
for folder in stridewise pmpi_wrappers scripts benchmarks tests/*/ tests/*.py; do
  mapfile -d '' -t files < <(list "${folder%/}" | grep -z '\.py$' | grep -zv 'lit\.cfg\.py$')
  ((${#files[@]} == 0)) || check "$venv/mypy" --strict "${files[@]}"
done
for script in "${scripts[@]}"; do
  bash -n "$script" || status=1
done
check build/bin/stridewise lint -p build pmpi_wrappers runtime --fail-on warning
exit $status
