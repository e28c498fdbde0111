#!/usr/bin/env bash
# The main job on a real program: a Lattice-Boltzmann code with known defects, read, watched under MPI, watched under a
# cache simulator, and all of it joined in one report; then the same for the mended program; then the program is mended
# from its sources alone, one measured step after the other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

exec 3>&1
if [[ -t 1 ]]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi
# Prints the command on the terminal, also where its output goes to a file.
show() {
  printf '\n%s$ %s%s\n' "$bold" "$*" "$plain" >&3
  "$@"
}
stridewise() { "$top/build/bin/stridewise" "$@"; }

top=$PWD
lbm=lbm
if ((EUID == 0)); then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# Machines for a first try often have fewer cores than the demo has ranks.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

rm -rf build/demo
mkdir -p build/demo
echo '$ cd build/demo'
cd build/demo
# Without the comments by which the tests know what is to be found.
cp -r ../../tests/kernels/lbm "$lbm"
find "$lbm" -name '*.[ch]' -exec sed -i '/^ *\/\/ \(expect\|may\)\(-run\)\?:/d' {} +

analyse() {
  local step=$1 here=$2
  show stridewise capture -o "$here" -- make --no-print-directory -s -C "$lbm" "STEP=$step" "BUILD=$PWD/$here"
  show stridewise lint -p "$here" --format json -o "$here/lint.json"
  show stridewise run -o "$here/mpi" -- mpirun -n 4 "$here/lbm" "$lbm/config.txt" >"$here/mpi.txt"
  show stridewise run --cache -o "$here/cache" -- mpirun -n 4 "$here/lbm" "$lbm/config-small.txt" >"$here/cache.txt"
  show stridewise report "$here/mpi" "$here/cache" --lint "$here/lint.json"
}

mkdir original fixed
analyse 0 original
printf '\nThe same program with every step of the repair:\n'
analyse fixed fixed

printf '\nBefore and after:\n'
show stridewise diff original/mpi fixed/mpi

printf '\nThe original once more, built without optimisation, and mended by measured steps alone:\n'
mkdir start
cp -r "$lbm"/original/. start
cp "$lbm/unoptimised.mk" start/Makefile
cp "$lbm/config.txt" start
cd start
show stridewise improve --project . --minutes 2.5 --round-seconds 5 --no-vary -- mpirun -n 4 ./lbm config.txt
