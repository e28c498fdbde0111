"""What stridewise doctor looks at, in groups by what it is good for."""

from __future__ import annotations

import importlib.util
import json
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stridewise import __version__, catalogue
from stridewise.collect import launcher
from stridewise.errors import Failure
from stridewise.machine import machine_file
from stridewise.settings import remedies, toolchain
from stridewise.settings.remedies import Remedy

_SECONDS = 20
_SHARING = ("libstridewise_sharing_pass.so", "libstridewise_sharing.so")


@dataclass(frozen=True, slots=True)
class Check:
    """`remedy` is None for what is there. What is not needed makes its group better, or serves an alternative."""

    name: str
    found: str
    remedy: Remedy | None = None
    needed: bool = True

    @property
    def ok(self) -> bool:
        return self.remedy is None


@dataclass(frozen=True, slots=True)
class Group:
    """`name` for --need; `enables` for people. Works if every needed check is ok."""

    name: str
    enables: str
    checks: tuple[Check, ...]

    @property
    def works(self) -> bool:
        return all(check.ok for check in self.checks if check.needed)


def groups() -> list[Group]:
    return [
        Group("stridewise", "the command itself", tuple(_itself())),
        Group("lint", "source: stridewise lint", tuple(_lint())),
        Group("compile", "warnings while compiling: stridewise-cc, clang plugin, clang-tidy", tuple(_compile())),
        Group("mpi", "MPI runs: stridewise run", tuple(_mpi())),
        Group("omp", "OpenMP runs: stridewise run --omp", tuple(_omp())),
        Group("cache", "cache runs: stridewise run --cache", tuple(_cache())),
        Group("placement", "pages and memory nodes: stridewise run --placement", (_placement(),)),
        Group("sharing", "false sharing: stridewise-share-cc, stridewise run --sharing", tuple(_sharing())),
        Group("prices", "findings priced for this machine: stridewise calibrate", (_prices(),)),
        Group("fortran", "Fortran programs: reading and compiling them", tuple(_fortran())),
        Group("editor", "language server: stridewise lsp", (_module("pygls", remedies.PYGLS),)),
        Group("mcp", "Model Context Protocol: stridewise mcp", (_module("mcp", remedies.MCP),)),
        Group("traces", "OTF2 traces: stridewise import, export", (_module("otf2", remedies.OTF2),)),
        Group("review", "changes under review: stridewise review", tuple(_review())),
        Group("build", "building what is missing", (_compiler(), _program("cmake", remedies.COMPILER, "--version"))),
    ]


def _itself() -> Iterator[Check]:
    yield Check("stridewise", f"{__version__}, Python {sys.version.split()[0]}, in {toolchain.PACKAGE}")
    try:
        yield Check("rules", f"{len(catalogue.load())} in {catalogue.rules_directory()}")
    except catalogue.CatalogueError as error:
        yield Check("rules", str(error), remedies.RULES)


def _lint() -> Iterator[Check]:
    path = toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE")
    if path is None:
        yield Check("stridewise-analyze", "missing", remedies.LLVM)
        return
    trouble = _analyse(path)
    yield Check("stridewise-analyze", str(path) if "header" in trouble or not trouble else f"{path}: {trouble}",
                remedies.LLVM if trouble and "header" not in trouble else None)  # fmt: skip
    if "header" in trouble:
        yield Check("headers of Clang 19", trouble, remedies.CLANG_HEADERS)


