"""What is known of compilers by their names, and what the named ones say about themselves.

A program that a compile database names is run only if its name is on the list here and it lies outside the project:
a database is data, and a checkout must not choose what runs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePath
from typing import Protocol


class Kind(Enum):
    GNU = "gnu"
    CLANG = "clang"
    MPI = "mpi wrapper"
    VENDOR = "vendor"  # Cray, Intel, NVIDIA, AMD, Fujitsu: clang-like or not, with include paths of their own


_FAMILIES: dict[str, tuple[Kind, bool]] = {  # name: (kind, compiles .c as C++)
    "gcc": (Kind.GNU, False),
    "g++": (Kind.GNU, True),
    "c++": (Kind.GNU, True),
    "cc": (Kind.GNU, False),
    "c99": (Kind.GNU, False),
    "c89": (Kind.GNU, False),
    "clang": (Kind.CLANG, False),
    "clang++": (Kind.CLANG, True),
    "mpicc": (Kind.MPI, False),
    "mpigcc": (Kind.MPI, False),
    "mpiclang": (Kind.MPI, False),
    "mpiicc": (Kind.MPI, False),
    "mpiicx": (Kind.MPI, False),
    "mpicxx": (Kind.MPI, True),
    "mpic++": (Kind.MPI, True),
    "mpiCC": (Kind.MPI, True),
    "mpigxx": (Kind.MPI, True),
    "mpig++": (Kind.MPI, True),
    "mpiclang++": (Kind.MPI, True),
    "mpiicpc": (Kind.MPI, True),
    "mpiicpx": (Kind.MPI, True),
    "CC": (Kind.VENDOR, True),
    "craycc": (Kind.VENDOR, False),
    "crayCC": (Kind.VENDOR, True),
    "icc": (Kind.VENDOR, False),
    "icpc": (Kind.VENDOR, True),
    "icx": (Kind.VENDOR, False),
    "icpx": (Kind.VENDOR, True),
    "nvc": (Kind.VENDOR, False),
    "nvc++": (Kind.VENDOR, True),
    "pgcc": (Kind.VENDOR, False),
    "pgc++": (Kind.VENDOR, True),
    "amdclang": (Kind.CLANG, False),
    "amdclang++": (Kind.CLANG, True),
    "armclang": (Kind.CLANG, False),
    "armclang++": (Kind.CLANG, True),
    "fcc": (Kind.VENDOR, False),
    "FCC": (Kind.VENDOR, True),
    "xlc": (Kind.VENDOR, False),
    "xlC": (Kind.VENDOR, True),
    "xlc++": (Kind.VENDOR, True),
    "xlc_r": (Kind.VENDOR, False),
    "xlC_r": (Kind.VENDOR, True),
    "xlc++_r": (Kind.VENDOR, True),
    "ibm-clang": (Kind.CLANG, False),
    "ibm-clang++": (Kind.CLANG, True),
    "fccpx": (Kind.VENDOR, False),
    "FCCpx": (Kind.VENDOR, True),
    "mpifcc": (Kind.MPI, False),
    "mpiFCC": (Kind.MPI, True),
    "mpifccpx": (Kind.MPI, False),
    "mpiFCCpx": (Kind.MPI, True),
    "mpixlc": (Kind.MPI, False),
    "mpixlC": (Kind.MPI, True),
    "mpinvc": (Kind.MPI, False),
    "mpinvc++": (Kind.MPI, True),
    "mpipgcc": (Kind.MPI, False),
    "mpipgc++": (Kind.MPI, True),
}
# Compilers of Fortran.
_FORTRAN = (
    "gfortran f77 f90 f95 mpif77 mpif90 mpifort mpigfortran mpiifort mpiifx ifort ifx nvfortran pgfortran pgf90 pgf77 "
    "flang flang-new amdflang armflang ftn crayftn frt frtpx mpifrt mpifrtpx xlf xlf90 xlf95 xlf2003 xlf_r xlf90_r"
).split()
COMPILER_NAMES = frozenset(_FAMILIES) | frozenset(_FORTRAN)
# Those that make the same code with and without -g. With others a level hangs on it (icc, nvc) or inlining does (xlc);
# wrappers run one of these, or another one.
SAME_WITH_DEBUG_LINES = ("gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran", "flang", "flang-new")
# Programs that run a compiler named later on their command line.
LAUNCHERS = frozenset(
    (
        "ccache sccache distcc icecc buildcache fastbuild gomacc stridewise-cc env nice ionice time timeout taskset "
        "numactl libtool slibtool cmake scorep vtcc"
    ).split()
)


def _named(families: Iterable[str]) -> re.Pattern[str]:
    """gcc-12, clang++-19.1, x86_64-linux-gnu-g++, mpicc.openmpi; the longest names first, that clang++ is not clang."""
    return re.compile(
        r"^(?:scorep-)?(?:(?P<triple>[a-z0-9_]+(?:-[a-z0-9_]+){1,3})-)?(?P<family>"
        + "|".join(re.escape(name) for name in sorted(families, key=len, reverse=True))
        + r")(?:\d\d|[-.](?:\d[\d.]*|openmpi|mpich\d*|mvapich\d*|bin|wrapped))?$"
    )


_NAME, _FORTRAN_NAME = _named(_FAMILIES), _named(_FORTRAN)
# Spack's compiler wrapper: it works inside of `spack build-env` only, and there adds what dependencies need.
SPACK_WRAPPER = ("/lib/spack/env/", "/libexec/spack/")  # parts of its path
_CRAY_WRAPPER = re.compile(r"/cray/.*/(cc|CC)$")
_TIME_LIMIT = 20.0
_SYSTEM_INCLUDES = re.compile(r"^/usr/(local/)?include(/[a-z0-9_]+-linux-gnu[a-z0-9]*)?$")
_NVIDIA_SEARCH = re.compile(r"(?:^|\s)-stdinc\s+(\S+)")  # as nvc shows what it runs
_BUILTIN_INCLUDES = re.compile(
    r"/lib(32|64|exec)?/(gcc|clang|gcc-lib|llvm-[\d.]+/lib/clang)/|/c\+\+(/|$)|include-fixed"
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler's name taken apart. `triple` is the target that a cross compiler's name starts with."""

    family: str
    kind: Kind
    is_cxx: bool
    triple: str = ""


