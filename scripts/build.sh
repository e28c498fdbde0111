#!/usr/bin/env bash
# Builds everything into build/; the launcher is build/bin/stridewise. Configures only once: Ninja repeats it when a CMake
# file or the set of rules changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/bootstrap.sh
[[ -f build/build.ninja ]] || cmake --preset default -DPython3_EXECUTABLE="$PWD/build/venv/bin/python"
cmake --build --preset default
