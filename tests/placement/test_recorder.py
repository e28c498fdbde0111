"""The placement recorder: programs behave as without it, operands are decoded, and two nodes show what one cannot."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from stridewise.runs.placement import records as placement
from stridewise.runs.placement.records import Placement
from stridewise.runs.placement.watcher import _symbolized
from stridewise.settings import toolchain

PROGRAMS = Path(__file__).resolve().parent / "programs"
SOURCES = Path(__file__).resolve().parents[2] / "runtime" / "placement"
X86 = platform.machine() == "x86_64"


def recorder() -> Path:
    library = toolchain.placement_recorder()
    if library is None:
        pytest.skip("the placement recorder is not built")
    return library


def build(source: str, target: Path, *flags: str, compiler: str = "gcc") -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    words = [compiler, "-g", "-O2", *flags, str(PROGRAMS / source), "-o", str(target)]
    subprocess.run([*words, "-pthread"], check=True)
    return target


def observed(program: Path, folder: Path, **more: str) -> tuple[subprocess.CompletedProcess[str], list[Placement]]:
    (folder / "placement").mkdir(exist_ok=True)
    environment = {**os.environ, "LD_PRELOAD": str(recorder()), "STRIDEWISE_OUT": str(folder), **more}
    done = subprocess.run([str(program)], env=environment, capture_output=True, text=True, timeout=300, check=False)
    return done, [placement.load(path) for path in sorted((folder / "placement").glob("*.json"))]


def test_a_program_behaves_as_without_it(tmp_path: Path) -> None:
    program = build("busy.c", tmp_path / "busy")
    bare = subprocess.run([str(program)], capture_output=True, text=True, timeout=300, check=False)
    done, runs = observed(program, tmp_path, STRIDEWISE_PLACEMENT_PERIOD_US="200")
    assert (done.stdout, done.stderr, done.returncode) == (bare.stdout, bare.stderr, bare.returncode)
    assert len(runs) == 1  # not of the child, which shares what its parent reports
    arrays = {(a.allocations, a.largest) for a in runs[0].arrays}
    assert (4 * 60, 2 * (3 << 20)) in arrays  # realloc
    assert (4 * 30, 3 << 20) in arrays  # malloc, calloc
    assert len(runs[0].threads) == 5
    assert runs[0].lost_allocations == 0


def test_what_has_one_thread_or_no_big_array_leaves_nothing(tmp_path: Path) -> None:
    for command in ("/bin/true", shutil.which("bash") or "/bin/sh"):
        done, runs = observed(Path(command), tmp_path)
        assert (done.returncode, done.stderr, runs) == (0, "", [])


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    program = build("triad.c", tmp_path / "triad", "-fopenmp")
    environment = {**os.environ, "LD_PRELOAD": str(recorder()), "STRIDEWISE_OUT": str(tmp_path / "none")}
    done = subprocess.run([str(program)], env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0
    assert "cannot write" in done.stderr


def test_pages_and_callers_of_arrays(tmp_path: Path) -> None:
    program = build("triad.c", tmp_path / "triad", "-fopenmp")
    done, (run,) = observed(program, tmp_path, OMP_NUM_THREADS="2")
    assert done.returncode == 0
    symbolized, notes = _symbolized(run)
    assert notes == []
    lines = (PROGRAMS / "triad.c").read_text(encoding="utf-8").splitlines()
    wanted = {number for number, line in enumerate(lines, 1) if "/* to */" in line or "/* from */" in line}
    assert {a.site.line for a in symbolized.arrays if a.site} == wanted
    (static,) = (a for a in symbolized.arrays if a.symbol)
    assert (static.symbol, static.bytes) == ("shared_sums", 12000000)
    assert all(sum(a.pages) > 200 and a.absent == 0 for a in symbolized.arrays)


@pytest.mark.skipif(not X86, reason="the decoder is for x86-64")
def test_lengths_of_instructions_are_those_of_the_disassembler(tmp_path: Path) -> None:
    libraries = [p for p in map(Path, ("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6")) if p.is_file()]
    if shutil.which("objdump") is None or not libraries:
        pytest.skip("objdump or a library to disassemble is missing")
    program = build("lengths.c", tmp_path / "lengths", f"-I{SOURCES}", str(SOURCES / "operands.c"))
    listing = subprocess.run(
        ["objdump", "-d", "--insn-width=16", str(libraries[0])], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split("\t") for line in listing.splitlines() if line.count("\t") >= 2]
    # One that the disassembler joins from two: fwait and what follows.
    code = [words[1] for words in rows if "(bad)" not in words[2] and not words[1].startswith("9b ")]
    done = subprocess.run([str(program)], input="\n".join(code), capture_output=True, text=True, check=True)
    same, unknown, other = map(int, done.stdout.splitlines()[-1].split())
    assert other == 0, done.stdout
    assert same > 10000
    assert unknown < same / 100


@pytest.mark.skipif(not X86, reason="the decoder is for x86-64")
def test_operands_of_loops(tmp_path: Path) -> None:
    program = build("operands.c", tmp_path / "operands", f"-I{SOURCES}", str(SOURCES / "operands.c"))
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "10050 20090 20050 ",
        "10050 20090 20050 ",
        "20000 ",
        "20040 10008 20000 ",
    ]


@pytest.mark.parametrize(("flags", "threads"), [(("-s",), "9"), (("-s", "-DSERIAL"), "2")])
def test_a_stripped_program_and_more_threads_than_cores(tmp_path: Path, flags: tuple[str, ...], threads: str) -> None:
    program = build("triad.c", tmp_path / "triad", "-fopenmp", *flags)
    bare = subprocess.run([str(program)], capture_output=True, text=True, timeout=300, check=True)
    done, (run,) = observed(program, tmp_path, OMP_NUM_THREADS=threads)
    assert (done.stdout, done.stderr, done.returncode) == (bare.stdout, "", 0)
    assert len(run.threads) == int(threads)
    symbolized, notes = _symbolized(run)
    assert len([a for a in symbolized.arrays if a.allocations]) >= 2
    assert any("-g" in note for note in notes)