def _analyse(analyzer: Path) -> str:
    """What keeps the analyser from reading a small C file; empty if it does."""
    with tempfile.TemporaryDirectory(prefix="stridewise-doctor-") as folder:
        source, result = Path(folder) / "try.c", Path(folder) / "result.json"
        source.write_text("#include <stddef.h>\nsize_t f(size_t n) { return n; }\n", encoding="utf-8")
        try:
            done = subprocess.run(
                [str(analyzer), "-o", str(result), str(source), "--", "-O1"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                timeout=_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"did not end within {_SECONDS} s"
        except OSError as error:
            return str(error.strerror or error)
        try:
            found = json.loads(result.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            lines = done.stderr.strip().splitlines()
            return lines[0] if lines else f"ended with status {done.returncode}"
        if found.get("status") != "ok":
            text = str((found.get("diagnostics") or [{}])[0].get("message", "a small file cannot be read"))
            return "it finds no header stddef.h of Clang's own" if "stddef.h" in text else text
    return ""


def _compile() -> Iterator[Check]:
    yield _own("stridewise-cc", "STRIDEWISE_CC", remedies.LLVM)
    for name, host, remedy in (
        ("stridewise-clang.so", "clang", remedies.CLANG),
        ("stridewise-tidy.so", "clang-tidy", remedies.CLANG_TIDY),
    ):
        module = toolchain.library(name)
        title = f"{host} {'plugin' if host == 'clang' else 'module'}"
        yield Check(title, str(module) if module else "not built", None if module else remedies.LLVM, needed=False)
        if module:
            path = shutil.which(f"{host}-19") or shutil.which(host)
            yield Check(f"{host} 19", path or "missing", None if path else remedy, needed=False)


def _mpi() -> Iterator[Check]:
    yield _own("stridewise-merge", "STRIDEWISE_MERGE", remedies.rebuilt(remedies.COMPILER))
    built = toolchain.interposers()
    for flavour, name in toolchain.FLAVOURS.items():
        remedy = remedies.OPENMPI if flavour == "openmpi" else remedies.MPICH
        started = _launcher(flavour)
        # One MPI suffices: the other is needed by nobody who has none.
        needed = not built and flavour == next(iter(toolchain.FLAVOURS))
        if flavour in built:
            yield Check(f"interposer for {name}", str(built[flavour]), needed=needed)
        else:
            missing = remedies.BUILD if started else remedies.rebuilt(remedy)
            yield Check(
                f"interposer for {name}", "not built" if started else f"{name} is not installed", missing, needed
            )
        if started:
            yield Check(name, started, needed=False)
        elif flavour in built:
            yield Check(name, "no launcher on PATH", remedy, needed=False)
    yield from _pair()
    symboliser = toolchain.versioned("llvm-symbolizer") or shutil.which("addr2line")
    yield Check(
        "symboliser",
        symboliser or "missing: call sites stay addresses",
        None if symboliser else remedies.SYMBOLISER,
        needed=False,
    )


def _pair() -> Iterator[Check]:
    """Whether the compiler and the launcher that PATH names belong together."""
    compiler, starter = shutil.which("mpicc"), shutil.which("mpirun") or shutil.which("mpiexec")
    compiles = _flavour_of_compiler(compiler) if compiler else ""
    starts = launcher.version_flavour(starter) if starter else ""
    if not compiles or not starts:
        return
    names = toolchain.FLAVOURS[compiles], toolchain.FLAVOURS[starts]
    if compiles == starts:
        yield Check("mpicc and mpirun", f"both of {names[0]}", needed=False)
    else:
        yield Check(
            "mpicc and mpirun",
            f"{compiler} is of {names[0]}, {starter} of {names[1]}: what the one compiles, the other cannot start",
            Remedy(command=f"put the programs of one MPI first in PATH, or start by the mpirun of {names[0]}"),
            needed=False,
        )


def _flavour_of_compiler(wrapper: str) -> str:
    """By the mpi.h that MPI's compiler wrapper shows; empty for one that shows none."""
    try:
        done = subprocess.run(
            [wrapper, "-show"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=_SECONDS, check=False,
        )  # fmt: skip
        folders = [Path(word[2:]) for word in shlex.split(done.stdout) if word.startswith("-I")]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    for header in (folder / "mpi.h" for folder in folders):
        try:
            with header.open(encoding="utf-8", errors="replace") as file:
                text = file.read(1 << 20)
        except OSError:
            continue
        if re.search(r"^\s*#\s*define\s+OMPI_MAJOR_VERSION\b", text, re.MULTILINE):
            return "openmpi"
        if re.search(r"^\s*#\s*define\s+MPICH_VERSION\b", text, re.MULTILINE):
            return "mpich"
    return ""


def _omp() -> Iterator[Check]:
    recorder, library = toolchain.omp_recorder(), toolchain.llvm_openmp()
    there = recorder is not None and recorder.is_file()
    yield Check(
        "OpenMP recorder",
        str(recorder) if there else "not built",
        None if there else remedies.rebuilt(remedies.LIBOMP),
    )
    yield Check(
        "LLVM's OpenMP library",
        str(library) if library else "missing: programs made by GCC cannot be watched",
        None if library else remedies.LIBOMP,
        needed=False,
    )


def _cache() -> Iterator[Check]:
    yield _program("valgrind", remedies.VALGRIND, "--version")
    windows = toolchain.windows_library()
    yield Check(
        "windows for --sample",
        str(windows) if windows else "not built: it needs Valgrind's headers",
        None if windows else remedies.rebuilt(remedies.VALGRIND),
        needed=False,
    )


def _placement() -> Check:
    recorder = toolchain.placement_recorder()
    return Check("placement recorder", str(recorder)) if recorder else Check(
        "placement recorder", "not built", remedies.rebuilt(remedies.COMPILER)
    )  # fmt: skip


def _sharing() -> Iterator[Check]:
    yield _own("stridewise-share-cc", "STRIDEWISE_SHARE_CC", remedies.LLVM)
    missing = [name for name in _SHARING if toolchain.library(name) is None]
    yield Check(
        "pass and recorder",
        f"missing: {', '.join(missing)}" if missing else str(toolchain.library(_SHARING[0])),
        remedies.LLVM if missing else None,
    )
    clang = shutil.which("clang-19") or shutil.which("clang")
    yield Check("clang 19", clang or "missing", None if clang else remedies.CLANG)


def _prices() -> Check:
    """Whether this machine's costs were measured; a report says so where it used defaults, so this is no lack."""
    path = machine_file.find(platform.node())
    if path is None:
        return Check("machine costs", "not measured: findings use defaults; stridewise calibrate measures them")
    try:
        return Check("machine costs", f"{path}, of {machine_file.load(path).date[:10] or 'unknown date'}")
    except Failure as error:
        return Check("machine costs", str(error), remedies.CALIBRATE)


def _fortran() -> Iterator[Check]:
    flang = toolchain.versioned("flang-new") or toolchain.versioned("flang")
    gfortran = shutil.which("gfortran")
    yield Check("gfortran", gfortran or "missing", None if gfortran else remedies.GFORTRAN, needed=flang is None)
    yield Check("flang", flang or "missing", None if flang else remedies.FLANG, needed=False)


def _review() -> Iterator[Check]:
    yield _program("git", remedies.GIT, "--version")
    yield _module("urllib3", remedies.URLLIB3)


def _compiler() -> Check:
    compiler = next((path for name in ("cc", "gcc", "clang", "clang-19") if (path := shutil.which(name))), None)
    return Check("C compiler", compiler or "missing", None if compiler else remedies.COMPILER)


def _module(name: str, remedy: Remedy) -> Check:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return Check(name, f"missing for {sys.executable}", remedy)
    return Check(name, str(Path(spec.origin).parent) if spec.origin else "installed")


def _own(name: str, variable: str, remedy: Remedy) -> Check:
    path = toolchain.program(name, variable)
    return Check(name, str(path)) if path else Check(name, "missing", remedy)


def _program(name: str, remedy: Remedy, *version: str) -> Check:
    path = shutil.which(name)
    if path is None:
        return Check(name, "missing", remedy)
    return Check(name, ", ".join(filter(None, (path, _version([path, *version])))))


def _launcher(flavour: str) -> str:
    """Path and version line of that MPI's launcher; empty if it is not there."""
    for name in (f"mpirun.{flavour}", f"mpiexec.{flavour}", "mpirun", "mpiexec"):
        path = shutil.which(name)
        if path and launcher.version_flavour(path) == flavour:
            version = _version([path, "--version"])
            return f"{path}, {version}" if version else path
    return ""


def _version(command: list[str]) -> str:
    """The first line that a program says of its version (MPICH: the line with the number)."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False,
            errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    numbered = next((line.split(":", 1)[1].strip() for line in lines if line.strip().startswith("Version:")), "")
    if numbered:
        return f"{Path(command[0]).name} {numbered}"
    return lines[0] if lines else ""