def identify(program: str) -> Compiler | None:
    """The compiler of that name or path, None for a name that is not on the list."""
    match = _NAME.match(PurePath(program).name)
    if not match:
        return None
    family = match["family"]
    kind, is_cxx = _FAMILIES[family]
    if family in ("cc", "CC", "c++") and ("CRAYPE_VERSION" in os.environ or _CRAY_WRAPPER.search(program)):
        kind = Kind.VENDOR
    return Compiler(family, kind, is_cxx, match["triple"] or "")


def is_fortran(program: str) -> bool:
    """Whether a compiler of that name or path compiles Fortran."""
    return bool(_FORTRAN_NAME.match(PurePath(program).name))


def mpi_wrappers(cxx: bool) -> tuple[str, ...]:
    """The names of MPI's wrappers for C or for C++, the usual one first."""
    return tuple(name for name, (kind, is_cxx) in _FAMILIES.items() if kind is Kind.MPI and is_cxx is cxx)


def spack_includes() -> tuple[str, ...]:
    """What Spack's wrapper adds to every command in this environment: the include folders of the dependencies."""
    folders = os.environ.get("SPACK_INCLUDE_DIRS", "").split(":")
    return tuple(word for folder in folders if folder for word in ("-isystem", folder))


class Memory(Protocol):
    """Answers of earlier runs; None for a question that was never asked of this very program."""

    def find_answer(self, question: Sequence[str]) -> tuple[str, ...] | None: ...

    def store_answer(self, question: Sequence[str], lines: Sequence[str]) -> None: ...


