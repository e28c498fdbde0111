"""Where the parts that are not Python are: the analyser, the merge tool, the interposers, Valgrind, the symboliser."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from stridewise.errors import Failure

PACKAGE = Path(__file__).resolve().parents[1]
INTERPOSER = "libstridewise_mpi.so"
OMP_RECORDER = "libstridewise_omp.so"
PLACEMENT_RECORDER = "libstridewise_placement.so"
WINDOWS = "libstridewise_windows.so"
MEMORY = "libstridewise_memory.so"
LIBOMP = "libomp.so.5"
# Names of the library folder below a prefix: plain, Fedora's, Debian's.
_LIBRARIES = ("lib", "lib64", f"lib/{os.uname().machine}-linux-gnu")
FLAVOURS = {"openmpi": "Open MPI", "mpich": "MPICH"}


def prefixes() -> Iterator[Path]:
    """Build or installation trees, most specific first: STRIDEWISE_BUILD, the checkout's build, the installation.

    An installation is the tree that this package lies in, or the environment's: nothing knows where it was made for.
    """
    configured = os.environ.get("STRIDEWISE_BUILD")
    if configured:
        yield Path(configured)
    if (PACKAGE.parent / "rules" / "rule.schema.json").is_file():
        yield PACKAGE.parent / "build"
    seen: set[Path] = set()
    for parent in (*PACKAGE.parents, Path(sys.prefix), Path(sys.argv[0]).resolve().parent.parent):
        if parent not in seen and any((parent / folder / "stridewise").is_dir() for folder in ("libexec", *_LIBRARIES)):
            seen.add(parent)
            yield parent


def shared_folders() -> Iterator[Path]:
    """What is below share/ of an installation or a build, most specific first."""
    yield from (prefix / "share" for prefix in prefixes())
    yield from (parent / "share" for parent in (*PACKAGE.parents, Path(sys.prefix)))


def program(name: str, variable: str) -> Path | None:
    """One of this project's programs, by its environment variable, a build or installation tree, or PATH."""
    configured = os.environ.get(variable)
    if configured:
        return Path(configured) if os.access(configured, os.X_OK) else None
    for prefix in prefixes():
        for folder in ("bin", "libexec/stridewise", "libexec"):
            candidate = prefix / folder / name
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return candidate
    found = shutil.which(name)
    return Path(found) if found else None


def analyzer() -> Path:
    """stridewise-analyze, or Failure."""
    found = program("stridewise-analyze", "STRIDEWISE_ANALYZE")
    if found is None:
        raise _missing("stridewise-analyze", "STRIDEWISE_ANALYZE", "static half (LLVM and Clang 19)")
    return found


def merger() -> Path:
    """stridewise-merge, or Failure."""
    found = program("stridewise-merge", "STRIDEWISE_MERGE")
    if found is None:
        raise _missing("stridewise-merge", "STRIDEWISE_MERGE", "MPI half")
    return found


def _missing(name: str, variable: str, part: str) -> Failure:
    if os.environ.get(variable):
        return Failure(f"{variable} names {os.environ[variable]}, which is no program; correct or unset it")
    return Failure(
        f"{name} was not found: this installation lacks the {part}; stridewise doctor says how to get it. "
        f"Where it is built already, set {variable} to its path"
    )


def library(name: str, flavour: str = "") -> Path | None:
    """A shared library of this project; interposers lie in a folder per MPI flavour."""
    for prefix in prefixes():
        for folder in _LIBRARIES:
            for candidate in (prefix / folder / flavour / name, prefix / folder / "stridewise" / flavour / name):
                if candidate.is_file():
                    return candidate
    return None


def interposers() -> dict[str, Path]:
    """The MPI interposers that exist, by flavour."""
    override = os.environ.get("STRIDEWISE_MPI_LIBRARY")
    if override:
        return dict.fromkeys(FLAVOURS, Path(override))
    found = {flavour: library(INTERPOSER, flavour) for flavour in FLAVOURS}
    return {flavour: path for flavour, path in found.items() if path}


def omp_recorder() -> Path | None:
    """The OpenMP recorder."""
    configured = os.environ.get("STRIDEWISE_OMP_LIBRARY")
    return Path(configured) if configured else library(OMP_RECORDER)


def placement_recorder() -> Path | None:
    """The recorder of pages and their users."""
    configured = os.environ.get("STRIDEWISE_PLACEMENT_LIBRARY")
    return Path(configured) if configured else library(PLACEMENT_RECORDER)


def windows_library() -> Path | None:
    """What makes windows in a cache run."""
    configured = os.environ.get("STRIDEWISE_WINDOWS_LIBRARY")
    return Path(configured) if configured else library(WINDOWS)


def memory_library() -> Path | None:
    """What tells the MPI recorder of allocations."""
    configured = os.environ.get("STRIDEWISE_MEMORY_LIBRARY")
    return Path(configured) if configured else library(MEMORY)


def llvm_openmp() -> Path | None:
    """LLVM's OpenMP library, the newest: STRIDEWISE_LIBOMP, the linker's folders, LLVM's own folders."""
    configured = os.environ.get("STRIDEWISE_LIBOMP")
    if configured:
        return Path(configured) if Path(configured).is_file() else None
    folders = [Path(f) for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f]
    folders += [Path(f) for root in ("/usr/lib", "/usr/lib64", "/usr/local/lib") for f in (root, *_multiarch(root))]
    for folder in folders:
        if (folder / LIBOMP).is_file():
            return folder / LIBOMP
    llvm = sorted(Path("/usr/lib").glob(f"llvm-*/lib/{LIBOMP}"), key=lambda p: (len(str(p)), str(p)))
    return llvm[-1] if llvm else None


def _multiarch(root: str) -> Iterator[str]:
    return (str(path) for path in sorted(Path(root).glob("*-linux-gnu")))


def flang() -> str | None:
    """LLVM's compiler of Fortran, of the version whose code the analyser reads."""
    configured = os.environ.get("STRIDEWISE_FLANG")
    if configured is not None:
        return configured if os.access(configured, os.X_OK) else None
    return shutil.which("flang-new-19") or shutil.which("flang-19")


def versioned(name: str) -> str | None:
    """Path of an LLVM program, with Debian's version suffix or without."""
    return next((path for suffix in ("-19", "", "-20", "-18") if (path := shutil.which(name + suffix))), None)
