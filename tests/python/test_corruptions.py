"""Files of a run that are damaged afterwards: every change is told, none ends the report.

The seed is fixed; STRIDEWISE_CORRUPTIONS sets how many of each kind of file are tried (2,250 in all: 250).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mpi_launch import LAUNCH
from stridewise import catalogue
from stridewise.errors import Failure
from stridewise.runs import report, run_folder, seals
from stridewise.settings import toolchain

TOP = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("STRIDEWISE_CORRUPTIONS", "12"))
_OPENMP = """
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int n = 1 << 18;
  double *a = malloc(n * sizeof *a), sum = 0;
  memset(a, 0, n * sizeof *a);
  for (int step = 0; step < 40; ++step) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i)
      sum += a[i] += i;
  }
  if (argc > 1)
    _exit(sum < 0);
  return sum < 0;
}
"""


def _stridewise(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, **LAUNCH, "OMP_NUM_THREADS": "2", **environment}
    command = [sys.executable, "-m", "stridewise", *map(str, arguments)]
    return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=120, check=False)


def _need(*programs: str) -> None:
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")


def _mpi(folder: Path, how: str) -> None:
    flavour = next((f for f in ("mpich", "openmpi") if shutil.which(f"mpicc.{f}")), "")
    _need(f"mpicc.{flavour}")
    source, program = TOP / "tests" / "mpi" / "programs" / "ends.c", folder / "ends"
    subprocess.run([f"mpicc.{flavour}", "-g", "-O1", "-w", "-o", program, source, "-lpthread"], check=True)
    done = _stridewise("run", "-o", folder / "out", "--", f"mpirun.{flavour}", "-n", "2", program, how)
    assert (done.returncode != 0) == (how == "kill"), done.stderr


def _bare(folder: Path, command: list[str], **environment: str) -> None:
    """A run that no command of ours watches, and that ends in the middle; the first report on it seals what it left."""
    settings = {**os.environ, **LAUNCH, "STRIDEWISE_OUT": str(folder / "out"), "STRIDEWISE_QUIET": "1", **environment}
    subprocess.run(command, env=settings, capture_output=True, timeout=120, check=False)
    first = _stridewise("report", folder / "out")
    assert "whether it is as the run left it cannot be told" in first.stdout + first.stderr


def _mpi_bare(folder: Path) -> None:
    flavour = next((f for f in ("mpich", "openmpi") if shutil.which(f"mpicc.{f}")), "")
    _need(f"mpicc.{flavour}")
    source, program = TOP / "tests" / "mpi" / "programs" / "ends.c", folder / "ends"
    subprocess.run([f"mpicc.{flavour}", "-g", "-O1", "-w", "-o", program, source, "-lpthread"], check=True)
    library = toolchain.interposers()[flavour]
    _bare(folder, [f"mpirun.{flavour}", "-n", "2", str(program), "kill"], LD_PRELOAD=str(library))


def _openmp_bare(folder: Path) -> None:
    _need("clang-19")
    recorder = toolchain.omp_recorder()
    source, program = folder / "loop.c", folder / "loop"
    source.write_text(_OPENMP, encoding="utf-8")
    subprocess.run(["clang-19", "-g", "-O1", "-fopenmp", "-o", program, source], check=True)
    _bare(folder, [str(program), "now"], OMP_TOOL_LIBRARIES=str(recorder), OMP_NUM_THREADS="2")


def _openmp(folder: Path, *options: str, ends: str = "") -> None:
    _need("gcc")
    source, program = folder / "loop.c", folder / "loop"
    source.write_text(_OPENMP, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "-o", program, source], check=True)
    _stridewise("run", *options, "-o", folder / "out", "--", program, *([ends] if ends else []))


def _sharing(folder: Path) -> None:
    compiler = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise-share-cc"
    if not compiler.exists():
        pytest.skip("stridewise-share-cc is not built")
    source, program = folder / "loop.c", folder / "loop"
    source.write_text(_OPENMP, encoding="utf-8")
    built = subprocess.run(
        [compiler, "-g", "-O1", "-fopenmp", "-o", program, source], capture_output=True, text=True, check=False
    )
    if built.returncode != 0:
        pytest.skip(f"no false-sharing runs here: {built.stderr[-200:]}")
    _stridewise("run", "--sharing", "-o", folder / "out", "--", program)


_RUNS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "mpi-open": ("mpi", lambda folder: _mpi(folder, "kill")),
    "mpi-closed": ("mpi", lambda folder: _mpi(folder, "none")),
    "mpi-open-bare": ("mpi", _mpi_bare),
    "omp-open-bare": ("omp", _openmp_bare),
    "omp-open": ("omp", lambda folder: _openmp(folder, "--omp", ends="now")),
    "omp-closed": ("omp", lambda folder: _openmp(folder, "--omp")),
    "placement": ("placement", lambda folder: _openmp(folder, "--placement")),
    "sharing": ("sharing", _sharing),
    "cache": ("cache", lambda folder: _openmp(folder, "--cache")),
}


def _corrupted(data: bytes, rng: random.Random) -> bytes:
    """One damage as disks, copies and wild stores do it; never none."""
    while True:
        out = bytearray(data)
        at = rng.randrange(len(data))
        match rng.randrange(6):
            case 0:
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                out[at : at + 8] = rng.randbytes(8)[: len(data) - at]
            case 2:  # a sector that was never written
                begin = at // 512 * 512
                out[begin : begin + 512] = bytes(len(out[begin : begin + 512]))
            case 3:
                del out[at:]
            case 4:
                out += rng.randbytes(rng.randrange(1, 100))
            case 5:
                begin = rng.randrange(len(data))
                out[at : at + 64] = data[begin : begin + len(out[at : at + 64])]
        if bytes(out) != data:
            return bytes(out)


def _sealed(out: Path, kind: str) -> Mapping[str, seals.Seal]:
    (record,) = (r for r in run_folder.read_records(out) if r.kind == kind)
    return record.files


@pytest.mark.parametrize("what", _RUNS)
def test_every_damage_is_told(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "cache" in what:
        _need("valgrind")
    kind, make = _RUNS[what]
    make(tmp_path)
    out = tmp_path / "out"
    sealed = json.loads((out / kind / seals.LATE).read_text())["files"] if "bare" in what else _sealed(out, kind)
    names = [name for name in sealed if (out / kind / name).stat().st_size]
    if not names:
        pytest.skip(f"no {kind} run here")
    closed = {name for name in names if tuple(sealed[name]) == seals.WHOLE}
    assert bool(closed) == ("open" not in what and kind not in ("placement", "cache"))
    monkeypatch.chdir(tmp_path)
    rules = catalogue.load()
    options = report.Options(folders=(out,), kinds=(kind,), config=False)
    assert report.build(options, rules).troubles == ()
    rng = random.Random(13)
    for number in range(COUNT):
        path = out / kind / rng.choice(names)
        data = path.read_bytes()
        path.write_bytes(_corrupted(data, rng))
        try:
            told = bool(report.build(options, rules).troubles)
        except Failure:
            told = True
        finally:
            path.write_bytes(data)
        assert told, f"damage {number} to {path.name} was not told"


def test_the_record_itself(tmp_path: Path) -> None:
    record = run_folder.Record("mpi", ("./a", "1"), 0, 1.5, 2.25, {"shard.1.0.swshard": (3, 17)})
    run_folder.add_record(tmp_path, record)
    assert run_folder.read_records(tmp_path) == [record]
    path = tmp_path / run_folder.RECORD
    data = path.read_bytes()
    rng = random.Random(13)
    for number in range(20 * COUNT):
        path.write_bytes(_corrupted(data, rng))
        try:
            same = run_folder.read_records(tmp_path) == [record]
        except Failure:
            continue
        assert same, f"damage {number} was not told"  # another indentation is no damage


def test_what_was_cut_off_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.out"
    path.write_bytes(os.urandom(200_000))
    sealed = seals.seal([path])
    with path.open("r+b") as file:
        file.truncate(150_000)
    ((_, why),) = seals.broken(tmp_path, sealed)
    assert why == "it is cut off: 50,000 of its 200,000 bytes are missing at the end"
    path.write_bytes(bytes(200_000))
    ((_, why),) = seals.broken(tmp_path, sealed)
    assert "4 of its 4 blocks of 64 KiB differ" in why
    path.unlink()
    ((_, why),) = seals.broken(tmp_path, sealed)
    assert why == "the run left it, and it is gone"


def test_a_shard_that_is_closed_after_the_first_report(tmp_path: Path) -> None:
    """It carries its own checksum from then on."""
    path, state = tmp_path / "shard.1.0.swshard", bytearray(200)
    path.write_bytes(bytes(state))
    assert len(seals.late(tmp_path, [path])[1]) == 1
    assert seals.late(tmp_path, [path]) == ([], [])
    path.write_bytes(bytes(state) + b"more")
    ((_, why),) = seals.late(tmp_path, [path])[0]
    assert why.startswith("since the first report on it, unless the program still ran then: it is damaged")
    state[28] = 3
    path.write_bytes(bytes(state))
    assert seals.late(tmp_path, [path]) == ([], [])
    path.unlink()
    assert seals.late(tmp_path, []) == ([], [])
    (tmp_path / seals.LATE).write_text("{")
    ((wrong, _),) = seals.late(tmp_path, [])[0]
    assert wrong.name == seals.LATE