@dataclass
class Interrogator:
    """Asks compilers for the options that clang must add to see what they see. Each question is asked once.

    `project` is the folder whose programs are never run; `memory` keeps answers from run to run.
    """

    project: Path | None = None
    memory: Memory | None = None
    notes: list[str] = field(default_factory=list)
    _answers: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    _noted: set[str] = field(default_factory=set)

    def extra_arguments(self, program: str, directory: Path, depth: int = 0) -> tuple[str, ...]:
        """Options to put before the command's own; empty when nothing is needed or known."""
        compiler = identify(program)
        if compiler is None or depth > 4:
            return ()
        if any(part in program for part in SPACK_WRAPPER):
            return self._inside_spack(program, compiler, directory, depth)
        target = (f"--target={compiler.triple}",) if compiler.triple else ()
        path = self._executable(program, directory)
        if path is None and compiler.kind is Kind.MPI:
            path = self._other_wrapper(compiler)
        if path is None:
            return target
        match compiler.kind:
            case Kind.MPI:
                return self._expand_wrapper(path, directory, depth)
            case Kind.GNU:
                return target + self._gcc_install(path)
            case Kind.VENDOR:
                return target + self._include_paths(path, "c++" if compiler.is_cxx else "c")
            case Kind.CLANG:
                return target

    def _inside_spack(self, program: str, compiler: Compiler, directory: Path, depth: int) -> tuple[str, ...]:
        """Asks the compiler behind Spack's wrapper, which answers nothing outside of a build of Spack."""
        real = os.environ.get("SPACK_CXX" if compiler.is_cxx else "SPACK_CC", "")
        if not real:
            self._note(
                f"'{program}' is Spack's wrapper, which works inside of Spack only: include folders of dependencies "
                "are unknown; record by 'spack build-env SPEC -- stridewise capture -- make', or lint in there"
            )
            real = compiler.family
        return (*spack_includes(), *self.extra_arguments(real, directory, depth + 1))

    def fortran_folders(self, program: str, directory: Path) -> tuple[str, ...]:
        """The include folders that an MPI wrapper for Fortran adds."""
        name = PurePath(program).name
        if not (is_fortran(program) and name.startswith("mpi")):
            return ()
        path = self._executable(program, directory)
        words = self._show(path) if path else ()
        return tuple(word for word in words[1:] if word.startswith("-I") and len(word) > 2)

    def fortran_compiler(self, program: str, directory: Path) -> str:
        """The compiler of Fortran that an MPI wrapper runs; the program itself if it is none or cannot be asked."""
        if not (is_fortran(program) and PurePath(program).name.startswith("mpi")):
            return program
        path = self._executable(program, directory)
        words = self._show(path) if path else ()
        return words[0] if words else program

    def wrapped_compiler(self, program: str, directory: Path) -> str:
        """The compiler that an MPI wrapper runs; the program itself if it is no wrapper or cannot be asked."""
        compiler = identify(program)
        if compiler is None or compiler.kind is not Kind.MPI:
            return program
        path = self._executable(program, directory)
        words = self._show(path) if path else ()
        return words[0] if words else program

    def _executable(self, program: str, directory: Path) -> str | None:
        if "/" not in program:
            found = shutil.which(program)
        else:
            candidate = directory / program
            found = str(candidate) if os.access(candidate, os.X_OK) else None
        if found is None:
            self._note(
                f"compiler '{program}' is not installed here; its include paths are unknown; load its module, or lint "
                "where it is"
            )
            return None
        if self._is_of_project(found):
            self._note(f"compiler '{found}' lies inside the project and is not run; its include paths are unknown")
            return None
        return found

    def _is_of_project(self, path: str) -> bool:
        """Also by a link to it: what runs must not be chosen by the checkout."""
        names = {Path(os.path.abspath(path)), Path(os.path.realpath(path))}
        roots = {self.project, self.project.resolve()} if self.project else set()
        return any(name.is_relative_to(root) for name in names for root in roots)

    def _other_wrapper(self, missing: Compiler) -> str | None:
        """An MPI wrapper of this machine for one that it lacks: the calls mean the same."""
        found = shutil.which("mpicxx" if missing.is_cxx else "mpicc")
        if found and self._is_of_project(found):
            return None
        if found:
            self._note(f"mpi.h is taken from {found} instead of {missing.family}")
        return found

    def _show(self, path: str) -> tuple[str, ...]:
        """The command line that an MPI wrapper would run: `-show` serves Open MPI, MPICH, MVAPICH and Intel MPI."""
        text = self._ask((path, "-show"))
        try:
            words = tuple(shlex.split(text[0])) if text else ()
        except ValueError:
            words = ()
        if not words:
            self._note(f"'{path} -show' tells no command line; mpi.h may not be found")
        return words

    def _expand_wrapper(self, path: str, directory: Path, depth: int) -> tuple[str, ...]:
        words = self._show(path)
        if not words:
            return ()
        kept: list[str] = []
        following = False
        for word in words[1:]:
            if following or word.startswith(("-I", "-D", "-U", "-isystem", "-idirafter", "-iquote", "-pthread")):
                kept.append(word)
            following = not following and word in ("-I", "-D", "-U", "-isystem", "-idirafter", "-iquote")
        return self.extra_arguments(words[0], directory, depth + 1) + tuple(kept)

    def _gcc_install(self, path: str) -> tuple[str, ...]:
        """Points clang at this gcc's own installation, so that both read the same libstdc++. Not at its folder of
        headers, which clang's own would go on to with include_next."""
        answer = self._ask((path, "-print-libgcc-file-name"))
        if not answer:
            return ()
        folder = Path(answer[0].strip()).parent
        is_gcc = folder.is_absolute() and folder.is_dir() and "gcc" in folder.parts
        return (f"--gcc-install-dir={folder}",) if is_gcc else ()

    def _include_paths(self, path: str, language: str) -> tuple[str, ...]:
        """The search list of `-E -v`, less the folders that clang has by itself or must take from its own kind."""
        lines = self._ask((path, "-E", "-v", "-x", language, "/dev/null"))
        folders: list[str] = []
        listing = False
        for line in lines:
            if line.startswith("#include <...>"):
                listing = True
            elif line.startswith("End of search list"):
                break
            elif listing:
                folders.append(line.strip())
            elif (search := _NVIDIA_SEARCH.search(line)) and not folders:
                folders = [folder for folder in search[1].replace("#", "").split(":") if folder]
        plain = [os.path.normpath(folder) for folder in folders if folder.startswith("/")]
        kept = [f for f in dict.fromkeys(plain) if not _SYSTEM_INCLUDES.match(f) and not _BUILTIN_INCLUDES.search(f)]
        return tuple(word for folder in kept for word in ("-isystem", folder))

    def _ask(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """Lines of the program's answer (both streams); empty on failure. No shell, nothing on its input."""
        if command in self._answers:
            return self._answers[command]
        known = self.memory.find_answer(command) if self.memory else None
        self._answers[command] = known or ()
        if known is None:
            try:
                done = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=_TIME_LIMIT,
                    check=False,
                    env={**os.environ, "LC_ALL": "C"},
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                self._note(f"'{shlex.join(command)}' did not answer: {error}")
            else:
                if done.returncode == 0:
                    self._answers[command] = tuple(done.stdout.decode("utf-8", "replace").splitlines())
                    if self.memory:
                        self.memory.store_answer(command, self._answers[command])
        return self._answers[command]

    def _note(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self.notes.append(text)
