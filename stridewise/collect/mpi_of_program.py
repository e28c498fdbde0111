"""Which MPI a program is linked with, told by its file and those of its libraries, and whether its launcher fits."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from stridewise.collect import elf, launcher, loader
from stridewise.collect.launcher import Launch

# MPI's own libraries and those of its Fortran and C++ interfaces, with the number of their binary interface.
_OPENMPI = re.compile(r"^libmpi(_mpifh|_usempi\w*|_cxx|_f77|_f90)?\.so(?:\.(\d+))?")
_MPICH = re.compile(r"^lib(mpich\w*|mpifort\w*|mpicxx|fmpich|mpi_(?:cray|gnu|intel|nvidia|amd|aocc)\w*)\.so")
_OPENMPI_SINCE = 20  # MPICH's interface and Open MPI's before version 2 are both numbered 12
_MARK = "ompi_mpi_comm_world"
_MIXED = "STRIDEWISE_MIXED_MPI"
_PRODUCTS = (("mvapich", "MVAPICH"), ("cray", "Cray MPICH"), ("oneapi", "Intel MPI"), ("impi", "Intel MPI"))
_LAUNCHERS = {
    "openmpi": ("mpirun.openmpi", "mpiexec.openmpi", "mpirun", "mpiexec", "prterun"),
    "mpich": ("mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "mpirun", "mpiexec"),
}
_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


@dataclass(frozen=True, slots=True)
class Mpi:
    """`flavour`: openmpi or mpich, whose binary interface Intel MPI, MVAPICH and Cray MPICH have. `library`: the file,
    or its bare name where the loader would not find it; `user`: the file that names it."""

    flavour: str
    library: Path
    user: Path
    manager: bool = False  # PMIx: an MPICH that any launcher with PMIx can start

    @property
    def product(self) -> str:
        """Its name for people."""
        if self.flavour == "mpich":
            path = str(self.library.resolve() if self.library.is_absolute() else self.library).lower()
            return next((name for part, name in _PRODUCTS if part in path), "MPICH")
        return "Open MPI"


def find(program: Path, environment: Mapping[str, str] | None = None) -> tuple[Mpi, ...]:
    """The MPIs of a program, the loader's first choice first; empty for scripts and programs that name none."""
    if not elf.is_elf(program):
        return ()
    found: dict[str, Mpi] = {}
    loaded = loader.libraries(program, environment)
    manager = any(library.name.startswith("libpmix.so") for library in loaded)
    for library in loaded:
        flavour = flavour_of_library(library.name, library.path)
        if flavour and flavour not in found:
            found[flavour] = Mpi(flavour, library.path or Path(library.name), library.user, manager)
    return tuple(found.values())


def flavour_of_library(name: str, path: Path | None = None) -> str:
    """openmpi, mpich, or empty for what is no MPI library."""
    if match := _OPENMPI.match(name):
        if int(match[2] or 0) >= _OPENMPI_SINCE:
            return "openmpi"
        if match[1] and match[1] != "_cxx":
            return "openmpi"  # no other MPI has libraries of that name
        return "openmpi" if path is not None and _MARK in elf.dynamic_symbols(path)[1] else "mpich"
    return "mpich" if _MPICH.match(name) else ""


def mismatch(command: Sequence[str], launch: Launch, environment: Mapping[str, str] | None = None) -> str:
    """Why the launcher cannot start the program as one job, and what can; empty where it can, or nobody knows."""
    environment = os.environ if environment is None else environment
    starts = _starts(command, launch)
    if not starts or environment.get(_MIXED, "0") not in ("", "0"):
        return ""
    for position in launch.programs:
        path = launcher.executable(command[position])
        if path is None:
            continue
        linked = find(path, environment)
        if len(linked) > 1:
            return (
                f"{path} loads two MPIs: {_described(linked[0])} and {_described(linked[1])}; link all of it with one, "
                f"or set {_MIXED}=1 to start it nevertheless"
            )
        if not linked or linked[0].flavour == starts or linked[0].manager:
            continue
        starter = command[launch.launcher]
        fitting = suggested(linked[0])
        return (
            f"{path} is linked with {_described(linked[0])}, but {starter} is the launcher of {_NAMES[starts]}: every "
            "process would believe to be rank 0 of 1, and do the whole work alone; start it with "
            + (str(fitting) if fitting else f"the mpirun of that {linked[0].product}")
            + f", or set {_MIXED}=1 if this launcher can start it"
        )
    return ""


def _described(mpi: Mpi) -> str:
    return f"{mpi.product} ({mpi.library})"


def _starts(command: Sequence[str], launch: Launch) -> str:
    """The flavour that the launcher is known to start: by its name, or by what it says of itself."""
    if launch.family not in ("openmpi", "hydra"):
        return ""
    word = command[launch.launcher]
    name = PurePath(word).name
    if ".openmpi" in name or name.startswith(("orterun", "prterun")):
        return "openmpi"
    if any(part in name for part in (".mpich", ".hydra", ".mvapich")):
        return "mpich"
    return launcher.version_flavour(word)


def suggested(mpi: Mpi) -> Path | None:
    """A launcher of that MPI: beside its library, else on PATH."""
    return next(_candidates(mpi), None)


def _candidates(mpi: Mpi) -> Iterator[Path]:
    folders: list[str | None] = [None]
    if mpi.library.is_absolute():
        folders[:0] = [str(parent / "bin") for parent in list(mpi.library.parents)[1:4]]
    for folder in folders:
        for name in _LAUNCHERS[mpi.flavour]:
            path = shutil.which(name, path=folder)
            if path and launcher.version_flavour(path) == mpi.flavour:
                yield Path(path)


def library_flavour(program: Path) -> str:
    """openmpi or mpich by the MPI library that an ELF program, or a library of it, names; empty if none does."""
    linked = find(program)
    return linked[0].flavour if linked else ""


def flavour(command: Sequence[str], launch: Launch) -> str:
    """openmpi or mpich: the program's own library decides, then the launcher; empty if neither tells."""
    for position in launch.programs:
        path = launcher.executable(command[position])
        found = library_flavour(path) if path else ""
        if found:
            return found
    match launch.family:
        case "openmpi":
            return "openmpi"
        case "hydra":
            return "mpich"
        case _:
            return ""
