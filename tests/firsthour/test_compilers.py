"""Drivers of vendors, modules and Spack, by stand-ins that answer as the real ones do (docs/howto/compilers.md)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import STRIDED, Tool, entries, findings

Write = Callable[[Path, Mapping[str, str]], Path]

# What `-E -v` prints on standard error: GCC, Clang and what was made of Clang (icx, Cray's and Fujitsu's compilers).
LISTING = """#!/bin/sh
echo "$0 $*" >> {log}
case " $* " in *" -v "*)
  echo 'ignoring nonexistent directory "/usr/x86_64-linux-gnu/include"' >&2
  echo '#include "..." search starts here:' >&2
  echo '#include <...> search starts here:' >&2
  echo ' {include}' >&2
  echo ' /usr/lib/gcc/x86_64-linux-gnu/12/include' >&2
  echo ' /usr/include' >&2
  echo 'End of search list.' >&2
esac
"""
NVIDIA = """#!/bin/sh
echo "$0 $*" >> {log}
case " $* " in *" -v "*)
  echo "Export PGI_CURR_CUDA_HOME=/opt/nvidia" >&2
  echo "$0/../tools/nvcpfe -y -astdinc /x -stdinc {include}:/usr/lib/gcc/x86_64-linux-gnu/12/include:/usr/include" >&2
esac
"""
SILENT = '#!/bin/sh\necho "$0 $*" >> {log}\nexit 1\n'
# Open MPI, MPICH, MVAPICH and Intel MPI all answer -show; Intel MPI quotes its folders.
WRAPPER = """#!/bin/sh
echo "$0 $*" >> {log}
[ "$1" = -show ] || [ "$1" = -showme ] || exit 1
echo '{compiler} -I"{include}" -L"/opt/mpi/lib" -Xlinker --enable-new-dtags -lmpifort -lmpi -lrt -lpthread'
"""
SOURCE = "#include <vendor.h>\n#ifdef _OPENMP\n" + STRIDED + "#endif\n"
FOUND = ("mem-strided-inner-loop", 5)


@pytest.mark.parametrize(
    ("name", "driver", "options"),
    [
        ("icx", LISTING, "-O2 -qopenmp -xCORE-AVX512 -qopt-report=3 -fp-model=precise"),
        ("icpx", LISTING, "-O3 -fiopenmp -xHost -ipo"),
        ("icc", LISTING, "-fast -qopenmp -no-prec-div -align"),
        ("nvc", NVIDIA, "-O2 -mp=multicore -tp=zen3 -Minfo=all -Mpreprocess"),
        ("nvc++", NVIDIA, "-fast -mp -gpu=cc80"),
        ("craycc", LISTING, "-O2 -h omp -h list=m"),
        ("fcc", LISTING, "-Kfast,openmp -Nclang"),
        ("fccpx", LISTING, "-Kfast -Kopenmp"),
        ("xlc_r", LISTING, "-O3 -qsmp=omp -qarch=pwr9"),
        ("cray/pe/craype/2.7.30/bin/cc", LISTING, "-O2 -fopenmp"),
        ("cray/pe/craype/2.7.30/bin/CC", LISTING, "-O2 -fopenmp"),
        ("amdclang", SILENT, "-O2 -fopenmp -I{include}"),
        ("armclang++", SILENT, "-Ofast -fopenmp -armpl -I{include}"),
        ("ibm-clang", SILENT, "-O3 -fopenmp -I{include}"),
    ],
)
def test_compilers_of_vendors(tool: Tool, tmp_path: Path, write: Write, name: str, driver: str, options: str) -> None:
    root, folder, log = tmp_path / "app", tmp_path / "vendor", tmp_path / "log"
    words = {"include": str(folder / "include"), "log": str(log), "compiler": ""}
    text = driver.replace("{log}", words["log"]).replace("{include}", words["include"])
    write(folder, {name: text, "include/vendor.h": "#define VENDOR 1\n"})
    source = "k.cpp" if Path(name).name.endswith("++") or Path(name).name in ("CC", "icpx") else "k.c"
    command = f"{folder}/{name} {options.format(**words)} -c {source} -o k.o"
    database = [{"directory": str(root), "file": source, "command": command}]
    write(root, {source: SOURCE, "Makefile": "", "compile_commands.json": json.dumps(database)})
    done = tool("lint", "--format", "json", cwd=root)
    assert done.status == 0, done.said
    assert [(rule, line) for rule, _, line in findings(done.out)] == [FOUND]
    asked = log.read_text() if log.exists() else ""
    assert ("-E -v" in asked) is (driver is not SILENT), "asked for its folders"


@pytest.mark.parametrize("name", ["mpicc", "mpiicc", "mpiicx", "mpiicpx", "mpicxx", "mpifcc", "mpixlc", "mpicc.mpich"])
def test_mpi_wrappers(tool: Tool, tmp_path: Path, write: Write, name: str) -> None:
    """The wrapper is asked, then the compiler that it names."""
    root, folder, log = tmp_path / "app", tmp_path / "mpi", tmp_path / "log"
    compiler = f"{folder}/icpx" if name in ("mpiicpx", "mpicxx") else f"{folder}/icx"
    answers = {"include": str(folder / "include"), "log": str(log), "compiler": compiler}
    wrapper = WRAPPER.format(**answers)
    behind = LISTING.format(**answers | {"include": str(folder / "compiler")})
    files = {name: wrapper, Path(compiler).name: behind, "include/mpi.h": "#define M 1\n", "compiler/vendor.h": ""}
    write(folder, files)
    source = "k.cpp" if compiler.endswith("icpx") else "k.c"
    command = f"{name} -O2 -qopenmp -c {source}"
    database = [{"directory": str(root), "file": source, "command": command}]
    text = "#include <mpi.h>\n#ifndef M\n#error wrong mpi.h\n#endif\n" + SOURCE
    write(root, {source: text, "Makefile": "", "compile_commands.json": json.dumps(database)})
    done = tool("lint", "--format", "json", cwd=root, env={"PATH": f"{folder}:{os.environ['PATH']}"})
    assert done.status == 0, done.said
    assert len(findings(done.out)) == 1


def test_a_module_s_gcc_gives_its_own_standard_library(tool: Tool, tmp_path: Path, write: Write) -> None:
    """A compiler in a place of its own, on PATH while its module is loaded: the same after `module unload`."""
    root, folder = tmp_path / "app", tmp_path / "modules" / "gcc" / "12.2" / "bin"
    real = shutil.which("g++")
    write(folder, {"g++": f'#!/bin/sh\nexec {real} "$@"\n'})
    write(root, {"k.cpp": "#include <vector>\n" + STRIDED, "Makefile": "k.o: k.cpp\n\tg++ -O2 -c k.cpp\n"})
    loaded = {"PATH": f"{folder}:{os.environ['PATH']}"}
    assert tool("capture", "--", "make", cwd=root, env=loaded).status == 0
    (entry,) = entries(root)
    assert entry["arguments"][0] == f"{folder}/g++", "the path, since PATH may differ later"
    done = tool("lint", "--verbose", cwd=root)
    assert done.status == 0
    assert "--gcc-install-dir=" in done.err


# What Spack's wrapper does: it ends without its environment, else runs SPACK_CC with the folders of the dependencies.
SPACK = """#!/bin/sh
if [ -z "$SPACK_CC" ]; then
  echo "[spack cc] ERROR: Spack compiler must be run from Spack! Input 'SPACK_PREFIX' is missing."
  exit 1
