#!/usr/bin/env bash
# Builds, then runs every test. The last line of the output is always the total, "N passed, N failed".
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
if ! scripts/build.sh; then
  echo "the build failed"
  echo "0 passed, 1 failed"
  exit 1
fi
exec build/venv/bin/python scripts/run_tests.py "$@"
