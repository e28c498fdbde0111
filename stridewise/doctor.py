"""stridewise doctor: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stridewise import __version__, catalogue, machine_file, toolchain
from stridewise.console import Painter, harmless, wants_colour
from stridewise.errors import Failure


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the diagnosis; `remedy` is empty for what is there."""

    name: str
    found: str
    remedy: str = ""


def run() -> int:
    """0 if at least one half (source or MPI run) can work, else 2."""
    paint = Painter(wants_colour(sys.stdout))
    lines = list(diagnose())
    for line in lines:
        mark = paint("ok  ", "green") if not line.remedy else paint("--  ", "yellow")
        print(f"{mark}{line.name:26} {harmless(line.found)}")
        if line.remedy:
            print(f"    {'':26} {line.remedy}")
    able = {line.name for line in lines if not line.remedy}
    works = "stridewise-analyze" in able or ("stridewise-merge" in able and bool(toolchain.interposers()))
    return 0 if works else 2


def diagnose() -> Iterator[Finding]:
    yield Finding("stridewise", f"{__version__}, Python {sys.version.split()[0]}")
    try:
        rules = catalogue.load()
        yield Finding("rules", f"{len(rules)} in {catalogue.rules_directory()}")
    except catalogue.CatalogueError as error:
        yield Finding("rules", str(error), "set STRIDEWISE_RULES to the folder of the rules")
    yield _program(
        "stridewise-analyze",
        "STRIDEWISE_ANALYZE",
        "for lint: apt install llvm-19-dev libclang-19-dev libclang-common-19-dev, then build with cmake",
    )
    yield _program("stridewise-cc", "STRIDEWISE_CC", "for warnings while compiling: build the static half with cmake")
    for name, host in (("stridewise-clang.so", "clang plugin"), ("stridewise-tidy.so", "clang-tidy module")):
        module = toolchain.library(name)
        yield Finding(host, str(module)) if module else Finding(host, "not built", "build the static half with cmake")
    yield _program(
        "stridewise-share-cc",
        "STRIDEWISE_SHARE_CC",
        "for run --sharing: apt install llvm-19-dev clang-19, build with cmake",
    )
    yield _program("stridewise-merge", "STRIDEWISE_MERGE", "for MPI runs: build with cmake")
    libraries = toolchain.interposers()
    for flavour, name in toolchain.FLAVOURS.items():
        launcher = _launcher(flavour)
        if flavour in libraries:
            yield Finding(f"interposer for {name}", str(libraries[flavour]))
        else:
            package = "libopenmpi-dev openmpi-bin" if flavour == "openmpi" else "libmpich-dev mpich"
            yield Finding(
                f"interposer for {name}",
                "not built" if launcher else f"{name} is not installed",
                f"{'build with cmake' if launcher else f'apt install {package}, then build with cmake'}",
            )
        if launcher:
            yield Finding(f"{name}", launcher)
    recorder, openmp = toolchain.omp_recorder(), toolchain.llvm_openmp()
    yield (
        Finding("OpenMP recorder", str(recorder))
        if recorder
        else Finding("OpenMP recorder", "not built: no run --omp", "apt install libomp-19-dev, then build with cmake")
    )
    yield (
        Finding("LLVM's OpenMP library", str(openmp))
        if openmp
        else Finding("LLVM's OpenMP library", "missing: no run --omp of programs made by GCC", "apt install libomp5-19")
    )
    pages = toolchain.placement_recorder()
    yield (
        Finding("placement recorder", str(pages))
        if pages
        else Finding("placement recorder", "not built: no run --placement", "build with cmake")
    )
    symbolizer = toolchain.versioned("llvm-symbolizer") or shutil.which("addr2line")
    yield (
        Finding("symboliser", symbolizer)
        if symbolizer
        else Finding(
            "symboliser", "missing: call sites stay addresses", "apt install llvm-19 (llvm-symbolizer-19) or binutils"
        )
    )
    yield _prices()
    valgrind = shutil.which("valgrind")
    if valgrind:
        yield Finding("valgrind", f"{valgrind}, {_version([valgrind, '--version'])}")
    else:
        yield Finding("valgrind", "missing: no run --cache", "apt install valgrind")
    compiler = next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)
    yield (
        Finding("C compiler", compiler) if compiler else Finding("C compiler", "missing", "apt install build-essential")
    )


def _prices() -> Finding:
    """Whether this machine's costs were measured; a report says so where it used defaults, so this is no lack."""
    path = machine_file.find(platform.node())
    if path is None:
        return Finding("machine costs", "not measured: findings use defaults; stridewise calibrate measures them")
    try:
        return Finding("machine costs", f"{path}, of {machine_file.load(path).date[:10] or 'unknown date'}")
    except Failure as error:
        return Finding("machine costs", str(error), "stridewise calibrate")


def _program(name: str, variable: str, remedy: str) -> Finding:
    path = toolchain.program(name, variable)
    return Finding(name, str(path)) if path else Finding(name, "missing", remedy)


def _launcher(flavour: str) -> str:
    """Path and version line of that MPI's launcher; empty if it is not there."""
    for name in (f"mpirun.{flavour}", f"mpiexec.{flavour}", "mpirun", "mpiexec"):
        path = shutil.which(name)
        if path:
            version = _version([path, "--version"])
            is_open = "Open MPI" in version or "OpenRTE" in version
            if is_open == (flavour == "openmpi"):
                return f"{path}, {version}" if version else path
    return ""


def _version(command: list[str]) -> str:
    """The first line that a program says of its version (MPICH: the line with the number)."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    numbered = next((line.split(":", 1)[1].strip() for line in lines if line.strip().startswith("Version:")), "")
    if numbered:
        return f"{Path(command[0]).name} {numbered}"
    return lines[0] if lines else ""