fi
IFS=:
for folder in $SPACK_INCLUDE_DIRS; do set -- -isystem "$folder" "$@"; done
exec "$SPACK_CC" "$@"
"""


@pytest.mark.parametrize("place", ["opt/spack/lib/spack/env/gcc", "wrapper/libexec/spack/gcc"])
def test_spack(tool: Tool, tmp_path: Path, write: Write, place: str) -> None:
    folder, root = tmp_path / place, tmp_path / "app"
    write(tmp_path, {f"{place}/gcc": SPACK, "store/hdf5/include/vendor.h": "#define VENDOR\n"})
    makefile = "k.o: k.c\n\t$(CC) -O2 -fopenmp -c k.c\n"
    write(root, {"k.c": SOURCE, "Makefile": makefile})
    inside = {"SPACK_CC": str(shutil.which("gcc")), "SPACK_INCLUDE_DIRS": str(tmp_path / "store/hdf5/include")}
    inside |= {"CC": f"{folder}/gcc"}

    assert tool("capture", "--", "make", cwd=root, env=inside).status == 0
    (entry,) = entries(root)
    assert entry["arguments"][0] == inside["SPACK_CC"], "the compiler behind the wrapper"
    done = tool("lint", "--format", "json", cwd=root)
    assert done.status == 0, done.said
    assert len(findings(done.out)) == 1, "anywhere"

    # As CMake writes it: the wrapper itself.
    entry["arguments"] = [f"{folder}/gcc", "-O2", "-fopenmp", "-c", "k.c"]
    write(root, {"compile_commands.json": json.dumps([entry])})
    outside = tool("lint", cwd=root)
    assert outside.status == 2
    assert "is Spack's wrapper, which works inside of Spack only" in outside.said
    assert "'vendor.h' file not found" in outside.said
    assert tool("lint", cwd=root, env=inside).status == 0


def test_an_mpi_wrapper_inside_of_spack(tool: Tool, tmp_path: Path, write: Write) -> None:
    root = tmp_path / "app"
    write(tmp_path, {"store/hdf5/include/vendor.h": "#define VENDOR\n"})
    write(root, {"k.c": SOURCE, "Makefile": "k.o: k.c\n\tmpicc -O2 -fopenmp -c k.c\n"})
    inside = dict.fromkeys(("SPACK_INCLUDE_DIRS", "C_INCLUDE_PATH"), str(tmp_path / "store/hdf5/include"))
    assert tool("capture", "--", "make", cwd=root, env=inside).status == 0
    assert tool("lint", cwd=root).status == 0
