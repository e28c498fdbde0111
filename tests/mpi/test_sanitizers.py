"""The interposer, built with sanitizers and linked in front of the MPI, watches programs without a report."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from conftest import FLAVOURS, PROGRAMS, Mpi, header_of, read_shards
from shards import REPOSITORY

SOURCES = REPOSITORY / "pmpi_wrappers"
# A sanitised program may need a fixed place in memory.
FIXED = ["setarch", "-R"]
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0",  # the MPIs leave memory behind
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "detect_deadlocks=0:exitcode=0:history_size=4",
}


@cache
def library(flavour: str, sanitizer: str, folder: Path) -> Path:
    """The interposer built with a sanitizer; skips the test where the compiler has none."""
    wrappers = folder / f"wrappers-{flavour}.c"
    command: list[str | Path] = [
        "python3",
        SOURCES / "generate.py",
        "--wrappers",
        wrappers,
        "--header",
        header_of(flavour),
    ]
    subprocess.run(command, check=True)
    flags = [f"-fsanitize={sanitizer}", "-g", "-fPIC", "-fexceptions", "-fvisibility=hidden", f"-I{SOURCES}", "-w"]
    result = folder / f"libinterposer-{sanitizer.split(',')[0]}-{flavour}.so"
    parts = []
    names = [path.stem for path in SOURCES.glob("*.c") if path.stem != "unwind_compat"]
    for source, level in [*((SOURCES / f"{name}.c", "-O1") for name in names), (wrappers, "-O0")]:
        part = folder / f"{source.stem}-{sanitizer.split(',')[0]}-{flavour}.o"
        done = subprocess.run([f"mpicc.{flavour}", *flags, level, "-c", "-o", part, source], check=False)
        assert done.returncode == 0
        parts.append(part)
    linked = subprocess.run(
        [f"mpicc.{flavour}", "-shared", *flags, "-Wl,--as-needed", "-o", result, *parts],
        check=False,
        capture_output=True,
    )
    if linked.returncode:
        pytest.skip(f"no {sanitizer} sanitizer")
    return result


def sanitized(mpi: Mpi, program: str, sanitizer: str, watched: bool) -> Path:
    binary = mpi.programs / f"{Path(program).stem}-{sanitizer.split(',')[0]}-{watched}-{mpi.flavour}"
    command: list[str | Path] = [
        f"mpicc.{mpi.flavour}",
        "-w",
        "-g",
        "-O1",
        f"-fsanitize={sanitizer}",
        "-o",
        binary,
        PROGRAMS / program,
    ]
    if watched:
        built = library(mpi.flavour, sanitizer, mpi.programs)
        command += ["-Wl,--no-as-needed", f"-Wl,-rpath,{built.parent}", built]
    subprocess.run(command, check=True)
    return binary


def reports(text: str) -> list[str]:
    """Summaries that blame the interposer: the MPIs have races of their own."""
    return [
        line
        for line in text.splitlines()
        if ("SUMMARY:" in line or "runtime error:" in line) and ("pmpi_wrappers" in line or "wrappers-" in line)
    ]


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_no_report(flavour: str, sanitizer: str, built: Callable[[str], Mpi], tmp_path: Path) -> None:
    mpi = built(flavour)
    if (flavour, sanitizer) == ("mpich", "thread"):
        pytest.skip("MPICH's libfabric ends bare programs under ThreadSanitizer, too, now and then")
    bare = mpi.run([*FIXED, sanitized(mpi, "paths.c", sanitizer, watched=False)], None, 2, None, **OPTIONS)
    if bare.returncode:
        pytest.skip(f"{flavour} itself does not run under this sanitizer")
    runs = (
        ["life.c", "threads"],
        ["threads.c", "6", "4", "16"],
        ["calls.c", str(tmp_path / "data")],
        ["kinds.c"],
        ["paths.c"],
        ["elements.c"],
        ["effects.c", str(tmp_path / "data")],
    )
    statuses = {"kinds.c": 7, "effects.c": 3}
    for program, *arguments in runs:
        out = tmp_path / program
        result = mpi.run(
            [*FIXED, sanitized(mpi, program, sanitizer, watched=True), *arguments],
            None,
            2,
            None,
            STRIDEWISE_OUT=str(out),
            STRIDEWISE_QUIET="1",
            **OPTIONS,
        )
        assert result.returncode == statuses.get(program, 0), result.stderr
        assert not reports(result.stderr), result.stderr
        assert "ERROR: AddressSanitizer" not in result.stderr
        shards = read_shards(out)
        assert [s.state for s in shards] == [3, 3]
        if program == "life.c":
            assert all(s.count("MPI_Waitall") == 300 for s in shards)
