#!/usr/bin/env bash
# Builds the Debian package of this checkout: build_deb.sh OUTPUT-FOLDER. With STRIDEWISE_PREBUILT=build it takes what
# `make build` compiled. Other options go to dpkg-buildpackage: build_deb.sh OUT -d builds without its build dependencies.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:?usage: build_deb.sh OUTPUT-FOLDER [OPTION…]}
shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
if [[ -n ${STRIDEWISE_PREBUILT:-} ]]; then
  STRIDEWISE_PREBUILT=$(cd "$top" && cd "$STRIDEWISE_PREBUILT" && pwd)
  export STRIDEWISE_PREBUILT
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/stridewise"
tar -C "$top" --exclude=./build --exclude='./build-*' --exclude=./.git --exclude=__pycache__ -c . | tar -x -C "$work/stridewise"
cp -r "$work/stridewise/packaging/debian" "$work/stridewise/debian"
(cd "$work/stridewise" && dpkg-buildpackage -b -us -uc "$@")
mv "$work"/*.deb "$out/"
