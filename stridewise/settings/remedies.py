"""How to get what is missing, in the words of this system's package manager."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stridewise.settings import toolchain

_RELEASE = Path("/etc/os-release")
_FAMILIES = {
    "apt": ("debian", "ubuntu"),
    "dnf": ("fedora", "rhel", "centos", "rocky", "almalinux", "ol", "amzn"),
    "zypper": ("suse", "opensuse", "opensuse-leap", "opensuse-tumbleweed", "sles", "sle_hpc"),
}
_COMMANDS = {
    "apt": "apt install {}",
    "dnf": "dnf install {}",
    "zypper": "zypper install {}",
    "spack": "spack install {}",
    "module": "module load {}",
    "pip": "pip install {}",
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """Packages by manager. `rebuild`: Stridewise itself has to be built again, now that they are there."""

    packages: Mapping[str, str] = field(default_factory=dict)
    rebuild: bool = False
    command: str = ""  # in place of packages


LLVM = Remedy(
    {
        "apt": "llvm-19-dev libclang-19-dev libclang-cpp19-dev clang-19",
        "dnf": "llvm-devel clang-devel clang",
        "zypper": "llvm19-devel clang19-devel clang19",
        "spack": "llvm@19 +clang",
        "module": "llvm/19",
    },
    rebuild=True,
)
CLANG = Remedy({"apt": "clang-19", "dnf": "clang", "zypper": "clang19", "spack": "llvm@19 +clang", "module": "llvm/19"})
CLANG_HEADERS = Remedy({**CLANG.packages, "apt": "libclang-common-19-dev", "dnf": "clang-resource-filesystem clang"})
CLANG_TIDY = Remedy(
    {"apt": "clang-tidy-19", "dnf": "clang-tools-extra", "zypper": "clang19", "spack": "llvm@19 +clang"}
)
OPENMPI = Remedy(
    {
        "apt": "openmpi-bin libopenmpi-dev",
        "dnf": "openmpi openmpi-devel",
        "zypper": "openmpi4 openmpi4-devel",
        "spack": "openmpi",
        "module": "openmpi",
    }
)
MPICH = Remedy(
    {
        "apt": "mpich libmpich-dev",
        "dnf": "mpich mpich-devel",
        "zypper": "mpich mpich-devel",
        "spack": "mpich",
        "module": "mpich",
    }
)
LIBOMP = Remedy(
    {
        "apt": "libomp-19-dev",
        "dnf": "libomp libomp-devel",
        "zypper": "libomp19-devel",
        "spack": "llvm-openmp",
        "module": "llvm/19",
    }
)
SYMBOLISER = Remedy(
    {"apt": "llvm-19", "dnf": "llvm", "zypper": "llvm19", "spack": "llvm@19", "module": "binutils"},
)
VALGRIND = Remedy(dict.fromkeys(("apt", "dnf", "zypper", "spack", "module"), "valgrind"))
GFORTRAN = Remedy(
    {
        "apt": "gfortran",
        "dnf": "gcc-gfortran",
        "zypper": "gcc-fortran",
        "spack": "gcc languages=fortran",
        "module": "gcc",
    }
)
FLANG = Remedy({"apt": "flang-19", "dnf": "flang", "spack": "llvm@19 +flang", "module": "llvm/19"})
GIT = Remedy(dict.fromkeys(("apt", "dnf", "zypper", "spack", "module"), "git"))
COMPILER = Remedy(
    {"apt": "gcc g++ cmake ninja-build", "dnf": "gcc gcc-c++ cmake ninja-build", "zypper": "gcc gcc-c++ cmake ninja",
     "spack": "gcc cmake ninja", "module": "gcc cmake"}
)  # fmt: skip
BUILD = Remedy(rebuild=True)
PYGLS = Remedy({"pip": "'pygls>=2'"})
MCP = Remedy({"pip": "'mcp>=2,<3'"})
OTF2 = Remedy({"pip": "'otf2>=3'", "apt": "python3-otf2"})
URLLIB3 = Remedy(
    {"pip": "'urllib3>=2'", "apt": "python3-urllib3", "dnf": "python3-urllib3", "zypper": "python3-urllib3"}
)
CALIBRATE = Remedy(command="stridewise calibrate")
RULES = Remedy(command="set STRIDEWISE_RULES to the folder of the rules")


def rebuilt(remedy: Remedy) -> Remedy:
    """The same, for a part of Stridewise that is made of these packages."""
    return Remedy(remedy.packages, True, remedy.command)


@dataclass(frozen=True, slots=True)
class System:
    """This machine: its name, the manager of its packages (empty if unknown), and what else can install."""

    name: str
    manager: str
    others: tuple[str, ...]


def system(release: Path = _RELEASE) -> System:
    fields: dict[str, str] = {}
    try:
        for line in release.read_text(encoding="utf-8", errors="replace")[:65536].splitlines():
            key, equals, value = line.partition("=")
            if equals and (words := _words(value)):
                fields[key.strip()] = words[0]
    except OSError:
        pass
    names = [fields.get("ID", ""), *fields.get("ID_LIKE", "").split()]
    manager = next((m for name in names for m, family in _FAMILIES.items() if name in family), "")
    others = []
    if os.environ.get("SPACK_ROOT") or shutil.which("spack"):
        others.append("spack")
    if os.environ.get("LMOD_CMD") or os.environ.get("MODULESHOME"):
        others.append("module")
    return System(fields.get("PRETTY_NAME", "") or "unknown system", manager, tuple(others))


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:
        return []


def commands(remedy: Remedy, where: System) -> dict[str, str]:
    """What to type, by manager: this system's first, then what else is here; all where nothing is known."""
    if remedy.command:
        return {"stridewise": remedy.command}
    wanted = ["pip"] if "pip" in remedy.packages else []
    wanted += [where.manager] if where.manager else []
    wanted += where.others
    if not any(name in remedy.packages for name in wanted):
        wanted = list(_COMMANDS)
    found = {name: _COMMANDS[name].format(remedy.packages[name]) for name in wanted if name in remedy.packages}
    if not remedy.rebuild:
        return found
    again = how_to_build()
    return {name: f"{text}, then {again}" for name, text in found.items()} or {"stridewise": again}


def how_to_build() -> str:
    """How this copy of Stridewise is built again."""
    package = toolchain.PACKAGE
    if (package.parent / "pyproject.toml").is_file():
        return "make build"
    if package.parent.name in ("site-packages", "dist-packages"):
        return "pip install --force-reinstall --no-deps SOURCE-OF-STRIDEWISE"
    return "build and install Stridewise again (cmake --build, cmake --install)"
