#!/usr/bin/env bash
# Builds everything into build/; the launcher is build/bin/stridewise. `build.sh demo` builds what the commands need, without
# what only tests and other hosts of the checks do. Configures again where tools came by meanwhile; else Ninja does, when a
# CMake file or the set of rules changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
what=${1:-all}
scripts/bootstrap.sh "${what/all/tests}"
if [[ ! -f build/build.ninja || $(cat build/.configured-for 2>/dev/null) != all ]]; then
  cmake --preset default -DPython3_EXECUTABLE="$PWD/build/venv/bin/python"
  printf '%s' "$what" >build/.configured-for
fi
cmake --build --preset default --target "$what"
